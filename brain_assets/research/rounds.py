"""Research rounds: open questions → searches → pages → assessed, verbatim evidence; the rest goes to the next round.

A round is what was asked, found, chosen, read and judged, with its reasons. At most BRAIN_ARTICLE_RESEARCH_ROUNDS
rounds search for one subject; a round in which no search succeeded does not count and is made again on the next run.
Killed in the middle, the next run repeats no search and no fetch of the same day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from brain_assets.errors import ConfigurationError
from brain_assets.model.synthesis import Evidence, GapQuestion, ResearchRound
from brain_assets.research import assess, one_round, questions, urls
from brain_assets.research.one_round import Desk, Findings
from brain_assets.research.page import WebPage
from brain_assets.research.pages import Pages
from brain_assets.research.questions import Question
from brain_assets.research.searxng import SearchProvider, SearXNG
from brain_assets.research.transport import Network
from brain_assets.settings import Settings

if TYPE_CHECKING:
    from brain_assets.llm.base import LanguageModel

Progress = Callable[[str, int, int], None]
Background = Callable[[Sequence[str]], Sequence[str]]
QUOTES_PER_QUESTION = 4
_OUTDATED = ("veraltet", "überholt", "archiviert", "deprecated", "obsolete", "outdated", "archived", "superseded")

network: Callable[[], Network] = Network
"""Makes the way out of the production environment. Tests put a factory here whose Network has a resolver, a dial
function and an authority injected through its constructor; there is no setting for that."""


def silent(what: str, done: int, total: int) -> None:
    """The progress of a caller that wants none."""


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about the thing that has gaps: enough to ask precisely and to judge answers.

    `terms` are its characteristic words (topic label, titles, product names), most important first; `source_texts`
    the full texts of its sources by entry id, which say the products, versions and facts an answer has to fit.
    """

    title: str
    scope: str = ""
    terms: tuple[str, ...] = ()
    language: str = "de"
    source_texts: Mapping[str, str] = field(default_factory=dict)
    pool_id: str = ""


@dataclass(frozen=True, slots=True)
class Environment:
    """What rounds work with. `provider` None means that nothing can be searched; `unavailable` says why in words.

    `model` None takes the deterministic path everywhere. `pages` reads and keeps pages. `background` gives texts of
    the brain that mention product names: they may state the version in use where a subject's own sources do not.
    """

    provider: SearchProvider | None = None
    pages: Pages | None = None
    model: LanguageModel | None = None
    unavailable: str = ""
    background: Background | None = None


@dataclass(frozen=True, slots=True)
class RoundsResult:
    """The new rounds (those of `earlier` are not repeated), accepted evidence by gap id, and the pages it stands on.

    A gap with evidence is answered, in these rounds or in earlier ones; one without stays open. `pages` has every
    page that bears such evidence, in order of first use; `page.to_entry()` makes the `web:` entry.
    """

    rounds: tuple[ResearchRound, ...] = ()
    evidence_by_gap: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    pages: tuple[WebPage, ...] = ()


def environment(settings: Settings, *, model: LanguageModel | None = None) -> Environment:
    """The production environment: SearXNG if it answers, safe fetching, the page store, the brain as background."""
    from brain_assets.research.fetch import Fetcher

    if not settings.research_enabled:
        return Environment(unavailable="Research is switched off (BRAIN_RESEARCH_ENABLED=false).")
    try:
        provider = SearXNG(settings, network())
    except ConfigurationError as error:
        return Environment(unavailable=str(error))
    if reason := provider.ready():
        return Environment(unavailable=reason)
    pages = Pages(settings, Fetcher(settings, network()))
    return Environment(provider=provider, pages=pages, model=model, background=_brain(settings))


def _brain(settings: Settings) -> Background:
    """Texts of the brain that mention one of some names; empty while there is no brain."""

    def mention(names: Sequence[str]) -> Sequence[str]:
        from sqlalchemy import or_, select

        from brain_assets.errors import BrainError
        from brain_assets.store import catalogue, schema

        if not names:
            return ()
        table = schema.entries
        named = or_(*(table.c.body.icontains(name, autoescape=True) for name in names))
        query = select(table.c.title, table.c.body).where(
            table.c.deleted_on.is_(None), table.c.kind.in_(("note", "kb")), named,
            or_(table.c.status.is_(None), table.c.status.not_in(_OUTDATED)),
        ).order_by(table.c.id)  # fmt: skip
        try:
            with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
                return [f"{row.title}\n{row.body}" for row in connection.execute(query)]
        except BrainError:
            return ()

    return mention


@dataclass(slots=True)
class _Progressing:
    """Rounds so far: evidence and answered questions, new rounds, and what has been asked and read."""

    asked: list[Question]
    evidence: list[Evidence]
    pages: dict[str, WebPage]
    used: list[str]
    read: set[str]
    counted: int
    rounds: list[ResearchRound] = field(default_factory=list)

    def open_questions(self) -> list[Question]:
        _, answered = one_round.settle(self.asked, self.evidence, QUOTES_PER_QUESTION)
        return [question for question in self.asked if question.id not in answered]

    def open_gaps(self) -> tuple[str, ...]:
        closed, _ = one_round.settle(self.asked, self.evidence, QUOTES_PER_QUESTION)
        return tuple(g for g in dict.fromkeys(q.gap_id for q in self.asked) if g not in closed)


def run_rounds(
    settings: Settings,
    gaps: Sequence[GapQuestion],
    context: Context,
    *,
    earlier: Sequence[ResearchRound] = (),
    max_rounds: int | None = None,
    environment: Environment,
    progress: Progress = silent,
) -> RoundsResult:
    """Research `gaps`, critical ones first, until they are answered or `max_rounds` rounds have searched.

    `earlier` are the rounds recorded for this subject: their queries and pages are not repeated, their evidence holds
    as long as its page is stored and has the quote, and those that searched count against `max_rounds` (default
    BRAIN_ARTICLE_RESEARCH_ROUNDS). A round that could not search (`disabled`, `unavailable`, `search_failed`) has the
    number of the round it stands for and is replaced by it later. Without gaps there is no round.
    """
    wanted = sorted(gaps, key=lambda gap: not gap.critical)
    if not wanted:
        return RoundsResult()
    about, asked = _understood(wanted, context, environment)
    state = _resumed(settings, asked, earlier, environment.pages)
    limit = settings.article_research_rounds if max_rounds is None else max_rounds
    if environment.provider is None or environment.pages is None:
        if state.open_gaps() and state.counted < limit:
            state.rounds.append(_not_searched(settings, context, state, environment))
        return _result(state)
    desk = Desk(
        settings, environment.provider, environment.pages, environment.model, about, context.source_texts, progress
    )
    while state.counted < limit and (still := state.open_questions()):
        planned = _planned(desk, still, state, context)
        if not planned:
            break
        findings = one_round.run(desk, still, planned, state.read)
        record = _recorded(context, state, still, findings)
        state.rounds.append(record)
        if record.outcome != "searched":
            break
    return _result(state)


def _understood(
    wanted: Sequence[GapQuestion], context: Context, environment: Environment
) -> tuple[questions.Subject, list[Question]]:
    texts = list(context.source_texts.values())
    about = questions.subject(context.title, context.terms, texts, wanted)
    asked = [question for gap in wanted for question in questions.split(gap, about, texts)]
    if environment.background is not None:
        # Names without a version here may have one elsewhere in the brain, which also shows that they are products.
        possible = questions.possible_names(context.title, context.terms, texts, wanted)
        wider = questions.widened(about, possible, environment.background([*about.names, *possible]))
        if wider != about:
            about, asked = wider, [q for gap in wanted for q in questions.split(gap, wider, texts)]
    return about, asked


def _resumed(
    settings: Settings, asked: list[Question], earlier: Sequence[ResearchRound], pages: Pages | None
) -> _Progressing:
    """Where earlier rounds left off. Evidence counts only while its stored page still has the quote."""
    from brain_assets.research.pages import Store

    store = pages.store if pages is not None else Store(settings)
    ids = {question.id for question in asked}
    evidence: list[Evidence] = []
    found: dict[str, WebPage] = {}
    for record in earlier:
        for item in record.evidence:
            page = found.get(item.digest) or store.page_of(item.digest)
            if item.question_id in ids and page is not None and assess.verified(item, page.text):
                found[item.digest] = replace(page, source_class=item.source_class)
                evidence.append(item)
    searched = [record for record in earlier if record.outcome == "searched"]
    used = [query["query"] for record in searched for query in record.queries if query.get("outcome") == "ok"]
    read = {
        urls.normalise(str(fetch["url"]))
        for record in searched
        for fetch in record.fetches
        if fetch["outcome"] == "read"
    }
    return _Progressing(asked, evidence, found, used, read, len(searched))


def _planned(
    desk: Desk, still: list[Question], state: _Progressing, context: Context
) -> list[tuple[Question, str, str]]:
    if desk.model is not None:
        still = questions.with_proposals(still, one_round.proposals(desk.model, still, context.title))
    variant = min(state.counted, questions.VARIANTS - 1)
    budget = desk.settings.article_max_research_queries
    return questions.plan(still, state.used, budget, first_variant=variant)


def _recorded(context: Context, state: _Progressing, still: Sequence[Question], findings: Findings) -> ResearchRound:
    """Take a round's findings into the state and make its record."""
    before = state.open_gaps()
    state.evidence.extend(findings.evidence)
    for page_digest, page in findings.pages.items():
        state.pages.setdefault(page_digest, page)
    state.used.extend(query["query"] for query in findings.queries if query["outcome"] == "ok")
    state.read.update(urls.normalise(str(f["url"])) for f in findings.fetches if f["outcome"] == "read")
    number = state.counted + 1
    searched = findings.searched > 0
    if searched:
        state.counted += 1
    return ResearchRound(
        pool_id=context.pool_id,
        round=number,
        outcome="searched" if searched else "search_failed",
        reason=findings.reason,
        questions=tuple(question.text for question in still),
        queries=tuple(findings.queries),
        hits=tuple(findings.hits),
        fetches=tuple(findings.fetches),
        evidence=tuple(findings.evidence),
        gaps_before=before,
        gaps_after=state.open_gaps(),
        bytes_fetched=findings.bytes_fetched,
        seconds=findings.seconds,
    )


def _not_searched(settings: Settings, context: Context, state: _Progressing, environment: Environment) -> ResearchRound:
    open_gaps = state.open_gaps()
    return ResearchRound(
        pool_id=context.pool_id,
        round=state.counted + 1,
        outcome="unavailable" if settings.research_enabled else "disabled",
        reason=environment.unavailable,
        questions=tuple(question.text for question in state.open_questions()),
        gaps_before=open_gaps,
        gaps_after=open_gaps,
    )


def _result(state: _Progressing) -> RoundsResult:
    closed, _ = one_round.settle(state.asked, state.evidence, QUOTES_PER_QUESTION)
    digests = dict.fromkeys(e.digest for found in closed.values() for e in found)
    return RoundsResult(tuple(state.rounds), closed, tuple(state.pages[d] for d in digests))
