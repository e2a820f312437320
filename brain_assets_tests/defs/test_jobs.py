"""Jobs of a single op, with their typed configs: think, learn, approve, reject."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance, DagsterInvalidConfigError, ExecuteInProcessResult

from brain_assets.definitions import defs
from brain_assets.defs import jobs
from brain_assets.defs.resources import run_config
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "none")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.synced(tmp_path_factory.mktemp("jobs"))


def _run(settings: Settings, job: str, op: str | None = None, **config: Any) -> ExecuteInProcessResult:
    ops = {"ops": {op: {"config": config}}} if op else {}
    return defs.resolve_job_def(job).execute_in_process(
        run_config=run_config(settings) | ops, instance=DagsterInstance.ephemeral(), raise_on_error=False
    )


def _told(result: ExecuteInProcessResult, op: str) -> dict[str, Any]:
    event = next(e for e in result.all_events if e.event_type_value == "STEP_OUTPUT" and e.step_key == op)
    return {key: value.value for key, value in event.step_output_data.metadata.items()}


def _failure(result: ExecuteInProcessResult) -> str:
    failures = [e for e in result.all_events if e.event_type_value == "STEP_FAILURE"]
    data = failures[0].step_failure_data
    return str(data.user_failure_data.description if data.user_failure_data else data.error.message)


def test_think_shows_answer_sources_and_gaps(settings: Settings) -> None:
    result = _run(settings, "think", "answer", query="Wie heißt der Druckserver?", top_n=3)
    assert result.success
    told = _told(result, "answer")
    assert "papyrus" in str(told["answer"])
    assert "Druck.md" in str(told["sources"])
    assert "stale" in str(told["gaps"])
    assert told["mode"] == "extractive"
    assert told["degraded"] is True, "models were asked and none answered"
    assert "no_key" in str(told["attempts"])


def test_think_without_models_is_not_degraded(settings: Settings) -> None:
    told = _told(_run(settings, "think", "answer", query="Druckserver", no_llm=True, language="en"), "answer")
    assert told["degraded"] is False
    assert told["attempts"] == "no model was asked"


@pytest.mark.parametrize(
    "config",
    [{}, {"query": ""}, {"query": "x", "top_n": 0}, {"query": "x", "top_n": 51}, {"query": "x", "stale_days": -1},
     {"query": "x", "language": "fr"}, {"query": "x", "flavour": "sweet"}],
)  # fmt: skip
def test_think_refuses_configs_out_of_bounds(settings: Settings, config: dict[str, Any]) -> None:
    try:
        result = _run(settings, "think", "answer", **config)
    except DagsterInvalidConfigError:
        return
    assert not result.success


def test_every_config_field_is_described() -> None:
    for config in (jobs.ThinkConfig, jobs.ReviewConfig):
        assert all(field.description for field in config.model_fields.values())


def test_think_without_a_brain_fails_with_the_remedy(tmp_path: Path) -> None:
    result = _run(brains.small(tmp_path), "think", "answer", query="x", no_llm=True)
    assert not result.success
    assert "brain sync" in _failure(result)


def test_an_unknown_article_fails_with_the_remedy(settings: Settings) -> None:
    for job, op in (("approve_article", "approve"), ("reject_article", "reject")):
        result = _run(settings, job, op, article_id="KB-AI-THINK-ARTICLE-none", who="Ada")
        assert not result.success
        assert "brain articles list" in _failure(result)


def test_learn_without_articles_does_nothing(settings: Settings) -> None:
    result = _run(settings, "learn")
    assert result.success
    assert _told(result, "learn_articles")["done"] == 0


@pytest.mark.xdist_group("sample_brain")
def test_articles_are_approved_and_rejected(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    from brain_assets.store import catalogue
    from brain_assets.synthesis import review

    settings = brains.copy(brains.sample_once(tmp_path_factory), tmp_path)
    with catalogue.open(settings, read_only=True) as cat:
        staged = [a["id"] for a in review.list_articles(cat, settings)["articles"] if a["state"] == "staged"]
    assert _run(settings, "approve_article", "approve", article_id=staged[0], who="Ada").success
    assert (settings.kb_dir / f"{staged[0]}.json").is_file()
    assert _run(settings, "reject_article", "reject", article_id=staged[1], who="Ada", why="thin").success
    with catalogue.open(settings, read_only=True) as cat:
        states = {a["id"]: a["state"] for a in review.list_articles(cat, settings)["articles"]}
        history = review.history(cat, settings, staged[1])
    assert (states[staged[0]], states[staged[1]]) == ("approved", "rejected")
    assert [(r["who"], r["why"]) for r in history["reviews"]] == [("Ada", "thin")]
