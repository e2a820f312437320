"""What differs between OpenAI-compatible servers, as data: the only place that knows one from another."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from brain_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class Provider:
    """One OpenAI-compatible server.

    `extra` are body fields it needs (reasoning off, so that a bounded answer is not spent on reasoning);
    `limit_field` is its name for the answer's token limit; `json_mode` how it takes a JSON schema; `self_hosted`
    servers may need minutes to load a model and work without a key.
    """

    name: str
    base_url: Callable[[Settings], str | None]
    model: Callable[[Settings], str | None]
    extra: Mapping[str, Any] = field(default_factory=dict)
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    json_mode: Literal["schema", "object"] = "schema"
    self_hosted: bool = False


PROVIDERS: dict[str, Provider] = {
    p.name: p
    for p in (
        Provider("gemini", lambda s: s.gemini_url, lambda s: s.gemini_model, extra={"temperature": 0}),
        Provider(
            "deepseek",
            lambda s: s.deepseek_url,
            lambda s: s.deepseek_model,
            extra={"thinking": {"type": "disabled"}, "temperature": 0},
            json_mode="object",
        ),
        Provider(
            "openai",
            lambda s: s.openai_url,
            lambda s: s.openai_model,
            extra={"reasoning_effort": "none"},
            limit_field="max_completion_tokens",
        ),
        Provider(
            "compatible",
            lambda s: s.openai_compatible_url,
            lambda s: s.openai_compatible_model,
            extra={"temperature": 0},
            self_hosted=True,
        ),
    )
}
OLLAMA = "ollama"


def is_loopback(url: str) -> bool:
    """Whether a URL (or bare host[:port]) names this machine. Such a server is never asked through a proxy."""
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
