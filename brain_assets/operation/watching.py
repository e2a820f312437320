"""Noticing that sources have changed: the folders in one digest, and when they have come to rest."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from brain_assets.settings import Settings
from brain_assets.sources.walk import walk

NOTES = (".md", ".markdown")
KB = (".json",)
QUIET_SECONDS = 1.0
"""Folders that look the same for this long are taken to be at rest: editors and sync tools write in bursts."""
PATIENCE_SECONDS = 10.0
"""After this long a folder is read although it is still changing; the next look takes the rest."""


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
            for found in walk(folder, suffixes, ignore=ignore, leave_out=_own(settings)).files:
                line = f"{found.path}\t{found.size}\t{found.mtime_ns}\t{found.inode}\t{found.refused}\n"
                digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _own(settings: Settings) -> tuple[Path, ...]:
    return (settings.data_dir,)


def at_rest(
    settings: Settings,
    first: str,
    *,
    quiet: float = QUIET_SECONDS,
    patience: float = PATIENCE_SECONDS,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """The fingerprint once it has stayed equal for `quiet` seconds, or the last one after `patience` seconds."""
    waited, current = 0.0, first
    while waited < patience:
        sleep(quiet)
        waited += quiet
        following = fingerprint(settings)
        if following == current:
            break
        current = following
    return current
