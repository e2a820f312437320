"""The contradictions table: findings come and close with the texts, what a person decided stays.

| status | means | when the texts stop to disagree | when an entry is deleted |
|---|---|---|---|
| open | found, nobody has looked | closed | closed |
| confirmed | a person says it is one | closed | closed |
| resolved | a person says which side is right | closed, the decision stays with it | stays |
| dismissed | a person says it is none | stays | stays |
| closed | gone by itself | | |

A closed finding that is found again is open: what was put right has come back. A dismissed one is the same two
statements a person has judged already, so it stays dismissed.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, or_, select, update

from brain_assets.model.graph import Contradiction
from brain_assets.store.entries import chunks
from brain_assets.store.schema import contradictions as table
from brain_assets.store.schema import entries

AGREE = "The texts no longer disagree."
GONE = "An entry is gone."
_STANDING = ("open", "confirmed")


def sync(
    connection: Connection, current: Mapping[tuple[str, str], Sequence[Contradiction]], on: dt.date
) -> Counter[str]:
    """Make the findings of each pair (ids in ascending order) equal to those given, as of a day.

    Returns how many are `new`, `reopened` and `closed`.
    """
    known = _of_pairs(connection, set(current))
    counts: Counter[str] = Counter()
    for pair in sorted(current):
        rows = known.get(pair, {})
        for finding in current[pair]:
            row = rows.pop(finding.id, None)
            again = row is not None and row.status == "closed"
            counts["reopened"] += again
            status = "open" if row is None or again else row.status
            values = {
                "a": finding.a, "b": finding.b, "subject": finding.subject, "kind": finding.kind,
                "confidence": finding.confidence, "status": status, "finding": finding.model_dump_json(),
            }  # fmt: skip
            if row is None:
                counts["new"] += 1
                connection.execute(insert(table).values(id=finding.id, keep=None, note="", **values))
            else:
                connection.execute(update(table).where(table.c.id == finding.id).values(**values))
        for name, row in sorted(rows.items()):
            if row.status in (*_STANDING, "resolved"):
                counts["closed"] += 1
                _close(connection, table.c.id == name, on, AGREE)
    return counts


def _close(connection: Connection, which: ColumnElement[bool], on: dt.date, because: str) -> int:
    told = func.json_set(table.c.finding, "$.closed_on", on.isoformat(), "$.closed_because", because)
    return int(connection.execute(update(table).where(which).values(status="closed", finding=told)).rowcount)


def _of_pairs(connection: Connection, pairs: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Pair → finding id → row, of all findings about the pairs."""
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for part in chunks(sorted({a for a, _ in pairs} | {b for _, b in pairs})):
        for row in connection.execute(select(table).where(or_(table.c.a.in_(part), table.c.b.in_(part)))):
            pair = (min(row.a, row.b), max(row.a, row.b))
            if pair in pairs:
                out.setdefault(pair, {})[row.id] = row
    return out


def close_dead(connection: Connection, on: dt.date) -> int:
    """Close the findings of entries that are gone and return their number.

    One that a person has resolved stays so: the entry may come back as it was, from a folder that was not mounted.
    """
    return _close(connection, table.c.status.in_(_STANDING) & or_(dead(table.c.a), dead(table.c.b)), on, GONE)


def forget(connection: Connection, before: dt.date, today: dt.date) -> int:
    """Delete findings that closed by themselves before a day, and return their number.

    One with a person's note or choice is kept: nobody could find out again why it was settled so.
    """
    closed_on = func.json_extract(table.c.finding, "$.closed_on")
    closed = table.c.status == "closed"
    undated = update(table).where(closed, closed_on.is_(None))
    connection.execute(undated.values(finding=func.json_set(table.c.finding, "$.closed_on", today.isoformat())))
    own = table.c.keep.is_(None) & (table.c.note == "")
    return int(connection.execute(delete(table).where(closed, own, closed_on < before.isoformat())).rowcount)


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
