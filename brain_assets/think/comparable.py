"""Which statements of the sources could contradict each other, told by cheap marks before any is read closely.

Reading a statement for comparison (its clauses, values, scope, subject) costs about as much as marking a hundred. Two
can only disagree where both state a value, or one of them denies, forbids or reserves something, and where they have
a word in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from brain_assets.graph.units import ARTICLES, HALVES, MONTHS, ONES, TIME_ADVERBS, UNITS, WEEKDAYS
from brain_assets.text.words import tokens
from brain_assets.think.statements import Statement

_VALUE_WORDS = frozenset({*ONES, *HALVES, *TIME_ADVERBS, *WEEKDAYS, *MONTHS}) - ARTICLES | frozenset(
    "einmal zweimal dreimal viermal once twice viertelstunde dreiviertelstunde".split()
)
_COUNTING = ARTICLES | frozenset("alle jede jeder jedes jeden jedem every each".split())
"""Words that make a value of a unit after them: "eine Woche", "every month"."""
_DENYING = frozenset(
    """kein keine keinen keinem keiner keines keinerlei nicht nichts nie niemals niemand niemanden niemandem weder no
    not never none nobody nothing neither cannot abgewiesen abgelehnt lehnt rejects rejected refused declined verboten
    untersagt unzulässig forbidden prohibited banned disallowed entfällt entfallen überflüssig freiwillig unnötig
    optional unnecessary voluntary deaktiviert abgeschaltet ausgeschaltet abgestellt stillgelegt außer disabled off
    deactivated decommissioned down retired discontinued hand händisch manual manually unerreichbar unreachable
    inaccessible unsupported unmöglich impossible unverschlüsselt klartext unencrypted plain plaintext clear ausstehend
    aus offen pending outstanding open geschlossen ausgenommen ausgeschlossen excluded exempt sinkt sinken gesunken
    senkt gesenkt verringert abnimmt ab decreases decrease decreased falls fallen shrinks shrink lowered reduces reduce
    reduced verschlechtert schlechter worsens worsen worsened worse abwesend absent kostenpflichtig gebührenpflichtig
    chargeable nur ausschließlich lediglich only solely exclusively""".split()
)

_SHARED = 0.2
"""Least share of the shorter statement's words that both must have. (A clause of it may have fewer, and all of them.)"""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a statement may hold: a `value`, a `denial` (or a reservation); `numbers` are the figures it writes."""

    value: bool
    denial: bool
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Comparable:
    """`pairs` are (smaller, greater) source numbers that may disagree; `read` the ordinals of the statements of each
    source that take part in such a pair or write a figure of one that does."""

    pairs: frozenset[tuple[int, int]]
    read: Mapping[int, frozenset[int]] = field(default_factory=dict)


def marks(text: str) -> Marks:
    """The marks of one sentence. They may promise more than it holds, never less."""
    written = tokens(text)
    words = {t.lower() for t in written}
    parts = words.union(*(w.split("-") for w in words if "-" in w))
    numbers = frozenset(t for t in written if any(c.isdigit() for c in t))
    value = bool(
        numbers
        or parts & _VALUE_WORDS
        or (parts & _COUNTING and parts & UNITS.keys())
        or any("." in t or "@" in t for t in written)
        or "o'clock" in text
    )
    denial = bool(parts & _DENYING) or "n't" in text or "n’t" in text or "manuell" in text.lower()
    return Marks(value, denial, numbers)


def find(near: Mapping[int, Sequence[Statement]]) -> Comparable:
    """What is worth reading of the statements of each source that are near to the question."""
    marked = {n: [(s, marks(s.text)) for s in said] for n, said in near.items()}
    pairs: set[tuple[int, int]] = set()
    read: dict[int, set[int]] = {n: set() for n in near}
    for a, b in combinations(sorted(near), 2):
        for x, mine in marked[a]:
            for y, other in marked[b]:
                values, denial = mine.value and other.value, mine.denial or other.denial
                if (values or denial) and _meet(x, y, 1 if values else 2):
                    pairs.add((a, b))
                    read[a].add(x.ordinal)
                    read[b].add(y.ordinal)
    figures = {n: frozenset().union(*(m.numbers for s, m in marked[n] if s.ordinal in read[n])) for n in near}
    for n in read:
        # Where one side's figure also stands on the other, the two agree after all.
        elsewhere = frozenset().union(*(figures[m] for m in read if m != n))
        read[n].update(s.ordinal for s, m in marked[n] if m.numbers & elsewhere)
    return Comparable(frozenset(pairs), {n: frozenset(ordinals) for n, ordinals in read.items()})


def _meet(x: Statement, y: Statement, least: int) -> bool:
    """Whether two statements share enough words to speak of one thing: `least`, and a fifth of the shorter one's own.

    What only title, headings or lead-in of the other side say counts as well. No table of translations is complete:
    across languages one word will do.
    """
    shared = len(x.keys & y.keys)
    beside = max(len(x.keys & y.context), len(y.keys & x.context))
    if x.language != y.language:
        return shared + beside > 0
    return shared + beside >= least and shared + beside >= _SHARED * min(len(x.keys), len(y.keys))
