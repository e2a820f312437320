"""What search takes and gives. Data classes, not pydantic: this is the hot path of every command."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

Mode = Literal["hybrid", "lexical", "dense"]
Coverage = Literal["good", "weak", "none"]


@dataclass(frozen=True, slots=True)
class Filters:
    """Restrictions that act inside the query. Empty means unrestricted; `after` and `before` are inclusive."""

    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One found entry; `passage` is the text of its best passage, `preview` at most 400 characters of it.

    Why it was found: `matched` are the parts of the query that stand in it, `reasons` what else speaks for it: `title`
    (the title or an alias has all of the query), `meaning` (among the nearest by vectors), `link` (linked with one of
    the best hits).
    """

    rank: int
    id: str
    kind: str
    title: str
    path: str | None
    date: date | None
    date_origin: str | None
    language: str
    type: str | None
    status: str | None
    score: float
    preview: str
    passage: str
    matched: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    explain: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits of one query, best first, all from one index generation. `notes` says in words why less was done."""

    query: str
    language: str
    coverage: Coverage
    hits: tuple[Hit, ...]
    took_ms: float
    mode: Mode
    generation: int
    notes: tuple[str, ...] = field(default=())
