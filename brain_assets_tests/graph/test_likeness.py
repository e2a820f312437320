"""Values of one attribute of one thing: which two are compared, and how likely one thing is meant."""

from __future__ import annotations

import pytest

from brain_assets.graph import contradictions, likeness, quantities, statements
from brain_assets.graph.wordvectors import WordVectors
from brain_assets_tests.graph.brains import note


@pytest.fixture(scope="module")
def words() -> WordVectors:
    return WordVectors()


def _values(words: WordVectors, a: tuple[str, str], b: tuple[str, str]) -> list[tuple[str, str]]:
    one, other = note("a", a[1] + "\n", title=a[0]), note("b", b[1] + "\n", title=b[0])
    return [(c.a_value, c.b_value) for c in contradictions.between(one, other, words=words)]


@pytest.mark.parametrize(
    ("a", "b", "values"),
    [
        (
            (
                "Brennofen Werkstatt",
                "| Programm | Endtemperatur | Haltezeit |\n|---|---|---|\n| Schrühbrand | 950 °C | 20 min |",
            ),
            ("Schrühbrand im Brennofen", "Der Schrühbrand endet bei 1020 °C."),
            ("950 °C", "1020 °C"),
        ),
        (
            ("Kletterhalle Öffnung", "Die Kletterhalle öffnet am Sonntag um 9:00 Uhr."),
            ("Climbing hall hours", "On Sundays the climbing hall opens at 10:30."),
            ("9:00 Uhr", "10:30"),
        ),
        (
            ("Sommerfest", "12.09. Sommerfest im Hof, mit Band"),
            ("Planung Sommerfest", "Das Sommerfest im Hof ist am 19. September 2026."),
            ("12.09.", "19. September 2026"),
        ),
        (
            ("Build images", "The nightly build uses the image `postgres:16-alpine`."),
            ("Nightly build", "The nightly build uses PostgreSQL 15 as its image."),
            ("16", "15"),
        ),
        (
            ("Bildarchiv", "Das Bildarchiv liegt auf nas-foto2."),
            (
                "Sicherung Bildarchiv",
                "Das Bildarchiv wird von `nas-foto5.verein.example.org` gesichert, dort liegt es.",
            ),
            ("nas-foto2", "nas-foto5.verein.example.org"),
        ),
        (
            ("Travel rules", "Hotel rooms are reimbursed up to £120 per night."),
            ("Travel expenses, short", "Hotel rooms: we reimburse up to £95 per night."),
            ("£120", "£95"),
        ),
    ],
)
def test_two_values_of_one_thing_conflict(
    words: WordVectors, a: tuple[str, str], b: tuple[str, str], values: tuple[str, str]
) -> None:
    assert values in _values(words, a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("Öfen", "Ofen 1 brennt bei 950 °C."), ("Öfen der Werkstatt", "Ofen 2 brennt bei 1020 °C.")),
        (("Opening hours", "Monday to Friday we close at 18:00."), ("Opening hours", "On Sundays we close at 13:00.")),
        (
            ("Ausleihe", "Kameras werden 14 Tage verliehen."),
            ("Ausleihe neu", "Kameras werden 30 Tage verliehen, die 14 Tage aus dem alten Blatt gelten nicht mehr."),
        ),
        (("Chat Werkstatt", "**Mia** [09:10] der Ofen ist aus"), ("Chat Werkstatt", "**Mia** [14:25] der Ofen ist an")),
        (("Frist", "Rechnungen sind nach 14 Tagen fällig."), ("Payment", "Invoices are due after two weeks.")),
        (
            ("Fotodatenbank", "Die Fotodatenbank läuft mit MariaDB 11.4."),
            ("Testdatenbank Fotos", "Die Testdatenbank der Fotos läuft mit MariaDB 11.8."),
        ),
    ],
)
def test_what_is_said_of_another_thing_day_time_or_system_does_not(
    words: WordVectors, a: tuple[str, str], b: tuple[str, str]
) -> None:
    assert _values(words, a, b) == []


@pytest.mark.parametrize(
    ("text", "dimension", "amount"),
    [
        ("Die Schulung ist in Raum 2.14", "room", "2.14"),
        ("you find us in room 204.", "room", "204"),
        ("Kantine: 5. Obergeschoss", "floor", 5.0),
        ("on the third floor", "floor", 3.0),
        ("Im Notfall Durchwahl 4711", "extension", "4711"),
        ("Replikate: 5", "count", 5.0),
        ("lagern bei -80 °C", "temperature", -80.0),
        ("at minus twenty degrees", "temperature", -20.0),
        ("Meals cost €12.50 a day", "money:eur", 12.5),
        ("15 per cent off", "percent", 15.0),
        ("zwei volle Jahre", "duration", 63_072_000.0),
        ("jeden dritten Tag", "interval", 259_200.0),
        ("Basis ist python:3.12-slim", "version", "3.12"),
        ("läuft auf `debian:13-slim`", "version", "13"),
        ("based on Debian 12", "version", "12"),
        ("Port der Weboberfläche: 8443", "port", 8443.0),
    ],
)
def test_values_as_people_write_them(text: str, dimension: str, amount: float | str) -> None:
    assert (dimension, amount) in [(v.dimension, v.amount) for v in quantities.find(text)]


@pytest.mark.parametrize("text", ["3.1. Überblick", "utf-8 und sha-256", "Planer 3 braucht viel Platz", "Covid-19"])
def test_names_and_numbers_of_sections_are_no_values(text: str) -> None:
    assert quantities.find(text) == []


def test_more_than_is_a_limit_where_it_is_denied() -> None:
    [most] = quantities.find("Mehr als 50 kg darf auf keinem Regalboden liegen.")
    [least] = quantities.find("The hall holds more than 50 kg.")
    assert (most.bound, least.bound) == ("max", "min")


def test_a_table_cell_is_told_by_its_row_and_column() -> None:
    found = statements.of(
        note("t", "| Metrik | Warnung | kritisch |\n|---|---|---|\n| Speicherplatz |  | 90 % |\n", title="Alarme")
    )
    [cell] = [s for s in found if s.values]
    assert [t.text for t in cell.own][:2] == ["Speicherplatz", "kritisch"]
    assert likeness.blanked(cell, cell.values[0]).startswith("Speicherplatz kritisch")


def test_a_rare_word_says_more_than_a_common_one() -> None:
    assert likeness.rarity("lesenacht") > likeness.rarity("patchday") > likeness.rarity("server")


def test_an_upper_bound_and_a_figure_below_it_may_differ_or_agree() -> None:
    [bound], [figure] = quantities.find("up to 25 Mbit/s"), quantities.find("10 Mbit/s")
    assert not quantities.conflicting(bound, figure)
    assert quantities.loosely_conflicting(bound, figure)
    assert not quantities.equal(bound, figure)
