"""Dates as people write them in front matter and file names, in German and English."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "januar jänner jaenner january jan jän",
            "februar feber february feb",
            "märz maerz march mär mrz mar",
            "april apr",
            "mai may",
            "juni june jun juno",
            "juli july jul julei",
            "august aug",
            "september sept sep",
            "oktober october okt oct",
            "november nov",
            "dezember december dez dec",
        ),
        start=1,
    )
    for name in names.split()
}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_TIME = r"(?:[ T,]{1,3}(?:um\s|at\s)?\d{1,2}[:.]?\d{2}.{0,40})?"
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(?:\D.{0,60})?", re.DOTALL)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[T_ -]?\d{4,6}(?:\D.{0,40})?)?")
_MONTH_ONLY = re.compile(r"(\d{4})[-/.](\d{1,2})")
_WEEK = re.compile(r"(\d{4})-?W(\d{2})(?:-?([1-7]))?", re.IGNORECASE)
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?!\d)" + _TIME)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?!\d)" + _TIME)
_DASHED = re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4})(?!\d)" + _TIME)
_DAY_MONTH = re.compile(
    rf"(\d{{1,2}})(?:\.|st|nd|rd|th)?[\s-]{{0,3}}(?:of\s)?({_NAME})\.?,?[\s-]{{1,3}}(\d{{4}})(?!\d)" + _TIME,
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"({_NAME})\.?\s{{1,3}}(\d{{1,2}})(?:st|nd|rd|th)?,?\s(?:\d{{1,2}}:\d{{2}}(?::\d{{2}})?\s(?:[A-Z]{{3,4}}\s)?)?"
    rf"(\d{{4}})(?!\d)" + _TIME, re.IGNORECASE,
)  # fmt: skip
_WEEKDAY = re.compile(
    r"(?:mo|di|mi|do|fr|sa|so|mon|tue|wed|thu|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|"
    r"sonntag|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tues|thur|thurs)\b[.,]{0,2}\s{0,3}(?:den\s)?",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*/)?([^\[\]|/]*)(?:\|[^\[\]]*)?\]\]")
_IN_NAME = re.compile(
    r"(?<!\d)(?:(?P<y>\d{4})(?P<s>[-_.]?)(?P<m>\d{2})(?P=s)(?P<d>\d{2})|(?P<d2>\d{1,2})\.(?P<m2>\d{1,2})\.(?P<y2>\d{4}))(?!\d)"
)

_FIELDS = {
    name: rank
    for rank, names in enumerate(
        (
            "date|datum",
            "updated|updated at|updated on|last updated|date updated|modified|modified at|modified on|last modified|"
            "date modified|lastmod|last edited|aktualisiert|aktualisiert am|zuletzt aktualisiert|letzte aktualisierung|"
            "geändert|geändert am|zuletzt geändert|letzte änderung|änderungsdatum|bearbeitet|bearbeitet am|"
            "zuletzt bearbeitet|stand",
            "created|created at|created on|date created|creation date|erstellt|erstellt am|erstellungsdatum|angelegt|"
            "angelegt am",
        )
    )
    for name in names.split("|")
}
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "_": " ", "-": " "})


def _field_key(name: str) -> str:
    return " ".join(name.lower().translate(_SPELLED).split())


_RANKS = {_field_key(name): rank for name, rank in _FIELDS.items()}


@lru_cache(maxsize=4096)
def _rank(name: str) -> int | None:
    """Place of a front matter field among those that say when the note was written or changed; None for any other."""
    return _RANKS.get(_field_key(name[:100]))


class Dated(NamedTuple):
    date: dt.date
    field: str


def stated(fields: Mapping[str, Any]) -> tuple[Dated | None, list[str]]:
    """(newest date that the fields state, names of date fields filled with something that is no date).

    Looks at `date`, `updated`/`modified`, `created` and their German names; of equal dates the field named first in
    that list wins. `field` is the name as written.
    """
    best: tuple[dt.date, int, str] | None = None
    unreadable = []
    for name, value in fields.items():
        rank = _rank(name)
        if rank is None or value in (None, "", []):
            continue
        found = max(_values(value), default=None)
        if found is None:
            unreadable.append(name)
        elif best is None or (found, -rank) > best[:2]:
            best = (found, -rank, name)
    return (Dated(best[0], best[2]) if best else None), unreadable


def _values(value: Any) -> Iterable[dt.date]:
    for one in value[:50] if isinstance(value, list) else (value,):
        if isinstance(one, str) and (found := parse(one)):
            yield found


def parse(text: str) -> dt.date | None:
    """A calendar date in ISO (with time and zone or without), German (`3.11.2025`, `3. November 2025`), US
    (`11/03/2025`) or spelled English form, an ISO week, a Unix time, or a link to a daily note; else None.

    Dots mean day first, slashes month first unless that is impossible. The day is the one written, whatever the zone.
    A month stands for its first day; a bare year is no date.
    """
    text = text.strip()[:120]
    if text.startswith("[[") and (link := _LINK.fullmatch(text)):
        text = link[1].strip()
    if not text[:1].isdigit() and (match := _WEEKDAY.match(text)):
        text = text[match.end() :]
    if match := _ISO.fullmatch(text):
        return _date(match[1], match[3], match[4])
    if (match := _COMPACT.fullmatch(text)) and (found := _date(match[1], match[2], match[3])):
        return found
    if match := _DOTTED.fullmatch(text):
        return _date(match[3], match[2], match[1])
    if match := _SLASHED.fullmatch(text):
        return _date(match[3], match[1], match[2]) or _date(match[3], match[2], match[1])
    if match := _DASHED.fullmatch(text):
        return _date(match[3], match[2], match[1]) or _date(match[3], match[1], match[2])
    if match := _DAY_MONTH.fullmatch(text):
        return _date(match[3], _MONTHS[match[2].casefold()], match[1])
    if match := _MONTH_DAY.fullmatch(text):
        return _date(match[3], _MONTHS[match[1].casefold()], match[2])
    if match := _MONTH_ONLY.fullmatch(text):
        return _date(match[1], match[2], 1)
    if match := _WEEK.fullmatch(text):
        return _week(int(match[1]), int(match[2]), int(match[3] or 1))
    if match := _EPOCH.fullmatch(text):
        return from_timestamp(int(text) / (1000 if len(text) == 13 else 1))
    return None


def _date(year: str | int, month: str | int, day: str | int) -> dt.date | None:
    number = int(year)
    if isinstance(year, str) and len(year) == 2:
        number += 2000 if number < 70 else 1900
    try:
        return dt.date(number, int(month), int(day)) if number >= 1900 else None
    except ValueError:
        return None


def _week(year: int, week: int, day: int) -> dt.date | None:
    try:
        return dt.date.fromisocalendar(year, week, day)
    except ValueError:
        return None


def from_timestamp(seconds: float) -> dt.date | None:
    """The UTC day of a Unix time, the same on every machine; None where no calendar has it."""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


def in_name(stem: str) -> dt.date | None:
    """The first full date in a file name: `2026-11-24`, `20261124`, `24.11.2026`."""
    for match in _IN_NAME.finditer(stem):
        if found := _date(match["y"] or match["y2"], match["m"] or match["m2"], match["d"] or match["d2"]):
            return found
    return None
