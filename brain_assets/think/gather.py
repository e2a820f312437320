"""The hits of one query with everything the rest of `think` needs of them, from one consistent generation."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from brain_assets.model.entry import ID_PREFIXES, Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.search import Filters, Hit, Mode, SearchResult
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries
from brain_assets.text.words import tokens
from brain_assets.think import choose
from brain_assets.think.aspects import Question
from brain_assets.think.aspects import parse as parse_question
from brain_assets.think.choose import Candidate
from brain_assets.think.forms import misspelt, same_but_inflected
from brain_assets.think.statements import Statement, keys, statements
from brain_assets.think.verify import all_keys

if TYPE_CHECKING:
    from sqlalchemy import Connection

_WIDTH = 3
_LEAST = 20
"""Hits looked at for `top` sources: three times as many, at least 20."""
_MOST_CLAUSES = 4
_LONGEST_NAME = 500
_PREVIEW = 400
_FOR_A_CLAUSE = 5
_WORTH_OF_CLAUSE = 0.8


class Search(Protocol):
    """What `think` asks of search (retrieval.search.Searcher)."""

    def search(
        self,
        query: str,
        *,
        top: int = 10,
        mode: Mode = "hybrid",
        filters: Filters = Filters(),
        explain: bool = False,
        all: bool = False,
    ) -> SearchResult: ...

    def has_term(self, term: str) -> list[str]: ...

    def passage_neighbours(self, texts: str, k: int = 10) -> list[tuple[str, str, float]]: ...

    def nearness(self, entry_id: str, ordinal: int, others: Sequence[str]) -> dict[str, float]: ...


@dataclass(frozen=True)
class Source:
    """One numbered source: the hit, its whole entry, and what the entry says. `worth` is how well it fits the question
    as a share of the best one."""

    n: int
    hit: Hit
    entry: Entry
    worth: float = 1.0

    @cached_property
    def statements(self) -> list[Statement]:
        return statements(self.entry)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Words of the entry, its title, headings, tags and aliases, as concepts and stems."""
        return all_keys(self.statements) | keys(" ".join((self.entry.title, *self.entry.tags, *self.entry.aliases)))


@dataclass(frozen=True)
class Gathered:
    """Sources of one query. `replaced` maps an entry id to what the graph says supersedes it; `known` are the
    contradictions between two sources that the catalogue already holds."""

    question: Question
    result: SearchResult
    sources: tuple[Source, ...]
    replaced: Mapping[str, str] = field(default_factory=dict)
    known: tuple[Contradiction, ...] = ()

    @property
    def statements(self) -> dict[int, list[Statement]]:
        return {s.n: s.statements for s in self.sources}


def gather(settings: Settings, searcher: Search, query: str, *, top: int, filters: Filters, language: str) -> Gathered:
    """Search and load the entries of the hits. `language` is `de`, `en` or `auto` (the query's own).

    Raises what the searcher or the catalogue raises (BrainError with its remedy). A hit whose entry was deleted since
    the index was built is left out.
    """
    width = max(_WIDTH * top, _LEAST)
    if (named := _named(settings, query) if filters == Filters() else None) is not None:
        # Who asks by an id or a path asks about that entry.
        written, query = query, named.title
        result = dataclasses.replace(searcher.search(query, top=width, filters=filters), query=written)
    else:
        result = searcher.search(query, top=width, filters=filters)
    spoken = result.language if language == "auto" else language
    question = parse_question(query, spoken)
    if not result.hits:
        return Gathered(question, result, ())
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        loaded = {entry.id: entry for entry in entries.load(connection, [hit.id for hit in result.hits])}
        slips = _slips(question, searcher, list(loaded.values()))
        if slips:
            result = _searched_again(searcher, query, slips, result, width, filters)
            question = parse_question(_corrected(query, slips), spoken)
            loaded |= {e.id: e for e in entries.load(connection, [h.id for h in result.hits if h.id not in loaded])}
        found = [(hit, loaded[hit.id]) for hit in result.hits if hit.id in loaded]
        near = _near(searcher, found)
        replaced = _replaced(connection, list(loaded))
        candidates = [Candidate(hit, entry, near.get(entry.id, 0.0)) for hit, entry in found]
        best = choose.best(question, candidates, top, replaced)
        best = _for_each_clause(question, searcher, connection, best, filters)
        if named is not None:
            best = _first(named, best, top)
        known = _known(connection, [c.entry.id for c in best])
    sources = tuple(Source(n, c.hit, c.entry, c.worth) for n, c in enumerate(best, 1))
    return Gathered(question, result, sources, replaced, known)


def _slips(question: Question, searcher: Search, found: Sequence[Entry]) -> dict[str, str]:
    """Words of the query that stand nowhere in the brain, each with the word of the hits it is a slip of."""
    words: dict[str, str] = {}
    out: dict[str, str] = {}
    for term in question.terms:
        proper = term.kind == "name" and not term.text.islower()
        if len(term.words) > 1 or proper or searcher.has_term(term.text):
            continue
        if not words:
            for entry in found:
                for token in tokens(f"{entry.title} {' '.join(entry.aliases)} {entry.body}"):
                    words.setdefault(token.lower(), token)
        meant = misspelt(term.text, words)
        # "backt" is no slip of "back": another ending is an inflection.
        if meant is not None and not meant.startswith(term.text.lower()) and not term.text.lower().startswith(meant):
            out[term.text] = words[meant].capitalize() if term.text[0].isupper() else words[meant]
    return out


def _corrected(query: str, slips: Mapping[str, str]) -> str:
    for written, meant in slips.items():
        query = re.sub(rf"(?<!\w){re.escape(written)}(?!\w)", lambda _, m=meant: m, query)  # type: ignore[misc]
    return query


def _searched_again(
    searcher: Search, query: str, slips: Mapping[str, str], first: SearchResult, width: int, filters: Filters
) -> SearchResult:
    again = searcher.search(_corrected(query, slips), top=width, filters=filters)
    said = "„{0}“ wurde als „{1}“ gelesen." if first.language == "de" else "“{0}” was read as “{1}”."
    notes = tuple(said.format(w, meant) for w, meant in slips.items() if not same_but_inflected(w, meant))
    return dataclasses.replace(again, query=first.query, language=first.language, notes=(*again.notes, *notes))


def _named(settings: Settings, query: str) -> Entry | None:
    """The entry whose id or path the whole query is."""
    name = query.strip()
    if len(name) > _LONGEST_NAME or not any(c in name for c in ":/.-"):
        return None
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        return next(entries.load(connection, [name, *(f"{kind}{name}" for kind in ID_PREFIXES)]), None)


def _first(entry: Entry, best: list[Candidate], top: int) -> list[Candidate]:
    others = [c for c in best if c.entry.id != entry.id]
    known = next((c for c in best if c.entry.id == entry.id), None)
    return [dataclasses.replace(known or _unfound(entry, others), worth=1.0), *others][:top]


def _unfound(entry: Entry, others: Sequence[Candidate]) -> Candidate:
    """An entry that search did not bring, as good as what it did."""
    passage = entry.passages[0].text if entry.passages else entry.body
    hit = Hit(
        1, entry.id, entry.kind, entry.title, entry.path, entry.date, entry.date_origin, entry.language, entry.type,
        entry.status, max((c.hit.score for c in others), default=1.0), passage[:_PREVIEW], passage,
    )  # fmt: skip
    return Candidate(hit, entry)


def _for_each_clause(
    question: Question, searcher: Search, connection: Connection, best: list[Candidate], filters: Filters
) -> list[Candidate]:
    """The sources, the last of them given up for a clause of a double question that none of them is about.

    "Which MTU does the tunnel have, and who is on call?": search ranks by all words together, and the longer half wins.
    """
    asking = [segment for segment in question.segments if any(t.kind != "other" for t in segment.terms)]
    if len(asking) < 2:
        return best
    brought: list[Candidate] = []
    for segment in asking[:_MOST_CLAUSES]:
        things = [t for t in segment.subject if t.kind != "other"]
        if not things or any(choose.is_about(things, c.entry) for c in (*best, *brought)):
            continue
        hits = searcher.search(segment.text, top=_FOR_A_CLAUSE, filters=filters).hits
        loaded = {e.id: e for e in entries.load(connection, [hit.id for hit in hits])}
        found = next((h for h in hits if h.id in loaded and choose.is_about(things, loaded[h.id])), None)
        if found is not None:
            brought.append(Candidate(found, loaded[found.id], worth=_WORTH_OF_CLAUSE))
    kept = best[: max(1, len(best) - len(brought))] if brought else best
    return kept + brought[: max(0, len(best) - len(kept))]


def _near(searcher: Search, found: Sequence[tuple[Hit, Entry]]) -> dict[str, float]:
    """id → how near each hit is in meaning to the best passages of the leading ones, 0…1."""
    near: dict[str, float] = {}
    for hit, entry in found[: choose.LEADING]:
        passage = next((p for p in entry.passages if p.text == hit.passage), None)
        if passage is None:
            continue
        others = [e.id for _, e in found if e.id != entry.id]
        for entry_id, cosine in searcher.nearness(entry.id, passage.ordinal, others).items():
            near[entry_id] = max(near.get(entry_id, 0.0), cosine)
    return near


def _replaced(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    from sqlalchemy import select

    from brain_assets.store.schema import edges
    from brain_assets.store.schema import entries as table

    rows = connection.execute(
        select(edges.c.target, edges.c.source, table.c.title)
        .join(table, table.c.id == edges.c.source)
        .where(edges.c.target.in_(ids), edges.c.relation == "supersedes", table.c.deleted_on.is_(None))
        .order_by(edges.c.target, edges.c.confidence.desc(), edges.c.source)
    )
    out: dict[str, str] = {}
    for row in rows:
        # An article that was approved to take an entry's place is not what a team has agreed on elsewhere.
        out.setdefault(row.target, row.title or row.source)
    return out


def _known(connection: Connection, ids: Sequence[str]) -> tuple[Contradiction, ...]:
    from sqlalchemy import select

    from brain_assets.store.schema import contradictions

    rows = connection.execute(
        select(contradictions.c.finding, contradictions.c.status)
        .where(contradictions.c.a.in_(ids), contradictions.c.b.in_(ids))
        .order_by(contradictions.c.id)
    )
    return tuple(
        Contradiction.model_validate_json(row.finding).model_copy(update={"status": row.status}) for row in rows
    )
