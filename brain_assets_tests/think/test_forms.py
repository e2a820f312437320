"""Words in other forms: inflected, part of a compound, misspelt."""

from __future__ import annotations

import pytest

from brain_assets.think.evidence import _is_called
from brain_assets.think.forms import halves, same_but_inflected
from brain_assets.think.meaning import Meaning


@pytest.mark.parametrize(
    ("one", "other"),
    [("bestellt", "bestellen"), ("Bestellung", "bestellungen"), ("planned", "planning"), ("repariert", "reparieren")],
)
def test_another_ending_is_an_inflection(one: str, other: str) -> None:
    assert same_but_inflected(one, other) and same_but_inflected(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("Hebebuhen", "hebebühne"), ("Kassnserver", "kassenserver"), ("tea", "ten")]
)
def test_a_slip_is_none(one: str, other: str) -> None:
    assert not same_but_inflected(one, other)


def test_a_word_that_means_the_first_part_of_a_compound_is_not_the_compound() -> None:
    meaning = Meaning.default()
    assert ("firmen", "wagen") in halves("Firmenwagen")
    assert not _is_called("Firmenwagen", "company", meaning)
    assert _is_called("Drucker", "printer", meaning)
