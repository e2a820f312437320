"""How likely two values are said of one thing: a few measures of two statements, weighed by a fitted model.

Two notes contradict each other in a value when both speak of the same attribute of the same thing. No single measure
tells that: the same words may speak of another room, and other words of the same one. The measures are

- *meaning*: cosine of both clauses with the value blanked, each after its title, freed of the language;
- *aligned*: share of the words of each that have a counterpart in the other (see `alignment`);
- *shared*, *rarest*: how rare the words are that both have in clause, sentence, headings and title;
- *mutual*: for how many of the two the other is the nearest of all statements about such a value in its entry;
- *near*: how near the values are: people mistype, update and misremember, but seldom by a factor of a hundred;
- *beside*: other values that agree (the same port beside another host);
- *apart*: how rare the rarest words are that each names in clause or title and the other does not;
- *loose*: both could hold, one value being a bound for the other;
- *group*: only one of the two is said of a certain group of people;
- *version*: two versions, which more often differ because one text is old;
- *titled*: cosine of the two titles;
- *across*: the two are in two languages, where words are seldom shared;
- *event*: one of the two reports what happened on a day rather than what holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from brain_assets.graph import quantities
from brain_assets.graph.alignment import Matcher, ungated
from brain_assets.graph.meaning import meanings
from brain_assets.graph.outlines import Statement, Statements
from brain_assets.graph.quantities import Value
from brain_assets.graph.statements import plain_terms
from brain_assets.graph.wording import Term, keys_of

_USUAL, _STEP, _LEAST, _MOST = 8.0, 4.0, 0.3, 6.0
"""Nats from which on a word begins to say what is spoken of, nats a step, and the least and most it counts."""
_CLOSE = 1e-6
_ONE_TITLE = 0.5
_UNORDERED = 0.75
"""Days of the week and ports: none is nearer to another in what people write."""


class Measures(NamedTuple):
    """Of two statements with a value each, see the module's text; each 0…1 or so, `mutual` 0, 1 or 2."""

    meaning: float
    shared: float
    rarest: float
    mutual: float
    near: float
    beside: float
    loose: float
    group: float
    across: float
    event: float
    version: float
    titled: float
    aligned: float
    apart: float


WEIGHTS: Final = Measures(
    meaning=5.10, shared=1.60, rarest=2.31, mutual=1.27, near=4.51, beside=2.91, loose=-0.16, group=-1.20, across=0.79,
    event=-0.85, version=2.10, titled=-1.36, aligned=5.23, apart=-1.30,
)  # fmt: skip
BIAS: Final = -12.60
"""Fitted by logistic regression (ridge 2.0 on standardised measures) to every pair of differing values of one sort in
labelled vaults and pairs of notes, German, English and across (`benchmarks/likeness.py`); leaving one set out of the
fit at a time tells what to expect of a new one (docs/evaluation.md)."""


def probability(measures: Measures) -> float:
    """That one attribute of one thing is meant."""
    return 1.0 / (1.0 + math.exp(-BIAS - sum(w * m for w, m in zip(WEIGHTS, measures, strict=True))))


class Valued:
    """The values of one entry with the statements they stand in, numbered in the order of the text."""

    def __init__(self, title: str, found: Statements) -> None:
        self.statements = found
        self.items: list[tuple[int, Value]] = [(n, v) for n, s in enumerate(found) for v in s.values]
        self.title = plain_terms(title)
        self.title_text = title
        self._words: dict[int, Mapping[str, float]] = {}

    @cached_property
    def rows(self) -> NDArray[np.float16]:
        """What the clauses mean, a row for each value."""
        return meanings().of(self.texts())

    def texts(self) -> list[str]:
        """The clauses as they are encoded, one for each value."""
        return [f"{self.title_text}: {blanked(self.statements[n], v)}" for n, v in self.items]

    @cached_property
    def named(self) -> NDArray[np.float16]:
        """What the title means."""
        found: NDArray[np.float16] = meanings().of([self.title_text])[0]
        return found

    @cached_property
    def dimensions(self) -> dict[str, list[int]]:
        """dimension → the numbers of its values."""
        out: dict[str, list[int]] = {}
        for place, (_, v) in enumerate(self.items):
            out.setdefault(v.dimension, []).append(place)
        return out

    def words(self, number: int) -> Mapping[str, float]:
        """What a statement and its surroundings name → how rare a word that is."""
        found = self._words.get(number)
        if found is None:
            s = self.statements[number]
            found = {}
            for t in (*s.own, *s.around, *s.context):
                if not t.light:
                    weight = rarity(t.text.lower())
                    for key in t.keys or (t.text.lower(),):
                        found[key] = min(weight, found.get(key, weight))
            self._words[number] = found
        return found


def valued(title: str, found: Statements) -> Valued:
    """The values of an entry's statements, kept with these."""
    kept = found.__dict__.get("_valued")
    if kept is None:
        kept = found.__dict__["_valued"] = Valued(title, found)
    return kept


def prepare(entries: Iterable[tuple[str, Statements]]) -> None:
    """Encode the values of several entries (title, statements) at once."""
    for_each = [valued(title, found) for title, found in entries]
    meanings().prepare(t for each in for_each if each.items for t in (each.title_text, *each.texts()))
    for each in for_each:
        if each.items:
            _ = each.rows, each.named


class Comparison:
    """Two entries whose values are compared."""

    def __init__(self, left: Valued, right: Valued, matcher: Matcher, *, event: bool, across: bool) -> None:
        self.left, self.right = left, right
        self._matcher, self._event, self._across = matcher, float(event), float(across)

    @cached_property
    def _meaning(self) -> NDArray[np.float32]:
        product: NDArray[np.float32] = self.left.rows.astype(np.float32) @ self.right.rows.astype(np.float32).T
        return product

    @cached_property
    def _titled(self) -> float:
        return float(self.left.named.astype(np.float32) @ self.right.named.astype(np.float32))

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Numbers of values that measure the same sort of thing."""
        for dimension, these in self.left.dimensions.items():
            for one in these:
                for other in self.right.dimensions.get(dimension, ()):
                    yield one, other

    def nameless(self, one: int, other: int) -> bool:
        """Whether a side says no more than what sort of value it is ("Version: 3.5"), so that its title says whose, and
        the titles do not name one thing."""
        (n, _), (m, _) = self.left.items[one], self.right.items[other]
        if not (_bare(self.left.statements[n]) or _bare(self.right.statements[m])):
            return False
        return self._alike < _ONE_TITLE

    @cached_property
    def _alike(self) -> float:
        """How much of each title is found in the other, rare words counting more, 0…1."""
        both = (self.left.title, self.right.title), (self.right.title, self.left.title)
        return min(self._covered(this, other) for this, other in both)

    def _covered(self, title: tuple[Term, ...], other: tuple[Term, ...]) -> float:
        found = total = 0.0
        for t in title:
            if not t.light:
                weight = rarity(t.text.lower())
                total += weight
                found += weight * self._matcher.best(t, other)
        return found / total if total else 0.0

    def measures(self, one: int, other: int, least: float = 0.0) -> Measures | None:
        """The measures of two values; None if the probability is below `least` whatever the alignment."""
        (n, v), (m, w) = self.left.items[one], self.right.items[other]
        x, y = self.left.statements[n], self.right.statements[m]
        meaning = float(self._meaning[one, other])
        mine, theirs = self.left.words(n), self.right.words(m)
        both = [min(mine[key], theirs[key]) for key in mine.keys() & theirs.keys()]
        shared = sum(both) / (min(sum(mine.values()), sum(theirs.values())) or 1.0)
        row = self._meaning[one, self.right.dimensions[v.dimension]].max()
        column = self._meaning[self.left.dimensions[v.dimension], other].max()
        cheap = Measures(
            meaning, shared, max(both, default=0.0) / _MOST, float(meaning >= row - _CLOSE) + (meaning >= column - _CLOSE),
            nearness(v, w), beside(x, y, v, w),
            float(not quantities.conflicting(v, w)), float(x.scope.audiences != y.scope.audiences), self._across, self._event,
            float(v.dimension == "version"), self._titled, 1.0, 0.0,
        )  # fmt: skip
        if probability(cheap) < least:
            return None
        apart = min(
            self._alone(x, y, self.left.title, self.right.title), self._alone(y, x, self.right.title, self.left.title)
        )
        return cheap._replace(aligned=ungated(x, y, self._matcher), apart=apart)

    def _alone(self, x: Statement, y: Statement, title: tuple[Term, ...], other: tuple[Term, ...]) -> float:
        """How rare the rarest word is that one side names and the other does not, 0…1."""
        there = (*y.own, *y.around, *y.context, *other)
        most = 0.0
        for t in (*x.own, *title):
            if not t.light and (weight := rarity(t.text.lower()) / _MOST) > most:
                most = max(most, weight * (1.0 - self._matcher.best(t, there)))
        return most


_SORTS = frozenset(
    """version release stand ausgabe port host hostname rechner adresse address ip url datum date tag day termin uhrzeit zeit
    time beginn start ende end status dauer duration frist deadline preis price kosten cost costs größe size anzahl number
    menge wert value limit maximum minimum raum room ort place durchwahl extension telefon phone nummer""".split()
)
"""Words that say what sort of value follows, and not of what."""


def _bare(s: Statement) -> bool:
    """Whether a clause names nothing but the sort of its value."""
    return all(t.light or t.text.lower() in _SORTS for t in s.own)


def blanked(s: Statement, v: Value) -> str:
    """A clause without its value; a table cell after the words that say what it holds."""
    place = s.text.find(v.text)
    text = s.text if place < 0 else f"{s.text[:place]}…{s.text[place + len(v.text) :]}"
    return f"{' '.join(t.text for t in s.own[:6])} {text}" if s.quote.startswith("|") else text


@lru_cache(maxsize=100_000)
def rarity(word: str) -> float:
    """How much a word says about what is spoken of: little for *server*, much for *patchday* or a product's name."""
    return min(_MOST, max(_LEAST, (meanings().surprise(word) - _USUAL) / _STEP))


def nearness(v: Value, w: Value) -> float:
    """How near two values of one dimension are, 0…1: the ratio of figures, the likeness of names and versions."""
    a, b = v.amount, w.amount
    if v.dimension == "port":
        return _UNORDERED
    if isinstance(a, float) and isinstance(b, float):
        low, high = sorted((abs(a), abs(b)))
        return low / high if high else 1.0
    if v.dimension == "date" and isinstance(a, tuple) and isinstance(b, tuple):
        apart = abs(a[1] - b[1])
        return 1.0 if not apart else 0.6 if apart == 1 else 0.3
    if v.dimension in ("clock", "clock:utc") and isinstance(a, tuple) and isinstance(b, tuple):
        apart = abs(a[0] - b[0])
        return 1.0 - min(apart, 1440 - apart) / 720
    if isinstance(a, str) and isinstance(b, str):
        return SequenceMatcher(None, a, b).ratio()
    return _UNORDERED


def beside(x: Statement, y: Statement, v: Value, w: Value) -> float:
    """How many other values of the two sentences agree, at most two."""
    same = sum(
        1 for p in x.beside for q in y.beside
        if p is not v and q is not w and p.dimension == q.dimension != "interval" and quantities.equal(p, q)
    )  # fmt: skip
    return min(2.0, float(same))


_NUMBERED = re.compile(r"\b([A-Za-zÄÖÜäöüß]{3,}) (\d{1,3}|[A-Z])\b(?![.,:]\d|\s?[%°€$])")
_UNNUMBERED = frozenset(
    """und oder and von vom bis auf nach vor seit bei mit aus den der die das dem des for from the than until after
    before about etwa rund circa mehr weniger maximal mindestens höchstens jede jeder every all alle nur only noch
    version release port januar februar märz april mai juni juli august september oktober november dezember january
    february march may june july october december""".split()
)


def numbered(s: Statement, v: Value) -> Mapping[str, frozenset[str]]:
    """Which of several like things a statement names: concept → numbers or letters ("Raum A", "hive 2")."""
    out: dict[str, set[str]] = {}
    for text in (s.quote, " ".join(t.text for t in s.context)):
        for m in _NUMBERED.finditer(text):
            if m[1].lower() not in _UNNUMBERED and not (text is s.quote and m.start() < v.end and v.start < m.end()):
                for key in keys_of(m[1]) or (m[1].lower(),):
                    out.setdefault(key, set()).add(m[2])
    return {key: frozenset(found) for key, found in out.items()}


_DAYS_TO = re.compile(r"\s*(?:bis|to|through|till|–|-)\s*", re.I)


def weekdays(s: Statement) -> frozenset[int]:
    """The days of the week a sentence speaks of; "Monday to Friday" are five."""
    found = [v for v in s.beside if v.dimension == "weekday"]
    days = {_day(v) for v in found}
    for one, other in pairwise(found):
        if _DAYS_TO.fullmatch(s.quote[one.end : other.start]):
            days.update(range(_day(one), _day(other) + 1))
    return frozenset(days)


def _day(v: Value) -> int:
    return int(v.amount[0]) if isinstance(v.amount, tuple) else -1


def another(x: Statement, y: Statement, v: Value, w: Value) -> bool:
    """Whether both name which of several like things, or which days, they mean, and not the same ones."""
    if v.dimension == "weekday":
        return len(weekdays(x)) > 1 or len(weekdays(y)) > 1  # days on which something else holds
    if (days := weekdays(x)) and (others := weekdays(y)) and not days & others:
        return True
    mine = numbered(x, v)
    theirs = numbered(y, w) if mine else {}
    return any(not (mine[key] & theirs[key]) for key in mine.keys() & theirs.keys())
