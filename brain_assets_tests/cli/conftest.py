"""Running `brain` in this process, and the sample brain to run it on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from brain_assets import cli
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains


@dataclass(frozen=True)
class Done:
    """A finished call of the command line."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Brain = Callable[..., Done]


@pytest.fixture
def brain(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Brain:
    """Call `brain ARGS…`, in this process."""
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")

    def call(*arguments: str, at: Settings | None = None) -> Done:
        places = () if at is None else _places(at)
        capsys.readouterr()
        code = cli.main([*arguments, *places])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call


def _places(settings: Settings) -> tuple[str, ...]:
    return (
        "--data-dir", str(settings.data_dir), "--vault", str(settings.vault_dir), "--kb", str(settings.kb_dir),
    )  # fmt: skip


@pytest.fixture(scope="session")
def small_brain(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The small brain, synced, for tests that only read."""
    return brains.synced(tmp_path_factory.mktemp("small"))


@pytest.fixture
def own_brain(tmp_path: Path) -> Settings:
    """The small brain, synced, for one test alone."""
    return brains.synced(tmp_path)


@pytest.fixture(scope="session")
def sample_brain(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.sample_once(tmp_path_factory)
