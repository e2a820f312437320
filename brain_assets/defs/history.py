"""Dagster's history on a local disk, without waiting for the disk at every event.

Dagster opens and closes its SQLite files for each event, and SQLite then syncs each time: a build that has nothing to
do would spend most of its time there. While `quick` is active the files stay open and commits do not sync one by one
(SQLite's own advice for WAL: a power cut may cost the last events, never the file).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine


@contextlib.contextmanager
def quick(home: Path) -> Iterator[None]:
    """Write Dagster's history in `home` quickly while this is active."""
    folder = str(home.resolve()) + "/"
    kept: dict[str, sqlite3.Connection] = {}

    def connected(connection: Any, _record: Any) -> None:
        if not isinstance(connection, sqlite3.Connection):
            return
        path = str(connection.execute("PRAGMA database_list").fetchone()[2])
        if not path.startswith(folder):
            return
        connection.execute("PRAGMA synchronous=NORMAL")
        if path not in kept and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            # Closing the last connection of a file writes the whole log back and syncs: this one stays.
            kept[path] = sqlite3.connect(path, check_same_thread=False)
            kept[path].execute("SELECT count(*) FROM sqlite_master").fetchone()

    event.listen(Engine, "connect", connected)
    try:
        yield
    finally:
        event.remove(Engine, "connect", connected)
        for connection in kept.values():
            connection.close()
