from __future__ import annotations

import pytest

from brain_assets.retrieval.compounds import Splitter, count_words, dictionary

WORDS = """datenbank daten bank schema auftrag nummer verfall zeit druck farbe verbindung abbruch server netz segment
schlüssel einstellung stellung seite gerät""".split()


@pytest.fixture(scope="module")
def splitter() -> Splitter:
    return Splitter(dictionary(dict.fromkeys(WORDS, 2)))


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("datenbankschema", ["datenbank", "schema"]),
        ("auftragsnummer", ["auftrag", "nummer"]),
        ("druckauftragsverfallszeit", ["druck", "auftrag", "verfall", "zeit"]),
        ("farbdruck", ["farb", "druck"]),
        ("seitendruck", ["seite", "druck"]),
        ("verbindungsschlüssel", ["verbindung", "schlüssel"]),
        ("verbindungsabbrüche", ["verbindung", "abbrüche"]),
        ("datenbankservern", ["datenbank", "servern"]),
        ("netzsegment", ["netz", "segment"]),
        ("netzgeräte", ["netz", "geräte"]),
    ],
)
def test_compounds_fall_into_their_words(splitter: Splitter, word: str, parts: list[str]) -> None:
    assert splitter.split(word) == parts


@pytest.mark.parametrize(
    "word", ["datenbank", "datenbanken", "einstellungen", "druck", "netzwerk", "zeitungsente", "x" * 60, ""]
)
def test_other_words_stay_whole(splitter: Splitter, word: str) -> None:
    assert splitter.split(word) == [word]


def test_an_empty_dictionary_splits_nothing() -> None:
    assert Splitter([]).split("datenbankschema") == ["datenbankschema"]


def test_the_dictionary_has_what_is_seen_twice() -> None:
    counts = count_words(["Der Auftrag (Auftrag), die Farbe, die Farbe. Einmalig!", "auftrag Konfigurationsdatei"])
    assert counts["auftrag"] == 3 and "konfigurationsdatei" not in counts and "der" not in counts
    assert dictionary(counts) == ["auftrag", "farb", "farbe"]


@pytest.mark.parametrize(("learnt", "asked"), [("geräte", "geraeteadresse"), ("geraete", "geräteadresse")])
def test_compounds_are_split_in_either_spelling(learnt: str, asked: str) -> None:
    assert Splitter([learnt, "adresse"]).split(asked)[1] == "adresse"
