"""One client for every OpenAI-compatible chat server: three clouds, vLLM, llama.cpp, LM Studio, gateways."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any

import httpx

from brain_assets.llm.base import (
    BadKey,
    BadRequest,
    Completion,
    EmptyAnswer,
    Filtered,
    ModelFailure,
    ModelMissing,
    NoCredit,
    RateLimited,
    ServerError,
    TimedOut,
    Tokens,
    Truncated,
    Unreachable,
)
from brain_assets.llm.providers import Provider, is_loopback
from brain_assets.llm.structured import strip_reasoning

MAX_RETRY_AFTER = 5.0
"""Seconds a 429 may ask us to wait; longer, and the provider is skipped."""
_MAX_REPLY_BYTES = 4 * 1024 * 1024
_KEY_WORDS = ("api key", "api_key", "apikey", "unauthorized", "authentication", "credentials")
_CREDIT_WORDS = ("insufficient_quota", "insufficient balance", "billing", "credit balance")


class OpenAICompatible:
    """A LanguageModel over `POST BASE/chat/completions`. Holds one connection pool; `close` it.

    `timeout` is the default for a whole call, its one retry included. Redirects are not followed: the key belongs to
    the configured host only.
    """

    def __init__(
        self,
        provider: Provider,
        base_url: str,
        model: str,
        key: str | None,
        *,
        connect_timeout: float,
        timeout: float,
    ) -> None:
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            raise BadKey(f"The key of {provider.name} is not one line of ASCII characters.", "Correct or unset it.")
        self._spec = provider
        self._model = model
        self._connect, self._timeout = connect_timeout, timeout
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            follow_redirects=False,
            trust_env=not is_loopback(base_url),
        )

    @property
    def provider(self) -> str:
        return self._spec.name

    @property
    def model(self) -> str:
        return self._model

    def close(self) -> None:
        self._client.close()

    def complete(
        self,
        messages: list[dict[str, str]],
        *,
        max_tokens: int,
        schema: dict[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """See LanguageModel. One retry: after 5xx, a time-out, or a 429 that asks for a short wait."""
        started = time.monotonic()
        deadline = started + (timeout or self._timeout)
        body: dict[str, Any] = {"model": self._model, "messages": messages, self._spec.limit_field: max_tokens}
        body.update(self._spec.extra)
        if schema is not None:
            body["response_format"] = self._response_format(schema)
        try:
            reply = self._once(body, (started + deadline) / 2)
        except (ServerError, TimedOut, RateLimited) as failure:
            pause = failure.retry_after
            if pause is None or pause > MAX_RETRY_AFTER or time.monotonic() + pause >= deadline:
                raise
            time.sleep(pause)
            reply = self._once(body, deadline)
        except BadRequest:
            if schema is None:
                raise
            # A server that does not know response_format: the schema stands in the prompt as well.
            body.pop("response_format")
            reply = self._once(body, deadline)
        return self._read(reply, (time.monotonic() - started) * 1000)

    def _response_format(self, schema: dict[str, object]) -> dict[str, object]:
        if self._spec.json_mode == "object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}

    def _once(self, body: dict[str, Any], deadline: float) -> dict[str, Any]:
        """One request; the reply's JSON object. Raises the failure that the status, body or network means."""
        left = max(0.05, deadline - time.monotonic())
        limits = httpx.Timeout(left, connect=min(self._connect, left))
        try:
            with self._client.stream("POST", "chat/completions", json=body, timeout=limits) as response:
                content = self._body(response, deadline)
        except (httpx.ConnectTimeout, httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
            raise Unreachable(f"{self.provider} cannot be reached ({type(error).__name__}).") from None
        except httpx.TimeoutException:
            raise TimedOut(f"{self.provider} did not answer in time.", retry_after=0) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            broken = f"The connection to {self.provider} broke ({type(error).__name__})."
            raise ServerError(broken, retry_after=0) from None
        try:
            reply = json.loads(content)
        except (ValueError, RecursionError):
            reply = None
        # Gemini wraps its error object in a list.
        if isinstance(reply, list) and len(reply) == 1:
            reply = reply[0]
        error_object = reply.get("error") if isinstance(reply, dict) else None
        if response.status_code != 200 or error_object:
            raise self._failure(response, error_object)
        if not isinstance(reply, dict):
            raise ServerError(
                f"{self.provider} answered with something that is not its protocol (HTML of a proxy?).",
                "Check the base URL and the proxy settings.",
            )
        return reply

    def _body(self, response: httpx.Response, deadline: float) -> bytes:
        parts, size = [], 0
        for part in response.iter_bytes():
            size += len(part)
            if size > _MAX_REPLY_BYTES:
                raise ServerError(f"{self.provider} answered with more than {_MAX_REPLY_BYTES} bytes.")
            if time.monotonic() > deadline:
                raise TimedOut(f"{self.provider} did not finish its answer in time.", retry_after=0)
            parts.append(part)
        return b"".join(parts)

    def _failure(self, response: httpx.Response, error_object: object) -> ModelFailure:
        """The failure a status and an error object mean. Their texts are read, never repeated."""
        status, text = response.status_code, json.dumps(error_object).lower() if error_object else ""
        if status == 200 and isinstance(error_object, dict):
            code = error_object.get("code") or error_object.get("status")
            status = int(str(code)) if str(code).isdigit() else 500
        name = self.provider
        if status in (401, 403) or (status == 400 and any(w in text for w in _KEY_WORDS)):
            return BadKey(f"{name} refuses the key ({status}).", "Correct or unset its key.")
        if status == 402 or (status == 429 and any(w in text for w in _CREDIT_WORDS)):
            return NoCredit(f"{name} says the account has no credit left.")
        if status == 429:
            return RateLimited(
                f"{name} is rate limited.", retry_after=_retry_after(response.headers.get("retry-after"))
            )
        if status == 404:
            return ModelMissing(f"{name} does not know the model {self._model}, or its base URL is wrong.")
        if status == 408:
            return TimedOut(f"{name} gave up waiting (408).", retry_after=0)
        if status >= 500:
            return ServerError(f"{name} failed ({status}).", retry_after=0)
        if 300 <= status < 400:
            return ServerError(f"{name} redirects ({status}), which is not followed.", "Check its base URL.")
        return BadRequest(f"{name} refuses the request ({status}).")

    def _read(self, reply: dict[str, Any], ms: float) -> Completion:
        usage = _object(reply.get("usage"))
        tokens: Tokens = {
            "input_tokens": _count(usage.get("prompt_tokens")),
            "output_tokens": _count(usage.get("completion_tokens")),
        }
        choices = reply.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise Filtered(f"{self.provider} gave no choice: its content filter held the answer back.", **tokens)
        choice = choices[0]
        finish = str(choice.get("finish_reason") or "stop")
        message = _object(choice.get("message"))
        if finish == "content_filter" or message.get("refusal"):
            raise Filtered(f"The content filter of {self.provider} held the answer back.", **tokens)
        if finish == "length":
            raise Truncated(f"The answer of {self.provider} was cut off at its token limit.", **tokens)
        text = strip_reasoning(_text(message.get("content")))
        if not text:
            raise EmptyAnswer(f"{self.provider} gave an empty answer.", **tokens)
        return Completion(text, self.provider, self._model, ms=ms, finish_reason=finish, **tokens)


def _text(content: object) -> str:
    """Content as text: a string, or a list of parts of which the text ones count."""
    if isinstance(content, list):
        return "".join(str(p.get("text") or "") for p in content if isinstance(p, dict))
    return content if isinstance(content, str) else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return max(0, int(value)) if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header (number or HTTP date); None where it says nothing readable."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
