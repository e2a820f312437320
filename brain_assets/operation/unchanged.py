"""Finding that nothing has changed since the last sync, from the folders' listings and the catalogue's own records."""

from __future__ import annotations

import gc
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from brain_assets.settings import Settings
from brain_assets.sources import plan
from brain_assets.sources.plan import Known, Pile
from brain_assets.sources.walk import settle_spellings, walk
from brain_assets.store import files, glance, lock
from brain_assets.store.glance import Glance
from brain_assets.store.report import StageReport


@dataclass(frozen=True)
class Unchanged:
    """What a sync that changed nothing reports: its stages, and the passages there are."""

    reports: dict[str, StageReport]
    passages: int


def look(settings: Settings, wait: float = 0.0) -> Unchanged | None:
    """The report of a sync if one would change nothing, else None: then sync in earnest.

    Raises LockedError (another writer, after `wait` seconds), ConfigurationError if a source folder is not there.
    """
    if settings.glpi_url is not None or not (settings.data_dir / "brain.db").exists():
        return None
    with lock.writer(settings, wait=wait), glance.opened(settings) as known:
        if known is None or not _at_rest(settings, known):
            return None
        reports = {}
        for pile, folder in ((plan.VAULT, settings.vault_dir), (plan.KB, settings.kb_dir)):
            report = _pile(settings, known, pile, folder)
            if report is None:
                return None
            reports[pile.stage] = report
        live = known.live()
        reports["search_index"] = StageReport(
            "search_index",
            reused=live,
            details={"entries": live, "generation": int(known.meta("generation") or 0), "rebuilt": ""},
        )
        reports["embeddings"] = StageReport("embeddings", details={"passages": 0, "articles_waiting": 0, "sets": {}})
        known.record(reports.values())
        for place in (settings.data_dir, settings.staging_dir, settings.metadata_dir, settings.evidence_dir):
            files.remove_leftovers(place)
        return Unchanged(reports, known.passages())


def _at_rest(settings: Settings, known: Glance) -> bool:
    """Whether no earlier sync left work behind, and what is published shows the catalogue."""
    from brain_assets.retrieval import settled
    from brain_assets.retrieval.documents import VERSION

    return (
        known.meta("purged_on") == settings.today.isoformat()
        and known.meta("kb:lineage pending") != "1"
        and not known.unsettled()
        and settled.is_current(settings, known.meta, known.indexed("search_index", str(VERSION)))
    )


def _pile(settings: Settings, known: Glance, pile: Pile, folder: Path) -> StageReport | None:
    """The report of a pile whose files are all as they were; None if one is not."""
    started = time.monotonic()
    if known.meta(f"input:{pile.stage}") != pile.version:
        return None
    root = plan.require_folder(folder, pile.what, pile.variable, pile.flag)
    ignore = settings.vault_ignore if pile is plan.VAULT else ()
    was_on = gc.isenabled()
    gc.disable()  # tuples hold no cycles
    try:
        seen = walk(root, pile.suffixes, ignore=ignore, leave_out=(settings.data_dir,))
        rows = {row[0]: Known._make(row) for row in known.files(pile.name)}
        found = settle_spellings(seen.files, rows)
        todo = plan.compare(rows, found, seen.unread, settings.max_file_bytes)
    finally:
        if was_on:
            gc.enable()
    problems = [(problem.path, problem.reason) for problem in seen.problems]
    if todo.todo or todo.refused or todo.gone or known.folder_problems(pile.name, plan.FOLDER_ORDINAL) != problems:
        return None
    states = Counter(row.state for row in rows.values())
    live = states["live"]
    counts = {
        "added": 0, "changed": 0, "deleted": 0, "unchanged": live, "quarantined": states["quarantined"], "renamed": 0,
        "files_seen": len(found) + len(todo.kept), "live": live, "relinked": 0, "unread_folders": len(seen.unread),
        "ignored": seen.ignored, "skipped": dict(sorted(seen.skipped.items())),
    }  # fmt: skip
    if pile is plan.KB:
        counts["files"] = {name: counts[name] for name in ("added", "changed", "deleted", "unchanged")}
        counts["unchanged"] = known.live("kb")
    return StageReport(pile.stage, reused=live, seconds=round(time.monotonic() - started, 3), details=counts)
