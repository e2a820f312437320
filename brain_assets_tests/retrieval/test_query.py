from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_assets.model.search import Filters
from brain_assets.retrieval.query import LONGEST_QUERY, parse, parse_date


def test_every_operator_at_once() -> None:
    query = parse('VPN "split tunnel" -alt -tag:intern title:Gateway tag:#netz path:Wissen/ type:how-to before:2025')
    assert query.text == "VPN split tunnel Gateway"
    assert query.phrases == ("split tunnel",) and query.titles == ("Gateway",)
    assert query.excluded == (("", "alt"), ("tag", "intern"))
    assert query.filters == (
        Filters(types=("how-to",), tags=("#netz",), paths=("Wissen/",), before=dt.date(2025, 12, 31)),
    )


def test_operators_narrow_the_filters_that_are_given() -> None:
    given_filters = Filters(kinds=("kb",), types=("how-to",))
    assert parse("vpn type:reference", given_filters).filters == (given_filters, Filters(types=("reference",)))


def test_in_a_question_quotation_marks_and_hyphens_are_text() -> None:
    query = parse('Why does "permission denied" appear with ls -l?')
    assert query.phrases == () and query.excluded == ()
    assert query.text == "Why does permission denied appear with ls -l?"


@pytest.mark.parametrize("text", ["tag:", "title: ", "before: 2025", "path:", "- -", '"', 'a "b', "::", "-", '""'])
def test_operators_without_a_value_are_text(text: str) -> None:
    query = parse(text)
    assert not query.titles and not query.phrases and not query.filters and not query.excluded


@pytest.mark.parametrize("text", ["vpn tag:", "tag: vpn", "Titel:", "-path: x"])
def test_an_operator_without_a_value_is_said(text: str) -> None:
    assert "has no value" in parse(text).notes[0]


def test_a_value_that_is_no_date_is_said_and_searched_as_text() -> None:
    query = parse("backup after:gestern")
    assert query.text == "backup gestern" and "gestern" in query.notes[0] and not query.filters


@pytest.mark.parametrize(
    ("text", "side", "expected"),
    [
        ("2026-01-31", "after", dt.date(2026, 1, 31)),
        ("31.1.2026", "after", dt.date(2026, 1, 31)),
        ("2026", "after", dt.date(2026, 1, 1)),
        ("2026", "before", dt.date(2026, 12, 31)),
        ("2026-02", "before", dt.date(2026, 2, 28)),
        ("2026-13", "after", None),
        ("31.2.2026", "after", None),
        ("morgen", "after", None),
    ],
)
def test_dates(text: str, side: str, expected: dt.date | None) -> None:
    assert parse_date(text, side) == expected


def test_a_long_query_is_cut_and_said() -> None:
    query = parse("wort " * 5000)
    assert len(query.text) <= LONGEST_QUERY and "10,000" in query.notes[0]


@given(st.text(alphabet=st.characters(), max_size=300))
def test_nothing_makes_it_raise(text: str) -> None:
    query = parse(text)
    query.text.encode("utf-8")


OPERATORS = ['"', "-", "title:", "tag:", "before:", "2025", "vpn", " ", "?", "-tag:"]


@given(st.lists(st.sampled_from(OPERATORS), max_size=30))
def test_no_mixture_of_operators_makes_it_raise(parts: list[str]) -> None:
    parse("".join(parts))
