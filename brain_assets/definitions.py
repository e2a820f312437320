"""The Dagster code location: everything in `defs/`, merged into one Definitions object."""

from __future__ import annotations

from dagster import Definitions, Executor, ExecutorDefinition, in_process_executor, multiprocess_executor

from brain_assets import settings
from brain_assets.defs import (
    graph,
    ingest,
    jobs,
    publish,
    research,
    resources,
    retrieval,
    schedules,
    sensors,
    synthesis,
)
from brain_assets.defs.no_pickle import RefusingIOManager


def executor() -> ExecutorDefinition | Executor:
    """Steps run in the run's process; BRAIN_EXECUTOR=multiprocess gives each its own, from a warm forkserver."""
    if settings.load().executor == "in_process":
        return in_process_executor
    warm = {"forkserver": {"preload_modules": ["brain_assets.definitions"]}}
    return multiprocess_executor.configured({"start_method": warm, "max_concurrent": 2})


defs = Definitions.merge(
    ingest.definitions,
    retrieval.definitions,
    graph.definitions,
    synthesis.definitions,
    research.definitions,
    publish.definitions,
    jobs.definitions,
    sensors.definitions,
    schedules.definitions,
    Definitions(
        resources={"brain": resources.BrainResource(), "io_manager": RefusingIOManager()},
        executor=executor(),
    ),
)
