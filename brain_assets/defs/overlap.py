"""Runs that overlap: the checks of the run that ended last are the ones that are shown.

Dagster shows the check result of the run that was *planned* last. When a run that was planned earlier ends later (it
waited for the writer lock, say), its materialization is the newest, and the checks beside it would be shown as not
evaluated. Such a run reports its results once more, outside of any run, tied to its materialization.
"""

from __future__ import annotations

from collections.abc import Sequence

from dagster import (
    AssetCheckEvaluation,
    AssetCheckKey,
    AssetCheckResult,
    AssetExecutionContext,
    AssetKey,
    MetadataValue,
)
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData


def settle(context: AssetExecutionContext, results: Sequence[AssetCheckResult]) -> None:
    """Report again the results that another run's plan hides. The caller holds the writer lock: runs take turns."""
    keys = {_key(result): result for result in results}
    latest = context.instance.event_log_storage.get_latest_asset_check_execution_by_key(list(keys))
    for key, result in keys.items():
        record = latest.get(key)
        if record is not None and record.run_id != context.run.run_id:
            context.instance.report_runless_asset_event(_evaluation(context, key, result))


def _key(result: AssetCheckResult) -> AssetCheckKey:
    assert result.asset_key is not None and result.check_name is not None
    return AssetCheckKey(result.asset_key, result.check_name)


def _evaluation(context: AssetExecutionContext, key: AssetCheckKey, result: AssetCheckResult) -> AssetCheckEvaluation:
    return AssetCheckEvaluation(
        asset_key=key.asset_key,
        check_name=key.name,
        passed=result.passed,
        metadata={**result.metadata, "run": MetadataValue.dagster_run(context.run.run_id)},
        target_materialization_data=_target(context, key.asset_key),
        severity=result.severity,
        description=result.description,
        blocking=context.assets_def.get_spec_for_check_key(key).blocking,
    )


def _target(context: AssetExecutionContext, asset: AssetKey) -> AssetCheckEvaluationTargetMaterializationData | None:
    records = context.instance.fetch_materializations(asset, limit=1).records
    if not records:
        return None
    newest = records[0]
    return AssetCheckEvaluationTargetMaterializationData(
        run_id=newest.run_id, storage_id=newest.storage_id, timestamp=newest.timestamp
    )
