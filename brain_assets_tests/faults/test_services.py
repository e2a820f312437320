"""Model servers and SearXNG that hang, die, or answer nonsense: the build completes, and the next one is as it was."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from brain_assets.operation import pipeline
from brain_assets.operation import status as standing_of
from brain_assets.settings import Settings
from brain_assets.store import catalogue
from brain_assets.think import think
from brain_assets_tests.faults.killing import standing
from brain_assets_tests.operation import brains

pytestmark = pytest.mark.xdist_group("sample_brain")

TAGS = json.dumps({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "digest": "d" * 64}]})
QUESTION = "Wie stelle ich den VPN-Tunnel wieder her, und welche MTU gilt?"


def _http(body: str, length: int | None = None, status: str = "200 OK") -> bytes:
    size = len(body.encode()) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n{body}".encode()


REPLIES: dict[str, bytes | None] = {
    "hangs": None,
    "dies": b"",
    "garbage": _http("\x00\x01{]] not json <html>"),
    "no-http": b"\xff\xfe\x00\x17 220 smtp ready\r\n",
    "half-a-body": _http('{"message": {"role": "assistant", "content": "{\\"rel', 5000),
    "empty": _http(""),
    "wrong-shape": _http('{"message": [1, 2, {"content": null}], "results": {"a": 3}, "done": "maybe"}'),
    "deep": _http("[" * 50_000),
    "error-500": _http("{}", status="500 Internal Server Error"),
    "busy-429": _http("{}", status="429 Too Many Requests"),
}


@contextmanager
def _server(reply: bytes | None) -> Iterator[str]:
    """Gives this reply to every request but the one for the list of models; None holds the connection and is silent."""
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    listener.settimeout(0.05)

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(20)
            head = connection.recv(65536)
            if b"/api/tags" in head.split(b"\r\n")[0]:
                connection.sendall(_http(TAGS))
            elif reply is None:
                ended.wait(60)
            else:
                connection.sendall(reply)

    def accept() -> None:
        while not ended.is_set():
            with suppress(TimeoutError):
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        thread.join()
        listener.close()


def _again(settings: Settings, **changes: Any) -> Settings:
    return type(settings).model_validate(
        {**settings.model_dump(), "OLLAMA_HOST": settings.ollama_host, "SEARXNG_URL": settings.searxng_url, **changes}
    )


def _build(settings: Settings) -> None:
    with pipeline.writing(settings) as run:
        pipeline.run_stages(pipeline.STAGES, run)


@pytest.fixture
def sample(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.copy(brains.sample_once(tmp_path_factory), tmp_path)


def _faults(always: tuple[str, ...], others: tuple[str, ...]) -> list[Any]:
    """Some in the short form, all in the long one."""
    return [*always, *(pytest.param(name, marks=pytest.mark.slow) for name in others)]


@pytest.mark.parametrize(
    "fault",
    _faults(
        ("hangs", "garbage", "half-a-body", "deep"),
        ("dies", "no-http", "empty", "wrong-shape", "error-500", "busy-429"),
    ),
)
def test_a_model_server_that_fails_costs_its_answers_only(fault: str, sample: Settings) -> None:
    undisturbed = standing(sample)
    with _server(REPLIES[fault]) as url:
        disturbed = _again(
            sample, OLLAMA_HOST=url, llm_timeout=0.5, think_timeout=0.5, llm_connect_timeout=0.5, llm_max_calls=12
        )
        _build(disturbed)
        answer = think(disturbed, QUESTION)
    assert "1420" in answer.to_markdown()
    assert answer.to_json()["mode"] == "extractive"
    _build(sample)
    assert standing(sample)["assets"] == undisturbed["assets"]
    assert standing(sample)["staged"] == undisturbed["staged"]
    with catalogue.open(sample, read_only=True) as cat:
        assert [line for line in standing_of.read(cat, sample).unhealthy if "items failed" not in line] == []


@pytest.mark.parametrize(
    "fault", _faults(("hangs", "half-a-body", "wrong-shape"), ("dies", "garbage", "deep", "error-500", "no-http"))
)
def test_a_searxng_that_fails_leaves_the_round_to_be_tried_again(fault: str, sample: Settings) -> None:
    undisturbed = standing(sample)
    with _server(REPLIES[fault]) as url:
        disturbed = _again(
            sample, SEARXNG_URL=url, article_research_search_timeout=0.5, article_research_fetch_timeout=1.0
        )
        _build(disturbed)
    _build(sample)
    assert standing(sample)["assets"] == undisturbed["assets"]
    assert standing(sample)["staged"] == undisturbed["staged"]
    with catalogue.open(sample, read_only=True) as cat:
        assert standing_of.read(cat, sample).unhealthy == []
