"""The catalogue: one SQLite file in WAL mode (or another database), the truth that every index is a projection of."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, select
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.pool import NullPool

from brain_assets.errors import BrainError, ConfigurationError, NewerCatalogueError, NotFoundError, StorageError
from brain_assets.settings import Settings
from brain_assets.store import schema

_BUSY_MILLISECONDS = 30_000


class Catalogue:
    """An open catalogue. `begin()` is one write transaction, `read()` one consistent snapshot."""

    def __init__(self, engine: Engine, read_only: bool) -> None:
        self.engine = engine
        self.read_only = read_only

    @contextlib.contextmanager
    def begin(self, wait: float | None = None) -> Iterator[Connection]:
        """One write transaction: all of it or nothing. Other writers wait, readers do not.

        `wait` is for what may be given up (a log row): wait only so many seconds for another writer, then raise
        OperationalError.
        """
        options = {"brain_write": True, "brain_wait": wait}
        with _said(self), self.engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent snapshot, never blocked by a writer."""
        with _said(self), self.engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Catalogue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PRIMARY = 0xFF
"""SQLite's extended error codes hold the plain ones in their lowest byte."""


@contextlib.contextmanager
def _said(catalogue: Catalogue) -> Iterator[None]:
    """Say in plain words that the disk is full or gone, or that the file is damaged; leave other failures as they are."""
    try:
        yield
    except DatabaseError as error:
        code = getattr(error.orig, "sqlite_errorcode", 0) & _PRIMARY
        place = catalogue.engine.url.database
        if code in _DISK:
            raise StorageError(
                f"The catalogue {place} cannot be written or read now ({error.orig}).",
                "Check the disk's free space and permissions and run it again: what was done stays done.",
            ) from error
        if code in _DAMAGE:
            raise _damaged(str(place), error) from error
        raise


def _damaged(place: str, error: DatabaseError) -> ConfigurationError:
    return ConfigurationError(
        f"{place} is not a readable catalogue ({error.orig}).",
        "Restore it from a backup (`brain restore`), or move it away and run `brain sync` to build it anew from the "
        "vault and KB.",
    )


def open(settings: Settings, *, read_only: bool = False) -> Catalogue:
    """Open the catalogue of a data directory; create or migrate it unless `read_only`.

    Raises NotFoundError (read-only and nothing there yet), NewerCatalogueError (written by a newer version),
    ConfigurationError (folder cannot be written, or the file is no catalogue).
    """
    path = settings.data_dir / "brain.db"
    embedded = settings.database_url is None
    if embedded and read_only and not path.exists():
        raise NotFoundError(f"There is no brain in {settings.data_dir} yet.", "Make one with: brain sync")
    if embedded and not read_only:
        _require_writable(settings.data_dir)
    try:
        engine = _engine(settings, path, read_only)
    except (ArgumentError, ImportError) as error:  # neither quotes the URL, which may hold a password
        raise ConfigurationError(
            f"The catalogue of BRAIN_DATABASE_URL cannot be opened ({error}).",
            "Write it as SQLAlchemy does (postgresql+psycopg://user@host/name) and install that database's driver.",
        ) from error
    try:
        _bring_up_to_date(engine, settings, read_only)
    except OperationalError as error:
        engine.dispose()
        raise ConfigurationError(
            f"The catalogue {_place(settings, path)} cannot be opened ({error.orig}).",
            "Check the folder's permissions and free space, or BRAIN_DATABASE_URL.",
        ) from error
    except DatabaseError as error:
        engine.dispose()
        named = "What BRAIN_DATABASE_URL names" if settings.database_url else str(path)
        raise _damaged(named, error) from error
    except BaseException:
        engine.dispose()
        raise
    return Catalogue(engine, read_only)


def _place(settings: Settings, path: Path) -> str:
    return "of BRAIN_DATABASE_URL" if settings.database_url else str(path)


def _require_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ConfigurationError(
            f"The data directory {folder} cannot be written ({error.strerror}).",
            "Choose another with --data-dir or BRAIN_DATA_DIR, or correct its permissions.",
        ) from error


def _engine(settings: Settings, path: Path, read_only: bool) -> Engine:
    # Made of parts: a path may hold what means something in a URL.
    url = settings.database_url or URL.create("sqlite", database=str(path))
    if settings.database_url is None and read_only and not os.access(path.parent, os.W_OK):
        query = {"mode": "ro", "immutable": "1", "uri": "true"}
        url = URL.create("sqlite", database=path.absolute().as_uri(), query=query)
    return _engine_of(url, read_only)


@lru_cache(maxsize=8)
def _engine_of(url: URL | str, read_only: bool) -> Engine:
    """One engine a place: it holds no connection, but the statements it has compiled, which cost more than they run."""
    engine = create_engine(url, poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        _set_up_sqlite(engine, read_only)
    return engine


def _set_up_sqlite(engine: Engine, read_only: bool) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        # The driver must not start transactions of its own: begin() decides between IMMEDIATE and a plain read.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
        if read_only:
            cursor.execute("PRAGMA query_only=ON")
        else:
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA cache_size=-32000")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("brain_write", False)
        if (wait := connection.get_execution_options().get("brain_wait")) is not None:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={round(wait * 1000)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def revision(connection: Connection) -> str | None:
    """The migration a catalogue is at; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _bring_up_to_date(engine: Engine, settings: Settings, read_only: bool) -> None:
    with engine.connect() as connection:
        found = revision(connection)
    if found == schema.REVISION:
        return
    from brain_assets.store import migrations

    if found is not None and found not in migrations.known_revisions():
        raise NewerCatalogueError(
            f"The brain in {settings.data_dir} was made by a newer version of brain_assets (catalogue {found}).",
            "Install that version, or use another --data-dir.",
        )
    if read_only:
        raise BrainError(
            f"The catalogue in {settings.data_dir} is from an older version (catalogue {found or 'empty'}).",
            "Run `brain sync` once to upgrade it.",
        )
    migrations.upgrade(engine)


def get_meta(connection: Connection, key: str) -> str | None:
    """A value of the small key-value table."""
    return connection.execute(select(schema.meta.c.value).where(schema.meta.c.key == key)).scalar()


def set_meta(connection: Connection, key: str, value: str) -> None:
    connection.execute(schema.meta.delete().where(schema.meta.c.key == key))
    connection.execute(schema.meta.insert().values(key=key, value=value))


def generation(connection: Connection) -> int:
    """Number of the last change of entries; indexes carry the generation they were built from."""
    return int(get_meta(connection, "generation") or 0)


def bump_generation(connection: Connection) -> int:
    """Call once in each transaction that changes entries."""
    following = generation(connection) + 1
    set_meta(connection, "generation", str(following))
    return following
