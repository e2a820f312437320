"""A run whose process is killed under a living daemon is failed, and its pool slot freed, within a minute.

`pytest -s -m slow brain_assets_tests/faults/test_reaper.py` prints how long that took.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain_assets.defs.stage import MODEL_POOL
from brain_assets.settings import Settings
from brain_assets.store import lock
from brain_assets_tests.browser import ui as ui_module
from brain_assets_tests.browser.ui import Ui
from brain_assets_tests.operation import brains

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

KILLS = 3
LIMIT_SECONDS = 60.0
_LAUNCH = """mutation ($p: ExecutionParams!) { launchRun(executionParams: $p) { ... on LaunchRunSuccess { run { runId } }
  ... on PythonError { message } } }"""
_RUN = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
_SENSORS = (
    """{ repositoriesOrError { ... on RepositoryConnection { nodes { sensors { name sensorState { id } } } } } }"""
)
_SLOTS = "query ($key: String!) { instance { concurrencyLimit(concurrencyKey: $key) { claimedSlots { runId } } } }"


def _launch(ui: Ui) -> str:
    selector = {"repositoryLocationName": "brain_assets", "repositoryName": "__repository__", "jobName": "__ASSET_JOB",
                "assetSelection": [{"path": ["relation_edges"]}]}  # fmt: skip
    tags = [{"key": "dagster/max_retries", "value": "0"}]
    started = ui.ask(_LAUNCH, p={"selector": selector, "runConfigData": {}, "executionMetadata": {"tags": tags}})
    return str(started["launchRun"]["run"]["runId"])


def _holders(ui: Ui) -> list[str]:
    slots = ui.ask(_SLOTS, key=MODEL_POOL)["instance"]["concurrencyLimit"]["claimedSlots"]
    return [slot["runId"] for slot in slots]


def _stop_automation(ui: Ui) -> None:
    """No run of its own making may stand in the queue before those of the test."""
    nodes = ui.ask(_SENSORS)["repositoriesOrError"]["nodes"][0]["sensors"]
    (state,) = [sensor["sensorState"]["id"] for sensor in nodes if sensor["name"] == "automation"]
    stopped = ui.ask("mutation ($id: String) { stopSensor(id: $id) { __typename } }", id=state)
    assert stopped["stopSensor"]["__typename"] == "StopSensorMutationResult"


def _active(ui: Ui) -> int:
    query = "{ runsOrError(filter: {statuses: [QUEUED, NOT_STARTED, STARTING, STARTED]}) { ... on Runs { count } } }"
    return int(ui.ask(query)["runsOrError"]["count"])


def _process(settings: Settings, run_id: str) -> int | None:
    """The process that holds a run's file open: the run's own."""
    wanted = str(settings.dagster_home / "alive" / run_id)
    for each in Path("/proc").iterdir():
        try:
            if each.name.isdecimal() and any(str(fd.readlink()) == wanted for fd in (each / "fd").iterdir()):
                return int(each.name)
        except OSError:  # it has ended, or is not ours
            continue
    return None


def _until(what: str, holds: Callable[[], Any], seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.25)
    return found


def test_a_killed_run_is_failed_and_its_slot_free_within_a_minute(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    environment = {
        "BRAIN_VAULT_DIR": str(settings.vault_dir), "BRAIN_KB_DIR": str(settings.kb_dir), "BRAIN_NOW": "2026-12-01",
        "BRAIN_DATA_DIR": str(settings.data_dir), "BRAIN_VECTOR_SETS": "none", "BRAIN_LOCK_WAIT": "500",
        "BRAIN_SECRETS_DIR": "/nonexistent-secrets", "OLLAMA_HOST": "http://127.0.0.1:9",
    }  # fmt: skip
    seconds = []
    with ui_module.running(tmp_path, environment) as ui:
        ui.wait_until_ready()
        _stop_automation(ui)
        _until("the first look at the sources", lambda: ui.ended("ingest") and not _active(ui), 120.0)
        with lock.writer(settings, wait=60):  # the stage stays where it is: in its step, with its slot
            for _ in range(KILLS):
                run_id = _launch(ui)
                _until("the run to hold the slot", lambda: run_id in _holders(ui), 120.0)  # noqa: B023
                process = _until("the run's process", lambda: _process(settings, run_id), 60.0)  # noqa: B023
                assert ui.ask(_RUN, id=run_id)["runOrError"]["status"] == "STARTED"
                os.kill(process, signal.SIGKILL)
                killed = time.monotonic()
                assert ui.finished(run_id, LIMIT_SECONDS) == "FAILURE"
                _until("the slot to be free", lambda: run_id not in _holders(ui), LIMIT_SECONDS)  # noqa: B023
                seconds.append(time.monotonic() - killed)
        run_id = _launch(ui)
        assert ui.finished(run_id, 120.0) == "SUCCESS", "the next run goes through"
    print(f"failed, and the slot free, after {', '.join(f'{s:.1f}' for s in seconds)} s")
    assert max(seconds) < LIMIT_SECONDS
