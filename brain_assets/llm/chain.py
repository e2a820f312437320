"""One model after another until one gives an answer that its asker accepts; what each did is recorded."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from brain_assets.llm import calls, providers
from brain_assets.llm.base import BadKey, LanguageModel, ModelFailure, Refused
from brain_assets.llm.calls import Budget, Call, Recorded
from brain_assets.settings import Settings

if TYPE_CHECKING:
    from brain_assets.store.catalogue import Catalogue

log = logging.getLogger(__name__)
T = TypeVar("T")
NO_KEY = "no_key"
_refused: dict[tuple[str, str], str] = {}
"""(provider, base URL) with a bad key -> the key's fingerprint: skipped until the process ends or the key changes."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one provider did: `ok` or the outcome word of its failure (`no_key`: never asked), and how long it took."""

    provider: str
    outcome: str
    ms: float


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """The first accepted answer (None: no provider gave one), who gave it, what each provider did and cost."""

    value: T | None
    provider: str | None
    model: str | None
    attempts: tuple[Attempt, ...]
    calls: tuple[Call, ...]


def first_answer(
    settings: Settings,
    ask: Callable[[LanguageModel], T],
    *,
    cat: Catalogue | None = None,
    budget: Budget | None = None,
) -> Answered[T]:
    """Let `ask` ask each model of BRAIN_THINK_PROVIDERS in order, until it returns instead of raising ModelFailure.

    `ask` raises a ModelFailure itself (Nonsense) for an answer it cannot use. No failure of a provider leaves this
    function.
    """
    budget = budget or Budget(settings.llm_max_calls, settings.llm_max_tokens)
    attempts: list[Attempt] = []
    logged: list[Call] = []
    for name in settings.think_providers:
        started = time.perf_counter()
        opened = _open(settings, name)
        if opened is None:
            continue
        if isinstance(opened, str):
            attempts.append(Attempt(name, opened, 0.0))
            continue
        recorded = Recorded(opened.model, budget, cat)
        try:
            value = ask(recorded)
        except ModelFailure as failure:
            attempts.append(Attempt(name, failure.outcome, (time.perf_counter() - started) * 1000))
            log.info("%s gave no answer: %s", name, failure)
            if isinstance(failure, BadKey) and opened.mark:
                _refused[opened.mark[0]] = opened.mark[1]
                log.warning("%s is skipped from now on. %s", name, failure)
            logged += recorded.calls
            if isinstance(failure, Refused):
                break
        else:
            attempts.append(Attempt(name, "ok", (time.perf_counter() - started) * 1000))
            return Answered(value, name, recorded.model, tuple(attempts), (*logged, *recorded.calls))
        finally:
            opened.close()
    return Answered(None, None, None, tuple(attempts), tuple(logged))


@dataclass(frozen=True, slots=True)
class _Opened:
    model: LanguageModel
    close: Callable[[], None]
    mark: tuple[tuple[str, str], str] | None = None


def _open(settings: Settings, name: str) -> _Opened | str | None:
    """The model of a provider; an outcome word when it is skipped unasked; None when it is not configured at all."""
    # Imported here: without a configured provider no HTTP library is loaded.
    if name == providers.OLLAMA:
        from brain_assets.llm.ollama_model import OllamaModel

        model = OllamaModel(
            settings.ollama_host,
            settings.llm_model,
            connect_timeout=settings.llm_connect_timeout,
            timeout=settings.llm_timeout,
        )
        return _Opened(model, lambda: None)
    from brain_assets.llm.secrets import api_key, fingerprint

    spec = providers.PROVIDERS[name]
    url, model_name = spec.base_url(settings), spec.model(settings)
    if not url or not model_name:
        return None
    key = api_key(settings, name)
    if key is None and not spec.self_hosted:
        return NO_KEY
    mark = ((name, url), fingerprint(key or ""))
    if _refused.get(mark[0]) == mark[1]:
        return BadKey.outcome
    from brain_assets.llm.openai_compatible import OpenAICompatible

    timeout = settings.llm_timeout if spec.self_hosted else settings.think_timeout
    try:
        client = OpenAICompatible(
            spec, url, model_name, key, connect_timeout=settings.llm_connect_timeout, timeout=timeout
        )
    except BadKey as failure:
        log.warning("%s is skipped. %s", name, failure)
        _refused[mark[0]] = mark[1]
        return failure.outcome
    return _Opened(client, client.close, mark)


def cost(answered: Answered[T], settings: Settings) -> float | None:
    """US dollars that an answer cost, failed attempts included; None when a price is unknown."""
    return calls.cost(list(answered.calls), settings.prices)
