from __future__ import annotations

import pytest

from brain_assets.think.aspects import parse
from brain_assets.think.attributes import ATTRIBUTES, PROCEDURE, asked
from brain_assets.think.forms import covered, misspelt
from brain_assets.think.statements import keys


def things(query: str, language: str) -> list[str]:
    return [t.text for t in parse(query, language).terms if t.kind != "other"]


@pytest.mark.parametrize(
    ("query", "language", "expected"),
    [
        ("Wie entlüfte ich die Bremsen?", "de", ["Bremsen"]),
        ("Was kostet ein Leihrad im Monat und wer bezahlt es?", "de", ["Leihrad"]),
        ("How do I register my new bike at the front desk?", "en", ["bike", "front", "desk"]),
        ("Which Zahlwerk version runs on the till?", "en", ["Zahlwerk", "till"]),
        ("Why did we choose Argo CD instead of push?", "en", ["Argo CD", "push"]),
        ("Auf welchem Server liegt die Warteschlange TW-Follow?", "de", ["Warteschlange", "TW-Follow"]),
        ("Schlechte Bremsen beim Fahren, was tun?", "de", ["Bremsen"]),
        ("wie und was und wo", "de", []),
        ("Auf wie viel Watt ist der Motor begrenzt?", "de", ["Motor"]),
    ],
)
def test_a_query_names_things_not_tokens(query: str, language: str, expected: list[str]) -> None:
    assert things(query, language) == expected


def test_each_clause_has_its_attributes_and_its_subject() -> None:
    question = parse("Wie beantrage ich einen Stellplatz und was kostet er im Monat?", "de")
    assert [[a.name for a in s.attributes] for s in question.segments] == [[], ["cost"]]
    assert [t.text for t in question.segments[1].subject] == ["Stellplatz"]
    heading = parse("Hebebühne Nord: Traglast, Wartung, wer prüft sie?", "de")
    assert [t.text for t in heading.segments[1].subject] == ["Hebebühne", "Nord"]
    assert [a.name for s in heading.segments for a in s.attributes] == ["amount", "who"]


def test_an_asking_compound_names_its_thing() -> None:
    question = parse("Kündigungsfrist", "de")
    assert [a.name for a in question.segments[0].attributes] == ["duration"]
    assert question.terms[0].asking
    assert covered(question.terms[0], keys("Die Kündigung muss vier Wochen vorher da sein."))


def test_umlauts_may_be_spelled_out() -> None:
    assert things("Gueltigkeit der Gaestecodes fuer Geraete", "de") == ["Gästecodes", "Geräte"]
    assert things("Does the queue value exist?", "en") == ["queue", "value", "exist"]


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Was kostet die Lizenz?", "cost"),
        ("How much is the licence?", "cost"),
        ("Wer bezahlt das?", "payer"),
        ("Wie lange gilt der Code?", "duration"),
        ("Nach wie vielen Tagen läuft er ab?", "duration"),
        ("How often is it checked?", "interval"),
        ("Wann ist Schluss?", "date"),
        ("opening hours", "date"),
        ("Über welchen Port?", "port"),
        ("which version", "version"),
        ("Telefonnummer des Empfangs", "phone"),
        ("Auf welchem Server?", "address"),
        ("Wie viele Räder?", "amount"),
        ("Wer ist zuständig?", "who"),
    ],
)
def test_what_is_asked_is_known_by_its_words(text: str, attribute: str) -> None:
    assert attribute in [a.name for a, _ in asked(text)]


@pytest.mark.parametrize(
    ("attribute", "stated", "talk"),
    [
        ("cost", "Die Miete beträgt 80 Euro.", "Bitte die Kostenstelle eintragen."),
        ("cost", "Use is free of charge.", "Pay with your badge."),
        ("duration", "Er gilt eine Viertelstunde.", "Er gilt für das Gerät."),
        ("port", "It listens on port 8443.", "Plug it into the left port."),
        ("version", "Es läuft Version 3.2.1.", "Die Version steht im Menü."),
        ("who", "Die Filialleitung entscheidet.", "Two people hold the key."),
        ("payer", "Die Abteilung trägt die Kosten.", "Die Rechnung kommt im Mai."),
        ("temperature", "Bei 230 Grad backen.", "Heiß backen."),
        ("interval", "alle sechs Stunden", "immer mal wieder"),
    ],
)
def test_a_value_is_told_from_mere_talk(attribute: str, stated: str, talk: str) -> None:
    known = next(a for a in ATTRIBUTES if a.name == attribute)
    assert known.is_stated(stated)
    assert not known.is_stated(talk)


@pytest.mark.parametrize("query", ["Wie kann ich das tun?", "Kasse hängt, was tun?", "How do I bleed brakes?"])
def test_a_procedure_is_recognised(query: str) -> None:
    assert PROCEDURE.search(query)


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("Datenbankschema", "Das Schema der Datenbank", True),
        ("Schema", "Das Datenbankschema ist alt.", True),
        ("Aussteller", "der neuen Ausstellerin", True),
        ("Leihrad", "Leihräder", True),
        ("Betriebsrat", "Der Betrieb geht weiter.", False),
        ("printer", "Der Drucker ist aus.", True),
        ("SharePoint", "We share one point of view.", False),
        ("Lieferfrist", "Die Lieferung hat eine Frist von zwei Wochen.", True),
    ],
)
def test_a_thing_is_found_in_any_form_but_not_in_another_word(query: str, text: str, found: bool) -> None:
    term = parse(f"x {query}", "de").terms[-1]
    assert covered(term, keys(text)) is found


def test_slips_are_found_and_other_words_are_not() -> None:
    words = {"laptop", "etikettendrucker", "monitor", "dauert"}
    assert misspelt("Laptpo", words) == "laptop"
    assert misspelt("Etikettendrukcer", words) == "etikettendrucker"
    assert misspelt("Motor", words) is None
    assert misspelt("srv01", {"srv02"}) is None
