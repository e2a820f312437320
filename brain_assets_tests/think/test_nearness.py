"""What a source says in other words is not missing; what the sources only leave open, or say nothing of, is."""

from __future__ import annotations

import pytest

from brain_assets.retrieval.search import Searcher
from brain_assets.sources.vault import read_note
from brain_assets.text.words import tokens
from brain_assets.think import think
from brain_assets.think.aspects import parse
from brain_assets.think.attributes import ATTRIBUTES
from brain_assets.think.forms import covered
from brain_assets.think.statements import Statement, keys, statements
from brain_assets_tests.think.conftest import Brain, build

NOTES = {
    "Labor/Kühlschränke.md": """---
title: Probenkühlschränke
date: 2026-11-02
---
# Probenkühlschränke

Blutproben werden nach zwölf Tagen entsorgt. Jede Schublade fasst 40 Röhrchen.

Wie man den Türalarm nach einem Stromausfall wieder scharf schaltet, müssen wir noch herausfinden.

Todo: Kühlschrank im Flur abtauen und Dichtungen fetten.
""",
    "Labor/Error codes.md": """---
title: Centrifuge error codes
date: 2026-10-12
---
# Centrifuge error codes

| Code | Meaning | Remedy |
|---|---|---|
| R-21 | rotor unbalanced | load it evenly |
| R-34 | ? | unknown |
""",
    "Labor/Urlaub.md": """---
title: Lab meeting November
date: 2026-11-20
---
# Lab meeting November

The new microscope arrived. Open: who stands in for Ms Brandl at the blood bank in August?
""",
    "Labor/Einkauf.md": """---
title: Bestellungen im Labor
date: 2026-11-05
---
# Bestellungen

Handschuhe bestellt die Laborleitung jeden Freitag. Über 2.000 Euro müssen zwei Personen unterschreiben.
""",
}


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Brain:
    settings = build(tmp_path_factory.mktemp("laboratory"), NOTES, [])
    return Brain(settings, Searcher.open(settings))


def missing_terms(brain: Brain, query: str) -> list[str]:
    answer = think(brain.settings, query, no_llm=True, searcher=brain.searcher, record=False)
    return [m.term for m in answer.gaps.missing]


@pytest.mark.parametrize(
    "query",
    [
        "Bis wann bekomme ich eine Blutprobe noch zurück?",
        "How long do you keep blood samples in the fridge?",
        "Bestellung über 2.500 Euro: wie viele Unterschriften?",
        "Welcher Kühlschrank hat Schubladen?",
    ],
)
def test_what_a_source_says_in_other_words_is_not_missing(laboratory: Brain, query: str) -> None:
    assert missing_terms(laboratory, query) == []


@pytest.mark.parametrize(
    ("query", "term"),
    [
        ("Was bedeutet R-34 an der Zentrifuge?", "Bedeutung: R-34"),
        ("What does R-34 mean?", "R-34"),
        ("Wer vertritt Frau Brandl im August in der Blutbank?", "Frau Brandl"),
        ("How do I arm the door alarm of the fridge after a power cut?", "door alarm"),
        ("How do I apply for a parking permit?", "permit"),
        ("Wie beantrage ich einen Zuschuss zur Brille?", "Zuschuss Brille"),
    ],
)
def test_what_the_sources_leave_open_or_say_nothing_of_is_missing(laboratory: Brain, query: str, term: str) -> None:
    found = missing_terms(laboratory, query)
    assert any(term in t for t in found), found


@pytest.mark.parametrize("query", ["What does R-21 mean?", "Dichtungen am Kühlschrank im Flur?"])
def test_a_known_code_and_a_task_are_no_open_question(laboratory: Brain, query: str) -> None:
    assert missing_terms(laboratory, query) == []


@pytest.mark.parametrize("query", ["Auftrag über 12.500 Euro", "An order of 12,500 euros", "Auftrag über 12500 Euro"])
def test_a_bare_figure_is_no_name(query: str) -> None:
    (segment,) = parse(query, "de" if query.startswith("Auf") else "en").segments
    assert not any(t.kind == "name" for t in segment.terms)


@pytest.mark.parametrize(("query", "language"), [("Ab wann läuft Version 7.2?", "de"), ("Who has Release 7.2?", "en")])
def test_a_version_number_stands_whatever_word_is_before_it(query: str, language: str) -> None:
    named = [t for t in parse(query, language).terms if "7.2" in t.text]
    assert named
    assert all(covered(t, keys("Firmware 7.2 rollout")) for t in named)
    assert not any(covered(t, keys("Firmware 7.3 rollout")) for t in named)


def test_a_sentence_before_a_question_asks_nothing() -> None:
    told, asked = parse("The guest has no phone number. When does she get in?", "en").segments
    assert told.attributes == ()
    assert [a.name for a in asked.attributes] == ["date"]
    (alone,) = parse("Telefonnummer der Bereitschaft.", "de").segments
    assert [a.name for a in alone.attributes] == ["phone"]


@pytest.mark.parametrize(
    ("query", "things"),
    [("The key is gone", ["key"]), ("My parcel is already lost", ["parcel"]), ("We never open the gate", ["gate"])],
)
def test_what_is_said_of_a_thing_is_no_thing(query: str, things: list[str]) -> None:
    assert [t.text for t in parse(query, "en").terms if t.kind != "other"] == things
    assert set(things) <= set(tokens(query))


@pytest.mark.parametrize(
    ("body", "is_open"),
    [
        ("Das steht in keiner unserer Unterlagen.", True),
        ("Wie lange das hält, weiß niemand.", True),
        ("We have to find out which valve it is.", True),
        ("Nobody here knows the setting.", True),
        ("Visitors have to be announced at the gate.", False),
        ("Das steht in der Anleitung.", False),
        ("| A | B |\n|---|---|\n| E1 | ? |", True),
        ("| A | B |\n|---|---|\n| E1 | unbekannt, erst seit Mai |", True),
        ("| A | B |\n|---|---|\n| E1 | Filter voll |", False),
    ],
)
def test_an_open_point_is_told_by_its_words_and_cells(body: str, is_open: bool) -> None:
    assert [s.open for s in _said(body)] == [is_open]


def test_a_list_item_is_open_when_its_last_words_say_so() -> None:
    said = _said("- Wie lange gilt die Prüfung des Krans? Weiß keiner.\n- Der Kran hebt zwei Tonnen.")
    assert [s.open for s in said] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "name", "stated"),
    [
        ("invoices – Years: 10", "duration", True),
        ("Rechnungen – Jahre: 10", "duration", True),
        ("Lift it carefully.", "who", False),
        ("The IT answers.", "who", True),
    ],
)
def test_a_column_of_years_is_a_duration_and_a_pronoun_no_team(text: str, name: str, stated: bool) -> None:
    assert next(a for a in ATTRIBUTES if a.name == name).is_stated(text) is stated


def _said(body: str) -> list[Statement]:
    return statements(read_note("Note.md", f"# Titel\n\n{body}\n".encode(), 0))
