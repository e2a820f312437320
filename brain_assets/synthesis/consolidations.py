"""The asset `consolidations`: pools from the graph, then version 1 of each pool's fact base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import Connection, select

from brain_assets.llm.base import LanguageModel
from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Consolidation, Pool
from brain_assets.settings import Settings
from brain_assets.store import entries, manifest, schema, stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import Item, Progress, StageReport, no_progress
from brain_assets.synthesis import consolidate, landscape, pools, tables

STAGE = "consolidations"
CODE_VERSION = "4"
POOLS_VERSION = "4"


def disabled(name: str) -> StageReport:
    """What a synthesis stage reports while it is switched off."""
    return StageReport(name, details={"disabled": "BRAIN_ARTICLE_SYNTHESIS_ENABLED=false"})


def update(
    cat: Catalogue, settings: Settings, *, model: LanguageModel | None = None, progress: Progress = no_progress
) -> StageReport:
    """Renew the pools when the graph changed, and the fact base of every pool whose sources changed."""
    if not settings.article_synthesis_enabled:
        return disabled(STAGE)
    remade = _renew_pools(cat, settings)
    with cat.read() as connection:
        wanted = {pool.id: pool for pool in tables.load_pools(connection)}
        found = tables.contradictions(connection)
        beside = neighbours(connection, wanted.values())
        texts = entries.digests(connection, ("note", "kb"))
        have = set(connection.execute(select(schema.consolidations.c.pool_id).distinct()).scalars())
    if gone := sorted(have - wanted.keys()):
        with cat.begin() as connection:
            tables.drop_consolidations(connection, gone)
    touching = {pool.id: _touching(pool, found) for pool in wanted.values()}
    items = [
        Item(
            pool.id,
            stages.digest_of(
                pool.model_dump(mode="json"),
                [c.model_dump(mode="json") for c in touching[pool.id]],
                [(n, texts.get(n, "")) for n in beside[pool.id]],
            ),
        )
        for pool in wanted.values()
    ]
    digests = {item.id: item.digest for item in items}

    def compute(batch: list[Item]) -> dict[str, Consolidation]:
        with cat.read() as connection:
            return {
                item.id: _one(connection, wanted[item.id], touching[item.id], beside[item.id], model) for item in batch
            }

    def commit(connection: Connection, results: dict[str, Consolidation]) -> None:
        for pool_id, base in results.items():
            tables.save_consolidation(connection, base, digests[pool_id])

    stage = stages.Stage(
        STAGE, CODE_VERSION, f"{model.provider}/{model.model}" if model else "deterministic", batch_size=4
    )
    report = stages.run(cat, stage, items, compute, commit, progress=progress)
    report.details |= _counts(cat, remade)
    return report


def _one(
    connection: Connection, pool: Pool, found: list[Contradiction], near: list[str], model: LanguageModel | None
) -> Consolidation:
    sources = sources_of(connection, pool)
    base = consolidate.consolidate(pool, sources, found, neighbours=list(entries.load(connection, ids=near)))
    if model is not None:
        from brain_assets.synthesis import model_consolidate

        base = model_consolidate.refine(model, pool, sources, base)
    return base


def sources_of(connection: Connection, pool: Pool) -> list[Entry]:
    """The pool's sources with their full contents, in the pool's order; those that vanished are left out."""
    found = {entry.id: entry for entry in entries.load(connection, ids=pool.sources)}
    return [found[i] for i in pool.sources if i in found]


def neighbours(connection: Connection, wanted: Iterable[Pool]) -> dict[str, list[str]]:
    """Pool id → entries the judge related to a source of it, ordered: what the brain knows beside the pool."""
    edges = schema.edges
    beside: dict[str, set[str]] = {}
    query = select(edges.c.source, edges.c.target).where(edges.c.origin == "relations")
    for row in connection.execute(query):
        beside.setdefault(row.source, set()).add(row.target)
        beside.setdefault(row.target, set()).add(row.source)
    return {
        pool.id: sorted({n for s in pool.sources for n in beside.get(s, ())} - set(pool.sources)) for pool in wanted
    }


def _touching(pool: Pool, found: list[Contradiction]) -> list[Contradiction]:
    return [c for c in found if c.a in pool.sources or c.b in pool.sources]


def _renew_pools(cat: Catalogue, settings: Settings) -> bool:
    """Make the pools anew unless nothing they are made from has changed."""
    with cat.read() as connection:
        digest = _input_digest(connection, settings)
        if stages.global_digest(connection, "pools") == digest:
            return False
        view = landscape.load(connection)
    proposed, refused = pools.propose(view, settings)
    with cat.begin() as connection:
        tables.save_pools(connection, proposed, refused, digest)
        stages.set_global_digest(connection, "pools", digest)
    return True


def _input_digest(connection: Connection, settings: Settings) -> str:
    sets = connection.execute(select(schema.vector_sets.c.id).where(schema.vector_sets.c.complete)).scalars()
    return stages.digest_of(
        POOLS_VERSION,
        entries.document_digests(connection, ("note", "kb")),
        entries.digests(connection, ("note", "kb")),
        manifest.digest(connection, "relation_edges"),
        manifest.digest(connection, "topic_clusters"),
        [(c.id, c.status, c.confidence) for c in tables.contradictions(connection)],
        sorted(sets),
        settings.article_min_sources,
        settings.article_max_sources,
        settings.article_min_production_ratio,
        settings.article_max_generation_depth,
    )


def _counts(cat: Catalogue, remade: bool) -> dict[str, object]:
    with cat.read() as connection:
        decisions = Counter(pool.decision for pool in tables.load_pools(connection))
        reasons = Counter(
            r.reason.split(":")[0] for r in tables.load_refusals(connection) if r.decision == tables.SKIPPED
        )
    return {
        "pools_renewed": remade,
        "decisions": dict(sorted(decisions.items())),
        "refused": dict(sorted(reasons.items())),
    }
