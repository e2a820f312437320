"""`brain sync`, `brain build`, `brain status`, `brain doctor`: counts, exit codes, and what is never lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from brain_assets.settings import Settings
from brain_assets.store import catalogue, schema
from brain_assets_tests.cli.conftest import Brain
from brain_assets_tests.operation import brains
from brain_assets_tests.synthesis import glpi_fake
from brain_assets_tests.synthesis.glpi_fake import Glpi

COUNTS = {"added", "changed", "deleted", "unchanged", "quarantined"}


def test_sync_counts_what_it_did(brain: Brain, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    first = brain("sync", "--json", at=settings)
    assert first.code == 0
    value = first.json()
    assert value.keys() >= {"notes", "kb_entries", "passages", "embedded", "seconds"}
    assert value["notes"] == {"added": 3, "changed": 0, "deleted": 0, "unchanged": 0, "quarantined": 0}
    assert value["kb_entries"].keys() == COUNTS
    assert value["passages"] >= 4
    brains.write(settings.vault_dir, {"Druck.md": "Der Druckserver heißt jetzt pergament.\n", "Neu.md": "Ganz neu.\n"})
    (settings.vault_dir / "Backup.md").unlink()
    again = brain("sync", "--json", at=settings).json()
    assert again["notes"] == {"added": 1, "changed": 1, "deleted": 1, "unchanged": 1, "quarantined": 0}
    assert "pergament" in brain("search", "Druckserver", at=settings).out
    unchanged = brain("sync", at=settings)
    assert unchanged.code == 0
    assert "passages" in unchanged.out


def test_sync_leaves_bad_files_out_and_says_so(brain: Brain, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    brains.write(settings.kb_dir, {"broken.json": "{", "array.json": json.dumps([{"id": "x"}])})
    done = brain("sync", "--json", at=settings)
    assert done.code == 0
    assert done.json()["kb_entries"]["quarantined"] == 2
    assert brain("sync", "--strict", at=settings).code == 3
    status = brain("status", "--json", at=settings)
    assert status.code == 0
    value = status.json()
    assert value["files_seen"] == value["live"] + value["quarantined"] == 6
    assert {p["path"].split("#")[0] for p in value["problems"]} == {"array.json", "broken.json"}
    assert all(p["reason"] for p in value["problems"])


@pytest.mark.parametrize("missing", ["vault", "kb"])
@pytest.mark.parametrize("command", ["sync", "build"])
def test_a_missing_folder_is_one_sentence(brain: Brain, tmp_path: Path, command: str, missing: str) -> None:
    settings = brains.small(tmp_path)
    shutil.rmtree(tmp_path / missing)
    done = brain(command, at=settings)
    assert done.code == 2
    assert str(tmp_path / missing) in done.err
    assert done.err.strip().count("\n") == 0


def test_an_unwritable_data_directory_is_one_sentence(brain: Brain, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    settings.data_dir.write_text("a file", encoding="utf-8")
    for command in ("sync", "build"):
        done = brain(command, at=settings)
        assert done.code == 2
        assert "cannot be written" in done.err
        assert done.err.strip().count("\n") == 0


def test_a_newer_brain_is_left_alone(brain: Brain, own_brain: Settings) -> None:
    with catalogue.open(own_brain) as cat, cat.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    before = (own_brain.data_dir / "brain.db").read_bytes()
    for command in (("sync",), ("build",), ("status",), ("gaps",)):
        done = brain(*command, at=own_brain)
        assert done.code == 2, command
        assert "newer version" in done.err
    assert (own_brain.data_dir / "brain.db").read_bytes() == before


def test_a_broken_setting_is_named(brain: Brain, own_brain: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_STALE_DAYS", "soon")
    for command in (("sync",), ("search", "x"), ("doctor",)):
        done = brain(*command, at=own_brain)
        assert done.code == 2
        assert "BRAIN_STALE_DAYS" in done.err


def test_status_of_a_healthy_brain(brain: Brain, small_brain: Settings) -> None:
    done = brain("status", "--json", at=small_brain)
    assert done.code == 0
    value = done.json()
    assert value["healthy"] is True
    assert value.keys() >= {
        "healthy", "files_seen", "live", "quarantined", "problems", "pending", "dead_letters", "generation",
    }  # fmt: skip
    assert (value["files_seen"], value["live"], value["quarantined"]) == (4, 4, 0)
    assert (value["pending"], value["dead_letters"]) == (0, 0)
    assert value["index"]["generation"] == value["generation"]
    assert "Healthy." in brain("status", at=small_brain).out


def test_status_tells_the_size_on_disk(
    brain: Brain, own_brain: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    told = brain("status", "--json", at=own_brain).json()["disk"]
    assert told["catalogue"] >= (own_brain.data_dir / "brain.db").stat().st_size
    assert told["index"] == sum(path.stat().st_size for path in own_brain.index_dir.rglob("*") if path.is_file())
    assert told["dagster_home"] == told["event_log"] == 0
    brains.write(tmp_path / "home", {"history/runs/index.db": "x" * 3_000_000, "schedules/s.db": "x" * 500_000})
    told = brain("status", "--json", at=own_brain).json()["disk"]
    assert (told["dagster_home"], told["event_log"]) == (3_500_000, 3_000_000)
    assert "Dagster's home 3.5 MB (runs and event log 3.0 MB)." in brain("status", at=own_brain).out


def test_glpi_that_is_down_or_gone_is_told(brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.small(tmp_path)
    # Looks like one of GLPI, and is a file's: it stays.
    own = {"id": "GLPI-77", "title": "Eigenes", "text": "Aus der Datei.", "answer": "Bleibt."}
    brains.write(settings.kb_dir, {"own.json": json.dumps(own)})
    state = Glpi()
    state.add(1, "Drucker druckt nicht", "<p>Das Zauberwort ist Quastenflosser.</p>")
    state.add(2, "Neues Kennwort", "<p>Im Portal setzen.</p>")
    with glpi_fake.serve(state):
        for name, value in (("URL", state.url), ("APP_TOKEN", glpi_fake.APP), ("USER_TOKEN", glpi_fake.USER)):
            monkeypatch.setenv(f"GLPI_{name}", value)
        assert brain("sync", "--json", "--strict", at=settings).json()["glpi"]["added"] == 2
    down = brain("sync", at=settings)
    assert (down.code, brain("sync", "--strict", at=settings).code) == (0, 3)
    assert "GLPI was not read; its 2 entries stay as they were." in down.out
    assert "cannot be reached" in brain("sync", "--json", at=settings).json()["glpi"]["error"]
    assert brain("sync", "--forget-glpi", at=settings).code == 2
    assert brain("status", "--json", at=settings).json()["notices"] == []

    monkeypatch.delenv("GLPI_URL")
    assert brain("sync", "--json", "--strict", at=settings).json()["glpi"] is None
    for command in ("status", "doctor"):
        told = brain(command, at=settings)
        assert told.code == 0
        assert "2 entries are from a GLPI that is no longer configured" in told.out
        assert "brain sync --forget-glpi" in told.out
    assert brain("status", "--strict", at=settings).code == 3
    assert "Quastenflosser" in brain("search", "Quastenflosser", at=settings).out
    done = brain("sync", "--forget-glpi", "--json", at=settings)
    assert (done.code, done.json()["kb_entries"]["deleted"]) == (0, 2)
    assert brain("search", "Quastenflosser", "--json", at=settings).json()["hits"] == []
    after = brain("status", "--json", at=settings).json()
    assert (after["notices"], after["healthy"], after["entries"]["kb"]) == ([], True, 2)


def test_status_tells_a_missing_index(brain: Brain, own_brain: Settings) -> None:
    shutil.rmtree(own_brain.index_dir)
    done = brain("status", at=own_brain)
    assert done.code == 1
    assert "no search index" in done.out
    assert brain("sync", at=own_brain).code == 0
    assert brain("status", at=own_brain).code == 0


def test_status_tells_an_index_that_is_behind(brain: Brain, own_brain: Settings) -> None:
    with catalogue.open(own_brain) as cat, cat.begin() as connection:
        catalogue.bump_generation(connection)
    value = brain("status", "--json", at=own_brain)
    assert value.code == 1
    assert value.json()["index"]["behind"] is True
    assert value.json()["pending"] > 0


def test_status_tells_dead_letters(brain: Brain, own_brain: Settings) -> None:
    with catalogue.open(own_brain) as cat, cat.begin() as connection:
        connection.execute(insert(schema.dead_letters).values(
            stage="relation_edges", item_id="note:Druck.md", digest="0", code_version="1", model_id="",
            error="ValueError: nonsense", attempts=2))  # fmt: skip
    done = brain("status", "--json", at=own_brain)
    assert done.code == 1
    assert done.json()["dead_letters"] == 1
    assert "note:Druck.md" in brain("status", at=own_brain).out


def test_status_tells_a_lost_file(brain: Brain, own_brain: Settings) -> None:
    with catalogue.open(own_brain) as cat, cat.begin() as connection:
        connection.execute(update(schema.files).where(schema.files.c.path == "Druck.md").values(entry_ids="[]"))
    done = brain("status", "--json", at=own_brain)
    assert done.code == 1
    assert any("every_file_accounted" in sentence for sentence in done.json()["unhealthy"])


def test_broken_front_matter_is_a_problem_and_not_unhealthy(brain: Brain, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    brains.write(settings.vault_dir, {"Broken.md": "---\ntitle: [never closed\n---\n\nThe text stays.\n"})
    brain("sync", at=settings)
    done = brain("status", "--json", at=settings)
    assert done.code == 0
    assert [p["path"] for p in done.json()["problems"]] == ["Broken.md"]
    assert brain("status", "--strict", at=settings).code == 3


def test_doctor_finds_slips_and_never_shows_a_secret(
    brain: Brain, own_brain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_STALE_DAY", "30")
    monkeypatch.setenv("GEMINI_API_KEY", "secret-gemini-key")
    monkeypatch.setenv("GLPI_URL", "http://user:secret-glpi-password@127.0.0.1:9/")
    monkeypatch.setenv("GLPI_USER_TOKEN", "secret-glpi-token")
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9/?key=secret-searx")
    done = brain("doctor", at=own_brain)
    assert done.code == 0
    assert "Did you mean BRAIN_STALE_DAYS?" in done.out
    assert "does not answer" in done.out
    assert "There is a key for gemini." in done.out
    assert "secret" not in done.out + done.err
    assert "secret" not in brain("doctor", "--json", at=own_brain).out


def test_doctor_says_what_research_would_say_of_an_address_that_is_none(
    brain: Brain, own_brain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "searxng:8080")
    assert "warning  SEARXNG_URL is no http(s) address." in brain("doctor", at=own_brain).out


def test_doctor_leaves_with_1_when_something_is_broken(brain: Brain, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    shutil.rmtree(settings.kb_dir)
    done = brain("doctor", "--json", at=settings)
    assert done.code == 1
    errors = [f for f in done.json()["findings"] if f["level"] == "error"]
    assert [e["topic"] for e in errors] == ["folders"]
    assert "--kb" in errors[0]["remedy"]


def test_help_has_examples_for_every_command(brain: Brain) -> None:
    from brain_assets import cli

    whole = brain("--help")
    assert whole.code == 0
    for name in cli.COMMANDS:
        assert name in whole.out
        shown = brain(name, "--help")
        assert shown.code == 0
        assert f"brain {name}" in shown.out.split("\n", 3)[3], name
