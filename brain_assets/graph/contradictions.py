"""Where two entries cannot both be right: conflicting values of one attribute, opposite statements, opposite ways.

One extractor for `think` (on the hits of a query) and for the whole corpus. A statement pair is compared only when
the two speak of the same thing in the same scope; an entry that is marked as superseded, a plan, another environment,
audience, unit or version of the question is no contradiction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from brain_assets.graph import polarity, quantities, scope, statements, supersession
from brain_assets.graph.quantities import Value
from brain_assets.graph.statements import Statement
from brain_assets.graph.wording import Term, WordSimilarity, best
from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction, ContradictionKind

THRESHOLD = 0.55
_MAX_PAIR_FINDINGS = 5


@dataclass(frozen=True, slots=True)
class Alignment:
    """How surely two statements speak of the same thing: `score` 0…1 and the words they share."""

    score: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    a: Statement
    b: Statement
    kind: ContradictionKind
    a_value: str
    b_value: str
    subject: str
    confidence: float


def between(a: Entry, b: Entry, *, words: WordSimilarity | None = None, threshold: float = THRESHOLD) -> list[Contradiction]:
    """The contradictions of two entries, surest first; empty when one supersedes the other or both agree.

    Pure and symmetric but for the order of the sides. `words` adds meaning-nearness of words beyond the bilingual
    table (slower, finds more); without it nothing is loaded.
    """
    if a.id == b.id or excluded(a, b):
        return []
    found = [c for c in conflicts(a, b, words=words) if c.confidence >= threshold]
    return [finding(a, b, c) for c in found[:_MAX_PAIR_FINDINGS]]


def excluded(a: Entry, b: Entry) -> bool:
    """Whether the pair is outside the question: one no longer holds, one replaced the other, or both are issues."""
    if supersession.no_longer_valid(a) or supersession.no_longer_valid(b):
        return True
    return supersession.one_series(a, b) or supersession.explicit(a, b) is not None


def finding(a: Entry, b: Entry, conflict: Conflict) -> Contradiction:
    """A conflict as it is reported, with an id that stays while subject, kind and values stay."""
    newer = None
    if a.date and b.date and a.date != b.date:
        newer = a.id if a.date > b.date else b.id
    first, second = sorted(((a.id, conflict.a_value), (b.id, conflict.b_value)))
    key = "\x1f".join((*first, *second, conflict.kind))
    return Contradiction(
        id="c-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        a=a.id, b=b.id, subject=conflict.subject, kind=conflict.kind, a_quote=conflict.a.quote, b_quote=conflict.b.quote,
        a_value=conflict.a_value, b_value=conflict.b_value, confidence=round(conflict.confidence, 3), newer=newer,
    )  # fmt: skip


def conflicts(a: Entry, b: Entry, *, words: WordSimilarity | None = None) -> list[Conflict]:
    """Every conflict of two entries with its confidence, best first, one per pair of quotes."""
    left, right = statements.of(a), statements.of(b)
    found: dict[tuple[str, str], Conflict] = {}
    for x in left:
        for y in right:
            if x.scope.past or y.scope.past or not scope.compatible(x.scope, y.scope):
                continue
            conflict = _value_conflict(x, y, left, right, words) or _polarity_conflict(x, y, words)
            if conflict is not None:
                key = (x.quote, y.quote)
                if key not in found or found[key].confidence < conflict.confidence:
                    found[key] = conflict
    return sorted(found.values(), key=lambda c: (-c.confidence, c.a.ordinal, c.b.ordinal))


def align(x: Statement, y: Statement, words: WordSimilarity | None = None) -> Alignment:
    """How much of what each statement speaks of is found in the other."""
    forward, shared = _cover(x, y, words)
    backward, _ = _cover(y, x, words)
    return Alignment(0.5 * min(forward, backward) + 0.25 * (forward + backward), shared)


def _cover(x: Statement, y: Statement, words: WordSimilarity | None) -> tuple[float, tuple[str, ...]]:
    needed = [*x.own, *(t for t in x.subject if t not in x.own)]
    total = gained = 0.0
    shared = []
    for term in needed:
        weight = term.weight * (1.0 if term in x.own else 0.6)
        direct = best(term, y.own, words)
        near = max(direct, 0.9 * best(term, y.around, words) if direct < 0.9 else 0.0)
        near = max(near, 0.75 * best(term, y.context, words) if near < 0.75 else 0.0)
        total += weight
        gained += weight * near
        if direct >= 0.7 and not term.light:
            shared.append(term.text)
    return (gained / total if total else 0.0), tuple(shared)


def _value_conflict(
    x: Statement, y: Statement, left: Iterable[Statement], right: Iterable[Statement], words: WordSimilarity | None
) -> Conflict | None:
    best_pair: tuple[float, Value, Value, Alignment] | None = None
    for v in x.values:
        for w in y.values:
            if not comparable(v, w, x, y, words) or not quantities.conflicting(v, w):
                continue
            if _agrees(v, x, right, words) or _agrees(w, y, left, words):
                continue
            alignment = align(x, y, words)
            if best_pair is None or alignment.score > best_pair[0]:
                best_pair = (alignment.score, v, w, alignment)
    if best_pair is None or not best_pair[3].shared:
        return None
    score, v, w, alignment = best_pair
    return Conflict(x, y, _kind(v), v.text, w.text, " ".join(alignment.shared[:5]), score)


def _kind(value: Value) -> ContradictionKind:
    return value.kind  # type: ignore[return-value]


def comparable(v: Value, w: Value, x: Statement, y: Statement, words: WordSimilarity | None) -> bool:
    """Whether two values measure the same thing, their statements aside."""
    if v.dimension != w.dimension or v.dimension in ("interval", "url", "email", "network"):
        return v.dimension == w.dimension == "interval"
    if quantities.contrasted(x.text, v) or quantities.contrasted(y.text, w):
        return False
    if _planned(x, v) != _planned(y, w) or v.change == "from" and not _planned(x, v) or w.change == "from" and not _planned(y, w):
        return False
    if v.dimension == "version":
        return _same_label(v, x, y) and _same_label(w, y, x) and (not (v.label and w.label) or v.label == w.label)
    if v.dimension == "count":
        return bool(_noun_keys(v) & _noun_keys(w))
    return True


def _planned(s: Statement, v: Value) -> bool:
    """Whether the value is the planned one; the old side of a planned change is how things are now."""
    return s.scope.planned and v.change != "from"


def _noun_keys(v: Value) -> frozenset[str]:
    from brain_assets.graph.wording import keys_of

    return frozenset(k for word in v.label.split() for k in keys_of(word))


def _same_label(v: Value, x: Statement, y: Statement) -> bool:
    """Whether the product a version belongs to is named on the other side as well."""
    label = v.label
    if not label:
        return True
    return any(label in t.text.lower() for t in (*y.own, *y.around, *y.context)) or any(label == o.label for o in y.values)


def _agrees(v: Value, x: Statement, others: Iterable[Statement], words: WordSimilarity | None) -> bool:
    """Whether the other entry states this very value of the same thing somewhere."""
    for other in others:
        for w in other.values:
            if w.dimension == v.dimension and quantities.equal(v, w) and comparable(v, w, x, other, words):
                if align(x, other, words).score >= 0.45:
                    return True
    return False


def _polarity_conflict(x: Statement, y: Statement, words: WordSimilarity | None) -> Conflict | None:
    opposed = polarity.opposed(x.polarity, y.polarity)
    if not opposed and x.polarity.negated == y.polarity.negated:
        return None
    alignment = align(x, y, words)
    if len(alignment.shared) < 2:
        return None
    score = alignment.score + (0.1 if opposed else 0.0)
    kind: ContradictionKind = "negation"
    if "automatic" in opposed or "require" in opposed:
        kind = "procedure"
    elif opposed:
        kind = "status"
    return Conflict(x, y, kind, _stance(x), _stance(y), " ".join(alignment.shared[:5]), min(1.0, score))


def _stance(s: Statement) -> str:
    """What a side says, in its own words, short."""
    return re.sub(r"\s+", " ", s.text).strip()[:120]
