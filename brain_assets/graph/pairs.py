"""Two bare texts, judged as two entries would be: for measuring the judge on labelled pairs."""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import pairwise
from typing import Any

from brain_assets.graph import contradictions, quantities, reading, statements
from brain_assets.graph.alignment import Matcher
from brain_assets.graph.statements import Statements
from brain_assets.graph.wording import Term
from brain_assets.graph.wordvectors import WordVectors
from brain_assets.model.entry import Entry
from brain_assets.text.language import detect

_SAME_WORDS = 0.8
_SAME_MEANING = 0.78
_RELATED = 0.45
_NEAR = 0.75


@cache
def _words() -> WordVectors:
    return WordVectors()


def judge(a: str, b: str) -> dict[str, Any]:
    """`relation` (None when unrelated), `direction`, `contradiction` (kind, subject, a_value, b_value, confidence; or
    None), `duplicate`, `confidence`, as `brain eval pairs --json` prints them beside the pair's id."""
    if not a.strip() or not b.strip():
        return _answer(None, None, False, 1.0)
    x, y = _entry("a", a), _entry("b", b)
    words = _words()
    found = contradictions.between(x, y, words=words)
    if found:
        top = found[0]
        verdict = {
            "kind": top.kind, "subject": top.subject, "a_value": top.a_value, "b_value": top.b_value,
            "confidence": top.confidence,
        }  # fmt: skip
        return _answer("contradicts", verdict, False, top.confidence)
    meaning = words(a[:2000], b[:2000])
    same = duplicate(x, y, meaning)
    if same:
        return _answer("duplicates", None, True, max(meaning, 0.6))
    shared = reading.keys(a) & reading.keys(b)
    if (meaning >= _RELATED and shared) or meaning >= _SAME_MEANING:
        return _answer("same_topic", None, False, meaning)
    return _answer(None, None, False, 1.0 - max(meaning, 0.0))


def label(verdict: dict[str, Any]) -> str:
    """A verdict in one word: `contradicts`, `duplicates`, or `none`."""
    return "contradicts" if verdict["contradiction"] else "duplicates" if verdict["duplicate"] else "none"


def _answer(
    relation: str | None, contradiction: dict[str, Any] | None, same: bool, confidence: float
) -> dict[str, Any]:
    return {
        "relation": relation, "direction": "none", "contradiction": contradiction, "duplicate": same,
        "confidence": round(float(confidence), 3),
    }  # fmt: skip


def _entry(name: str, text: str) -> Entry:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Entry(
        id=f"note:{name}", kind="note", path=None, title="", body=text, language=detect(text), content_digest=digest,
        text_digest=digest,
    )  # fmt: skip


def duplicate(a: Entry, b: Entry, meaning: float) -> bool:
    """Whether two texts say the same.

    In one language: the same content words in the same order (who did what to whom changes with the order), with the
    same values and as many negations. Across languages: near in meaning, values and negations alike.
    """
    left, right = statements.of(a), statements.of(b)
    if sum(s.polarity.negated for s in left) != sum(s.polarity.negated for s in right) or not _same_values(left, right):
        return False
    if a.language != b.language:
        return meaning >= _SAME_MEANING
    matcher = Matcher(_words(), left, right)
    x, y = _content(left), _content(right)
    if not x or not y:
        return a.body.strip() == b.body.strip()
    pairs = _aligned(x, y, matcher)
    covered = min(len(pairs) / len(x), len(pairs) / len(y))
    in_order = all(j < k for (_, j), (_, k) in pairwise(pairs))
    return covered >= _SAME_WORDS and in_order


def _content(found: Statements) -> list[Term]:
    """The meaningful words of all statements, in order."""
    return [t for s in found for t in s.own if not t.light]


def _aligned(x: list[Term], y: list[Term], matcher: Matcher) -> list[tuple[int, int]]:
    """Each word of one text with its nearest free counterpart in the other, the earliest of equally near ones."""
    free = set(range(len(y)))
    out = []
    for i, term in enumerate(x):
        near = [(matcher.near(term, y[j]), -j) for j in free]
        if near and max(near)[0] >= _NEAR:
            j = -max(near)[1]
            free.discard(j)
            out.append((i, j))
    return out


def _same_values(left: Statements, right: Statements) -> bool:
    """Whether every value of each text stands in the other."""
    x = [v for s in left for v in s.values]
    y = [v for s in right for v in s.values]
    return all(any(_same_value(v, w) for w in y) for v in x) and all(any(_same_value(v, w) for v in x) for w in y)


def _same_value(v: quantities.Value, w: quantities.Value) -> bool:
    """Whether two values are the same, not only both possible ("more than 4" and 12)."""
    return v.bound == w.bound and quantities.equal(v, w)
