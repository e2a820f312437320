"""Which of the entries that search found become the sources of an answer.

Search ranks by the query; a source is also worth more when it holds more of what the question names (as concepts, so
across languages), when it is near in meaning to the best hits or linked with them, and less when something newer
replaces it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from brain_assets.model.entry import Entry
from brain_assets.model.search import Hit
from brain_assets.think.aspects import Question, Term
from brain_assets.think.forms import covered
from brain_assets.think.stale import replacement
from brain_assets.think.statements import keys

LEADING = 2
"""Best hits that the others are compared with."""
_LEADS = 3
"""Best candidates that links count from."""
_NEAR = 0.5
"""Nearness from which a hit may be a source though it has no word of the question."""
_READ = 3_000
"""Characters of an entry that are looked at."""
_FAR = 0.3
"""Share of the best score below which a hit that has no word of the question is no source."""
_COVERAGE = 0.6
_NEARNESS = 1.0
_LINKED = 0.2
_REPLACED = 0.3


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry with its hit, and how near it is in meaning to the leading ones, 0…1. `worth` is what `best` made of it, as a share of the best one's."""

    hit: Hit
    entry: Entry
    near: float = 0.0
    worth: float = 0.0


def best(question: Question, found: Sequence[Candidate], top: int, replaced: Mapping[str, str]) -> list[Candidate]:
    """The `top` candidates, best first. `replaced` maps ids to what the graph says supersedes them."""
    held = [_keys(c.entry) for c in found]
    weights = {}
    for term in question.terms:
        seen = sum(covered(term, k) for k in held)
        # A word that most of them have tells little.
        weights[term.text] = (0.6 if term.kind == "other" else 1.0) / (1 + seen) ** 0.5 if seen else 0.0
    total = sum(weights.values()) or 1.0
    most = max((c.hit.score for c in found), default=0.0) or 1.0
    rated: list[_Rated] = []
    for candidate, k in zip(found, held, strict=True):
        share = sum(weights[t.text] for t in question.terms if covered(t, k)) / total
        score = candidate.hit.score / most
        if share > 0 or score >= _FAR or candidate.near >= _NEAR:
            if replacement(candidate.entry, replaced.get(candidate.entry.id)) is not None:
                score -= _REPLACED
            rated.append(_Rated(candidate, score + _COVERAGE * share))
    rated.sort(key=_Rated.order)
    leading = [r.candidate.entry for r in rated[:_LEADS]]
    for r in rated:
        if any(_linked(r.candidate.entry, lead) for lead in leading):
            r.value += _LINKED
    chosen = sorted(rated, key=lambda r: (-(r.value + _NEARNESS * r.candidate.near), *r.order()[1:]))[:top]
    # Nearness tells what belongs to the matter, not what answers best.
    ordered = sorted(chosen, key=_Rated.order)
    top_value = max((r.value for r in ordered), default=0.0) or 1.0
    return [replace(r.candidate, worth=max(0.0, r.value / top_value)) for r in ordered]


def is_about(things: Sequence[Term], entry: Entry) -> bool:
    """Whether an entry names all these things."""
    held = _keys(entry)
    return all(covered(t, held) for t in things)


def _keys(entry: Entry) -> frozenset[str]:
    return keys(" ".join((entry.title, *entry.aliases, *entry.tags, entry.body[:_READ])), whole=True)


@dataclass(slots=True)
class _Rated:
    candidate: Candidate
    value: float

    def order(self) -> tuple[float, int, str]:
        return (-self.value, self.candidate.hit.rank, self.candidate.entry.id)


def _linked(a: Entry, b: Entry) -> bool:
    """Whether one of two entries links to the other: their writers saw them as one matter."""
    return any(link.entry_id == b.id for link in a.links) or any(link.entry_id == a.id for link in b.links)
