"""Whether two statements speak of the same thing.

What one side says beyond the other is detail; what each says that the other does not makes them different things.
The score is the shared weight against what is unmatched on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brain_assets.graph.statements import LONG as _LONG
from brain_assets.graph.statements import Statement, Statements, ones
from brain_assets.graph.wording import Term, WordSimilarity, similarity

_BOTH, _EITHER, _PRIOR = 0.75, 0.1, 0.5
_AROUND, _CONTEXT = 0.9, 0.7
_NEAR = 0.6
_COSINE = 0.65


@dataclass(frozen=True, slots=True)
class Alignment:
    """`score` 0…1; `shared` are the words of the first statement found in the second; `nouns` their weight.

    `anchored`: where a side names something itself, one of its nouns is found on the other side.
    """

    score: float
    shared: tuple[str, ...]
    nouns: float
    anchored: bool


class Matcher:
    """Nearness of the words of two entries, each pair of words computed once."""

    def __init__(self, words: WordSimilarity | None, left: Statements, right: Statements) -> None:
        self._words = words
        self._sides = (left, right)
        self._known: dict[str, dict[str, float]] = {}
        self._cosines: Any = None
        self._counted = False
        self._masks: dict[str, tuple[int, int, int]] = {}
        self._like: NDArray[np.uint8] | None = None

    def near(self, a: Term, b: Term) -> float:
        row = self._known.setdefault(a.text, {})
        value = row.get(b.text)
        if value is None:
            value = similarity(a, b, None if self._words is None else self.cosine)
            row[b.text] = value
            self._known.setdefault(b.text, {})[a.text] = value
        return value

    def best(self, term: Term, others: Iterable[Term]) -> float:
        """The nearest of the others."""
        row = self._known.setdefault(term.text, {})
        top = 0.0
        for other in others:
            value = row.get(other.text)
            if value is None:
                value = self.near(term, other)
            if value > top:
                top = value
                if top >= 1.0:
                    break
        return top

    def phrase(self, term: Term, phrases: Sequence[str]) -> float:
        """Nearness of a long word to two words that stand together: "Ferienlager" and "summer camp"."""
        if self._words is None or len(term.text) < _LONG or term.name or not phrases:
            return 0.0
        top = max(self.cosine(term.text, phrase) for phrase in phrases)
        return max(0.0, min(1.0, (top - 0.5) / 0.25))

    def cosine(self, a: str, b: str) -> float:
        """Cosine of two words or phrases of the two entries; all of them are computed when the first is needed."""
        left, right = self._sides
        matrix = self._matrix()
        for one, other in ((a, b), (b, a)):
            row, column = left.places.get(one), right.places.get(other)
            if matrix is not None and row is not None and column is not None:
                return float(matrix[row, column])
        return self._words(a, b) if self._words is not None else 0.0

    def _matrix(self) -> Any:
        if not self._counted:
            self._counted = True
            made = getattr(self._words, "matrix", None)
            left, right = self._sides
            if made is not None and left.wordings and right.wordings:
                self._cosines = made(left.wordings, right.wordings)
        return self._cosines

    def mask(self, term: Term, within: int) -> int:
        """Those of the given words and phrases of the right side (as bits) that are near a word of the left one."""
        likely, done, near = self._masks.get(term.text) or (self._likely(self._sides[0].places[term.text]), 0, 0)
        for bit in ones(likely & within & ~done):
            n = bit.bit_length() - 1
            other = self._sides[1].terms[n] if n < len(self._sides[1].terms) else None
            if len(term.text) >= _LONG if other is None else self.near(term, other) >= _NEAR:
                near |= bit
        self._masks[term.text] = likely, done | within, near
        return near & within

    def _likely(self, row: int) -> int:
        """What on the right side shares a concept or spelling with a word or phrase of the left one, or is near it by
        its vector, as bits."""
        if self._like is None:
            self._like = np.packbits(self._alike(), axis=1, bitorder="little")
        return int.from_bytes(self._like[row].tobytes(), "little")

    def _alike(self) -> NDArray[np.bool_]:
        left, right = self._sides
        matrix = self._matrix()
        if matrix is None:
            alike = np.zeros((len(left.places), len(right.places)), np.bool_)
        else:
            alike = (matrix >= _COSINE) & left.plain[:, None]
        (these, owners), (those, others) = left.by_feature, right.by_feature
        starts = np.searchsorted(those, these, "left")
        counts = np.searchsorted(those, these, "right") - starts
        found = counts.nonzero()[0]
        counts, starts = counts[found], starts[found]
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
        alike[np.repeat(owners[found], counts), others[places]] = True
        return alike

    def anchors(self, s: Statement, within: int) -> int:
        """Everything of the given words and phrases of the right side (as bits) that one of the statement's nouns, or
        two of its words together, may mean."""
        bits = 0
        for t in s.nouns:
            bits |= self.mask(t, within)
        if s.phrases and self._matrix() is not None:
            long = self._sides[1].long
            for phrase in s.phrases:
                bits |= self._likely(self._sides[0].places[phrase]) & long
        return bits & within


NOTHING_SHARED = Alignment(0.0, (), 0.0, False)
Ignore = Callable[[Term], bool]


def nothing(term: Term) -> bool:
    """Ignores no word."""
    return False


def align(x: Statement, y: Statement, matcher: Matcher, ignore: Ignore = nothing) -> Alignment:
    """How surely two statements speak of the same thing. Symmetric up to which words are listed.

    `ignore` names words that need no counterpart: those that say what the compared values are.
    """
    anchored = _anchored(x, y, matcher, ignore) and _anchored(y, x, matcher, ignore)
    if not anchored:
        return NOTHING_SHARED
    sx, ux, shared, nouns = _cover(x, y, matcher, ignore)
    sy, uy, _, other = _cover(y, x, matcher, ignore)
    both = (sx + sy) / 2
    return Alignment(_score(both, ux, uy), shared, max(nouns, other), anchored)


def ungated(x: Statement, y: Statement, matcher: Matcher, ignore: Ignore = nothing) -> float:
    """The score of `align` whether or not a noun is found on both sides."""
    sx, ux, _, _ = _cover(x, y, matcher, ignore)
    sy, uy, _, _ = _cover(y, x, matcher, ignore)
    return _score((sx + sy) / 2, ux, uy)


def _score(both: float, missing: float, other: float) -> float:
    return both / (both + _BOTH * min(missing, other) + _EITHER * max(missing, other) + _PRIOR)


def _anchored(x: Statement, y: Statement, matcher: Matcher, ignore: Ignore) -> bool:
    own = [t for t in x.nouns if not ignore(t)]
    if not own or any(matcher.best(t, y.named) >= _NEAR for t in own):
        return True
    joined = _joined(x, y, matcher)
    return any(t.text in joined or matcher.phrase(t, y.phrases) >= _NEAR for t in own)


def titles(a: Sequence[Term], b: Sequence[Term], matcher: Matcher) -> float:
    """How much of the shorter title is found in the other, 0…1; half when there is none to compare."""
    if not a or not b:
        return 0.5
    found = []
    for this, other in ((a, b), (b, a)):
        words = [t for t in this if not t.light]
        total = sum(t.weight for t in words)
        found.append(sum(t.weight * matcher.best(t, other) for t in words) / total if total else 0.0)
    return max(found)


def _cover(x: Statement, y: Statement, matcher: Matcher, ignore: Ignore) -> tuple[float, float, tuple[str, ...], float]:
    """Weight of x found in y, weight not found, the words found, the weight of the nouns among them."""
    found = missing = nouns = 0.0
    shared = []
    joined = _joined(x, y, matcher)
    named = (*y.own, *(t for t, _ in y.subject)) if y.subject else y.own
    for term, factor in (*((t, 1.0) for t in x.own), *x.subject):
        if ignore(term):
            continue
        weight = term.weight * factor
        near = matcher.best(term, y.own)
        if near < 0.9:
            near = max(near, matcher.phrase(term, y.phrases), 0.95 if term.text in joined else 0.0)
        direct = max(near, matcher.best(term, named)) if y.subject else near
        near = max(near, direct)
        if near < _AROUND:
            near = max(near, _AROUND * matcher.best(term, y.around))
        if near < _CONTEXT:
            near = max(near, _CONTEXT * matcher.best(term, y.context))
        found += weight * near
        missing += weight * (1 - near)
        if near >= _NEAR and not term.light:
            shared.append(term.text)
            if term.noun and direct >= _NEAR:
                nouns += weight
    return found, missing, tuple(shared), nouns


def _joined(x: Statement, y: Statement, matcher: Matcher) -> frozenset[str]:
    """Words of x that together are one long word of y."""
    out = set()
    for phrase in x.phrases:
        for term in y.own:
            if matcher.phrase(term, (phrase,)) >= _NEAR:
                out.update(phrase.split(" "))
    return frozenset(out)
