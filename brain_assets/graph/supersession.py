"""Which entry replaced which: said in words, by a status, by a name, or by its place in a dated series.

Only what the texts say counts. That one note is newer than another is no supersession.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from functools import lru_cache

from brain_assets.graph import quantities, scope
from brain_assets.model.entry import Entry
from brain_assets.text import sentences
from brain_assets.text.words import fold

_REPLACED_BY = re.compile(
    r"\b(ersetzt durch|wurde\b.{0,60}\bdurch\b.{0,120}\b(?:ersetzt|abgelöst)|abgelöst (?:durch|von)|"
    r"durch\b.{0,80}\b(?:ersetzt|abgelöst)|"
    r"superseded by|replaced by|obsoleted by|deprecated in favou?r of|in favou?r of|see instead|siehe stattdessen|"
    r"neue(?:re)? fassung:?|aktuelle fassung:?|nachfolger(?:in)?\b:?(?! (?:von|vom|der|des|für|zu)\b)|maßgeblich ist (?:jetzt|nun|heute)|gilt "
    r"(?:jetzt|nun|stattdessen)|"
    r"current version:?|newer version:?|now (?:described|documented|maintained) in|moved to|umgezogen nach)",
    re.I,
)
_REPLACES = re.compile(
    r"\b(löst\b.{0,120}\bab\b|ersetzt (?!durch)(?:den|die|das|alle|diese|\[\[|unser)|hebt\b.{0,80}\bauf\b|"
    r"tritt an die stelle|"
    r"replaces|supersedes|obsoletes|takes the place of|nachfolger (?:von|der|des)|successor (?:of|to)|instead "
    r"of the old)",
    re.I,
)
_NO_LONGER = re.compile(
    r"\b(nicht mehr verwenden|nicht mehr gültig|nicht mehr aktuell|veraltet|überholt|außer kraft|nur (?:noch "
    r")?zum nachlesen|"
    r"do not use (?:any ?more|any longer)|no longer (?:valid|current|maintained|in force)|deprecated|obsolete|outdated|"
    r"kept for (?:the )?(?:history|reference))\b",
    re.I,
)
_MARK = re.compile(
    r"\((?:alt|old|ersetzt|abgelöst|veraltet|superseded|deprecated|obsolete|archiviert|archived|historisch|replaced)\)",
    re.I,
)
_DATE = re.compile(r"\b(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{4}|Q[1-4]|KW ?\d{1,2}|W\d{1,2})\b", re.I)
_SERIES_WORDS = re.compile(
    r"status|weekly|wochen|monat|month|bericht|report|lage|stand\b|review|protokoll|meeting|besprechung|jour "
    r"fixe|standup|newsletter",
    re.I,
)
_OPENING = 600
_READ = 100_000


@dataclass(frozen=True, slots=True)
class Supersession:
    """`newer` replaced `older`; `quote` is the sentence of `said_by` that says so (empty if a name or status does)."""

    newer: str
    older: str
    said_by: str
    quote: str
    confidence: float
    reason: str


def no_longer_valid(entry: Entry) -> bool:
    """Whether the entry itself says, by status, name or opening words, that it holds no more."""
    return _invalid(f"{entry.title} {entry.path or ''}", entry.status, entry.body[:_OPENING])


@lru_cache(maxsize=50_000)
def _invalid(name: str, status: str | None, opening: str) -> bool:
    if scope.deprecated(status) or _MARK.search(name):
        return True
    first = [s.text for s in sentences.split(opening)[:4] if len(s.text) < 300]
    return any(_REPLACED_BY.search(text) or _NO_LONGER.search(text) for text in first)


def explicit(a: Entry, b: Entry) -> Supersession | None:
    """Which of the two says that it replaces, or was replaced by, the other."""
    for this, other in ((a, b), (b, a)):
        found = _said(this, other)
        if found is not None:
            return found
    return _named(a, b) or _named(b, a)


def _said(this: Entry, other: Entry) -> Supersession | None:
    names = _names(this, other)
    body = this.body[:_READ]
    lowered = body.lower()
    if not any(n in lowered for n in names):
        return None
    for sentence in sentences.split(body):
        if not any(n in sentence.text.lower() for n in names):
            continue
        line = _line_around(body, sentence.start, sentence.end)
        quote = line if "\n" in sentence.text else sentence.text
        if _REPLACED_BY.search(sentence.text):
            return Supersession(other.id, this.id, this.id, quote, 0.95, "says that the other one replaced it")
        if _REPLACES.search(sentence.text) and not _REPLACED_BY.search(sentence.text):
            return Supersession(this.id, other.id, this.id, quote, 0.9, "says that it replaces the other one")
    return None


def _names(this: Entry, other: Entry) -> list[str]:
    """How this entry's text may call the other: as linked, by title, by id."""
    names = [link.target.lower() for link in this.links if link.entry_id == other.id]
    stem = (other.path or "").rsplit("/", 1)[-1].removesuffix(".md").lower()
    names += [n for n in (f"[[{stem}]]", f"[[{other.title.lower()}]]") if len(n) > 6]
    if other.id.startswith("kb:"):
        names.append(other.id[3:].lower())
    if len(other.title) > 12 or " " in other.title:
        names.append(other.title.lower())
    return names


def _line_around(body: str, start: int, end: int) -> str:
    """The line of a sentence that carries its cue: quotes never span lines."""
    part = body[start:end]
    lines = [line.strip() for line in part.splitlines()]
    return max(lines, key=lambda line: (bool(_REPLACED_BY.search(line) or _REPLACES.search(line)), len(line)))


def _named(old: Entry, new: Entry) -> Supersession | None:
    """An entry marked as old whose name, without mark and year, is the name of the other."""
    if not no_longer_valid(old) or no_longer_valid(new):
        return None
    linked = any(link.entry_id == new.id for link in old.links)
    if _base(old.title) == _base(new.title) and len(_base(new.title)) >= 4:
        return Supersession(new.id, old.id, old.id, "", 0.85, "carries the same name and is marked as no longer valid")
    if linked and _first_link(old) == new.id:
        return Supersession(
            new.id, old.id, old.id, "", 0.75, "is marked as no longer valid and points to the other one first"
        )
    return None


def _first_link(entry: Entry) -> str | None:
    return next((link.entry_id for link in entry.links if link.entry_id), None)


def _base(title: str) -> str:
    """A title without dates, version numbers and marks of age."""
    bare = _DATE.sub(" ", _MARK.sub(" ", title))
    bare = re.sub(r"\b(?:v|version)\s*\d+(?:\.\d+)*\b|\b\d+(?:\.\d+)*\b|[^\w\s]", " ", bare, flags=re.I)
    return " ".join(fold(w) for w in bare.split())


def series(entry: Entry) -> tuple[str, dt.date] | None:
    """The dated series an entry belongs to and its date: same name, another date in it ("Backup weekly 2026-11-23")."""
    if not _DATE.search(entry.title) and entry.name_date is None:
        return None
    base, date = _base(entry.title), entry.name_date or _date_in(entry.title) or entry.date
    if len(base) < 4 or date is None:
        return None
    return base, date


def _date_in(title: str) -> dt.date | None:
    for value in quantities.find(title):
        if value.dimension == "date" and isinstance(value.amount, tuple) and value.amount[0]:
            try:
                return dt.date(*value.amount)
            except ValueError:
                continue
    return None


def one_series(a: Entry, b: Entry) -> bool:
    """Whether both are issues of one series: each speaks of its own date, so they don't contradict each other."""
    x, y = series(a), series(b)
    return x is not None and y is not None and x[0] == y[0] and x[1] != y[1]


def follows(a: Entry, b: Entry) -> Supersession | None:
    """In a series of status notes, the later issue replaces the earlier one."""
    x, y = series(a), series(b)
    if x is None or y is None or x[0] != y[0] or x[1] == y[1]:
        return None
    if not (_SERIES_WORDS.search(a.title) or a.type == b.type == "status"):
        return None
    newer, older = (a, b) if x[1] > y[1] else (b, a)
    return Supersession(newer.id, older.id, newer.id, "", 0.7, "is the later issue of the same series")
