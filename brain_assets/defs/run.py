"""`brain build`: the asset graph run by Dagster in this process, recorded in the home the UI reads."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dagster import AssetKey, DagsterEvent, DagsterEventType, Definitions
from dagster._core.storage.tags import MAX_RETRIES_TAG

from brain_assets.defs import history, home, liveness
from brain_assets.defs.resources import lend, run_config
from brain_assets.defs.retention import forget_runs
from brain_assets.errors import ConfigurationError
from brain_assets.operation import checks, pipeline, retention
from brain_assets.operation.checks import CheckResult
from brain_assets.settings import Settings
from brain_assets.store.stages import Progress, no_progress

_COUNTS = ("pending", "done", "reused", "failed")


@dataclass(frozen=True)
class StepFailure:
    """An asset that failed, or was not reached: why, what to do, and the exit code it stands for."""

    asset: str
    reason: str
    exit_code: int = 1


@dataclass
class BuildResult:
    """What a build did. `stages` holds the counts of each asset that was materialized."""

    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    checks: list[CheckResult] = field(default_factory=list)
    failures: list[StepFailure] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def blocked(self) -> list[CheckResult]:
        return [result for result in self.checks if result.blocks]

    @property
    def exit_code(self) -> int:
        if self.failures:
            return max(failure.exit_code for failure in self.failures)
        return 1 if self.blocked or self.skipped else 0

    def to_json(self) -> dict[str, Any]:
        """The shape of `brain build --json`."""
        return {
            "stages": self.stages,
            "checks": [result.to_json() for result in self.checks],
            "seconds": self.seconds,
            "failures": [{"asset": f.asset, "reason": f.reason} for f in self.failures],
            "skipped": self.skipped,
        }


def build(
    definitions: Definitions,
    settings: Settings,
    *,
    select: Sequence[str] = (),
    wait: float = 0.0,
    allow_mass_delete: bool = False,
    retry_failed: bool = False,
    progress: Progress = no_progress,
) -> BuildResult:
    """Materialize the assets (all, or those selected) in their order and measure their checks.

    Items that have failed three times are left out until they change, or until `retry_failed`.

    Raises LockedError, NewerCatalogueError or ConfigurationError before anything is started, KeyboardInterrupt when a
    person stops it.
    """
    started = time.monotonic()
    wanted = [name for name in pipeline.STAGES if not select or name in select]
    if unknown := sorted(set(select) - pipeline.STAGES.keys()):
        raise ConfigurationError(
            f"There is no asset named {', '.join(unknown)}.", f"The assets are: {', '.join(pipeline.STAGES)}."
        )
    place = home.prepare(settings)
    _silence()
    with pipeline.writing(settings, wait=wait, progress=progress, allow_mass_delete=allow_mass_delete) as run:
        if retry_failed:
            pipeline.retry_failed(run)
        with history.quick(place), home.instance(place) as instance, lend(run):
            liveness.reap(instance)
            done = definitions.resolve_job_def("build").execute_in_process(
                instance=instance,
                asset_selection=[AssetKey(name) for name in wanted],
                run_config=run_config(settings),
                tags={MAX_RETRIES_TAG: "0"},
                raise_on_error=False,
            )
            liveness.release(instance, done.run_id)
            retention.forget(run.cat, settings)
            forget_runs(instance, settings.history_days)
        if _interrupted(done.all_events):
            raise KeyboardInterrupt
        result = _read(wanted, done.all_events)
        result.checks = [r for name in wanted for r in run.measured.get(name) or checks.unreached(name, settings)]
    result.seconds = round(time.monotonic() - started, 3)
    return result


def _read(wanted: Sequence[str], events: Sequence[DagsterEvent]) -> BuildResult:
    result = BuildResult()
    failed: set[str] = set()
    for event in events:
        if event.event_type == DagsterEventType.ASSET_MATERIALIZATION and event.asset_key is not None:
            metadata = event.materialization.metadata
            result.stages[event.asset_key.path[-1]] = {name: int(str(metadata[name].value)) for name in _COUNTS}
        elif event.event_type == DagsterEventType.STEP_FAILURE and event.step_key is not None:
            failed.add(event.step_key)
            result.failures.append(_failure(event, event.step_key))
        elif event.event_type == DagsterEventType.STEP_SKIPPED and event.step_key is not None:
            result.skipped.append(event.step_key)
    result.failures = [f for f in result.failures if f.asset not in result.stages]
    result.skipped += [n for n in wanted if n not in result.stages and n not in failed and n not in result.skipped]
    result.stages = {name: result.stages[name] for name in wanted if name in result.stages}
    return result


def _interrupted(events: Sequence[DagsterEvent]) -> bool:
    """Whether a person has stopped the run (Dagster turns that into failures of its own)."""
    for event in events:
        data = event.event_specific_data
        error = getattr(data, "error", None)
        if error is not None and error.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt"):
            return True
    return False


def _failure(event: DagsterEvent, asset: str) -> StepFailure:
    data = event.step_failure_data
    told = data.user_failure_data
    if told is not None:
        code = told.metadata.get("exit_code") if told.metadata else None
        return StepFailure(asset, told.description or "failed", int(str(code.value)) if code is not None else 1)
    error = data.error
    while error is not None and error.cause is not None:
        error = error.cause
    return StepFailure(asset, error.message.strip() if error is not None else "failed")


def _silence() -> None:
    """Dagster's own lines are for its log; ours go to the person. Warnings about beta parameters are not theirs."""
    for name in ("dagster", "dagster._core.execution.plan.active"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="dagster")
