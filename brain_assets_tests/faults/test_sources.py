"""Sources that move under the product's feet: odd paths, clocks that jump, mass deletions, notes rewritten while read."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from brain_assets import cli
from brain_assets.errors import BrainError
from brain_assets.operation import pipeline
from brain_assets.operation import status as standing_of
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries
from brain_assets_tests.faults.killing import standing
from brain_assets_tests.operation import brains


def _build(settings: Settings, **options: bool) -> None:
    with pipeline.writing(settings, **options) as run:
        pipeline.run_stages(pipeline.STAGES, run)


def _sync(settings: Settings, **options: bool) -> dict[str, int]:
    with pipeline.writing(settings, **options) as run:
        return pipeline.sync(run)["vault_notes"].details


def _unhealthy(settings: Settings) -> list[str]:
    with catalogue.open(settings, read_only=True) as cat:
        return standing_of.read(cat, settings).unhealthy


@pytest.mark.parametrize(
    "name", ["Mein Tresor für alle", "zwei\nZeilen", "'quoted' \"paths\"; $HOME `x` #", "日本語 🧠"]
)
def test_the_path_of_a_brain_may_be_anything(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    monkeypatch.setenv("DAGSTER_HOME", "")
    plain = brains.small(tmp_path / "plain")
    _build(plain)
    odd = brains.small(tmp_path / name)
    places = ["--data-dir", str(odd.data_dir), "--vault", str(odd.vault_dir), "--kb", str(odd.kb_dir)]
    assert cli.main(["build", *places]) == 0, capsys.readouterr().err
    assert standing(odd) == standing(plain)
    capsys.readouterr()
    assert cli.main(["think", "Wie heißt der Druckserver?", "--no-llm", *places]) == 0
    assert "papyrus" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["wo?mode=ro", "100%20"])
def test_some_paths_need_another_home_for_dagster(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    plain, odd = brains.small(tmp_path / "plain"), brains.small(tmp_path / name)
    _build(plain)
    _build(odd)
    assert standing(odd) == standing(plain)
    places = ["--data-dir", str(odd.data_dir), "--vault", str(odd.vault_dir), "--kb", str(odd.kb_dir)]
    assert cli.main(["build", *places]) == 2
    assert "DAGSTER_HOME" in capsys.readouterr().err


def test_clocks_may_jump(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    _build(settings)
    undisturbed = standing(settings)
    for year in ("2039-01-01", "1999-12-31", "2026-12-01"):
        jumped = settings.model_copy(update={"now": type(settings.today).fromisoformat(year)})
        _build(jumped)
        assert _unhealthy(jumped) == []
        assert brains.live(jumped) == brains.live(settings)
    assert standing(settings) == undisturbed
    for number, stamp in enumerate((4_000_000_000, 0, 1)):
        note = sorted(settings.vault_dir.rglob("*.md"))[number]
        os.utime(note, (stamp, stamp))
    _build(settings)
    assert standing(settings) == undisturbed, "a file's time is only a hint: its notes state their dates"


def test_a_deletion_under_a_wrong_clock_keeps_its_tombstone_or_forgets_it_whole(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    _build(settings)
    (settings.vault_dir / "Druck.md").unlink()
    past = settings.model_copy(update={"now": type(settings.today)(1999, 1, 1)})
    _build(past)
    _build(settings)  # the tombstone is 27 years old now
    assert _unhealthy(settings) == []
    brains.write(settings.vault_dir, {"Druck.md": brains.NOTES["Druck.md"]})
    _build(settings)
    fresh = settings.model_copy(update={"data_dir": tmp_path / "fresh"})
    _build(fresh)
    assert standing(settings)["assets"] == standing(fresh)["assets"]


def _delete_many(tmp_path: Path, number: int) -> None:
    settings = brains.small(tmp_path)
    text = "---\ndate: 2026-11-01\n---\nServer {n} steht im Regal {n}.\n"
    brains.write(settings.vault_dir, {f"{n % 100}/Regal {n}.md": text.format(n=n) for n in range(number)})
    _sync(settings)
    brains.write(settings.vault_dir, {f"bleibt/{n}.md": text.format(n=f"x{n}") for n in range(10)})
    _sync(settings)
    for folder in range(100):
        shutil.rmtree(settings.vault_dir / str(folder))
    before = standing(settings)
    with pytest.raises(BrainError, match="--allow-mass-delete"):
        _sync(settings)
    assert standing(settings) == before
    details = _sync(settings, allow_mass_delete=True)
    assert (details["deleted"], details["live"]) == (number, 13)
    assert _unhealthy(settings) == []
    fresh = settings.model_copy(update={"data_dir": tmp_path / "fresh"})
    _sync(fresh)
    for asset in ("vault_notes", "kb_entries"):
        assert standing(settings)["assets"][asset] == standing(fresh)["assets"][asset]  # type: ignore[index]
    found = [str(hit.path) for hit in Searcher.open(settings).search("Server im Regal 17", top=50, all=True).hits]
    assert any(path.startswith("bleibt/") for path in found)
    assert not [path for path in found if path.split("/")[0].isdigit()], "a deleted note is still found"


def test_a_thousand_notes_deleted_at_once(tmp_path: Path) -> None:
    _delete_many(tmp_path, 1000)


@pytest.mark.slow
def test_ten_thousand_notes_deleted_at_once(tmp_path: Path) -> None:
    _delete_many(tmp_path, 10_000)


def test_a_vault_replaced_by_an_empty_folder(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    _build(settings)
    before = standing(settings)
    away = settings.vault_dir.rename(tmp_path / "away")
    settings.vault_dir.mkdir()
    with pytest.raises(BrainError, match="empty now") as caught:
        _build(settings)
    assert "--allow-mass-delete" in caught.value.remedy
    assert standing(settings) == before
    assert Searcher.open(settings).search("Druckserver").hits
    settings.vault_dir.rmdir()
    away.rename(settings.vault_dir)
    _build(settings)
    assert standing(settings) == before, "the share came back, and nothing had happened"
    shutil.rmtree(settings.vault_dir)
    settings.vault_dir.mkdir()
    _build(settings, allow_mass_delete=True)
    assert brains.live(settings) == ["kb:KB-1"]
    assert _unhealthy(settings) == []


def test_a_note_rewritten_while_it_is_read_is_read_whole_or_again(tmp_path: Path) -> None:
    """An editor that truncates and writes in steps, and one that renames into place, against a sync that never rests."""
    settings = brains.small(tmp_path)
    _sync(settings)
    note, renamed = settings.vault_dir / "Lauf.md", settings.vault_dir / "Tausch.md"
    ended = threading.Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            with note.open("w", encoding="utf-8") as file:
                for _ in range(20):
                    file.write(f"Stand {number}. " * 20)
                    file.flush()
            beside = renamed.with_suffix(".tmp")
            beside.write_text(f"Stand {number}. " * 400, encoding="utf-8")
            beside.replace(renamed)
            time.sleep(0.001)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        deadline = time.monotonic() + 6
        while time.monotonic() < deadline:
            _sync(settings)
            with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
                swapped = entries.get(connection, "note:Tausch.md")
            if swapped is not None:
                assert len(set(swapped.body.split(". "))) <= 2, "a renamed file is one state"
    finally:
        ended.set()
        thread.join()
    _sync(settings)
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        for path in (note, renamed):
            entry = entries.get(connection, f"note:{path.name}")
            assert entry is not None and entry.body.strip() == path.read_text("utf-8").strip()
    assert _unhealthy(settings) == []
