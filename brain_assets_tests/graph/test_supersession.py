"""Which entry replaced which, by what the texts say."""

from __future__ import annotations

import datetime as dt

import pytest

from brain_assets.graph import supersession
from brain_assets.model.entry import Entry
from brain_assets_tests.graph.brains import note

NEW = note("Hausordnung", "Ruhezeit ist ab 22 Uhr.\n", title="Hausordnung")


@pytest.mark.parametrize(
    "body",
    [
        "Ersetzt durch [[Hausordnung]].\n", "Diese Fassung wurde am 1. Mai durch [[Hausordnung]] ersetzt.\n",
        "Abgelöst durch [[Hausordnung]].\n", "Superseded by [[Hausordnung]] on 1 May.\n",
        "Maßgeblich ist jetzt [[Hausordnung]].\n", "> [!note] Replaced by [[Hausordnung|the new rules]].\n",
        "Moved to [[Hausordnung]].\n",
    ],
)  # fmt: skip
def test_the_old_entry_says_so(body: str) -> None:
    old = note("Regeln im Haus", body)
    found = supersession.explicit(old, NEW)
    assert found is not None
    assert (found.newer, found.older, found.said_by) == (NEW.id, old.id, old.id)
    assert found.quote in body
    assert supersession.explicit(NEW, old) == found


@pytest.mark.parametrize(
    "body", ["Löst die [[Regeln]] ab.\n", "This page replaces [[Regeln]].\n", "Supersedes [[Regeln]].\n"]
)
def test_the_new_entry_says_so(body: str) -> None:
    old, new = note("Regeln", "Ruhezeit ist ab 21 Uhr.\n"), note("Neu", body)
    found = supersession.explicit(old, new)
    assert found is not None and (found.newer, found.older) == (new.id, old.id)


@pytest.mark.parametrize(
    "old",
    [
        note("Hausordnung (alt)", "Ruhezeit ist ab 21 Uhr.\n"),
        note("Hausordnung 2019", "Ruhezeit ist ab 21 Uhr.\n", status="veraltet"),
        note("Hausordnung v1", "Ruhezeit ist ab 21 Uhr.\n", status="deprecated"),
    ],
    ids=lambda e: e.title,
)
def test_a_name_with_a_mark_or_a_status(old: Entry) -> None:
    found = supersession.explicit(old, NEW)
    assert found is not None and found.newer == NEW.id


def test_being_newer_is_not_enough() -> None:
    old = note("Pausen", "Pause ist um 9 Uhr.\n", date=dt.date(2024, 1, 1))
    new = note("Pausenregelung", "Pause ist um 10 Uhr.\n", date=dt.date(2026, 1, 1))
    assert supersession.explicit(old, new) is None
    assert not supersession.no_longer_valid(old)


def test_issues_of_a_series_follow_each_other() -> None:
    first = note("Wochenbericht 2026-05-04", "Belegung 81 Prozent.\n", name_date=dt.date(2026, 5, 4))
    second = note("Wochenbericht 2026-05-11", "Belegung 87 Prozent.\n", name_date=dt.date(2026, 5, 11))
    assert supersession.one_series(first, second)
    found = supersession.follows(first, second)
    assert found is not None and found.newer == second.id
    other = note("Speiseplan 2026-05-11", "Suppe.\n", name_date=dt.date(2026, 5, 11))
    assert not supersession.one_series(first, other)


@pytest.mark.parametrize(
    "opening", ["Nicht mehr verwenden!", "Diese Anleitung ist veraltet.", "Do not use any more.", "Deprecated."]
)
def test_opening_words_that_say_it_holds_no_more(opening: str) -> None:
    assert supersession.no_longer_valid(note("x", f"{opening}\n\nDer Rest.\n"))


def test_a_word_deep_in_the_text_does_not_retire_an_entry() -> None:
    body = "Ein Satz.\n\nNoch ein Satz.\n\nUnd einer.\n\nDer vierte.\n\nDer fünfte: Version 5 ist veraltet.\n"
    assert not supersession.no_longer_valid(note("x", body))
