"""How relevant a passage of a page is to a question: what it is about, how directly it says so, and whether it is the
kind of answer that was asked for.

    topic     = 0.55 · words around + 0.45 · meaning     (with a code found: 0.75 · words around + 0.25 · meaning)
    relevance = 0.55 · topic + 0.15 · words inside + 0.30 · kind of answer

"Words around" is the share of the question's concepts in title, headings, the passage and its neighbours; "meaning"
the similarity to the page's nearest passage, from 0 at a cosine of 0.12 to 1 at 0.5. What is not the kind of answer
that was asked for stays below 0.6, whatever it is about. Calibrated on pages of our own in both languages
(`docs/research.md`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.research import answers, cues, lexicon, semantics, suspicion
from brain_assets.research.answers import Candidate
from brain_assets.research.concepts import Concept, Text
from brain_assets.research.page import WebPage
from brain_assets.research.questions import Question

TRUSTED = frozenset({"standard", "vendor_doc", "official_support", "authority", "technical_doc", "encyclopedia"})
_WEAK = 0.55
_LEAST_STRENGTH = 0.4
_LEAST_LIKENESS = 0.2
_UNKNOWN_LIKENESS = 0.15
"""What stands for a similarity where there is no encoder: enough only for a passage that says nearly all itself."""
_MOST_LOST, _MOST_LOST_WITH_CODE, _MOST_REST_LOST = 0.5, 0.4, 0.35
_JUDGED = 80
_ENGLISH_VERB = re.compile(
    r"\b(?:do (?:you|i|we|they)|(?:can|should|must|may) (?:you|i|we|one)|how to)\s+(\w+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a page with its offsets and its relevance to a question, 0..1."""

    start: int
    end: int
    direct: float
    local: float
    strength: float
    likeness: float
    relevance: float


def passages(question: Question, page: WebPage) -> list[Passage]:
    """Quotable passages of a page by relevance, best first.

    Left out are what a later post of a thread takes back, destructive commands of sources nobody vouches for, and
    pages that lack too much of what the question speaks of.
    """
    lost, rest = shares_lost(question, page)
    if _too_much_lost(question, lost, rest, Text(f"{page.title}\n{page.text}")):
        return []
    found = answers.blocks(page.text)
    taken_back = frozenset(suspicion.corrected([page.text[b.start : b.end] for b in found]))
    kept = [
        c
        for c in answers.candidates(question.text, question.items, page.title, page.text, taken_back)
        if (page.source_class in TRUSTED or not destructive(page.text[c.start : c.end]))
        and (not question.anchors or _names_anchor(question, page, found, c))
        and _does_it(question, page, found, c, taken_back)
    ][:_JUDGED]
    texts = [(page.title, page.text[c.start : c.end]) for c in kept]
    near = semantics.similarities(question.meant or question.text, texts)
    likeness = near if near is not None else [_UNKNOWN_LIKENESS] * len(kept)
    best = max(likeness, default=0.0)
    scored = [_scored(question, c, like, best, lost) for c, like in zip(kept, likeness, strict=True)]
    return sorted((p for p in scored if p is not None), key=lambda p: (-p.relevance, p.end - p.start, p.start))


def _scored(question: Question, candidate: Candidate, likeness: float, best: float, lost: float) -> Passage | None:
    meaning = min(max((max(likeness, 0.85 * best) - 0.12) / 0.38, 0.0), 1.0)
    if question.anchors:
        topic = 0.75 * candidate.local + 0.25 * max(meaning, 0.6)
    elif likeness < _LEAST_LIKENESS and not (lost == 0 and candidate.direct >= 0.6):
        return None
    else:
        topic = 0.55 * candidate.local + 0.45 * meaning
    relevance = 0.55 * topic + 0.15 * candidate.direct + 0.30 * candidate.strength
    if candidate.strength < _LEAST_STRENGTH:
        relevance = min(relevance, _WEAK)
    return Passage(
        candidate.start, candidate.end, candidate.direct, candidate.local, candidate.strength, likeness,
        round(min(relevance, 1.0), 4),
    )  # fmt: skip


def shares_lost(question: Question, page: WebPage) -> tuple[float, float]:
    """Shares of the question's main words that a page does not have: codes included, and without codes.

    A word without a known translation counts half on a page in the other language: it is not missing, only unknown.
    Without main words the first is 1, the second 0.
    """
    whole = Text(f"{page.title}\n{page.text}")
    mains = [c for c in question.items if c.weight >= 0.45 and (c in question.anchors or c.text not in question.names)]
    foreign = page.language != question.language
    lost = {
        c: c.weight
        * (0.5 if foreign and c.kind == "word" and not lexicon.known(c.text) else 1.0)
        * (1 - whole.degree(c))
        for c in mains
    }
    others = [c for c in mains if c.kind != "code"]
    total, rest = sum(c.weight for c in mains), sum(c.weight for c in others)
    return sum(lost.values()) / total if total else 1.0, sum(lost[c] for c in others) / rest if rest else 0.0


def _too_much_lost(question: Question, lost: float, rest: float, whole: Text) -> bool:
    """Whether a page lacks what the question turns on: most of its words, a number, or all beside its code."""
    if any(c.kind == "number" and c.weight >= 1 and not whole.has(c) for c in question.items):
        return True
    if not question.anchors:
        return lost > _MOST_LOST
    return lost > _MOST_LOST_WITH_CODE or (question.asked in ("command", "procedure") and rest > _MOST_REST_LOST)


def _deeds(question: Question) -> list[Concept]:
    """What the main clause wants to be done: its known verbs, without those that only describe or name something."""
    known = [c for c in question.items if c.weight >= 0.75 and lexicon.actions(c.text, question.language)]
    if question.language == "de":
        return [c for c in known if not _attributive(c.text, question.text)]
    asked = _ENGLISH_VERB.search(question.text)
    return [c for c in known if c.text.lower() == asked[1].lower()] if asked else known


def _attributive(word: str, question: str) -> bool:
    """Whether a German participle or adjective stands before its noun ("gelöschte Nachrichten")."""
    ending = re.search(r"e[mnrs]?$", word)
    return bool(ending and re.search(rf"(?<!\w){re.escape(word)} (?:[a-zäöüß]+e[mnrs]? )?[A-ZÄÖÜ]", question))


def _does_it(
    question: Question, page: WebPage, found: Sequence[answers.Block], candidate: Candidate, taken_back: frozenset[int]
) -> bool:
    """Whether a passage speaks of doing what is to be done, and not of undoing it.

    Of the question's known verbs one has to stand in the passage, in the block before it, or in its headings or the
    title. A passage that has only the opposite verb is about something else.
    """
    if question.asked not in ("command", "procedure", "remedy"):
        return True
    deeds = _deeds(question)
    if not deeds:
        return True
    inside = [n for n, b in enumerate(found) if b.start < candidate.end and b.end > candidate.start]
    before = inside[0] - 1
    near = page.text[found[before].start : found[before].end] if before >= 0 and before not in taken_back else ""
    passage = Text(page.text[candidate.start : candidate.end])
    around = Text("\n".join((page.title, *found[inside[0]].headings, near)))
    for deed in deeds:
        if passage.has(deed):
            return True
        undone = any(passage.says(form) for form in lexicon.opposite_forms(deed.text, question.language))
        if around.has(deed) and not undone:
            return True
    return False


def _names_anchor(question: Question, page: WebPage, found: Sequence[answers.Block], candidate: Candidate) -> bool:
    """Whether a code of the question stands in the passage, near before or after it, in its headings or the title."""
    inside = [n for n, b in enumerate(found) if b.start < candidate.end and b.end > candidate.start]
    first, last = max(inside[0] - 2, 0), min(inside[-1] + 1, len(found) - 1)
    around = Text("\n".join((page.title, *found[inside[0]].headings, page.text[found[first].start : found[last].end])))
    return any(around.has(anchor) for anchor in question.anchors)


def destructive(passage: str) -> bool:
    """Whether a passage has a command that deletes or opens up more than a cautious reader would."""
    code = re.findall(r"```.*?```|`[^`\n]+`", passage, flags=re.DOTALL)
    return any(cues.DESTRUCTIVE.search(piece) for piece in code)
