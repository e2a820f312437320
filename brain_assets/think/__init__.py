"""Think: a trusted answer from the brain's own entries, and an honest report of what is old, contradictory,
unaddressed or unknown."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from brain_assets.errors import ConfigurationError
from brain_assets.model.entry import Entry
from brain_assets.model.gaps import Conflict, GapReport
from brain_assets.model.search import Filters
from brain_assets.settings import Settings
from brain_assets.think import conflicts, evidence, extractive, gather, missing, stale
from brain_assets.think.answer import Answer, AnswerSource
from brain_assets.think.evidence import Evidence
from brain_assets.think.extractive import Picked
from brain_assets.think.forms import stands
from brain_assets.think.gather import Gathered, Search
from brain_assets.think.meaning import Meaning
from brain_assets.think.nearness import Nearness

if TYPE_CHECKING:
    from brain_assets.llm.chain import Answered
    from brain_assets.think.generate import Generated

__all__ = ["Answer", "AnswerSource", "think"]

MOST_SOURCES = 50
_REPLACED = 0.5
_STEEPNESS = 3
"""Most of an answer should come from the sources that fit best; the others add what those lack."""
_SAY = {
    "de": {
        "nothing": "Dazu steht nichts im Brain.",
        "absent": "Dazu steht nichts im Brain; nicht gefunden: {terms}.",
        "nearest": "Am nächsten kommt:",
        "fallback": "Kein Modell gab eine belegte Antwort ({why}); die Antwort besteht aus Sätzen der Quellen.",
        "dropped": "{n} Sätze des Modells waren nicht belegt und wurden weggelassen.",
        "dropped_one": "Ein Satz des Modells war nicht belegt und wurde weggelassen.",
    },
    "en": {
        "nothing": "The brain says nothing about this.",
        "absent": "The brain says nothing about this; not found: {terms}.",
        "nearest": "The nearest it has:",
        "fallback": "No model gave a supported answer ({why}); the answer is made of the sources' sentences.",
        "dropped": "{n} sentences of the model were not supported and were left out.",
        "dropped_one": "One sentence of the model was not supported and was left out.",
    },
}


def think(
    settings: Settings,
    query: str,
    *,
    top: int = 7,
    no_llm: bool = False,
    stale_days: int | None = None,
    language: str = "auto",
    filters: Filters = Filters(),
    searcher: Search | None = None,
    record: bool = True,
) -> Answer:
    """Answer `query` from the best `top` entries (1 to 50) and report the gaps.

    With `no_llm` nothing leaves the machine and the answer is the same each time but for `took_ms`. `stale_days`
    (default BRAIN_STALE_DAYS) is the age in days from which a source is stale; `language` is that of the answer,
    `de`, `en` or `auto`. A `searcher` that is open already is used and left open. `record` keeps the gaps in the
    ledger where the brain can be written.

    Raises ConfigurationError for an empty query or a value out of range, and what search raises when there is no
    brain or no index (each with its remedy). A model that fails never raises here.
    """
    started = time.perf_counter()
    _check(query, top, stale_days, language)
    days = settings.stale_days if stale_days is None else stale_days
    if searcher is None:
        from brain_assets.retrieval.search import Searcher

        searcher = Searcher.open(settings)
    gathered = gather.gather(settings, searcher, query, top=top, filters=filters, language=language)
    meaning = Meaning.default() if settings.vector_sets else None
    found = conflicts.conflicts(gathered, meaning=meaning)
    known = evidence.find(gathered, searcher, load=_loader(settings), meaning=meaning)
    picked = extractive.select(
        gathered.question,
        gathered.statements,
        prior=_prior(gathered),
        near=_near(gathered),
        wanted=[*_values(known, gathered), *_both_sides(found)],
        meaning=meaning,
    )
    generated, answered = (None, None) if no_llm else _ask_models(settings, gathered, picked, meaning)
    lacking = missing.missing(gathered, known, Nearness(gathered) if settings.vector_sets else None)
    report = GapReport(
        stale=stale.stale(
            gathered.sources,
            today=settings.today,
            stale_days=days,
            limits=settings.stale_limits,
            replaced=gathered.replaced,
        ),
        uncited=missing.uncited(gathered, known, _said(picked, generated), lacking),
        contradiction=found,
        missing=lacking,
    )
    answer = _assemble(settings, gathered, picked, generated, answered, report)
    if record:
        from brain_assets.think import ledger

        ledger.record(settings, answer)
    object.__setattr__(answer, "took_ms", (time.perf_counter() - started) * 1000)
    return answer


def _check(query: str, top: int, stale_days: int | None, language: str) -> None:
    if not query.strip():
        raise ConfigurationError("The query is empty.", 'Ask a question, for example: brain think "…"')
    if not 1 <= top <= MOST_SOURCES:
        raise ConfigurationError(f"--top is {top}; it must be between 1 and {MOST_SOURCES}.")
    if stale_days is not None and stale_days < 0:
        raise ConfigurationError(f"--stale-days is {stale_days}; it can't be negative.")
    if language not in ("auto", "de", "en"):
        raise ConfigurationError(f"--lang is {language}; it must be de, en or auto.")


def _prior(gathered: Gathered) -> dict[int, float]:
    """How much each source counts: steeply less the worse it fits the question, half for one that something newer
    replaces."""
    out = {}
    for source in gathered.sources:
        replaced = stale.replacement(source.entry, gathered.replaced.get(source.entry.id)) is not None
        out[source.n] = source.worth**_STEEPNESS * (_REPLACED if replaced else 1.0)
    return out


def _near(gathered: Gathered) -> dict[int, tuple[int, int]]:
    """The range of each source's body that search found nearest."""
    out = {}
    for source in gathered.sources:
        passage = next((p for p in source.entry.passages if p.text == source.hit.passage), None)
        if passage is not None:
            out[source.n] = (passage.start, passage.end)
    return out


def _values(known: Evidence, gathered: Gathered) -> list[tuple[str, str]]:
    """The statement that best gives each asked attribute its value, where it stands in a source."""
    inside = {s.entry.id for s in gathered.sources}
    first = [next((s for s in found.statements if s.entry_id in inside), None) for found in known.attributes]
    return [(s.entry_id, s.text) for s in first if s is not None]


def _both_sides(found: Sequence[Conflict]) -> list[tuple[str, str]]:
    sides: list[tuple[str, str]] = []
    for conflict in [c for c in found if c.strength == "strong"][:2]:
        sides += [(conflict.a, conflict.a_quote), (conflict.b, conflict.b_quote)]
    return sides


def _loader(settings: Settings) -> evidence.Load:
    def load(ids: Sequence[str]) -> Iterator[Entry]:
        from brain_assets.store import catalogue, entries

        with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
            yield from entries.load(connection, ids)

    return load


def _ask_models(
    settings: Settings, gathered: Gathered, picked: Sequence[Picked], meaning: Meaning | None
) -> tuple[Generated | None, Answered[Generated] | None]:
    if not gathered.sources:
        return None, None
    from brain_assets.errors import BrainError
    from brain_assets.llm import chain
    from brain_assets.store import catalogue
    from brain_assets.think import generate

    try:
        cat = catalogue.open(settings)
    except BrainError:
        # A brain that can only be read has no call log; its answers are as good.
        cat = None
    try:
        answered = chain.first_answer(
            settings, lambda model: generate.answer(model, gathered, picked, similarity=meaning), cat=cat
        )
    finally:
        if cat is not None:
            cat.close()
    return answered.value, answered


def _said(picked: Sequence[Picked], generated: Generated | None) -> list[missing.Said]:
    if generated is None:
        return [missing.Said(p.statement.text, p.statement.keys | p.statement.context, p.sources) for p in picked]
    from brain_assets.think.statements import keys

    return [missing.Said(c.text, keys(c.text), c.cited) for c in generated.claims]


def _assemble(
    settings: Settings,
    gathered: Gathered,
    picked: Sequence[Picked],
    generated: Generated | None,
    answered: Answered[Generated] | None,
    report: GapReport,
) -> Answer:
    from brain_assets.llm import chain

    language = gathered.question.language
    say = _SAY.get(language, _SAY["en"])
    notes = list(gathered.result.notes)
    attempts = answered.attempts if answered is not None else ()
    if generated is not None and generated.dropped:
        notes.append(say["dropped" if generated.dropped > 1 else "dropped_one"].format(n=generated.dropped))
    if generated is None and attempts:
        notes.append(say["fallback"].format(why=", ".join(f"{a.provider}: {a.outcome}" for a in attempts)))
    return Answer(
        query=gathered.result.query,
        language=language,
        answer=generated.text if generated is not None else _extractive_text(gathered, picked, report, say),
        mode="llm" if generated is not None else "extractive",
        provider=answered.provider if answered is not None else None,
        model=answered.model if answered is not None else None,
        sources=tuple(_source(s, settings) for s in gathered.sources),
        gaps=report,
        attempts=attempts,
        coverage=gathered.result.coverage,
        took_ms=0.0,
        notes=tuple(notes),
        cost=chain.cost(answered, settings) if answered is not None else 0.0,
    )


def _extractive_text(gathered: Gathered, picked: Sequence[Picked], report: GapReport, say: dict[str, str]) -> str:
    things = [t for t in gathered.question.terms if t.kind != "other"]
    named = {t.text for t in things}
    absent = [m.term for m in report.missing if m.term in named]
    text = extractive.as_text(picked)
    if absent and len(absent) == len(things):
        # What has not even a part of a thing that was asked about is not near.
        picked = [
            p for p in picked if any(stands(w, p.statement.keys | p.statement.context) for t in things for w in t.words)
        ]
        head = say["absent"].format(
            terms=", ".join(f"„{t}“" if gathered.question.language == "de" else f"“{t}”" for t in absent)
        )
        return f"{head} {say['nearest']}\n\n{extractive.as_text(picked[:2])}" if picked else head
    return text or say["nothing"]


def _source(source: gather.Source, settings: Settings) -> AnswerSource:
    entry, hit = source.entry, source.hit
    age = (settings.today - entry.date).days if entry.date else None
    return AnswerSource(
        source.n, entry.id, entry.kind, entry.title, entry.path, entry.date.isoformat() if entry.date else None, age,
        round(hit.score, 4), hit.preview,
    )  # fmt: skip
