"""Cue words: what is found is what the plain pattern finds."""

from __future__ import annotations

import re

import pytest

from brain_assets.graph import polarity, quantities, scope
from brain_assets.graph.cues import Cues, beginnings
from brain_assets_tests.graph.cases import CASES

_TEXTS = [t for c in CASES for part in (c.a_title, c.a, c.b_title, c.b) for t in (*part.split("\n"), part.upper())]
_ODD = [
    "",
    " ",
    "nicht",
    "Nicht-nur",
    "don't, isn’t; MUST NOT",
    "a.b-c_d nicht",
    "ßẞ İ ǆ",
    "keinkein nichtnicht",
    "\x00 no",
]
_SETS = [scope._CUES, scope._APART, scope._NUMBERED, polarity._CUES, quantities._CUES]


@pytest.mark.parametrize("cues", _SETS)
def test_each_pattern_is_found_where_a_plain_search_finds_it(cues: Cues) -> None:
    for text in (*_TEXTS, *_ODD):
        found = cues.found(text)
        for name, pattern in zip(cues.names, cues._patterns, strict=True):
            assert (name in found) == (pattern.search(text) is not None), (name, text)
            assert [m.span() for m in cues.each(name, text)] == [m.span() for m in pattern.finditer(text)]


@pytest.mark.parametrize("cues", _SETS)
def test_no_pattern_may_begin_with_any_word(cues: Cues) -> None:
    assert "" not in cues._beginnings


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"kein(?:e[nrms]?)?|nicht", {"kein", "nicht"}), (r"(?:do|is)n['’]t", {"don", "isn"}), (r"colou?r", {"colo"}),
        (r"(?:a|b(?:c|d))x|e[f|g]", {"a", "bc", "bd", "e"}), (r"[^x]a", {""}), (r"\(plan\)", {""}), (r"(?:ab)?c", {""}),
    ],
)  # fmt: skip
def test_how_a_match_may_begin(pattern: str, found: set[str]) -> None:
    begin = beginnings(pattern)
    assert all(any(b.startswith(g) for g in begin) for b in found)
    assert len(begin) <= len(found)


def test_an_open_group_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not close"):
        beginnings("(?:a|b")


def test_blanks_stand_for_what_is_taken_out() -> None:
    cues = Cues({"no": r"nicht nur|not only"})
    text = "Nicht nur hier, not only there."
    assert cues.without("no", text) == re.sub("nicht nur|not only", " ", text, flags=re.I)
    assert cues.without("no", "hier") == "hier"


def test_what_was_kept_of_many_words_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brain_assets.graph.cues._KEPT", 50)
    cues = Cues({"no": "nicht"})
    for n in range(500):
        assert cues.found(f"wort{n} nicht") == {"no"}
    assert len(cues._words) <= 50
