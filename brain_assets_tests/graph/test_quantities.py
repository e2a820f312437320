"""Values in German and English text, normalised."""

from __future__ import annotations

import itertools

import pytest

from brain_assets.graph import quantities
from brain_assets.graph.quantities import Value


def first(text: str, dimension: str) -> Value:
    found = [v for v in quantities.find(text) if v.dimension == dimension]
    assert found, [(v.dimension, v.text) for v in quantities.find(text)]
    return found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.380", 1380), ("1,380", 1380), ("1.5", 1.5), ("1,5", 1.5), ("12", 12), ("zwölf", 12), ("twelve", 12),
        ("1.250.000", 1250000), ("1,250,000.5", 1250000.5), ("1.250,75", 1250.75), ("0,125", 0.125), ("anderthalb", 1.5),
        ("x", None), ("", None), ("1..2", None),
    ],
)  # fmt: skip
def test_a_written_number(text: str, value: float | None) -> None:
    assert quantities.number(text) == value


@pytest.mark.parametrize(
    ("text", "dimension", "amount"),
    [
        ("Die Sitzung endet nach 1,5 h.", "duration", 5400),
        ("It stops after an hour and a half: 90 minutes.", "duration", 5400),
        ("löst sich nach einer Viertelstunde", "duration", 900),
        ("locked for 15 minutes", "duration", 900),
        ("gilt zwei Wochen", "duration", 1209600),
        ("valid for fourteen days", "duration", 1209600),
        ("dauert 15 Arbeitstage", "workdays", 15),
        ("ten working days", "workdays", 10),
        ("höchstens 25 MB groß", "bytes", 25e6),
        ("1.380 Byte", "bytes", 1380),
        ("2 TB Daten", "bytes", 2e12),
        ("100 Mbit/s", "bitrate", 1e8),
        ("bei 85 Prozent", "percent", 85),
        ("at 85 %", "percent", 85),
        ("kostet 49,90 Euro", "money:eur", 49.9),
        ("auf 800 W begrenzt", "watt", 800),
        ("0.8 kW", "watt", 800),
        ("läuft alle vier Stunden", "interval", 14400),
        ("runs every six hours", "interval", 21600),
        ("wird zweimal im Jahr geprüft", "interval", 15768000),
        ("wird täglich gesichert", "interval", 86400),
        ("mindestens 14 Zeichen", "count", 14),
        ("Two men are walking", "count", 2),
    ],
)
def test_amounts_in_base_units(text: str, dimension: str, amount: float) -> None:
    assert first(text, dimension).amount == pytest.approx(amount)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("am 14. November 2026 statt", (2026, 11, 14)),
        ("on 21 November 2026.", (2026, 11, 21)),
        ("on November 21st, 2026", (2026, 11, 21)),
        ("seit dem 03.11.2025", (2025, 11, 3)),
        ("am 3.11.", (0, 11, 3)),
        ("2026-11-14 geprüft", (2026, 11, 14)),
        ("am 1. Mai", (0, 5, 1)),
        ("founded in 1911", (1911, 0, 0)),
    ],
)
def test_dates(text: str, amount: tuple[int, int, int]) -> None:
    assert first(text, "date").amount == amount


@pytest.mark.parametrize(
    ("text", "dimension", "amount"),
    [
        ("beginnt um 03:00 Uhr", "clock", (180,)), ("starts at 3 am", "clock", (180,)), ("um 14 Uhr", "clock", (840,)),
        ("at 2 pm", "clock", (840,)), ("ends at 20:30.", "clock", (1230,)),
        ("geöffnet von 11:30 bis 13:45 Uhr", "clock", (690, 825)), ("00:30 UTC", "clock:utc", (30,)),
        ("montags um 09:00 Uhr", "weekday", (0,)), ("every Wednesday", "weekday", (2,)),
    ],
)  # fmt: skip
def test_times(text: str, dimension: str, amount: tuple[int, ...]) -> None:
    assert first(text, dimension).amount == amount


@pytest.mark.parametrize(
    ("text", "dimension", "amount"),
    [
        ("läuft auf `db1.example.org`", "host", "db1.example.org"),
        ("an 192.0.2.7 senden", "address", "192.0.2.7"),
        ("Netz 192.0.2.0/24", "network", "192.0.2.0/24"),
        ("auf Port 6432", "port", 6432.0),
        ("auf db1.example.org:6432", "port", 6432.0),
        ("läuft mit Kubernetes 1.33.5.", "version", "1.33.5"),
        ("PostgreSQL 15 im Einsatz", "version", "15"),
        ("Version 6.1 installieren", "version", "6.1"),
        ("Die Kassen laufen mit Ladora 5.2.", "version", "5.2"),
    ],
)
def test_names_and_versions(text: str, dimension: str, amount: object) -> None:
    assert first(text, dimension).amount == amount


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("14 Tage", "zwei Wochen", False), ("15 Minuten", "a quarter of an hour", False), ("1,5 GB", "1500 MB", False),
        ("30 Tage", "ein Monat", False), ("30 Tage", "35 Tage", True), ("1380 Byte", "1340 Byte", True),
        ("etwa 40 Minuten", "42 Minuten", False), ("Kubernetes 1.33", "Kubernetes 1.33.5", False),
        ("Kubernetes 1.33", "Kubernetes 1.31.2", True), ("am 4. Juli 2026", "on 2026-07-04", False),
        ("am 4. Juli", "on 5 July 2026", True), ("14 Uhr", "2 pm", False), ("um 14:00 Uhr", "at 15:00", True),
        ("mindestens 6 Personen", "höchstens 12 Personen", False), ("höchstens 20 kg", "25 kg", True),
        ("höchstens 20 kg", "18 kg", False), ("um 12:00 Uhr", "von 11:30 bis 13:45 Uhr", False),
        ("im Jahr 1901", "in 1911", True),
    ],
)  # fmt: skip
def test_when_two_values_conflict(one: str, other: str, conflict: bool) -> None:
    a, b = quantities.find(one)[0], quantities.find(other)[0]
    assert a.dimension == b.dimension
    assert quantities.conflicting(a, b) is conflict
    assert quantities.conflicting(b, a) is conflict


def test_values_never_overlap_and_stand_where_they_say() -> None:
    text = "Bis 31.12.2026 gelten 24 Stunden, danach 1,5 Tage (Port 443, 192.0.2.1, Version 2.4.1, 12 % von 300 EUR)."
    found = quantities.find(text)
    assert len(found) >= 8
    for a, b in itertools.pairwise(found):
        assert a.end <= b.start
    assert all(v.text.split()[0] in text[v.start - 1 : v.end + 12] for v in found)


@pytest.mark.parametrize("text", ["", "   ", "kein Wert", "Raum 0.12", "Siehe Kapitel 3.", "§ 5", "😀", "a" * 20_000])
def test_no_value_where_none_is(text: str) -> None:
    assert [v for v in quantities.find(text) if v.dimension not in ("count", "room")] == []


def test_a_value_set_aside_is_no_claim() -> None:
    text = "Shared mailboxes count 50 GB, not the 20 GB of a personal one."
    kept, aside = [v for v in quantities.find(text) if v.dimension == "bytes"]
    assert not quantities.contrasted(text, kept)
    assert quantities.contrasted(text, aside)
