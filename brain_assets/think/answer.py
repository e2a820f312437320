"""What `think` returns: the answer with its sources and gaps, as data, JSON and Markdown."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

from brain_assets.llm.chain import Attempt
from brain_assets.model.gaps import GapReport
from brain_assets.model.search import Coverage


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """One numbered source, as in the JSON contract."""

    n: int
    id: str
    kind: str
    title: str
    path: str | None
    date: str | None
    age_days: int | None
    score: float
    preview: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, its sources and its gaps. Citations in `answer` are `[n]`, n of `sources`.

    `notes` say in words why less was done than asked (no vectors, a model's answer set aside); `cost` is in US
    dollars, 0 without a model and None when a price is not known.
    """

    query: str
    language: str
    answer: str
    mode: Literal["llm", "extractive"]
    provider: str | None
    model: str | None
    sources: tuple[AnswerSource, ...]
    gaps: GapReport
    attempts: tuple[Attempt, ...]
    coverage: Coverage
    took_ms: float
    notes: tuple[str, ...] = field(default=())
    cost: float | None = 0.0

    def to_json(self) -> dict[str, Any]:
        """The JSON contract of `brain think --json`."""
        return {
            "query": self.query,
            "language": self.language,
            "answer": self.answer,
            "mode": self.mode,
            "provider": self.provider,
            "model": self.model,
            "sources": [dataclasses.asdict(s) for s in self.sources],
            "gaps": {
                kind: [_plain(gap) for gap in getattr(self.gaps, kind)]
                for kind in ("stale", "uncited", "contradiction", "missing")
            },
            "attempts": [{"provider": a.provider, "outcome": a.outcome, "ms": round(a.ms)} for a in self.attempts],
            "coverage": self.coverage,
            "notes": list(self.notes),
            "took_ms": round(self.took_ms, 1),
        }

    def to_markdown(self) -> str:
        """Answer, numbered sources and gap report as Markdown."""
        from brain_assets.think.render import markdown

        return markdown(self)


def _plain(gap: Any) -> dict[str, Any]:
    values: dict[str, Any] = dataclasses.asdict(gap)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
