"""One query on its way through search, and one entry that may answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from brain_assets.retrieval import fusion, ranking
from brain_assets.retrieval import query as queries
from brain_assets.retrieval.analysis import Unit
from brain_assets.retrieval.documents import Head
from brain_assets.retrieval.lexical import Found, Stored
from brain_assets.retrieval.previews import Needles, folded

if TYPE_CHECKING:
    from brain_assets.retrieval.dense import DenseScores

_NEAR = 0.5
"""Share of the best hit's lead in meaning from which meaning is named as a reason."""


@dataclass(slots=True)
class Candidate:
    key: int
    place: tuple[int, int]
    relevance: float
    lexical: float
    parts: fusion.Parts | None = None
    factors: ranking.Factors = ranking.NEUTRAL
    stored: Stored | None = None
    linked: float = 0.0
    score: float = 0.0


@dataclass
class Asked:
    """One query on its way: parsed, with what it found so far."""

    query: queries.Query
    language: str
    units: list[Unit]
    titles: list[str]
    guard: Any
    depth: int
    notes: list[str]
    lexical: list[Found] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    covered: float = 0.0
    dense: DenseScores | None = None
    recipe: fusion.Recipe | None = None
    leads: set[int] = field(default_factory=set)
    named: set[int] = field(default_factory=set)
    embedded: str = ""
    corrected: dict[str, str] = field(default_factory=dict)


def explained(asked: Asked, candidate: Candidate) -> dict[str, Any]:
    """Every part of a hit's score."""
    parts, factors = candidate.parts, candidate.factors
    out: dict[str, Any] = {
        "relevance": round(candidate.relevance, 6),
        "lexical_score": round(candidate.lexical, 4),
        "coverage": round(asked.covered, 4),
        "units": [unit.text for unit in asked.units],
    }
    if asked.corrected:
        out["corrected"] = asked.corrected
    if parts is not None and asked.recipe is not None and asked.dense is not None:
        out |= {"recipe": asked.recipe.name, "lexical": round(parts.lexical, 6)}
        out["dense"] = round(parts.dense, 6) if parts.dense is not None else None
        out["dense_score"] = round(asked.dense.of([candidate.key]).get(candidate.key, 0.0), 6)
    out |= {"recency": round(factors.recency, 4), "status": factors.status, "path": factors.path}
    return out | {"title": factors.title, "linked": round(candidate.linked, 6)}


def matched(needles: Needles, head: Head, found: Sequence[Sequence[bool]]) -> tuple[str, ...]:
    """The units that stand in an entry's title, aliases or passages."""
    named = needles.found(folded(" ".join((head.title, *head.aliases))))
    everywhere = (any(each) for each in zip(named, *found, strict=True))
    return tuple(unit.text for unit, there in zip(needles.units, everywhere, strict=True) if there)


def reasons(asked: Asked, candidate: Candidate) -> tuple[str, ...]:
    """What else than its words speaks for a hit: see `Hit`."""
    near = candidate.parts.dense if candidate.parts is not None else None
    said = {
        "title": candidate.key in asked.leads or candidate.key in asked.named,
        "meaning": near is not None and near >= _NEAR,
        "link": candidate.linked > 0,
    }
    return tuple(reason for reason, holds in said.items() if holds)
