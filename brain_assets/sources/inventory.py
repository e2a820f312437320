"""Which files are known, which are new, changed or gone: told by time, size and inode before anything is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from brain_assets.errors import BrainError, ConfigurationError
from brain_assets.model.entry import Problem
from brain_assets.sources.read import too_large
from brain_assets.sources.walk import Found, spelled
from brain_assets.store.entries import chunks
from brain_assets.store.schema import files, problems

_FOLDER_ORDINAL = 900  # problems of folders, which no file row stands for
_MASS_DELETE = 20
_READ_AGAIN = -1
_STALE = "stale:"
_DIGEST_CHARS = 64


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
        return self.content_digest.startswith(_STALE)

    @property
    def digest(self) -> str:
        """SHA-256 hex of its bytes; empty if it was never read."""
        return self.content_digest.removeprefix(_STALE)

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


@dataclass(frozen=True, slots=True)
class FileRow:
    """The new row of a file, with its problems as (place, reason): place is empty or `#index` of an item."""

    found: Found
    digest: str
    entry_ids: tuple[str, ...]
    reason: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    read_again: bool = False


def require_folder(folder: Path, what: str, variable: str, flag: str) -> Path:
    """The folder, or ConfigurationError with the remedy if there is none."""
    if folder.is_dir():
        return folder
    reason = "is not a folder" if folder.exists() else "does not exist"
    raise ConfigurationError(
        f"The {what} {folder} {reason}.", f"Set {variable} (or {flag}) to it; if it is on a share, connect the share."
    )


def load(connection: Connection, source: str) -> dict[str, Known]:
    """path → file of one source."""
    columns = (
        files.c.path, files.c.disk_path, files.c.size, files.c.mtime_ns, files.c.inode, files.c.content_digest,
        files.c.state, files.c.reason, files.c.entry_ids,
    )  # fmt: skip
    cursor = connection.execute(select(*columns).where(files.c.source == source)).cursor
    rows = (
        cursor.fetchall() if cursor is not None else []
    )  # plain tuples: a row object each would cost more than all else
    return {row[0]: Known._make(row) for row in rows}


def mark_stale(connection: Connection, source: str) -> None:
    """Have every file of a source read again, whatever its time says."""
    connection.execute(
        update(files)
        .where(files.c.source == source, files.c.content_digest.not_like(_STALE + "%"))
        .values(content_digest=_STALE + files.c.content_digest)
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
        refused = file.refused or (too_large(file.size, max_bytes) if file.size > max_bytes else "")
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


def _differs(before: Known, file: Found) -> bool:
    """Whether a file has to be looked into."""
    same = before[2:5] == file[2:5] and before.disk == spelled(file.disk)
    return not same or not before.read_well


def guard(what: str, folder: Path, variable: str, lost: int, live: int, found: int, allow_mass_delete: bool) -> None:
    """Refuse a sync that would delete all or most of what is known; `lost` leaves renamed files out.

    Raises BrainError if the folder holds no file at all any more, or if more than half (and more than 20) would go.
    """
    if allow_mass_delete or not lost or (found and not (lost > _MASS_DELETE and lost * 2 > live)):
        return
    said = "is empty now" if not found else f"no longer holds {lost} of them"
    raise BrainError(
        f"The brain knows {live} files of the {what}, but {folder} {said}. Nothing was changed.",
        f"Check {variable} and whether the share is connected; if they were really deleted, run again with"
        " --allow-mass-delete.",
    )  # fmt: skip


def write(connection: Connection, source: str, rows: Sequence[FileRow], known_problems: Mapping[str, set[str]]) -> None:
    """Replace the rows of these files, and their problems. `known_problems` maps a file to the paths they are under."""
    remove(connection, source, [row.found.path for row in rows], known_problems)
    if rows:
        connection.execute(insert(files), [_file_row(source, row) for row in rows])
    listed = [
        {
            "source": source,
            "path": row.found.path + place,
            "ordinal": ordinal,
            "reason": reason,
            "severity": "quarantined" if place or row.reason else "warning",
        }
        for row in rows
        for ordinal, (place, reason) in enumerate(row.problems)
    ]
    if listed:
        connection.execute(insert(problems), listed)


def _file_row(source: str, row: FileRow) -> dict[str, object]:
    return {
        "source": source,
        "path": row.found.path,
        "disk_path": spelled(row.found.disk),
        "size": row.found.size,
        "mtime_ns": _READ_AGAIN if row.read_again else row.found.mtime_ns,
        "inode": row.found.inode,
        "content_digest": row.digest,
        "state": "live" if row.entry_ids else "quarantined",
        "reason": row.reason,
        "entry_ids": json.dumps(row.entry_ids, ensure_ascii=False),
    }


def touch(connection: Connection, source: str, rows: Sequence[FileRow]) -> None:
    """Record new times of files whose contents are the same; their problems stay."""
    if rows:
        where = (files.c.source == source, files.c.path == bindparam("of_path"))
        keys = ("disk_path", "size", "mtime_ns", "inode", "content_digest")
        values = (
            {"of_path": row.found.path} | {k: v for k, v in _file_row(source, row).items() if k in keys} for row in rows
        )
        connection.execute(update(files).where(*where).values({k: bindparam(k) for k in keys}), list(values))


def remove(connection: Connection, source: str, paths: Sequence[str], known_problems: Mapping[str, set[str]]) -> None:
    """Drop the rows of these files and their problems."""
    for part in chunks(list(paths)):
        connection.execute(delete(files).where(files.c.source == source, files.c.path.in_(part)))
    listed = sorted({path for file in paths for path in known_problems.get(file, ())})
    for part in chunks(listed):
        connection.execute(
            delete(problems).where(
                problems.c.source == source, problems.c.path.in_(part), problems.c.ordinal < _FOLDER_ORDINAL
            )
        )


def problem_paths(connection: Connection, source: str, paths: Iterable[str]) -> dict[str, set[str]]:
    """file → the paths (`file`, `file#index`) under which its problems are listed."""
    known = set(paths)
    out: dict[str, set[str]] = {}
    query = select(problems.c.path).where(problems.c.source == source, problems.c.ordinal < _FOLDER_ORDINAL).distinct()
    for path in connection.execute(query).scalars():
        out.setdefault(path if path in known else path.rpartition("#")[0] or path, set()).add(path)
    return out


def folder_problems(connection: Connection, source: str) -> list[Problem]:
    """The problems of folders as they are listed now."""
    query = (
        select(problems.c.path, problems.c.reason)
        .where(problems.c.source == source, problems.c.ordinal >= _FOLDER_ORDINAL)
        .order_by(problems.c.path, problems.c.ordinal)
    )
    return [Problem(path=path, reason=reason) for path, reason in connection.execute(query)]


def write_folder_problems(connection: Connection, source: str, found: Sequence[Problem]) -> None:
    """Replace the problems of folders."""
    connection.execute(delete(problems).where(problems.c.source == source, problems.c.ordinal >= _FOLDER_ORDINAL))
    if found:
        connection.execute(
            insert(problems),
            [
                {
                    "source": source,
                    "path": p.path,
                    "ordinal": _FOLDER_ORDINAL + i,
                    "reason": p.reason,
                    "severity": "warning",
                }
                for i, p in enumerate(found)
            ],
        )


def counts(connection: Connection, source: str) -> tuple[int, int]:
    """(live, quarantined) files of a source."""
    query = select(files.c.state, func.count()).where(files.c.source == source).group_by(files.c.state)
    by_state: dict[str, int] = {row[0]: row[1] for row in connection.execute(query)}
    return by_state.get("live", 0), by_state.get("quarantined", 0)


def with_reason(connection: Connection, source: str, beginning: str) -> list[Found]:
    """Files with a problem whose reason begins like this, in path order."""
    query = select(problems.c.path).where(
        problems.c.source == source, problems.c.reason.startswith(beginning, autoescape=True)
    )
    listed = set(connection.execute(query).scalars())
    paths = sorted(listed | {path.rpartition("#")[0] for path in listed})
    out = []
    for part in chunks(paths):
        rows = connection.execute(
            select(files.c.path, files.c.disk_path, files.c.size, files.c.mtime_ns, files.c.inode)
            .where(files.c.source == source, files.c.path.in_(part))
            .order_by(files.c.path)
        )
        out += [Found(*row) for row in rows]
    return out


def live_paths(connection: Connection, source: str) -> list[str]:
    """Paths of the files that give an entry."""
    query = select(files.c.path).where(files.c.source == source, files.c.state == "live").order_by(files.c.path)
    return list(connection.execute(query).scalars())
