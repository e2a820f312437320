"""Taking files in: what one batch of them adds, changes and takes away, and the transaction that writes it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.sources import dates, inventory, lineage, read, settle
from brain_assets.sources.inventory import FileRow
from brain_assets.sources.kb import KBItem
from brain_assets.sources.links import PathIndex, resolve
from brain_assets.sources.plan import Known, Pile
from brain_assets.sources.trail import Trail
from brain_assets.sources.walk import Found
from brain_assets.store import entries
from brain_assets.store.catalogue import Catalogue, bump_generation

log = logging.getLogger(__name__)

CLASH = "its id "
"""How the reason of a refused item begins whose id another file holds."""


@dataclass(frozen=True, slots=True)
class Source(Pile):
    """How a pile is read. `read` gives the items of a file: (path, bytes, file time in ns) → items."""

    read: Callable[[str, bytes, int], Sequence[KBItem]]
    ids_are_paths: bool


@dataclass(slots=True)
class Run:
    """One sync under way: what was known before, who holds which id, and what was done so far (counted in files).

    `owners` maps id → file where ids are not paths; `waiting` are files still to be read, `deferred` those whose id is
    held by one of them, `released` ids that became free. `handled` are missing files that turned out to be renamed.
    `outcomes` says what became of each file that was read, `unchanged` counts live files that were not to be read.
    """

    source: Source
    settings: Settings
    root: Path
    known: dict[str, Known]
    problems: dict[str, set[str]]
    index: PathIndex
    trail: Trail
    owners: dict[str, str] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    deferred: list[Found] = field(default_factory=list)
    released: set[str] = field(default_factory=set)
    handled: set[str] = field(default_factory=set)
    reread: set[str] = field(default_factory=set)
    outcomes: dict[str, str] = field(default_factory=dict)
    unchanged: int = 0
    deleted: int = 0
    renamed: int = 0
    vanished: int = 0


@dataclass(slots=True)
class Batch:
    """What one transaction writes: entries, ids to bury, file rows (new, or with new times only), rows to drop.

    `same` are notes with the contents they had, which may be dated anew by their file's time.
    """

    put: list[Entry] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    rows: list[FileRow] = field(default_factory=list)
    touched: list[FileRow] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    same: list[tuple[Found, Known, Entry, bool]] = field(default_factory=list)


def take_in(run: Run, catalogue: Catalogue, files: Sequence[Found]) -> None:
    """Read files and write what they hold, in one transaction."""
    batch = Batch()
    for file in files:
        run.waiting.discard(file.path)
        _read_one(run, batch, file)
    if batch.same:
        _date_anew(run, catalogue, batch)
    if run.source.ids_are_paths and batch.put:
        with catalogue.read() as connection:
            batch.put, moved = run.trail.keep(connection, batch.put)
        for entry_id in moved:
            path = entry_id.partition(":")[2]
            batch.gone.append(entry_id)
            batch.removed.append(path)
            run.handled.add(path)
            run.deleted += 1
            run.renamed += 1
    commit(run, catalogue, batch)


def refuse(run: Run, catalogue: Catalogue, files: Sequence[Found]) -> None:
    """Quarantine files that are not to be read."""
    batch = Batch()
    for file in files:
        _quarantine(run, batch, file, "", file.refused)
    commit(run, catalogue, batch)


def bury(run: Run, catalogue: Catalogue, files: Sequence[Known]) -> None:
    """Make tombstones of the entries of files that are gone, unless another file holds their ids by now."""
    ids = [i for file in files for i in file.ids if i not in run.owners]
    commit(run, catalogue, Batch(gone=ids, removed=[file.path for file in files]))
    run.deleted += len(files)


def commit(run: Run, catalogue: Catalogue, batch: Batch) -> None:
    """Write a batch in one transaction."""
    source = run.source.name
    ids = {entry.id for entry in batch.put}
    gone = [i for i in dict.fromkeys(batch.gone) if i not in ids and i not in run.owners]
    put = [
        entry.model_copy(update={"links": resolve(entry.links, settle.source_path(entry), run.index, {})})
        if entry.links
        else entry
        for entry in batch.put
    ]
    with catalogue.begin() as connection:
        entries.put(connection, put)
        entries.tombstone(connection, gone, run.settings.today)
        inventory.write(connection, source, batch.rows, run.problems)
        inventory.touch(connection, source, batch.touched)
        inventory.remove(connection, source, batch.removed, run.problems)
        settle.record(connection, put, gone)
        if run.source.ids_are_paths and gone:
            settle.disturb_by_path(connection, [i.partition(":")[2] for i in gone])
        if put or gone:
            bump_generation(connection)
            if not run.source.ids_are_paths:
                lineage.mark(connection)
    for row in batch.rows:
        listed = {row.found.path + place for place, _ in row.problems}
        run.problems[row.found.path] = listed


def _read_one(run: Run, batch: Batch, file: Found) -> None:
    before = run.known.get(file.path)
    try:
        file, data, digest, settled = read.content(run.root, file, run.settings.max_file_bytes)
    except FileNotFoundError:
        _vanished(run, batch, file, before)
        return
    except OSError as error:
        _unreadable(run, batch, file, before, f"it cannot be read ({error.strerror or type(error).__name__})")
        return
    except read.RefusedError as error:
        _quarantine(run, batch, file, "", str(error), read_again=True)
        return
    same = before is not None and before.digest == digest and not before.stale and file.path not in run.reread
    if same and before is not None and not _may_date_anew(run, before, file):
        _touch(run, batch, file, before, settled)
        return
    try:
        items = run.source.read(file.path, data, file.mtime_ns)
    except ValueError as error:
        _quarantine(run, batch, file, digest, str(error), read_again=not settled)
        return
    except Exception as error:  # whatever a file holds, it must not stop the others
        log.error("%s %s could not be understood: %s", run.source.what, file.path, type(error).__name__)
        log.debug("reading %s", file.path, exc_info=True)
        _quarantine(run, batch, file, digest, f"it could not be understood ({type(error).__name__})")
        return
    if same and before is not None and (entry := items[0].entry):
        batch.same.append((file, before, entry, settled))
        return
    _accept(run, batch, file, digest, items, settled)


def _date_anew(run: Run, catalogue: Catalogue, batch: Batch) -> None:
    """Of notes whose contents are the same write those that have no date of their own and got another file time."""
    with catalogue.read() as connection:
        dated = entries.dates(connection, [entry.id for _, _, entry, _ in batch.same])
    for file, before, entry, settled in batch.same:
        if entry.date_origin == "file mtime" and entry.date != dated.get(entry.id):
            _accept(run, batch, file, before.digest, [KBItem("", entry)], settled)
        else:
            _touch(run, batch, file, before, settled)


def _may_date_anew(run: Run, before: Known, file: Found) -> bool:
    """Whether a note without a date of its own might get another one from its file's time."""
    if not run.source.ids_are_paths or not before.live:
        return False
    if before.mtime_ns < 0:
        return True
    second = 1_000_000_000
    return dates.from_timestamp(before.mtime_ns // second) != dates.from_timestamp(file.mtime_ns // second)


def _touch(run: Run, batch: Batch, file: Found, before: Known, settled: bool) -> None:
    batch.touched.append(FileRow(file, before.digest, tuple(before.ids), before.reason, (), not settled))
    run.outcomes[file.path] = "unchanged" if before.live else "quarantined"


def _vanished(run: Run, batch: Batch, file: Found, before: Known | None) -> None:
    """A file that was deleted between the walk and its reading."""
    run.vanished += 1
    if run.source.ids_are_paths:
        run.index.remove(file.path)
    if before is not None:
        batch.gone += before.ids
        batch.removed.append(file.path)
        _release(run, file.path, before.ids)
        run.deleted += 1


def _unreadable(run: Run, batch: Batch, file: Found, before: Known | None, reason: str) -> None:
    """What was read once stays as it is until the file can be read again."""
    if before is None or not before.live:
        _quarantine(run, batch, file, "", reason, read_again=True)
        return
    problem = ("", f"{reason}; the version read before is kept")
    batch.rows.append(FileRow(file, before.digest, tuple(before.ids), "", (problem,), True))
    run.outcomes[file.path] = "unchanged"


def _quarantine(
    run: Run, batch: Batch, file: Found, digest: str, reason: str, *, read_again: bool = False,
    problems: Sequence[tuple[str, str]] = (),
) -> None:  # fmt: skip
    batch.rows.append(FileRow(file, digest, (), reason, tuple(problems) or (("", reason),), read_again))
    run.outcomes[file.path] = "quarantined"
    before = run.known.get(file.path)
    if before is not None and before.live:
        batch.gone += [i for i in before.ids if run.owners.get(i, file.path) == file.path]
        _release(run, file.path, before.ids)
    if run.source.ids_are_paths:
        run.index.remove(file.path)


def _release(run: Run, path: str, ids: Sequence[str]) -> None:
    for entry_id in ids:
        if run.owners.get(entry_id) == path:
            del run.owners[entry_id]
            run.released.add(entry_id)


def _accept(run: Run, batch: Batch, file: Found, digest: str, items: Sequence[KBItem], settled: bool) -> None:
    owned = not run.source.ids_are_paths
    if owned and any(i.entry and run.owners.get(i.entry.id, file.path) in run.waiting for i in items):
        run.deferred.append(file)  # the holder of the id is read first: perhaps it has let go of it
        return
    accepted: list[Entry] = []
    problems: list[tuple[str, str]] = []
    mine: set[str] = set()
    for item in items:
        if item.entry is None:
            problems.append((item.place, item.reason))
            continue
        entry_id = item.entry.id
        holder = run.owners.get(entry_id, file.path)
        if holder != file.path or entry_id in mine:
            where = f"is taken by {holder}" if holder != file.path else "stands twice in this file"
            problems.append((item.place, f"{CLASH}{entry_id.partition(':')[2]} {where}"))
            continue
        mine.add(entry_id)
        if owned:
            run.owners[entry_id] = file.path
        accepted.append(item.entry)
        problems += [("", reason) for reason in item.entry.problems if ("", reason) not in problems]
    before = run.known.get(file.path)
    if not accepted:
        reasons = [f"{place} {reason}".strip() for place, reason in problems]
        _quarantine(run, batch, file, digest, "; ".join(reasons[:5]), read_again=not settled, problems=problems)
        return
    lost = [i for i in before.ids if i not in mine] if before is not None and before.live else []
    _release(run, file.path, lost)
    batch.gone += [i for i in lost if i not in run.owners]
    batch.put += accepted
    batch.rows.append(FileRow(file, digest, tuple(e.id for e in accepted), "", tuple(problems), not settled))
    run.outcomes[file.path] = "changed" if before is not None and before.live else "added"
