"""Which hits of a search are worth fetching: relevance, who speaks, and whether something can be done with it.

score     = 0.6 · relevance + 0.25 · source class + 0.15 · actionability
relevance = 0.4 · BM25 among the hits + 0.3 · share of the question's concepts + 0.3 · nearness in meaning
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from brain_assets.research import answers, concepts, cues, semantics, source_class, versions
from brain_assets.research.concepts import Text
from brain_assets.research.questions import Question, Subject
from brain_assets.research.searxng import Hit
from brain_assets.settings import Settings
from brain_assets.text import words

_LEAST_RELEVANCE = 0.12
_OTHER_VERSION = 0.5
_STEPS = re.compile(
    r"\b(?:schritt\w*|anleitung|vorgehen|so (?:geht|stoßen|lösen|richten)|wie (?:man|sie)|steps?|how to|guide|"
    r"fix\w*)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A hit with its score and parts (0..1), whether its page is to be fetched for the question, and why (not)."""

    hit: Hit
    query: str
    score: float
    relevance: float
    source_class: str
    actionability: float
    chosen: bool
    reason: str


def choose(
    question: Question,
    found: Sequence[tuple[Hit, str]],
    about: Subject,
    settings: Settings,
    *,
    limit: int,
    refused: dict[str, str] | None = None,
) -> list[Choice]:
    """All hits (with the query that found them) by score, the best `limit` chosen. `refused`: URL → why not to fetch.

    The same hits give the same choice: ties go by rank and URL.
    """
    if not found:
        return []
    texts = [f"{hit.title}\n{hit.snippet}" for hit, _ in found]
    lexical = _bm25(question, texts)
    near = semantics.similarities(question.meant or question.text, [(h.title, h.snippet) for h, _ in found])
    scored = []
    for number, (hit, query) in enumerate(found):
        covered = concepts.coverage(question.items, Text(f"{texts[number]}\n{_spoken(hit.url)}"))
        meaning = min(max((near[number] - 0.05) / 0.45, 0.0), 1.0) if near is not None else covered
        relevance = 0.4 * lexical[number] + 0.3 * covered + 0.3 * meaning
        kind = source_class.classify(hit.url, hit.title, question.names, settings)
        action = actionability(question, hit)
        score = 0.6 * relevance + 0.25 * source_class.quality(kind, settings) + 0.15 * action
        why = _why_not(hit, about, (refused or {}).get(hit.url, ""))
        if why == _WRONG_VERSION:
            score *= _OTHER_VERSION
        scored.append((round(score, 4), round(relevance, 4), kind, round(action, 4), hit, query, why))
    scored.sort(key=lambda s: (-s[0], s[4].rank, s[4].url))
    return _decide(scored, limit)


def _decide(scored: list[tuple[float, float, str, float, Hit, str, str]], limit: int) -> list[Choice]:
    out: list[Choice] = []
    taken = 0
    for score, relevance, kind, action, hit, query, why in scored:
        if why and why != _WRONG_VERSION:
            chosen, reason = False, why
        elif relevance < _LEAST_RELEVANCE:
            chosen, reason = False, "title and snippet say nothing of the question"
        elif taken >= limit:
            better = f"{limit} pages for this question are better"
            chosen, reason = False, f"{why}; {better}" if why else better
        else:
            chosen, reason = True, why or f"relevance {relevance:.2f}, {kind}, actionability {action:.2f}"
            taken += 1
        out.append(Choice(hit, query, score, relevance, kind, action, chosen, reason))
    return out


_WRONG_VERSION = "seems to be about another version"


def _why_not(hit: Hit, about: Subject, refused: str) -> str:
    if refused:
        return refused
    if urlsplit(hit.url).path.lower().endswith(".pdf"):
        return "unsupported_pdf: PDF pages are not read"
    if cues.INSTRUCTION.search(f"{hit.title}\n{hit.snippet}"):
        return "title or snippet addresses machines"
    outside, inside = versions.of_page(hit.url, hit.title, hit.snippet, about.names)
    return _WRONG_VERSION if versions.verdict(outside, inside, about.in_use) == "wrong" else ""


def _bm25(question: Question, texts: Sequence[str]) -> list[float]:
    """BM25 of the hits for the question's words in both languages, 0..1 of the best one."""
    from rank_bm25 import BM25Plus

    documents = [_stems(text) or ["-"] for text in texts]
    wanted = sorted({stem for item in question.items for form in item.forms for stem in form})
    wanted += sorted({concepts.plain_code(c.text) for c in question.items if c.kind in ("code", "number")})
    scores = [float(score) for score in BM25Plus(documents).get_scores(wanted)]
    least, most = min(scores), max(scores)
    return [(score - least) / (most - least) if most > least else 0.0 for score in scores]


def _stems(text: str) -> list[str]:
    out: list[str] = []
    for token in words.tokens(text):
        out.extend({words.stem(token, "de"), words.stem(token, "en"), concepts.plain_code(token)})
    return sorted(out)


def _spoken(url: str) -> str:
    return re.sub(r"[/_.?=&%-]+", " ", urlsplit(url).path)


def actionability(question: Question, hit: Hit) -> float:
    """How likely a page tells what to do, by its title and snippet: steps, commands, the question's codes, versions."""
    text = f"{hit.title}\n{hit.snippet}"
    value = 0.4 if _STEPS.search(text) else 0.0
    value += 0.3 if answers.strength("procedure", question.text, text, 0.0) > 0.5 else 0.0
    value += 0.2 if any(Text(text).has(anchor) for anchor in question.anchors) else 0.0
    value += 0.1 if re.search(r"\b\d+\.\d+|`[^`]+`|\bversion\b", text, re.I) else 0.0
    return min(value, 1.0)
