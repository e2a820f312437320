"""A scripted model server on the loopback interface: OpenAI-compatible and Ollama, for every room's tests.

    with ModelServer(models=("qwen3:8b",)) as server:
        server.queue(openai("Hello [1]."), Reply(status=500), ollama('{"a": 1}'))
        ...  # point the product at server.url (Ollama) or server.url + "/v1" (OpenAI-compatible)
        assert server.chats[0].body["model"] == "qwen3:8b"

Chat requests take one reply each from the queue, in order; `respond` (a function of the request) answers when the
queue is empty; with neither, the reply is 500. `GET /api/tags` lists `models`; `POST /api/embed` gives `embed(text)`.
"""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the server does with one request: `delay` seconds before the head, `drip` seconds between body bytes,
    `hang_up` closes without an answer."""

    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    hang_up: bool = False


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def prompt(self) -> str:
        """All message texts of a chat request."""
        return "\n".join(m["content"] for m in self.body["messages"])


def openai(text: str | None, *, finish: str = "stop", tokens: tuple[int, int] = (100, 20), **message: Any) -> Reply:
    """An OpenAI chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return Reply({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})


def ollama(
    text: str | None, *, done_reason: str = "stop", tokens: tuple[int, int] = (100, 20), **message: Any
) -> Reply:
    """An Ollama chat answer."""
    return Reply(
        {
            "model": "m",
            "created_at": "2026-12-01T00:00:00Z",
            "message": {"role": "assistant", "content": text, **message},
            "done": True,
            "done_reason": done_reason,
            "prompt_eval_count": tokens[0],
            "eval_count": tokens[1],
        }
    )


def error(status: int, message: str = "scripted", headers: dict[str, str] | None = None, **more: Any) -> Reply:
    """An error object with its status."""
    return Reply({"error": {"message": message, **more}}, status, headers or {})


def embedding(text: str, dimension: int = 768) -> list[float]:
    """A vector that is the same for the same text and far from those of others."""
    digest = hashlib.sha256(text.encode()).digest()
    return [(digest[i % 32] - 127.5) / 128 * (1 + i // 32) for i in range(dimension)]


class ModelServer:
    def __init__(
        self,
        models: Sequence[str] = ("qwen3:8b", "embeddinggemma:latest"),
        *,
        embed: Callable[[str], list[float]] = embedding,
        respond: Callable[[Request], Reply] | None = None,
    ) -> None:
        self.models = list(models)
        self.embed = embed
        self.respond = respond
        self.requests: list[Request] = []
        self._queue: deque[Reply] = deque()
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def queue(self, *replies: Reply) -> None:
        self._queue.extend(replies)

    @property
    def chats(self) -> list[Request]:
        return [r for r in self.requests if r.path.endswith(("/chat/completions", "/api/chat"))]

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: Request) -> Reply:
        with self._guard:
            self.requests.append(request)
            if request.path == "/api/tags":
                return Reply({"models": [{"model": m, "name": m, "digest": "d" * 64} for m in self.models]})
            if request.path == "/api/version":
                return Reply({"version": "0.0.0-scripted"})
            if request.path == "/api/embed":
                texts = request.body["input"]
                vectors = [self.embed(t) for t in ([texts] if isinstance(texts, str) else texts)]
                return Reply({"model": request.body["model"], "embeddings": vectors})
            if self._queue:
                return self._queue.popleft()
        return self.respond(request) if self.respond else error(500, "nothing scripted")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def _serve(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(size)
                headers = {k.lower(): v for k, v in self.headers.items()}
                reply = server._answer(Request(self.command, self.path, headers, json.loads(raw) if raw else None))
                time.sleep(reply.delay)
                if reply.hang_up:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                body = (
                    reply.body
                    if isinstance(reply.body, bytes)
                    else (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
                )
                try:
                    self.send_response(reply.status)
                    for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    if reply.drip:
                        for i in range(len(body)):
                            self.wfile.write(body[i : i + 1])
                            self.wfile.flush()
                            time.sleep(reply.drip)
                    else:
                        self.wfile.write(body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_GET = do_POST = _serve

        return Handler
