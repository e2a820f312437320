"""The queue of runs: whoever launches a run that writes, it takes its turn with the others.

The product's jobs carry the tag `brain/writes` of their own. "Materialize all" and the like in the UI launch a job of
Dagster's making, which carries none: it gets the tag when it is queued. dagster.yaml names this class.
"""

from __future__ import annotations

from dagster import DagsterRun, QueuedRunCoordinator
from dagster._core.run_coordinator.base import SubmitRunContext

WRITES_TAG = "brain/writes"
READERS = frozenset({"think"})
"""Jobs that only read: they never wait for a writer."""


class OneWriterRunCoordinator(QueuedRunCoordinator):
    """Dagster's queue; every run of a job that is no reader is tagged as a writer, so that one of them runs at a time."""

    def submit_run(self, context: SubmitRunContext) -> DagsterRun:
        run = context.dagster_run
        if run.job_name not in READERS and WRITES_TAG not in run.tags:
            self._instance.add_run_tags(run.run_id, {WRITES_TAG: "true"})
        return super().submit_run(context)
