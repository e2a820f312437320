from __future__ import annotations

import datetime as dt
import os
import shutil
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from brain_assets.errors import BrainError, ConfigurationError
from brain_assets.settings import Settings
from brain_assets.sources import read, sync, walk
from brain_assets.store import entries
from brain_assets.store.catalogue import Catalogue, generation
from brain_assets_tests.sources.vaults import counts, links_of, live, notes, problem_list, write

BASE = {
    "a.md": "# A\nSiehe [[B]].",
    "sub/B.md": "# Bee\nText von B.",
    "c.md": "---\ndate: 2026-01-02\n---\nText von C.",
}


def test_added_changed_deleted_unchanged(cat: Catalogue, settings: Settings) -> None:
    vault = settings.vault_dir
    write(vault, BASE)
    assert counts(notes(cat, settings)) == (3, 0, 0, 0, 0)
    assert counts(notes(cat, settings)) == (0, 0, 0, 3, 0)
    write(vault, {"a.md": "# A\nGeändert."})
    (vault / "c.md").unlink()
    write(vault, {"d.md": "neu"})
    assert counts(notes(cat, settings)) == (1, 1, 1, 1, 0)
    found = live(cat)
    assert sorted(found) == ["note:a.md", "note:d.md", "note:sub/B.md"] and "Geändert." in found["note:a.md"].body


def test_deleted_notes_are_tombstones_until_they_are_old(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    (settings.vault_dir / "c.md").unlink()
    notes(cat, settings)
    with cat.read() as connection:
        assert entries.counts(connection) == {"note": 2, "tombstones": 1}
    later = settings.model_copy(update={"now": settings.today + dt.timedelta(days=settings.tombstone_days + 1)})
    notes(cat, later)
    with cat.read() as connection:
        assert entries.counts(connection) == {"note": 2, "tombstones": 0}


def test_an_unchanged_vault_is_not_read(cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    with cat.read() as connection:
        before = generation(connection)
    monkeypatch.setattr(read, "content", None)
    assert counts(notes(cat, settings)) == (0, 0, 0, 3, 0)
    with cat.read() as connection:
        assert generation(connection) == before


def test_a_new_file_time_alone_changes_nothing_but_the_date(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    stamp = dt.datetime(2026, 10, 5, 12, tzinfo=dt.UTC).timestamp()
    for name in BASE:
        os.utime(settings.vault_dir / name, (stamp, stamp))
    assert counts(notes(cat, settings)) == (0, 2, 0, 1, 0)  # c.md has a date of its own
    assert live(cat)["note:a.md"].date == dt.date(2026, 10, 5)
    os.utime(settings.vault_dir / "a.md", (stamp + 60, stamp + 60))
    assert counts(notes(cat, settings)) == (0, 0, 0, 3, 0)
    assert counts(notes(cat, settings)) == (0, 0, 0, 3, 0)


def test_an_edit_of_the_same_size_right_after_a_sync_is_seen(cat: Catalogue, settings: Settings) -> None:
    path = settings.vault_dir / "a.md"
    path.write_text("eins")
    second = int(time.time())  # as file systems do that know no fractions of a second
    os.utime(path, (second, second))
    notes(cat, settings)
    path.write_text("zwei")
    os.utime(path, (second, second))
    notes(cat, settings)
    assert live(cat)["note:a.md"].body == "zwei"
    assert counts(notes(cat, settings)) == (0, 0, 0, 1, 0)


def test_a_renamed_note_keeps_its_trail(cat: Catalogue, settings: Settings) -> None:
    vault = settings.vault_dir
    write(vault, BASE | {"leer.md": "", "auch leer.md": ""})
    notes(cat, settings)
    (vault / "neu").mkdir()
    (vault / "sub/B.md").rename(vault / "neu/B.md")
    (vault / "leer.md").rename(vault / "leer2.md")
    details = notes(cat, settings)
    assert counts(details) == (2, 0, 2, 3, 0) and details["renamed"] == 1
    assert live(cat)["note:neu/B.md"].previous_ids == ("note:sub/B.md",)
    assert live(cat)["note:leer2.md"].previous_ids == ()  # empty notes are all alike
    write(vault, {"neu/B.md": "# Bee\nText von B, bearbeitet."})
    notes(cat, settings)
    assert live(cat)["note:neu/B.md"].previous_ids == ("note:sub/B.md",)
    (vault / "neu/B.md").rename(vault / "B3.md")
    notes(cat, settings)
    assert live(cat)["note:B3.md"].previous_ids == ("note:neu/B.md", "note:sub/B.md")
    (vault / "B3.md").rename(vault / "sub/B.md")
    notes(cat, settings)
    assert live(cat)["note:sub/B.md"].previous_ids == ("note:B3.md", "note:neu/B.md")


def test_a_move_in_two_steps_is_a_rename_too(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    data = (settings.vault_dir / "sub/B.md").read_bytes()
    (settings.vault_dir / "sub/B.md").unlink()
    notes(cat, settings)
    write(settings.vault_dir, {"x/B.md": data})
    notes(cat, settings)
    assert live(cat)["note:x/B.md"].previous_ids == ("note:sub/B.md",)


def test_of_equal_notes_the_one_with_the_same_name_is_continued(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {"1/x.md": "gleich", "1/y.md": "gleich", "z.md": "z"})
    notes(cat, settings)
    shutil.move(settings.vault_dir / "1", settings.vault_dir / "2")
    assert notes(cat, settings)["renamed"] == 2
    found = live(cat)
    assert found["note:2/x.md"].previous_ids == ("note:1/x.md",) and found["note:2/y.md"].previous_ids == (
        "note:1/y.md",
    )


def test_a_whole_vault_may_move_but_not_vanish(cat: Catalogue, settings: Settings) -> None:
    vault = settings.vault_dir
    write(vault, {f"n{i}.md": f"Notiz {i}" for i in range(50)})
    notes(cat, settings)
    (vault / "unten").mkdir()
    for path in vault.glob("*.md"):
        path.rename(vault / "unten" / path.name)
    assert notes(cat, settings)["renamed"] == 50
    for i in range(26):
        (vault / f"unten/n{i}.md").unlink()
    with pytest.raises(BrainError, match="Nothing was changed") as caught:
        sync.sync_vault(cat, settings)
    assert "allow-mass-delete" in caught.value.remedy and len(live(cat)) == 50
    assert counts(notes(cat, settings, allow_mass_delete=True)) == (0, 0, 26, 24, 0)


def test_an_empty_folder_in_place_of_the_vault_deletes_nothing(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {"einzige.md": "Text"})
    notes(cat, settings)
    (settings.vault_dir / "einzige.md").unlink()
    with pytest.raises(BrainError, match="is empty now"):
        sync.sync_vault(cat, settings)
    assert len(live(cat)) == 1
    notes(cat, settings, allow_mass_delete=True)
    assert len(live(cat)) == 0


@pytest.mark.parametrize("make", [None, "file"])
def test_a_missing_vault_is_a_matter_of_configuration(cat: Catalogue, settings: Settings, make: str | None) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    shutil.rmtree(settings.vault_dir)
    if make:
        settings.vault_dir.write_text("x")
    with pytest.raises(ConfigurationError, match=str(settings.vault_dir)) as caught:
        sync.sync_vault(cat, settings)
    assert "BRAIN_VAULT_DIR" in caught.value.remedy and caught.value.exit_code == 2 and len(live(cat)) == 3


def test_too_large_files_wait_for_a_higher_limit(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {"a.md": "kurz", "b.md": "x" * 5_000})
    small = settings.model_copy(update={"max_file_bytes": 1_000})
    assert counts(notes(cat, small)) == (1, 0, 0, 0, 1)
    assert counts(notes(cat, small)) == (0, 0, 0, 1, 1)
    assert "BRAIN_MAX_FILE_BYTES" in dict(problem_list(cat))["b.md"]
    assert counts(notes(cat, settings)) == (1, 0, 0, 1, 0)
    assert problem_list(cat) == []
    write(settings.vault_dir, {"a.md": "x" * 5_000, "b.md": "kurz"})
    assert counts(notes(cat, small)) == (0, 1, 0, 0, 1)
    assert sorted(live(cat)) == ["note:b.md"]


def test_what_becomes_unreadable_is_kept_and_tried_again(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    whole = read._read

    def failing(path: str, max_bytes: int) -> Any:
        if path.endswith(("a.md", "neu.md")):
            raise PermissionError(13, "Permission denied")
        return whole(path, max_bytes)

    monkeypatch.setattr(read, "_read", failing)
    write(settings.vault_dir, {"a.md": "# A\nNeu.", "neu.md": "Noch nie gelesen."})
    assert counts(notes(cat, settings)) == (0, 0, 0, 3, 1)
    assert "Siehe" in live(cat)["note:a.md"].body
    reasons = dict(problem_list(cat))
    assert (
        "Permission denied" in reasons["a.md"]
        and "kept" in reasons["a.md"]
        and "Permission denied" in reasons["neu.md"]
    )
    monkeypatch.undo()
    assert counts(notes(cat, settings)) == (1, 1, 0, 2, 0)
    assert "Neu." in live(cat)["note:a.md"].body and problem_list(cat) == []


def test_folders_that_cannot_be_listed_lose_nothing(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    scandir = os.scandir

    def failing(path: str) -> Any:
        if path.rstrip("/").endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(walk.os, "scandir", failing)
    write(settings.vault_dir, {"d.md": "[[B]]"})
    assert counts(notes(cat, settings)) == (1, 0, 0, 3, 0)
    assert problem_list(cat) == [("sub/", "the folder cannot be listed (Permission denied)")]
    assert links_of(cat, "d.md") == [("B", "note:sub/B.md", ())]
    monkeypatch.undo()
    assert counts(notes(cat, settings)) == (0, 0, 0, 4, 0) and problem_list(cat) == []


def test_a_note_that_is_rewritten_while_read_is_read_again(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings.vault_dir / "a.md"
    write(settings.vault_dir, {"a.md": "alt " * 100})
    fstat, calls = os.fstat, []

    def rewriting(descriptor: int) -> os.stat_result:
        calls.append(descriptor)
        if len(calls) == 2:  # between reading and looking again
            path.write_text("neu " * 50)
        return fstat(descriptor)

    monkeypatch.setattr(read.os, "fstat", rewriting)
    notes(cat, settings)
    assert live(cat)["note:a.md"].body == ("neu " * 50) and len(calls) == 4


def test_a_note_that_vanishes_between_walk_and_reading(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(settings.vault_dir, BASE)
    notes(cat, settings)
    write(settings.vault_dir, {"a.md": "neu", "d.md": "neu"})
    whole = sync.walk

    def then_delete(*args: Any, **options: Any) -> Any:
        seen = whole(*args, **options)
        (settings.vault_dir / "a.md").unlink(missing_ok=True)
        (settings.vault_dir / "d.md").unlink(missing_ok=True)
        return seen

    monkeypatch.setattr(sync, "walk", then_delete)
    assert counts(notes(cat, settings)) == (0, 0, 1, 2, 0)
    assert sorted(live(cat)) == ["note:c.md", "note:sub/B.md"]


def test_two_spellings_of_one_name_never_become_one(cat: Catalogue, settings: Settings) -> None:
    composed, decomposed = "Größe.md", unicodedata.normalize("NFD", "Größe.md")
    write(settings.vault_dir, {composed: "erste"})
    notes(cat, settings)
    write(settings.vault_dir, {decomposed: "zweite"})
    assert counts(notes(cat, settings)) == (0, 0, 0, 1, 1)
    assert live(cat)["note:Größe.md"].body == "erste"  # who is there keeps its place
    assert counts(notes(cat, settings)) == (0, 0, 0, 1, 1)
    ((path, reason),) = problem_list(cat)
    assert "u" not in path.lower()[:2] and "rename one of them" in reason
    (settings.vault_dir / composed).unlink()
    details = notes(cat, settings)
    assert details["live"] == 1 and details["quarantined"] == 0 and live(cat)["note:Größe.md"].body == "zweite"
    assert problem_list(cat) == []


def test_names_that_are_not_utf8(cat: Catalogue, settings: Settings) -> None:
    raw = os.fsencode(settings.vault_dir) + b"/Gr\xf6\xdfe.md"
    Path(os.fsdecode(raw)).write_bytes(b"Text")
    assert counts(notes(cat, settings)) == (1, 0, 0, 0, 0)
    assert live(cat)["note:Größe.md"].body == "Text"
    os.utime(raw, (1, 1))
    notes(cat, settings)
    assert counts(notes(cat, settings)) == (0, 0, 0, 1, 0)


def test_a_reader_that_fails_on_one_note_does_not_stop_the_others(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from brain_assets.sources import vault

    whole = vault.read_note

    def failing(path: str, data: bytes, mtime_ns: int) -> Any:
        if path == "a.md":
            raise KeyError("the text of the note: password=hunter2")
        return whole(path, data, mtime_ns)

    monkeypatch.setattr(vault, "read_note", failing)
    write(settings.vault_dir, BASE)
    assert counts(notes(cat, settings)) == (2, 0, 0, 0, 1)
    assert problem_list(cat) == [("a.md", "it could not be understood (KeyError)")]
    assert "hunter2" not in caplog.text


def test_a_new_reader_reads_everything_again(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    write(settings.vault_dir, BASE)
    notes(cat, settings)
    monkeypatch.setattr(sync, "VAULT", dataclasses.replace(sync.VAULT, version="next"))
    assert counts(notes(cat, settings)) == (0, 3, 0, 0, 0)
    assert counts(notes(cat, settings)) == (0, 0, 0, 3, 0)


def test_what_is_left_out_is_counted(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, BASE | {"x.png": "", "Archiv/alt.md": "alt", ".obsidian/app.json": "{}"})
    details = notes(cat, settings.model_copy(update={"vault_ignore": ("Archiv",)}))
    assert details["skipped"] == {".png": 1} and details["ignored"] == 2 and details["live"] == 3
    assert counts(notes(cat, settings)) == (1, 0, 0, 3, 0)


def test_a_data_directory_inside_the_vault_is_not_read(cat: Catalogue, settings: Settings, tmp_path: Path) -> None:
    write(tmp_path / "vault", BASE)
    inside = settings.model_copy(update={"vault_dir": tmp_path})
    write(settings.data_dir, {"answers/Antwort.md": "Text"})
    assert sorted(live(cat)) == [] and notes(cat, inside)["live"] == 3
    assert all(i.startswith("note:vault/") for i in live(cat))


def test_progress_and_large_vaults_in_batches(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {f"{i % 7}/n{i:04}.md": f"# N {i}\n[[n{(i * 7) % 600:04}]]" for i in range(600)})
    calls: list[tuple[str, int, int]] = []
    notes(cat, settings, progress=lambda *call: calls.append(call))
    assert calls == [("vault_notes", 256, 600), ("vault_notes", 512, 600), ("vault_notes", 600, 600)]
    assert all(link.entry_id for entry in live(cat).values() for link in entry.links)
