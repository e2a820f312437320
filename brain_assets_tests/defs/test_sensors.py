"""Sensors and automation: what they notice, what they ask for, and what they leave alone."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from dagster import (
    AssetCheckEvaluation,
    AssetCheckSeverity,
    AssetKey,
    AssetMaterialization,
    DagsterInstance,
    DagsterRunStatus,
    SensorResult,
    SkipReason,
    build_run_status_sensor_context,
    build_sensor_context,
    evaluate_automation_conditions,
)
from dagster._core.test_utils import create_run_for_test

from brain_assets.definitions import defs
from brain_assets.defs import liveness, sensors
from brain_assets.defs.resources import BrainResource
from brain_assets.operation import checks, watching
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "QUIET_SECONDS", 0.01)


def _resource(settings: Settings) -> BrainResource:
    return BrainResource(
        data_dir=str(settings.data_dir), vault_dir=str(settings.vault_dir), kb_dir=str(settings.kb_dir)
    )


def _tick(settings: Settings, instance: DagsterInstance, cursor: str | None) -> SensorResult | SkipReason:
    context = build_sensor_context(instance=instance, cursor=cursor, resources={"brain": _resource(settings)})
    result = sensors.sources_sensor(context)
    assert isinstance(result, SensorResult | SkipReason)
    return result


def _cursor(result: SensorResult | SkipReason) -> str:
    assert isinstance(result, SensorResult)
    assert len(result.run_requests or []) == 1
    assert result.cursor is not None
    return result.cursor


def test_new_edited_renamed_and_deleted_files_ask_for_one_ingest_each(tmp_path: Path) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    cursor = _cursor(_tick(settings, instance, None))
    assert isinstance(_tick(settings, instance, cursor), SkipReason)
    note = settings.vault_dir / "New.md"
    changes = (
        lambda: note.write_text("new", encoding="utf-8"),
        lambda: note.write_text("edited", encoding="utf-8"),
        lambda: note.rename(settings.vault_dir / "Moved.md"),
        lambda: (settings.vault_dir / "Moved.md").unlink(),
        lambda: (settings.kb_dir / "KB-2.json").write_text("{}", encoding="utf-8"),
    )
    for change in changes:
        change()
        following = _cursor(_tick(settings, instance, cursor))
        assert following != cursor
        assert isinstance(_tick(settings, instance, following), SkipReason)
        cursor = following


def test_files_that_are_no_source_do_not_count(tmp_path: Path) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    cursor = _cursor(_tick(settings, instance, None))
    brains.write(settings.vault_dir, {".obsidian/workspace.json": "{}", "picture.png": "", ".trash/old.md": "old"})
    assert isinstance(_tick(settings, instance, cursor), SkipReason)


def test_a_lost_cursor_costs_one_look(tmp_path: Path) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    cursor = _cursor(_tick(settings, instance, None))
    again = _tick(settings, instance, None)
    assert _cursor(again) == cursor
    garbage = _tick(settings, instance, "not a fingerprint")
    assert _cursor(garbage) == cursor


def test_never_two_ingests_at_a_time(tmp_path: Path) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    run = create_run_for_test(instance, job_name="ingest", status=DagsterRunStatus.STARTED)
    waiting = _tick(settings, instance, None)
    assert isinstance(waiting, SkipReason)
    assert "queued or running" in str(waiting.skip_message)
    instance.report_run_failed(run)
    assert _cursor(_tick(settings, instance, None))


def test_a_failed_ingest_is_tried_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    cursor = _cursor(_tick(settings, instance, None))
    run = create_run_for_test(
        instance, job_name="ingest", status=DagsterRunStatus.STARTED, tags={sensors.SOURCES_TAG: cursor[:12]}
    )
    instance.report_run_failed(run)
    assert isinstance(_tick(settings, instance, cursor), SkipReason)
    monkeypatch.setattr(sensors, "RETRY_AFTER", dt.timedelta(0))
    assert _cursor(_tick(settings, instance, cursor)) == cursor


def test_a_missing_vault_is_told_and_breaks_nothing(tmp_path: Path) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    cursor = _cursor(_tick(settings, instance, None))
    settings.vault_dir.rename(tmp_path / "elsewhere")
    assert _cursor(_tick(settings, instance, cursor)) != cursor


class _Automation:
    """A brain's events as Dagster sees them: materializations with a data version, and blocking checks."""

    def __init__(self) -> None:
        self.instance = DagsterInstance.ephemeral()
        self.cursor: Any = None

    def made(self, asset: str, version: str, passed: bool = True) -> None:
        self.instance.report_runless_asset_event(AssetMaterialization(asset, tags={"dagster/data_version": version}))
        for check in checks.of_asset(asset):
            if check.blocking:
                self.instance.report_runless_asset_event(
                    AssetCheckEvaluation(
                        asset_key=AssetKey(asset), check_name=check.name, passed=passed,
                        severity=AssetCheckSeverity.ERROR, metadata={},
                    )
                )  # fmt: skip

    def requested(self) -> set[str]:
        result = evaluate_automation_conditions(defs=defs, instance=self.instance, cursor=self.cursor)
        self.cursor = result.cursor
        keys = {r.key for r in result.results if r.true_subset.size}
        return {key.to_user_string() for key in keys if not hasattr(key, "name")}


def test_automation_follows_changed_data_once_and_only_past_passed_checks() -> None:
    brain = _Automation()
    for asset in ("vault_notes", "kb_entries", "search_index", "embeddings", "relation_edges", "topic_clusters"):
        brain.made(asset, "1")
    brain.requested()
    assert brain.requested() == set()
    brain.made("vault_notes", "1")
    assert brain.requested() == set(), "the same data version again is no change"
    brain.made("vault_notes", "2")
    assert {"search_index", "embeddings"} <= brain.requested()
    brain.made("search_index", "2")
    brain.made("embeddings", "2")
    assert brain.requested() == {"relation_edges"}
    brain.made("relation_edges", "1")
    assert brain.requested() == set(), "unchanged edges end the chain"
    brain.made("vault_notes", "3", passed=False)
    assert brain.requested() == set(), "a failed blocking check stops what follows"
    brain.made("vault_notes", "3", passed=True)
    assert {"search_index", "embeddings"} <= brain.requested()


def test_learning_skips_without_a_brain_and_without_articles(tmp_path: Path) -> None:
    settings, instance = brains.small(tmp_path), DagsterInstance.ephemeral()
    context = build_sensor_context(instance=instance, resources={"brain": _resource(settings)})
    none_yet = sensors.learning(context)
    assert isinstance(none_yet, SkipReason)
    assert "brain sync" in str(none_yet.skip_message)
    brains.synced(tmp_path / "synced")
    settings = brains.small(tmp_path / "synced")
    context = build_sensor_context(instance=instance, resources={"brain": _resource(settings)})
    assert "learnt" in str(sensors.learning(context).skip_message)


def test_the_learning_switch_is_honoured(tmp_path: Path) -> None:
    from brain_assets.store import catalogue
    from brain_assets.synthesis import learning

    settings = brains.synced(tmp_path)
    with catalogue.open(settings) as cat:
        learning.off(cat)
    context = build_sensor_context(instance=DagsterInstance.ephemeral(), resources={"brain": _resource(settings)})
    assert "off" in str(sensors.learning(context).skip_message)


class _Hook(BaseHTTPRequestHandler):
    bodies: list[dict[str, str]] = []
    status = 204

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def _failure_context(instance: DagsterInstance) -> Any:
    run = create_run_for_test(instance, job_name="ingest", status=DagsterRunStatus.STARTED)
    instance.report_run_failed(run, "the vault is gone")
    event = instance.all_logs(run.run_id)[-1].dagster_event
    assert event is not None
    return build_run_status_sensor_context(
        sensor_name="failures", dagster_instance=instance, dagster_run=run, dagster_event=event
    ).for_run_failure()


def test_a_failed_run_is_told_to_the_webhook(monkeypatch: pytest.MonkeyPatch) -> None:
    server = HTTPServer(("127.0.0.1", 0), _Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        monkeypatch.setenv("BRAIN_FAILURE_WEBHOOK", f"http://127.0.0.1:{server.server_port}/token-1234")
        _Hook.bodies.clear()
        sensors.failures(_failure_context(DagsterInstance.ephemeral()))
        assert [b["job"] for b in _Hook.bodies] == ["ingest"]
        assert "the vault is gone" in _Hook.bodies[0]["reason"]
    finally:
        server.shutdown()
        server.server_close()


def test_a_dead_webhook_is_told_without_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_FAILURE_WEBHOOK", "http://127.0.0.1:9/token-1234")
    with pytest.raises(Exception, match="could not be reached") as caught:
        sensors.failures(_failure_context(DagsterInstance.ephemeral()))
    assert "token-1234" not in repr(caught.value)
    assert caught.value.__cause__ is None or "token-1234" not in repr(caught.value.__cause__)


def test_without_a_webhook_nothing_is_told() -> None:
    result = sensors.failures(_failure_context(DagsterInstance.ephemeral()))
    assert result is None or isinstance(result, SkipReason)


_HOLD = """
import sys, time
from dagster import DagsterInstance
from brain_assets.defs import liveness
with DagsterInstance.from_config(sys.argv[1]) as instance:
    liveness.hold(instance, sys.argv[2])
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_run_is_ended_and_a_living_one_is_not(tmp_path: Path) -> None:
    with DagsterInstance.local_temp(str(tmp_path)) as instance:
        run = create_run_for_test(instance, job_name="build", status=DagsterRunStatus.STARTED)
        (tmp_path / "dagster.yaml").touch()
        holder = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(tmp_path), run.run_id], stdout=subprocess.PIPE, env=dict(os.environ)
        )
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline().strip() == b"held"
            assert liveness.reap(instance) == []
        finally:
            holder.kill()
            holder.wait()
        assert liveness.reap(instance) == [run.run_id]
        ended = instance.get_run_by_id(run.run_id)
        assert ended is not None
        assert ended.status == DagsterRunStatus.FAILURE
        assert not list(liveness.folder(instance).iterdir())
        assert liveness.reap(instance) == []


def test_a_run_that_died_before_its_first_step_is_ended_after_a_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DagsterInstance.local_temp(str(tmp_path)) as instance:
        run = create_run_for_test(instance, job_name="build", status=DagsterRunStatus.STARTED)
        assert liveness.reap(instance) == []
        monkeypatch.setattr(liveness, "GRACE_SECONDS", -1.0)
        assert liveness.reap(instance) == [run.run_id]
