"""CONTRADICTION: where two sources disagree. Strong from the statements (and what the graph knows), weak from words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from brain_assets.graph import contradictions
from brain_assets.graph.wording import WordSimilarity
from brain_assets.model.gaps import Conflict
from brain_assets.model.graph import Contradiction
from brain_assets.text.words import STOP, fold, tokens
from brain_assets.think.aspects import Question
from brain_assets.think.forms import covered
from brain_assets.think.gap_ids import gap_id
from brain_assets.think.gather import Gathered, Source
from brain_assets.think.statements import Statement, keys

MOST_WEAK = 3
_SHARED_WORDS = 2
_ASKED = 0.3
_ASKED_AROUND = 0.95
_CLOSED = ("resolved", "dismissed", "closed")
_NEGATION = re.compile(
    r"\b(?:kein(?:e[nrms]?)?|nicht|nie(?:mals)?|ohne|never|no|not|without|deprecated|veraltet)\b", re.IGNORECASE
)


def conflicts(gathered: Gathered, *, words: WordSimilarity | None = None) -> tuple[Conflict, ...]:
    """Contradictions between two sources that touch the question, strong ones first, surest first.

    A weak one is reported only for a pair without a strong one, and at most three: they say where to look, no more.
    """
    question = gathered.question
    found: dict[tuple[str, ...], Conflict] = {}
    settled: set[frozenset[str]] = set()
    for known in gathered.known:
        if known.status in _CLOSED:
            settled.add(frozenset((known.a, known.b)))
        else:
            _add(found, known)
    for a, b in combinations(gathered.sources, 2):
        for each in contradictions.between(a.entry, b.entry, words=words):
            if frozenset((each.a, each.b)) not in settled:
                _add(found, each)
    strong = [c for c in found.values() if _touches(question, c, gathered)]
    strong.sort(key=lambda c: (-c.confidence, c.a, c.b, c.gap_id))
    taken = {frozenset((c.a, c.b)) for c in strong} | settled
    return (*strong, *_weak(gathered.sources, taken))


def _add(found: dict[tuple[str, ...], Conflict], c: Contradiction) -> None:
    key = (*sorted((c.a, c.b)), c.kind, *sorted((c.a_value, c.b_value)))
    conflict = Conflict(
        gap_id("contradiction", *key), c.a, c.b, c.subject, c.kind, c.a_quote, c.b_quote, c.a_value, c.b_value,
        c.confidence, c.strength,
    )  # fmt: skip
    if key not in found or found[key].confidence < conflict.confidence:
        found[key] = conflict


def _touches(question: Question, conflict: Conflict, gathered: Gathered) -> bool:
    """Whether a conflict is about what was asked: its quotes have enough of the query's words, rare ones counting more.

    Two sources may disagree on a side issue; that stands in the corpus-wide report, not beside this answer.
    """
    weights = {t.text: 1 / max(1, sum(covered(t, s.keys) for s in gathered.sources)) for t in question.terms}
    if not weights:
        return True
    quotes = keys(f"{conflict.a_quote} {conflict.b_quote}")
    titles = keys(" ".join(s.entry.title for s in gathered.sources if s.entry.id in (conflict.a, conflict.b)))
    total = sum(weights.values())
    own = sum(weights[t.text] for t in question.terms if covered(t, quotes)) / total
    around = sum(weights[t.text] for t in question.terms if covered(t, quotes | titles)) / total
    return own >= _ASKED or (own > 0 and around >= _ASKED_AROUND)


def _weak(sources: Sequence[Source], taken: set[frozenset[str]]) -> list[Conflict]:
    """Pairs that share more than three key tokens and of which one only has a negation."""
    out: list[tuple[int, Conflict]] = []
    tokens_of = {s.n: _key_tokens(s) for s in sources}
    denying = {s.n: _first_denial(s) for s in sources}
    for a, b in combinations(sources, 2):
        if frozenset((a.entry.id, b.entry.id)) in taken:
            continue
        shared = tokens_of[a.n] & tokens_of[b.n]
        if len(shared) <= 3 or (denying[a.n] is None) == (denying[b.n] is None):
            continue
        quotes = _quotes(a, b, denying)
        if quotes is None:
            continue
        a_quote, b_quote = quotes
        subject = ", ".join(sorted(shared, key=lambda t: (-len(t), t))[:4])
        key = gap_id("contradiction", *sorted((a.entry.id, b.entry.id)), "weak")
        confidence = round(min(0.4, 0.1 + 0.02 * len(shared)), 2)
        conflict = Conflict(
            key, a.entry.id, b.entry.id, subject, "negation", a_quote, b_quote, "", "", confidence, "weak"
        )
        out.append((len(shared), conflict))
    out.sort(key=lambda pair: (-pair[0], pair[1].a, pair[1].b))
    return [conflict for _, conflict in out[:MOST_WEAK]]


def _key_tokens(source: Source) -> frozenset[str]:
    text = f"{source.entry.title} {source.hit.passage}"
    return frozenset(fold(t) for t in tokens(text) if len(t) > 3 and t.lower() not in STOP and not t.isdigit())


def _first_denial(source: Source) -> Statement | None:
    return next((s for s in source.statements if _NEGATION.search(s.text)), None)


def _quotes(a: Source, b: Source, denying: dict[int, Statement | None]) -> tuple[str, str] | None:
    """The denying sentence of one side and the sentence of the other nearest to it; None when no two are near."""
    denial = denying[a.n] or denying[b.n]
    assert denial is not None
    other = b if denying[a.n] is not None else a
    nearest = max(other.statements, key=lambda s: (len(s.keys & denial.keys), -s.ordinal), default=None)
    if nearest is None or len(nearest.keys & denial.keys) < _SHARED_WORDS:
        return None
    return (denial.text, nearest.text) if other is b else (nearest.text, denial.text)
