from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_assets.sources import dates

NOV3 = dt.date(2025, 11, 3)


@pytest.mark.parametrize(
    "text",
    [
        "2025-11-03",
        "2025/11/3",
        "2025.11.03",
        "2025-11-03T08:15:00+02:00",
        "2025-11-03 08:15",
        "2025-11-03T08:15:00.123Z",
        "20251103",
        "20251103T101500Z",
        "202511031530",
        "20251103101112",
        "2025-11-03 (überarbeitet)",
        "03.11.2025",
        "3. 11. 2025",
        "3.11.25",
        "03.11.2025 14:30 Uhr",
        "03.11.2025, 14:30",
        "Mo 3.11.2025",
        "3. November 2025",
        "03. Nov. 2025",
        "Montag, 3. November 2025",
        "Montag, den 3. November 2025",
        "3. NOVEMBER 2025",
        "11/03/2025",
        "11/3/25 2:30 PM",
        "03-11-2025",
        "3 Nov 2025",
        "3-Nov-2025",
        "November 3, 2025",
        "Nov 3rd, 2025",
        "3rd of November 2025",
        "Mon, 03 Nov 2025 10:00:00 +0100",
        "Mon Nov  3 14:00:00 2025",
        "Mon Nov 3 14:00:00 CET 2025",
        "[[2025-11-03]]",
        "[[Journal/2025-11-03|heute]]",
        "[[Journal/2025-11-03]]",
        "1762174800",
        "1762174800000",
        " 2025-11-03 ",
        "2025-W45",
        "2025-W45-1",
    ],
)
def test_one_day_in_many_spellings(text: str) -> None:
    assert dates.parse(text) == NOV3


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5. März 2026", (2026, 3, 5)),
        ("1. Mai 2026", (2026, 5, 1)),
        ("May 5 2026", (2026, 5, 5)),
        ("24. Dez. 2025", (2025, 12, 24)),
        ("2. Jänner 2026", (2026, 1, 2)),
        ("31 Oct 2025", (2025, 10, 31)),
        ("13/11/2025", (2025, 11, 13)),
        ("04/05/2025", (2025, 4, 5)),
        ("04.05.2025", (2025, 5, 4)),
        ("2026-10", (2026, 10, 1)),
        ("1.1.99", (1999, 1, 1)),
        ("29.02.2024", (2024, 2, 29)),
    ],
)
def test_days_and_months_are_not_confused(text: str, day: tuple[int, int, int]) -> None:
    assert dates.parse(text) == dt.date(*day)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gestern",
        "2025",
        "2025-02-30",
        "31.04.2025",
        "0000-00-00",
        "12.10",
        "10.5.3.2",
        "192.0.2.20",
        "{{date}}",
        "v1.2.2026x",
        "99999999",
        "99999999999999",
        "2025-13-01",
        "2025-W60",
        "1.2",
        "true",
        "Auguſt",
        "2025-11-03abc" * 20,
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert dates.parse(text) is None


@given(st.dates(min_value=dt.date(1970, 1, 1), max_value=dt.date(2069, 12, 31)))
def test_every_day_is_read_back(day: dt.date) -> None:
    for form in (
        "%Y-%m-%d",
        "%d.%m.%Y",
        "%Y%m%d",
        "%d %B %Y",
        "%B %d, %Y",
        "%d.%m.%y",
        "%m/%d/%Y",
        "%a %b %d %H:%M:%S %Y",
    ):
        assert dates.parse(day.strftime(form)) == day


@given(st.text(max_size=60))
def test_parsing_never_raises(text: str) -> None:
    dates.parse(text)
    dates.in_name(text)


def test_newest_field_wins_and_is_named_as_written() -> None:
    fields = {"created": "2025-01-01", "Zuletzt_geändert": "3.6.2026", "date": "2026-06-02", "due": "2027-01-01"}
    assert dates.stated(fields) == ((dt.date(2026, 6, 3), "Zuletzt_geändert"), [])
    assert dates.stated({"geaendert": "2026-01-01"}) == ((dt.date(2026, 1, 1), "geaendert"), [])
    same = {"created": "2026-01-01", "updated": "2026-01-01", "datum": "01.01.2026"}
    assert dates.stated(same) == ((dt.date(2026, 1, 1), "datum"), [])
    assert dates.stated({"due": "2027-01-01", "date": "bald"}) == (None, ["date"])
    fields = {"date": {"a": "b"}, "updated": None, "due": "x", "created": "2026-01-01", "stand": ""}
    assert dates.stated(fields) == ((dt.date(2026, 1, 1), "created"), ["date"])


def test_names() -> None:
    assert dates.in_name("IMG_20261124_101010") == dt.date(2026, 11, 24)
    assert dates.in_name("Team 2026-11-24") == dates.in_name("24.11.2026 Team") == dt.date(2026, 11, 24)
    assert dates.in_name("2026-11") is dates.in_name("123456789012") is dates.in_name("10.0.2.2026") is None


def test_file_times_are_utc_days_and_may_be_absurd() -> None:
    assert dates.from_timestamp(0) == dt.date(1970, 1, 1)
    assert dates.from_timestamp(-86_400) == dt.date(1969, 12, 31)
    assert dates.from_timestamp(10**18) is None
