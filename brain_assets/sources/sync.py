"""Bringing the catalogue up to date with the vault and the KB: only what changed is read, and nothing is lost.

Files are read and parsed in batches, each written in one transaction, so a killed run continues where it stopped.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import gc
import time
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from sqlalchemy import Connection

from brain_assets.settings import Settings
from brain_assets.sources import intake, inventory, kb, lineage, read, settle, trail, vault
from brain_assets.sources import plan as plans
from brain_assets.sources.intake import Run, Source
from brain_assets.sources.links import PathIndex
from brain_assets.sources.plan import Known, Plan, compare, require_folder
from brain_assets.sources.walk import Found, Walk, settle_spellings, walk
from brain_assets.store import entries, stages
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.store.stages import Progress, StageReport, no_progress

_BATCH_FILES = 256
_BATCH_BYTES = 4_000_000
_FEW = 20

VAULT = Source(
    **dataclasses.asdict(plans.VAULT),
    read=lambda path, data, mtime_ns: [kb.KBItem("", vault.read_note(path, data, mtime_ns))],
    ids_are_paths=True,
)
KB = Source(
    **dataclasses.asdict(plans.KB),
    read=lambda path, data, mtime_ns: kb.read_file(path, data),
    ids_are_paths=False,
)


def sync_vault(
    catalogue: Catalogue, settings: Settings, *, progress: Progress = no_progress, allow_mass_delete: bool = False
) -> StageReport:
    """Bring the notes up to date; the caller holds the writer lock.

    Writes `files`, `entries`, `passages` and `problems` of the vault, and what links need. `details` counts files:
    added, changed, deleted, unchanged, quarantined, renamed (these are among added and deleted), files_seen, live;
    `skipped` counts other files per suffix, `ignored` what the settings leave out. Raises ConfigurationError if there
    is no vault, BrainError instead of deleting most of what is known (unless `allow_mass_delete`).
    """
    return _sync(VAULT, catalogue, settings, settings.vault_dir, progress, allow_mass_delete)


def sync_folders(
    catalogue: Catalogue, settings: Settings, folders: Set[str], *, progress: Progress = no_progress
) -> StageReport | None:
    """Bring the notes that lie directly in these folders of the vault up to date, as `sync_vault` would.

    `folders` are relative and spelled as on disk; "" is the root. None if these folders do not show all that has
    changed (one is gone, many notes are): then the whole vault has to be looked at. What changed elsewhere is left to
    the next `sync_vault`.
    """
    started = time.monotonic()
    root = require_folder(settings.vault_dir, VAULT.what, VAULT.variable, VAULT.flag)
    if not all((root / folder).is_dir() for folder in folders):
        return None
    with catalogue.read() as connection:
        if stages.global_digest(connection, VAULT.stage) != VAULT.version:
            return None
        seen = walk(root, VAULT.suffixes, ignore=settings.vault_ignore, leave_out=(settings.data_dir,), only=folders)
        known = inventory.load(connection, VAULT.name, folders)
        live, quarantined = inventory.counts(connection, VAULT.name)
        new = [file.path for file in seen.files if file.path not in known]
        if seen.unread or inventory.any_known(connection, VAULT.name, new):
            return None  # a folder cannot be listed, or another spelling of its name has files of these names
        files = settle_spellings(seen.files, known)
        plan = compare(known, files, (), settings.max_file_bytes)
        lost = len(plan.gone) + len(plan.refused)
        if lost > _FEW or (lost and lost >= live):
            return None
        run = _start(VAULT, settings, root, connection, known, None, plan, bool(live + quarantined))
    run.index = PathIndex(lambda: _paths(catalogue, plan))
    if plan.todo or plan.refused or plan.gone:
        _work(run, catalogue, plan, progress)
    settled = settle.settle(catalogue, run.index)
    return _finish(run, catalogue, None, plan, settled, started)


def _paths(catalogue: Catalogue, plan: Plan) -> list[str]:
    """Paths of all notes as they will be after this plan."""
    with catalogue.read() as connection:
        live = set(inventory.live_paths(connection, VAULT.name))
    closed = {file.path for file in plan.refused} | {file.path for file in plan.gone}
    return sorted((live - closed) | {file.path for file in plan.todo})


def sync_kb(
    catalogue: Catalogue, settings: Settings, *, progress: Progress = no_progress, allow_mass_delete: bool = False
) -> StageReport:
    """Bring the KB entries up to date; as `sync_vault`, counted in files (a file may hold several entries)."""
    return _sync(KB, catalogue, settings, settings.kb_dir, progress, allow_mass_delete)


def _sync(
    source: Source, catalogue: Catalogue, settings: Settings, folder: Path, progress: Progress, allow_mass_delete: bool
) -> StageReport:
    started = time.monotonic()
    root = require_folder(folder, source.what, source.variable, source.flag)
    ignore = settings.vault_ignore if source is VAULT else ()
    _adopt_version(source, catalogue)
    with _without_collector(), catalogue.read() as connection:
        seen = walk(root, source.suffixes, ignore=ignore, leave_out=(settings.data_dir,))
        known = inventory.load(connection, source.name)
        files = settle_spellings(seen.files, known)
        plan = compare(known, files, seen.unread, settings.max_file_bytes)
        run = _start(source, settings, root, connection, known, files, plan, bool(known))
    found = len(files) + len(plan.kept)
    _guard(run, plan, found, allow_mass_delete)
    index = None
    if plan.todo or plan.refused or plan.gone:
        with catalogue.engine.connect():  # one connection that stays open spares a checkpoint after every batch
            _work(run, catalogue, plan, progress)
        index = run.index
    if source is KB:
        lineage.settle_pending(catalogue, settings)
    settled = settle.settle(catalogue, index)
    return _finish(run, catalogue, seen, plan, settled, started)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """A hundred thousand tuples hold no cycles; looking for some would cost a fifth of a sync without changes."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _adopt_version(source: Source, catalogue: Catalogue) -> None:
    """A new version of a reader reads every file again."""
    with catalogue.read() as connection:
        current = stages.global_digest(connection, source.stage) == source.version
    if not current:
        with catalogue.begin() as connection:
            inventory.mark_stale(connection, source.name)
            stages.set_global_digest(connection, source.stage, source.version)


def _start(
    source: Source,
    settings: Settings,
    root: Path,
    connection: Connection,
    known: dict[str, Known],
    files: Sequence[Found] | None,
    plan: Plan,
    stored: bool,
) -> Run:
    """The run that carries out a plan. `files` are all that were found, None if only some folders were looked at;
    `stored` says whether any file of the source was known before."""
    idle = not (plan.todo or plan.refused or plan.gone)
    run = Run(
        source,
        settings,
        root,
        known,
        {},
        PathIndex(),
        trail.Trail(),
        unchanged=plan.unchanged + sum(file.live for file in plan.kept),
    )
    if idle:
        return run
    run.problems = inventory.problem_paths(connection, source.name, known)
    if source.ids_are_paths:
        news = any(file.path not in known for file in plan.todo)
        run.trail = trail.start(connection, plan.gone, stored=stored, look_back=news)
        if files is not None:
            closed = {file.path for file in plan.refused} | {path for path, file in known.items() if not file.live}
            closed -= {file.path for file in plan.todo}
            paths = [file.path for file in files if file.path not in closed]
            run.index = PathIndex.of(paths + [file.path for file in plan.kept if file.live])
    else:
        run.index = PathIndex.of(inventory.live_paths(connection, VAULT.name))
        run.owners = {entry_id: path for path, file in known.items() if file.live for entry_id in file.ids}
        run.waiting = {file.path for file in plan.todo}
    return run


def _guard(run: Run, plan: Plan, found: int, allow_mass_delete: bool) -> None:
    """Refuse to delete most of what is known. Files that only moved are told by their contents before that is said."""
    lost = [file for file in plan.gone if file.live]
    lost += [before for file in plan.refused if (before := run.known.get(file.path)) and before.live]
    if not lost:
        return
    live = sum(file.live for file in run.known.values())
    new = [file for file in plan.todo if file.path not in run.known]
    if new and len(lost) * 2 > live:
        contents = read.digests(run.root, new, run.settings.max_file_bytes)
        lost = [file for file in lost if file.digest not in contents]
    inventory.guard(run.source.what, run.root, run.source.variable, len(lost), live, found, allow_mass_delete)


def _work(run: Run, catalogue: Catalogue, plan: Plan, progress: Progress) -> None:
    _disturb_links(run, catalogue, plan)
    for file in plan.gone:
        for entry_id in file.ids:
            if run.owners.get(entry_id) == file.path:
                del run.owners[entry_id]
                run.released.add(entry_id)
    if plan.refused:
        intake.refuse(run, catalogue, plan.refused)
    done = 0
    for files in _batches(plan.todo):
        intake.take_in(run, catalogue, files)
        done += len(files)
        progress(run.source.stage, done, len(plan.todo))
    _take_in_blocked(run, catalogue, {file.path for file in plan.gone})
    gone = [file for file in plan.gone if file.path not in run.handled]
    for part in entries.chunks(gone):
        intake.bury(run, catalogue, part)


def _take_in_blocked(run: Run, catalogue: Catalogue, missing: set[str]) -> None:
    """Files that were refused an id, or had to wait for its holder, are read once the id is free."""
    run.waiting = set()
    while run.deferred or run.released:
        again = {file.path: file for file in run.deferred}
        run.deferred = []
        if run.released:
            run.released = set()
            with catalogue.read() as connection:
                blocked = inventory.with_reason(connection, run.source.name, intake.CLASH)
            for file in blocked:
                if file.path in missing:
                    continue
                again.setdefault(file.path, file)
                if file.path not in run.outcomes and run.known[file.path].live:
                    run.unchanged -= 1  # what was not to be read is read after all
        run.reread = set(again)
        for files in _batches([again[path] for path in sorted(again)]):
            intake.take_in(run, catalogue, files)


def _disturb_links(run: Run, catalogue: Catalogue, plan: Plan) -> None:
    """File names that come or go may change what the links of notes read earlier mean."""
    if not run.source.ids_are_paths or not run.known:
        return
    paths = [file.path for file in plan.todo if not (before := run.known.get(file.path)) or not before.live]
    paths += [file.path for file in plan.gone] + [file.path for file in plan.refused]
    if paths:
        with catalogue.begin() as connection:
            settle.disturb_by_path(connection, paths)


def _batches(files: Sequence[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    size = 0
    for file in files:
        if batch and (len(batch) >= _BATCH_FILES or size + file.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def _finish(run: Run, catalogue: Catalogue, seen: Walk | None, plan: Plan, settled: int, started: float) -> StageReport:
    """Write what concerns the whole source (nothing if only some folders were `seen`), and the report."""
    source = run.source
    with catalogue.begin() as connection:
        if seen and inventory.folder_problems(connection, source.name) != seen.problems:
            inventory.write_folder_problems(connection, source.name, seen.problems)
        purge(connection, run.settings)
        live, quarantined = inventory.counts(connection, source.name)
        outcomes = Counter(run.outcomes.values())
        done = outcomes["added"] + outcomes["changed"]
        unchanged = run.unchanged + outcomes["unchanged"] if seen else live - done
        found = len(seen.files) + len(plan.kept) - run.vanished if seen else live + quarantined
        report = StageReport(
            source.stage,
            pending=len(plan.todo) + len(plan.refused) + len(plan.gone),
            done=done + run.deleted,
            reused=unchanged,
            failed=0,
            seconds=round(time.monotonic() - started, 3),
            details={
                "added": outcomes["added"],
                "changed": outcomes["changed"],
                "deleted": run.deleted,
                "unchanged": unchanged,
                "quarantined": quarantined,
                "renamed": run.renamed,
                "files_seen": found,
                "live": live,
                "relinked": settled,
            },
        )
        if seen:
            report.details |= {
                "unread_folders": len(seen.unread),
                "ignored": seen.ignored,
                "skipped": dict(sorted(seen.skipped.items())),
            }
        stages.record(connection, report)
    return report


def purge(connection: Connection, settings: Settings) -> None:
    """Once a day, forget tombstones older than BRAIN_TOMBSTONE_DAYS."""
    today = settings.today
    if get_meta(connection, "purged_on") != today.isoformat():
        entries.purge(connection, before=today - dt.timedelta(days=settings.tombstone_days))
        set_meta(connection, "purged_on", today.isoformat())
