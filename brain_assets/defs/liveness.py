"""Runs whose process died are ended at once: a run holds a kernel lock while its process lives, and nothing longer."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter

ACTIVE = [DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING]
GRACE_SECONDS = 60.0
"""A run that has not locked its file by then died between its start and its first step."""
_held: dict[str, int] = {}


def folder(instance: DagsterInstance) -> Path:
    return Path(instance.root_directory) / "alive"


def hold(instance: DagsterInstance, run_id: str) -> None:
    """Lock the run's file until this process ends. Steps in processes of their own share the lock."""
    if run_id in _held or instance.is_ephemeral:
        return
    place = folder(instance)
    place.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place / run_id, os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    _held[run_id] = descriptor


def release(instance: DagsterInstance, run_id: str) -> None:
    """Let go of a run that has ended in this process."""
    if (descriptor := _held.pop(run_id, None)) is not None:
        os.close(descriptor)
        (folder(instance) / run_id).unlink(missing_ok=True)


def _is_free(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def reap(instance: DagsterInstance) -> list[str]:
    """End active runs whose process is gone: they become failed and their pool slots free. Returns their ids."""
    ended = []
    for record in instance.get_run_records(RunsFilter(statuses=ACTIVE)):
        run = record.dagster_run
        path = folder(instance) / run.run_id
        if path.exists():
            dead = _is_free(path)
        else:
            dead = time.time() - (record.start_time or record.create_timestamp.timestamp()) > GRACE_SECONDS
        if dead:
            instance.report_run_failed(run, "The process of this run is gone (killed, or the machine stopped).")
            if instance.event_log_storage.supports_global_concurrency_limits:
                instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
            ended.append(run.run_id)
    _sweep(instance)
    return ended


def _sweep(instance: DagsterInstance) -> None:
    """Remove the files of runs that have ended."""
    place = folder(instance)
    names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
    for name in names:
        run = instance.get_run_by_id(name)
        if (run is None or run.is_finished) and _is_free(place / name):
            (place / name).unlink(missing_ok=True)
