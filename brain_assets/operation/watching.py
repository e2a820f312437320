"""Noticing that sources have changed: the folders in one digest, and when they have come to rest."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import exists, or_, select

from brain_assets.errors import BrainError, BudgetExhausted, LockedError
from brain_assets.operation import pipeline, unchanged
from brain_assets.settings import Settings
from brain_assets.sources.walk import walk
from brain_assets.store import catalogue, schema
from brain_assets.store.stages import StageReport

log = logging.getLogger(__name__)

NOTES = (".md", ".markdown")
KB = (".json",)
QUIET_SECONDS = 1.0
"""Folders that look the same for this long are taken to be at rest: editors and sync tools write in bursts."""
PATIENCE_SECONDS = 10.0
"""After this long a folder is read although it is still changing; the next look takes the rest."""

FULL_LOOK_SECONDS = 300.0
RETRY_SECONDS = 10.0
_STEP_MS = 50
_MANY_FOLDERS = 50


def fingerprint(settings: Settings) -> str:
    """SHA-256 hex over path, size and modification time of every source file: a hint that something has changed.

    Names no file content; what really changed is for the stages to find out. A folder that is not there counts as
    such. Raises ConfigurationError if a folder cannot be listed.
    """
    return _seen(settings)[0]


def _seen(settings: Settings) -> tuple[str, float]:
    """(the fingerprint, the newest modification time in seconds; 0 without a file)."""
    digest = hashlib.sha256()
    newest = 0
    for name, folder, suffixes in (("vault", settings.vault_dir, NOTES), ("kb", settings.kb_dir, KB)):
        digest.update(f"{name}:{folder.is_dir()}\n".encode())
        if folder.is_dir():
            ignore = settings.vault_ignore if name == "vault" else ()
            for found in walk(folder, suffixes, ignore=ignore, leave_out=(settings.data_dir,)).files:
                newest = max(newest, found.mtime_ns)
                line = f"{found.path}\t{found.size}\t{found.mtime_ns}\t{found.inode}\t{found.refused}\n"
                digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest(), newest / 1e9


def at_rest(settings: Settings, first: str) -> str:
    """The fingerprint once it has stayed equal for QUIET_SECONDS, or the last one after PATIENCE_SECONDS.

    Files that are as they were, and none of which was written within QUIET_SECONDS, are at rest at once.
    """
    waited, current = 0.0, first
    while True:
        following, newest = _seen(settings)
        just_written = 0 <= time.time() - newest < QUIET_SECONDS
        if (following == current and (waited or not just_written)) or waited >= PATIENCE_SECONDS:
            return following
        current = following
        time.sleep(QUIET_SECONDS)
        waited += QUIET_SECONDS


@dataclass
class Changes:
    """What file events told: folders of the vault with changed notes (as spelled on disk), paths in it that are no
    more and may have been folders, whether KB files changed, and whether only a look at everything can tell."""

    folders: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    kb: bool = False
    whole: bool = False

    def __bool__(self) -> bool:
        return bool(self.folders or self.gone) or self.kb or self.whole

    def add(self, settings: Settings, path: str) -> None:
        """Take in one event's path. What is no file of a source may be a folder that came, went or moved."""
        at = Path(path)
        name = at.name.lower()
        in_vault, in_kb = at.is_relative_to(settings.vault_dir), at.is_relative_to(settings.kb_dir)
        if in_vault and name.endswith(NOTES):
            self.folders.add(_spelled(at.parent.relative_to(settings.vault_dir)))
        elif in_kb and name.endswith(KB):
            self.kb = True
        elif not in_vault and not in_kb:
            self.whole = True
        elif at.is_dir() or not at.exists():
            self.kb = self.kb or in_kb
            if in_vault and at.is_dir():
                self._add_below(settings, at)
            elif in_vault:
                self.gone.add(_spelled(at.relative_to(settings.vault_dir)))

    def _add_below(self, settings: Settings, folder: Path) -> None:
        """A folder that is new, or has come from elsewhere, with those in it; too many of them are worth a whole look."""
        for place, _, _ in os.walk(folder):
            self.folders.add(_spelled(Path(place).relative_to(settings.vault_dir)))
            if len(self.folders) > _MANY_FOLDERS:
                self.whole = True
                return

    def settle_gone(self, settings: Settings) -> None:
        """Whether what is gone was a folder with notes (then only a whole look can tell) or nothing of interest: the
        probes of editors and the temporary files of sync tools have names like folders, too."""
        if self.gone and not self.whole:
            with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
                known = schema.files.c
                held = [known.disk_path.startswith(f"{path}/", autoescape=True) for path in sorted(self.gone)]
                below = select(exists().where(known.source == "vault", or_(*held)))
                self.whole = bool(connection.execute(below).scalar())
        self.gone.clear()


def _spelled(inside: Path) -> str:
    """A path inside the vault as the stages name it; the vault itself is the empty text."""
    text = inside.as_posix()
    return "" if text == "." else text


def watch(settings: Settings, *, tell: Callable[[str], None], stop: threading.Event | None = None) -> None:
    """Sync now, and again within a second of every change, until `stop` is set or the process is interrupted.

    A change has its own folder looked at and the full-text index brought up to date; vectors follow while nothing
    changes, and the slower vector sets after them: a change interrupts that at its next batch. A look at everything is
    taken now and then, because events may be lost. Failures a person can act on are told and waited out.
    """
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    stopped = stop or threading.Event()
    threading.Thread(target=_listen, args=(settings, events, stopped), daemon=True).start()
    told = ""
    changes = Changes(whole=True)
    news = True
    while not stopped.is_set():
        failed = False
        try:
            line = _sync(settings, changes)
            if line or not told:
                tell(line or "Everything is up to date; waiting for changes.")
            told = "ok"
            news = news or bool(line)
            if events.empty() and _complete(settings, news, events):
                news = False
        except BrainError as error:
            if str(error) != told:
                tell(str(error))
            told = str(error)
            failed = True
        changes = _wait(settings, events, stopped, RETRY_SECONDS if failed else FULL_LOOK_SECONDS)
        changes.whole = changes.whole or failed


def _sync(settings: Settings, changes: Changes) -> str:
    """Make what has changed findable; returns what that was, in words."""
    changes.settle_gone(settings)
    if not changes:
        return ""
    folders: frozenset[str] | None = frozenset(changes.folders)
    kb_entries = None if changes.kb else StageReport("kb_entries")
    if changes.whole:
        look = unchanged.look(settings, settings.lock_wait)
        if look.nothing:
            return ""
        folders, kb_entries = look.folders, look.same.get("kb_entries")
    with pipeline.writing(settings, wait=settings.lock_wait, full=False) as run:
        return summary(pipeline.read_sources(run, kb_entries, folders))


def _complete(settings: Settings, news: bool, events: queue.SimpleQueue[str]) -> bool:
    """Bring the vectors up to date, the slower sets last. False if files that changed, or another writer, stopped it
    before the `news` were taken into account."""
    done = False

    def interrupted(what: str, done: int, total: int) -> None:
        if not events.empty():
            raise BudgetExhausted("files have changed")

    try:
        with pipeline.writing(settings, full=False, progress=interrupted) as run:
            pipeline.complete(run, news)
            done = True
            if events.empty():
                run.full = True
                pipeline.run_stage("embeddings", run)
    except (LockedError, BudgetExhausted) as error:
        log.debug("vectors have to wait: %s", error)  # what has changed comes first, and so does another writer
    return done


def summary(reports: Mapping[str, StageReport]) -> str:
    """What a sync changed, in words; empty when nothing did."""
    parts = []
    for name, what in (("vault_notes", "notes"), ("kb_entries", "KB entries")):
        details = reports[name].details
        counts = [f"{details[key]} {key}" for key in ("added", "changed", "deleted") if details.get(key)]
        if counts:
            parts.append(f"{what}: {', '.join(counts)}")
    return "; ".join(parts)


def _listen(settings: Settings, events: queue.SimpleQueue[str], stopped: threading.Event) -> None:
    from watchfiles import watch as file_events

    places = [folder for folder in (settings.vault_dir, settings.kb_dir) if folder.is_dir()]
    inside = str(settings.data_dir)

    def relevant(_change: object, path: str) -> bool:
        """Notes and KB files, and whatever may be a folder."""
        if path.startswith(inside):
            return False
        name = path.rpartition("/")[2].lower()
        return name.endswith((*NOTES, *KB)) or "." not in name

    for found in file_events(*places, watch_filter=relevant, stop_event=stopped, step=_STEP_MS, raise_interrupt=False):
        for _change, path in sorted(found):
            events.put(path)


def _wait(settings: Settings, events: queue.SimpleQueue[str], stopped: threading.Event, seconds: float) -> Changes:
    """What the next events tell; everything, at the next full look (events may be lost on network drives)."""
    deadline = time.monotonic() + seconds
    changes = Changes()
    while not stopped.is_set() and not changes and time.monotonic() < deadline:
        with contextlib.suppress(queue.Empty):
            changes.add(settings, events.get(timeout=min(0.5, max(0.01, deadline - time.monotonic()))))
    while not events.empty():
        changes.add(settings, events.get())
    if not changes or len(changes.folders) + len(changes.gone) > _MANY_FOLDERS:
        changes.whole = True
    return changes
