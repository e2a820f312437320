"""Which statements of the sources could contradict each other, told by marks before any is read closely.

Reading a statement for comparison (its clauses, words, scope, subject) costs many times what its marks do. Two can only
disagree where both state a value of one dimension, where one denies what the other says, or where one reserves what the
other gives to all, and only where they have words in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from brain_assets.graph import polarity, quantities
from brain_assets.graph.wording import keys_of
from brain_assets.text.words import tokens
from brain_assets.think.statements import Statement

_SHARED = 0.2
"""Least share of the shorter statement's words that both must have. (A clause of it may have fewer, and all of them.)"""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a statement may hold, over all its clauses: values of some `dimensions` (a count: of what), the `states` it
    speaks of, whether it is `negative` about anything, the keys of the words a negation takes back (`denied`), an
    `only`, something `open_to_all`. `numbers` are the figures it writes."""

    dimensions: frozenset[str]
    states: frozenset[str]
    negative: bool
    denied: frozenset[str]
    only: bool
    open_to_all: bool
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Comparable:
    """`pairs` are (smaller, greater) source numbers that may disagree; `read` the ordinals of the statements of each
    source that take part in such a pair or write a figure of one that does."""

    pairs: frozenset[tuple[int, int]]
    read: Mapping[int, frozenset[int]] = field(default_factory=dict)


def marks(text: str) -> Marks:
    """The marks of one sentence."""
    said = polarity.of(text)
    dimensions: set[str] = set()
    for value in quantities.find(text):
        if value.dimension == "count":
            dimensions.update(key for word in value.label.split() for key in keys_of(word))
        else:
            dimensions.add(value.dimension.removesuffix(":utc"))
    return Marks(
        frozenset(dimensions),
        frozenset(name for name, _ in said.states),
        said.negated or bool(said.targets) or any(sign < 0 for _, sign in said.states),
        frozenset(key for word in said.targets for key in keys_of(word)),
        said.only,
        said.open_to_all,
        frozenset(t for t in tokens(text) if any(c.isdigit() for c in t)),
    )


def find(near: Mapping[int, Sequence[Statement]]) -> Comparable:
    """What is worth reading of the statements of each source that are near to the question."""
    marked = {n: [(s, marks(s.text)) for s in said] for n, said in near.items()}
    pairs: set[tuple[int, int]] = set()
    read: dict[int, set[int]] = {n: set() for n in near}
    for a, b in combinations(sorted(near), 2):
        for x, mine in marked[a]:
            for y, other in marked[b]:
                least = _least_shared(x, mine, y, other)
                if least and _meet(x, y, least):
                    pairs.add((a, b))
                    read[a].add(x.ordinal)
                    read[b].add(y.ordinal)
    figures = {n: frozenset().union(*(m.numbers for s, m in marked[n] if s.ordinal in read[n])) for n in near}
    for n in read:
        # Where one side's figure also stands on the other, the two agree after all.
        elsewhere = frozenset().union(*(figures[m] for m in read if m != n))
        read[n].update(s.ordinal for s, m in marked[n] if m.numbers & elsewhere)
    return Comparable(frozenset(pairs), {n: frozenset(ordinals) for n, ordinals in read.items()})


def _least_shared(x: Statement, mine: Marks, y: Statement, other: Marks) -> int:
    """How many words two statements must share to disagree in the way their marks allow; 0 when they allow none."""
    if not mine.dimensions.isdisjoint(other.dimensions):
        return 1
    if mine.negative or other.negative:
        if not mine.states.isdisjoint(other.states):
            return 1
        if not mine.denied.isdisjoint(y.keys) or not other.denied.isdisjoint(x.keys):
            return 2
        # No table of translations is complete.
        if x.language != y.language and (mine.denied or other.denied):
            return 2
    return 2 if (mine.only and other.open_to_all) or (other.only and mine.open_to_all) else 0


def _meet(x: Statement, y: Statement, least: int) -> bool:
    """Whether two statements share enough words to speak of one thing: `least`, and a fifth of the shorter one's own.

    What only title, headings or lead-in of the other side say counts as well. Across languages one word will do.
    """
    shared = len(x.keys & y.keys) + max(len(x.keys & y.context), len(y.keys & x.context))
    if x.language != y.language:
        return shared > 0
    return shared >= least and shared >= _SHARED * min(len(x.keys), len(y.keys))
