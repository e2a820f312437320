from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from brain_assets import settings as settings_module
from brain_assets.llm import base, reasoning_model
from brain_assets.llm.calls import Budget, Call, Recorded, cost, prompt
from brain_assets.llm.ollama_model import OllamaModel
from brain_assets.store import catalogue, schema
from brain_assets_tests.model_server import ModelServer, Reply, ollama

ASK = [{"role": "user", "content": "secret question"}]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def model(server: ModelServer) -> OllamaModel:
    return OllamaModel(server.url, "qwen3:8b", connect_timeout=1, timeout=5)


def test_each_call_is_a_row_and_a_corrected_outcome_stays(server: ModelServer, tmp_path: Path) -> None:
    server.queue(ollama("Yes.", tokens=(30, 4)), Reply({"error": "no"}, 404))
    with catalogue.open(settings_module.load(data_dir=tmp_path)) as cat:
        recorded = Recorded(model(server), Budget(5, 1000), cat)
        with prompt("relation/3"):
            answer = recorded.complete(ASK, max_tokens=8)
        recorded.correct(answer, "nonsense")
        with pytest.raises(base.ModelMissing):
            recorded.complete(ASK, max_tokens=8)
        with cat.read() as conn:
            rows = conn.execute(select(schema.llm_calls).order_by(schema.llm_calls.c.id)).all()
    assert [(r.purpose, r.prompt_version, r.input_tokens, r.output_tokens, r.outcome) for r in rows] == [
        ("relation", "relation/3", 30, 4, "nonsense"),
        ("", "", 0, 0, "model_missing"),
    ]
    assert "secret question" not in str(rows)


def test_a_log_that_cannot_be_written_costs_no_answer(
    server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.queue(ollama("Yes."), ollama("Yes."))
    with catalogue.open(settings_module.load(data_dir=tmp_path)) as cat:
        with cat.begin() as conn:
            schema.llm_calls.drop(conn)
        recorded = Recorded(model(server), Budget(5, 1000), cat)
        with caplog.at_level(logging.WARNING):
            assert recorded.complete(ASK, max_tokens=8).text == "Yes."
            assert recorded.complete(ASK, max_tokens=8).row is None
    assert caplog.text.count("not logged") == 1


def test_the_budget_stops_calls_and_tokens(server: ModelServer) -> None:
    server.queue(*[ollama("Yes.", tokens=(60, 40))] * 3)
    few = Recorded(model(server), Budget(1, 10_000), None)
    few.complete(ASK, max_tokens=8)
    with pytest.raises(base.BudgetSpent, match="1 model calls"):
        few.complete(ASK, max_tokens=8)
    small = Recorded(model(server), Budget(10, 100), None)
    small.complete(ASK, max_tokens=8)
    with pytest.raises(base.BudgetSpent, match="100 model tokens"):
        small.complete(ASK, max_tokens=8)
    assert len(server.chats) == 2


def call(model_name: str, provider: str, tokens: tuple[int, int]) -> Call:
    return Call(provider, model_name, "think/1", *tokens, 1.0, "ok")


def test_cost_is_computed_from_the_price_table() -> None:
    prices = {"m in": 0.5, "m out": 2.0}
    assert cost([call("m", "openai", (1000, 500))], prices) == pytest.approx(0.0015)
    assert cost([call("qwen3:8b", "ollama", (1000, 500))], prices) == 0
    assert cost([call("other", "openai", (1000, 500))], prices) is None
    assert cost([call("other", "openai", (0, 0))], prices) == 0


def test_reasoning_needs_the_server_and_the_model(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    monkeypatch.setenv("BRAIN_DATA_DIR", str(tmp_path))
    found = reasoning_model(settings_module.load())
    assert found is not None
    assert (found.provider, found.model) == ("ollama", "qwen3:8b")
    monkeypatch.setenv("BRAIN_LLM_MODEL", "mistral-small")
    with caplog.at_level(logging.WARNING):
        assert reasoning_model(settings_module.load()) is None
    assert "ollama pull mistral-small" in caplog.text
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    assert reasoning_model(settings_module.load()) is None
