"""The judge that asks a language model, one pair at a time, and believes only what it can quote."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from brain_assets.errors import BudgetExhausted, ModelError
from brain_assets.graph import judge
from brain_assets.graph.quoting import verbatim
from brain_assets.llm.base import LanguageModel
from brain_assets.llm.structured import structured
from brain_assets.model.entry import Entry
from brain_assets.model.graph import Decision, Relation
from brain_assets.store import stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import Item, Progress, digest_of, no_progress

if TYPE_CHECKING:
    from brain_assets.graph.corpus import Corpus

STAGE = "relation_edges.model"
PROMPT_VERSION = "relation-1"
MIN_CONFIDENCE = 0.6
_MAX_CHARS = 3000
_MAX_TOKENS = 500
_MAX_PAIRS = 20_000

Kind = Literal["supports", "depends_on", "contradicts", "same_topic", "duplicates", "supersedes", "part_of", "none"]


class Answer(BaseModel):
    """What the model is asked for."""

    relation: Kind
    direction: Literal["a_to_b", "b_to_a", "none"] = "none"
    confidence: float = Field(ge=0, le=1)
    quote_a: str = ""
    quote_b: str = ""
    reason: str = ""
    missing_evidence: str = ""


SYSTEM = """\
You decide how two entries (A and B) of a team's notes and knowledge base are related. They are German or English.
Relations, read "source … target":
- supports: the source confirms a statement of the target.
- depends_on: the source can only be done or understood with the target (prerequisite, tool, source it was made from).
- contradicts: both speak of the same thing in the same scope, and both cannot be right. Another environment, site, \
group of people, version, a plan, another unit, or a text marked as outdated is NO contradiction.
- duplicates: both say the same, in whatever language.
- supersedes: the source says, or the target says, that the source replaced the target.
- part_of: the source treats one item or section of the target.
- same_topic: same object or question, none of the above.
- none: they only share words.
Give direction a_to_b or b_to_a for directed relations, none otherwise. Copy one sentence from each entry word for \
word into quote_a and quote_b: they must bear the relation. If you find no such sentence, answer none and say in \
missing_evidence what was missing.

Examples:
A: "Der Serverraum wird jeden Freitag gereinigt." B: "Cleaning of the server room: every Monday."
{"relation":"contradicts","direction":"none","confidence":0.9,"quote_a":"Der Serverraum wird jeden Freitag gereinigt.",\
"quote_b":"Cleaning of the server room: every Monday.","reason":"different weekday","missing_evidence":""}
A: "Vor dem Umzug muss die Inventarliste vollständig sein." B: "Inventarliste: So wird sie gepflegt."
{"relation":"depends_on","direction":"a_to_b","confidence":0.85,\
"quote_a":"Vor dem Umzug muss die Inventarliste vollständig sein.",\
"quote_b":"Inventarliste: So wird sie gepflegt.","reason":"the list is a prerequisite","missing_evidence":""}
A: "Test backups are kept for 3 days." B: "Sicherungen der Produktion bleiben 60 Tage."
{"relation":"same_topic","direction":"none","confidence":0.8,"quote_a":"Test backups are kept for 3 days.",\
"quote_b":"Sicherungen der Produktion bleiben 60 Tage.","reason":"other environment","missing_evidence":""}
A: "The coffee machine needs descaling." B: "Die Kaffeekasse wird monatlich geleert."
{"relation":"none","direction":"none","confidence":0.8,"quote_a":"","quote_b":"","reason":"",\
"missing_evidence":"no statement on the same object"}"""


def ask(model: LanguageModel, a: Entry, b: Entry) -> Decision:
    """The model's decision on a pair. An answer without two verbatim quotes, or unsure, is a negative decision.

    Raises ModelError when the model gave no valid answer.
    """
    answer = structured(
        model, system=SYSTEM, data={"A": _text(a), "B": _text(b)}, schema=Answer, max_tokens=_MAX_TOKENS,
        prompt_version=PROMPT_VERSION,
    )  # fmt: skip
    quotes = verbatim(a, answer.quote_a), verbatim(b, answer.quote_b)
    missing = answer.missing_evidence
    related = answer.relation != "none" and answer.confidence >= MIN_CONFIDENCE
    if related and not all(quotes):
        sides = [name for name, quote in (("A", quotes[0]), ("B", quotes[1])) if not quote]
        related, missing = False, f"the quote of {' and '.join(sides)} does not stand in the text"
    elif answer.relation != "none" and not related:
        missing = missing or f"too unsure ({answer.confidence:.2f})"
    turned = answer.direction == "b_to_a"
    source, target = (b, a) if turned else (a, b)
    left, right = (quotes[1], quotes[0]) if turned else quotes
    relation: Relation | None = answer.relation if related and answer.relation != "none" else None
    return Decision(
        source=source.id, target=target.id, source_digest="", target_digest="", judge=f"{model.provider}/{model.model}",
        prompt_version=PROMPT_VERSION, related=related, relation=relation, confidence=round(answer.confidence, 3),
        source_quote=left if related else "", target_quote=right if related else "", reason=answer.reason[:400],
        missing_evidence=missing[:400],
    )  # fmt: skip


def _text(entry: Entry) -> str:
    status = f"\nstatus: {entry.status}" if entry.status else ""
    date = f"\ndate: {entry.date}" if entry.date else ""
    return f"{entry.title}{status}{date}\n\n{entry.body[:_MAX_CHARS]}"


def update(cat: Catalogue, corpus: Corpus, model: LanguageModel, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Ask the model about the pairs the rules found related or nearly so, surest first, within the run's budget.

    What was decided before the budget ended or the run was killed is kept. Returns the counts.
    """
    from brain_assets.graph import relations

    with cat.read() as connection:
        rows = [
            Decision.model_validate_json(row.decision)
            for row in relations.decisions_about(connection, corpus.standing.live)
            if row.judge == judge.JUDGE
        ]
    rows.sort(key=lambda d: (-d.related, -d.confidence, d.source, d.target))
    pairs = {"\x1f".join(relations.pair_of(d)): d for d in rows[:_MAX_PAIRS]}
    items = [Item(name, digest_of(*sorted((d.source_digest, d.target_digest)))) for name, d in pairs.items()]
    stage = stages.Stage(STAGE, PROMPT_VERSION, f"{model.provider}/{model.model}", batch_size=1)
    counts: Counter[str] = Counter()

    def compute(batch: list[Item]) -> dict[str, Decision | Exception]:
        a, b = (corpus.reading(i).entry for i in batch[0].id.split("\x1f"))
        try:
            return {batch[0].id: corpus.stamped(ask(model, a, b))}
        except BudgetExhausted:
            raise
        except ModelError as error:
            return {batch[0].id: error}  # raised, the same pair would be asked all over again in this run

    def commit(connection: Any, results: dict[str, Decision]) -> None:
        for decision in results.values():
            counts["related" if decision.related else "not related"] += 1
            relations.replace_decision(connection, decision)
        relations.project(connection, {end for d in results.values() for end in (d.source, d.target)})

    report = stages.run(cat, stage, items, compute, commit, progress=progress)
    return {
        "pending": report.pending,
        "done": report.done,
        "failed": report.failed,
        "stopped": report.stopped,
        **counts,
    }
