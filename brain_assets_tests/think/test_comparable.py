"""Cheap marks of statements: they may promise more than a sentence holds, never less."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain_assets.graph import polarity, quantities
from brain_assets.think import comparable
from brain_assets.think.statements import Statement, statements
from brain_assets_tests.think.test_statements import entry

SENTENCES = (
    "Der Zugang ist verboten.",
    "Gäste dürfen das Netz nicht nutzen.",
    "Nur die Leitung unterschreibt.",
    "Die Anlage ist außer Betrieb.",
    "Das läuft von Hand.",
    "You don't need a ticket.",
    "Access is free of charge only on Sundays.",
    "The old relay has been decommissioned.",
    "Manuelle Läufe sind die Ausnahme.",
    "Sie wird jede Woche geprüft.",
    "The list is checked every month.",
    "Das dauert eine Viertelstunde.",
    "Übergabe ist mittwochs.",
    "Er heißt `mx2.example.org`.",
    "Write to desk@example.org.",
    "Anhänge bis 25 MB.",
)


def sample_sentences() -> list[str]:
    vault = Path(__file__).parents[2] / "data" / "vault"
    bodies = [path.read_text(encoding="utf-8") for path in sorted(vault.rglob("*.md"))]
    return [s.text for body in bodies for s in statements(entry(body)) if s.kind != "code"]


@pytest.mark.parametrize("texts", [SENTENCES, sample_sentences()], ids=["written", "sample"])
def test_no_value_and_no_denial_goes_unmarked(texts: list[str]) -> None:
    assert len(texts) > 10
    for text in texts:
        mark, said = comparable.marks(text), polarity.of(text)
        if any(v.dimension != "count" for v in quantities.find(text)):
            assert mark.value, text
        if said.negated or said.only or any(sign < 0 for _, sign in said.states):
            assert mark.denial, text


def near(*texts: str) -> list[Statement]:
    body = "\n\n".join(texts)
    return statements(entry(body))


def test_only_pairs_that_may_disagree_are_read() -> None:
    said = {
        1: near("Die Pumpe läuft mit 3 bar.", "Die Pumpe steht im Keller."),
        2: near("Die Pumpe läuft mit 4 bar.", "Der Kanister ist rot."),
        3: near("Der Empfang hat 2 Telefone."),
    }
    found = comparable.find(said)
    assert found.pairs == {(1, 2)}
    assert found.read == {1: {0}, 2: {0}, 3: frozenset()}


def test_a_denial_needs_more_in_common_than_a_value() -> None:
    apart = comparable.find({1: near("Die Pumpe ist nicht laut."), 2: near("Der Antrag für die Pumpe liegt vor.")})
    assert not apart.pairs
    together = comparable.find({1: near("Die Pumpe braucht kein Öl."), 2: near("Die Pumpe braucht immer Öl.")})
    assert together.pairs == {(1, 2)}


def test_where_the_other_side_states_the_same_figure_is_read_too() -> None:
    said = {
        1: near("Die Pumpe läuft mit 3 bar."),
        2: near("Die Pumpe läuft mit 4 bar.", "Im Winter sind 3 bar eingestellt."),
    }
    assert comparable.find(said).read[2] == {0, 1}
