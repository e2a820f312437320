"""Syncing some folders of the vault gives what syncing all of it gives."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from brain_assets.settings import Settings, load
from brain_assets.sources.sync import sync_folders, sync_kb, sync_vault
from brain_assets.store import catalogue
from brain_assets_tests.sources.test_resume import contents, fill
from brain_assets_tests.sources.vaults import write


@pytest.fixture
def twins(tmp_path: Path) -> tuple[Settings, Settings]:
    """Two brains of one vault, equal so far."""
    fill(tmp_path)
    write(tmp_path / "vault", {"Wurzel.md": "# Wurzel\n\n[[N1]] und [[Fehlt]]\n", "4/.obsidian/x.md": "nie gelesen"})
    places = {"vault_dir": tmp_path / "vault", "kb_dir": tmp_path / "kb", "now": "2026-12-01"}
    first = load(data_dir=tmp_path / "a", max_file_bytes=100_000, **places)
    with catalogue.open(first) as cat:
        sync_vault(cat, first)
        sync_kb(cat, first)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return first, load(data_dir=tmp_path / "b", max_file_bytes=100_000, **places)


def _edit(vault: Path) -> set[str]:
    write(vault, {"1/N1.md": "---\naliases: [Neuer Alias]\n---\n# Notiz\n\n[[N2]] [[Alias 3]] [[Fehlt]]\n"})
    return {"1"}


def _add_what_links_look_for(vault: Path) -> set[str]:
    write(vault, {"3/Fehlt.md": "# Da\n\n[[Wurzel]]\n", "N2.md": "ein zweites N2"})
    return {"3", ""}


def _delete(vault: Path) -> set[str]:
    (vault / "2/N2.md").unlink()
    (vault / "Wurzel.md").unlink()
    return {"2", ""}


def _rename(vault: Path) -> set[str]:
    (vault / "2/N2.md").rename(vault / "2/Umbenannt.md")
    return {"2"}


def _move(vault: Path) -> set[str]:
    (vault / "2/N7.md").rename(vault / "Neu.md")
    (vault / "2/N12.md").rename(vault / "3/N12.md")
    return {"2", "", "3"}


def _grow_too_large(vault: Path) -> set[str]:
    write(vault, {"0/N0.md": "x" * 200_000, "0/binaer.md": b"\x00\x01\x02\x03" * 400})
    return {"0"}


def _spell_twice(vault: Path) -> set[str]:
    write(vault, {"0/Z\u00fcrich.md": "eins", "0/Zu\u0308rich.md": "zwei"})
    return {"0"}


@pytest.mark.parametrize(
    "change", [_edit, _add_what_links_look_for, _delete, _rename, _move, _grow_too_large, _spell_twice]
)
def test_some_folders_give_what_the_whole_gives(
    twins: tuple[Settings, Settings], change: Callable[[Path], set[str]]
) -> None:
    whole, part = twins
    folders = change(whole.vault_dir)
    with catalogue.open(whole) as cat:
        wanted = sync_vault(cat, whole)
    with catalogue.open(part) as cat:
        found = sync_folders(cat, part, folders)
        again = sync_vault(cat, part)
    assert found is not None
    assert found.pending == wanted.pending > 0
    assert found.details == {key: wanted.details[key] for key in found.details}
    assert again.details["added"] == again.details["changed"] == again.details["deleted"] == 0
    for table, rows in contents(whole).items():
        assert contents(part)[table] == rows, table


def test_other_folders_are_left_alone(twins: tuple[Settings, Settings]) -> None:
    _, part = twins
    write(part.vault_dir, {"1/N1.md": "anders", "2/N2.md": "anders"})
    with catalogue.open(part) as cat:
        found = sync_folders(cat, part, {"1"})
        rest = sync_vault(cat, part)
    assert found is not None
    assert (found.details["changed"], rest.details["changed"]) == (1, 1)


@pytest.mark.parametrize("folders", [{"weg"}, {"1", "fehlt/ganz"}])
def test_a_folder_that_is_gone_asks_for_the_whole(twins: tuple[Settings, Settings], folders: set[str]) -> None:
    _, part = twins
    before = contents(part)
    with catalogue.open(part) as cat:
        assert sync_folders(cat, part, folders) is None
    assert contents(part) == before


def test_many_lost_notes_ask_for_the_whole(twins: tuple[Settings, Settings]) -> None:
    _, part = twins
    for path in (part.vault_dir / "1").iterdir():
        path.unlink()
    with catalogue.open(part) as cat:
        assert sync_folders(cat, part, {"1"}) is None


def test_folders_that_a_walk_would_not_enter(twins: tuple[Settings, Settings]) -> None:
    _, part = twins
    write(part.vault_dir, {"4/.obsidian/x.md": "noch immer nicht", "Archiv/alt.md": "ausgenommen"})
    ignoring = part.model_copy(update={"vault_ignore": ("Archiv",)})
    (part.vault_dir / "Verweis").symlink_to(part.vault_dir / "1")
    with catalogue.open(part) as cat:
        found = sync_folders(cat, ignoring, {"4/.obsidian", "Archiv", "Verweis"})
    assert found is not None
    assert (found.pending, found.details["added"]) == (0, 0)
