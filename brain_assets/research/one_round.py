"""One research round: searches, choices, pages, judgements. Nothing that fails here ends it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from brain_assets.errors import ModelError
from brain_assets.model.synthesis import Evidence
from brain_assets.research import assess, questions, snippets, source_class, urls
from brain_assets.research.assess import Judgement
from brain_assets.research.page import WebPage
from brain_assets.research.pages import Pages, Read
from brain_assets.research.questions import Question, Subject
from brain_assets.research.searxng import Answer, Hit, SearchFailed, SearchProvider
from brain_assets.research.snippets import Choice
from brain_assets.research.transport import FetchFailed
from brain_assets.settings import Settings

if TYPE_CHECKING:
    from brain_assets.llm.base import LanguageModel

log = logging.getLogger(__name__)
Progress = Callable[[str, int, int], None]
Record = dict[str, object]


@dataclass(slots=True)
class Findings:
    """What a round did: its records as they are kept, the evidence, and the questions that are answered now."""

    queries: list[dict[str, str]] = field(default_factory=list)
    hits: list[Record] = field(default_factory=list)
    fetches: list[Record] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    pages: dict[str, WebPage] = field(default_factory=dict)
    searched: int = 0
    failed: int = 0
    bytes_fetched: int = 0
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a round works with."""

    settings: Settings
    provider: SearchProvider
    pages: Pages
    model: LanguageModel | None
    about: Subject
    sources: Mapping[str, str]
    progress: Progress


def run(
    desk: Desk, asked: Sequence[Question], planned: Sequence[tuple[Question, str, str]], read: set[str]
) -> Findings:
    """Search what is `planned`, read the best pages of each question, judge each page for every question asked.

    `read` are normalised URLs that earlier rounds have judged already: they are not chosen again.
    """
    started = time.monotonic()
    findings = Findings()
    found = _search(desk, planned, findings)
    chosen = _choose(desk, asked, found, findings, read)
    _read(desk, asked, chosen, findings)
    findings.seconds = round(time.monotonic() - started, 3)
    return findings


def _search(
    desk: Desk, planned: Sequence[tuple[Question, str, str]], findings: Findings
) -> dict[str, list[tuple[Hit, str]]]:
    """Hits per question id, one per page over all its queries."""
    found: dict[str, list[tuple[Hit, str]]] = {}
    reasons: list[str] = []
    for number, (question, language, query) in enumerate(planned, 1):
        desk.progress(f"search: {query} ({question.text})", number, len(planned))
        record = {"question_id": question.id, "question": question.text, "language": language, "query": query}
        try:
            answer, cached = _answer(desk, query, language)
        except SearchFailed as failed:
            findings.failed += 1
            reasons.append(failed.reason)
            findings.queries.append({**record, "outcome": "failed", "reason": failed.reason, "hits": "0"})
            continue
        findings.searched += 1
        note = (
            f"without {', '.join(answer.partial)}"
            if answer.partial
            else "kept from earlier the same day"
            if cached
            else ""
        )
        findings.queries.append({**record, "outcome": "ok", "reason": note, "hits": str(len(answer.hits))})
        mine = found.setdefault(question.id, [])
        known = {urls.normalise(hit.url) for hit, _ in mine}
        mine.extend((hit, query) for hit in answer.hits if urls.normalise(hit.url) not in known)
    findings.reason = "; ".join(dict.fromkeys(reasons))
    return found


def _answer(desk: Desk, query: str, language: str) -> tuple[Answer, bool]:
    limit = desk.settings.article_research_results
    kept = desk.pages.store.search(query, language, limit)
    if kept is not None:
        return kept, True
    answer = desk.provider.search(query, language, limit)
    desk.pages.store.keep_search(query, language, limit, answer)
    return answer, False


def _choose(
    desk: Desk,
    asked: Sequence[Question],
    found: Mapping[str, list[tuple[Hit, str]]],
    findings: Findings,
    read: set[str],
) -> list[tuple[str, Choice]]:
    """(question id, choice) of the pages to read, each page once, best first within a question."""
    chosen: list[tuple[str, Choice]] = []
    taken: set[str] = set()
    for question in asked:
        hits = found.get(question.id, [])
        refused = {hit.url: "read in an earlier round" for hit, _ in hits if urls.normalise(hit.url) in read}
        choices = snippets.choose(
            question,
            hits,
            desk.about,
            desk.settings,
            limit=desk.settings.article_research_fetch_results,
            refused=refused,
        )
        for choice in choices:
            findings.hits.append(_hit_record(question, choice))
            key = urls.normalise(choice.hit.url)
            if choice.chosen and key not in taken:
                taken.add(key)
                chosen.append((question.id, choice))
    return chosen


def _hit_record(question: Question, choice: Choice) -> Record:
    return {
        "question_id": question.id,
        "query": choice.query,
        "url": choice.hit.url,
        "title": choice.hit.title,
        "rank": choice.hit.rank,
        "score": choice.score,
        "relevance": choice.relevance,
        "source_class": choice.source_class,
        "actionability": choice.actionability,
        "chosen": choice.chosen,
        "reason": choice.reason,
    }


def _read(desk: Desk, asked: Sequence[Question], chosen: Sequence[tuple[str, Choice]], findings: Findings) -> None:
    texts = {question.id: question.text for question in asked}
    for number, (question_id, choice) in enumerate(chosen, 1):
        desk.progress(f"page: {choice.hit.url} ({texts.get(question_id, '')})", number, len(chosen))
        record: Record = {"question_id": question_id, "url": choice.hit.url}
        try:
            read = desk.pages.read(choice.hit.url)
        except FetchFailed as failure:
            findings.fetches.append({**record, "outcome": failure.reason, "reason": failure.detail, "private": False})
            continue
        findings.bytes_fetched += read.wire_bytes
        judged = [_judge(desk, question, read.page) for question in asked]
        findings.evidence.extend(e for judgement in judged for e in judgement.evidence)
        if any(judgement.evidence for judgement in judged):
            findings.pages.setdefault(read.page.digest, _classified(desk, asked[0], read.page))
        findings.fetches.append({**record, **_page_record(read), "judgements": [_judgement_record(j) for j in judged]})


def _page_record(read: Read) -> Record:
    page = read.page
    return {
        "outcome": "read",
        "reason": "kept from before" if read.cached else "",
        "final_url": page.final_url,
        "private": read.private,
        "cached": read.cached,
        "bytes": read.wire_bytes,
        "digest": page.digest,
        "title": page.title,
        "language": page.language,
        "extractor": page.extractor,
        "truncated": page.truncated,
        "hops": list(read.hops),
    }


def _judgement_record(judgement: Judgement) -> Record:
    return {
        "question_id": judgement.question_id,
        "relevance": judgement.relevance,
        "quality": judgement.quality,
        "accepted": bool(judgement.evidence),
        "reason": judgement.reason,
    }


def _classified(desk: Desk, question: Question, page: WebPage) -> WebPage:
    kind = source_class.classify(page.final_url, page.title, question.names, desk.settings)
    return replace(page, source_class=kind)


def _judge(desk: Desk, question: Question, page: WebPage) -> Judgement:
    """By the model if there is one and it gives a usable answer, else by the rules."""
    page = _classified(desk, question, page)
    if desk.model is not None:
        try:
            return assess.assess_by_model(desk.model, question, page, desk.about, desk.settings, desk.sources)
        except ModelError as failed:
            log.warning("A page was judged by rules: %s", failed.message)
    return assess.assess(question, page, desk.about, desk.settings, desk.sources)


def settle(
    asked: Sequence[Question], evidence: Sequence[Evidence], limit: int
) -> tuple[dict[str, tuple[Evidence, ...]], set[str]]:
    """Evidence per closed gap, without what contradicts its best source, and the ids of all answered questions.

    A gap is closed when each of its questions is answered; at most `limit` quotes of each question are kept.
    """
    kept: dict[str, list[Evidence]] = {}
    for question in asked:
        mine = [e for e in evidence if e.question_id == question.id]
        if found := assess.reconcile(mine)[:limit]:
            kept[question.id] = found
    by_gap: dict[str, tuple[Evidence, ...]] = {}
    for gap_id in dict.fromkeys(q.gap_id for q in asked):
        parts = [q.id for q in asked if q.gap_id == gap_id]
        if all(part in kept for part in parts):
            unique = {(e.digest, e.start, e.end): e for part in parts for e in kept[part]}
            by_gap[gap_id] = tuple(unique.values())
    return by_gap, set(kept)


def proposals(model: LanguageModel, asked: Sequence[Question], title: str) -> dict[str, list[tuple[str, str]]]:
    """A model's queries per question id; empty when it has none to give. It sees the questions, never a page."""
    from brain_assets.llm.structured import structured

    listed = "\n".join(f"{question.id}: {question.text}" for question in asked)
    try:
        said = structured(
            model,
            system=questions.PROPOSAL_SYSTEM,
            data={"subject": title, "questions": listed},
            schema=questions.Proposals,
            max_tokens=700,
            prompt_version=questions.PROMPT_VERSION,
        )
    except ModelError as failed:
        log.warning("Queries were made by rules: %s", failed.message)
        return {}
    out: dict[str, list[tuple[str, str]]] = {}
    for item in said.queries:
        out.setdefault(item.question_id, []).extend((("de", item.german), ("en", item.english)))
    return out
