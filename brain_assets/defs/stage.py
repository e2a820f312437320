"""How a stage of the pipeline becomes a Dagster asset: run it, measure its checks, tell what it did."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetsDefinition,
    AssetSpec,
    AutomationCondition,
    DataVersion,
    Failure,
    FreshnessPolicy,
    MaterializeResult,
    MetadataValue,
    TableColumn,
    TableSchema,
    multi_asset,
)

from brain_assets import settings as settings_module
from brain_assets.defs import figures, overlap, samples
from brain_assets.defs.resources import BrainResource
from brain_assets.errors import BrainError
from brain_assets.operation import checks, pipeline
from brain_assets.operation.checks import CheckResult
from brain_assets.store import manifest
from brain_assets.store.stages import StageReport

OWNERS = ["team:knowledge"]
MODEL_POOL = "llm_bulk"
"""Stages that may ask a language model share this pool; an interactive `think` never waits for it."""
REREAD_TAG = "brain/reread"
"""Run tag that has every source file read again: the weekly reconcile trusts no file time."""
_DELTAS = {"new": "added", "changed": "changed", "deleted": "deleted", "quarantined": "quarantined"}


def downstream() -> AutomationCondition[Any]:
    """Run again when an input has really changed, never twice for one change, and only when no blocking check failed.

    `eager()` would also fire for the same data version again, and although a blocking check had failed;
    `all_deps_blocking_checks_passed()` would wait for ever for a check that has nothing to measure.
    """
    return (
        AutomationCondition.any_deps_match(AutomationCondition.data_version_changed()).since_last_handled()
        & ~AutomationCondition.in_progress()
        & ~AutomationCondition.any_deps_in_progress()
        & ~AutomationCondition.any_deps_match(
            AutomationCondition.any_checks_match(AutomationCondition.check_failed(), blocking_only=True)
        ).with_label("a_blocking_check_of_an_input_failed")
    )


def stage_asset(
    key: str,
    *,
    group: str,
    kinds: set[str],
    description: str,
    deps: Sequence[str] = (),
    columns: Sequence[TableColumn] = (),
    asks_model: bool = False,
    automation: AutomationCondition[Any] | None = None,
    freshness: FreshnessPolicy | None = None,
) -> AssetsDefinition:
    """The asset of one pipeline stage, with the stage's checks run in the same step.

    It has no retry policy: items are tried again by the stage itself, a crashed run by Dagster; and a policy would
    also "retry" a run that a person has stopped.
    """

    spec = AssetSpec(
        key,
        group_name=group,
        deps=list(deps),
        kinds=kinds,
        owners=OWNERS,
        tags={"brain/group": group, "brain/language_model": "optional" if asks_model else "none"},
        description=description,
        metadata={"dagster/column_schema": TableSchema(columns=list(columns))},
        automation_condition=automation,
        freshness_policy=freshness,
    )

    @multi_asset(
        name=key,
        specs=[spec],
        check_specs=[_check_spec(check) for check in checks.of_asset(key)],
        pool=MODEL_POOL if asks_model else None,
        # A check that has nothing to measure gives no result: Dagster shows it as skipped, neither green nor yellow.
        can_subset=True,
    )
    def run(context: AssetExecutionContext, brain: BrainResource) -> Iterator[Any]:
        with told_as_failure(), brain.writing() as run:
            run.reread = context.run.tags.get(REREAD_TAG) == "true"
            if context.selected_asset_keys:
                yield materialize(key, run)
            else:
                selected = {check.name for check in context.selected_asset_check_keys}
                measured = checks.evaluate(run.cat, run.settings, (key,))
                run.measured[key] = [result for result in measured if result.name in selected]
                yield from check_results(run.measured[key])
            overlap.settle(context, check_results(run.measured[key]))

    return run


def materialize(key: str, run: pipeline.Run) -> MaterializeResult:  # type: ignore[type-arg]
    """Run the stage of an asset and describe the outcome for Dagster."""
    spent = samples.model_use(run.settings)
    with run.cat.read() as connection:
        last_call = samples.last_call(connection)
    report = pipeline.run_stage(key, run)
    calls, tokens = (after - before for after, before in zip(samples.model_use(run.settings), spent, strict=True))
    with run.cat.read() as connection:
        rows = manifest.size(connection, key)
        version = manifest.digest(connection, key)
        sample = samples.markdown(connection, key)
        counted = figures.metadata(connection, key)
        failures = samples.failures(connection, key)
        articles = samples.articles(connection, run.settings) if key == "staged_articles" else {}
        dollars = samples.cost_since(connection, run.settings, last_call)
    metadata: dict[str, Any] = {
        "dagster/row_count": rows,
        **_counts(report),
        "model_calls": calls,
        "model_tokens": tokens,
        "model_cost_usd": "not known: a model has no price in BRAIN_PRICES" if dollars is None else dollars,
        **counted,
        "details": MetadataValue.json(report.details),
        "sample": MetadataValue.md(sample),
        "failures": MetadataValue.md(failures),
        "catalogue": MetadataValue.path(str(run.settings.data_dir / "brain.db")),
    }
    results = checks.evaluate(run.cat, run.settings, (key,))
    run.measured[key] = results
    metadata["checks"] = MetadataValue.md(_checks_told(results))
    metadata |= articles
    return MaterializeResult(
        asset_key=key, metadata=metadata, data_version=DataVersion(version), check_results=check_results(results)
    )


def _checks_told(results: Sequence[CheckResult]) -> str:
    """All checks with their state: also those that had nothing to measure, and why."""
    rows = [(r.name, r.word, r.measured.value, r.limit, r.measured.note) for r in results]
    return samples.table(("check", "state", "value", "limit", ""), rows, widest=240)


def _counts(report: StageReport) -> dict[str, Any]:
    counts: dict[str, Any] = {
        "pending": report.pending, "done": report.done, "reused": report.reused, "failed": report.failed,
        "dead_letters": report.failed + report.parked, "seconds": report.seconds,
    }  # fmt: skip
    counts |= {name: int(report.details[key]) for name, key in _DELTAS.items() if key in report.details}
    if report.stopped:
        counts["stopped"] = report.stopped
    return counts


def _check_spec(check: checks.Check) -> AssetCheckSpec:
    limit = check.limit(settings_module.load())
    return AssetCheckSpec(
        name=check.name,
        asset=check.asset,
        description=f"{check.description} Limit: {limit}. Skipped means not measured; the asset's `checks` say why.",
        blocking=check.blocking,
        metadata={"limit": limit},
    )


def check_results(results: Sequence[CheckResult]) -> list[AssetCheckResult]:
    """The checks that were measured. Not measured is neither passed nor failed: Dagster gets no result for it."""
    return [check_result(result) for result in results if result.measured.state != "not_measured"]


def check_result(result: CheckResult) -> AssetCheckResult:
    """A measured check as Dagster shows it."""
    measured = result.measured
    severe = result.blocking and measured.state == "failed"
    return AssetCheckResult(
        asset_key=result.asset,
        check_name=result.name,
        passed=measured.state == "passed",
        severity=AssetCheckSeverity.ERROR if severe else AssetCheckSeverity.WARN,
        description=_sentence(result),
        metadata={
            "state": measured.state,
            "value": "not measured" if measured.value is None else measured.value,
            "limit": result.limit,
            "examples": MetadataValue.json(list(measured.examples)),
        },
    )


def _sentence(result: CheckResult) -> str:
    measured = result.measured
    value = "" if measured.value is None else f": {measured.value}"
    head = f"{measured.state.replace('_', ' ')}{value} (limit {result.limit})."
    return f"{head} {measured.note}".strip()


@contextmanager
def told_as_failure() -> Iterator[None]:
    """Turn a failure a person can act on into Dagster's, with its remedy."""
    try:
        yield
    except BrainError as error:
        raise Failure(
            description=str(error),
            metadata={"remedy": error.remedy, "exit_code": error.exit_code},
            allow_retries=False,
        ) from error


def acting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate the body of an op: its BrainErrors become Dagster failures with the remedy."""

    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        with told_as_failure():
            return function(*args, **kwargs)

    return inner
