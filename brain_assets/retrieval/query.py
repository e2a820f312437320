"""The query string: phrases, excluded words and operators, and what remains as plain text. Accepts any input.

    "exact phrase"   -word   title:VPN   tag:netz   path:Wissen/   type:how-to   before:2026-01-31   after:1.10.2025

An operator without a usable value is text. In a question or a long sentence quotation marks and hyphens are part of
the text, not operators: they must not hide the answer.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass, field

from brain_assets.model.search import Filters

LONGEST_QUERY = 10_000
"""Characters of a query that are read; the rest is left out with a note."""

_SENTENCE_WORDS = 12
_TOKEN = re.compile(
    r"""(?P<minus>(?<!\S)-)?
        (?:(?P<field>title|titel|tag|path|pfad|type|typ|before|vor|after|nach|seit):(?=\S))?
        (?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))""",
    re.VERBOSE | re.IGNORECASE,
)
_BARE = re.compile(r"-?(title|titel|tag|path|pfad|type|typ|before|vor|after|nach|seit):", re.IGNORECASE)
_FIELDS = {"titel": "title", "pfad": "path", "typ": "type", "vor": "before", "nach": "after", "seit": "after"}
_ISO = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_GERMAN = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\0": " "})


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. `text` is what is ranked by, the words of phrases and of `title:` in their places.

    `filters` must all hold. `excluded` pairs a field ("" for the whole text) with the words that must not stand in it.
    """

    text: str
    phrases: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    filters: tuple[Filters, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to rank by."""
        return not any(c.isalnum() for c in self.text)

    @property
    def restricted(self) -> bool:
        """Whether the query itself asks that hits satisfy something."""
        return any(f != Filters() for f in self.filters) or bool(self.phrases or self.titles or self.excluded)


@dataclass(slots=True)
class _Parts:
    plain: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    excluded: list[tuple[str, str]] = field(default_factory=list)
    equal: dict[str, list[str]] = field(default_factory=lambda: {"tag": [], "path": [], "type": []})
    dates: dict[str, dt.date] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def parse(written: str, filters: Filters | None = None) -> Query:
    """Split a query string into its parts; its operators narrow `filters` further. Never raises."""
    parts = _Parts()
    text = unicodedata.normalize("NFC", written.encode("utf-8", "replace").decode("utf-8")).translate(_QUOTES)
    if len(text) > LONGEST_QUERY:
        parts.notes.append(f"Only the first {LONGEST_QUERY:,} characters of the query were read.")
        text = text[:LONGEST_QUERY]
    sentence = "?" in text or len(text.split()) > _SENTENCE_WORDS
    for match in _TOKEN.finditer(text):
        _sort_in(match, sentence, parts)
    if parts.excluded and not parts.plain and not parts.dates and not any(parts.equal.values()):
        parts.notes.append("The query only excludes words: add what to look for.")
    own = Filters(
        types=tuple(parts.equal["type"]),
        tags=tuple(parts.equal["tag"]),
        paths=tuple(parts.equal["path"]),
        after=parts.dates.get("after"),
        before=parts.dates.get("before"),
    )
    return Query(
        text=" ".join(parts.plain),
        phrases=tuple(parts.phrases),
        titles=tuple(parts.titles),
        excluded=tuple(parts.excluded),
        filters=tuple(f for f in (filters, own) if f is not None and f != Filters()),
        notes=tuple(parts.notes),
    )


def _sort_in(match: re.Match[str], sentence: bool, parts: _Parts) -> None:
    name = (match["field"] or "").lower()
    name = _FIELDS.get(name, name)
    quoted = match["phrase"] is not None
    value = (match["phrase"] if quoted else match["word"] or "").strip()
    if bare := _BARE.fullmatch(match[0]):
        parts.notes.append(f"{bare[1].lower()}: has no value; write it without a blank, such as {bare[1].lower()}:x.")
        parts.plain.append(bare[1])
    elif not any(c.isalnum() for c in value):
        if text := match[0].replace('"', " ").strip():
            parts.plain.append(text)
    elif match["minus"] and not sentence and name in ("", "title", "tag", "path", "type"):
        parts.excluded.append((name, value))
    elif name in ("before", "after"):
        if date := parse_date(value, name):
            parts.dates[name] = date
        else:
            parts.notes.append(f"{name}: wants a date such as 2026-01-31; “{value}” was searched as text.")
            parts.plain.append(value)
    elif name in parts.equal:
        parts.equal[name].append(value)
    else:
        parts.plain.append(value if quoted or name else match[0])
        if name == "title":
            parts.titles.append(value)
        elif quoted and not sentence:
            parts.phrases.append(value)


def parse_date(value: str, side: str = "after") -> dt.date | None:
    """ISO date, year, year-month or German date; a year or month means its first day for `after`, its last for
    `before`. None if it is no date."""
    value = value.strip().rstrip(",;.")
    try:
        if match := _GERMAN.fullmatch(value):
            return dt.date(int(match[3]), int(match[2]), int(match[1]))
        if match := _ISO.fullmatch(value):
            year, month, day = int(match[1]), match[2], match[3]
            if day:
                return dt.date(year, int(month), int(day))
            if side == "after":
                return dt.date(year, int(month or 1), 1)
            following = dt.date(year + 1, 1, 1) if int(month or 12) == 12 else dt.date(year, int(month) + 1, 1)
            return following - dt.timedelta(days=1)
    except ValueError:
        pass
    return None
