"""What of a question is missing, and what is only called by another word."""

from __future__ import annotations

import pytest

from brain_assets.sources.vault import read_note
from brain_assets.think import missing, think
from brain_assets.think.aspects import parse
from brain_assets.think.attributes import asked
from brain_assets.think.evidence import Found
from brain_assets.think.statements import statements
from brain_assets_tests.think.conftest import Brain


def terms(brain: Brain, query: str) -> list[str]:
    answer = think(brain.settings, query, no_llm=True, searcher=brain.searcher, record=False)
    return [m.term for m in answer.gaps.missing]


@pytest.mark.parametrize(
    ("query", "absent"),
    [
        ("Wie entlüfte ich die Kupplung?", "Kupplung"),
        ("Kupplung ausbauen", "Kupplung"),
        ("How do I clean the clutch?", "clutch"),
        ("Wie viele Fahrstühle hat die Werkstatt?", "Fahrstühle"),
    ],
)
def test_what_a_way_or_a_number_is_asked_of_is_missing(brain: Brain, query: str, absent: str) -> None:
    assert any(absent in term for term in terms(brain, query))


@pytest.mark.parametrize(
    "query",
    [
        "Trägt die Hebebühne im Frühling höchstens 60 kg?",
        "Eignet sich der Montageständer als Hebebühne?",
        "Does the lift carry tandems in springtime?",
        "Hebebühne Nord Werkstattleiter",
    ],
)
def test_a_word_beside_what_is_asked_may_be_another_name(brain: Brain, query: str) -> None:
    assert terms(brain, query) == []


@pytest.mark.parametrize(
    ("query", "language", "clauses"),
    [
        ("Wer hat ab 10. Dezember Dienst?", "de", 1),
        ("Am 3. November geplant? Und wer kommt?", "de", 2),
        ("Das war 2027. Was folgt?", "de", 2),
    ],
)
def test_the_day_of_a_date_ends_no_clause(query: str, language: str, clauses: int) -> None:
    assert len(parse(query, language).segments) == clauses


@pytest.mark.parametrize(
    ("query", "things"),
    [
        ("Lässt sich die Rechnung zurücknehmen?", ["Rechnung"]),
        ("Erscheint an Ostern ein Heft?", ["Ostern", "Heft"]),
        ("Paket ohne Etikett im Hof, wohin damit?", ["Paket", "Etikett", "Hof"]),
        ("DICOM Zielrechner", ["DICOM", "Zielrechner"]),
    ],
)
def test_things_of_german_questions(query: str, things: list[str]) -> None:
    assert [t.text for t in parse(query, "de").terms if t.kind != "other"] == things


def test_a_hyphened_version_asks_of_the_thing_before_it() -> None:
    (segment,) = parse("PostgreSQL-Version der Labordatenbank", "de").segments
    assert [a.name for a in segment.attributes] == ["version"]
    assert [t.text for t in segment.subject] == ["PostgreSQL", "Labordatenbank"]


def test_what_stands_before_a_colon_belongs_to_each_subject() -> None:
    question = parse("Führung: Uhrzeit, Anmeldung bei wem?", "de")
    assert [[t.text for t in s.subject] for s in question.segments] == [
        ["Führung"],
        ["Führung"],
        ["Führung", "Anmeldung"],
    ]
    assert [a.name for s in question.segments for a in s.attributes] == ["clock", "who"]


def test_a_later_clause_on_another_thing_is_named_by_that_alone() -> None:
    (found,) = [
        Found(segment, attribute, ())
        for segment in parse("Welche MTU hat der Tunnel und welche Telefonnummer hat die Bereitschaft?", "de").segments
        for attribute in segment.attributes
        if attribute.name == "phone"
    ]
    assert missing.label_of(found, "de") == "Telefonnummer: Bereitschaft"


@pytest.mark.parametrize(
    ("text", "stated"),
    [("Der Dienst läuft in 16.6.", True), ("Version 7", True), ("DNS macht 192.0.2.53.", False)],
)
def test_an_address_is_no_version(text: str, stated: bool) -> None:
    ((attribute, _),) = asked("welche Version")
    assert attribute.is_stated(text) is stated


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("Open: who pays for it?", True),
        ("Der Grenzwert ist noch zu ermitteln.", True),
        ("Wer zahlt, ist bisher nicht entschieden.", True),
        ("Das hat niemand aufgeschrieben, es ist nirgends dokumentiert.", True),
        ("Which value is acceptable has never been written down.", True),
        ("The budget is still undecided.", True),
        ("Open the valve slowly.", False),
        ("Das Tor ist nachts zu.", False),
        ("Der Stand ist dokumentiert.", False),
    ],
)
def test_what_is_not_settled_is_told_by_its_words(text: str, is_open: bool) -> None:
    (said,) = statements(read_note("Note.md", f"# Titel\n\n{text}\n".encode(), 0))
    assert said.open is is_open
