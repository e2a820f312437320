"""Research rounds: open questions → searches → pages → assessed, verbatim evidence; the rest goes to the next round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from brain_assets.model.synthesis import Evidence, GapQuestion, ResearchRound
from brain_assets.research.page import WebPage
from brain_assets.settings import Settings

Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress of a caller that wants none."""


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about the thing that has gaps: enough to ask precisely and to judge answers.

    `terms` are its characteristic words (topic label, product names), most important first; `source_texts` the full
    texts of its sources by entry id, which say the products, versions and facts an answer has to fit.
    """

    title: str
    scope: str = ""
    terms: tuple[str, ...] = ()
    language: str = "de"
    source_texts: Mapping[str, str] = field(default_factory=dict)
    pool_id: str = ""


@dataclass(frozen=True, slots=True)
class Environment:
    """What a round works with. `provider` None means that nothing can be searched; `unavailable` says why in words.

    `model` None takes the deterministic path everywhere.
    """

    provider: Any = None
    fetcher: Any = None
    model: Any = None
    pages: Any = None
    unavailable: str = ""


@dataclass(frozen=True, slots=True)
class RoundsResult:
    """The new rounds (those of `earlier` are not repeated), accepted evidence by gap id, and the pages it stands on.

    A gap with evidence is answered; one without stays open. `pages` has every page that bears accepted evidence, in
    order of first use; `page.to_entry()` makes the `web:` entry.
    """

    rounds: tuple[ResearchRound, ...] = ()
    evidence_by_gap: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    pages: tuple[WebPage, ...] = ()


def environment(settings: Settings) -> Environment:
    """The production environment: SearXNG, safe fetching, page cache, and the reasoning model if there is one."""
    if not settings.research_enabled:
        return Environment(unavailable="Research is switched off (BRAIN_RESEARCH_ENABLED=false).")
    return Environment(unavailable=f"SearXNG at {settings.searxng_url} is not reachable.")


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
    """Research the critical ones of `gaps` until they are answered or `max_rounds` rounds have searched.

    `earlier` are the rounds already recorded for this pool: their queries are not repeated, and those that searched
    count against `max_rounds` (default BRAIN_ARTICLE_RESEARCH_ROUNDS). When nothing can be searched the result is one
    round with outcome `disabled` or `unavailable` and the reason; without open gaps there is no round at all.
    """
    open_gaps = [gap for gap in gaps if gap.critical]
    if not open_gaps:
        return RoundsResult()
    ids = tuple(gap.id for gap in open_gaps)
    outcome = "unavailable" if settings.research_enabled else "disabled"
    return RoundsResult(
        rounds=(
            ResearchRound(
                pool_id=context.pool_id,
                round=1 + max((r.round for r in earlier), default=0),
                outcome=outcome,
                reason=environment.unavailable,
                questions=tuple(gap.question for gap in open_gaps),
                gaps_before=ids,
                gaps_after=ids,
            ),
        )
    )
