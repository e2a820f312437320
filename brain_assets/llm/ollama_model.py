"""Ollama through its official client.

Its grammar is not relied on (some releases ignore `format` when thinking is off, others break the JSON when it is
on): the callers put the schema into the prompt too, and validate. Thinking is switched off so that a bounded answer
is not spent on it; a think block that comes all the same is cut away.
"""

from __future__ import annotations

import time
from typing import Any

import httpx
import ollama

from brain_assets.llm.base import (
    BadKey,
    BadRequest,
    Completion,
    EmptyAnswer,
    ModelFailure,
    ModelMissing,
    RateLimited,
    ServerError,
    TimedOut,
    Tokens,
    Truncated,
    Unreachable,
)
from brain_assets.llm.providers import OLLAMA, is_loopback
from brain_assets.llm.structured import strip_reasoning

_CHARS_PER_TOKEN = 2.5
"""German text; a cautious figure, because a prompt that does not fit is cut by the server without a word."""
_CONTEXTS = (4096, 8192, 16_384, 32_768, 65_536)
"""Few sizes, because another size makes the server load the model anew."""
_PROBE_SECONDS = 5.0


class OllamaModel:
    """A LanguageModel over an Ollama server. `timeout` (seconds) allows for a cold model load."""

    def __init__(self, host: str, model: str, *, connect_timeout: float, timeout: float) -> None:
        # OLLAMA_HOST is also what the server binds to; "all addresses" is no address to call.
        self._host = host.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        self._model = model
        self._connect, self._timeout = connect_timeout, timeout

    @property
    def provider(self) -> str:
        return OLLAMA

    @property
    def model(self) -> str:
        return self._model

    def available(self) -> ModelFailure | None:
        """None when the server answers and has the model; else the failure, with its remedy."""
        try:
            with self._client(_PROBE_SECONDS) as client:
                names = {str(m.model) for m in client.list().models}
        except (
            ConnectionError,
            httpx.HTTPError,
            ollama.ResponseError,
            ValueError,
            AttributeError,
            RecursionError,
        ) as error:
            return Unreachable(f"No Ollama server answers at {self._host} ({type(error).__name__}).", "ollama serve")
        wanted = {self._model, f"{self._model}:latest"}
        return None if names & wanted else self._missing()

    def complete(
        self,
        messages: list[dict[str, str]],
        *,
        max_tokens: int,
        schema: dict[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """See LanguageModel. Raises Truncated also when the prompt did not fit the context."""
        started = time.monotonic()
        deadline = started + (timeout or self._timeout)
        context = context_size(messages, max_tokens)
        options = {"temperature": 0, "seed": 0, "num_predict": max_tokens, "num_ctx": context}
        request: dict[str, Any] = {"messages": messages, "format": schema, "options": options, "think": False}
        try:
            try:
                reply = self._chat(request, deadline)
            except BadRequest:
                # A server or model that knows no `think`, or cannot build a grammar of this schema.
                request = {**request, "think": None, "format": None}
                reply = self._chat(request, deadline)
        except (ServerError, TimedOut) as failure:
            if failure.retry_after is None or time.monotonic() >= deadline:
                raise
            reply = self._chat(request, deadline)
        return self._read(reply, context, (time.monotonic() - started) * 1000)

    def _client(self, timeout: float) -> ollama.Client:
        return ollama.Client(
            self._host,
            timeout=httpx.Timeout(timeout, connect=min(self._connect, timeout)),
            trust_env=not is_loopback(self._host),
            follow_redirects=False,
        )

    def _chat(self, request: dict[str, Any], deadline: float) -> ollama.ChatResponse:
        left = max(0.05, deadline - time.monotonic())
        try:
            with self._client(left) as client:
                reply: ollama.ChatResponse = client.chat(self._model, stream=False, **request)
                return reply
        except ollama.ResponseError as error:
            raise self._failure(error) from None
        except (ConnectionError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.ProxyError):
            raise Unreachable(f"No Ollama server answers at {self._host}.", "ollama serve") from None
        except httpx.TimeoutException:
            raise TimedOut(f"Ollama did not answer with {self._model} in time.") from None
        except httpx.HTTPError as error:
            raise ServerError(f"The connection to Ollama broke ({type(error).__name__}).", retry_after=0) from None
        except (ValueError, AttributeError, RecursionError):
            # Not JSON, or JSON without a message: an error object, HTML of a proxy.
            foreign = "Ollama answered with something that is not its protocol."
            raise ServerError(foreign, "Check OLLAMA_HOST.") from None

    def _failure(self, error: ollama.ResponseError) -> ModelFailure:
        status = error.status_code
        if status == 404:
            return self._missing()
        if status in (401, 403):
            return BadKey(f"Ollama at {self._host} refuses access ({status}).", "Check OLLAMA_API_KEY.")
        if status == 429:
            return RateLimited("Ollama is rate limited.")
        if status >= 500:
            return ServerError(f"Ollama failed ({status}).", retry_after=0)
        if 300 <= status < 400:
            return ServerError(f"Ollama redirects ({status}), which is not followed.", "Check OLLAMA_HOST.")
        return BadRequest(f"Ollama refuses the request ({status}).")

    def _missing(self) -> ModelMissing:
        return ModelMissing(f"Ollama does not have the model {self._model}.", f"ollama pull {self._model}")

    def _read(self, reply: ollama.ChatResponse, context: int, ms: float) -> Completion:
        tokens: Tokens = {"input_tokens": reply.prompt_eval_count or 0, "output_tokens": reply.eval_count or 0}
        if reply.done_reason == "length":
            raise Truncated(f"The answer of {self._model} was cut off at its token limit.", **tokens)
        if tokens["input_tokens"] >= context:
            raise Truncated(f"The prompt did not fit the context of {self._model} ({context} tokens).", **tokens)
        text = strip_reasoning(reply.message.content or "")
        if not text:
            raise EmptyAnswer(f"{self._model} gave an empty answer.", **tokens)
        return Completion(text, OLLAMA, self._model, ms=ms, finish_reason=reply.done_reason or "stop", **tokens)


def context_size(messages: list[dict[str, str]], max_tokens: int) -> int:
    """`num_ctx` that surely holds the prompt and the answer: the server's own default would cut the prompt silently."""
    need = sum(len(m["content"]) for m in messages) / _CHARS_PER_TOKEN + 16 * len(messages) + max_tokens
    return next((size for size in _CONTEXTS if size >= need), _CONTEXTS[-1])
