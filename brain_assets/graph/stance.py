"""How likely two opposite statements are said of one thing: a few measures, weighed by a fitted model.

Opposite words are cheap: almost every two notes have a pair of them. What makes a contradiction is that both clauses
speak of the same thing. The measures are

- *meaning*: cosine of both clauses, each after its title, freed of the language;
- *aligned*: share of the words of each clause that have a counterpart in the other, without those that say the state;
- *nouns*: how much of that are nouns of the clause or its subject;
- *opposed*: whether states are opposite, and not only what one clause says is denied in plain words by the other;
- *common*: nothing but what must or may be done is opposite, which every other clause says;
- *apart*: how many words of each name one of several like things (Nordflügel, Südflügel);
- *narrower*: only one of them names for whom or in which circumstances it holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from brain_assets.graph import owners, polarity, quantities, scope
from brain_assets.graph.alignment import Matcher, align, ungated
from brain_assets.graph.meaning import meanings
from brain_assets.graph.outlines import Outline, Statement, Statements, ones
from brain_assets.graph.owners import Charge
from brain_assets.graph.wording import Term, keys_of, siblings

_FOUND, _WEIGHTY = 0.6, 0.5
_COMMON = {"allow", "require"}
_COMPOUND, _HEAD, _MODIFIER = 8, 5, 2
"""Letters of a compound, of its head, and of its modifier."""
_NEAREST = 0.9
"""A meaning that hardly any two clauses surpass."""


class Measures(NamedTuple):
    """Of two opposite statements, see the module's text; each 0…1 or so, `apart` at most 2."""

    meaning: float
    aligned: float
    nouns: float
    opposed: float
    common: float
    apart: float
    narrower: float


WEIGHTS: Final = Measures(6.5, 4.2, 1.05, 3.4, -0.5, -2.1, -1.1)
BIAS: Final = -8.8
"""Fitted by logistic regression with a ridge of 4 on the opposite statements of three labelled collections of notes, a
sample without contradictions and pairs written for the purpose (some 60 that contradict each other, 3,000 that do not),
then rounded. Two were set by hand: `common` to keep manual pages that have nothing to do with each other from
contradicting each other, the bias for as many findings as stay right."""


def probability(measures: Measures) -> float:
    """That both statements speak of one thing, so that they cannot both hold."""
    return 1.0 / (1.0 + math.exp(-BIAS - sum(w * m for w, m in zip(WEIGHTS, measures, strict=True))))


def opposite(left: Statements, right: Statements, matcher: Matcher, events: bool) -> Iterator[tuple[int, int]]:
    """Numbers of statements of two entries of which one affirms what the other denies, in one scope and at one time."""
    for n, (x, mine) in enumerate(zip(left, left.outlines, strict=True)):
        if (events and _over(x)) or x.polarity.question or x.polarity.conditional:
            continue
        for bit in ones(_stated(mine, right) | _denied(x, right, matcher)):
            m = bit.bit_length() - 1
            y = right[m]
            if not (y.polarity.question or y.polarity.conditional) and _meet(x, y, events):
                yield n, m


def _meet(x: Statement, y: Statement, events: bool) -> bool:
    """Whether both speak of one time and of the same circumstances."""
    if x.scope.planned != y.scope.planned or not scope.overlap(x.scope, y.scope):
        return False
    if events:
        return not (_over(x) or _over(y))
    return lasting(x) == lasting(y)


def _over(s: Statement) -> bool:
    """Whether a sentence tells what was, and not of a change that came to stay."""
    return s.scope.past and not s.polarity.settled


def lasting(s: Statement) -> bool:
    """Whether a clause tells what holds, whatever else its sentence tells."""
    return not _over(s) or not (scope.of_text(s.text).past or polarity.once(s.quote))


def _stated(mine: Outline, right: Statements) -> int:
    """The statements of the other entry that affirm a state this one denies, or deny one it affirms, as bits."""
    found = 0
    for bits, into in ((mine.affirmed, right.sets.taking_back), (mine.taken_back, right.sets.affirming)):
        for bit in ones(bits):
            found |= into.get(bit, 0)
    return found


def _denied(x: Statement, right: Statements, matcher: Matcher) -> int:
    """The statements of the other entry that deny in plain words what this one may say, or say what it denies, as
    bits."""
    sets = right.sets
    if not x.polarity.negated:
        found = sets.denying
    else:
        words = 0
        for t in x.denied:
            words |= matcher.mask(t, -1)
        said = sum(1 << n for n, y in enumerate(right.outlines) if words & y.own) if words else 0
        found = said & ~sets.negated
    if not found or not x.nouns:
        return found
    within = 0
    for bit in ones(found):
        within |= right.outlines[bit.bit_length() - 1].named
    anchors = matcher.anchors(x, within)
    return sum(bit for bit in ones(found) if anchors & right.outlines[bit.bit_length() - 1].named)


def measure(
    x: Statement, y: Statement, names: Sequence[str], matcher: Matcher, across: bool, least: float = 0.0
) -> Measures | None:
    """The measures of two statements of which the named states are opposite, none for a plain negation
    (`across`: the entries are in two languages); with the greatest meaning, and None if the probability is below `least`
    all the same."""
    a, b = focus(x, names), focus(y, names)
    narrower = float(
        bool(x.scope.audiences) != bool(y.scope.audiences)
        or bool(_CIRCUMSTANCE.search(x.text)) != bool(_CIRCUMSTANCE.search(y.text))
    )
    common = float(bool(names) and set(names) <= _COMMON)
    cheap = Measures(_NEAREST, 1.0, 1.0, float(bool(names)), common, 0.0, narrower)
    if probability(cheap) < least:
        return None

    def says(term: Term) -> bool:
        return polarity.says_state(term.text, names)

    found = align(a, b, matcher, says)
    aligned = found.score if found.anchored else ungated(a, b, matcher, says)
    out = cheap._replace(aligned=aligned, nouns=min(2.0, found.nouns) / 2.0)
    return None if probability(out) < least else out._replace(apart=_apart(a, b, matcher, across))


def meaning(title: str, x: Statement, other_title: str, y: Statement) -> float:
    """How near two clauses are in what they mean, each after its title."""
    rows = meanings().of([f"{title}: {_whole(x)}", f"{other_title}: {_whole(y)}"]).astype("float32")
    return float(rows[0] @ rows[1])


def _whole(s: Statement) -> str:
    """A clause; a cell of a table after the words of its row and column."""
    return f"{' '.join(t.text for t in s.own[:6])}: {s.text.strip()}" if s.quote.startswith("|") else s.text


def charges(found: Statements) -> tuple[tuple[int, Charge], ...]:
    """The statements that say who is in charge of something, by number; kept with them."""
    kept: tuple[tuple[int, Charge], ...] | None = found.__dict__.get("_charges")
    if kept is None:
        kept = found.__dict__["_charges"] = tuple(_charges(found))
    return kept


def _charges(found: Statements) -> Iterator[tuple[int, Charge]]:
    before = ""
    for n, s in enumerate(found):
        charge = owners.charge(s.text) or (owners.charge(s.quote) if s.quote != before else None)
        if charge is not None and not (s.polarity.negated or s.polarity.question or s.polarity.conditional):
            yield n, charge
        before = s.quote


def charged(s: Statement, charge: Charge) -> Statement:
    """A statement cut down to what someone is in charge of: what its clause names, or what it speaks of."""
    own = charge.object_ or tuple(t for t, weight in s.subject if weight >= _WEIGHTY) or s.context
    what = " ".join(t.text for t in own)
    return replace(s, own=own, nouns=tuple(t for t in own if t.noun), around=(), subject=(), text=what)


def meet(x: Statement, y: Statement) -> bool:
    """Whether two statements about who is in charge speak of one time and of the same circumstances."""
    same = x.scope.planned == y.scope.planned and x.scope.past == y.scope.past
    return same and x.scope.conditions == y.scope.conditions and scope.overlap(x.scope, y.scope)


def focus(s: Statement, names: Sequence[str]) -> Statement:
    """A statement cut down to the stretch between commas that says one of the states, or denies; the rest of its words
    is around it."""
    parts = _STRETCH.split(s.text)
    if len(parts) == 1:
        return s
    said = [p for p in parts if polarity.says(p, names)] if names else [p for p in parts if polarity.denies(p)]
    if not said:
        return s
    inside = " ".join(said)
    own = tuple(t for t in s.own if t.text in inside)
    if not any(t.noun and not t.light for t in own):
        return s
    return replace(s, own=own, nouns=tuple(t for t in s.nouns if t.text in inside))


_CIRCUMSTANCE = re.compile(
    r"\b(?:(?:im|in) (?:not|ausnahme|einzel|störungs|wartungs)(?:fall|fällen|betrieb)|in (?:an )?(?:emergency|emergencies|"
    r"exceptional|urgent) ?\w*|bei (?:\w+ ){0,2}(?:ausfall|störung\w*|wartung|stromausfall|bedarf)|während|during (?:an?|the)|"
    r"ohne (?:aufsicht|begleitung|anmeldung|strom|netz\w*)|unter aufsicht|supervised|unsupervised|without supervision|"
    r"außerhalb|outside (?:of )?(?:office|working|business|opening)|after hours|ausnahmsweise|exceptionally|übergangsweise|"
    r"vorläufig|for the time being|as a workaround|ersatzweise|as a fallback|offline)\b",
    re.I,
)
_STRETCH = re.compile(r"[,;()]\s")


_WHICH = tuple(
    tuple(re.compile(rf"\b(?:{side})", re.I) for side in group.split())
    for group in (
        r"nord|north süd|south ost|east west", r"ober|upper|top unter(?!\w*lag)|lower|bottom", r"link|left\b recht(?:e|s)|right\b",
        r"vorder|front hinter|rear|back\b", r"innen|inner|indoor|internal|intern außen|outer|outdoor|external|extern|guest|gast|gäste",
        r"sommer|summer winter", r"haupt|main\b neben|seiten|side\b", r"standard sonder|special",
        r"ohne|without unter\b|with\b|mit\b",
    )
)  # fmt: skip
"""Words, at the beginning of a word, that say which of several like things is meant."""


@lru_cache(maxsize=20_000)
def _sides(s: Statement) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(n for n, side in enumerate(group) if side.search(s.text)) for group in _WHICH)


def another_case(x: Statement, y: Statement) -> bool:
    """Whether both name an amount or the like, and not the same: under 50 euros this, from 500 on that."""
    return any(v.dimension == w.dimension and not quantities.equal(v, w) for v in x.values for w in y.values)


def _lacking(x: Statement, y: Statement, matcher: Matcher) -> list[Term]:
    """The nouns of a clause that have no counterpart in the other or around it, or only one with another modifier."""
    others = [u for u in dict.fromkeys((*y.named, *y.context)) if not u.light]
    return [
        t
        for t in x.own
        if t.noun and not t.light and not any(matcher.near(t, u) >= _FOUND and not _modified(t, u) for u in others)
    ]


def _modified(a: Term, b: Term) -> bool:
    """Whether two words are compounds of one head with different modifiers, be these as short as two letters."""
    x, y = a.folded, b.folded
    shorter = min(len(x), len(y))
    if x == y or shorter < _COMPOUND or a.keys == b.keys:
        return False
    tail = next((n for n in range(shorter) if x[-1 - n] != y[-1 - n]), shorter)
    return tail >= _HEAD and shorter - tail >= _MODIFIER and x[0] != y[0]


def _apart(x: Statement, y: Statement, matcher: Matcher, across: bool) -> float:
    """How many words of each name one of several like things."""
    mine, theirs = _lacking(x, y, matcher), _lacking(y, x, matcher)
    like = sum(any(siblings(t.folded, u.folded) or (t.name and u.name) for u in theirs) for t in mine)
    if not like and mine and theirs and not across:
        like = 1  # within one language a word without a counterpart is another word
    mine_by_age, theirs_by_age = _by_age(x), _by_age(y)
    like += any(age != theirs_by_age.get(key, age) for key, age in mine_by_age.items())
    for one, other in zip(_sides(x), _sides(y), strict=True):
        like += bool(one and other and one.isdisjoint(other))
    return min(2.0, float(like))


_AGED = re.compile(r"\b(?:(alte?[nrms]?|old|former)|(?:neue?[nrms]?|new))\s+(\w{3,})", re.I)


@lru_cache(maxsize=20_000)
def _by_age(s: Statement) -> dict[str, bool]:
    """Concept → whether the statement speaks of the old one (True) or the new one (False)."""
    return {key: bool(m[1]) for m in _AGED.finditer(s.text) for key in keys_of(m[2])}
