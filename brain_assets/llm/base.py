"""What a language model is to the rest of the product: one method, one answer, and failures that have names.

Every failure carries an `outcome` word, which is what the call log and the `attempts` of `think` show. Messages name
the provider and the model, never a key and never the body of a reply.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypedDict

from brain_assets.errors import BudgetExhausted, ModelError


@dataclass(frozen=True, slots=True)
class Completion:
    """One whole answer of a model. Tokens are 0 where the server does not count them; `ms` is wall-clock.

    `row` is the answer's row in the call log, None when nothing is logged.
    """

    text: str
    provider: str
    model: str
    input_tokens: int
    output_tokens: int
    ms: float
    finish_reason: str
    row: int | None = field(default=None, compare=False)


class Tokens(TypedDict):
    """What a server says an answer took."""

    input_tokens: int
    output_tokens: int


class LanguageModel(Protocol):
    """A chat model. `complete` returns a non-empty answer that was not cut off, or raises a ModelFailure.

    `messages` are `{"role": "system"|"user"|"assistant", "content": text}`; `max_tokens` bounds the answer;
    `schema` is a JSON schema the answer should follow (a wish: validate, see `llm.structured`); `timeout` is the
    whole call in seconds.
    """

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    def complete(
        self,
        messages: list[dict[str, str]],
        *,
        max_tokens: int,
        schema: dict[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion: ...


class ModelFailure(ModelError):
    """A model gave no usable answer. `input_tokens` and `output_tokens` are what it cost all the same.

    `retry_after` is the seconds after which asking once more may help (0: at once), None when it will not.
    """

    outcome: ClassVar[str] = "failed"

    def __init__(
        self,
        message: str,
        remedy: str = "",
        *,
        retry_after: float | None = None,
        input_tokens: int = 0,
        output_tokens: int = 0,
    ) -> None:
        super().__init__(message, remedy)
        self.retry_after = retry_after
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


class BadKey(ModelFailure):
    """401 or 403: no use asking again before the key is corrected."""

    outcome = "bad_key"


class NoCredit(ModelFailure):
    """402: the account has no credit left."""

    outcome = "no_credit"


class RateLimited(ModelFailure):
    """429, and the server did not say when to ask again, or too late."""

    outcome = "rate_limited"


class TimedOut(ModelFailure):
    outcome = "timeout"


class Unreachable(ModelFailure):
    """No connection: name, port, TLS or proxy."""

    outcome = "unreachable"


class ServerError(ModelFailure):
    """5xx, an error object, or something that is not the protocol (HTML of a proxy)."""

    outcome = "server_error"


class BadRequest(ModelFailure):
    """4xx that names no other cause: this server does not take this request."""

    outcome = "bad_request"


class Truncated(ModelFailure):
    """The answer was cut off at its token limit."""

    outcome = "truncated"


class EmptyAnswer(ModelFailure):
    """No text: only reasoning, only white space, or nothing."""

    outcome = "empty"


class Filtered(ModelFailure):
    """A content filter held the answer back."""

    outcome = "filtered"


class NotJson(ModelFailure):
    """JSON was asked for and something else came."""

    outcome = "not_json"


class Nonsense(ModelFailure):
    """An answer that says nothing usable: the wrong shape, or no supported sentence."""

    outcome = "nonsense"


class Refused(ModelFailure):
    """The model declined although it was asked twice. Asking another one would not help."""

    outcome = "refused"


class ModelMissing(ModelFailure):
    """The server is there, the model is not."""

    outcome = "model_missing"


class BudgetSpent(ModelFailure, BudgetExhausted):
    """The run's model calls or tokens are used up; nothing was asked. A stage that meets it ends, and goes on next time."""

    outcome = "budget"
