"""Opening a catalogue: migrations, newer and broken files, read-only use, concurrent readers and writers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from brain_assets.errors import ConfigurationError, LockedError, NewerCatalogueError, NotFoundError
from brain_assets.settings import Settings
from brain_assets.store import catalogue, files, lock, migrations, schema


def test_the_migrations_make_exactly_the_schema(settings: Settings) -> None:
    with catalogue.open(settings) as cat, cat.read() as connection:
        assert catalogue.revision(connection) == schema.REVISION == migrations.known_revisions()[0]
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []


def test_opening_again_runs_no_migration(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue.open(settings).close()
    monkeypatch.setattr(migrations, "upgrade", lambda *_: pytest.fail("migrated again"))
    catalogue.open(settings).close()


def test_statements_are_compiled_once_a_process(settings: Settings) -> None:
    catalogue.open(settings).close()
    with catalogue.open(settings, read_only=True) as one, catalogue.open(settings, read_only=True) as other:
        assert one.engine is other.engine
        assert one.engine is not catalogue.open(settings).engine, "a writer's connections are set up otherwise"


def test_a_newer_catalogue_is_refused_and_left_alone(settings: Settings) -> None:
    catalogue.open(settings).close()
    path = settings.data_dir / "brain.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerCatalogueError, match="newer version"):
        catalogue.open(settings)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


def test_a_file_that_is_no_catalogue_is_named_and_left_alone(settings: Settings) -> None:
    settings.data_dir.mkdir()
    path = settings.data_dir / "brain.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(ConfigurationError, match=r"brain\.db"):
        catalogue.open(settings)
    assert path.read_bytes() == b"not a database at all" * 100


def test_read_only_needs_a_brain_and_cannot_write(settings: Settings) -> None:
    with pytest.raises(NotFoundError, match="brain sync"):
        catalogue.open(settings, read_only=True)
    assert not settings.data_dir.exists()
    catalogue.open(settings).close()
    with (
        catalogue.open(settings, read_only=True) as cat,
        pytest.raises(Exception, match="readonly"),
        cat.begin() as connection,
    ):
        catalogue.set_meta(connection, "a", "b")


def test_a_data_directory_that_is_a_file_is_said_plainly(settings: Settings) -> None:
    settings.data_dir.write_text("in the way")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        catalogue.open(settings)
    with pytest.raises(ConfigurationError, match="cannot be written"), lock.writer(settings):
        pass


def _count_up(settings: Settings, rounds: int) -> None:
    with catalogue.open(settings) as cat:
        for _ in range(rounds):
            with cat.begin() as connection:
                catalogue.bump_generation(connection)


def test_writers_in_several_processes_lose_no_update(settings: Settings) -> None:
    catalogue.open(settings).close()
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_count_up, args=(settings, 25)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        assert catalogue.generation(connection) == 75


_HOLD = """
import sys, time
from brain_assets.settings import load
from brain_assets.store import lock
with lock.writer(load(data_dir=sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_lock_names_its_holder_and_dies_with_it(settings: Settings) -> None:
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, str(settings.data_dir)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match=f"process {holder.pid}"), lock.writer(settings):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        started = time.monotonic()
        with lock.writer(settings, wait=10), lock.writer(settings):
            assert time.monotonic() - started < 5
    finally:
        holder.kill()
        holder.wait()


def test_atomic_files_are_old_or_new_and_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "file.json"
    files.write_json(path, {"ä": 1})
    assert path.read_text(encoding="utf-8") == '{\n  "ä": 1\n}\n'
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        files.write_atomic(path, "new")
    assert path.read_text(encoding="utf-8") == '{\n  "ä": 1\n}\n'
    assert list(path.parent.iterdir()) == [path]
    (path.parent / ".file.json.x.tmp").touch()
    assert files.remove_leftovers(path.parent) == 1
