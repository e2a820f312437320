"""How far pools get: pools → consolidated → researched → drafted → staged → approved, in counts."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Connection, func, select

from brain_assets.store import schema
from brain_assets.synthesis import tables


def counts(connection: Connection) -> dict[str, int]:
    """Number of pools that reached each step.

    `pools` counts the refused ones too; `researched` those for which the web was searched; `drafted` those for which
    an article was written, staged or refused by the quality gate.
    """
    pools = tables.load_pools(connection)
    refusals = tables.load_refusals(connection)
    ids = {p.id for p in pools}
    rounds = schema.research_rounds
    searched = select(func.count(func.distinct(rounds.c.pool_id))).where(rounds.c.outcome == "searched")
    states = Counter(connection.execute(select(schema.articles.c.state)).scalars())
    by_gate = sum(bool(r.checks) and r.pool_id in ids for r in refusals)
    return {
        "pools": len(pools) + sum(r.decision == tables.SKIPPED for r in refusals),
        "consolidated": len(tables.latest_consolidations(connection)),
        "researched": int(connection.execute(searched).scalar_one()),
        "drafted": states["staged"] + states["approved"] + states["rejected"] + by_gate,
        "staged": states["staged"],
        "approved": states["approved"],
    }


def refused(connection: Connection) -> dict[str, int]:
    """Refused pools by the first word of their reason, the commonest first."""
    reasons = Counter(r.reason.split(":")[0] for r in tables.load_refusals(connection))
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
