"""Reading and writing the tables of the synthesis rooms: pools, consolidations, refusals, articles and their versions."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Article, ArticleState, Consolidation, Pool, ResearchRound
from brain_assets.store import schema
from brain_assets.store.entries import chunks
from brain_assets.synthesis.pools import Refusal

SKIPPED = "skip"


def load_pools(connection: Connection) -> list[Pool]:
    """All pools, ordered by id."""
    rows = connection.execute(select(schema.pools.c.pool).order_by(schema.pools.c.id))
    return [Pool.model_validate_json(row.pool) for row in rows]


def save_pools(connection: Connection, pools: Iterable[Pool], refused: Iterable[Refusal], digest: str) -> None:
    """Replace every pool and every refusal that the making of pools decided."""
    connection.execute(delete(schema.pools))
    connection.execute(delete(schema.refusals).where(schema.refusals.c.decision == SKIPPED))
    for pool in pools:
        connection.execute(
            insert(schema.pools).values(
                id=pool.id, decision=pool.decision, target=pool.target, reason=pool.reason, pool=pool.model_dump_json()
            )
        )
    for refusal in refused:
        refuse(connection, refusal, digest)


def refuse(connection: Connection, refusal: Refusal, digest: str) -> None:
    """Record why a pool leads to no article; one row a pool."""
    connection.execute(delete(schema.refusals).where(schema.refusals.c.pool_id == refusal.pool_id))
    details = {
        "sources": list(refusal.sources),
        "target": refusal.target,
        "title": refusal.title,
        "checks": refusal.checks,
    }
    connection.execute(
        insert(schema.refusals).values(
            pool_id=refusal.pool_id,
            input_digest=digest,
            decision=refusal.decision,
            reason=refusal.reason,
            details=json.dumps(details, ensure_ascii=False, sort_keys=True),
        )
    )


def drop_refusals(connection: Connection, pool_ids: Sequence[str]) -> None:
    for part in chunks(pool_ids):
        connection.execute(delete(schema.refusals).where(schema.refusals.c.pool_id.in_(part)))


def load_refusals(connection: Connection) -> list[Refusal]:
    """All refusals, ordered by pool."""
    out = []
    for row in connection.execute(select(schema.refusals).order_by(schema.refusals.c.pool_id)):
        details = json.loads(row.details)
        out.append(
            Refusal(
                row.pool_id, tuple(details["sources"]), row.decision, row.reason, target=details.get("target"),
                title=details.get("title", ""), checks=details.get("checks", {}),
            )
        )  # fmt: skip
    return out


def latest_consolidations(connection: Connection, pool_ids: Sequence[str] | None = None) -> dict[str, Consolidation]:
    """The newest version of each pool's fact base."""
    table = schema.consolidations
    newest = select(table.c.pool_id, func.max(table.c.version).label("version")).group_by(table.c.pool_id).subquery()
    query = select(table.c.consolidation).join(
        newest, (newest.c.pool_id == table.c.pool_id) & (newest.c.version == table.c.version)
    ).order_by(table.c.pool_id)  # fmt: skip
    found = [Consolidation.model_validate_json(row.consolidation) for row in connection.execute(query)]
    return {c.pool_id: c for c in found if pool_ids is None or c.pool_id in set(pool_ids)}


def first_consolidations(connection: Connection) -> dict[str, Consolidation]:
    """Version 1 of each pool's fact base, before any research."""
    table = schema.consolidations
    rows = connection.execute(select(table.c.consolidation).where(table.c.version == 1).order_by(table.c.pool_id))
    found = [Consolidation.model_validate_json(row.consolidation) for row in rows]
    return {c.pool_id: c for c in found}


def save_consolidation(connection: Connection, base: Consolidation, digest: str) -> None:
    """Write a version; version 1 starts the pool's history anew."""
    table = schema.consolidations
    where = [table.c.pool_id == base.pool_id]
    if base.version > 1:
        where.append(table.c.version >= base.version)
    connection.execute(delete(table).where(*where))
    connection.execute(
        insert(table).values(
            pool_id=base.pool_id, version=base.version, input_digest=digest, consolidation=base.model_dump_json()
        )
    )


def drop_consolidations(connection: Connection, pool_ids: Sequence[str]) -> None:
    for part in chunks(pool_ids):
        connection.execute(delete(schema.consolidations).where(schema.consolidations.c.pool_id.in_(part)))


def load_rounds(connection: Connection, pool_id: str) -> list[ResearchRound]:
    table = schema.research_rounds
    rows = connection.execute(select(table.c.record).where(table.c.pool_id == pool_id).order_by(table.c.round))
    return [ResearchRound.model_validate_json(row.record) for row in rows]


def contradictions(connection: Connection) -> list[Contradiction]:
    """Every contradiction with its present status, ordered by id."""
    rows = connection.execute(select(schema.contradictions).order_by(schema.contradictions.c.id))
    return [Contradiction(**{**json.loads(row.finding), "status": row.status}) for row in rows]


def load_article(connection: Connection, article_id: str) -> Article | None:
    row = connection.execute(select(schema.articles.c.article).where(schema.articles.c.id == article_id)).first()
    return Article.model_validate_json(row.article) if row else None


def load_articles(connection: Connection) -> list[Article]:
    """The latest version of every article, ordered by id."""
    rows = connection.execute(select(schema.articles.c.article).order_by(schema.articles.c.id))
    return [Article.model_validate_json(row.article) for row in rows]


def staged_on(connection: Connection, article_id: str) -> dt.date | None:
    """The day an article was first staged."""
    return connection.execute(select(schema.articles.c.staged_on).where(schema.articles.c.id == article_id)).scalar()


def save_article(
    connection: Connection, article: Article, meta: dict[str, Any], digest: str, first: dt.date, today: dt.date
) -> None:
    """Write an article and its version; a version written before is kept."""
    connection.execute(delete(schema.articles).where(schema.articles.c.id == article.id))
    text = article.model_dump_json()
    connection.execute(
        insert(schema.articles).values(
            id=article.id, version=article.version, pool_id=article.pool_id, state=article.state, staged_on=first,
            input_digest=digest, article=text,
        )
    )  # fmt: skip
    versions = schema.article_versions
    connection.execute(
        delete(versions).where(versions.c.article_id == article.id, versions.c.version == article.version)
    )
    connection.execute(
        insert(versions).values(
            article_id=article.id, version=article.version, written_on=today, article=text,
            meta=json.dumps(meta, ensure_ascii=False),
        )
    )  # fmt: skip


def set_state(connection: Connection, article: Article, state: ArticleState) -> Article:
    """Change an article's state, in the row and in the JSON it holds."""
    changed = article.model_copy(update={"state": state})
    connection.execute(
        update(schema.articles)
        .where(schema.articles.c.id == article.id)
        .values(state=state, article=changed.model_dump_json())
    )
    return changed


def load_versions(connection: Connection, article_id: str) -> list[tuple[int, dt.date, Article, dict[str, Any]]]:
    """(version, day, article, metadata) of every version, oldest first."""
    versions = schema.article_versions
    rows = connection.execute(select(versions).where(versions.c.article_id == article_id).order_by(versions.c.version))
    return [(r.version, r.written_on, Article.model_validate_json(r.article), json.loads(r.meta)) for r in rows]
