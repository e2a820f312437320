"""What a look finds is what a sync would find."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brain_assets.errors import ConfigurationError
from brain_assets.operation import pipeline, unchanged
from brain_assets.retrieval import pointer
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains


def _sql(settings: Settings, statement: str, *values: object) -> None:
    with sqlite3.connect(settings.data_dir / "brain.db") as connection:
        connection.execute(statement, values)


def test_nothing_has_changed(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    found = unchanged.look(settings)
    assert found.nothing
    with pipeline.writing(settings, full=False) as run:
        wanted = pipeline.sync(run)
    for stage, report in wanted.items():
        assert found.same[stage].details == report.details, stage
        assert (found.same[stage].pending, found.same[stage].reused) == (report.pending, report.reused), stage


def test_a_first_sync_is_no_matter_for_a_look(tmp_path: Path) -> None:
    found = unchanged.look(brains.small(tmp_path))
    assert not found.nothing
    assert not found.same


def test_a_changed_note_is_told_by_its_folder(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    brains.write(settings.vault_dir, {"VPN/Gateway.md": "Das Gateway heißt jetzt anders.\n"})
    os.utime(settings.vault_dir / "VPN/Gateway.md", (1_700_000_000, 1_700_000_000))  # else it is read once more
    found = unchanged.look(settings)
    assert (found.nothing, found.folders, list(found.same)) == (False, frozenset({"VPN"}), ["kb_entries"])
    with pipeline.writing(settings, full=False) as run:
        reports = pipeline.sync(run, found.same["kb_entries"], found.folders)
    assert reports["vault_notes"].details["changed"] == reports["search_index"].done == 1
    assert unchanged.look(settings).nothing


def test_a_changed_kb_entry_is_no_secret(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    brains.write(settings.kb_dir, {"KB-1.json": json.dumps(brains.RECORD | {"title": "Anders"}, ensure_ascii=False)})
    found = unchanged.look(settings)
    assert not found.nothing
    assert "kb_entries" not in found.same


def test_files_that_are_not_read_are_not_read_again(tmp_path: Path) -> None:
    settings = brains.small(tmp_path, max_file_bytes=5_000)
    brains.write(settings.vault_dir, {"groß.md": "x" * 6_000})
    (settings.vault_dir / "hinaus.md").symlink_to("/etc/hostname")
    for path in settings.vault_dir.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)
    with pipeline.writing(settings, full=False) as run:
        assert pipeline.sync(run)["vault_notes"].details["quarantined"] == 2
    assert unchanged.look(settings).nothing
    assert not unchanged.look(settings.model_copy(update={"max_file_bytes": 7_000})).nothing
    assert not unchanged.look(settings.model_copy(update={"max_file_bytes": 10})).nothing
    (settings.vault_dir / "groß.md").unlink()
    assert not unchanged.look(settings).nothing


@pytest.mark.parametrize(
    "disturb",
    [
        lambda s: _sql(s, "UPDATE files SET content_digest = 'stale:' || content_digest WHERE path = 'Druck.md'"),
        lambda s: _sql(s, "UPDATE files SET mtime_ns = -1 WHERE path = 'Druck.md'"),
        lambda s: _sql(s, "INSERT INTO unsettled_links VALUES ('note:Druck.md')"),
        lambda s: _sql(s, "UPDATE meta SET value = '2026-11-30' WHERE key = 'purged_on'"),
        lambda s: _sql(s, "UPDATE meta SET value = '1' WHERE key = 'kb:lineage pending'"),
        lambda s: _sql(s, "UPDATE meta SET value = value + 1 WHERE key = 'generation'"),
        lambda s: _sql(s, "UPDATE meta SET value = '0' WHERE key = 'input:vault_notes'"),
        lambda s: _sql(s, "DELETE FROM ledger WHERE item_id = 'note:Druck.md'"),
        lambda s: _sql(s, "UPDATE alembic_version SET version_num = '0000'"),
        lambda s: shutil.rmtree(s.index_dir / pointer.read(s).index),  # type: ignore[union-attr]
        lambda s: pointer.path_of(s).write_text("{"),
        lambda s: (s.vault_dir / "Druck.md").rename(s.vault_dir / "Drucker.md"),
    ],
)
def test_whatever_an_earlier_sync_left_is_seen(tmp_path: Path, disturb: Callable[[Settings], None]) -> None:
    settings = brains.synced(tmp_path)
    assert unchanged.look(settings).nothing
    disturb(settings)
    assert not unchanged.look(settings).nothing


def test_other_settings_are_a_change(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    assert not unchanged.look(settings.model_copy(update={"vector_sets": ("usem3",)})).nothing
    assert not unchanged.look(settings.model_copy(update={"vault_ignore": ("VPN",)})).nothing


def test_a_missing_folder_is_said_at_once(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        unchanged.look(settings.model_copy(update={"vault_dir": tmp_path / "fehlt"}))


def test_the_command_finds_it_without_opening_the_catalogue_in_earnest(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    code = (
        "import sys; from brain_assets.cli import main; code = main(['sync', '--json']);"
        "print(sorted({'sqlalchemy', 'alembic', 'numpy', 'yaml', 'rich', 'dagster'} & set(sys.modules))); sys.exit(code)"
    )
    environment = os.environ | {
        "BRAIN_DATA_DIR": str(settings.data_dir), "BRAIN_VAULT_DIR": str(settings.vault_dir),
        "BRAIN_KB_DIR": str(settings.kb_dir), "BRAIN_NOW": "2026-12-01", "BRAIN_VECTOR_SETS": "none",
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    result, modules = ran.stdout.splitlines()
    assert json.loads(result)["notes"]["unchanged"] == 3
    assert modules == "[]"
