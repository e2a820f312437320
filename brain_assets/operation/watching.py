"""Noticing that sources have changed: the folders in one digest, and when they have come to rest."""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections.abc import Callable, Mapping

from brain_assets.errors import BrainError, BudgetExhausted, LockedError
from brain_assets.operation import pipeline
from brain_assets.settings import Settings
from brain_assets.sources.walk import walk
from brain_assets.store.stages import StageReport

NOTES = (".md", ".markdown")
KB = (".json",)
QUIET_SECONDS = 1.0
"""Folders that look the same for this long are taken to be at rest: editors and sync tools write in bursts."""
PATIENCE_SECONDS = 10.0
"""After this long a folder is read although it is still changing; the next look takes the rest."""

FULL_LOOK_SECONDS = 300.0
RETRY_SECONDS = 10.0
_STEP_MS = 50


def fingerprint(settings: Settings) -> str:
    """SHA-256 hex over path, size and modification time of every source file: a hint that something has changed.

    Names no file content; what really changed is for the stages to find out. A folder that is not there counts as
    such. Raises ConfigurationError if a folder cannot be listed.
    """
    digest = hashlib.sha256()
    for name, folder, suffixes in (("vault", settings.vault_dir, NOTES), ("kb", settings.kb_dir, KB)):
        digest.update(f"{name}:{folder.is_dir()}\n".encode())
        if folder.is_dir():
            ignore = settings.vault_ignore if name == "vault" else ()
            for found in walk(folder, suffixes, ignore=ignore, leave_out=(settings.data_dir,)).files:
                line = f"{found.path}\t{found.size}\t{found.mtime_ns}\t{found.inode}\t{found.refused}\n"
                digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def at_rest(settings: Settings, first: str) -> str:
    """The fingerprint once it has stayed equal for QUIET_SECONDS, or the last one after PATIENCE_SECONDS."""
    waited, current = 0.0, first
    while waited < PATIENCE_SECONDS:
        time.sleep(QUIET_SECONDS)
        waited += QUIET_SECONDS
        following = fingerprint(settings)
        if following == current:
            break
        current = following
    return current


def watch(settings: Settings, *, tell: Callable[[str], None], stop: threading.Event | None = None) -> None:
    """Sync now, and again within a second of every change, until `stop` is set or the process is interrupted.

    While nothing changes the slower vector sets are completed; a change interrupts that at its next batch. Failures
    a person can act on are told and waited out: the next change, or the next full look, tries again.
    """
    changes: queue.SimpleQueue[None] = queue.SimpleQueue()
    stopped = stop or threading.Event()
    threading.Thread(target=_listen, args=(settings, changes, stopped), daemon=True).start()
    told = ""
    seconds = 0.0
    while not stopped.is_set():
        try:
            with pipeline.writing(settings, wait=settings.lock_wait, full=False) as run:
                line = summary(pipeline.sync(run))
            if line or not told:
                tell(line or "Everything is up to date; waiting for changes.")
            told = "ok"
            seconds = FULL_LOOK_SECONDS
            if changes.empty():
                _complete_slow_sets(settings, changes)
        except BrainError as error:
            if str(error) != told:
                tell(str(error))
            told = str(error)
            seconds = RETRY_SECONDS
        _wait(changes, stopped, seconds)


def summary(reports: Mapping[str, StageReport]) -> str:
    """What a sync changed, in words; empty when nothing did."""
    parts = []
    for name, what in (("vault_notes", "notes"), ("kb_entries", "KB entries")):
        details = reports[name].details
        counts = [f"{details[key]} {key}" for key in ("added", "changed", "deleted") if details.get(key)]
        if counts:
            parts.append(f"{what}: {', '.join(counts)}")
    return "; ".join(parts)


def _listen(settings: Settings, changes: queue.SimpleQueue[None], stopped: threading.Event) -> None:
    from watchfiles import watch as events

    places = [folder for folder in (settings.vault_dir, settings.kb_dir) if folder.is_dir()]
    inside = str(settings.data_dir)

    def relevant(_change: object, path: str) -> bool:
        return not path.startswith(inside) and path.lower().endswith((*NOTES, *KB))

    for _ in events(*places, watch_filter=relevant, stop_event=stopped, step=_STEP_MS, raise_interrupt=False):
        changes.put(None)


def _wait(changes: queue.SimpleQueue[None], stopped: threading.Event, seconds: float) -> None:
    """Until a change, the end, or the next full look (events may be lost on network drives)."""
    deadline = time.monotonic() + seconds
    while not stopped.is_set() and time.monotonic() < deadline:
        try:
            changes.get(timeout=min(0.5, max(0.01, deadline - time.monotonic())))
        except queue.Empty:
            continue
        break
    while not changes.empty():
        changes.get()


def _complete_slow_sets(settings: Settings, changes: queue.SimpleQueue[None]) -> None:
    def interrupted(what: str, done: int, total: int) -> None:
        if not changes.empty():
            raise BudgetExhausted("files have changed")

    try:
        with pipeline.writing(settings, full=True, progress=interrupted) as run:
            pipeline.run_stage("embeddings", run)
    except LockedError:
        return  # somebody else is writing: not worth waiting for
