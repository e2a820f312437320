from __future__ import annotations

from collections.abc import Iterator

import pytest

from brain_assets.llm import base
from brain_assets.llm.ollama_model import OllamaModel, context_size
from brain_assets_tests.model_server import ModelServer, Reply, ollama

ASK = [{"role": "user", "content": "What is it?"}]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def model(server: ModelServer, name: str = "qwen3:8b", timeout: float = 5.0) -> OllamaModel:
    return OllamaModel(server.url, name, connect_timeout=1, timeout=timeout)


def test_an_answer_comes_back_and_the_schema_is_sent(server: ModelServer) -> None:
    server.queue(ollama('<think>well</think>\n{"a": 1}', tokens=(50, 9)))
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    answer = model(server).complete(ASK, max_tokens=64, schema=schema)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ('{"a": 1}', 50, 9)
    body = server.chats[0].body
    assert body["format"] == schema
    assert body["think"] is False
    assert body["stream"] is False
    assert body["options"]["num_predict"] == 64


def test_the_context_grows_with_the_prompt() -> None:
    assert context_size(ASK, 512) == 4096
    assert context_size([{"role": "user", "content": "x" * 30_000}], 512) == 16_384


FAULTS = [
    (Reply({"error": "model 'qwen3:8b' not found"}, 404), base.ModelMissing),
    (Reply({"error": "no"}, 401), base.BadKey),
    (Reply({"error": "busy"}, 429), base.RateLimited),
    (Reply({"error": "out of memory"}, 500), base.ServerError),
    (Reply({"error": "cannot"}), base.ServerError),
    (Reply("<html>proxy</html>"), base.ServerError),
    (Reply('"text"', 500), base.ServerError),
    (Reply("", 302, {"Location": "http://192.0.2.1/"}), base.ServerError),
    (ollama('{"a": ', done_reason="length"), base.Truncated),
    (ollama("ok", tokens=(4096, 1)), base.Truncated),
    (ollama(""), base.EmptyAnswer),
    (ollama(None, thinking="Let me see"), base.EmptyAnswer),
    (ollama("<think>never closed"), base.EmptyAnswer),
]


@pytest.mark.parametrize(("reply", "failure"), FAULTS, ids=range(len(FAULTS)))
def test_every_fault_has_its_name(server: ModelServer, reply: Reply, failure: type[base.ModelFailure]) -> None:
    server.queue(reply, reply, reply)
    with pytest.raises(base.ModelFailure) as caught:
        model(server).complete(ASK, max_tokens=64)
    assert type(caught.value) is failure


def test_a_missing_model_comes_with_its_remedy(server: ModelServer) -> None:
    server.queue(Reply({"error": "not found"}, 404))
    with pytest.raises(base.ModelMissing) as caught:
        model(server, "qwen3:14b").complete(ASK, max_tokens=64)
    assert caught.value.remedy == "ollama pull qwen3:14b"


def test_a_model_that_knows_no_think_is_asked_without(server: ModelServer) -> None:
    server.queue(Reply({"error": '"m" does not support thinking'}, 400), ollama("Yes."))
    assert model(server).complete(ASK, max_tokens=64).text == "Yes."
    assert server.chats[1].body.get("think") is None


def test_a_server_error_is_asked_once_more(server: ModelServer) -> None:
    server.queue(Reply({"error": "loading"}, 503), ollama("Yes."))
    assert model(server).complete(ASK, max_tokens=64).text == "Yes."


def test_a_slow_answer_times_out(server: ModelServer) -> None:
    server.queue(Reply(delay=3))
    with pytest.raises(base.TimedOut):
        model(server, timeout=0.5).complete(ASK, max_tokens=64)


def test_availability_names_server_and_model(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert model(server).available() is None
    assert model(server, "embeddinggemma").available() is None
    assert isinstance(model(server, "mistral").available(), base.ModelMissing)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert model(server).available() is None
    away = OllamaModel("http://127.0.0.1:9", "qwen3:8b", connect_timeout=1, timeout=1)
    assert isinstance(away.available(), base.Unreachable)
