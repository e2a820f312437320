"""The gap report of `think` (DESIGN §6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Stale:
    gap_id: str
    id: str
    path: str | None
    date: str
    age_days: int
    severity: Literal["due", "aging", "superseded"]
    reason: str


@dataclass(frozen=True, slots=True)
class Uncited:
    gap_id: str
    term: str
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    gap_id: str
    a: str
    b: str
    subject: str
    kind: str
    a_quote: str
    b_quote: str
    a_value: str
    b_value: str
    confidence: float
    strength: Literal["weak", "strong"]
    verify: Literal["manual"] = "manual"


@dataclass(frozen=True, slots=True)
class Missing:
    gap_id: str
    term: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class GapReport:
    stale: tuple[Stale, ...] = field(default=())
    uncited: tuple[Uncited, ...] = field(default=())
    contradiction: tuple[Conflict, ...] = field(default=())
    missing: tuple[Missing, ...] = field(default=())
