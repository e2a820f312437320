"""Jobs over the assets, and the small ones of a single op: think, learn, housekeeping, approve, reject."""

from enum import Enum
from typing import Any

from dagster import (
    AssetSelection,
    Config,
    Definitions,
    MetadataValue,
    OpExecutionContext,
    define_asset_job,
    in_process_executor,
    job,
    op,
)
from pydantic import Field

from brain_assets.defs import samples
from brain_assets.defs.queue import WRITES_TAG
from brain_assets.defs.resources import BrainResource
from brain_assets.defs.retention import forget_runs
from brain_assets.defs.stage import REREAD_TAG, acting
from brain_assets.operation import pipeline
from brain_assets.operation.pipeline import STAGES, SYNTHESIS

WRITES = {WRITES_TAG: "true"}
"""Run tag of all that hold the writer lock: dagster.yaml lets one of them run at a time and leaves the rest queued."""
INGEST = ("vault_notes", "kb_entries", "search_index")

build = define_asset_job(
    "build",
    AssetSelection.assets(*STAGES),
    description="The whole pipeline, from the vault to staged articles: the same as the command brain build.",
    run_tags=WRITES,
)
ingest = define_asset_job(
    "ingest",
    AssetSelection.assets(*INGEST),
    description="Read what changed in the vault and the KB and make it searchable. The sources sensor requests it.",
    run_tags=WRITES,
)
synthesis = define_asset_job(
    "synthesis",
    AssetSelection.assets(*SYNTHESIS),
    description="From topics to staged articles, with research on the way. Runs every night.",
    run_tags=WRITES,
)
reconcile = define_asset_job(
    "reconcile",
    AssetSelection.assets(*STAGES),
    description="Every source file read again, whatever its time says, and all that follows: nothing that was missed "
    "stays missed. Runs every week.",
    run_tags={**WRITES, REREAD_TAG: "true"},
)


class Language(Enum):
    """Language of an answer. The names are what is typed in the Launchpad."""

    auto = "auto"
    de = "de"
    en = "en"


class ThinkConfig(Config):
    """What to ask."""

    query: str = Field(description="Your question, German or English.", min_length=1, max_length=2000)
    top_n: int = Field(7, ge=1, le=50, description="How many entries to gather as sources.")
    no_llm: bool = Field(False, description="Extract sentences instead of asking a model: no key, no network.")
    stale_days: int = Field(90, ge=0, le=36500, description="Report sources older than this many days as STALE.")
    language: Language = Field(Language.auto, description="Language of the answer; auto is that of the question.")


FIRST_QUESTION = ThinkConfig.model_validate({"query": "How do we restore a backup?"})
"""What the Launchpad opens with."""


@op(
    name="answer",
    description="Gathers sources, answers with citations, verifies them, and reports what is stale, contradictory, "
    "unaddressed or missing. When no model answers it extracts sentences instead.",
    tags={"brain/front_door": "think"},
)
@acting
def answer(context: OpExecutionContext, config: ThinkConfig, brain: BrainResource) -> None:
    from brain_assets.think import think as ask

    result = ask(
        brain.settings(), config.query, top=config.top_n, no_llm=config.no_llm, stale_days=config.stale_days,
        language=config.language.value,
    )  # fmt: skip
    context.add_output_metadata(think_metadata(result.to_json(), result.to_markdown()))


def think_metadata(value: dict[str, Any], text: str) -> dict[str, Any]:
    """An answer as metadata of a run: the Markdown, the sources and gaps as tables, and how it came about."""
    sources = samples.table(
        ("n", "id", "title", "date", "score"),
        [(x["n"], x["id"], x["title"], x["date"], x["score"]) for x in value["sources"]],
        "No source was found.",
    )
    rows = [(kind, _gap_subject(gap), _gap_reason(gap)) for kind, gaps in value["gaps"].items() for gap in gaps]
    tried = ", ".join(f"{a['provider']}: {a['outcome']}" for a in value["attempts"]) or "no model was asked"
    return {
        "query": value["query"],
        "answer": MetadataValue.md(text),
        "sources": MetadataValue.md(sources),
        "gaps": MetadataValue.md(samples.table(("gap", "about", "why"), rows, "No gap was found.", widest=600)),
        "coverage": value["coverage"],
        "mode": value["mode"],
        "degraded": value["mode"] == "extractive" and bool(value["attempts"]),
        "attempts": tried,
        "took_ms": value["took_ms"],
    }


def _gap_subject(gap: dict[str, Any]) -> str:
    return str(gap.get("term") or gap.get("subject") or gap.get("path") or gap.get("id") or "")


def _gap_reason(gap: dict[str, Any]) -> str:
    if "a_quote" in gap:
        return f"{gap['a']}: “{gap['a_quote']}” / {gap['b']}: “{gap['b_quote']}”"
    if "age_days" in gap:
        return f"{gap['age_days']} days old, {gap['severity']}: {gap['reason']}"
    return str(gap.get("reason") or gap.get("suggestion") or ", ".join(gap.get("where", [])))


@job(
    executor_def=in_process_executor,
    config={"ops": {"answer": {"config": FIRST_QUESTION.model_dump(mode="json")}}},
    description="Ask the brain: open the Launchpad, replace the query, launch, and read the answer in the run's "
    "metadata.",
)
def think() -> None:
    answer()


@op(description="Embeds staged articles that have not been learnt yet and offers them for linking.")
@acting
def learn_articles(context: OpExecutionContext, brain: BrainResource) -> None:
    from brain_assets.synthesis import learning

    with brain.writing() as run:
        report = learning.learn(run.cat, run.settings)
    context.add_output_metadata({"done": report.done, "failed": report.failed, "reused": report.reused})


@job(executor_def=in_process_executor, tags=WRITES,
     description="Embed staged articles and let them be linked; the sensor learning requests it.")  # fmt: skip
def learn() -> None:
    learn_articles()


@op(description="Forgets what is old: runs of Dagster's history, the call log, closed contradictions, cached pages.")
@acting
def forget_what_is_old(context: OpExecutionContext, brain: BrainResource) -> None:
    from brain_assets.operation import retention

    with brain.writing() as run:
        forgotten = retention.forget(run.cat, run.settings)
        days = run.settings.history_days
    runs = forget_runs(context.instance, days)
    told = {"calls": forgotten.calls, "files": forgotten.files, "contradictions": forgotten.findings}
    context.add_output_metadata({"runs": runs, **told, "days": days})


@job(executor_def=in_process_executor, tags=WRITES,
     description="Forget what is older than BRAIN_HISTORY_DAYS, so that a year of runs stays small. Runs every day.")  # fmt: skip
def housekeeping() -> None:
    forget_what_is_old()


class ReviewConfig(Config):
    """Which article, and who decides."""

    article_id: str = Field(description="The article's id, KB-AI-THINK-ARTICLE-…", min_length=1, max_length=200)
    who: str = Field(description="Your name, for the review history.", min_length=1, max_length=200)
    why: str = Field("", description="The reason, kept in the history.", max_length=2000)


@op(description="Adds the staged article to the knowledge base folder and records the review.")
@acting
def approve(context: OpExecutionContext, config: ReviewConfig, brain: BrainResource) -> None:
    _review(context, config, brain, "approve")


@op(description="Keeps the article out and remembers why; its pool is not proposed again unless its sources change.")
@acting
def reject(context: OpExecutionContext, config: ReviewConfig, brain: BrainResource) -> None:
    _review(context, config, brain, "reject")


def _review(context: OpExecutionContext, config: ReviewConfig, brain: BrainResource, action: str) -> None:
    from brain_assets.synthesis import review

    with brain.writing() as run:
        getattr(review, action)(run.cat, run.settings, config.article_id, who=config.who, why=config.why)
        pipeline.make_findable(run)
    context.add_output_metadata({"article": config.article_id, "action": action, "who": config.who})


@job(executor_def=in_process_executor, tags=WRITES,
     description="Approve one staged article: it is added to the knowledge base.")  # fmt: skip
def approve_article() -> None:
    approve()


@job(executor_def=in_process_executor, tags=WRITES, description="Reject one staged article.")
def reject_article() -> None:
    reject()


definitions = Definitions(
    jobs=[build, ingest, synthesis, reconcile, think, learn, housekeeping, approve_article, reject_article]
)  # fmt: skip
