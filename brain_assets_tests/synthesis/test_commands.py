"""`brain research` and `brain articles` on a small brain: what a person reads, and how a run without a search ends."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from brain_assets import cli
from brain_assets.cli.articles import _glpi
from brain_assets.settings import Settings
from brain_assets.synthesis import consolidations
from brain_assets_tests.synthesis import brains


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A brain whose print queue has an open question, and a SearXNG address where nobody listens."""
    config = brains.settings(tmp_path)
    (tmp_path / "vault").mkdir()
    sources = brains.queue_sources()
    body = sources[0].body + "\nOffene Frage: Warum klemmt die Warteschlange nach jedem Neustart?\n"
    sources[0] = sources[0].model_copy(update={"body": body, "text_digest": brains.digest(body)})
    cat = brains.open_brain(config)
    brains.fill(cat, sources, brains.QUEUE_EDGES)
    consolidations.update(cat, config)
    cat.close()
    return config


def call(settings: Settings, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    places = ("--data-dir", str(settings.data_dir), "--kb", str(settings.kb_dir), "--vault", str(settings.vault_dir))
    code = cli.main([*arguments, *places])
    return code, capsys.readouterr().out


def test_a_run_without_a_search_ends_cleanly_says_so_and_can_be_repeated(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("SEARXNG_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")

    code, out = call(settings, capsys, "research", "run")
    assert code == 0 and "1 round could not be searched" in out and "is not reachable" in out

    code, out = call(settings, capsys, "research", "show")
    assert code == 0 and "round 1: unavailable, nothing could be searched; made again on the next run" in out
    assert "Open gaps: 1 before, 1 after." in out and "- Warum klemmt die Warteschlange" in out

    code, out = call(settings, capsys, "research", "retry")
    assert code == 1 and "Ask again with: brain research retry" in out

    code, out = call(settings, capsys, "articles", "list")
    assert code == 0 and "critical_gaps" in out


def test_what_became_of_a_glpi_draft_is_told() -> None:
    assert _glpi({}) == []
    assert _glpi({"id": 7, "draft": False, "problems": ["GLPI kept another title."]}) == [
        "GLPI: draft 7.", "      GLPI kept another title."
    ]  # fmt: skip
    assert _glpi({"error": "GLPI answers 401.", "remedy": "Check the tokens."}) == [
        "GLPI: GLPI answers 401.", "      Check the tokens."
    ]  # fmt: skip
