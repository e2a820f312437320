"""What a brain holds, read for the front doors in the JSON shapes of the commands: edges, contradictions, topics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, or_, select

from brain_assets.errors import ConfigurationError, NotFoundError
from brain_assets.model.entry import ID_PREFIXES, Entry
from brain_assets.operation.evaluation import Known
from brain_assets.store import entries as store_entries
from brain_assets.store import schema as s

_live = s.entries.c.deleted_on.is_(None)
_EDGE = ("source", "target", "relation", "confidence", "judge", "source_quote", "target_quote", "reason")


def paths(connection: Connection, ids: Iterable[str]) -> dict[str, str | None]:
    """Entry id → path (None where it has none), tombstones included."""
    wanted = sorted(set(ids))
    found: dict[str, str | None] = {}
    for part in store_entries.chunks(wanted):
        query = select(s.entries.c.id, s.entries.c.path).where(s.entries.c.id.in_(part))
        found |= {row.id: row.path for row in connection.execute(query)}
    return found


def dates(connection: Connection, ids: Iterable[str]) -> dict[str, str]:
    """Entry id → date (YYYY-MM-DD) of those that have one."""
    query = select(s.entries.c.id, s.entries.c.date).where(s.entries.c.id.in_(sorted(set(ids))))
    return {row.id: row.date.isoformat() for row in connection.execute(query) if row.date}


def was_built(connection: Connection, stage: str, entry_id: str | None = None) -> bool:
    """Whether a stage has run, and has dealt with this entry if one is given."""
    query = select(s.stage_runs.c.stage).where(s.stage_runs.c.stage == stage)
    if entry_id is not None:
        query = select(s.ledger.c.item_id).where(s.ledger.c.stage == stage, s.ledger.c.item_id == entry_id)
    return connection.execute(query.limit(1)).first() is not None


def resolve(connection: Connection, name: str) -> Entry:
    """The live entry that a person means by an id, a path or a bare KB or article id. Raises NotFoundError."""
    candidates = [name] if name.startswith(ID_PREFIXES) else [prefix + name for prefix in ID_PREFIXES]
    for candidate in candidates:
        if (entry := store_entries.get(connection, candidate)) is not None:
            return entry
    by_path = connection.execute(select(s.entries.c.id).where(_live, s.entries.c.path == name)).scalars().first()
    if by_path is not None and (entry := store_entries.get(connection, by_path)) is not None:
        return entry
    raise NotFoundError(
        f"There is no entry {name!r} in this brain.", "Find ids with `brain search`; run `brain sync` if it is new."
    )


def edges(
    connection: Connection, *, entry_id: str | None = None, relations: Sequence[str] = (), minimum: float = 0.0
) -> list[dict[str, Any]]:
    """Edges as `brain relations --json` prints them, ordered by their ends; of one entry if `entry_id` is given."""
    query = select(s.edges).where(s.edges.c.confidence >= minimum)
    if entry_id is not None:
        query = query.where(or_(s.edges.c.source == entry_id, s.edges.c.target == entry_id))
    if relations:
        query = query.where(s.edges.c.relation.in_(list(relations)))
    rows = sorted(connection.execute(query), key=lambda row: (row.source, row.target, row.relation, row.origin))
    where = paths(connection, (end for row in rows for end in (row.source, row.target)))
    return [
        {name: getattr(row, name) for name in _EDGE}
        | {"source_path": where.get(row.source), "target_path": where.get(row.target), "origin": row.origin}
        for row in rows
    ]


def contradictions(connection: Connection, statuses: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Contradictions as `brain contradictions --json` lists them, surest first; of these statuses if any is given."""
    query = select(s.contradictions)
    if statuses:
        query = query.where(s.contradictions.c.status.in_(list(statuses)))
    rows = sorted(connection.execute(query), key=lambda row: (-row.confidence, row.id))
    where = paths(connection, (end for row in rows for end in (row.a, row.b)))
    out = []
    for row in rows:
        finding = json.loads(row.finding)
        out.append(
            {
                "id": row.id, "a": row.a, "b": row.b, "subject": row.subject, "kind": row.kind,
                "a_quote": finding.get("a_quote", ""), "b_quote": finding.get("b_quote", ""),
                "a_value": finding.get("a_value", ""), "b_value": finding.get("b_value", ""),
                "confidence": row.confidence, "status": row.status, "newer": finding.get("newer"),
                "keep": row.keep, "note": row.note, "a_path": where.get(row.a), "b_path": where.get(row.b),
                "closed_on": finding.get("closed_on"), "closed_because": finding.get("closed_because", ""),
            }
        )  # fmt: skip
    return out


def topics(connection: Connection) -> dict[str, Any]:
    """Topics with their members, largest first, and the outliers, as `brain topics --json` prints them."""
    members: dict[str, list[str]] = {}
    for row in connection.execute(select(s.topic_members.c.entry_id, s.topic_members.c.topic_id)):
        members.setdefault(row.topic_id, []).append(row.entry_id)
    where = paths(connection, (i for ids in members.values() for i in ids))
    listed = []
    for row in connection.execute(select(s.topics)):
        ids = sorted(members.get(row.id, []))
        listed.append(
            {
                "id": row.id, "label": row.label, "terms": json.loads(row.terms), "members": ids,
                "paths": [where.get(i) for i in ids], "parent": row.parent,
            }
        )  # fmt: skip
    listed.sort(key=lambda topic: (-len(topic["members"]), topic["id"]))
    return {"topics": listed, "outliers": sorted(members.get("outliers", []))}


def only(name: str, ids: Iterable[str], what: str) -> str:
    """The one id that `name` is, or is the beginning of. Raises NotFoundError (none), ConfigurationError (several)."""
    fitting = sorted(i for i in set(ids) if name and i.startswith(name))
    if name in fitting:
        return name
    if not fitting:
        lists = {"pool": "brain research show"}.get(what, f"brain {what}s")
        raise NotFoundError(f"There is no {what} {name!r} in this brain.", f"List them with: {lists}")
    if len(fitting) > 1:
        raise ConfigurationError(f"{name!r} is the beginning of {len(fitting)} {what}s.", "Give more of the id.")
    return fitting[0]


def research_rounds(connection: Connection, pool: str | None = None) -> list[dict[str, Any]]:
    """Research rounds in their order, of one pool (an id or its beginning) if given; records as model.ResearchRound."""
    query = select(s.research_rounds).order_by(s.research_rounds.c.pool_id, s.research_rounds.c.round)
    rows = list(connection.execute(query))
    if pool is not None:
        wanted = only(pool, {row.pool_id for row in rows}, "pool")
        rows = [row for row in rows if row.pool_id == wanted]
    return [json.loads(row.record) for row in rows]


def known(connection: Connection) -> list[Known]:
    """The live notes and KB entries as items to be found by their title, ordered by id."""
    query = select(s.entries.c.id, s.entries.c.title, s.entries.c.language)
    rows = connection.execute(query.where(_live, s.entries.c.kind.in_(("note", "kb"))).order_by(s.entries.c.id))
    return [Known(row.id, row.title, row.language) for row in rows]
