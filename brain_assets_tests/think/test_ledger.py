from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from brain_assets.errors import ConfigurationError, NotFoundError
from brain_assets.settings import Settings
from brain_assets.store import catalogue
from brain_assets.think import ledger, think
from brain_assets_tests.think.conftest import build, sync

TILL = """---
title: Kassenserver
date: 2026-11-20
---
Der Kassenserver steht im Keller.
"""
BACKUP = "---\ntitle: Backup der Kasse\ndate: 2026-11-01\n---\nSicherungen der Kasse bleiben {days} Tage.\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return build(
        tmp_path,
        {
            "IT/Kassenserver.md": TILL,
            "IT/Backup A.md": BACKUP.format(days=21),
            "IT/Alt.md": "---\ntitle: Altes Regal\ndate: 2026-01-01\n---\nDas Regal steht im Hof.\n",
        },
        [
            {
                "id": "KB-1",
                "title": "Backup der Kasse",
                "text": "Fristen.",
                "answer": "Sicherungen der Kasse bleiben 14 Tage.",
            }
        ],
    )


def gaps(settings: Settings, **values: str | None) -> list[ledger.Recorded]:
    with catalogue.open(settings, read_only=True) as cat:
        return ledger.listing(cat, **values)


def ask(settings: Settings, query: str) -> None:
    think(settings, query, no_llm=True)


def change(settings: Settings, path: str, text: str) -> None:
    (settings.vault_dir / path).write_text(text, encoding="utf-8")
    sync(settings)


def close(settings: Settings) -> list[str]:
    with catalogue.open(settings) as cat:
        return ledger.close_answered(settings, cat)


def test_a_gap_is_entered_once_with_its_queries(settings: Settings) -> None:
    ask(settings, "Was kostet der Kassenserver?")
    ask(settings, "Kassenserver Kosten?")
    ask(settings, "Was kostet der Kassenserver?")
    (gap,) = gaps(settings, kind="missing")
    assert (gap.state, gap.seen, gap.term) == ("open", 3, "Kosten oder Preis: Kassenserver")
    assert gap.queries == ("Kassenserver Kosten?", "Was kostet der Kassenserver?")
    assert gap.first_seen == gap.last_seen == dt.date(2026, 12, 1)
    value = gap.to_json()
    assert {"gap_id", "kind", "term", "state", "queries", "seen", "closes"} <= set(value)
    assert "Kassenserver" in value["closes"]


def test_weak_signals_are_no_gaps(settings: Settings) -> None:
    answer = think(settings, "Kassenserver Regal Sicherungen", no_llm=True)
    weak = {c.gap_id for c in answer.gaps.contradiction if c.strength == "weak"}
    assert not weak & {g.gap_id for g in gaps(settings, state=None)}


def test_states_change_by_hand_and_are_kept(settings: Settings) -> None:
    ask(settings, "Was kostet der Kassenserver?")
    (gap,) = gaps(settings, kind="missing")
    with catalogue.open(settings) as cat:
        assert ledger.set_state(cat, gap.gap_id[:12], "dismissed", "gehört uns nicht").state == "dismissed"
    ask(settings, "Was kostet der Kassenserver?")
    (again,) = gaps(settings, state="dismissed")
    assert (again.state, again.note, again.seen) == ("dismissed", "gehört uns nicht", 2)
    with catalogue.open(settings) as cat:
        ledger.set_state(cat, gap.gap_id, "answered")
        assert ledger.counts(cat)["answered"] == 1
    ask(settings, "Was kostet der Kassenserver?")
    assert [g.state for g in gaps(settings, state=None, kind="missing")] == ["open"]


def test_unknown_ids_and_states_are_named(settings: Settings) -> None:
    with catalogue.open(settings) as cat:
        with pytest.raises(NotFoundError, match="missing-0"):
            ledger.show(cat, "missing-0")
        with pytest.raises(ConfigurationError, match="gone"):
            ledger.set_state(cat, "missing-0", "gone")
        assert ledger.listing(cat) == []
        assert ledger.counts(cat) == {"open": 0, "answered": 0, "dismissed": 0}


def test_a_missing_gap_closes_when_a_later_sync_answers_it(settings: Settings) -> None:
    ask(settings, "Was kostet der Kassenserver?")
    assert close(settings) == []
    change(settings, "IT/Kassenserver.md", TILL + "\nDer Kassenserver kostet 900 Euro im Jahr.\n")
    (gap,) = gaps(settings, kind="missing")
    assert close(settings) == [gap.gap_id]
    assert gaps(settings, state="answered")[0].note.startswith("closed by itself")
    assert close(settings) == []


def test_a_stale_source_closes_when_it_is_updated_or_gone(settings: Settings) -> None:
    ask(settings, "Wo steht das alte Regal?")
    (gap,) = gaps(settings, kind="stale")
    assert gap.detail["path"] == "IT/Alt.md"
    change(settings, "IT/Alt.md", "---\ntitle: Altes Regal\ndate: 2026-11-25\n---\nDas Regal steht im Hof.\n")
    assert gap.gap_id in close(settings)


def test_a_contradiction_closes_when_the_sources_agree(settings: Settings) -> None:
    ask(settings, "Wie lange bleiben Sicherungen der Kasse?")
    (gap,) = gaps(settings, kind="contradiction")
    change(settings, "IT/Kassenserver.md", TILL + "\nEin weiterer Satz.\n")
    assert gap.gap_id not in close(settings)
    change(settings, "IT/Backup A.md", BACKUP.format(days=14))
    assert gap.gap_id in close(settings)


def test_nothing_is_thought_again_while_nothing_changed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(settings, "Was kostet der Kassenserver?")
    close(settings)
    monkeypatch.setattr(ledger, "_raised_by", lambda *_: pytest.fail("thought again"))
    assert close(settings) == []


def test_a_locked_catalogue_costs_the_entry_not_the_answer(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "_WAIT", 0.05)
    with catalogue.open(settings) as cat, cat.begin():
        answer = think(settings, "Was kostet der Kassenserver?", no_llm=True)
    assert answer.gaps.missing
    assert gaps(settings, state=None) == []
