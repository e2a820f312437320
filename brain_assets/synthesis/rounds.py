"""The asset `research_rounds`: open questions of fact bases go to the web, accepted evidence makes their next version."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from brain_assets.llm.base import LanguageModel
from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Consolidation, Pool, ResearchRound, ResolvedGap, Statement
from brain_assets.research import rounds as research
from brain_assets.research.rounds import Context, Environment, RoundsResult
from brain_assets.settings import Settings
from brain_assets.sources import passages
from brain_assets.store import catalogue, entries, schema, stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import Item, Progress, StageReport, no_progress
from brain_assets.synthesis import consolidate, gaps, roles, tables
from brain_assets.synthesis.consolidations import disabled, sources_of
from brain_assets.text import language as languages

STAGE = "research_rounds"
CODE_VERSION = "2"
_FENCED = re.compile(r"(?:```|~~~)[^\n]*\n(.*?)\n?(?:```|~~~)", re.DOTALL)
_MARK = re.compile(r"^(?:[-*+]|\d{1,2}[.)])\s+")
_MOST_WISHES = 4
"""Optional questions a subject asks of the web: the queries of a round are few, and critical ones come first."""
_TRY_AGAIN = ("search_failed",)


@dataclass(frozen=True, slots=True)
class _Work:
    pool: Pool
    base: Consolidation
    sources: tuple[Entry, ...]


def update(
    cat: Catalogue,
    settings: Settings,
    *,
    model: LanguageModel | None = None,
    progress: Progress = no_progress,
    environment: Environment | None = None,
) -> StageReport:
    """Research the open questions of every fact base. One that could not be searched is tried again next time.

    `environment` is what research works with; None asks `research.rounds.environment` once, and only if there is
    something to ask.
    """
    if not settings.article_synthesis_enabled:
        return disabled(STAGE)
    with cat.read() as connection:
        pools = {pool.id: pool for pool in tables.load_pools(connection)}
        bases = {i: b for i, b in tables.first_consolidations(connection).items() if i in pools}
        recorded = set(connection.execute(select(schema.research_rounds.c.pool_id).distinct()).scalars())
    asking = {i: b for i, b in bases.items() if any(gaps.researchable(g) for g in _gaps(b))}
    surroundings = environment
    if asking and surroundings is None:
        surroundings = research.environment(settings, model=model)
    surroundings = surroundings or Environment()
    if surroundings.provider is None:
        # Only critical gaps force research: what is merely wished for waits in silence.
        asking = {i: b for i, b in asking.items() if b.critical_gaps}
    if gone := sorted(recorded - asking.keys()):
        with cat.begin() as connection:
            for pool_id in gone:
                _forget(connection, pool_id)
    limits = {k: v for k, v in settings.model_dump(mode="json").items() if "research" in k or k == "searxng_url"}
    items = [
        Item(i, stages.digest_of(b.model_dump(mode="json"), limits, surroundings.unavailable if i in asking else ""))
        for i, b in asking.items()
    ]

    def compute(batch: list[Item]) -> dict[str, RoundsResult]:
        out = {}
        for item in batch:
            with cat.read() as connection:
                pool, base = pools[item.id], bases[item.id]
                work = _Work(pool, base, tuple(sources_of(connection, pool)))
                earlier = tables.load_rounds(connection, item.id)
            out[item.id] = _research(settings, work, earlier, surroundings, progress)
        return out

    def commit(connection: Connection, results: dict[str, RoundsResult]) -> None:
        for pool_id, result in results.items():
            _keep(connection, bases[pool_id], result, next(i.digest for i in items if i.id == pool_id))

    name = f"{model.provider}/{model.model}" if model else "deterministic"
    report = stages.run(
        cat, stages.Stage(STAGE, CODE_VERSION, name, batch_size=1), items, compute, commit, progress=progress
    )
    report.details |= _after(cat, settings)
    return report


def _gaps(base: Consolidation) -> tuple[Any, ...]:
    return (*base.critical_gaps, *base.optional_gaps)


def _research(
    settings: Settings, work: _Work, earlier: list[ResearchRound], surroundings: Environment, progress: Progress
) -> RoundsResult:
    """Ask the critical questions, then some of the optional ones the web may know."""
    asked = [g for g in work.base.critical_gaps if gaps.researchable(g)]
    asked += [g for g in work.base.optional_gaps if gaps.researchable(g)][:_MOST_WISHES]
    titles = [e.title for e in work.sources]
    context = Context(
        title=work.pool.title,
        scope=work.base.scope,
        terms=tuple(dict.fromkeys([*([work.pool.topic] if work.pool.topic else []), *titles])),
        language=work.pool.language,
        source_texts={e.id: f"{e.title}\n{e.body}" for e in work.sources},
        pool_id=work.pool.id,
    )
    return research.run_rounds(settings, asked, context, earlier=earlier, environment=surroundings, progress=progress)


def _keep(connection: Connection, base: Consolidation, result: RoundsResult, digest: str) -> None:
    table = schema.research_rounds
    for record in result.rounds:
        connection.execute(delete(table).where(table.c.pool_id == base.pool_id, table.c.round == record.round))
        connection.execute(
            insert(table).values(
                pool_id=base.pool_id, round=record.round, outcome=record.outcome, input_digest=digest,
                record=record.model_dump_json(),
            )
        )  # fmt: skip
    if not result.evidence_by_gap:
        return
    for page in result.pages:
        entry = page.to_entry()
        split = passages.split(entry.id, entry.title, entry.body, entry.language)
        entries.put(connection, [entry.model_copy(update={"passages": split})])
    catalogue.bump_generation(connection)
    tables.save_consolidation(connection, with_evidence(base, result), digest)


def with_evidence(base: Consolidation, result: RoundsResult) -> Consolidation:
    """The next version of a fact base: answered gaps with their evidence, and the evidence among its statements."""
    answered = {gap_id: found for gap_id, found in result.evidence_by_gap.items() if found}
    new: list[Statement] = []
    for gap in _gaps(base):
        for e in answered.get(gap.id, ()):
            text, code = _said(e.quote)
            language = languages.detect(text, default=base.language)
            instruction = roles.is_instruction(text, language) or "`" in text
            new.append(
                Statement(
                    role="step" if instruction else "fact", text=text, source_refs=(e.source,), quotes=(" ".join(e.quote.split()),), code=code,
                    language=language, subject=gap.term if gaps.CODE.fullmatch(gap.term) else "", group=f"{e.source}#{gap.id}", order=e.start,
                )
            )  # fmt: skip
    settled = {g.reason.removeprefix(gaps.CONTRADICTION) for g in _gaps(base) if g.id in answered}
    return base.model_copy(
        update={
            "version": base.version + 1,
            "critical_contradictions": tuple(c for c in base.critical_contradictions if c not in settled),
            "statements": tuple(consolidate.merge([*base.statements, *new])),
            "critical_gaps": tuple(g for g in base.critical_gaps if g.id not in answered),
            "optional_gaps": tuple(g for g in base.optional_gaps if g.id not in answered),
            "resolved_gaps": tuple(
                ResolvedGap(gap=g, evidence=tuple(answered[g.id])) for g in _gaps(base) if g.id in answered
            ),
        }
    )


def _said(quote: str) -> tuple[str, str]:
    """(words, code) of a quote: fenced code of one line reads as a code span, a longer one stays a block."""
    fenced = _FENCED.search(quote)
    if fenced is None:
        return " ".join(quote.split()), ""
    lines = [line.strip() for line in fenced[1].splitlines() if line.strip()]
    # A page's own list marks and what follows the code say nothing here.
    before = " ".join(_MARK.sub("", quote[: fenced.start()].strip()).split())
    after = " ".join(quote[fenced.end() :].split())
    if not lines or "```" in after or "~~~" in after:
        return " ".join(quote.split()), ""
    short = len(lines) == 1
    words_said = " ".join(part for part in (before, f"`{lines[0]}`" if short or not before else "", after) if part)
    return words_said, "" if short else fenced[1].strip("\n")


def _forget(connection: Connection, pool_id: str) -> None:
    connection.execute(delete(schema.research_rounds).where(schema.research_rounds.c.pool_id == pool_id))


def _after(cat: Catalogue, settings: Settings) -> dict[str, Any]:
    """Let failed searches be tried again, drop web pages nothing stands on any more, and count outcomes."""
    with cat.begin() as connection:
        table = schema.research_rounds
        rows = list(
            connection.execute(
                select(table.c.pool_id, table.c.round, table.c.outcome).order_by(table.c.pool_id, table.c.round)
            )
        )
        last = {row.pool_id: row.outcome for row in rows}
        stages.forget(connection, STAGE, [i for i, outcome in last.items() if outcome in _TRY_AGAIN])
        used = {ref for base in tables.latest_consolidations(connection).values()
                for s in base.statements for ref in s.source_refs if ref.startswith("web:")}  # fmt: skip
        unused = sorted(set(entries.live_ids(connection, ("web",))) - used)
        if unused:
            entries.tombstone(connection, unused, settings.today)
            catalogue.bump_generation(connection)
        resolved = sum(len(b.resolved_gaps) for b in tables.latest_consolidations(connection).values())
    return {"outcomes": dict(sorted(Counter(row.outcome for row in rows).items())), "resolved_gaps": resolved}
