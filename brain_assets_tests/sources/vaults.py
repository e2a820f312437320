"""Small helpers of the sync tests: write files, sync, look at the result."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.sources.sync import sync_kb, sync_vault
from brain_assets.store import entries
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.schema import files, problems

_clock = itertools.count(1_700_000_000)


def write(folder: Path, notes: Mapping[str, str | bytes]) -> None:
    """Write files, each with a file time of its own that is long past."""
    for name, data in notes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        stamp = next(_clock)
        os.utime(path, (stamp, stamp))


def kb_item(entry_id: str, **fields: Any) -> dict[str, Any]:
    return {"id": entry_id, "title": f"Titel {entry_id}", "text": "Frage", "answer": f"Antwort {entry_id}"} | fields


def kb_file(*items: Any) -> str:
    return json.dumps(items[0] if len(items) == 1 else list(items), ensure_ascii=False)


def notes(cat: Catalogue, settings: Settings, **options: Any) -> dict[str, Any]:
    """Sync the vault; the counts of the report, after checking that they add up."""
    return _checked(cat, "vault", sync_vault(cat, settings, **options).details)


def kb(cat: Catalogue, settings: Settings, **options: Any) -> dict[str, Any]:
    """Sync the KB; the counts of the report, after checking that they add up."""
    return _checked(cat, "kb", sync_kb(cat, settings, **options).details)


def _checked(cat: Catalogue, source: str, details: dict[str, Any]) -> dict[str, Any]:
    assert details["files_seen"] == details["live"] + details["quarantined"]
    assert details["live"] == details["added"] + details["changed"] + details["unchanged"]
    with cat.read() as connection:
        rows = list(connection.execute(files.select().where(files.c.source == source)))
        live = set(entries.live_ids(connection, ["note" if source == "vault" else "kb"]))
    assert len(rows) == details["files_seen"]
    assert {i for row in rows for i in json.loads(row.entry_ids)} == live
    return details


def counts(details: Mapping[str, Any]) -> tuple[int, ...]:
    """(added, changed, deleted, unchanged, quarantined)"""
    return tuple(details[name] for name in ("added", "changed", "deleted", "unchanged", "quarantined"))


def live(cat: Catalogue) -> dict[str, Entry]:
    with cat.read() as connection:
        return {entry.id: entry for entry in entries.load(connection)}


def problem_list(cat: Catalogue) -> list[tuple[str, str]]:
    with cat.read() as connection:
        rows = connection.execute(problems.select().order_by(problems.c.source, problems.c.path, problems.c.ordinal))
        return [(row.path, row.reason) for row in rows]


def links_of(cat: Catalogue, path: str) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """(target, entry id, candidates) of each link of a note."""
    return [(link.target, link.entry_id, link.candidates) for link in live(cat)[f"note:{path}"].links]
