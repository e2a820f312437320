"""Runs that overlap, and checks that have nothing to measure: what the UI reads is true all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from dagster import AssetCheckKey, AssetKey, AssetSelection, DagsterInstance, DagsterRun
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run
from dagster._core.loader import LoadingContext
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecord

from brain_assets.definitions import defs
from brain_assets.defs.resources import run_config
from brain_assets.operation import checks
from brain_assets.operation.checks.base import Measured, not_measured
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains

FRONT_MATTER = AssetCheckKey(AssetKey("vault_notes"), "broken_front_matter")
UNIQUE = AssetCheckKey(AssetKey("vault_notes"), "ids_unique")


class _Look(LoadingContext):
    """What the UI's resolvers read an instance through."""

    def __init__(self, instance: DagsterInstance) -> None:
        self._instance = instance
        self._loaders: dict[object, object] = {}

    @property
    def instance(self) -> DagsterInstance:
        return self._instance

    @property
    def loaders(self) -> dict[object, object]:  # type: ignore[override]
        return self._loaders


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return brains.small(tmp_path)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    with DagsterInstance.local_temp(str(tmp_path)) as found:
        yield found


def _plan(instance: DagsterInstance, settings: Settings) -> tuple[InMemoryJob, DagsterRun]:
    """A run of vault_notes, created and not yet executed: its checks are planned now."""
    job = defs.resolve_job_def("build").get_subset(asset_selection={AssetKey("vault_notes")})
    run = instance.create_run_for_job(
        job, run_config=run_config(settings), asset_selection=frozenset({AssetKey("vault_notes")})
    )
    return InMemoryJob(job), run


def _shown(instance: DagsterInstance, key: AssetCheckKey) -> str | None:
    """The state the UI shows for the newest materialization; None is `Not evaluated`."""

    async def ask() -> str | None:
        look = _Look(instance)
        record = await AssetCheckExecutionRecord.gen(look, key)
        if record is None or not await record.targets_latest_materialization(look):
            return None
        return (await record.resolve_status(look)).value

    return asyncio.run(ask())


def test_the_run_that_ends_last_is_the_one_shown(instance: DagsterInstance, settings: Settings) -> None:
    planned_first = _plan(instance, settings)
    planned_last = _plan(instance, settings)
    assert execute_run(*planned_last, instance).success
    assert _shown(instance, FRONT_MATTER) == "SUCCEEDED"
    (settings.vault_dir / "broken.md").write_text("---\ntitle: a: b: c\n---\nText.\n", encoding="utf-8")
    assert execute_run(*planned_first, instance).success
    assert _shown(instance, FRONT_MATTER) == "FAILED", "the newest materialization holds the broken note"
    assert _shown(instance, UNIQUE) == "SUCCEEDED"
    again = _plan(instance, settings)
    assert execute_run(*again, instance).success
    assert _shown(instance, UNIQUE) == "SUCCEEDED"


def test_what_is_not_measured_is_neither_passed_nor_failed(
    instance: DagsterInstance, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle(check: checks.Check) -> checks.Check:
        if check.name != "broken_front_matter":
            return check
        return replace(check, measure=lambda look: not_measured("There is no note yet."))

    monkeypatch.setattr(checks, "CHECKS", tuple(map(idle, checks.CHECKS)))
    assert execute_run(*_plan(instance, settings), instance).success
    assert _shown(instance, FRONT_MATTER) == "SKIPPED"
    assert _shown(instance, UNIQUE) == "SUCCEEDED"
    event = instance.get_latest_materialization_event(AssetKey("vault_notes"))
    assert event is not None and event.asset_materialization is not None
    told = str(event.asset_materialization.metadata["checks"].value)
    assert "| broken\\_front\\_matter | not measured |" in told.replace(
        "broken_front_matter", "broken\\_front\\_matter"
    )
    assert "There is no note yet." in told


def test_a_failed_blocking_check_is_shown_whatever_was_planned_when(
    instance: DagsterInstance, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned_first = _plan(instance, settings)
    assert execute_run(*_plan(instance, settings), instance).success

    def broken(check: checks.Check) -> checks.Check:
        if (check.asset, check.name) != ("vault_notes", "ids_unique"):
            return check
        return replace(check, measure=lambda look: Measured("failed", 2, "two of a kind", ("note:a.md",)))

    monkeypatch.setattr(checks, "CHECKS", tuple(map(broken, checks.CHECKS)))
    assert not execute_run(*planned_first, instance, raise_on_error=False).success
    assert _shown(instance, UNIQUE) == "FAILED"


def test_checks_can_be_measured_without_the_stage(instance: DagsterInstance, settings: Settings) -> None:
    assert execute_run(*_plan(instance, settings), instance).success
    job = defs.resolve_implicit_global_asset_job_def()
    selected = AssetSelection.checks(FRONT_MATTER).resolve_checks(defs.resolve_asset_graph())
    before = instance.get_latest_materialization_event(AssetKey("vault_notes"))
    (settings.vault_dir / "New.md").write_text("A new note.\n", encoding="utf-8")
    done = job.get_subset(asset_selection=set(), asset_check_selection=selected).execute_in_process(
        run_config=run_config(settings), instance=instance
    )
    assert done.success
    assert [e.check_name for e in done.get_asset_check_evaluations()] == ["broken_front_matter"]
    assert instance.get_latest_materialization_event(AssetKey("vault_notes")) == before
