"""Whether a page answers a question: judged on its full text, by rules or by a model, its quotes verified by code.

Nothing a model says opens a page that the rules close: wrong version, text that speaks to machines, walls, junk, or a
missing code. What is accepted is an exact quote whose offsets into the stored text were checked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from brain_assets.model.synthesis import Evidence
from brain_assets.research import answers, concepts, consistency, cues, source_class, suspicion, versions
from brain_assets.research.concepts import Text
from brain_assets.research.page import WebPage
from brain_assets.research.questions import Question, Subject
from brain_assets.research.scoring import TRUSTED, Passage, destructive, passages
from brain_assets.settings import Settings
from brain_assets.text import sentences, words

if TYPE_CHECKING:
    from brain_assets.llm.base import LanguageModel

PROMPT_VERSION = "assess/1"
MAX_QUOTES = 2
_MODEL_TOKENS = 900
_SOURCE_CHARS = 4_000
_MODEL_FLOOR = 0.3
_MIN_QUOTE, _MAX_QUOTE = 12, 1_200
_OLD_YEARS = 6
_DATED_FIX = re.compile(r"\b(?:lösung|fix|fehler|error|anleitung|guide|tipps?)\b.*\b20\d\d\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a page for a question. Accepted exactly when `evidence` is not empty; `reason` is for people."""

    question_id: str
    url: str
    relevance: float
    quality: float
    reason: str
    evidence: tuple[Evidence, ...] = ()


def quality(page: WebPage, settings: Settings) -> tuple[float, suspicion.Signals]:
    """What a page is worth as a source, 0..1, and what was noticed about it."""
    found = suspicion.signals(
        page.title, page.text, login_form=page.login_form, hidden_instructions=page.hidden_instructions
    )
    value = source_class.quality(page.source_class, settings) - found.penalty
    if page.source_class not in TRUSTED and _DATED_FIX.search(page.title):
        value -= 0.15
    if page.published and int(page.published[:4]) < settings.today.year - _OLD_YEARS:
        value -= 0.1
    if "```" in page.text and not found.penalty:
        value += 0.05
    return round(max(0.0, min(value, 1.0)), 4), found


def assess(
    question: Question, page: WebPage, about: Subject, settings: Settings, sources: Mapping[str, str] | None = None
) -> Judgement:
    """Judge a page for a question by rules. `sources` are the team's texts by id, which a quote must not contradict."""
    value, found = quality(page, settings)
    refusal = refuse(question, page, about, found)
    if refusal:
        return Judgement(question.id, page.final_url, 0.0, value, refusal)
    best = passages(question, page)
    relevance = best[0].relevance if best else 0.0
    if not best or relevance < settings.article_research_min_relevance:
        return Judgement(question.id, page.final_url, relevance, value, "does not answer the question")
    if value < settings.article_research_min_quality:
        return Judgement(question.id, page.final_url, relevance, value, _why_poor(page, found))
    chosen = _apart(best, settings.article_research_min_relevance)
    evidence, conflict = _consistent(
        [_evidence(question, page, c.start, c.end, c.relevance, value, "deterministic") for c in chosen], page, sources
    )
    return Judgement(question.id, page.final_url, relevance, value, conflict or "answers the question", evidence)


def _consistent(
    evidence: Sequence[Evidence], page: WebPage, sources: Mapping[str, str] | None
) -> tuple[tuple[Evidence, ...], str]:
    """The quotes that contradict none of the sources; and, when none is left, what the first one contradicts."""
    conflicts = [consistency.conflict(page, e.quote, sources or {}) for e in evidence]
    kept = tuple(e for e, conflict in zip(evidence, conflicts, strict=True) if not conflict)
    return kept, "" if kept or not conflicts else conflicts[0]


def refuse(question: Question, page: WebPage, about: Subject, found: suspicion.Signals) -> str:
    """Why a page may not answer this question whatever it says; empty when it may."""
    if found.veto:
        return found.veto
    whole = Text(f"{page.title}\n{page.text}")
    if question.anchors and not any(whole.has(anchor) for anchor in question.anchors):
        return "names nothing of what the question is about"
    outside, inside = versions.of_page(page.final_url, page.title, page.text, about.names)
    if versions.verdict(outside, inside, about.in_use) == "wrong":
        return "is about another version"
    names = [c for c in question.items if c.kind in ("code", "name")]
    for sentence in sentences.split(page.text):
        if cues.NOT_HERE.search(sentence.text) and any(Text(sentence.text).has(c) for c in names):
            return "says that it is not about this product or case"
    return ""


def _apart(best: Sequence[Passage], least: float) -> list[Passage]:
    """The best passages that do not overlap, at most MAX_QUOTES, none much worse than the first."""
    chosen: list[Passage] = []
    for candidate in best:
        if candidate.relevance < max(least, best[0].relevance - 0.06) or len(chosen) == MAX_QUOTES:
            break
        if all(candidate.end <= other.start or candidate.start >= other.end for other in chosen):
            chosen.append(candidate)
    return chosen


def _evidence(
    question: Question, page: WebPage, start: int, end: int, relevance: float, value: float, assessor: str
) -> Evidence:
    evidence = Evidence(
        source=page.entry_id, url=page.final_url, quote=page.text[start:end], start=start, end=end,
        relevance=relevance, quality=value, gap_id=question.gap_id, question_id=question.id, digest=page.digest,
        title=page.title, published=page.published, source_class=page.source_class, assessor=assessor,
        reason=f"answers “{question.text}”",
    )  # fmt: skip
    if not verified(evidence, page.text):
        raise AssertionError("a quote was cut at offsets that do not hold it")
    return evidence


def verified(evidence: Evidence, text: str) -> bool:
    """Whether a quote stands in a page text exactly where it says, and is not empty."""
    return bool(evidence.quote.strip()) and text[evidence.start : evidence.end] == evidence.quote


def _why_poor(page: WebPage, found: suspicion.Signals) -> str:
    noticed = "; ".join(found.reasons) or f"source class {page.source_class}"
    return f"not good enough as a source: {noticed}"


def reconcile(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Evidence of one gap without what contradicts its best source: other commands from a lesser one are dropped.

    The same command, or none at all, is no contradiction.
    """
    items = sorted(evidence, key=lambda e: (-e.quality, -e.relevance, e.url, e.start))
    if not items:
        return []
    leading = [e for e in items if e.source_class in ("vendor_doc", "official_support", "standard")]
    told = {command for e in leading for command in commands(e.quote)}
    if not told:
        return items
    heads = {c.split()[0] for c in told}
    out = []
    for e in items:
        other = commands(e.quote)
        clash = e not in leading and any(c.split()[0] in heads for c in other) and not other & told
        if not clash:
            out.append(e)
    return out


def commands(quote: str) -> set[str]:
    """Commands in a quote, without prompts and placeholders, spaces made equal."""
    found: set[str] = set()
    for fenced, inline in re.findall(r"```(.*?)```|`([^`\n]+)`", quote, flags=re.DOTALL):
        for line in (fenced or inline).splitlines():
            plain = re.sub(r"^\s*(?:[\w@~./-]{0,30}[>$#])\s+", "", line)
            plain = " ".join(re.sub(r"<[^<>]*>|\{[^{}]*\}", "", plain).split())
            if " " in plain:
                found.add(plain)
    return found


class ModelJudgement(BaseModel):
    """What a model says of a page for a question. Quotes have to be exact copies from the page."""

    answers_question: bool
    right_product_and_version: bool
    current: bool
    consistent_with_sources: bool
    relevance: float = Field(ge=0, le=1)
    quality: float = Field(ge=0, le=1)
    quotes: list[str] = Field(max_length=4)


_SYSTEM = """You judge whether a web page answers a question from an IT team. Judge only by the page's text. The page
is right only if it is about the product and version in use, current, and consistent with what the team's sources say.
relevance: 0 to 1, how completely the page answers this question. quality: 0 to 1, how trustworthy and precise it is.
quotes: at most two passages of the page that together answer the question, copied exactly, character by character,
with their code. If the page does not answer the question, quotes is empty."""


def assess_by_model(
    model: LanguageModel,
    question: Question,
    page: WebPage,
    about: Subject,
    settings: Settings,
    sources: Mapping[str, str] | None = None,
) -> Judgement:
    """Judge a page with a model; the rules keep their vetoes, and a quote counts only where the page has it.

    Raises ModelError when the model gives no usable answer: the caller falls back to the rules.
    """
    from brain_assets.llm.structured import structured

    value, found = quality(page, settings)
    if refusal := refuse(question, page, about, found):
        return Judgement(question.id, page.final_url, 0.0, value, refusal)
    in_use = ", ".join(f"{' '.join(sorted(s.product))} {'.'.join(map(str, s.low))}" for s in about.in_use) or "unknown"
    data = {"question": question.text, "versions in use": in_use, "team sources": _shortened(sources),
            "page title": page.title, "page text": page.text}  # fmt: skip
    said = structured(
        model, system=_SYSTEM, data=data, schema=ModelJudgement, max_tokens=_MODEL_TOKENS, prompt_version=PROMPT_VERSION
    )
    value = round(min(said.quality, value + 0.1), 4)
    relevance = said.relevance if said.answers_question else min(said.relevance, 0.4)
    if not (said.right_product_and_version and said.current and said.consistent_with_sources):
        return Judgement(question.id, page.final_url, relevance, value, _why_not(said))
    if relevance < settings.article_research_min_relevance:
        return Judgement(question.id, page.final_url, relevance, value, "does not answer the question")
    if value < settings.article_research_min_quality:
        return Judgement(question.id, page.final_url, relevance, value, _why_poor(page, found))
    located = _located(question, page, said.quotes, relevance, value)
    evidence, conflict = _consistent(located, page, sources)
    reason = "answers the question" if evidence else "no quote of the model stands in the page and answers"
    return Judgement(question.id, page.final_url, relevance, value, conflict or reason, evidence)


def _shortened(sources: Mapping[str, str] | None) -> str:
    return "\n\n".join(text[:_SOURCE_CHARS] for text in (sources or {}).values())[: 2 * _SOURCE_CHARS]


def _why_not(said: ModelJudgement) -> str:
    if not said.right_product_and_version:
        return "is about another product or version"
    return "is not current" if not said.current else "contradicts the sources"


def _located(
    question: Question, page: WebPage, quotes: Sequence[str], relevance: float, value: float
) -> list[Evidence]:
    """The model's quotes that stand in the page, each at its offsets, if the rules find the question there at all."""
    found = answers.blocks(page.text)
    taken_back = suspicion.corrected([page.text[b.start : b.end] for b in found])
    forbidden = [(found[n].start, found[n].end) for n in sorted(taken_back)]
    out: list[Evidence] = []
    for quote in quotes[:MAX_QUOTES]:
        place = locate(quote, page.text)
        if place is None or not _MIN_QUOTE <= place[1] - place[0] <= _MAX_QUOTE:
            continue
        start, end = place
        if any(start < stop and end > begin for begin, stop in forbidden):
            continue
        if page.source_class not in TRUSTED and destructive(page.text[start:end]):
            continue
        around = Text(f"{page.title}\n{page.text[max(0, start - 600) : end + 300]}")
        if concepts.coverage(question.items, around) >= _MODEL_FLOOR:
            out.append(_evidence(question, page, start, end, round(relevance, 4), value, "model"))
    return out


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text: exactly, else with white space of any kind equal; None when it does not."""
    quote = words.nfc(quote).strip()
    if not quote:
        return None
    position = text.find(quote)
    if position >= 0:
        return position, position + len(quote)
    pattern = r"\s+".join(re.escape(piece) for piece in quote.split())
    match = re.search(pattern, text)
    return match.span() if match else None
