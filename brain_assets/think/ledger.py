"""The gap ledger: every gap once, with its state, the queries that raised it, and what would close it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brain_assets.errors import BrainError, ConfigurationError, NotFoundError
from brain_assets.settings import Settings
from brain_assets.store import catalogue

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from brain_assets.store.catalogue import Catalogue
    from brain_assets.think.answer import Answer
    from brain_assets.think.gather import Search

log = logging.getLogger(__name__)
MOST_QUERIES = 20
_WAIT = 1.0
_MOST_RETHOUGHT = 40
_CHECKED = "gaps_generation"
STATES = ("open", "answered", "dismissed")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One gap of the ledger. `detail` is the gap as it was reported last."""

    gap_id: str
    kind: str
    term: str
    state: str
    queries: tuple[str, ...]
    seen: int
    first_seen: dt.date
    last_seen: dt.date
    note: str
    detail: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        out = dataclasses.asdict(self)
        out.update(queries=list(self.queries), first_seen=str(self.first_seen), last_seen=str(self.last_seen))
        return {**out, "closes": closes(self)}


def record(settings: Settings, answer: Answer) -> int:
    """Enter an answer's gaps; returns how many are new. A gap that was answered and comes back is open again, a
    dismissed one stays dismissed.

    Weak contradictions are signals, not gaps, and are not entered. A brain that cannot be written now keeps its
    ledger as it is (said in the log): the answer does not depend on it.
    """
    found = _gaps(answer)
    if not found:
        return 0
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with catalogue.open(settings) as cat, cat.begin(wait=_WAIT) as connection:
            return _enter(connection, found, answer.query, settings.today)
    except (BrainError, SQLAlchemyError) as error:
        log.info("The gaps of this answer are not in the ledger: %s", type(error).__name__)
        return 0


_Found = tuple[str, str, str, dict[str, Any]]
"""Id, kind, term and detail of a gap."""


def _gaps(answer: Answer) -> list[_Found]:
    """Every gap of an answer that belongs in the ledger."""
    out = []
    for kind in ("stale", "uncited", "contradiction", "missing"):
        for gap in getattr(answer.gaps, kind):
            detail = {f.name: getattr(gap, f.name) for f in dataclasses.fields(gap)}
            if detail.get("strength") == "weak":
                continue
            term = detail.get("term") or detail.get("subject") or detail.get("path") or detail.get("id") or ""
            out.append((gap.gap_id, kind, term, detail))
    return out


def _enter(connection: Connection, found: Sequence[_Found], query: str, today: dt.date) -> int:
    """Three statements however many gaps: what is known, what is new, what is met again."""
    from sqlalchemy import bindparam, select

    from brain_assets.store.schema import gaps

    by_id = {key: (kind, term, detail) for key, kind, term, detail in found}
    columns = (gaps.c.id, gaps.c.state, gaps.c.queries, gaps.c.seen, gaps.c.last_seen)
    known = {row.id: row for row in connection.execute(select(*columns).where(gaps.c.id.in_(list(by_id))))}
    new, again = [], []
    for key, (kind, term, detail) in by_id.items():
        text = json.dumps(detail, ensure_ascii=False, default=str)
        row = known.get(key)
        if row is None:
            queries = json.dumps([query], ensure_ascii=False)
            new.append(
                {"id": key, "kind": kind, "term": term, "state": "open", "queries": queries, "seen": 1,
                 "first_seen": today, "last_seen": today, "note": "", "detail": text}
            )  # fmt: skip
            continue
        queries = json.dumps([*(q for q in json.loads(row.queries) if q != query), query][-MOST_QUERIES:],
                             ensure_ascii=False)  # fmt: skip
        again.append(
            {"key": key, "state": "open" if row.state == "answered" else row.state, "queries": queries,
             "seen": row.seen + 1, "last_seen": max(today, row.last_seen), "term": term, "detail": text}
        )  # fmt: skip
    if new:
        connection.execute(gaps.insert(), new)
    if again:
        connection.execute(gaps.update().where(gaps.c.id == bindparam("key")), again)
    return len(new)


def closes(gap: Recorded) -> str:
    """What would close a gap: document something, ask someone, or look it up."""
    detail = gap.detail
    if gap.kind == "missing":
        return str(detail.get("suggestion") or f"Document {gap.term}.")
    if gap.kind == "stale":
        return f"Review {detail.get('path') or detail.get('id')} and update its date."
    if gap.kind == "contradiction":
        return f"Ask the owners of {detail.get('a')} and {detail.get('b')} which of them holds, and correct the other."
    where = ", ".join((detail.get("where") or [])[:3])
    return f"Ask for {gap.term} by itself; it stands in {where}."


def listing(cat: Catalogue, *, state: str | None = "open", kind: str | None = None) -> list[Recorded]:
    """Gaps of a state (None: all), the most often seen first."""
    from sqlalchemy import select

    from brain_assets.store.schema import gaps

    query = select(gaps)
    if state is not None:
        query = query.where(gaps.c.state == state)
    if kind is not None:
        query = query.where(gaps.c.kind == kind)
    with cat.read() as connection:
        found = [_recorded(row) for row in connection.execute(query).mappings()]
    return sorted(found, key=lambda g: (-g.seen, g.kind, g.gap_id))


def show(cat: Catalogue, gap_id: str) -> Recorded:
    """One gap by its id or an unambiguous beginning of it. Raises NotFoundError."""
    matches = [g for g in listing(cat, state=None) if g.gap_id == gap_id or g.gap_id.startswith(gap_id)]
    exact = [g for g in matches if g.gap_id == gap_id]
    if len(exact or matches) != 1:
        reason = "names no gap" if not matches else f"begins the ids of {len(matches)} gaps"
        raise NotFoundError(f"“{gap_id}” {reason}.", "`brain gaps list` shows all ids.")
    return (exact or matches)[0]


def counts(cat: Catalogue) -> dict[str, int]:
    """Number of gaps per state."""
    found = listing(cat, state=None)
    return {state: sum(g.state == state for g in found) for state in STATES}


def set_state(cat: Catalogue, gap_id: str, state: str, note: str = "") -> Recorded:
    """Answer, dismiss or reopen a gap by hand, with a note that says why. Raises NotFoundError."""
    if state not in STATES:
        raise ConfigurationError(f"{state} is no state of a gap; known are {', '.join(STATES)}.")
    from brain_assets.store.schema import gaps

    gap = show(cat, gap_id)
    with cat.begin() as connection:
        connection.execute(gaps.update().where(gaps.c.id == gap.gap_id).values(state=state, note=note or gap.note))
    return dataclasses.replace(gap, state=state, note=note or gap.note)


def close_answered(settings: Settings, cat: Catalogue, searcher: Search | None = None) -> list[str]:
    """Close open gaps that the brain answers now; returns their ids. Call it after a sync; it does nothing while the
    entries are those of the last call.

    A stale source is looked at itself, two sources that disagreed are compared again. For the rest the query is thought
    through again without a model, so a gap closes because the brain answers it, not because a word turned up
    somewhere; at most 40 queries a call, those asked last first.
    """
    with cat.read() as connection:
        generation = catalogue.generation(connection)
        if catalogue.get_meta(connection, _CHECKED) == str(generation):
            return []
    still: dict[str, set[str]] = {}
    closed: list[str] = []
    for gap in sorted(listing(cat, state="open"), key=lambda g: (-g.last_seen.toordinal(), g.gap_id)):
        if gap.kind in ("stale", "contradiction"):
            if not _holds(settings, cat, gap):
                closed.append(gap.gap_id)
            continue
        new = [q for q in gap.queries if q not in still]
        if len(still) + len(new) > _MOST_RETHOUGHT:
            continue
        for query in new:
            still[query] = _raised_by(settings, query, searcher)
        if not any(gap.gap_id in still[q] for q in gap.queries):
            closed.append(gap.gap_id)
    _mark_answered(cat, closed, generation)
    return closed


def _raised_by(settings: Settings, query: str, searcher: Search | None) -> set[str]:
    from brain_assets.think import think

    answer = think(settings, query, no_llm=True, searcher=searcher, record=False)
    return {key for key, *_ in _gaps(answer)}


def _holds(settings: Settings, cat: Catalogue, gap: Recorded) -> bool:
    """Whether a stale source is still stale, or two sources still disagree as they did."""
    from brain_assets.graph import contradictions
    from brain_assets.store import entries

    ids = [str(gap.detail[key]) for key in (("id",) if gap.kind == "stale" else ("a", "b"))]
    with cat.read() as connection:
        found = {e.id: e for e in entries.load(connection, ids)}
    if len(found) < len(ids):
        return False
    if gap.kind == "stale":
        date = found[ids[0]].date
        superseded = gap.detail.get("severity") == "superseded"
        return date is not None and (superseded or (settings.today - date).days > settings.stale_days)
    quotes = {str(gap.detail.get("a_quote")), str(gap.detail.get("b_quote"))}
    texts = [f"{e.title}\n{e.body}" for e in found.values()]
    unchanged = all(any(q in t for t in texts) for q in quotes)
    values = sorted((str(gap.detail.get("a_value")), str(gap.detail.get("b_value"))))
    return unchanged or any(
        sorted((c.a_value, c.b_value)) == values for c in contradictions.between(found[ids[0]], found[ids[1]])
    )


def _mark_answered(cat: Catalogue, ids: Sequence[str], generation: int) -> None:
    from brain_assets.store.schema import gaps

    note = "closed by itself: the brain answers it now"
    with cat.begin() as connection:
        for key in ids:
            connection.execute(gaps.update().where(gaps.c.id == key).values(state="answered", note=note))
        catalogue.set_meta(connection, _CHECKED, str(generation))


def _recorded(row: Any) -> Recorded:
    return Recorded(
        row["id"], row["kind"], row["term"], row["state"], tuple(json.loads(row["queries"])), row["seen"],
        row["first_seen"], row["last_seen"], row["note"], json.loads(row["detail"]),
    )  # fmt: skip
