"""What is worth reading closely, told by the marks of statements."""

from __future__ import annotations

import pytest

from brain_assets.think import comparable
from brain_assets.think.statements import Statement, statements
from brain_assets_tests.think.test_statements import entry


@pytest.mark.parametrize(
    ("a", "b", "compared"),
    [
        ("Das Tor öffnet um 06:00 Uhr.", "Das Tor öffnet um 07:30 Uhr.", True),
        ("Das Tor öffnet um 06:00 Uhr.", "Das Tor kostet 900 Euro.", False),
        ("Das Tor hat zwei Riegel.", "Das Tor hat drei Riegel.", True),
        ("Das Tor hat zwei Riegel.", "Das Tor hat drei Schlüssel.", False),
        ("Gäste dürfen das Tor öffnen.", "Gästen ist das Öffnen vom Tor verboten.", True),
        ("Die Pumpe braucht kein Öl.", "Die Pumpe braucht immer Öl.", True),
        ("Die Pumpe ist nicht laut.", "Der Antrag für die Pumpe liegt vor.", False),
        ("Nur die Leitung öffnet das Tor.", "Alle Beschäftigten öffnen das Tor selbst.", True),
        ("Die Sicherung läuft automatisch.", "Die Sicherung wird von Hand gestartet.", True),
        ("Die Pumpe läuft gut.", "Die Pumpe steht im Keller.", False),
        ("Das Tor öffnet um 06:00 Uhr.", "Der Empfang ist ab 07:30 besetzt.", False),
    ],
)
def test_two_statements_are_compared_where_they_may_disagree(a: str, b: str, compared: bool) -> None:
    found = comparable.find({1: near(a), 2: near(b)})
    assert bool(found.pairs) == compared
    assert found.read == ({1: {0}, 2: {0}} if compared else {1: frozenset(), 2: frozenset()})


def near(*texts: str) -> list[Statement]:
    body = "\n\n".join(texts)
    return statements(entry(body, title="Notiz"))


def test_only_pairs_that_may_disagree_are_read() -> None:
    said = {
        1: near("Die Pumpe läuft mit 3 kW.", "Die Pumpe steht im Keller."),
        2: near("Die Pumpe läuft mit 4000 W.", "Der Kanister ist rot."),
        3: near("Der Empfang hat 2 Telefone."),
    }
    found = comparable.find(said)
    assert found.pairs == {(1, 2)}
    assert found.read == {1: {0}, 2: {0}, 3: frozenset()}


def test_where_the_other_side_states_the_same_figure_is_read_too() -> None:
    said = {
        1: near("Die Pumpe läuft mit 3 kW."),
        2: near("Die Pumpe läuft mit 4 kW.", "Im Winter sind 3 kW eingestellt."),
    }
    assert comparable.find(said).read[2] == {0, 1}
