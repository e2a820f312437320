"""Backup, restore and export: whole or not at all, proven, and usable without the product."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import pytest

from brain_assets.errors import BrainError, ConfigurationError, LockedError, NewerCatalogueError, NotFoundError
from brain_assets.graph import export as graph_export
from brain_assets.operation import backup, export, pipeline
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets.store import catalogue, lock, manifest
from brain_assets_tests.operation import brains


def _digests(settings: Settings) -> dict[str, str]:
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        return {asset: manifest.digest(connection, asset) for asset in manifest.ASSETS}


def _files(settings: Settings) -> dict[str, bytes]:
    return {
        path.relative_to(settings.data_dir).as_posix(): path.read_bytes()
        for folder in backup.FOLDERS
        for path in (settings.data_dir / folder).rglob("*")
        if path.is_file()
    }


def _repack(source: Path, target: Path, change: dict[str, bytes], more: tuple[tarfile.TarInfo, ...] = ()) -> Path:
    """The backup with other contents in some members, and with more members."""
    with tarfile.open(source, "r:gz") as old, tarfile.open(target, "w:gz") as new:
        for member in old:
            stream = old.extractfile(member)
            assert stream is not None
            data = change.get(member.name, stream.read())
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
        for member in more:
            new.addfile(member, io.BytesIO(b"x" * member.size))
    return target


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Path]:
    """The small brain, synced, and a backup of it."""
    place = tmp_path_factory.mktemp("small")
    settings = brains.synced(place)
    return settings, backup.backup(settings, place / "b.tar.gz").path


@pytest.mark.xdist_group("sample_brain")
def test_a_restored_brain_is_the_same_and_has_nothing_left_to_do(
    sample_brain: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = brains.copy(sample_brain, tmp_path)
    with pipeline.writing(settings) as run:
        pipeline.sync(run)  # the copied files are other files
    brains.write(settings.answers_dir, {"an-answer.md": "# Question\n"})
    done = backup.backup(settings, tmp_path / "backup.tar.gz")
    assert done.files == len(_files(settings)) + 1
    assert _files(settings)
    elsewhere = settings.model_copy(update={"data_dir": tmp_path / "restored" / "brain"})
    found, aside = backup.restore(elsewhere, done.path)
    assert aside is None and found.manifest == done.manifest
    assert _files(elsewhere) == _files(settings)
    caplog.clear()
    backup.make_searchable(elsewhere)
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert _digests(elsewhere) == _digests(settings)
    assert Searcher.open(elsewhere).search("VPN").hits == Searcher.open(settings).search("VPN").hits
    with pipeline.writing(elsewhere) as run:
        reports = pipeline.run_stages(pipeline.STAGES, run)
    assert {name: (r.pending, r.done) for name, r in reports.items()} == dict.fromkeys(pipeline.STAGES, (0, 0))


def test_a_backup_is_one_snapshot_while_others_read_and_log(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    ended = threading.Event()
    failures: list[Exception] = []

    def busy() -> None:
        try:
            with catalogue.open(settings) as cat:
                while not ended.is_set():
                    with cat.begin() as connection:  # as the log of model calls does, without the writer lock
                        catalogue.set_meta(connection, "busy", str(time.monotonic()))
                    Searcher.open(settings).search("Druckserver")
        except Exception as error:  # noqa: BLE001 (what it was is compared below)
            failures.append(error)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for number in range(5):
            done = backup.backup(settings, tmp_path / f"{number}.tar.gz")
            other = settings.model_copy(update={"data_dir": tmp_path / f"r{number}"})
            backup.restore(other, done.path)
            assert _digests(other) == _digests(settings)
    finally:
        ended.set()
        thread.join()
    assert failures == []


def test_a_writer_is_named_or_waited_for(small: tuple[Settings, Path], tmp_path: Path) -> None:
    settings = brains.synced(tmp_path / "own")
    holds = threading.Event()

    def hold() -> None:
        with lock.writer(settings):
            holds.set()
            time.sleep(0.6)

    thread = threading.Thread(target=hold)
    thread.start()
    holds.wait(10)
    with pytest.raises(LockedError):
        backup.backup(settings, tmp_path / "b.tar.gz")
    assert backup.backup(settings, tmp_path / "b.tar.gz", wait=20).path.exists()
    thread.join()


def test_a_backup_is_never_written_over(small: tuple[Settings, Path]) -> None:
    settings, file = small
    before = file.read_bytes()
    with pytest.raises(ConfigurationError, match="already there"):
        backup.backup(settings, file)
    assert file.read_bytes() == before
    with pytest.raises(NotFoundError):
        backup.backup(settings.model_copy(update={"data_dir": file.parent / "none"}), file.parent / "c.tar.gz")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        backup.backup(settings, file / "below-a-file" / "c.tar.gz")


_SLOW = """
import sys, time
from pathlib import Path
from brain_assets.operation import backup
from brain_assets.settings import load
real = backup._digest
def slow(path):
    print("writing", flush=True)
    time.sleep(60)
    return real(path)
backup._digest = slow
backup.backup(load(data_dir=sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_killed_backup_leaves_nothing_that_looks_like_one(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    target = tmp_path / "b.tar.gz"
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW, str(settings.data_dir), str(target)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "writing\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert not target.exists()
    with pipeline.writing(settings):
        assert not (settings.data_dir / ".backup.tmp").exists(), "the next writer clears what was left"
    assert backup.backup(settings, target).path.exists()
    assert not list(tmp_path.glob(".*.part"))


def test_what_is_there_is_kept(small: tuple[Settings, Path], tmp_path: Path) -> None:
    _, file = small
    settings = brains.synced(tmp_path)
    brains.write(settings.answers_dir, {"mine.md": "kept"})
    with pytest.raises(ConfigurationError, match="not empty"):
        backup.restore(settings, file)
    for number in (1, 2):
        _, aside = backup.restore(settings, file, force=True)
        assert aside == settings.data_dir.with_name(f"data.before-restore-{number}")
    assert (tmp_path / "data.before-restore-1" / "answers" / "mine.md").read_text() == "kept"
    assert not (settings.answers_dir / "mine.md").exists()
    assert not list(tmp_path.glob(".*restore*"))


def test_a_damaged_backup_changes_nothing(small: tuple[Settings, Path], tmp_path: Path) -> None:
    source, file = small
    data = file.read_bytes()
    with tarfile.open(file) as archive:
        held = archive.extractfile("brain.db")
        assert held is not None
        database = bytearray(held.read())
    database[len(database) // 2] ^= 0xFF
    evil = tarfile.TarInfo("../outside.txt")
    evil.size = 3
    link = tarfile.TarInfo("staging/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    (tmp_path / "cut.tar.gz").write_bytes(data[: len(data) // 2])
    (tmp_path / "text.tar.gz").write_bytes(b"no archive at all")
    flipped = bytearray(data)
    flipped[len(data) // 3] ^= 0x55
    (tmp_path / "flipped.tar.gz").write_bytes(flipped)
    cases = [
        tmp_path / "cut.tar.gz",
        tmp_path / "text.tar.gz",
        tmp_path / "flipped.tar.gz",
        _repack(file, tmp_path / "bit.tar.gz", {"brain.db": bytes(database)}),
        _repack(file, tmp_path / "evil.tar.gz", {}, (evil,)),
        _repack(file, tmp_path / "link.tar.gz", {}, (link,)),
        _repack(file, tmp_path / "empty-manifest.tar.gz", {"manifest.json": b"{}"}),
    ]
    settings = source.model_copy(update={"data_dir": tmp_path / "place"})
    for case in cases:
        with pytest.raises(BrainError, match="damaged") as caught:
            backup.restore(settings, case)
        assert str(case) in caught.value.message
        assert sorted(p.name for p in tmp_path.iterdir() if "tar" not in p.name) == []
    with pytest.raises(NotFoundError):
        backup.restore(settings, tmp_path / "none.tar.gz")


def test_a_newer_backup_is_refused(small: tuple[Settings, Path], tmp_path: Path) -> None:
    source, _ = small
    other = brains.synced(tmp_path)
    with sqlite3.connect(other.data_dir / "brain.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    newer = backup.backup(other, tmp_path / "newer.tar.gz").path
    with pytest.raises(NewerCatalogueError, match="newer version"):
        backup.restore(source.model_copy(update={"data_dir": tmp_path / "place"}), newer)
    assert not (tmp_path / "place").exists()


def test_the_note_of_the_settings_holds_no_secret(small: tuple[Settings, Path]) -> None:
    settings = small[0].model_copy(update={"searxng_url": "http://user:hidden@host", "stale_days": 12})
    settings = type(settings).model_validate(
        {**settings.model_dump(), "GEMINI_API_KEY": "hidden-key", "OLLAMA_HOST": "http://u:hidden@h",
         "SEARXNG_URL": "http://user:hidden@host"}
    )  # fmt: skip
    noted = backup.noted(settings)
    assert "hidden" not in json.dumps(noted)
    assert noted["GEMINI_API_KEY"] == "(set)"
    assert noted["BRAIN_STALE_DAYS"] == 12


@pytest.mark.xdist_group("sample_brain")
def test_export_holds_everything_as_plain_tables(sample_brain: Settings, tmp_path: Path) -> None:
    with catalogue.open(sample_brain, read_only=True) as cat:
        counts = export.export(cat, sample_brain, tmp_path / "out")
        assert export.export(cat, sample_brain, tmp_path / "out", "csv") == counts
    assert set(counts) == {"entries", "edges", "topics", "articles", "gaps"}
    rows = {
        name: [json.loads(line) for line in (tmp_path / "out" / f"{name}.jsonl").read_text("utf-8").splitlines()]
        for name in counts
    }
    assert {name: len(found) for name, found in rows.items()} == counts
    assert min(counts["entries"], counts["edges"], counts["topics"], counts["articles"]) > 0
    ids = {entry["id"] for entry in rows["entries"]}
    assert ids == set(brains.live(sample_brain))
    assert all(entry["body"] or entry["title"] for entry in rows["entries"])
    assert {end for edge in rows["edges"] for end in (edge["source"], edge["target"])} <= ids
    assert all(article["record"]["answer"] for article in rows["articles"])
    with (tmp_path / "out" / "entries.csv").open(encoding="utf-8", newline="") as file:
        assert {row["id"] for row in csv.DictReader(file)} == ids


@pytest.mark.parametrize("command", ["backup", "graph"])
def test_backup_and_graph_never_write_into_the_sources(tmp_path: Path, command: str) -> None:
    settings = brains.synced(tmp_path)

    def write(place: Path, settings: Settings = settings) -> None:
        if command == "backup":
            backup.backup(settings, place / "brain.tar.gz")
        else:
            with catalogue.open(settings, read_only=True) as cat:
                graph_export.write(cat, settings, place / "brain.html")

    before = sorted(path for folder in (settings.vault_dir, settings.kb_dir) for path in folder.rglob("*"))
    for place in (settings.vault_dir, settings.kb_dir / "new"):
        with pytest.raises(ConfigurationError, match="never written"):
            write(place)
    assert sorted(path for folder in (settings.vault_dir, settings.kb_dir) for path in folder.rglob("*")) == before
    write(tmp_path)
    inside = settings.model_copy(update={"data_dir": settings.data_dir.rename(settings.vault_dir / ".brain")})
    write(inside.data_dir, inside)


def test_export_never_writes_into_the_sources(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    with catalogue.open(settings, read_only=True) as cat:
        with pytest.raises(ConfigurationError, match="never written"):
            export.export(cat, settings, settings.vault_dir / "out")
        if importlib.util.find_spec("pyarrow") is None:
            with pytest.raises(ConfigurationError, match="pyarrow"):
                export.export(cat, settings, tmp_path / "out", "parquet")
        else:
            export.export(cat, settings, tmp_path / "out", "parquet")
            import pandas as pd

            assert len(pd.read_parquet(tmp_path / "out" / "entries.parquet")) == 4
