"""The identity trail of notes: a renamed note keeps the ids it had, told by its contents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from brain_assets.model.entry import Entry
from brain_assets.sources.plan import Known
from brain_assets.store.entries import chunks
from brain_assets.store.schema import entries


@dataclass(slots=True)
class Trail:
    """Notes that are gone, by content digest: those missing since this sync, and the tombstones of earlier ones."""

    missing: dict[str, list[str]] = field(default_factory=dict)
    buried: dict[str, list[str]] = field(default_factory=dict)
    stored: bool = False

    def keep(self, connection: Connection, new: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
        """These entries with their `previous_ids`, and the ids of missing notes that turned out to be renamed.

        An entry keeps the trail of its own id; one whose id is new and whose contents are those of a note that is gone
        continues that note's trail. Of several such notes one with the same file name is preferred.
        """
        if not (self.missing or self.buried or self.stored):
            return list(new), []
        own = _trails(connection, [entry.id for entry in new])
        before = {e.id: found for e in new if e.id not in own.live and (found := self._claim(e))}
        older = _trails(connection, before.values())
        moved = [old for old in before.values() if old in older.live]
        out = []
        for entry in new:
            trail = list(own.ids.get(entry.id, ()))
            if old := before.get(entry.id):
                trail += [old, *older.ids.get(old, ())]
            previous = tuple(dict.fromkeys(i for i in trail if i != entry.id))
            out.append(entry.model_copy(update={"previous_ids": previous}) if previous else entry)
        return out, moved

    def _claim(self, entry: Entry) -> str | None:
        if not entry.body.strip():
            return None  # empty notes are all alike
        for gone in (self.missing, self.buried):
            candidates = [i for i in gone.get(entry.content_digest, ()) if i != entry.id]
            if candidates:
                name = entry.id.rpartition("/")[2]
                chosen = next((i for i in candidates if i.rpartition("/")[2] == name), candidates[0])
                gone[entry.content_digest].remove(chosen)
                return chosen
        return None


def start(connection: Connection, missing: Iterable[Known], stored: bool, look_back: bool) -> Trail:
    """A trail for one sync. `stored` says that notes are known already, `look_back` that tombstones may matter."""
    trail = Trail(stored=stored)
    for file in missing:
        if file.live and file.digest:
            trail.missing.setdefault(file.digest, []).extend(file.ids)
    if look_back:
        query = (
            select(entries.c.id, entries.c.content_digest)
            .where(entries.c.kind == "note", entries.c.deleted_on.is_not(None))
            .order_by(entries.c.id)
        )
        for entry_id, digest in connection.execute(query):
            trail.buried.setdefault(digest, []).append(entry_id)
    return trail


@dataclass(slots=True)
class _Trails:
    ids: dict[str, tuple[str, ...]] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)


def _trails(connection: Connection, ids: Iterable[str]) -> _Trails:
    """Stored trails of entries, tombstones among them, and which of these are live."""
    out = _Trails()
    for part in chunks(sorted(set(ids))):
        query = select(entries.c.id, entries.c.deleted_on, entries.c.document).where(entries.c.id.in_(part))
        for entry_id, deleted_on, document in connection.execute(query):
            out.ids[entry_id] = tuple(json.loads(document).get("previous_ids", ()))
            if deleted_on is None:
                out.live.add(entry_id)
    return out
