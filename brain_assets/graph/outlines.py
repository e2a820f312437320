"""Statements as data: what one clause says, and the statements of an entry numbered so that sets of them are bits."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from brain_assets.graph import polarity
from brain_assets.graph.quantities import Value
from brain_assets.graph.scope import Scope
from brain_assets.graph.wording import Term

LONG = 8
"""Letters from which on a word may be a compound that another language says in two words."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause that says something checkable.

    `values` stand in the clause, `beside` in its whole sentence; `own` are its words without values, `around` those of
    its sentence, `context` of title, headings, labels and tags;
    `subject` is what it speaks of without naming it, each word with how much it counts; `phrases` are pairs of its
    words that stand together. `nouns` are those of `own`; `named` is all that clause, subject and sentence name;
    `denied` are the words a negation in the clause takes back.
    """

    entry_id: str
    quote: str
    text: str
    values: tuple[Value, ...]
    beside: tuple[Value, ...]
    own: tuple[Term, ...]
    around: tuple[Term, ...]
    context: tuple[Term, ...]
    subject: tuple[tuple[Term, float], ...]
    phrases: tuple[str, ...]
    scope: Scope
    polarity: polarity.Polarity
    ordinal: int
    nouns: tuple[Term, ...] = ()
    named: tuple[Term, ...] = ()
    denied: tuple[Term, ...] = ()


class Statements(tuple[Statement, ...]):
    """The statements of one entry, in the order of its text, with its words numbered so that sets of them are bits."""

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Every distinct word of the statements."""
        out: dict[str, Term] = {}
        for s in self:
            for t in (*s.named, *s.context):
                out.setdefault(t.text, t)
        return tuple(out.values())

    @cached_property
    def places(self) -> dict[str, int]:
        """Number of each word and phrase; phrases come after the words."""
        texts = [t.text for t in self.terms]
        texts += list(dict.fromkeys(p for s in self for p in s.phrases))
        return {text: n for n, text in enumerate(dict.fromkeys(texts))}

    @cached_property
    def wordings(self) -> tuple[str, ...]:
        """Words and phrases in the order of their numbers."""
        return tuple(self.places)

    @cached_property
    def by_feature(self) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """Hashes of what words of a like meaning or spelling share (see `features`), ascending, and the number of the
        word each belongs to."""
        hashes = [features(t) for t in self.terms]
        every = np.fromiter((h for found in hashes for h in found), np.uint32)
        owners = np.repeat(np.arange(len(hashes), dtype=np.uint16), [len(found) for found in hashes])
        order = np.argsort(every, kind="stable")
        return every[order], owners[order]

    @cached_property
    def plain(self) -> NDArray[np.bool_]:
        """Which words and phrases have a meaning that vectors know: no identifiers, no light words."""
        plain = np.ones(len(self.places), np.bool_)
        plain[: len(self.terms)] = [not (t.name or t.light) for t in self.terms]
        return plain

    @cached_property
    def long(self) -> int:
        """The words long enough to be a compound, as bits by their numbers."""
        return sum(1 << n for n, t in enumerate(self.terms) if len(t.text) >= LONG)

    @cached_property
    def outlines(self) -> tuple[Outline, ...]:
        """Each statement as bits, in order."""
        return tuple(_outline(s, self.places) for s in self)

    @cached_property
    def sets(self) -> Sets:
        """Which of the statements have what a conflict needs, as bits by their order."""
        return _sets(self)


class Sets(NamedTuple):
    """Statements of an entry as bits by their order, so that most are told apart from a statement of another entry by
    a few operations on numbers: by what their values measure, by the states they affirm and take back (bits of the
    state's number), exclusive ones, those open to all, negated ones, those that take a word back, those that speak of
    what was."""

    measuring: dict[int, int]
    affirming: dict[int, int]
    taking_back: dict[int, int]
    exclusive: int
    open_to_all: int
    negated: int
    denying: int
    past: int


def _sets(found: Statements) -> Sets:
    measuring: dict[int, int] = {}
    affirming: dict[int, int] = {}
    taking_back: dict[int, int] = {}
    exclusive = open_to_all = negated = denying = past = 0
    for n, (s, outline) in enumerate(zip(found, found.outlines, strict=True)):
        bit = 1 << n
        for into, bits in (
            (measuring, outline.dimensions), (affirming, outline.affirmed), (taking_back, outline.taken_back)
        ):  # fmt: skip
            for each in ones(bits):
                into[each] = into.get(each, 0) | bit
        exclusive |= bit * s.polarity.only
        open_to_all |= bit * s.polarity.open_to_all
        negated |= bit * s.polarity.negated
        denying |= bit * bool(s.denied)
        past |= bit * s.scope.past
    return Sets(measuring, affirming, taking_back, exclusive, open_to_all, negated, denying, past)


def ones(bits: int) -> Iterator[int]:
    """The single bits of a number, lowest first."""
    while bits:
        low = bits & -bits
        yield low
        bits ^= low


class Outline(NamedTuple):
    """A statement as sets of bits, so that most pairs are told apart by a few operations on numbers.

    `own` and `named` are words by their place (`named` with phrases), `dimensions` what its values measure, `affirmed`
    and `taken_back` the states it affirms and denies.
    """

    own: int
    named: int
    dimensions: int
    affirmed: int
    taken_back: int


def _outline(s: Statement, places: Mapping[str, int]) -> Outline:
    own = named = dimensions = 0
    for t in s.own:
        own |= 1 << places[t.text]
    for t in s.named:
        named |= 1 << places[t.text]
    for p in s.phrases:
        named |= 1 << places[p]
    for v in s.values:
        dimensions |= 1 << _dimension(v.dimension)
    said = [(1 << polarity.STATES.index(name), sign) for name, sign in s.polarity.states]
    affirmed = sum({bit for bit, sign in said if sign > 0})
    taken_back = sum({bit for bit, sign in said if sign < 0})
    return Outline(own, own | named, dimensions, affirmed, taken_back)


@lru_cache(maxsize=256)
def _dimension(name: str) -> int:
    """A bit for a dimension; two that share one are told apart later."""
    return zlib.crc32(name.encode()) % 61


@lru_cache(maxsize=100_000)
def features(term: Term) -> tuple[int, ...]:
    """Hashes of a word's concepts, its beginning as it sounds and its ending: two words that may mean one thing share
    one at least."""
    found = term.keys | {"^" + term.sound[:4], "$" + term.folded[-5:]}
    return tuple(sorted({zlib.crc32(f.encode("utf-8", "surrogatepass")) for f in found}))
