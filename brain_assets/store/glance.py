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
_FILES = """SELECT path, disk_path, size, mtime_ns, inode, content_digest, state, reason, entry_ids
    FROM files WHERE source = ?"""
_BURIED = """SELECT count(*) FROM passages WHERE entry_id IN (SELECT id FROM entries WHERE deleted_on IS NOT NULL)"""


class Glance:
    """An open look into a catalogue of this version. The caller holds the writer lock."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def meta(self, key: str) -> str | None:
        """A value of the small key-value table."""
        return self._first("SELECT value FROM meta WHERE key = ?", key)  # type: ignore[no-any-return]

    def files(self, source: str) -> list[tuple[Any, ...]]:
        """The rows of `files` of one source, in the order of `sources.plan.Known`."""
        return self._connection.execute(_FILES, (source,)).fetchall()

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
        return int(self._first("SELECT count(*) FROM passages")) - int(self._first(_BURIED))

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
