"""Entries and their passages in the catalogue. A tombstone is kept for its history, out of every live view."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, insert, select, update

from brain_assets.model.entry import Entry, Passage
from brain_assets.store.schema import entries, passages

_CHUNK = 500

T = TypeVar("T")


def chunks(items: Sequence[T], size: int = _CHUNK) -> Iterator[Sequence[T]]:
    """Slices of at most `size`: databases limit the variables of one statement."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def put(connection: Connection, new: Iterable[Entry]) -> None:
    """Insert or replace entries with their passages. A tombstone of the same id comes back to life."""
    batch = list(new)
    ids = [entry.id for entry in batch]
    for part in chunks(ids):
        connection.execute(delete(entries).where(entries.c.id.in_(part)))
        connection.execute(delete(passages).where(passages.c.entry_id.in_(part)))
    if batch:
        connection.execute(insert(entries), [_entry_row(entry) for entry in batch])
    rows = [_passage_row(passage) for entry in batch for passage in entry.passages]
    if rows:
        connection.execute(insert(passages), rows)


def get(connection: Connection, entry_id: str) -> Entry | None:
    """One live entry, or None."""
    return next(load(connection, ids=[entry_id]), None)


def load(
    connection: Connection, ids: Sequence[str] | None = None, kinds: Sequence[str] | None = None
) -> Iterator[Entry]:
    """Live entries with their passages, ordered by id; all, or those of the given ids or kinds."""
    wanted = sorted(set(ids)) if ids is not None else live_ids(connection, kinds)
    for part in chunks(wanted):
        query = select(entries.c.id, entries.c.body, entries.c.document).where(
            entries.c.id.in_(part), entries.c.deleted_on.is_(None)
        )
        if kinds is not None:
            query = query.where(entries.c.kind.in_(kinds))
        grouped: dict[str, list[Passage]] = {}
        for passage in _passages_of(connection, part):
            grouped.setdefault(passage.entry_id, []).append(passage)
        for row in sorted(connection.execute(query), key=lambda row: row.id):
            yield Entry(**json.loads(row.document), body=row.body, passages=tuple(grouped.get(row.id, ())))


def live_ids(connection: Connection, kinds: Sequence[str] | None = None) -> list[str]:
    """Ids of live entries, sorted."""
    query = select(entries.c.id).where(entries.c.deleted_on.is_(None))
    if kinds is not None:
        query = query.where(entries.c.kind.in_(kinds))
    return sorted(connection.execute(query).scalars())


def digests(connection: Connection, kinds: Sequence[str] | None = None) -> dict[str, str]:
    """id → text digest (title and body) of live entries, ordered by id."""
    return _column_by_id(connection, entries.c.text_digest, kinds)


def document_digests(connection: Connection, kinds: Sequence[str] | None = None) -> dict[str, str]:
    """id → digest of everything the entry holds (dates, tags, links included), ordered by id."""
    return _column_by_id(connection, entries.c.document_digest, kinds)


def content_digests(connection: Connection, kinds: Sequence[str] | None = None) -> dict[str, str]:
    """id → SHA-256 of the bytes it was read from, ordered by id."""
    return _column_by_id(connection, entries.c.content_digest, kinds)


def _column_by_id(connection: Connection, column: Any, kinds: Sequence[str] | None) -> dict[str, str]:
    query = select(entries.c.id, column).where(entries.c.deleted_on.is_(None)).order_by(entries.c.id)
    if kinds is not None:
        query = query.where(entries.c.kind.in_(kinds))
    return {row[0]: row[1] for row in connection.execute(query)}


def passage_digests(connection: Connection) -> list[tuple[str, str, str]]:
    """(entry id, passage digest, language) of every live passage, ordered: what a vector set must cover."""
    query = (
        select(passages.c.entry_id, passages.c.digest, passages.c.language)
        .join(entries, entries.c.id == passages.c.entry_id)
        .where(entries.c.deleted_on.is_(None))
        .order_by(passages.c.entry_id, passages.c.ordinal)
    )
    return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def dates(connection: Connection, ids: Sequence[str]) -> dict[str, dt.date | None]:
    """id → date of live entries."""
    out: dict[str, dt.date | None] = {}
    for part in chunks(ids):
        query = select(entries.c.id, entries.c.date).where(entries.c.id.in_(part), entries.c.deleted_on.is_(None))
        out.update((row[0], row[1]) for row in connection.execute(query))
    return out


def tombstone(connection: Connection, ids: Sequence[str], on: dt.date) -> None:
    """Take entries out of every live view; their text stays for `purge` to remove later."""
    for part in chunks(list(ids)):
        connection.execute(update(entries).where(entries.c.id.in_(part)).values(deleted_on=on))


def purge(connection: Connection, before: dt.date) -> int:
    """Delete tombstones older than `before` for good; returns how many."""
    old = list(
        connection.execute(select(entries.c.id).where(entries.c.deleted_on.is_not(None), entries.c.deleted_on < before))
        .scalars()
    )  # fmt: skip
    for part in chunks(old):
        connection.execute(delete(passages).where(passages.c.entry_id.in_(part)))
        connection.execute(delete(entries).where(entries.c.id.in_(part)))
    return len(old)


def counts(connection: Connection) -> dict[str, int]:
    """kind → number of live entries; `tombstones` counts the dead ones."""
    query = select(entries.c.kind, entries.c.deleted_on.is_(None), func.count()).group_by(
        entries.c.kind, entries.c.deleted_on.is_(None)
    )
    out: dict[str, int] = {"tombstones": 0}
    for kind, live, number in connection.execute(query):
        out[kind if live else "tombstones"] = out.get(kind if live else "tombstones", 0) + number
    return out


def passage_count(connection: Connection) -> int:
    """Passages of live entries: all without those of tombstones, of which there are few."""
    tombstone = entries.c.deleted_on.is_not(None)
    number = connection.execute(select(func.count()).select_from(passages)).scalar_one()
    if connection.execute(select(func.count()).select_from(entries).where(tombstone)).scalar_one():
        buried = passages.c.entry_id.in_(select(entries.c.id).where(tombstone))
        number -= connection.execute(select(func.count()).select_from(passages).where(buried)).scalar_one()
    return int(number)


def _passages_of(connection: Connection, ids: Sequence[str]) -> list[Passage]:
    query = (
        select(passages)
        .join(entries, entries.c.id == passages.c.entry_id)
        .where(passages.c.entry_id.in_(ids), entries.c.deleted_on.is_(None))
    )
    rows = sorted(connection.execute(query).mappings(), key=lambda row: (row["entry_id"], row["ordinal"]))
    return [Passage(**{**row, "heading_path": tuple(json.loads(row["heading_path"]))}) for row in rows]


def _entry_row(entry: Entry) -> dict[str, Any]:
    document = entry.model_dump_json(exclude={"body", "passages"})
    return {
        "id": entry.id,
        "kind": entry.kind,
        "path": entry.path,
        "title": entry.title,
        "language": entry.language,
        "date": entry.date,
        "type": entry.type,
        "status": entry.status,
        "ai_origin": entry.ai_origin,
        "generation_depth": entry.generation_depth,
        "content_digest": entry.content_digest,
        "text_digest": entry.text_digest,
        "document_digest": hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest(),
        "deleted_on": None,
        "body": entry.body,
        "document": document,
    }


def _passage_row(passage: Passage) -> dict[str, Any]:
    return {**passage.__dict__, "heading_path": json.dumps(passage.heading_path, ensure_ascii=False)}
