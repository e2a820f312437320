"""Old runs leave Dagster's history: their rows, their event file, and the check results only they tell of.

Dagster keeps every run for ever. What the UI needs to show the assets as they are is spared: the runs of the newest
materializations, and the newest result of each check.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from dagster import AssetKey, DagsterInstance, DagsterRunStatus, RunsFilter
from dagster._core.storage.event_log import SqlEventLogStorage
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable as CheckRows
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from sqlalchemy import delete, func, select

from brain_assets.operation.pipeline import STAGES

_FINISHED = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
_MOST = 500
"""Runs that are forgotten at once at most: the rest has its turn the next day."""


def forget_runs(instance: DagsterInstance, days: int) -> int:
    """Forget finished runs that nothing has happened to for `days` days; returns how many."""
    before = datetime.fromtimestamp(time.time() - days * 86_400, UTC)
    records = instance.get_run_records(
        RunsFilter(statuses=_FINISHED, updated_before=before), limit=_MOST, ascending=True
    )
    spared = _spared(instance) if records else set()
    forgotten = [record.dagster_run.run_id for record in records if record.dagster_run.run_id not in spared]
    for run_id in forgotten:
        instance.delete_run(run_id)
        _remove_shard(instance, run_id)
    if forgotten:
        _forget_checks(instance, before)
    return len(forgotten)


def _spared(instance: DagsterInstance) -> set[str]:
    events = (instance.get_latest_materialization_event(AssetKey(name)) for name in STAGES)
    return {event.run_id for event in events if event is not None}


def _remove_shard(instance: DagsterInstance, run_id: str) -> None:
    """The default storage has one file for each run, which deleting its events leaves empty."""
    storage = instance.event_log_storage
    if isinstance(storage, SqliteEventLogStorage):
        shard = Path(storage.path_for_shard(run_id))
        for suffix in ("", "-wal", "-shm"):
            shard.with_name(shard.name + suffix).unlink(missing_ok=True)


def _forget_checks(instance: DagsterInstance, before: datetime) -> None:
    storage = instance.event_log_storage
    if not isinstance(storage, SqlEventLogStorage):
        return
    newest = select(func.max(CheckRows.c.id)).group_by(CheckRows.c.asset_key, CheckRows.c.check_name)
    old = CheckRows.c.create_timestamp < before.replace(tzinfo=None)
    with storage.index_connection() as connection:
        connection.execute(delete(CheckRows).where(old, CheckRows.c.id.not_in(newest.scalar_subquery())))
