"""The asset `staged_articles`: plan, author, quality gate, at most two rewrites, then staging or a recorded refusal."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from brain_assets.llm.base import LanguageModel
from brain_assets.model.entry import Entry, KBRecord
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Article, ArticleType, Consolidation, Pool, QualityCheck, Statement
from brain_assets.settings import Settings
from brain_assets.store import entries, schema, stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import Item, Progress, StageReport, no_progress
from brain_assets.synthesis import author, linking, plan, quality, staging, tables, translation
from brain_assets.synthesis.author import Draft
from brain_assets.synthesis.consolidations import disabled, sources_of
from brain_assets.synthesis.pools import Refusal

STAGE = "staged_articles"
CODE_VERSION = "3"
REWRITES = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one pool: an article with its internal metadata, or a refusal."""

    refusal: Refusal | None = None
    record: KBRecord | None = None
    kind: ArticleType | None = None
    confidence: float = 0.0
    checks: tuple[QualityCheck, ...] = ()
    used: tuple[Statement, ...] = ()
    sources: tuple[Entry, ...] = ()
    attempts: list[dict[str, Any]] = field(default_factory=list)


def update(
    cat: Catalogue, settings: Settings, *, model: LanguageModel | None = None, progress: Progress = no_progress
) -> StageReport:
    """Stage the article of every pool whose fact base is complete, refuse the others with their reasons."""
    if not settings.article_synthesis_enabled:
        return disabled(STAGE)
    with cat.read() as connection:
        pools = {pool.id: pool for pool in tables.load_pools(connection)}
        bases = tables.latest_consolidations(connection)
        rejected = rejections(connection)
    ready = {i: p for i, p in pools.items() if i in bases}
    name = f"{model.provider}/{model.model}" if model else "deterministic"
    items = [Item(i, _digest(p, bases[i], settings, rejected)) for i, p in ready.items()]
    digests = {item.id: item.digest for item in items}

    def compute(batch: list[Item]) -> dict[str, Outcome]:
        with cat.read() as connection:
            return {i.id: one(connection, ready[i.id], bases[i.id], settings, model, rejected) for i in batch}

    def commit(connection: Connection, results: dict[str, Outcome]) -> None:
        for pool_id, outcome in results.items():
            _keep(connection, ready[pool_id], bases[pool_id], outcome, settings, digests[pool_id], model)

    stage = stages.Stage(STAGE, CODE_VERSION, name, batch_size=1)
    report = stages.run(cat, stage, items, compute, commit, progress=progress)
    report.details |= _settle(cat, settings, ready)
    return report


def source_digest(pool: Pool) -> str:
    """Digest of the pool's sources and their texts: what a rejection holds for."""
    return stages.digest_of(sorted(pool.source_digests.items()))


def rejections(connection: Connection) -> dict[str, str]:
    """Source digest → reason of every rejection."""
    rows = connection.execute(
        select(schema.reviews).where(schema.reviews.c.action == "rejected").order_by(schema.reviews.c.id)
    )
    return {row.source_digest: f"{row.why or 'no reason given'} ({row.who}, {row.on})" for row in rows}


def _digest(pool: Pool, base: Consolidation, settings: Settings, rejected: dict[str, str]) -> str:
    limits = {k: v for k, v in settings.model_dump(mode="json").items() if k.startswith("article_m")}
    return stages.digest_of(
        pool.model_dump(mode="json"), base.model_dump(mode="json"), limits, rejected.get(source_digest(pool), "")
    )


def one(
    connection: Connection,
    pool: Pool,
    base: Consolidation,
    settings: Settings,
    model: LanguageModel | None,
    rejected: dict[str, str],
) -> Outcome:
    """The outcome of one pool. Nothing is written."""
    sources = sources_of(connection, pool)
    if reason := _stale(pool, sources):
        return _refused(pool, reason)
    if (why := rejected.get(source_digest(pool))) is not None:
        return _refused(pool, f"rejected: {why}")
    if pool.target and entries.get(connection, pool.target) is None:
        return _refused(pool, f"target_gone: {pool.target} is no longer there")
    kind = plan.decide(base, sources, pool)
    similar = translation.similarity() if model else None
    case = quality.Case(pool, base, kind, tuple(sources), tuple(_others(connection, pool)), similar)
    attempts: list[dict[str, Any]] = []
    for number in range(1 + REWRITES):
        draft = _draft(case, model, attempts, settings)
        checks = quality.measure(draft, case, settings)
        missed = quality.failures(checks)
        attempts.append({"attempt": number + 1, "author": draft.author, "failed": missed})
        if not missed:
            record = _record(pool, draft, settings)
            value = next(float(c.value) for c in checks if c.name == "confidence")
            return Outcome(None, record, kind, value, checks, draft.used, tuple(sources), attempts)
        if model is None:
            break
    return Outcome(Refusal(pool.id, pool.sources, pool.decision, "; ".join(missed), pool.target, pool.title,
                           {c.name: c.value for c in checks if not c.passed}), attempts=attempts)  # fmt: skip


def _draft(
    case: quality.Case, model: LanguageModel | None, attempts: Sequence[dict[str, Any]], settings: Settings
) -> Draft:
    if model is None:
        return author.write(case.pool, case.base, case.kind, case.sources, settings)
    from brain_assets.synthesis import model_author

    return model_author.write(model, case, [a["failed"] for a in attempts])


def _others(connection: Connection, pool: Pool) -> list[Entry]:
    """KB entries next to the pool's sources, its target and other staged articles: what the article must not repeat."""
    edges = schema.edges
    near = {pool.target} if pool.target else set()
    for mine, theirs in ((edges.c.source, edges.c.target), (edges.c.target, edges.c.source)):
        query = select(theirs).where(mine.in_(pool.sources), edges.c.origin == "relations")
        near |= {i for i in connection.execute(query).scalars() if i.startswith("kb:")}
    own = {linking.entry_id(a.id) for a in tables.load_articles(connection) if a.pool_id == pool.id}
    staged = set(entries.live_ids(connection, ("article",))) - own
    return list(entries.load(connection, ids=sorted((near | staged) - set(pool.sources))))


def _stale(pool: Pool, sources: Sequence[Entry]) -> str | None:
    gone = sorted(set(pool.sources) - {e.id for e in sources})
    if gone:
        return f"source_gone: {', '.join(gone)}; the pool is made anew in the next run"
    changed = [e.id for e in sources if pool.source_digests.get(e.id) != e.text_digest]
    if changed:
        return f"source_changed: {', '.join(changed)} since it was consolidated; run again"
    return None


def _refused(pool: Pool, reason: str) -> Outcome:
    return Outcome(Refusal(pool.id, pool.sources, pool.decision, reason, pool.target, pool.title))


def _record(pool: Pool, draft: Draft, settings: Settings) -> KBRecord:
    """The KB record; its id is set when it is known whether the article was staged before."""
    return KBRecord(
        id="",
        title=draft.title,
        text=draft.text,
        answer=draft.answer,
        auto_reply=False,
        min_score=0.82,
        categories=draft.categories,
        keywords=draft.keywords,
        source=f"Neural Brain / {draft.author} (Knowledge Synthesis)",
        language=staging.locale(pool.language),
        communication_style=pool.style,
    )


def _keep(
    connection: Connection, pool: Pool, base: Consolidation, outcome: Outcome, settings: Settings, digest: str,
    model: LanguageModel | None,
) -> None:  # fmt: skip
    if outcome.record is None or outcome.kind is None:
        if outcome.refusal is not None:
            tables.refuse(connection, outcome.refusal, digest)
        _withdraw(connection, pool, settings)
        return
    tables.drop_refusals(connection, [pool.id])
    before = _earlier(connection, pool)
    first = tables.staged_on(connection, before.id) if before else None
    first = first or settings.today
    article_id = before.id if before else staging.article_id(pool.sources, first)
    record = outcome.record.model_copy(update={"id": article_id, "source_uri": f"brain://article/{article_id}"})
    if before is not None and before.record == record and before.state == "staged":
        version = before.version
    else:
        version = before.version + 1 if before else 1
    article = Article(
        id=article_id, version=version, pool_id=pool.id, record=record, type=outcome.kind, decision=pool.decision,
        target=pool.target, confidence=outcome.confidence, sources=pool.sources, quality=outcome.checks,
    )  # fmt: skip
    disputes = [c for c in tables.contradictions(connection) if c.id in base.contradictions]
    meta = metadata(article, pool, base, outcome, before, disputes)
    staging.stage(settings, record, meta)
    tables.save_article(connection, article, meta, source_digest(pool), first, settings.today)
    linking.link(connection, article, linking.to_entry(article, pool.depth, settings), outcome.used)


def _earlier(connection: Connection, pool: Pool) -> Article | None:
    key = staging.article_id(pool.sources, dt.date.min).rsplit("-", 1)[-1]
    return next((a for a in tables.load_articles(connection) if a.id.endswith(f"-{key}")), None)


def _withdraw(connection: Connection, pool: Pool, settings: Settings) -> None:
    """A pool that no longer leads to an article: what it had staged is taken back."""
    before = _earlier(connection, pool)
    if before is not None and before.state == "staged":
        tables.set_state(connection, before, "superseded")
        linking.unlink(connection, before.id, settings)
        staging.unstage(settings, before.id)


def metadata(
    article: Article, pool: Pool, base: Consolidation, outcome: Outcome, before: Article | None,
    disputes: Sequence[Contradiction] = (),
) -> dict[str, Any]:  # fmt: skip
    """Everything internal about an article, as `article-metadata/ID.json` holds it."""
    facts = [
        {"text": s.whole, "source": ref, "quote": quote, "role": s.role}
        for s in base.statements
        for ref, quote in zip(s.source_refs, s.quotes, strict=True)
    ]
    return {
        "id": article.id,
        "version": article.version,
        "pool_id": pool.id,
        "type": article.type,
        "decision": article.decision,
        "decision_reason": pool.reason,
        "target": article.target,
        "confidence": article.confidence,
        "sources": list(article.sources),
        "source_digests": pool.source_digests,
        "production_share": pool.production_share,
        "generation_depth": pool.depth,
        "topic": pool.topic,
        "quality": [c.model_dump(mode="json") for c in article.quality],
        "facts": facts,
        "contradictions": [
            {**c.model_dump(mode="json"), "severity": "critical" if c.id in base.critical_contradictions else "noted"}
            for c in disputes
        ],
        "critical_gaps": [g.model_dump(mode="json") for g in base.critical_gaps],
        "optional_gaps": [g.model_dump(mode="json") for g in base.optional_gaps],
        "resolved_gaps": [
            {"id": r.gap.id, "question": r.gap.question, "evidence": [e.model_dump(mode="json") for e in r.evidence]}
            for r in base.resolved_gaps
        ],
        "research_queries": list(base.research_queries),
        "consolidation_version": base.version,
        "dropped_statements": base.dropped_statements,
        "left_out": base.left_out,
        "consolidated_by": base.author,
        "written_by": article.record.source,
        "prompt_versions": prompt_versions(base.author, outcome.attempts),
        "attempts": outcome.attempts,
        "diff": staging.difference(
            before.record, article.record, (f"version {before.version}", f"version {article.version}")
        )
        if before and before.version != article.version
        else "",
    }


def prompt_versions(consolidated_by: str, attempts: Sequence[dict[str, Any]]) -> list[str]:
    """The prompts that took part; none on the deterministic path."""
    from brain_assets.synthesis import model_author, model_consolidate

    out = [model_consolidate.PROMPT_VERSION] if consolidated_by != "deterministic" else []
    return out + ([model_author.PROMPT_VERSION] if any(a["author"] != "deterministic" for a in attempts) else [])


def _sweep(settings: Settings, known: Sequence[Article]) -> None:
    """Remove what a killed run staged under another day: the same sources have one id, that of first staging."""
    by_key = {a.id.rsplit("-", 1)[-1]: a.id for a in known}
    for path in sorted(settings.staging_dir.glob("KB-AI-THINK-ARTICLE-*.json")):
        kept = by_key.get(path.stem.rsplit("-", 1)[-1])
        if kept is not None and kept != path.stem:
            path.unlink()


def _settle(cat: Catalogue, settings: Settings, ready: dict[str, Pool]) -> dict[str, Any]:
    """Take back articles whose pool is gone, restore staging files that vanished, and count."""
    restored = 0
    with cat.begin() as connection:
        for article in tables.load_articles(connection):
            if article.state != "staged":
                staging.unstage(settings, article.id)  # a decision whose run was killed, or could not do it
                continue
            if article.pool_id not in ready:
                tables.set_state(connection, article, "superseded")
                linking.unlink(connection, article.id, settings)
                staging.unstage(settings, article.id)
                continue
            there = staging.file_of(settings, article.id).is_file()
            if not (there and staging.metadata_file(settings, article.id).is_file()):
                meta = tables.load_versions(connection, article.id)[-1][3]
                # A staging file that is there may have been edited by hand: then only its metadata is written again.
                write = staging.stage_metadata if there else staging.stage
                restored += write(settings, article.record, meta)
        _sweep(settings, tables.load_articles(connection))
        stale = [r.pool_id for r in tables.load_refusals(connection) if r.decision != "skip" and r.pool_id not in ready]
        tables.drop_refusals(connection, stale)
        states = Counter(a.state for a in tables.load_articles(connection))
        reasons = Counter(r.reason.split(":")[0] for r in tables.load_refusals(connection))
    return {"states": dict(sorted(states.items())), "refused": dict(sorted(reasons.items())), "restored": restored}
