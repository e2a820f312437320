"""Finding what has not changed since the last sync, from the folders' listings and the catalogue's own records."""

from __future__ import annotations

import gc
import logging
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from brain_assets.settings import Settings
from brain_assets.sources import plan
from brain_assets.sources.plan import Pile
from brain_assets.sources.walk import Found, Walk, walk
from brain_assets.store import files, glance, lock
from brain_assets.store.glance import Glance
from brain_assets.store.report import StageReport

log = logging.getLogger(__name__)

_FEW = 20
"""More changed files than this are not worth looking for by folder."""


@dataclass
class Look:
    """What a look found. `same` are the reports of stages that have nothing to do; with all four of them there
    (`nothing`), a sync would change nothing. `folders` are those of the vault that hold every changed note, as spelled
    on disk, None if that is not known. `passages` is counted if nothing has changed."""

    same: dict[str, StageReport] = field(default_factory=dict)
    folders: frozenset[str] | None = None
    passages: int = 0
    nothing: bool = False


def look(settings: Settings, wait: float = 0.0) -> Look:
    """Look at what has changed. If nothing has, that is recorded as a sync would.

    Raises LockedError (another writer, after `wait` seconds), ConfigurationError if a source folder is not there.
    """
    if settings.glpi_url is not None or not (settings.data_dir / "brain.db").exists():
        return Look()
    try:
        return _look(settings, wait)
    except sqlite3.Error as error:
        log.debug("the catalogue cannot be looked into: %s", error)  # whoever opens it in earnest says why
        return Look()


def _look(settings: Settings, wait: float) -> Look:
    found = Look()
    with lock.writer(settings, wait=wait), glance.opened(settings) as known:
        if known is None:
            return found
        notes, found.folders = _pile(settings, known, plan.VAULT, settings.vault_dir, settings.vault_ignore)
        entries, _ = _pile(settings, known, plan.KB, settings.kb_dir, ())
        if entries is not None and known.meta("kb:lineage pending") != "1":
            entries.details["files"] = {n: entries.details[n] for n in ("added", "changed", "deleted", "unchanged")}
            entries.details["unchanged"] = known.live("kb")
            found.same[plan.KB.stage] = entries
            if notes is not None and _at_rest(settings, known):
                found.same[plan.VAULT.stage] = notes
                _rest(settings, known, found)
    return found


def _at_rest(settings: Settings, known: Glance) -> bool:
    """Whether no earlier sync left work behind, and what is published shows the catalogue."""
    from brain_assets.retrieval import settled
    from brain_assets.retrieval.documents import VERSION

    today = settings.today.isoformat()
    return (
        known.meta("purged_on") == known.meta("retained_on") == today
        and not known.unsettled()
        and settled.is_current(settings, known.meta, known.indexed("search_index", str(VERSION)))
    )


def _rest(settings: Settings, known: Glance, found: Look) -> None:
    """Complete the reports of a sync that has nothing to do."""
    live = known.live()
    details = {"entries": live, "generation": int(known.meta("generation") or 0), "rebuilt": ""}
    found.same["search_index"] = StageReport("search_index", reused=live, details=details)
    details = {"passages": 0, "articles_waiting": 0, "sets": {}}
    found.same["embeddings"] = StageReport("embeddings", details=details)
    known.record(found.same.values())
    for place in (settings.data_dir, settings.staging_dir, settings.metadata_dir, settings.evidence_dir):
        files.remove_leftovers(place)
    found.passages = known.passages()
    found.nothing = True


def _pile(
    settings: Settings, known: Glance, pile: Pile, folder: Path, ignore: Sequence[str]
) -> tuple[StageReport | None, frozenset[str] | None]:
    """(the report of a pile whose files are all as they were, else None; the folders of those that are not)."""
    started = time.monotonic()
    if known.meta(f"input:{pile.stage}") != pile.version:
        return None, None
    root = plan.require_folder(folder, pile.what, pile.variable, pile.flag)
    was_on = gc.isenabled()
    gc.disable()  # tuples hold no cycles
    try:
        seen = walk(root, pile.suffixes, ignore=ignore, leave_out=(settings.data_dir,))
        odd = set(known.read_well(pile.name)) ^ set(seen.files)
    finally:
        if was_on:
            gc.enable()
    problems = [(problem.path, problem.reason) for problem in seen.problems]
    if seen.unread or known.folder_problems(pile.name, plan.FOLDER_ORDINAL) != problems:
        return None, None
    limit = settings.max_file_bytes
    refused = {file for file in odd if file[5] or file[2] > limit}
    reasons = {file[0]: plan.reason(Found._make(file), limit) for file in refused}
    large = {file for file in seen.files if file[2] > limit}
    if not large <= refused or known.not_read(pile.name) != reasons:
        return None, None
    odd -= refused
    if odd:
        folders = frozenset(file[1].rpartition("/")[0] for file in odd)
        return None, folders if len(odd) <= _FEW else None
    return _report(known, pile, seen, started), frozenset()


def _report(known: Glance, pile: Pile, seen: Walk, started: float) -> StageReport:
    states = known.states(pile.name)
    live = states.get("live", 0)
    details = {
        "added": 0, "changed": 0, "deleted": 0, "unchanged": live, "quarantined": states.get("quarantined", 0),
        "renamed": 0, "files_seen": len(seen.files), "live": live, "relinked": 0, "unread_folders": 0,
        "ignored": seen.ignored, "skipped": dict(sorted(seen.skipped.items())),
    }  # fmt: skip
    return StageReport(pile.stage, reused=live, seconds=round(time.monotonic() - started, 3), details=details)
