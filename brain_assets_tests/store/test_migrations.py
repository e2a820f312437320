"""Catalogues of every earlier version are brought up to date, and nothing in them is lost.

`catalogues/REVISION.sql` is what that version made of the small brain. A new revision adds its file before it is
released:  python -m brain_assets_tests.store.test_migrations
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from brain_assets.operation import checks, pipeline
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries, migrations, schema
from brain_assets_tests.operation import brains

KEPT = Path(__file__).with_name("catalogues")


def _of(revision: str, settings: Settings) -> None:
    """Put the kept catalogue of a revision in place."""
    settings.data_dir.mkdir(parents=True)
    with closing(sqlite3.connect(settings.data_dir / "brain.db")) as connection:
        connection.executescript((KEPT / f"{revision}.sql").read_text("utf-8"))


def test_a_catalogue_of_every_version_is_kept() -> None:
    released = set(migrations.known_revisions()) - {schema.REVISION}
    assert released <= {path.stem for path in KEPT.glob("*.sql")}, "run this module to keep one of the new revision"
    assert migrations.known_revisions()[0] == schema.REVISION


@pytest.mark.parametrize("revision", sorted(path.stem for path in KEPT.glob("*.sql")))
def test_an_older_catalogue_is_brought_up_to_date_and_keeps_everything(revision: str, tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    _of(revision, settings)
    with catalogue.open(settings) as cat:
        with cat.read() as connection:
            assert catalogue.revision(connection) == schema.REVISION
            assert sorted(entries.live_ids(connection)) == [
                "kb:KB-1",
                "note:Backup.md",
                "note:Druck.md",
                "note:VPN/Gateway.md",
            ]
            assert len(list(entries.load(connection))) == 4
        found = inspect(cat.engine)
        for name, table in schema.metadata.tables.items():
            assert {c["name"] for c in found.get_columns(name)} == set(table.columns.keys()), name
            assert {i["name"] for i in found.get_indexes(name)} == {i.name for i in table.indexes}, name
    with pipeline.writing(settings) as run:
        pipeline.run_stages(pipeline.STAGES, run)
        results = checks.evaluate(run.cat, settings)
    assert [r for r in results if r.blocks] == []
    assert Searcher.open(settings).search("Druckserver").hits[0].id == "note:Druck.md"


def test_an_upgrade_that_fails_leaves_the_old_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = brains.small(tmp_path)
    _of("0001", settings)
    before = (settings.data_dir / "brain.db").read_bytes()
    engine = create_engine(f"sqlite:///{settings.data_dir / 'brain.db'}")
    monkeypatch.setattr(migrations, "_config", lambda: (_ for _ in ()).throw(RuntimeError("the power went")))
    with pytest.raises(RuntimeError):
        migrations.upgrade(engine)
    engine.dispose()
    assert (settings.data_dir / "brain.db").read_bytes() == before


def keep() -> None:
    """Keep what this version makes of the small brain, as SQL text."""
    with tempfile.TemporaryDirectory() as place:
        settings = brains.small(Path(place))
        with pipeline.writing(settings) as run:
            pipeline.run_stages(pipeline.STAGES, run)
        with closing(sqlite3.connect(settings.data_dir / "brain.db")) as connection:
            lines = [line for line in connection.iterdump() if place not in line]
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{schema.REVISION}.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    keep()
