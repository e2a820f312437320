"""The files that the catalogue knows, and what is wrong with them: reading and writing `files` and `problems`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, bindparam, delete, exists, func, insert, or_, select, update

from brain_assets.errors import BrainError
from brain_assets.model.entry import Problem
from brain_assets.sources.plan import FOLDER_ORDINAL, STALE, Known
from brain_assets.sources.walk import Found, spelled
from brain_assets.store.entries import chunks
from brain_assets.store.schema import files, problems

_MASS_DELETE = 20
_READ_AGAIN = -1


@dataclass(frozen=True, slots=True)
class FileRow:
    """The new row of a file, with its problems as (place, reason): place is empty or `#index` of an item."""

    found: Found
    digest: str
    entry_ids: tuple[str, ...]
    reason: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    read_again: bool = False


def load(connection: Connection, source: str, folders: Collection[str] | None = None) -> dict[str, Known]:
    """path → file of one source; all, or those that lie directly in one of these folders (as spelled on disk)."""
    columns = (
        files.c.path, files.c.disk_path, files.c.size, files.c.mtime_ns, files.c.inode, files.c.content_digest,
        files.c.state, files.c.reason, files.c.entry_ids,
    )  # fmt: skip
    query = select(*columns).where(files.c.source == source)
    if folders is not None:
        if not folders:
            return {}
        below = [files.c.disk_path.startswith(f"{folder}/", autoescape=True) for folder in folders if folder]
        top = [~files.c.disk_path.contains("/")] if "" in folders else []
        query = query.where(or_(*below, *top))
    cursor = connection.execute(query).cursor
    rows = cursor.fetchall() if cursor is not None else []  # plain tuples: row objects would cost more than all else
    if folders is not None:
        rows = [row for row in rows if row[1].rpartition("/")[0] in folders]
    return {row[0]: Known._make(row) for row in rows}


def any_known(connection: Connection, source: str, paths: Sequence[str]) -> bool:
    """Whether any of these files is known."""
    queries = (select(exists().where(files.c.source == source, files.c.path.in_(part))) for part in chunks(paths))
    return any(connection.execute(query).scalar() for query in queries)


def mark_stale(connection: Connection, source: str) -> None:
    """Have every file of a source read again, whatever its time says."""
    connection.execute(
        update(files)
        .where(files.c.source == source, files.c.content_digest.not_like(STALE + "%"))
        .values(content_digest=STALE + files.c.content_digest)
    )


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
                problems.c.source == source, problems.c.path.in_(part), problems.c.ordinal < FOLDER_ORDINAL
            )
        )


def problem_paths(connection: Connection, source: str, paths: Iterable[str]) -> dict[str, set[str]]:
    """file → the paths (`file`, `file#index`) under which its problems are listed."""
    known = set(paths)
    out: dict[str, set[str]] = {}
    query = select(problems.c.path).where(problems.c.source == source, problems.c.ordinal < FOLDER_ORDINAL).distinct()
    for path in connection.execute(query).scalars():
        out.setdefault(path if path in known else path.rpartition("#")[0] or path, set()).add(path)
    return out


def folder_problems(connection: Connection, source: str) -> list[Problem]:
    """The problems of folders as they are listed now."""
    query = (
        select(problems.c.path, problems.c.reason)
        .where(problems.c.source == source, problems.c.ordinal >= FOLDER_ORDINAL)
        .order_by(problems.c.path, problems.c.ordinal)
    )
    return [Problem(path=path, reason=reason) for path, reason in connection.execute(query)]


def write_folder_problems(connection: Connection, source: str, found: Sequence[Problem]) -> None:
    """Replace the problems of folders."""
    connection.execute(delete(problems).where(problems.c.source == source, problems.c.ordinal >= FOLDER_ORDINAL))
    if found:
        connection.execute(
            insert(problems),
            [
                {
                    "source": source,
                    "path": p.path,
                    "ordinal": FOLDER_ORDINAL + i,
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
    cursor = connection.execute(query).cursor
    return [row[0] for row in cursor.fetchall()] if cursor is not None else []
