"""Our own labelled web, read without a server: its pages as they are extracted, its subjects with their gaps."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from brain_assets.model.synthesis import GapQuestion
from brain_assets.research import assess, questions, source_class
from brain_assets.research.assess import Judgement
from brain_assets.research.extract import Extractor
from brain_assets.research.fetch import Fetched
from brain_assets.research.page import WebPage
from brain_assets.research.questions import Question, Subject
from brain_assets.research.rounds import Context
from brain_assets.settings import Settings

OWN = Path(__file__).parent / "web"


@dataclass(frozen=True)
class Labelled:
    url: str
    page: WebPage
    answers: frozenset[str]
    trap: str


@dataclass(frozen=True)
class Asked:
    """A subject of the labels: its gaps, those no page answers, and what its sources say."""

    title: str
    gaps: tuple[GapQuestion, ...]
    unanswerable: frozenset[str]
    sources: dict[str, str]

    def context(self) -> Context:
        return Context(self.title, source_texts=self.sources, pool_id=self.title)


def fetched(url: str, body: bytes) -> Fetched:
    return Fetched(url, url, "93.184.216.34", False, "text/html", "", body, False, len(body))


@cache
def pages(folder: Path = OWN) -> tuple[Labelled, ...]:
    out = []
    with Extractor(max_chars=14_000) as extractor:
        for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
            if entry["file"].endswith(".html"):
                page = extractor.page(
                    fetched(entry["url"], (folder / entry["file"]).read_bytes()), fetched_on="2026-12-01"
                )
                gaps = entry["resolves_gap"] if isinstance(entry["resolves_gap"], list) else []
                out.append(Labelled(entry["url"], page, frozenset(gaps), entry["trap"] or ""))
    return tuple(out)


@cache
def subjects() -> tuple[Asked, ...]:
    return tuple(
        Asked(
            s["title"],
            tuple(GapQuestion(id=g["gap_id"], question=g["question"], critical=True) for g in s["gaps"]),
            frozenset(s["unanswerable"]),
            {f"note:{n}.md": text for n, text in enumerate(s["sources"])},
        )
        for s in json.loads((OWN / "subjects.json").read_text(encoding="utf-8"))
    )


def asked_of(subject: Asked) -> tuple[Subject, list[Question]]:
    texts = list(subject.sources.values())
    about = questions.subject(subject.title, (), texts, subject.gaps)
    return about, [question for gap in subject.gaps for question in questions.split(gap, about, texts)]


def judge(question: Question, labelled: Labelled, about: Subject, settings: Settings, subject: Asked) -> Judgement:
    kind = source_class.classify(labelled.url, labelled.page.title, question.names, settings)
    page = replace(labelled.page, source_class=kind)
    return assess.assess(question, page, about, settings, subject.sources)


def gold_source(gold: Path, reference: str) -> str:
    """The text of a source of the shared labels: a note's path or a KB id."""
    if reference.startswith("vault/"):
        wanted = unicodedata.normalize("NFC", reference)
        for path in (gold / "vault").rglob("*.md"):
            if unicodedata.normalize("NFC", path.relative_to(gold).as_posix()) == wanted:
                return path.read_text(encoding="utf-8-sig")
        raise AssertionError(reference)
    entry = json.loads((gold / "kb" / f"{reference}.json").read_text(encoding="utf-8"))
    return f"{entry['title']}\n{entry['text']}\n{entry['answer']}"
