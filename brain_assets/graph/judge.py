"""The judge that needs no model: cue words, structure, agreeing and conflicting statements, nearness.

It answers for one pair what the model judge answers: related or not, which relation, in which direction, how sure,
and one verbatim quote from each side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from brain_assets.graph import alignment, contradictions, quantities, scope, supersession
from brain_assets.graph.reading import Keys, Pointer, Reading, keys
from brain_assets.graph.statements import Statement, ones
from brain_assets.graph.wording import WordSimilarity
from brain_assets.model.graph import Contradiction, Decision, Relation

JUDGE = "deterministic"
VERSION = "2"
RELATED = 0.5
"""Log odds from which nearness alone makes two entries related (two thirds sure)."""

_NEEDS = re.compile(
    r"\b(voraussetzung\w*|vorher|zuvor|erst wenn|nur wenn|braucht|benötigt|setzt voraus|nach der|nach dem|"
    r"anhand|mithilfe|mit hilfe|"
    r"prerequisites?|requires?|needs?|needed|before you|depends? on|relies on|follow|using|with the|according "
    r"to|gemäß|laut)\b",
    re.I,
)
_FROM = re.compile(
    r"\b(erzeugt aus|abgeleitet (?:aus|von)|beruht auf|basiert auf|zusammenfassung|quellen?|zusammengestellt "
    r"aus|based on|derived from|"
    r"sources?|summary of|generated from|compiled from|nach angaben)\b",
    re.I,
)
_DETAILS = re.compile(
    r"\b(einzelheiten|details?|näheres|mehr dazu|steht in|stehen in|beschrieben in|erklärt in|ausführlich|"
    r"einzelthem\w+|"
    r"described in|explained in|documented in|see .{0,20} for details|more in|covered (?:in|by))\b",
    re.I,
)
_ALSO = re.compile(r"\b(siehe auch|vgl|vergleiche|see also|compare|cf|ähnlich|related|verwandt)\b", re.I)
_MUTUAL, _MUTUAL_BY_WORDS = 0.5, 0.8
"""Share of each text that the other must hold to say the same; the second where nothing but words tells how near they
are. Notes on one subject stay below 0.3."""
_TRANSLATED = 3.9
Weight = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Pair:
    """What the judge is given: both readings, how sure nearness alone makes it, and the contradictions found."""

    a: Reading
    b: Reading
    score: float
    dense: float | None
    shared: float
    linked: bool
    conflicts: Sequence[Contradiction]


@dataclass(frozen=True, slots=True)
class _Verdict:
    relation: Relation
    source: Reading
    target: Reading
    confidence: float
    reason: str
    source_quote: str = ""
    target_quote: str = ""


def decide(pair: Pair, weight: Weight, words: WordSimilarity | None = None) -> Decision:
    """The decision on one pair. Symmetric: swapping the sides swaps nothing but the order of undirected edges."""
    verdict = _judge(pair, weight, words)
    a, b = pair.a.entry, pair.b.entry
    if verdict is None:
        return Decision(
            source=a.id, target=b.id, source_digest=a.text_digest, target_digest=b.text_digest, judge=JUDGE,
            prompt_version=VERSION, related=False, confidence=round(_probability(pair.score), 3),
            reason="They share little that is rare.", missing_evidence="no statement on the same subject",
        )  # fmt: skip
    left, right = _quotes(verdict, weight)
    return Decision(
        source=verdict.source.entry.id, target=verdict.target.entry.id, source_digest=verdict.source.entry.text_digest,
        target_digest=verdict.target.entry.text_digest, judge=JUDGE, prompt_version=VERSION, related=True,
        relation=verdict.relation, confidence=round(min(verdict.confidence, 0.99), 3), source_quote=left,
        target_quote=right, reason=verdict.reason,
    )  # fmt: skip


def _judge(pair: Pair, weight: Weight, words: WordSimilarity | None) -> _Verdict | None:
    a, b = pair.a, pair.b
    if a.entry.text_digest == b.entry.text_digest:
        return _Verdict("duplicates", a, b, 0.99, "The texts are identical.")
    if found := supersession.explicit(a.entry, b.entry):
        return _superseding(found, a, b)
    if pair.conflicts:
        top = pair.conflicts[0]
        x, y = (a, b) if top.a == a.entry.id else (b, a)
        about = f" for {top.subject}" if top.subject else ""
        reason = f"Different {top.kind}{about}: {top.a_value.rstrip('.')} against {top.b_value.rstrip('.')}."
        return _Verdict("contradicts", x, y, top.confidence, reason, top.a_quote, top.b_quote)
    pointers = [(r, o, p) for r, o in ((a, b), (b, a)) for p in r.pointers if p.target == o.entry.id]
    if pair.linked and pointers:
        return _linked(pointers, pair)
    if pair.score < RELATED:
        return None
    if found := supersession.follows(a.entry, b.entry):
        return _superseding(found, a, b)
    return _unlinked(pair, weight, words)


def _superseding(found: supersession.Supersession, a: Reading, b: Reading) -> _Verdict:
    newer, older = (a, b) if found.newer == a.entry.id else (b, a)
    by_newer = found.said_by == newer.entry.id
    reason = f"{found.said_by} {found.reason}."
    return _Verdict(
        "supersedes",
        newer,
        older,
        found.confidence,
        reason,
        found.quote if by_newer else "",
        "" if by_newer else found.quote,
    )


def _linked(pointers: list[tuple[Reading, Reading, Pointer]], pair: Pair) -> _Verdict:
    """What a link means, from the line it stands in."""
    this, other, pointer = min(pointers, key=lambda p: (p[2].mostly_links, p[0].entry.id))
    sure = max(0.7, _probability(pair.score))
    line = f"{pointer.heading} {pointer.line}"
    if _FROM.search(pointer.line) or (this.entry.ai_origin and not other.entry.ai_origin):
        return _Verdict("depends_on", this, other, sure, "Names the other as what it was made from.", pointer.sentence)
    if scope.own_rules(pointer.line) or scope.own_rules(pointer.heading):
        return _Verdict("same_topic", this, other, sure, "Names the other for its differing rules.", pointer.sentence)
    if pointer.mostly_links and (
        this.overview or (pointer.in_list and len(pointers) == 1 and not pointer.numbered and not _NEEDS.search(line))
    ):
        if this.overview:
            return _Verdict("part_of", other, this, sure, "Listed in the overview.", "", pointer.line)
        return _Verdict("depends_on", this, other, sure, "A step that the other describes.", pointer.line)
    if _ALSO.search(pointer.sentence):
        return _Verdict("same_topic", this, other, sure, "Named as further reading.", pointer.sentence)
    if this.overview or (_DETAILS.search(pointer.sentence) and not pointer.in_list):
        return _Verdict("part_of", other, this, sure, "Named for the details of a part.", "", pointer.sentence)
    agreeing = None if pointer.in_list else _agreement(this, other, None)
    if agreeing is not None and agreeing[0] >= 0.55:
        return _Verdict("supports", other, this, sure, f"Both say {agreeing[3]}.", agreeing[2], agreeing[1])
    if (
        pointer.in_list
        or _NEEDS.search(line)
        or this.numbered_steps >= 3
        or this.entry.type in ("how-to", "howto", "runbook", "project")
    ):
        return _Verdict("depends_on", this, other, sure, "Needs what the other describes.", pointer.sentence)
    return _Verdict("same_topic", this, other, sure, "Names the other in passing.", pointer.sentence)


def _unlinked(pair: Pair, weight: Weight, words: WordSimilarity | None) -> _Verdict:
    a, b = pair.a, pair.b
    sure = _probability(pair.score)
    mixed = a.entry.kind != b.entry.kind or a.entry.kind == "kb"
    small, large = sorted((a, b), key=lambda r: (len(r.keys), r.entry.id))
    whole, one_block = _containment(small, large, weight)
    if _made_by_machine(a, b):
        source, target = (a, b) if a.entry.ai_origin else (b, a)
        if mixed and (pair.dense is None or pair.dense >= 2.2):
            return _Verdict("depends_on", source, target, sure, "Written by machine from what the other says.")
    if one_block is not None and mixed:
        return _Verdict("part_of", small, large, sure, "Treats at length what is one item of the other.", "", one_block)
    near = pair.dense if pair.dense is not None else pair.shared * 14
    if near >= 3.4 and whole >= 0.3 and mixed and _same_form(a, b):
        return _Verdict("duplicates", small, large, sure, "Gives the same instructions.")
    if _same_form(a, b) and _says_the_same(small, large, pair.dense, min(whole, _held(large, small, weight))):
        return _Verdict("duplicates", small, large, sure, "Says the same.")
    agreeing = _agreement(a, b, words)
    if agreeing is not None:
        source, target = _evidence_first(a, b)
        first, second = (agreeing[1], agreeing[2]) if source is a else (agreeing[2], agreeing[1])
        if agreeing[0] >= (0.5 if mixed or _event(source) else 0.62):
            return _Verdict("supports", source, target, sure, f"Both say {agreeing[3]}.", first, second)
    return _Verdict("same_topic", a, b, sure, "Speak of the same subject.")


def _held(this: Reading, other: Reading, weight: Weight) -> float:
    """Share of an entry's weight found in the other one."""
    total = sum(weight(k) for k in this.keys)
    return sum(weight(k) for k in this.keys & other.keys) / total if total else 0.0


def _says_the_same(a: Reading, b: Reading, dense: float | None, mutual: float) -> bool:
    """Whether one is the other in other words or in another language.

    In one language most of what each says is found in the other. Across languages, where words differ, they must be as
    near as translations are, about as long, and give the same values, one at least.
    """
    if mutual >= (_MUTUAL if dense is not None and dense >= 3.4 else _MUTUAL_BY_WORDS):
        return dense is None or dense >= 3.4
    if a.entry.language == b.entry.language or dense is None or dense < _TRANSLATED:
        return False
    count = sorted((len(a.sentences), len(b.sentences)))
    values = [[v for s in r.statements for v in s.values] for r in (a, b)]
    matched = [
        sum(any(quantities.equal(v, w) for w in others) for v in own)
        for own, others in ((values[0], values[1]), (values[1], values[0]))
    ]
    told = len(values[0]) + len(values[1])
    return count[0] >= 0.7 * count[1] and min(matched) >= 1 and sum(matched) >= 0.8 * told


def _made_by_machine(a: Reading, b: Reading) -> bool:
    return a.entry.ai_origin != b.entry.ai_origin


def _same_form(a: Reading, b: Reading) -> bool:
    """Whether both are instructions, or both are not."""
    return (a.numbered_steps > 0) == (b.numbered_steps > 0) or a.entry.kind == "kb" or b.entry.kind == "kb"


def _event(r: Reading) -> bool:
    return contradictions.is_event(r.entry)


def _evidence_first(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    """The side that reports comes before the side that lays down: event notes, KB entries, then by id."""
    rank = {"kb": 1, "article": 1, "note": 2, "web": 0}
    order = sorted((a, b), key=lambda r: (not _event(r), rank.get(r.entry.kind, 2), r.entry.id))
    return order[0], order[1]


def _containment(small: Reading, large: Reading, weight: Weight) -> tuple[float, str | None]:
    """Share of the small entry's weight found in the large one, and the one block that bears most of it, if one does.

    A block only counts when the large entry is a collection: at least three rows, items or labelled paragraphs.
    """
    common = small.keys & large.keys
    total = sum(weight(k) for k in small.keys)
    gained = {k: weight(k) for k in common}
    whole = sum(gained.values()) / total if total else 0.0
    collection = [b for b in large.blocks if b.kind in ("row", "item") or b.text.startswith(("**", "__"))]
    if len(collection) < 3 or not gained:
        return whole, None
    rare = sum(gained.values())
    name = sum(weight(k) for k in small.title_keys & large.keys - large.title_keys) or 1e-9
    scored = [(sum(gained[k] for k in b.keys & common), b) for b in collection]
    best, block = max(scored, key=lambda x: x[0])
    in_title = sum(weight(k) for k in block.keys & small.title_keys - large.title_keys)
    others = sorted((s for s, b in scored if b is not block), reverse=True)
    ahead = best >= 1.4 * others[0] if others else True
    if best >= 0.45 * rare and in_title >= 0.5 * name and ahead:
        return whole, max(block.text.split("\n"), key=lambda line: len(_shared(line, common)))
    return whole, None


def _shared(line: str, common: Keys) -> Keys:
    return keys(line) & common


def _agreement(a: Reading, b: Reading, words: WordSimilarity | None) -> tuple[float, str, str, str] | None:
    """The best pair of statements that give the same value for the same thing: score, both quotes, the value."""
    left, right = a.statements, b.statements
    matcher = alignment.Matcher(words, left, right)
    best: tuple[float, str, str, str] | None = None
    for x, mine in zip(left, left.outlines, strict=True):
        same = 0
        for bit in ones(mine.dimensions):
            same |= right.sets.measuring.get(bit, 0)
        for y in (right[bit.bit_length() - 1] for bit in ones(same)):
            equal = next((v for v in x.values if _equal_value(v, x, y)), None)
            score = alignment.align(x, y, matcher).score if equal is not None else 0.0
            if equal is not None and score >= 0.4 and (best is None or score > best[0]):
                best = (score, x.quote, y.quote, equal.text)
    return best


def _equal_value(v: quantities.Value, x: Statement, y: Statement) -> bool:
    """Whether the other statement gives this very value for something comparable."""
    return v.dimension != "interval" and any(
        quantities.equal(v, w) and contradictions.comparable(v, w, x, y) for w in y.values
    )


def _quotes(verdict: _Verdict, weight: Weight) -> tuple[str, str]:
    """One verbatim sentence from each side: those given, else the two that share most."""
    left, right = verdict.source_quote, verdict.target_quote
    if left and right:
        return left, right
    lefts = [(left, _keys_of(verdict.source, left))] if left else verdict.source.sentences
    rights = [(right, _keys_of(verdict.target, right))] if right else verdict.target.sentences
    best = (-1.0, "", "")
    for x, x_keys in lefts:
        for y, y_keys in rights:
            shared = x_keys & y_keys
            if shared:
                score = sum(weight(k) for k in shared) / (4 + len(x_keys) + len(y_keys)) ** 0.5
                if score > best[0]:
                    best = (score, x, y)
    if best[0] >= 0:
        return best[1], best[2]
    return left or _opening(verdict.source), right or _opening(verdict.target)


def _keys_of(reading: Reading, quote: str) -> Keys:
    return keys(quote) or reading.title_keys


def _opening(reading: Reading) -> str:
    """The first sentence of an entry, else its title."""
    return next((s for s, k in reading.packed_sentences if k), "") or reading.entry.title


def _probability(score: float) -> float:
    from math import exp

    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, score))))
