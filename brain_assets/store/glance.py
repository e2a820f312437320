"""Looking into the embedded catalogue with the standard library alone.

What only finds that nothing has changed must not pay for SQLAlchemy: its import takes longer than all the rest.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from brain_assets.settings import Settings
from brain_assets.store.report import StageReport
from brain_assets.store.revision import REVISION

_BUSY_SECONDS = 30.0
_READ_WELL = """SELECT path, disk_path, size, mtime_ns, inode, '' FROM files
    WHERE source = ? AND length(content_digest) = 64"""
_NOT_READ = """SELECT path, CASE state WHEN 'quarantined' THEN reason ELSE '' END FROM files
    WHERE source = ? AND length(content_digest) <> 64"""
_BURIED = """SELECT count(*) FROM passages WHERE entry_id IN (SELECT id FROM entries WHERE deleted_on IS NOT NULL)"""


class Glance:
    """An open look into a catalogue of this version. The caller holds the writer lock."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def meta(self, key: str) -> str | None:
        """A value of the small key-value table."""
        return self._first("SELECT value FROM meta WHERE key = ?", key)  # type: ignore[no-any-return]

    def read_well(self, source: str) -> list[tuple[Any, ...]]:
        """The files of a source that this version has read, as `sources.walk.Found` (a plain tuple equals one)."""
        return self._connection.execute(_READ_WELL, (source,)).fetchall()

    def not_read(self, source: str) -> dict[str, str]:
        """path → reason of the other files; no reason means that it is to be read again."""
        return dict(self._connection.execute(_NOT_READ, (source,)).fetchall())

    def states(self, source: str) -> dict[str, int]:
        """state → number of files of a source."""
        query = "SELECT state, count(*) FROM files WHERE source = ? GROUP BY state"
        return dict(self._connection.execute(query, (source,)).fetchall())

    def folder_problems(self, source: str, ordinal: int) -> list[tuple[str, str]]:
        """(path, reason) of the problems of a source from `ordinal` on."""
        query = "SELECT path, reason FROM problems WHERE source = ? AND ordinal >= ? ORDER BY path, ordinal"
        return self._connection.execute(query, (source, ordinal)).fetchall()

    def unsettled(self) -> bool:
        """Whether links of some entry have to be resolved again."""
        return bool(self._first("SELECT EXISTS (SELECT 1 FROM unsettled_links)"))

    def indexed(self, stage: str, code_version: str) -> int:
        """Entries that the ledger says a stage of this version has done."""
        query = "SELECT count(*) FROM ledger WHERE stage = ? AND code_version = ?"
        return int(self._first(query, stage, code_version))

    def live(self, kind: str | None = None) -> int:
        """Live entries, all or of one kind."""
        query = "SELECT count(*) FROM entries WHERE deleted_on IS NULL"
        return int(self._first(query) if kind is None else self._first(f"{query} AND kind = ?", kind))

    def passages(self) -> int:
        """Passages of live entries: all without those of tombstones, of which there are few."""
        number = int(self._first("SELECT count(*) FROM passages"))
        tombstones = self._first("SELECT count(*) FROM entries WHERE deleted_on IS NOT NULL")
        return number - int(self._first(_BURIED)) if tombstones else number

    def record(self, reports: Iterable[StageReport]) -> None:
        """Keep the stages' last reports for `brain status`."""
        finished = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        rows = [(r.stage, finished, json.dumps(r.to_json(), ensure_ascii=False)) for r in reports]
        with self._connection:
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executemany("INSERT OR REPLACE INTO stage_runs VALUES (?, ?, ?)", rows)

    def _first(self, query: str, *values: object) -> Any:
        row = self._connection.execute(query, values).fetchone()
        return row[0] if row else None


@contextlib.contextmanager
def opened(settings: Settings) -> Iterator[Glance | None]:
    """A look into the embedded catalogue; None where there is none of this version that can be read this way."""
    path = settings.data_dir / "brain.db"
    if settings.database_url is not None or not path.exists():
        yield None
        return
    with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection:
        try:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.DatabaseError:
            row = None  # whoever opens it in earnest says what is wrong with it
        yield Glance(connection) if row == (REVISION,) else None
