"""Where two statements say the opposite: yes and no, on and off, by hand and by itself, one and everyone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain_assets.graph import owners, polarity, stance
from brain_assets.graph.alignment import Matcher, align
from brain_assets.graph.statements import Statement, Statements
from brain_assets.model.graph import ContradictionKind

AGREE = 0.5
"""From which alignment on two statements are taken to speak of one thing, where they agree on it."""
_OF_PLACE = 0.2
"""How much less a denied place or way counts than a denied thing."""
_STATE_KINDS: dict[str, ContradictionKind] = {
    "automatic": "procedure", "exclusive": "procedure", "self": "procedure", "paper": "procedure",
    "require": "negation", "allow": "negation", "accept": "negation", "included": "negation", "free": "negation",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements that cannot both hold, what each says, and how sure it is that they speak of the same thing."""

    a: Statement
    b: Statement
    kind: ContradictionKind
    a_value: str
    b_value: str
    subject: str
    confidence: float


_OWNER = ("owner",)
_NAMED = 0.5
_MEANS = 0.5
"""From which meaning on a plain negation denies what another clause says, and not something like it."""
_LEAST = 0.3
"""Probability below which nobody wants to see a conflict."""


def likely(
    title: str,
    left: Statements,
    other_title: str,
    right: Statements,
    matcher: Matcher,
    events: bool,
    across: bool,
    about: Callable[[Statement], bool] | None,
    bonus: Callable[[], float],
) -> Iterator[Conflict]:
    """Statements of two entries (in two languages if `across`) that say the opposite and are likely said of one thing;
    `bonus` is what alike titles add where one only denies in plain words what the other says."""
    for n, m in stance.opposite(left, right, matcher, events):
        x, y = left[n], right[m]
        if about is not None and not (about(x) and about(y)):
            continue
        opposed = names(x, y)
        if opposed is None or stance.another_case(x, y):
            continue
        if not opposed:
            found = conflict(x, y, left, right, matcher, bonus())
            if found is not None and stance.meaning(title, x, other_title, y) >= _MEANS:
                yield found
            continue
        opposed = [name for name in opposed if name != "exclusive"]
        meet = bool(opposed) and _verbs_meet(x, y, opposed, matcher)
        measures = stance.measure(x, y, opposed, matcher, across, _LEAST) if meet else None
        if measures is None:
            continue
        sure = stance.probability(measures._replace(meaning=stance.meaning(title, x, other_title, y)))
        if sure < _LEAST or _says_so_too(x, right, opposed, matcher) or _says_so_too(y, left, opposed, matcher):
            continue
        subject = " ".join(align(x, y, matcher).shared[:5])
        yield Conflict(x, y, _kind(opposed), _stance(x), _stance(y), subject, sure)
    yield from _owners(title, left, other_title, right, matcher, across, about)


def _owners(
    title: str,
    left: Statements,
    other_title: str,
    right: Statements,
    matcher: Matcher,
    across: bool,
    about: Callable[[Statement], bool] | None,
) -> Iterator[Conflict]:
    """Statements that put different people or groups in charge of one thing."""
    mine = stance.charges(left)
    theirs = stance.charges(right) if mine else ()
    for n, one in mine:
        for m, other in theirs:
            x, y = left[n], right[m]
            if about is not None and not (about(x) and about(y)):
                continue
            if not stance.meet(x, y) or not owners.differ(one, other, matcher.cosine):
                continue
            what, where = stance.charged(x, one), stance.charged(y, other)
            measures = stance.measure(what, where, _OWNER, matcher, across, _LEAST)
            if measures is None or measures.nouns < _NAMED:
                continue
            sure = stance.probability(measures._replace(meaning=stance.meaning(title, what, other_title, where)))
            if sure >= _LEAST:
                subject = " ".join(align(what, where, matcher).shared[:5])
                yield Conflict(x, y, "status", one.holder, other.holder, subject, sure)


def conflict(
    x: Statement, y: Statement, left: Sequence[Statement], right: Sequence[Statement], matcher: Matcher, bonus: float
) -> Conflict | None:
    p, q = x.polarity, y.polarity
    if p.question or q.question or p.conditional or q.conditional or x.scope.planned != y.scope.planned:
        return None
    opposed = names(x, y)
    if opposed is None:
        return None
    if not (_verbs_meet(x, y, opposed, matcher) if opposed else _denied(x, y, matcher)):
        return None
    alignment = align(x, y, matcher, lambda term: polarity.says_state(term.text, opposed))
    if (
        not alignment.anchored
        or len(alignment.shared) < 2
        or alignment.nouns < (1.5 if opposed == ["exclusive"] else 0.9)
    ):
        return None
    if _says_so_too(x, right, opposed, matcher) or _says_so_too(y, left, opposed, matcher):
        return None
    kind = _kind(opposed) if opposed else "negation"
    score = alignment.score + bonus + 0.08 * min(2, len(opposed)) - 0.05
    if not opposed and (p.of_place or q.of_place):
        score -= _OF_PLACE
    return Conflict(x, y, kind, _stance(x), _stance(y), " ".join(alignment.shared[:5]), min(1.0, score))


def _kind(opposed: Sequence[str]) -> ContradictionKind:
    """What sort of contradiction opposite states are: that something runs or not says most."""
    return "status" if "active" in opposed else _STATE_KINDS.get(opposed[0], "status")


def names(x: Statement, y: Statement) -> list[str] | None:
    """The states on which two statements are opposite; none where one only denies what the other may say, None where
    neither is so."""
    p, q = x.polarity, y.polarity
    opposed = polarity.opposed(p, q)
    if not opposed and (p.negated == q.negated or not (p.targets or q.targets) or p.aside or q.aside):
        return None
    if not opposed and not set(p.states).isdisjoint(q.states):
        return None  # "verboten" and "nicht erlaubt" say one thing
    return opposed


def _says_so_too(x: Statement, others: Sequence[Statement], opposed: Sequence[str], matcher: Matcher) -> bool:
    """Whether the other entry denies the same thing somewhere: then it only adds to it elsewhere."""
    denied = {name for name, sign in x.polarity.states if sign < 0 and name in opposed}
    if (opposed and not denied) or (not opposed and not x.polarity.negated):
        return False
    for other in others:
        said = {name for name, sign in other.polarity.states if sign < 0}
        same = denied <= said if opposed else other.polarity.negated
        if same and align(x, other, matcher, lambda term: polarity.says_state(term.text, opposed)).score >= AGREE:
            return True
    return False


def _verbs_meet(x: Statement, y: Statement, opposed: Sequence[str], matcher: Matcher) -> bool:
    """Whether what must, may or need not be done can be the same: where both sides name what is done, one is found on
    the other side."""
    if not set(opposed) <= {"require", "allow"}:
        return True
    first, second = ([t for t in s.own if not (t.noun or t.light or _says_any_state(t.text))] for s in (x, y))
    if not (first and second):
        return True
    return any(matcher.best(t, y.own) >= 0.4 for t in first) or any(matcher.best(t, x.own) >= 0.4 for t in second)


@lru_cache(maxsize=50_000)
def _says_any_state(word: str) -> bool:
    return polarity.says_state(word, polarity.STATES)


def _denied(x: Statement, y: Statement, matcher: Matcher) -> bool:
    """Whether what one side denies is what the other side says without a reserve."""
    denier, other = (x, y) if x.polarity.negated else (y, x)
    if not denier.denied or other.polarity.only or any(matcher.best(t, other.own) < 0.7 for t in denier.denied):
        return False
    lacking = polarity.lacking(other.text)
    missed = [t for t in other.own if t.text.lower() in lacking]
    return not any(matcher.best(t, missed) >= 0.7 for t in denier.denied)


def _stance(s: Statement) -> str:
    """What a side says, in its own words, short."""
    return re.sub(r"\s+", " ", s.text).strip()[:120]
