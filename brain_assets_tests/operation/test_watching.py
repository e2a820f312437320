"""Watching: which folders events mean, and that what is saved, moved or deleted is found while vectors wait."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain_assets.errors import BrainError
from brain_assets.operation import pipeline, watching
from brain_assets.operation.watching import Changes
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains


def test_what_events_mean(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    vault, kb = settings.vault_dir, settings.kb_dir
    told: list[tuple[Path, Changes]] = [
        (vault / "Neu.md", Changes(folders={""})),
        (vault / "VPN/tief/Größe.MD", Changes(folders={"VPN/tief"})),
        (vault / "VPN", Changes(folders={"VPN", "VPN/tief"})),
        (vault / "4913", Changes(gone={"4913"})),
        (vault / "VPN/weg", Changes(gone={"VPN/weg"})),
        (vault / "Anhang", Changes()),
        (kb / "KB-1.json", Changes(kb=True)),
        (kb / "neu", Changes(kb=True)),
        (kb / "Notiz.md", Changes(kb=True)),
        (tmp_path / "anderswo.md", Changes(whole=True)),
    ]
    (vault / "VPN/tief").mkdir()
    (kb / "neu").mkdir()
    (vault / "Anhang").write_text("kein Ordner", encoding="utf-8")
    for path, wanted in told:
        found = Changes()
        found.add(settings, str(path))
        assert found == wanted, path


def test_a_knowledge_base_inside_the_vault(tmp_path: Path) -> None:
    settings = brains.small(tmp_path, kb_dir=tmp_path / "vault" / "KB")
    for path, wanted in (
        ("KB/KB-1.json", Changes(kb=True)), ("KB/Notiz.md", Changes(folders={"KB"})),
        ("KB/weg", Changes(kb=True, gone={"KB/weg"})), ("daten.json", Changes(gone={"daten.json"})),
    ):  # fmt: skip
        found = Changes()
        found.add(settings, str(settings.vault_dir / path))
        assert found == wanted, path


def test_what_is_gone_matters_if_notes_were_in_it(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    for gone, whole in (("VPN", True), ("VP", False), ("4913", False), ("V%", False), ("VPN/Gateway", False)):
        changes = Changes(gone={gone})
        changes.settle_gone(settings)
        assert (changes.whole, changes.gone) == (whole, set()), gone


@contextmanager
def _watched(settings: Settings) -> Iterator[list[str]]:
    """A watch under way, and the lines it tells."""
    lines: list[str] = []
    stop = threading.Event()
    thread = threading.Thread(target=watching.watch, args=(settings,), kwargs={"tell": lines.append, "stop": stop})
    thread.start()
    try:
        _until(lambda: bool(lines))
        time.sleep(0.5)  # file events are listened to from another thread
        yield lines
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()


def _until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def _found(settings: Settings, query: str) -> set[str]:
    return {hit.id for hit in Searcher.open(settings).search(query, mode="lexical").hits}


def test_saved_moved_and_deleted_notes_and_folders(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    vault = settings.vault_dir
    with _watched(settings) as lines:
        brains.write(vault, {"Neu/Ordner/Zebra.md": "Ein Zebrafink singt.\n"})
        _until(lambda: _found(settings, "Zebrafink") == {"note:Neu/Ordner/Zebra.md"})
        (vault / "Neu").rename(vault / "Alt")
        _until(lambda: _found(settings, "Zebrafink") == {"note:Alt/Ordner/Zebra.md"})
        (vault / "Druck.md").unlink()
        _until(lambda: "note:Druck.md" not in _found(settings, "Druckserver papyrus"))
        record = (settings.kb_dir / "KB-1.json").read_text(encoding="utf-8")
        (settings.kb_dir / "KB-1.json").write_text(record.replace("Uhrzeit", "Funkuhr"), encoding="utf-8")
        _until(lambda: "kb:KB-1" in _found(settings, "Funkuhr"))
        _until(lambda: any("KB entries: 1 changed" in line for line in lines))  # told once it can be found
        assert lines[0] == "Everything is up to date; waiting for changes."
        assert any("notes: 1 added" in line for line in lines)


def test_a_change_is_findable_before_its_vectors_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.synced(tmp_path)
    seen: list[set[str]] = []
    complete = pipeline.complete

    def slowly(run: pipeline.Run, news: bool) -> object:
        seen.append(_found(settings, "Zebrafink"))
        return complete(run, news)

    monkeypatch.setattr(pipeline, "complete", slowly)
    with _watched(settings):
        brains.write(settings.vault_dir, {"Zebra.md": "Ein Zebrafink singt.\n"})
        _until(lambda: {"note:Zebra.md"} in seen)


def test_a_change_that_could_not_be_read_is_read_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.synced(tmp_path)
    monkeypatch.setattr(watching, "RETRY_SECONDS", 0.2)
    read, failures = pipeline.read_sources, [BrainError("Der Datenträger ist gerade nicht da.")] * 2

    def failing(*arguments: object) -> object:
        if failures:
            raise failures.pop()
        return read(*arguments)  # type: ignore[arg-type]

    with _watched(settings) as lines:
        monkeypatch.setattr(pipeline, "read_sources", failing)
        brains.write(settings.vault_dir, {"Zebra.md": "Ein Zebrafink singt.\n"})
        _until(lambda: _found(settings, "Zebrafink") == {"note:Zebra.md"})
        assert lines.count("Der Datenträger ist gerade nicht da.") == 1


def test_folders_at_rest_are_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.small(tmp_path)
    note = settings.vault_dir / "Druck.md"
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            note.write_text("Der Druckserver heißt anders.\n", encoding="utf-8")

    monkeypatch.setattr(watching.time, "sleep", sleep)
    for path in (*settings.vault_dir.rglob("*.md"), *settings.kb_dir.glob("*.json")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    seen = watching.fingerprint(settings)
    assert watching.at_rest(settings, seen) == seen
    assert slept == [], "written long ago"
    note.touch()
    seen = watching.fingerprint(settings)
    settled = watching.at_rest(settings, seen)
    assert settled == watching.fingerprint(settings) != seen
    assert slept == [watching.QUIET_SECONDS] * 2, "just written, and written again meanwhile"
