"""How a brain stands between a sync and the next build."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import delete

from brain_assets.operation import pipeline
from brain_assets.operation import status as standing_of
from brain_assets.operation.status import Status
from brain_assets.settings import Settings
from brain_assets.store import catalogue, schema
from brain_assets_tests.operation import brains

LINKED = {
    "Leiter.md": "# Leiter\nDie Leiter steht im Keller neben dem Regal.\n",
    "Keller.md": "# Keller\nDie Leiter steht im Keller, siehe [[Leiter]].\n",
}


def _standing(settings: Settings) -> Status:
    with catalogue.open(settings, read_only=True) as cat:
        return standing_of.read(cat, settings)


def _build(settings: Settings) -> None:
    with pipeline.writing(settings) as run:
        pipeline.run_stages(pipeline.STAGES, run)


def _sync(settings: Settings) -> None:
    with pipeline.writing(settings) as run:
        pipeline.sync(run)


def test_what_a_sync_leaves_to_the_next_build_is_a_notice_and_no_fault(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    brains.write(settings.vault_dir, LINKED)
    _build(settings)
    assert (_standing(settings).unhealthy, _standing(settings).notices) == ([], [])
    edits = (
        lambda: brains.write(settings.vault_dir, {"Neu.md": "# Neu\nDas Regal ist neu.\n"}),
        lambda: brains.write(settings.vault_dir, {"Leiter.md": "# Leiter\nSie ist verliehen.\n"}),
        lambda: (settings.vault_dir / "Leiter.md").unlink(),
    )
    for edit in edits:
        edit()
        _sync(settings)
        standing = _standing(settings)
        assert standing.unhealthy == []
        assert len(standing.notices) == 1 and "brain build" in standing.notices[0]
        _build(settings)
        assert (_standing(settings).unhealthy, _standing(settings).notices) == ([], [])


def test_a_fault_that_no_build_would_mend_by_itself_is_unhealthy(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    _build(settings)
    with catalogue.open(settings) as cat, cat.begin() as connection:
        connection.execute(delete(schema.topic_members))
    assert any("members_exist_once" in sentence for sentence in _standing(settings).unhealthy)
