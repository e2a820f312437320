"""What a sync has to do: which files are new, changed or gone, told by time, size and inode before anything is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from brain_assets.errors import ConfigurationError
from brain_assets.sources.read import too_large
from brain_assets.sources.walk import Found, spelled

STALE = "stale:"
"""How the content digest of a file begins that another version of the reader has read."""
FOLDER_ORDINAL = 900
"""Problems from here on are those of folders, which no file row stands for."""
_DIGEST_CHARS = 64


@dataclass(frozen=True, slots=True)
class Pile:
    """One of the two piles of files. Raise `version` when reading the same bytes would give other entries: every file
    is then read again."""

    name: str
    stage: str
    what: str
    variable: str
    flag: str
    suffixes: tuple[str, ...]
    version: str


VAULT = Pile("vault", "vault_notes", "vault", "BRAIN_VAULT_DIR", "--vault", (".md", ".markdown"), "1")
KB = Pile("kb", "kb_entries", "knowledge base", "BRAIN_KB_DIR", "--kb", (".json",), "2")


class Known(NamedTuple):
    """A file as the catalogue knows it: its row in `files`."""

    path: str
    disk: str
    size: int
    mtime_ns: int
    inode: int
    content_digest: str
    state: str
    reason: str
    entry_ids: str

    @property
    def live(self) -> bool:
        return self.state == "live"

    @property
    def read_well(self) -> bool:
        """Whether its bytes are known, and this version of the reader has read them."""
        return len(self.content_digest) == _DIGEST_CHARS

    @property
    def stale(self) -> bool:
        """Whether it was read by another version of the reader."""
        return self.content_digest.startswith(STALE)

    @property
    def digest(self) -> str:
        """SHA-256 hex of its bytes; empty if it was never read."""
        return self.content_digest.removeprefix(STALE)

    @property
    def ids(self) -> list[str]:
        return list(json.loads(self.entry_ids))


@dataclass(slots=True)
class Plan:
    """What a sync has to do. `unchanged` counts live files; `kept` are known files in folders that cannot be listed at
    the moment."""

    todo: list[Found] = field(default_factory=list)
    refused: list[Found] = field(default_factory=list)
    gone: list[Known] = field(default_factory=list)
    unchanged: int = 0
    kept: list[Known] = field(default_factory=list)


def require_folder(folder: Path, what: str, variable: str, flag: str) -> Path:
    """The folder, or ConfigurationError with the remedy if there is none."""
    if folder.is_dir():
        return folder
    reason = "is not a folder" if folder.exists() else "does not exist"
    raise ConfigurationError(
        f"The {what} {folder} {reason}.", f"Set {variable} (or {flag}) to it; if it is on a share, connect the share."
    )


def compare(known: Mapping[str, Known], found: Sequence[Found], unread: Sequence[str], max_bytes: int) -> Plan:
    """Sort the files of a walk into what has to be read, refused, or left alone; and what is gone.

    A file is left alone if its size, time and inode are those of the last time and it could be read then.
    """
    plan = Plan()
    seen = set()
    for file in found:
        path = file[0]
        seen.add(path)
        before = known.get(path)
        if (
            before is not None
            and before[1:5] == file[1:5]
            and file[2] <= max_bytes
            and before.read_well
            and not file[5]
        ):
            plan.unchanged += before[6] == "live"
            continue
        refused = reason(file, max_bytes)
        if refused:
            if before is None or before.live or before.reason != refused:
                plan.refused.append(file._replace(refused=refused))
        elif before is None or _differs(before, file):
            plan.todo.append(file)
        else:
            plan.unchanged += before.live
    missing = known.keys() - seen
    if missing:
        prefixes = tuple(unread)
        for path in sorted(missing):
            (plan.kept if prefixes and path.startswith(prefixes) else plan.gone).append(known[path])
    return plan


def reason(file: Found, max_bytes: int) -> str:
    """Why a file is not read; empty for one that is."""
    return file.refused or (too_large(file.size, max_bytes) if file.size > max_bytes else "")


def _differs(before: Known, file: Found) -> bool:
    """Whether a file has to be looked into."""
    same = before[2:5] == file[2:5] and before.disk == spelled(file.disk)
    return not same or not before.read_well
