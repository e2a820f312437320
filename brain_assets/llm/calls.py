"""The call log, the budget of a run, and what calls cost.

Every call is one row of the catalogue's `llm_calls`: provider, model, prompt version, tokens, milliseconds, outcome.
No prompt, no answer, no key. Prices are the setting `BRAIN_PRICES`, applied when a cost is shown.
"""

from __future__ import annotations

import datetime as dt
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from brain_assets.llm.base import BudgetSpent, Completion, LanguageModel, ModelFailure

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from brain_assets.settings import Settings
    from brain_assets.store.catalogue import Catalogue

log = logging.getLogger(__name__)
_prompt_version: ContextVar[str] = ContextVar("prompt_version", default="")
_LOG_WAIT = 2.0
RUN_ID = uuid.uuid4().hex
"""This process, in the call log: the calls of one run share it."""


@contextmanager
def prompt(version: str) -> Iterator[None]:
    """Names the prompt version (`PURPOSE/VERSION`) that calls inside the block are logged with."""
    token = _prompt_version.set(version)
    try:
        yield
    finally:
        _prompt_version.reset(token)


@dataclass(slots=True)
class Budget:
    """Model calls and tokens left in one run; shared by threads. `spend` counts what a call really took."""

    max_calls: int
    max_tokens: int
    calls: int = 0
    tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def reserve(self) -> None:
        """Count one call about to be made. Raises BudgetSpent when none is left."""
        with self._lock:
            if self.calls >= self.max_calls:
                raise BudgetSpent(
                    f"The run's {self.max_calls} model calls are used up.", "Raise BRAIN_LLM_MAX_CALLS or run again."
                )
            if self.tokens >= self.max_tokens:
                raise BudgetSpent(
                    f"The run's {self.max_tokens} model tokens are used up.", "Raise BRAIN_LLM_MAX_TOKENS or run again."
                )
            self.calls += 1

    def spend(self, tokens: int) -> None:
        with self._lock:
            self.tokens += tokens


@dataclass(frozen=True, slots=True)
class Call:
    """One logged call, for `attempts` and cost."""

    provider: str
    model: str
    prompt_version: str
    input_tokens: int
    output_tokens: int
    ms: float
    outcome: str


class Recorded:
    """A LanguageModel whose calls are counted against a budget and logged to the catalogue.

    A log that cannot be written (read-only brain, another writer for too long) costs the row, not the answer; it is
    said once. Counting always works.
    """

    def __init__(self, model: LanguageModel, budget: Budget, cat: Catalogue | None) -> None:
        self._inner = model
        self._budget = budget
        self._cat = cat
        self.calls: list[Call] = []

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def model(self) -> str:
        return self._inner.model

    def complete(
        self,
        messages: list[dict[str, str]],
        *,
        max_tokens: int,
        schema: dict[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        self._budget.reserve()
        started = time.perf_counter()
        try:
            answer = self._inner.complete(messages, max_tokens=max_tokens, schema=schema, timeout=timeout)
        except ModelFailure as failure:
            self._budget.spend(failure.input_tokens + failure.output_tokens)
            self._record(started, failure.input_tokens, failure.output_tokens, failure.outcome)
            raise
        self._budget.spend(answer.input_tokens + answer.output_tokens)
        return replace(answer, row=self._record(started, answer.input_tokens, answer.output_tokens, "ok"))

    def correct(self, answer: Completion, outcome: str) -> None:
        """Replace the logged outcome of an answer that proved unusable after it had arrived."""
        for position in range(len(self.calls) - 1, -1, -1):
            if self.calls[position].outcome == "ok":
                self.calls[position] = replace(self.calls[position], outcome=outcome)
                break
        if answer.row is not None and self._cat is not None:
            self._log(
                lambda conn, table: conn.execute(table.update().where(table.c.id == answer.row).values(outcome=outcome))
            )

    def _record(self, started: float, input_tokens: int, output_tokens: int, outcome: str) -> int | None:
        ms = (time.perf_counter() - started) * 1000
        call = Call(self.provider, self.model, _prompt_version.get(), input_tokens, output_tokens, ms, outcome)
        self.calls.append(call)
        row = self._log(lambda conn, table: conn.execute(table.insert().values(_values(call))).inserted_primary_key)
        return int(row[0]) if row else None

    def _log(self, write: Callable[[Connection, Table], Any]) -> Any:
        if self._cat is None or self._cat.read_only:
            return None
        from sqlalchemy.exc import SQLAlchemyError

        from brain_assets.errors import StorageError
        from brain_assets.store import schema

        try:
            with self._cat.begin(wait=_LOG_WAIT) as conn:
                return write(conn, schema.llm_calls)
        except (SQLAlchemyError, StorageError) as error:
            log.warning("Model calls are not logged: the catalogue cannot be written now (%s).", type(error).__name__)
            self._cat = None
            return None


def _values(call: Call) -> dict[str, object]:
    return {
        "run_id": RUN_ID,
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "purpose": call.prompt_version.partition("/")[0],
        "provider": call.provider,
        "model": call.model,
        "prompt_version": call.prompt_version,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "ms": round(call.ms),
        "outcome": call.outcome,
    }


def correct(model: LanguageModel, answer: Completion, outcome: str) -> None:
    """Say in the log of `model`, if it keeps one, that `answer` proved unusable."""
    if isinstance(model, Recorded):
        model.correct(answer, outcome)


def cost(calls: list[Call], prices: Mapping[str, float]) -> float | None:
    """US dollars of the calls by a price table `{"MODEL in": dollars per million tokens, "MODEL out": …}`.

    A self-hosted model (Ollama) without a price costs nothing; None when a price is missing for any other.
    """
    total = 0.0
    for call in calls:
        if not call.input_tokens and not call.output_tokens:
            continue
        into, out = prices.get(f"{call.model} in"), prices.get(f"{call.model} out")
        if into is None or out is None:
            if call.provider == "ollama":
                continue
            return None
        total += (call.input_tokens * into + call.output_tokens * out) / 1_000_000
    return total


_budgets: dict[tuple[str, int, int], Budget] = {}


def run_budget(settings: Settings) -> Budget:
    """The budget of this process for one data directory: a stage run is one process."""
    key = (str(settings.data_dir), settings.llm_max_calls, settings.llm_max_tokens)
    return _budgets.setdefault(key, Budget(settings.llm_max_calls, settings.llm_max_tokens))
