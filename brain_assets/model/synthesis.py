"""Source pools, consolidations, research rounds and articles (DESIGN §8)."""

from __future__ import annotations

from typing import Literal

from brain_assets.model.entry import Frozen, KBRecord

PoolDecision = Literal["create", "update", "merge", "skip"]
ArticleType = Literal["troubleshooting", "how_to", "reference", "concept", "decision_guide"]
ArticleState = Literal["staged", "approved", "rejected", "superseded"]
StatementRole = Literal["fact", "symptom", "prerequisite", "step", "validation", "error_handling"]


class Pool(Frozen):
    """Sources that belong together, from a confirmed relation outward. Internal.

    `twins` are pairs of sources the judge called duplicates: the same told twice, often in two languages.
    """

    id: str
    title: str
    sources: tuple[str, ...]
    source_digests: dict[str, str]
    production_share: float
    depth: int
    decision: PoolDecision
    target: str | None = None
    reason: str = ""
    topic: str | None = None
    language: str = "de"
    style: str = "formal"
    twins: tuple[tuple[str, str], ...] = ()


class Statement(Frozen):
    """One statement of a fact base: its words, the sources that bear it, and the verbatim quote of each.

    `subject` says what it is about where its words alone do not (label, heading or title above it); `code` is the
    fenced code that belongs to it; `group` holds together what one list or labelled paragraph says, `order` is its
    place in there (numbered steps count from 1), `kind` its form (sentence, item, step, row), `labelled` that the
    subject is its own label. `disputed` statements are kept and never reach an article: another
    entry says otherwise and nobody has decided.
    """

    role: StatementRole
    text: str
    source_refs: tuple[str, ...]
    quotes: tuple[str, ...]
    language: str = "de"
    subject: str = ""
    code: str = ""
    group: str = ""
    order: int = 0
    kind: str = "sentence"
    labelled: bool = False
    disputed: bool = False

    @property
    def whole(self) -> str:
        """The statement as it can be read alone: subject, colon, words."""
        return f"{self.subject}: {self.text}" if self.subject else self.text


class GapQuestion(Frozen):
    """An open point of a fact base. Only critical ones force research and block the article."""

    id: str
    question: str
    critical: bool
    reason: str = ""
    term: str = ""


class Evidence(Frozen):
    """A verbatim quote of a fetched page, with its offsets into the stored page text.

    `source` is the page's entry id (`web:` + 16 hex digits of `digest`), `digest` the SHA-256 of the stored text
    (`evidence/DIGEST.txt`), `gap_id` the gap it answers. Whatever it says stays of untrusted origin.
    """

    source: str
    url: str
    quote: str
    start: int
    end: int
    relevance: float
    quality: float
    gap_id: str = ""
    question_id: str = ""
    digest: str = ""
    title: str = ""
    published: str | None = None
    source_class: str = ""
    assessor: str = "deterministic"
    reason: str = ""


class ResolvedGap(Frozen):
    gap: GapQuestion
    evidence: tuple[Evidence, ...]


class Consolidation(Frozen):
    """The fact base of one pool. Version 1 by `consolidations`, the next ones by `research_rounds`.

    `left_out` counts the pieces of the sources that state nothing, by reason; `dropped_statements` those whose quote is
    not in the source.
    """

    pool_id: str
    version: int
    scope: str
    language: str
    statements: tuple[Statement, ...]
    contradictions: tuple[str, ...] = ()
    critical_contradictions: tuple[str, ...] = ()
    critical_gaps: tuple[GapQuestion, ...] = ()
    optional_gaps: tuple[GapQuestion, ...] = ()
    resolved_gaps: tuple[ResolvedGap, ...] = ()
    research_queries: tuple[str, ...] = ()
    dropped_statements: int = 0
    left_out: dict[str, int] = {}
    author: str = "deterministic"


RoundOutcome = Literal["searched", "search_failed", "unavailable", "disabled", "nothing_open"]


class ResearchRound(Frozen):
    """One round of one consolidation, with everything it did and why.

    Only `searched` counts against the round limit: the other outcomes are tried again on the next run. `seconds` is
    wall-clock; leave it out of digests.
    """

    pool_id: str
    round: int
    outcome: RoundOutcome
    reason: str = ""
    questions: tuple[str, ...] = ()
    queries: tuple[dict[str, str], ...] = ()
    hits: tuple[dict[str, object], ...] = ()
    fetches: tuple[dict[str, object], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gaps_before: tuple[str, ...] = ()
    gaps_after: tuple[str, ...] = ()
    bytes_fetched: int = 0
    seconds: float = 0.0


class QualityCheck(Frozen):
    """One limit of the quality gate: the value that was measured, the limit, and whether it held."""

    name: str
    passed: bool
    value: float | str
    limit: float | str


class Article(Frozen):
    """A staged article: the KB record as its reader will see it, and everything internal beside it."""

    id: str
    version: int
    pool_id: str
    record: KBRecord
    type: ArticleType
    decision: PoolDecision
    target: str | None
    confidence: float
    sources: tuple[str, ...]
    state: ArticleState = "staged"
    quality: tuple[QualityCheck, ...] = ()
