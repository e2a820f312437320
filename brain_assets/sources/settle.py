"""Keeping links right while notes come, go and change their names: only links that may mean something else are read.

`link_keys` holds what each note's links look for, `note_names` the aliases, titles and KB ids that can be looked for,
and `unsettled_links` the notes whose links have to be resolved again. All three change in the transaction that changes
the notes, so a killed run leaves nothing forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, insert, select

from brain_assets.model.entry import Entry, Link
from brain_assets.sources import links
from brain_assets.sources.inventory import live_paths
from brain_assets.sources.links import Named, PathIndex
from brain_assets.store import entries
from brain_assets.store.catalogue import Catalogue, bump_generation
from brain_assets.store.entries import chunks
from brain_assets.store.schema import link_keys, note_names, unsettled_links

_BATCH = 200


def source_path(entry: Entry) -> str:
    """The path from which an entry's links are read; KB entries stand at the vault's root."""
    return entry.path or "" if entry.kind == "note" else ""


def record(connection: Connection, new: Sequence[Entry], gone: Sequence[str]) -> None:
    """Note what these entries are called and link to, and which other notes' links that may change.

    `new` are entries just written with their links resolved by path, `gone` ids that are no longer live.
    """
    ids = [entry.id for entry in new] + list(gone)
    before = _names_of(connection, ids)
    after = {(key, entry.id, kind) for entry in new for key, kind in _names(entry)}
    changed_keys = {key for key, _, _ in before ^ after}
    disturbed = set(_linkers(connection, changed_keys, by_path=False))
    if before != after:
        for part in chunks(ids):
            connection.execute(delete(note_names).where(note_names.c.entry_id.in_(part)))
        rows = [{"key": key, "entry_id": entry_id, "kind": kind} for key, entry_id, kind in sorted(after)]
        if rows:
            connection.execute(insert(note_names), rows)
    _write_keys(connection, ids, [(entry, link, _found(link)) for entry in new for link in entry.links])
    unresolved = {e.id for e in new if not all(_found(link) for link in e.links)}
    disturb(connection, (disturbed | unresolved) - set(gone))


def disturb(connection: Connection, ids: Iterable[str]) -> None:
    """Have the links of these entries resolved again."""
    wanted = sorted(set(ids))
    for part in chunks(wanted):
        connection.execute(delete(unsettled_links).where(unsettled_links.c.entry_id.in_(part)))
        connection.execute(insert(unsettled_links), [{"entry_id": entry_id} for entry_id in part])


def disturb_by_path(connection: Connection, paths: Iterable[str]) -> None:
    """Have every link resolved again that looks for one of these file names."""
    disturb(connection, _linkers(connection, {links.path_key(path) for path in paths}))


def settle(catalogue: Catalogue, index: PathIndex | None = None) -> int:
    """Resolve the links of all unsettled entries; returns how many entries changed. `index` are the live notes' paths,
    if they are known already."""
    changed = 0
    while True:
        with catalogue.read() as connection:
            ids = list(
                connection.execute(select(unsettled_links.c.entry_id).order_by(unsettled_links.c.entry_id).limit(_BATCH))
                .scalars()
            )  # fmt: skip
        if not ids:
            return changed
        with catalogue.begin() as connection:
            index = index or PathIndex.of(live_paths(connection, "vault"))
            found = list(entries.load(connection, ids))
            names = _lookup(connection, {key for entry in found for link in entry.links for key in links.keys(link)})
            resolved = [(e, links.resolve(e.links, source_path(e), index, names)) for e in found]
            new = [e.model_copy(update={"links": r}) for e, r in resolved if r != e.links]
            if new:
                entries.put(connection, new)
                bump_generation(connection)
            keys = [(e, link, links.found_by_path(link, source_path(e), index)) for e in found for link in e.links]
            _write_keys(connection, [e.id for e in found], keys)
            connection.execute(delete(unsettled_links).where(unsettled_links.c.entry_id.in_(ids)))
        changed += len(new)


def _names(entry: Entry) -> set[tuple[str, str]]:
    """(key, kind) of every name but the file's own."""
    if entry.kind == "kb":
        return {(links.name_key(entry.id.removeprefix("kb:")), "kb")}
    found = {(links.name_key(alias), "alias") for alias in entry.aliases}
    if (key := links.name_key(entry.title)) != links.path_key(entry.path or ""):
        found.add((key, "title"))
    return {(key, kind) for key, kind in found if key}


def _names_of(connection: Connection, ids: Sequence[str]) -> set[tuple[str, str, str]]:
    found: set[tuple[str, str, str]] = set()
    for part in chunks(ids):
        query = select(note_names.c.key, note_names.c.entry_id, note_names.c.kind).where(
            note_names.c.entry_id.in_(part)
        )
        found.update((row[0], row[1], row[2]) for row in connection.execute(query))
    return found


def _lookup(connection: Connection, wanted: set[str]) -> dict[str, list[Named]]:
    out: dict[str, list[Named]] = {}
    for part in chunks(sorted(wanted)):
        query = select(note_names.c.key, note_names.c.entry_id, note_names.c.kind).where(note_names.c.key.in_(part))
        for key, entry_id, kind in connection.execute(query):
            out.setdefault(key, []).append(Named(entry_id, kind))
    return out


def _linkers(connection: Connection, wanted: set[str], by_path: bool | None = None) -> list[str]:
    found: set[str] = set()
    for part in chunks(sorted(wanted)):
        query = select(link_keys.c.entry_id).where(link_keys.c.key.in_(part))
        if by_path is not None:
            query = query.where(link_keys.c.by_path == by_path)
        found.update(connection.execute(query).scalars())
    return sorted(found)


def _found(link: Link) -> bool:
    return link.entry_id is not None or bool(link.candidates)


def _write_keys(connection: Connection, ids: Sequence[str], new: Iterable[tuple[Entry, Link, bool]]) -> None:
    """Replace the keys of these entries: `new` holds each of their links, and whether files alone decide on it."""
    for part in chunks(ids):
        connection.execute(delete(link_keys).where(link_keys.c.entry_id.in_(part)))
    rows: dict[tuple[str, str], bool] = {}
    for entry, link, by_path in new:
        for key in links.keys(link):
            rows[key, entry.id] = rows.get((key, entry.id), True) and by_path
    if rows:
        connection.execute(
            insert(link_keys), [{"key": k, "entry_id": i, "by_path": by} for (k, i), by in sorted(rows.items())]
        )
