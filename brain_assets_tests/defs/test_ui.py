"""`brain up` for real: the webserver answers, and `think` is launched through GraphQL as the Launchpad does."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from brain_assets.operation import pipeline
from brain_assets.settings import Settings
from brain_assets.store import lock
from brain_assets_tests.operation import brains

_MAIN = "import sys; from brain_assets.cli import main; sys.exit(main())"
_START_SECONDS = 120.0
_RUN_SECONDS = 90.0
_LAUNCH = """mutation ($p: ExecutionParams!) { launchRun(executionParams: $p) { __typename
  ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  ... on RunConfigValidationInvalid { errors { message } } } }"""
_RUN = """query ($id: ID!) { runOrError(runId: $id) { ... on Run { status eventConnection { events {
  ... on ExecutionStepOutputEvent { metadataEntries { label ... on MarkdownMetadataEntry { mdStr } } } } } } } }"""


class Ui:
    """The GraphQL side of a running UI."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=60, trust_env=False)

    def ask(self, query: str, **variables: Any) -> Any:
        reply = self._client.post("/graphql", json={"query": query, "variables": variables}).json()
        assert "errors" not in reply, reply
        return reply["data"]

    def ready(self) -> bool:
        try:
            return self._client.get("/server_info").status_code == 200
        except httpx.TransportError:
            return False


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.synced(tmp_path_factory.mktemp("ui"))


@pytest.fixture(scope="module")
def ui(brain: Settings) -> Iterator[Ui]:
    settings = brain
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environment = {k: v for k, v in os.environ.items() if k != "DAGSTER_HOME"} | {
        "BRAIN_VECTOR_SETS": "none", "BRAIN_NOW": "2026-12-01", "OLLAMA_HOST": "http://127.0.0.1:9",
        "BRAIN_LOCK_WAIT": "200",
    }  # fmt: skip
    log = (settings.data_dir.parent / "ui.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN, "up", "--port", str(port), "--data-dir", str(settings.data_dir),
         "--vault", str(settings.vault_dir), "--kb", str(settings.kb_dir)],
        env=environment, stdout=log, stderr=log, cwd=settings.data_dir.parent, start_new_session=True,
    )  # fmt: skip
    found = Ui(f"http://127.0.0.1:{port}")
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not found.ready():
            assert time.monotonic() < deadline and process.poll() is None, Path(log.name).read_text("utf-8")[-3000:]
            time.sleep(0.2)
        yield found
    finally:
        process.terminate()
        try:
            process.wait(30)
        finally:
            # Whatever Dagster left behind, in this session of its own only.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            log.close()


def test_the_graph_is_shown(ui: Ui) -> None:
    nodes = ui.ask("{ assetNodes { assetKey { path } groupName description } }")["assetNodes"]
    assert {node["assetKey"]["path"][-1] for node in nodes} == set(pipeline.STAGES)
    assert all(node["description"] for node in nodes)


def test_think_is_launched_and_read(ui: Ui) -> None:
    where = ui.ask("{ repositoriesOrError { ... on RepositoryConnection { nodes { name location { name } } } } }")
    repository = where["repositoriesOrError"]["nodes"][0]
    selector = {
        "repositoryLocationName": repository["location"]["name"], "repositoryName": repository["name"],
        "jobName": "think",
    }  # fmt: skip
    config = {"query": "Wie heißt der Druckserver?", "no_llm": True, "top_n": 3}
    launch = {"selector": selector, "runConfigData": {"ops": {"answer": {"config": config}}}}
    started = time.monotonic()
    launched = ui.ask(_LAUNCH, p=launch)["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    while True:
        run = ui.ask(_RUN, id=launched["run"]["runId"])["runOrError"]
        if run["status"] in ("SUCCESS", "FAILURE", "CANCELED"):
            break
        assert time.monotonic() - started < _RUN_SECONDS, run["status"]
        time.sleep(0.2)
    assert run["status"] == "SUCCESS"
    entries = [entry for event in run["eventConnection"]["events"] for entry in event.get("metadataEntries", [])]
    told = {entry["label"]: entry.get("mdStr") for entry in entries}
    assert "papyrus" in told["answer"]
    assert "Druck.md" in told["sources"]
    assert "stale" in told["gaps"]


def test_what_the_ui_launches_by_itself_takes_its_turn_with_the_writers(ui: Ui) -> None:
    """`Materialize all` launches a job of Dagster's making, which knows nothing of the product's tags."""
    run_id = _launch(ui, _MATERIALIZE)
    query = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { tags { key value } } } }"
    assert {"key": "brain/writes", "value": "true"} in ui.ask(query, id=run_id)["runOrError"]["tags"]


def test_one_writer_runs_the_next_is_queued_and_think_waits_for_neither(ui: Ui, brain: Settings) -> None:
    with lock.writer(brain, wait=60):
        mine = [_launch(ui, _MATERIALIZE) for _ in range(2)]
        deadline = time.monotonic() + _RUN_SECONDS
        while "STARTED" not in (states := _writers(ui)):  # one of mine, or what a sensor has launched before
            assert time.monotonic() < deadline, states
            time.sleep(0.2)
        asked = _launch(ui, {"jobName": "think"}, {"query": "Druckserver", "no_llm": True})
        _until(ui, asked, "SUCCESS")
        states = _writers(ui)
        assert states.count("STARTED") == 1 and states.count("QUEUED") == len(states) - 1 >= 1, states
    for run_id in mine:
        _until(ui, run_id, "SUCCESS")


def _writers(ui: Ui) -> list[str]:
    """The states of the runs that write and have not ended."""
    query = """{ runsOrError(filter: {statuses: [QUEUED, NOT_STARTED, STARTING, STARTED, CANCELING]}) {
      ... on Runs { results { status tags { key } } } } }"""
    runs = ui.ask(query)["runsOrError"]["results"]
    return [run["status"] for run in runs if any(tag["key"] == "brain/writes" for tag in run["tags"])]


_MATERIALIZE = {"jobName": "__ASSET_JOB", "assetSelection": [{"path": ["vault_notes"]}]}


def _launch(ui: Ui, what: dict[str, Any], config: dict[str, Any] | None = None) -> str:
    selector = {"repositoryLocationName": "brain_assets", "repositoryName": "__repository__", **what}
    run_config = {"ops": {"answer": {"config": config}}} if config else {}
    launched = ui.ask(_LAUNCH, p={"selector": selector, "runConfigData": run_config})["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    return str(launched["run"]["runId"])


def _status(ui: Ui, run_id: str) -> str:
    query = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
    return str(ui.ask(query, id=run_id)["runOrError"]["status"])


def _until(ui: Ui, run_id: str, wanted: str) -> None:
    deadline = time.monotonic() + _RUN_SECONDS
    while (status := _status(ui, run_id)) != wanted:
        assert time.monotonic() < deadline and status not in ("FAILURE", "CANCELED"), f"{status}, not {wanted}"
        time.sleep(0.2)


def test_the_launchpad_of_think_is_filled_in(ui: Ui) -> None:
    query = """query ($s: PipelineSelector!) { pipelineOrError(params: $s) { ... on Pipeline {
      presets { name runConfigYaml } } } }"""
    selector = {
        "repositoryLocationName": "brain_assets", "repositoryName": "__repository__", "pipelineName": "think",
    }  # fmt: skip
    presets = ui.ask(query, s=selector)["pipelineOrError"]["presets"]
    assert len(presets) == 1
    for name in ("query", "top_n: 7", "no_llm: false", "stale_days: 90", "language: auto"):
        assert name in presets[0]["runConfigYaml"]


def test_a_config_out_of_type_is_refused(ui: Ui) -> None:
    repository = ui.ask("{ repositoriesOrError { ... on RepositoryConnection { nodes { name location { name } } } } }")[
        "repositoriesOrError"
    ]["nodes"][0]
    selector = {
        "repositoryLocationName": repository["location"]["name"], "repositoryName": repository["name"],
        "jobName": "think",
    }  # fmt: skip
    config = {"ops": {"answer": {"config": {"query": "x", "top_n": "many"}}}}
    refused = ui.ask(_LAUNCH, p={"selector": selector, "runConfigData": config})["launchRun"]
    assert refused["__typename"] == "RunConfigValidationInvalid"
    assert "top_n" in refused["errors"][0]["message"]


def test_sensors_and_schedules_are_on(ui: Ui) -> None:
    query = """{ repositoriesOrError { ... on RepositoryConnection { nodes {
      sensors { name sensorState { status } } schedules { name scheduleState { status } } } } } }"""
    nodes = ui.ask(query)["repositoriesOrError"]["nodes"][0]
    states = {s["name"]: s["sensorState"]["status"] for s in nodes["sensors"]}
    states |= {s["name"]: s["scheduleState"]["status"] for s in nodes["schedules"]}
    assert set(states) == {
        "sources_sensor", "automation", "learning", "failures", "reaper", "nightly_synthesis", "weekly_reconcile",
        "daily_housekeeping",
    }  # fmt: skip
    assert set(states.values()) == {"RUNNING"}
