"""What Dagster is told: complete, documented, and never changed by accident."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any, get_origin

import pytest
from dagster import AssetKey, DagsterInvariantViolationError, Definitions, build_output_context

from brain_assets.definitions import defs, executor
from brain_assets.defs.no_pickle import RefusingIOManager
from brain_assets.model import synthesis as model_synthesis
from brain_assets.model.entry import KBRecord
from brain_assets.operation import checks, pipeline
from brain_assets.store import manifest, schema
from brain_assets_tests.conftest import ROOT
from brain_assets_tests.defs import snapshot

TAKEN = snapshot.take(defs)


def test_definitions_are_loadable() -> None:
    Definitions.validate_loadable(defs)


def test_snapshot_is_unchanged() -> None:
    assert json.loads(snapshot.KEPT.read_text("utf-8")) == TAKEN, (
        "What Dagster is told has changed. If that is intended: python -m brain_assets_tests.defs.snapshot"
    )


def test_the_nine_assets_are_those_of_pipeline_and_manifest() -> None:
    assert list(pipeline.STAGES) == list(manifest.ASSETS)
    assert set(TAKEN["assets"]) == set(pipeline.STAGES)


def test_pipeline_order_follows_the_dependencies() -> None:
    order = list(pipeline.STAGES)
    for name, told in TAKEN["assets"].items():
        for parent in told["deps"]:
            assert order.index(parent) < order.index(name)


@pytest.mark.parametrize("name", list(pipeline.STAGES))
def test_every_asset_is_documented(name: str) -> None:
    told = TAKEN["assets"][name]
    assert told["owners"] == ["team:knowledge"]
    assert told["kinds"]
    assert told["tags"]["brain/group"] == told["group"]
    assert len(told["description"]) > 150
    assert told["columns"]
    assert all(text for _, text in told["columns"].values())


@pytest.mark.parametrize("name", list(pipeline.STAGES))
def test_columns_have_the_types_of_the_catalogue(name: str) -> None:
    """What a table of the catalogue or a model has under that name is of the type the UI tells."""
    known: dict[str, str] = {}
    for model in (KBRecord, model_synthesis.Consolidation, model_synthesis.ResearchRound, model_synthesis.Article):
        fields = {field: _plain(info.annotation) for field, info in model.model_fields.items()}
        known |= {field: kind for field, kind in fields.items() if kind}
    for table in (schema.entries, schema.edges, schema.topics, schema.research_rounds, schema.articles):
        known |= {c.name: _SQL[str(c.type)] for c in table.columns if not (c.doc or "").startswith("JSON")}
    told = {column: kind for column, (kind, _) in TAKEN["assets"][name]["columns"].items()}
    for column in told.keys() & known.keys():
        assert told[column].split(" ")[0] == known[column], column


_SQL = {"VARCHAR": "string", "TEXT": "string", "DATE": "date", "FLOAT": "float", "INTEGER": "integer",
        "BOOLEAN": "boolean", "BLOB": "bytes"}  # fmt: skip


def _plain(annotation: Any) -> str | None:
    """How the UI calls a field's type; None for what is a model of its own."""
    names = {str: "string", float: "float", int: "integer", bool: "boolean", dt.date: "date", tuple: "list"}
    return names.get(get_origin(annotation) or annotation)


def test_groups() -> None:
    assert {t["group"] for t in TAKEN["assets"].values()} == {
        "ingest", "retrieval", "graph", "synthesis", "research", "publish",
    }  # fmt: skip


def test_automation_is_on_what_follows_ingest_only() -> None:
    automated = {name for name, told in TAKEN["assets"].items() if told["automation"]}
    assert automated == {"search_index", "embeddings", "relation_edges", "topic_clusters"}


def test_every_check_is_told_with_its_limit() -> None:
    assert len(TAKEN["checks"]) == len(checks.CHECKS)
    for check in checks.CHECKS:
        told = TAKEN["checks"][f"{check.asset}: {check.name}"]
        assert told["blocking"] == check.blocking
        assert "Limit: " in told["description"]


def test_every_asset_has_a_blocking_check() -> None:
    for name in pipeline.STAGES:
        assert any(check.blocking for check in checks.of_asset(name)), name


_DAEMON_LOOP = 5
"""Seconds between two rounds of Dagster's sensor daemon."""


def test_sensors_and_schedules_run_from_the_first_start() -> None:
    for told in (*TAKEN["sensors"].values(), *TAKEN["schedules"].values()):
        assert told["status"] == "RUNNING"
        assert told["description"]
    assert TAKEN["sensors"]["sources_sensor"]["interval"] <= 30 - _DAEMON_LOOP, "its description says 30"
    assert TAKEN["sensors"]["reaper"]["interval"] <= 20, "two looks within a minute, late ones too"
    assert TAKEN["sensors"]["automation"]["interval"] == 30


def test_jobs_that_write_are_queued_one_at_a_time_and_think_is_not() -> None:
    for name, told in TAKEN["jobs"].items():
        assert told["description"]
        assert (told["tags"].get("brain/writes") == "true") == (name != "think"), name


def test_pools_are_for_model_calls_only() -> None:
    for name, told in TAKEN["assets"].items():
        assert told["pools"] == (["llm_bulk"] if told["tags"]["brain/language_model"] == "optional" else []), name


def test_executor_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert executor().name == "in_process"
    monkeypatch.setenv("BRAIN_EXECUTOR", "multiprocess")
    assert executor().name == "multiprocess"


def test_nothing_is_pickled() -> None:
    manager = RefusingIOManager()
    context = build_output_context(step_key="some_step", asset_key=AssetKey("x"))
    manager.handle_output(context, None)
    with pytest.raises(DagsterInvariantViolationError, match="some_step returned a dict"):
        manager.handle_output(context, {"a": 1})


def test_the_project_shows_the_configuration_that_is_shipped() -> None:
    assert (ROOT / "dagster.yaml").read_text("utf-8") == (ROOT / "brain_assets/defs/dagster.yaml").read_text("utf-8")
    shipped = (ROOT / "brain_assets/defs/workspace.yaml").read_text("utf-8")
    assert (ROOT / "workspace.yaml").read_text("utf-8") == shipped
    assert "brain_assets.definitions" in shipped
    assert "location_name: brain_assets" in shipped
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert "[tool.dagster]" not in project
    assert "[tool.dg]" not in project
