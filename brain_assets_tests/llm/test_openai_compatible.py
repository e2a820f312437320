from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from brain_assets.llm import base
from brain_assets.llm.openai_compatible import OpenAICompatible
from brain_assets.llm.providers import PROVIDERS, is_loopback
from brain_assets_tests.model_server import ModelServer, Reply, error, openai

ASK = [{"role": "user", "content": "What is it?"}]
KEY = "k-0123456789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def client(server: ModelServer, name: str = "compatible", timeout: float = 5.0) -> OpenAICompatible:
    return OpenAICompatible(PROVIDERS[name], server.url + "/v1", "m-1", KEY, connect_timeout=1, timeout=timeout)


def test_an_answer_comes_back_with_its_tokens(server: ModelServer) -> None:
    server.queue(openai("It is 42 [1].", tokens=(321, 7)))
    answer = client(server).complete(ASK, max_tokens=64)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("It is 42 [1].", 321, 7)
    request = server.chats[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["max_tokens"] == 64


def test_what_each_cloud_needs_is_sent(server: ModelServer) -> None:
    server.queue(openai("a"), openai("a"), openai("a"))
    for name in ("gemini", "deepseek", "openai"):
        client(server, name).complete(ASK, max_tokens=512)
    gemini, deepseek, gpt = (r.body for r in server.chats)
    assert gemini["max_tokens"] == 512
    assert deepseek["thinking"] == {"type": "disabled"}
    assert gpt["reasoning_effort"] == "none"
    assert gpt["max_completion_tokens"] == 512
    assert "max_tokens" not in gpt


FAULTS = [
    (error(401), base.BadKey),
    (error(403), base.BadKey),
    (Reply([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}], 400), base.BadKey),
    (error(402), base.NoCredit),
    (error(429, "quota", code="insufficient_quota"), base.NoCredit),
    (error(429), base.RateLimited),
    (error(429, headers={"Retry-After": "3600"}), base.RateLimited),
    (error(404, "model_not_found"), base.ModelMissing),
    (error(400, "bad"), base.BadRequest),
    (Reply("<html>Sign in to the proxy</html>", headers={"Content-Type": "text/html"}), base.ServerError),
    (Reply("<html>Bad gateway</html>", 407, {"Content-Type": "text/html"}), base.BadRequest),
    (Reply("", 302, {"Location": "http://192.0.2.1/"}), base.ServerError),
    (Reply({"error": {"code": 401, "message": "no"}}), base.BadKey),
    (Reply({"error": {"code": "x", "message": "overloaded"}}), base.ServerError),
    (Reply({"choices": []}), base.Filtered),
    (openai("", finish="content_filter"), base.Filtered),
    (openai(None, refusal="I cannot"), base.Filtered),
    (openai("It is for", finish="length"), base.Truncated),
    (openai(None, reasoning_content="Let me think"), base.EmptyAnswer),
    (openai("<think>only this"), base.EmptyAnswer),
    (openai("  \n\n"), base.EmptyAnswer),
    (Reply("[1, 2]"), base.ServerError),
]


@pytest.mark.parametrize(("reply", "failure"), FAULTS, ids=range(len(FAULTS)))
def test_every_fault_has_its_name_and_keeps_the_key(
    server: ModelServer, reply: Reply, failure: type[base.ModelFailure]
) -> None:
    server.queue(reply, reply)
    with pytest.raises(base.ModelFailure) as caught:
        client(server).complete(ASK, max_tokens=64)
    assert type(caught.value) is failure
    assert KEY not in str(caught.value)


def test_failed_answers_still_tell_what_they_cost(server: ModelServer) -> None:
    server.queue(openai("It is for", finish="length", tokens=(900, 64)))
    with pytest.raises(base.Truncated) as caught:
        client(server).complete(ASK, max_tokens=64)
    assert (caught.value.input_tokens, caught.value.output_tokens) == (900, 64)


def test_a_server_error_is_asked_once_more(server: ModelServer) -> None:
    server.queue(error(503), openai("Now."))
    assert client(server).complete(ASK, max_tokens=64).text == "Now."
    server.queue(error(500), error(500), openai("Too late."))
    with pytest.raises(base.ServerError):
        client(server).complete(ASK, max_tokens=64)
    assert len(server.chats) == 4


def test_a_broken_connection_is_asked_once_more(server: ModelServer) -> None:
    server.queue(Reply(hang_up=True), openai("Now."))
    assert client(server).complete(ASK, max_tokens=64).text == "Now."


@pytest.mark.parametrize("wait", ["0.1", "Thu, 01 Jan 2026 00:00:00 GMT"], ids=["seconds", "a day that is past"])
def test_a_short_retry_after_is_waited_for(server: ModelServer, wait: str) -> None:
    server.queue(error(429, headers={"Retry-After": wait}), openai("Now."))
    assert client(server).complete(ASK, max_tokens=64).text == "Now."


def test_a_long_retry_after_is_not_waited_for(server: ModelServer) -> None:
    server.queue(error(429, headers={"Retry-After": "30"}))
    started = time.monotonic()
    with pytest.raises(base.RateLimited):
        client(server).complete(ASK, max_tokens=64)
    assert time.monotonic() - started < 2
    assert len(server.chats) == 1


def test_a_slow_server_times_out_twice_within_the_whole_time(server: ModelServer) -> None:
    server.queue(Reply(delay=3), Reply(delay=3))
    started = time.monotonic()
    with pytest.raises(base.TimedOut):
        client(server, timeout=0.8).complete(ASK, max_tokens=64)
    assert time.monotonic() - started < 2
    assert len(server.chats) == 2


def test_an_answer_that_drips_in_ends_at_the_deadline(server: ModelServer) -> None:
    slow = Reply({"choices": [], "padding": "x" * 400}, drip=0.05)
    server.queue(slow, slow)
    started = time.monotonic()
    with pytest.raises(base.TimedOut):
        client(server, timeout=1.0).complete(ASK, max_tokens=64)
    assert time.monotonic() - started < 3


def test_nobody_listening_is_unreachable(server: ModelServer) -> None:
    nobody = OpenAICompatible(PROVIDERS["openai"], "http://127.0.0.1:9/v1", "m", KEY, connect_timeout=1, timeout=2)
    with pytest.raises(base.Unreachable):
        nobody.complete(ASK, max_tokens=64)


def test_a_key_that_is_no_header_value_is_refused_unsent() -> None:
    with pytest.raises(base.BadKey) as caught:
        OpenAICompatible(PROVIDERS["openai"], "http://127.0.0.1:9", "m", "a\nb", connect_timeout=1, timeout=2)
    assert "a\nb" not in str(caught.value)


def test_a_server_without_response_format_is_asked_without(server: ModelServer) -> None:
    server.queue(error(400, "unknown field"), openai('{"a": 1}'))
    assert client(server).complete(ASK, max_tokens=64, schema={"type": "object"}).text == '{"a": 1}'
    assert "response_format" in server.chats[0].body
    assert "response_format" not in server.chats[1].body


def test_no_proxy_stands_between_us_and_loopback(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.queue(openai("Direct."))
    assert client(server).complete(ASK, max_tokens=64).text == "Direct."


def test_think_blocks_and_text_parts_are_read(server: ModelServer) -> None:
    parts = {"role": "assistant", "content": [{"type": "text", "text": "<think>hm</think>Yes [1]."}]}
    server.queue(Reply({"choices": [{"message": parts, "finish_reason": "stop"}]}))
    assert client(server).complete(ASK, max_tokens=64).text == "Yes [1]."


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1", True),
        ("127.0.0.1:11434", True),
        ("http://[::1]:1/x", True),
        ("https://example.org", False),
    ],
)
def test_loopback_is_told_from_the_rest(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback
