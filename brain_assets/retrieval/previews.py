"""Which passage of a hit to show, and which part of it."""

from __future__ import annotations

from collections.abc import Sequence

from brain_assets.retrieval.analysis import ENGLISH, EXACT, GERMAN, Analyses, Unit, fold_exact

LONGEST = 400
"""Characters of a preview."""

_UMLAUTS = (("ä", "a"), ("ö", "o"), ("ü", "u"), ("ß", "ss"))


class Needles:
    """The query's units as strings to look for in folded text, each with its weight."""

    def __init__(self, analyses: Analyses, weighted: Sequence[tuple[Unit, float]]) -> None:
        self._needles: list[tuple[float, tuple[str, ...]]] = []
        for unit, weight in weighted:
            forms = {folded(unit.text)}
            if len(unit.words) == 1:
                terms = [analyses.of(name, unit.words[0]) for name in (GERMAN, ENGLISH, EXACT)]
                forms |= {term for found in terms for term in found if len(term) > 2}
            # A form that begins with another is found wherever that one is.
            shortest = [f for f in forms if f and not any(f != g and f.startswith(g) for g in forms if g)]
            self._needles.append((weight, tuple(sorted(shortest))))

    def weight(self, text: str) -> float:
        """Summed weight of the units that stand in a text."""
        return self.weight_folded(folded(text))

    def weight_folded(self, text: str) -> float:
        return sum(weight for weight, forms in self._needles if any(form in text for form in forms))

    def first(self, text: str) -> int:
        """Where the first match stands in a folded text; -1 if there is none."""
        places = [at for _, forms in self._needles for form in forms if (at := text.find(form)) >= 0]
        return min(places, default=-1)


def folded(text: str) -> str:
    """As exact terms are folded."""
    text = fold_exact(text)
    if text.isascii():
        return text
    for umlaut, plain in _UMLAUTS:
        text = text.replace(umlaut, plain)
    return text


def choose(passages: Sequence[str], needles: Needles, nearest: int | None) -> int:
    """The passage that shows most of the query; the nearest by vectors where words do not decide."""
    weights = [needles.weight(passage) for passage in passages]
    best = max(weights)
    if nearest is not None and nearest < len(passages) and weights[nearest] >= 0.75 * best:
        return nearest
    return weights.index(best)


def cut(passage: str, needles: Needles) -> str:
    """At most 400 characters of a passage, around its first match, cut between words."""
    passage = passage.strip()
    if len(passage) <= LONGEST:
        return passage
    # Folding changes lengths a little; a preview need not begin at the exact letter.
    at = max(0, needles.first(folded(passage)))
    start = 0 if at < LONGEST // 2 else min(at - LONGEST // 4, len(passage) - LONGEST + 2)
    if start and (space := passage.find(" ", start, start + 40)) >= 0:
        start = space + 1
    end = start + LONGEST - 2
    if end < len(passage) and (space := passage.rfind(" ", end - 40, end)) >= 0:
        end = space
    return ("…" if start else "") + passage[start:end].strip() + ("…" if end < len(passage) else "")
