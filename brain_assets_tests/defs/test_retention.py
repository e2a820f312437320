"""What grows by itself is forgotten in time, and nothing that is still needed is."""

from __future__ import annotations

import datetime as dt
import importlib.util
import json
import time
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterInstance
from sqlalchemy import func, insert, select

from brain_assets.definitions import defs
from brain_assets.defs import retention as runs
from brain_assets.defs import run
from brain_assets.operation import pipeline, retention
from brain_assets.store import catalogue, schema
from brain_assets_tests.conftest import ROOT
from brain_assets_tests.operation import brains


def _llm_call(at: str) -> dict[str, object]:
    return {"run_id": "r", "at": at, "purpose": "think", "provider": "p", "model": "m", "prompt_version": "think/1",
            "input_tokens": 1, "output_tokens": 1, "ms": 1, "outcome": "ok"}  # fmt: skip


def test_call_log_and_cached_pages_are_forgotten_when_old(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    used, unused, fresh = "a" * 64, "b" * 64, "c" * 64
    for digest, on in ((used, "2026-01-01"), (unused, "2026-01-01"), (fresh, "2026-11-30")):
        page = json.dumps({"on": on, "url": "https://x", "page": {"digest": digest}})
        brains.write(settings.evidence_dir, {f"{digest}.txt": "text", f"digests/{digest[:32]}.json": page,
                                             f"pages/{digest[:32]}.json": page})  # fmt: skip
    brains.write(settings.evidence_dir, {"searches/old.json": '{"on": "2026-11-30"}', "searches/broken.json": "{",
                                         "searches/today.json": '{"on": "2026-12-08"}'})  # fmt: skip
    with catalogue.open(settings) as cat:
        with cat.begin() as connection:
            connection.execute(
                insert(schema.llm_calls),
                [_llm_call("2026-08-01T00:00:00+00:00"), _llm_call("2026-11-01T00:00:00+00:00")],
            )
            record = json.dumps({"evidence": [{"page": used}]})
            connection.execute(
                insert(schema.research_rounds).values(
                    pool_id="p", round=1, outcome="searched", input_digest="", record=record
                )
            )
        later = settings.model_copy(update={"now": dt.date(2026, 12, 8)})
        forgotten = retention.forget(cat, later)
        assert retention.forget(cat, later) == retention.Forgotten(0, 0)
        with cat.read() as connection:
            assert list(connection.execute(select(schema.llm_calls.c.at)).scalars()) == ["2026-11-01T00:00:00+00:00"]
    assert forgotten.calls == 1
    left = {path.relative_to(settings.evidence_dir).as_posix() for path in settings.evidence_dir.rglob("*.*")}
    kept = {f"{d}.txt" for d in (used, fresh)} | {
        f"{k}/{d[:32]}.json" for k in ("pages", "digests") for d in (used, fresh)
    }
    assert left == kept | {"searches/today.json"}


def test_old_runs_are_forgotten_and_the_assets_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    settings = brains.small(tmp_path)
    for _ in range(3):
        run.build(defs, settings)
    run.build(defs, settings, select=["vault_notes"])
    with DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        ids = [r.dagster_run.run_id for r in instance.get_run_records(ascending=True)]
        assert len(ids) == 4
        before = _materialized(instance)
        assert runs.forget_runs(instance, 1) == 0
        now = time.time()
        monkeypatch.setattr(runs.time, "time", lambda: now + 2 * 86_400)
        assert runs.forget_runs(instance, 1) == 2, "the newest full run and the newest of vault_notes are needed"
        assert [r.dagster_run.run_id for r in instance.get_run_records(ascending=True)] == ids[2:]
        assert _materialized(instance) == before
        shards = {path.stem for path in (settings.dagster_home / "history" / "runs").glob("*.db")}
        assert shards & set(ids) == set(ids[2:])
        assert runs.forget_runs(instance, 1) == 0


def _materialized(instance: DagsterInstance) -> dict[str, object]:
    events = {name: instance.get_latest_materialization_event(AssetKey(name)) for name in pipeline.STAGES}
    return {name: (event.run_id, event.timestamp) for name, event in events.items() if event is not None}


def test_nightly_builds_stay_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten nights of which three are kept (400 nights of which 90 are kept: benchmarks/retention.py)."""
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("BRAIN_NOW", "2026-01-01")
    module = importlib.util.spec_from_file_location("retention_benchmark", ROOT / "benchmarks" / "retention.py")
    assert module is not None and module.loader is not None
    benchmark = importlib.util.module_from_spec(module)
    module.loader.exec_module(benchmark)
    left = []
    for _night, settings in benchmark.simulate(tmp_path, 10, 3, ("vault_notes", "kb_entries")):
        with DagsterInstance.from_config(str(settings.dagster_home)) as instance:
            left.append(instance.get_runs_count())
    assert left == [1, 2, 3, 3, 3, 3, 3, 3, 3, 3]
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        assert connection.execute(select(func.count()).select_from(schema.llm_calls)).scalar_one() <= 20 * 4
        dead = select(func.count()).select_from(schema.entries).where(schema.entries.c.deleted_on.is_not(None))
        assert connection.execute(dead).scalar_one() <= 4
    shards = list((settings.dagster_home / "history" / "runs").glob("*-*.db"))
    assert len(shards) == 3
