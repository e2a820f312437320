from __future__ import annotations

import pytest

from brain_assets.retrieval.spelling import correction, one_apart
from brain_assets_tests.retrieval.conftest import Brain


@pytest.mark.parametrize(
    ("a", "b"), [("laptpo", "laptop"), ("drucker", "druker"), ("druker", "drucker"), ("gatewax", "gateway")]
)
def test_one_slip_apart(a: str, b: str) -> None:
    assert one_apart(a, b) and one_apart(b, a)


@pytest.mark.parametrize(("a", "b"), [("laptop", "laptop"), ("tokio", "token"), ("abcd", "abcdef"), ("abcde", "badce")])
def test_not_one_slip_apart(a: str, b: str) -> None:
    assert not one_apart(a, b)


def test_the_most_frequent_neighbour_with_the_same_first_letter_is_meant() -> None:
    terms = [("gateways", 2), ("gateway", 9), ("batewai", 50), ("gatew4y", 80)]
    assert correction("gatewai", terms) == "gateway"
    assert correction("tunnel", terms) is None


def test_one_misspelt_word_beside_others_is_corrected(small: Brain) -> None:
    hit = small.searcher().search("Sicherung im Objektspeihcer", explain=True).hits[0]
    assert hit.path == "Datenbank/Sicherung.md" and hit.explain is not None
    assert hit.explain["corrected"] == {"Objektspeihcer": "Objektspeicher"}


def test_words_of_the_other_language_are_no_misspellings(small: Brain) -> None:
    hits = small.searcher().search("Wie lange laptopt der Tunnel?", explain=True).hits
    assert hits and all(hit.explain is not None and "corrected" not in hit.explain for hit in hits)
