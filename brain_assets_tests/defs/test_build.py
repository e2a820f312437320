"""`brain build` through Dagster: recorded, repeatable without work, and honest about what failed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterInstance

from brain_assets import cli
from brain_assets.definitions import defs
from brain_assets.defs import home, liveness, run
from brain_assets.errors import ConfigurationError, LockedError
from brain_assets.operation import checks, pipeline
from brain_assets.operation.checks.base import Measured
from brain_assets.settings import Settings
from brain_assets.store import catalogue, lock, manifest
from brain_assets.store.stages import StageReport
from brain_assets_tests.faults.killing import standing
from brain_assets_tests.operation import brains


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, run.BuildResult, run.BuildResult]]:
    """The small brain built twice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRAIN_VECTOR_SETS", "none")
        patch.setenv("BRAIN_NOW", "2026-12-01")
        patch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
        patch.setenv("SEARXNG_URL", "http://127.0.0.1:9")
        patch.delenv("DAGSTER_HOME", raising=False)
        settings = brains.small(tmp_path_factory.mktemp("built"))
        first = run.build(defs, settings)
        patch.delenv("DAGSTER_HOME")
        yield settings, first, run.build(defs, settings)


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """`home.prepare` sets DAGSTER_HOME for the process; no test may see another's."""
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")


def test_a_build_runs_every_stage_and_keeps_every_blocking_limit(
    built: tuple[Settings, run.BuildResult, run.BuildResult],
) -> None:
    _, first, _ = built
    assert list(first.stages) == list(pipeline.STAGES)
    assert first.stages["vault_notes"] == {"pending": 3, "done": 3, "reused": 0, "failed": 0}
    assert first.exit_code == 0
    assert not first.failures
    assert not first.blocked
    assert {(c.asset, c.name) for c in first.checks} == {(c.asset, c.name) for c in checks.CHECKS}


def test_json_is_as_documented(built: tuple[Settings, run.BuildResult, run.BuildResult]) -> None:
    value = built[1].to_json()
    assert {"stages", "checks", "seconds"} <= value.keys()
    assert all({"asset", "name", "state", "value", "limit"} <= check.keys() for check in value["checks"])
    assert {check["state"] for check in value["checks"]} <= {"passed", "failed", "not_measured"}


def test_a_second_build_does_no_stage_work(built: tuple[Settings, run.BuildResult, run.BuildResult]) -> None:
    _, _, second = built
    assert {name: counts["pending"] + counts["done"] for name, counts in second.stages.items()} == dict.fromkeys(
        pipeline.STAGES, 0
    )


def test_the_home_holds_configuration_and_history(built: tuple[Settings, run.BuildResult, run.BuildResult]) -> None:
    settings, first, _ = built
    folder = settings.dagster_home
    assert (folder / "dagster.yaml").read_text("utf-8") == home.CONFIG.read_text("utf-8")
    with DagsterInstance.from_config(str(folder)) as instance:
        runs = instance.get_runs()
        assert [r.job_name for r in runs] == ["build", "build"]
        assert all(r.is_finished for r in runs)
        assert not list(liveness.folder(instance).iterdir())
        assert not instance.telemetry_enabled
        event = instance.get_latest_materialization_event(AssetKey("vault_notes"))
        assert event is not None
        assert event.asset_materialization is not None
        told = {key: value.value for key, value in event.asset_materialization.metadata.items()}
        assert told["dagster/row_count"] == 3
        assert told["new"] == 0
        assert {
            "pending",
            "done",
            "reused",
            "failed",
            "quarantined",
            "seconds",
            "model_calls",
            "model_tokens",
        } <= told.keys()
        assert len(str(told["sample"]).encode()) <= 4096
        assert "Druckserver" in str(told["sample"])
        with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
            version = manifest.digest(connection, "vault_notes")
        assert event.asset_materialization.tags["dagster/data_version"] == version
    assert first.seconds > 0


def test_select_runs_only_what_is_named(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    result = run.build(defs, settings, select=["kb_entries", "vault_notes"])
    assert list(result.stages) == ["vault_notes", "kb_entries"]
    assert {check.asset for check in result.checks} == {"vault_notes", "kb_entries"}
    with pytest.raises(ConfigurationError, match="no asset named vault"):
        run.build(defs, settings, select=["vault"])


def test_a_failed_blocking_check_stops_what_depends_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(check: checks.Check) -> checks.Check:
        if (check.asset, check.name) != ("vault_notes", "ids_unique"):
            return check
        return replace(check, measure=lambda look: Measured("failed", 2, "two of a kind", ("note:a.md",)))

    monkeypatch.setattr(checks, "CHECKS", tuple(map(broken, checks.CHECKS)))
    result = run.build(defs, brains.small(tmp_path))
    assert result.exit_code == 1
    assert [check.name for check in result.blocked] == ["ids_unique"]
    assert "search_index" in result.skipped
    assert "search_index" not in result.stages
    assert {c.measured.state for c in result.checks if c.asset == "search_index"} == {"not_measured"}


def test_what_misses_a_limit_without_blocking_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")
    settings = brains.small(tmp_path)
    brains.write(settings.vault_dir, {f"{n}.md": "---\ntags: [a\n---\nText.\n" for n in range(4)})
    places = [f"--data-dir={settings.data_dir}", f"--vault={settings.vault_dir}", f"--kb={settings.kb_dir}"]
    assert cli.main(["build", "--select", "vault_notes", *places]) == 0
    told = capsys.readouterr().out
    line = next(line for line in told.splitlines() if "broken_front_matter" in line)
    assert line.split()[2:4] == ["warning", "0.5714"] and "0." in line.split()[4]
    assert re.search(r"\d+ of \d+ checks passed, \d+ warning", told)
    assert cli.main(["build", "--select", "vault_notes", "--json", *places]) == 0
    checks_told = json.loads(capsys.readouterr().out)["checks"]
    states = {check["name"]: (check["state"], check["blocking"]) for check in checks_told}
    assert states["broken_front_matter"] == ("failed", False)


def test_a_stage_that_fails_is_named_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_run: pipeline.Run) -> StageReport:
        raise ValueError("the disk is on fire")

    monkeypatch.setitem(pipeline.STAGES, "search_index", crash)
    result = run.build(defs, brains.small(tmp_path))
    assert result.exit_code == 1
    assert [(f.asset, f.reason) for f in result.failures] == [("search_index", "ValueError: the disk is on fire")]
    assert list(result.stages) == ["vault_notes", "kb_entries"]


def test_a_missing_vault_is_a_configuration_error_told_once(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    shutil.rmtree(settings.vault_dir)
    result = run.build(defs, settings)
    assert result.exit_code == 2
    assert len(result.failures) == 1
    assert str(settings.vault_dir) in result.failures[0].reason


def test_a_second_writer_leaves_before_anything_is_started(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    holds, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.writer(settings):
            holds.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert holds.wait(10)
    try:
        with pytest.raises(LockedError, match="is being written by process"):
            run.build(defs, settings)
    finally:
        done.set()
        thread.join()
    assert not (settings.data_dir / "brain.db").exists()


def test_a_configuration_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    folder = home.prepare(settings)
    (folder / "dagster.yaml").write_text("telemetry:\n  enabled: false\n", encoding="utf-8")
    home.prepare(settings)
    assert (folder / "dagster.yaml").read_text("utf-8") == "telemetry:\n  enabled: false\n"
    (folder / "dagster.yaml").write_text("# Written by brain_assets, an older one\n", encoding="utf-8")
    home.prepare(settings)
    assert (folder / "dagster.yaml").read_text("utf-8") == home.CONFIG.read_text("utf-8")


def test_an_unwritable_home_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(ConfigurationError, match="cannot be written"):
        home.prepare(brains.small(tmp_path))


def test_failed_items_are_shown_and_tried_again_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_assets.store import stages

    def fragile(run_: pipeline.Run) -> StageReport:
        def compute(batch: list[stages.Item]) -> dict[str, object]:
            raise ValueError("nonsense")

        items = [stages.Item("note:Druck.md", "1")]
        return stages.run(run_.cat, stages.Stage("topic_clusters"), items, compute, lambda _c, _r: None)

    monkeypatch.setitem(pipeline.STAGES, "topic_clusters", fragile)
    settings = brains.small(tmp_path)
    for _ in range(3):
        assert run.build(defs, settings).stages["topic_clusters"]["failed"] == 1
    parked = run.build(defs, settings)
    assert parked.stages["topic_clusters"] == {"pending": 0, "done": 0, "reused": 0, "failed": 0}
    with DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        event = instance.get_latest_materialization_event(AssetKey("topic_clusters"))
        assert event is not None
        assert event.asset_materialization is not None
        told = event.asset_materialization.metadata
        assert "note:Druck.md" in str(told["failures"].value)
        assert told["dead_letters"].value == 1
    assert run.build(defs, settings, retry_failed=True).stages["topic_clusters"]["failed"] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [("history/runs.db", b"no database at all, but long enough to be taken for one" * 20),
     ("dagster.yaml", b"storage:\n  nowhere: {}\n")],
)  # fmt: skip
def test_a_broken_home_is_told_with_the_remedy(tmp_path: Path, name: str, content: bytes) -> None:
    settings = brains.small(tmp_path)
    path = settings.dagster_home / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="cannot be used") as caught:
        run.build(defs, settings)
    assert "history" in caught.value.remedy


def test_a_small_vault_is_built_without_noise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from brain_assets import cli

    settings = brains.small(tmp_path)
    places = ["--data-dir", str(settings.data_dir), "--vault", str(settings.vault_dir), "--kb", str(settings.kb_dir)]
    brains.write(settings.vault_dir, {"Neu.md": "Ein Wort nach dem anderen: Etikettendruckerwartungsvertrag.\n"})
    assert cli.main(["build", *places]) == 0
    brains.write(settings.vault_dir, {"Mehr.md": "Kabeltrommelabrechnung, Serverraumklimaanlage, Notstromaggregat.\n"})
    assert cli.main(["build", *places]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.timeout(280)
def test_steps_in_processes_of_their_own_end_in_the_same_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BRAIN_EXECUTOR=multiprocess, as the daemon runs it: every step in its own process, one after another at the lock."""
    plain = brains.small(tmp_path / "plain")
    run.build(defs, plain)
    settings = brains.small(tmp_path / "several")
    place = home.prepare(settings)
    environment = {
        **os.environ, "DAGSTER_HOME": str(place), "BRAIN_EXECUTOR": "multiprocess",
        "BRAIN_DATA_DIR": str(settings.data_dir), "BRAIN_VAULT_DIR": str(settings.vault_dir),
        "BRAIN_KB_DIR": str(settings.kb_dir),
    }  # fmt: skip
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "dagster",
        "job",
        "execute",
        "-m",
        "brain_assets.definitions",
        "-j",
    ]
    done = subprocess.run(
        [*command, "build"], env=environment, capture_output=True, text=True, timeout=270, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert standing(settings) == standing(plain)
    with DagsterInstance.from_config(str(place)) as instance:
        run_id = instance.get_runs()[0].run_id
        events = instance.all_logs(run_id)
        started = [e for e in events if e.dagster_event and e.dagster_event.event_type_value == "STEP_WORKER_STARTED"]
        assert len(started) == len(pipeline.STAGES)
        assert not list(liveness.folder(instance).glob("*")) or liveness.reap(instance) == []
