"""The contradictions table: findings come and close with the texts, what a person decided stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, insert, or_, select, update

from brain_assets.model.graph import Contradiction
from brain_assets.store.entries import chunks
from brain_assets.store.schema import contradictions as table
from brain_assets.store.schema import entries

_STANDING = ("open", "confirmed")


def sync(connection: Connection, current: Mapping[tuple[str, str], Sequence[Contradiction]]) -> None:
    """Make the findings of each pair (ids in ascending order) equal to those given.

    A new one is open; one that is found again keeps the status a person gave it, and opens again if it had closed;
    one that is no longer found closes, unless a person had resolved or dismissed it.
    """
    known = _of_pairs(connection, set(current))
    for pair in sorted(current):
        rows = known.get(pair, {})
        for finding in current[pair]:
            row = rows.pop(finding.id, None)
            status = "open" if row is None or row.status == "closed" else row.status
            values = {
                "a": finding.a, "b": finding.b, "subject": finding.subject, "kind": finding.kind,
                "confidence": finding.confidence, "status": status, "finding": finding.model_dump_json(),
            }  # fmt: skip
            if row is None:
                connection.execute(insert(table).values(id=finding.id, keep=None, note="", **values))
            else:
                connection.execute(update(table).where(table.c.id == finding.id).values(**values))
        for name, row in sorted(rows.items()):
            if row.status in _STANDING:
                connection.execute(update(table).where(table.c.id == name).values(status="closed"))


def _of_pairs(connection: Connection, pairs: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Pair → finding id → row, of all findings about the pairs."""
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for part in chunks(sorted({a for a, _ in pairs} | {b for _, b in pairs})):
        for row in connection.execute(select(table).where(or_(table.c.a.in_(part), table.c.b.in_(part)))):
            pair = (min(row.a, row.b), max(row.a, row.b))
            if pair in pairs:
                out.setdefault(pair, {})[row.id] = row
    return out


def close_dead(connection: Connection) -> None:
    """Close the findings of entries that are gone."""
    standing = table.c.status.in_(_STANDING)
    connection.execute(update(table).where(standing, or_(dead(table.c.a), dead(table.c.b))).values(status="closed"))


def dead(column: ColumnElement[str]) -> ColumnElement[bool]:
    """That a column names no live entry."""
    return ~exists().where(entries.c.id == column, entries.c.deleted_on.is_(None))


def partners(connection: Connection, ids: Iterable[str]) -> dict[str, set[str]]:
    """entry id → entries it has had a finding with."""
    wanted = set(ids)
    out: dict[str, set[str]] = {}
    for part in chunks(sorted(wanted)):
        for row in connection.execute(
            select(table.c.a, table.c.b).where(or_(table.c.a.in_(part), table.c.b.in_(part)))
        ):
            for this, other in ((row.a, row.b), (row.b, row.a)):
                if this in wanted:
                    out.setdefault(this, set()).add(other)
    return out


def settled_as_none(connection: Connection, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs whose every finding a person has dismissed."""
    out: set[tuple[str, str]] = set()
    for pair, rows in _of_pairs(connection, set(pairs)).items():
        if {row.status for row in rows.values()} - {"closed"} == {"dismissed"}:
            out.add(pair)
    return out
