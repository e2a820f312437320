"""Disks that are full or read-only, files that are damaged or gone: said plainly, nothing lost, and then made good."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brain_assets import cli
from brain_assets.errors import BrainError
from brain_assets.operation import backup, pipeline
from brain_assets.operation import status as standing_of
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets.store import catalogue
from brain_assets_tests.faults.killing import standing
from brain_assets_tests.operation import brains


def _build(settings: Settings) -> None:
    with pipeline.writing(settings) as run:
        pipeline.run_stages(pipeline.STAGES, run)


def _places(settings: Settings) -> list[str]:
    return ["--data-dir", str(settings.data_dir), "--vault", str(settings.vault_dir), "--kb", str(settings.kb_dir)]


def _healthy(settings: Settings) -> None:
    with catalogue.open(settings, read_only=True) as cat:
        assert standing_of.read(cat, settings).unhealthy == []


def _many(place: Path) -> Settings:
    """A hundred notes and a KB entry: enough for a small disk to be full in the middle."""
    settings = brains.small(place)
    text = (
        "---\ndate: 2026-11-01\n---\nServer {n} steht im Regal {n} und sichert jede Nacht um {n} Uhr. "
        + "Wort {n}. " * 60
    )
    brains.write(settings.vault_dir, {f"Regal {n}.md": text.format(n=n) for n in range(100)})
    return settings


class Disk:
    """A small tmpfs."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()
        self._mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place))

    def _mount(self, *arguments: str) -> None:
        subprocess.run(["mount", *arguments], check=True, capture_output=True)

    def resize(self, size: str) -> None:
        self._mount("-o", f"remount,rw,size={size}", str(self.place))

    def read_only(self) -> None:
        self._mount("-o", "remount,ro", str(self.place))

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.place)], check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0:
        pytest.skip("a small disk of its own (tmpfs) can only be mounted by root")
    try:
        found = Disk(tmp_path / "disk")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no tmpfs can be mounted here ({error})")
    yield found
    found.close()


def test_a_full_disk_is_said_and_costs_nothing(
    disk: Disk, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    elsewhere = _many(tmp_path / "elsewhere")
    _build(elsewhere)
    undisturbed = standing(elsewhere)
    settings = elsewhere.model_copy(update={"data_dir": disk.place / "data"})
    refused = 0
    for size in ("64k", "300k", "600k", "900k", "1300k", "2m", "3m", "5m"):
        disk.resize(size)
        code = cli.main(["sync", *_places(settings)])
        told = capsys.readouterr().err
        assert code in (0, 1, 2), size
        if code:
            refused += 1
            assert "Error: " in told and ("full" in told or "space" in told), told
    assert refused >= 3
    disk.resize("200m")
    _build(settings)
    assert standing(settings) == undisturbed
    _healthy(settings)


def test_a_disk_that_fills_during_the_later_stages(disk: Disk, tmp_path: Path) -> None:
    elsewhere = _many(tmp_path / "elsewhere")
    _build(elsewhere)
    settings = elsewhere.model_copy(update={"data_dir": disk.place / "data"})
    disk.resize("200m")
    with pipeline.writing(settings) as run:
        pipeline.sync(run)
    for spare in (16 << 10, 128 << 10, 512 << 10):
        used = shutil.disk_usage(disk.place).used
        disk.resize(str(used + spare))
        try:
            _build(settings)
        except BrainError as error:
            assert "full" in str(error) or "space" in str(error)
    disk.resize("200m")
    _build(settings)
    assert standing(settings) == standing(elsewhere)
    _healthy(settings)


def test_a_read_only_brain_is_searched_and_not_written(
    disk: Disk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disk.resize("100m")
    settings = brains.small(tmp_path).model_copy(update={"data_dir": disk.place / "data"})
    _build(settings)
    before = standing(settings)
    disk.read_only()
    assert Searcher.open(settings).search("Druckserver").hits[0].id == "note:Druck.md"
    for command in (["search", "Druckserver"], ["think", "Wie heißt der Druckserver?", "--no-llm"], ["gaps"]):
        assert cli.main([*command, *_places(settings)]) == 0, command
    assert "papyrus" in capsys.readouterr().out
    for command in (["sync"], ["backup", str(tmp_path / "b.tar.gz")], ["learning", "off"]):
        assert cli.main([*command, *_places(settings)]) == 2, command
        assert "cannot be written" in capsys.readouterr().err
    assert standing(settings) == before


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _garble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(0, len(data), 7):
        data[place] ^= 0xA5
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", [_cut, _garble, Path.unlink], ids=["cut", "garbled", "gone"])
@pytest.mark.xdist_group("sample_brain")
def test_damaged_projections_are_said_and_made_anew(
    damage: Callable[[Path], None], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = brains.copy(brains.sample_once(tmp_path_factory), tmp_path)
    question = "Wie stelle ich den VPN-Tunnel wieder her?"
    before = [hit.id for hit in Searcher.open(settings).search(question).hits]
    undisturbed = standing(settings)
    projections = sorted(p for f in (settings.index_dir, settings.vectors_dir) for p in f.rglob("*") if p.is_file())
    kinds = {path.suffix or path.name: path for path in projections}
    assert len(kinds) >= 6
    for path in kinds.values():
        if not path.exists():
            continue  # a file that the last repair replaced
        damage(path)
        try:
            Searcher.open(settings).search(question)
        except BrainError as error:
            assert error.remedy or "brain sync" in error.message, path
        with pipeline.writing(settings) as run:
            pipeline.sync(run)
        assert [hit.id for hit in Searcher.open(settings).search(question).hits] == before, path
    assert standing(settings) == undisturbed
    _healthy(settings)


@pytest.mark.parametrize("folder", ["index", "vectors", "staging", "article-metadata"])
@pytest.mark.xdist_group("sample_brain")
def test_a_folder_that_is_gone_comes_back(
    folder: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = brains.copy(brains.sample_once(tmp_path_factory), tmp_path)
    undisturbed = standing(settings)
    shutil.rmtree(settings.data_dir / folder)
    _build(settings)
    assert standing(settings) == undisturbed
    _healthy(settings)


def test_a_catalogue_from_an_older_backup_catches_up(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    old = tmp_path / "old.db"
    backup._snapshot(settings.data_dir / "brain.db", old)
    brains.write(
        settings.vault_dir, {"New.md": "Der neue Scanner heißt lynx.\n", "Druck.md": "Der Druckserver heißt gazelle.\n"}
    )
    (settings.vault_dir / "Backup.md").unlink()
    _build(settings)
    for name in ("brain.db-wal", "brain.db-shm"):
        (settings.data_dir / name).unlink(missing_ok=True)
    shutil.copy(old, settings.data_dir / "brain.db")  # beside the index of the newer one
    _build(settings)
    found = Searcher.open(settings)
    assert found.search("gazelle").hits[0].id == "note:Druck.md"
    assert found.search("lynx").hits[0].id == "note:New.md"
    assert found.search("papyrus").hits == ()
    fresh = settings.model_copy(update={"data_dir": tmp_path / "fresh"})
    _build(fresh)
    assert standing(settings)["assets"] == standing(fresh)["assets"]
    _healthy(settings)


def test_a_catalogue_that_is_no_database_any_more_is_named_and_left(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    path = settings.data_dir / "brain.db"
    for name in ("brain.db-wal", "brain.db-shm"):
        (settings.data_dir / name).unlink(missing_ok=True)
    _garble(path)
    damaged = path.read_bytes()
    with pytest.raises(BrainError, match=r"brain\.db") as caught:
        _build(settings)
    assert "backup" in caught.value.remedy
    assert path.read_bytes() == damaged


def test_a_damaged_page_inside_the_catalogue_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = _many(tmp_path)
    _build(settings)
    path = settings.data_dir / "brain.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    for page in range(8, len(data) // 4096, 2):
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(bytes(data))
    assert cli.main(["sync", *_places(settings)]) == 2
    told = capsys.readouterr().err
    assert "brain.db" in told and "backup" in told
