"""The plain functions behind the front doors: requests, metrics, saved answers, stubs, fingerprints."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from brain_assets.errors import BrainError, ConfigurationError, LockedError, NotFoundError
from brain_assets.operation import asking, doctor, evaluation, keeping, pipeline, views, watching
from brain_assets.settings import Settings, load
from brain_assets.store import catalogue, lock
from brain_assets.store.stages import StageReport
from brain_assets_tests.operation import brains


def test_a_request_takes_flags_and_lists() -> None:
    request = asking.search_request({"query": "x", "kind": "note", "tag": ["a", "b"], "after": "2026-01-02", "top": 3})
    assert (request.query, request.top, request.mode) == ("x", 3, "hybrid")
    assert request.filters.kinds == ("note",)
    assert request.filters.tags == ("a", "b")
    assert str(request.filters.after) == "2026-01-02"
    assert asking.think_request({"query": "x"}).stale_days is None


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "no query"),
        ({"query": 1}, "query must be a text"),
        ({"query": "x", "top": True}, "top must be"),
        ({"query": "x", "top": 0}, "top must be"),
        ({"query": "x", "mode": "psychic"}, "mode must be one of"),
        ({"query": "x", "kind": "poem"}, "kind must be one of"),
        ({"query": "x", "tag": [1]}, "tag must be"),
        ({"query": "x", "after": "2026-13-01"}, "after must be a date"),
        ({"query": "x", "explain": "yes"}, "explain must be"),
        ({"query": "x", "no_llm": True}, "Unknown key no_llm"),
    ],
)
def test_a_wrong_request_names_what_is_wrong(values: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        asking.search_request(values)


def test_metrics_by_hand() -> None:
    relevant = {"a": 2.0, "b": 1.0}
    assert evaluation.ndcg(["a", "b"], relevant) == 1.0
    assert evaluation.ndcg([], relevant) == 0.0
    swapped = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert evaluation.ndcg(["b", "a"], relevant) == pytest.approx(swapped)
    assert evaluation.recall(["b", "x"], relevant) == 0.5
    assert evaluation.reciprocal_rank(["x", "b"], relevant) == 0.5
    assert evaluation.reciprocal_rank(["x"], relevant) == 0.0
    low, high = evaluation.interval([0.0, 1.0] * 50)
    assert low < 0.5 < high
    assert evaluation.interval([0.0, 1.0] * 50) == (low, high)


@pytest.mark.parametrize("term", ["../../etc/passwd", "/etc/passwd", "..", "a/b\\c", "nul\0byte", "x" * 500, "💥", ""])
def test_no_name_leads_out_of_the_inbox(tmp_path: Path, term: str) -> None:
    settings = brains.small(tmp_path)
    path = keeping.write_stub(settings, {"term": term, "suggestion": "Document it."}, "why?")
    assert path.parent == settings.vault_dir.resolve() / "Inbox"
    assert len(path.name) <= 70


def test_a_stub_is_a_readable_note_and_never_written_over(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    gap = {"term": 'Port "51820": why', "suggestion": "Say which port.\n---\ninjected: yes"}
    path = keeping.write_stub(settings, gap, "Which port?")
    before = path.read_bytes()
    with pytest.raises(BrainError, match="already there"):
        keeping.write_stub(settings, gap, "Which port?")
    assert path.read_bytes() == before
    with pipeline.writing(settings) as run:
        pipeline.sync(run)
        with run.cat.read() as connection:
            note = views.resolve(connection, f"Inbox/{path.name}")
    assert note.title == 'Port "51820": why'
    assert note.status == "stub"
    assert "injected" not in note.fields
    assert not note.problems


def test_an_inbox_outside_the_vault_is_refused(tmp_path: Path) -> None:
    settings = brains.small(tmp_path, inbox="../outside")
    with pytest.raises(ConfigurationError, match="not inside the vault"):
        keeping.write_stub(settings, {"term": "x"}, "x")


def test_the_fingerprint_sees_what_matters(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    first = watching.fingerprint(settings)
    assert watching.fingerprint(settings) == first
    brains.write(settings.vault_dir, {".obsidian/app.json": "{}", "image.png": "x"})
    assert watching.fingerprint(settings) == first
    brains.write(settings.vault_dir, {"New.md": ""})
    assert watching.fingerprint(settings) != first
    inside = brains.small(tmp_path / "inside", data_dir=tmp_path / "inside" / "vault" / "brain")
    second = watching.fingerprint(inside)
    brains.write(inside.data_dir, {"answers/a.md": "of the product itself"})
    assert watching.fingerprint(inside) == second


def test_at_rest_waits_for_a_burst_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.small(tmp_path)
    states = iter(["b", "c", "c", "c"])
    monkeypatch.setattr(watching, "_seen", lambda _settings: (next(states), time.time()))
    monkeypatch.setattr(watching, "QUIET_SECONDS", 0.001)
    assert watching.at_rest(settings, "a") == "c"
    monkeypatch.setattr(watching, "_seen", lambda _settings: (str(next(endless)), time.time()))
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0.005)
    endless = iter(range(1000))
    watching.at_rest(settings, "a")
    assert 2 <= next(endless) <= 10


def test_a_change_interrupts_the_slow_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import queue

    from brain_assets.errors import BudgetExhausted

    settings = brains.synced(tmp_path)
    changes: queue.SimpleQueue[str] = queue.SimpleQueue()
    seen: list[str] = []

    def slow(run: pipeline.Run) -> StageReport:
        run.progress("embeddings", 1, 2)
        changes.put("Neu.md")
        try:
            run.progress("embeddings", 2, 2)
        except BudgetExhausted as stop:
            seen.append(stop.message)
        return StageReport("embeddings")

    monkeypatch.setitem(pipeline.STAGES, "embeddings", slow)
    assert watching._complete(settings, True, changes)
    assert seen == ["files have changed"]  # once: the slower sets were not begun


def test_stages_run_in_order_and_unknown_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.small(tmp_path)
    ran: list[str] = []
    for name in pipeline.STAGES:
        monkeypatch.setitem(pipeline.STAGES, name, lambda _run, name=name: ran.append(name) or StageReport("x"))
    with pipeline.writing(settings) as run:
        reports = pipeline.run_stages(reversed(list(pipeline.STAGES)), run)
        with pytest.raises(ConfigurationError, match="no asset named nothing"):
            pipeline.run_stages(["nothing"], run)
    assert ran == list(pipeline.STAGES) == list(reports)
    assert [report.stage for report in reports.values()] == ran


def test_writing_clears_what_a_killed_writer_left(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    brains.write(settings.staging_dir, {".KB-1.json.abc.tmp": "half", "KB-1.json": "{}"})
    with pipeline.writing(settings):
        assert [p.name for p in settings.staging_dir.iterdir()] == ["KB-1.json"]


def test_writing_holds_the_lock(tmp_path: Path) -> None:
    import threading

    settings = brains.small(tmp_path)
    failures: list[Exception] = []

    def second() -> None:
        try:
            with lock.writer(settings):
                pass
        except LockedError as error:
            failures.append(error)

    with pipeline.writing(settings):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert len(failures) == 1


def test_names_lead_to_entries(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        for name in ("note:Druck.md", "Druck.md"):
            assert views.resolve(connection, name).id == "note:Druck.md"
        for name in ("kb:KB-1", "KB-1", "KB-1.json"):
            assert views.resolve(connection, name).id == "kb:KB-1"
        with pytest.raises(NotFoundError, match="nowhere"):
            views.resolve(connection, "nowhere")
    assert views.only("ab", ["abc", "xyz"], "gap") == "abc"
    with pytest.raises(ConfigurationError, match="2 gaps"):
        views.only("a", ["abc", "abd"], "gap")
    with pytest.raises(NotFoundError):
        views.only("", ["abc"], "gap")


def test_doctor_knows_every_variable_of_the_settings() -> None:
    known = doctor.known_variables()
    assert {"BRAIN_DATA_DIR", "OLLAMA_HOST", "SEARXNG_URL", "BRAIN_SECRETS_DIR"} <= known
    assert [f.level for f in doctor.configuration({"BRAIN_DATA_DIR": "x", "PATH": "y", "brain_now": "z"})] == ["ok"]
    slips = doctor.configuration({"BRAIN_DATADIR": "x", "BRAIN_QQQQQQ": "y"})
    assert [f.level for f in slips] == ["warning", "warning"]
    assert slips[0].remedy == "Did you mean BRAIN_DATA_DIR?"
    assert "configuration.md" in slips[1].remedy


def test_doctor_tells_low_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=1 << 20))
    found = doctor.folders(brains.small(tmp_path))
    assert [f.level for f in found] == ["ok", "ok", "warning"]


def _settings(**values: object) -> Settings:
    return load(**values)


def test_doctor_never_shows_what_a_url_carries() -> None:
    assert doctor._plain("http://user:secret@host:81/path?key=secret#secret") == "http://host:81"
    assert doctor._plain("host:11434") == "http://host:11434"
    assert doctor._plain("http://[broken") == "(not a URL)"
    found = doctor.services(_settings(glpi_url="http://u:secret@127.0.0.1:9", research_enabled=False))
    assert "secret" not in " ".join(f.message + f.remedy for f in found)
    assert [f.level for f in found] == ["notice", "notice", "warning"]


def test_a_reread_trusts_no_file_time(tmp_path: Path) -> None:
    import os

    settings = brains.synced(tmp_path)
    note = settings.vault_dir / "Druck.md"
    before = note.stat()
    note.write_text(note.read_text("utf-8").replace("papyrus", "papirus"), encoding="utf-8")
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pipeline.writing(settings) as run:
        assert pipeline.run_stage("vault_notes", run).details["changed"] == 0
        run.reread = True
        assert pipeline.run_stage("vault_notes", run).details["changed"] == 1
        assert pipeline.run_stage("vault_notes", run).details["changed"] == 0


def test_glpi_that_is_down_costs_its_news_only(tmp_path: Path) -> None:
    settings = brains.small(
        tmp_path, glpi_url="http://127.0.0.1:9", glpi_app_token="secret-app", glpi_user_token="secret-user"
    )
    with pipeline.writing(settings) as run:
        report = pipeline.run_stage("kb_entries", run)
    assert report.details["added"] == 1
    assert report.details["glpi"]["error"]
    assert "secret" not in str(report)


def test_kb_counts_are_entries_not_files(tmp_path: Path) -> None:
    import json

    settings = brains.small(tmp_path)
    several = [{**brains.RECORD, "id": f"KB-{n}", "title": f"Fall {n}"} for n in range(2, 6)]
    several_file = settings.kb_dir / "several.json"
    several_file.write_text(json.dumps(several), encoding="utf-8")

    def counts() -> tuple[int, ...]:
        with pipeline.writing(settings) as run:
            details = pipeline.run_stage("kb_entries", run).details
        assert details["files"]["added"] + details["files"]["unchanged"] + details["files"]["changed"] == 2
        return tuple(details[name] for name in ("added", "changed", "deleted", "unchanged"))

    assert counts() == (5, 0, 0, 0)
    assert counts() == (0, 0, 0, 5)
    several_file.write_text(json.dumps([{**several[0], "title": "Anders"}, *several[1:3]]), encoding="utf-8")
    assert counts() == (0, 1, 1, 3)
