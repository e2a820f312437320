"""`brain think` beside models that do not answer."""

from __future__ import annotations

import pytest

from brain_assets.llm import chain
from brain_assets.settings import Settings
from brain_assets_tests.cli.conftest import Brain
from brain_assets_tests.model_server import ModelServer, error, openai

QUESTION = ("think", "Wie heißt der Druckserver?")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    running = ModelServer()
    for name in ("GEMINI", "DEEPSEEK", "OPENAI"):
        monkeypatch.setenv(f"BRAIN_{name}_URL", f"{running.url}/{name.lower()}")
        monkeypatch.setenv(f"{name}_API_KEY", f"{name.lower()}-secret")
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "gemini,deepseek,openai")
    monkeypatch.setattr(chain, "_refused", {})
    return running


def test_three_rate_limited_clouds_give_an_extractive_answer_that_says_why(
    brain: Brain, small_brain: Settings, server: ModelServer
) -> None:
    with server:
        server.respond = lambda _: error(429)
        done = brain(*QUESTION, "--json", at=small_brain)
        value = done.json()
        assert done.code == 0
        assert (value["mode"], value["provider"]) == ("extractive", None)
        assert [(a["provider"], a["outcome"]) for a in value["attempts"]] == [
            ("gemini", "rate_limited"), ("deepseek", "rate_limited"), ("openai", "rate_limited"),
        ]  # fmt: skip
        assert "papyrus" in value["answer"]
        assert brain(*QUESTION, "--strict", at=small_brain).code == 3
        assert "secret" not in done.out + done.err


def test_verbose_tells_what_an_answer_cost(brain: Brain, small_brain: Settings, server: ModelServer) -> None:
    with server:
        server.respond = lambda _: openai("Der Druckserver heißt papyrus [1].", tokens=(1_000, 40))
        told = brain(*QUESTION, "--verbose", at=small_brain).out
    # 1,000 tokens in at $0.30 and 40 out at $2.50 a million.
    assert "cost $0.00040" in told
    assert "gemini: ok" in told
