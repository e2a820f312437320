"""Values in running text: numbers with units, dates, clock times, versions, hosts and ports, German and English.

Every value is normalised (1,5 h = 90 Minuten, a Viertelstunde = 15 min, 14. November 2026 = 2026-11-14), so that two
notes can be compared whatever language and unit they use. What a figure measures is its `dimension`; only values of
one dimension are comparable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from brain_assets.graph import designations
from brain_assets.graph.cues import Cues
from brain_assets.graph.units import (
    ARTICLES,
    CASED_UNITS,
    HALVES,
    MONTHS,
    ONES,
    ORDINALS,
    TIME_ADVERBS,
    UNITS,
    WEEKDAYS,
)
from brain_assets.graph.values import Bound, Value, conflicting, contrasted, equal, loosely_conflicting

__all__ = ["Bound", "Value", "conflicting", "contrasted", "equal", "find", "loosely_conflicting", "number"]

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_UNIT = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
_WORD_NUMBER = "|".join(sorted({*ONES, *HALVES}, key=len, reverse=True))
_ORDINAL = "|".join(ORDINALS)
_NUMBER = r"\d{1,3}(?:[.,\u202f' ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"

_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s`<>\"')\]]+|\bwww\.[^\s`<>\"')\]]+", re.I)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_IP = re.compile(r"\b(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(/\d{1,2})?(?::(\d{2,5}))?\b")
_HOST = re.compile(
    r"(?<![\w@./-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.){1,5}[a-z]{2,12})(?::(\d{2,5}))?(?![\w/-]*\.?[a-z]*\()\b", re.I
)
_BARE_HOST = re.compile(
    r"(?<![\w@./:-])([a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:[a-z]+\d{1,3}|0\d{1,2})|[a-z]{2,12}0\d|"
    r"(?:nas|srv|server|web|db|mx|mail|dc|fs|app|prn|esx|vm|host|backup|proxy|dns|ldap|sql|git|gw|fw|sw)-?\d{1,3})(?![\w/:@-]|\.\w)",
    re.I,
)
"""A host by its short name, as people number them: `nas-digi3`, `srv-web01`, `nas-07`, `web02`."""
_PORT = re.compile(r"\b(?:ports?|tcp|udp)(?:\s*[:=]?|[^.;:|\d]{1,30}:)\s*(\d{2,5})\b", re.I)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_GERMAN_DATE = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})\b)?")
_BEFORE_DATE = re.compile(
    r"(?:\b(?:am|vom|bis|ab|zum|seit|den|der|dem|on|from|until|since)|tag|woch|[,(|–-])\s*$", re.I
)
_DATE_LINE = re.compile(r"^\W*(?:\d{2}\.\s?\d{1,2}|\d{1,2}\.\s?\d{2})\.(?=\s|$)")
"""A line that begins with a day and a month; with one digit each it would be a numbered heading."""
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\b\.?(?:,?\s+(\d{{4}})\b)?", re.I)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?", re.I)
_YEAR = re.compile(
    r"\b(?:in|im|im jahre?|seit|since|ab|bis|until|from|vom|von|year|jahr|jahre|sommer|winter|herbst|frühjahr|"
    r"spring|summer|autumn|of|by|"
    r"wurde|was|were)\s+(1[5-9]\d\d|20\d\d)\b(?![.,:/-]?\d|\s?(?:%|€|\$|[a-z]{1,2}\b))",
    re.I,
)
_CLOCK = re.compile(r"\b([01]?\d|2[0-4])[:.]([0-5]\d)(?::[0-5]\d)?\s*(uhr|h|am|pm|a\.m\.|p\.m\.)?(?!\w|\.\d)", re.I)
_FULL_HOUR = re.compile(r"\b([01]?\d|2[0-4])\s*(uhr|am|pm|a\.m\.|p\.m\.|o'clock)(?!\w)", re.I)
_UTC = re.compile(r"\W{0,3}\b(utc|gmt|z)\b", re.I)
_EVERY = re.compile(
    rf"\b(?:alle|jede[nrs]?|every|each)\s+(?:({_NUMBER}|{_WORD_NUMBER}|(?:{_ORDINAL})[nrsm]?|other)\s+)?({_UNIT})\b",
    re.I,
)
_TIMES_PER = re.compile(
    r"\b(einmal|zweimal|dreimal|viermal|once|twice|(?:three|four) times)\s+(?:im|am|pro|je|in der|a|per|an|"
    r"every|each)\s+"
    r"(?:the\s+)?(tag|day|woche|week|monat|month|quartal|quarter|jahr|year|stunde|hour)\b",
    re.I,
)
_ADVERB_ENDS = (
    r"\b(?=\s*(?:[.,;:)|]|$)|\s+(?:at|on|by|in|from|and|or|to|via|with|between|after|before|into|um|am|im|ab|von|und|oder|an|"
    r"auf|durch|nach|vor)\b"
)
_ADVERB = re.compile(
    rf"\b({'|'.join(a for a in TIME_ADVERBS if not a.endswith('lich'))}){_ADVERB_ENDS})|"
    rf"\b({'|'.join(a for a in TIME_ADVERBS if a.endswith('lich'))}){_ADVERB_ENDS}|\s+[a-zäöü]+t\b)",
    re.I,
)
"""Said of how often, not before what is so named: "is saved daily", "täglich gesichert", but not "the daily report"."""
_QUANTITY = re.compile(
    rf"(?:(?P<sign>(?:(?<=[\s|(])|^)[-−](?=\d)|\bminus\s+)|(?<![\w.,:/-]))(?:(?P<number>{_NUMBER})|\b(?P<word>{_WORD_NUMBER}))"
    rf"\s?-?\s?(?:(?P<days>working|business|calendar|voll\w*|ganz\w*|full|whole|clear|solid|consecutive)\s+)?"
    rf"(?P<unit>{_UNIT})(?![\w/])",
    re.I,
)
_MONEY = re.compile(rf"(?<![\w.,])(?P<unit>[€£$]|EUR|USD|CHF|GBP)\s?(?P<number>{_NUMBER})(?![\w/-]*\w|[.,]\d)", re.I)
_VERSION = re.compile(
    r"(?<![\w.,:/-])(?:(?P<label>[A-Za-zÄÖÜäöüß][\w+-]*)[ \u00a0]+)?(?:[vV](?=\d))?"
    r"(?P<number>\d+(?:\.\d+){1,3}(?:-?(?:rc|beta|alpha)\d*)?)(?![\w:/%-]|\.\d|,\d)"
)
_LABELLED = re.compile(r"\b(?P<label>[A-Za-zÄÖÜ][\w+-]*[\w]),?[ \u00a0]+(?P<number>\d{1,5})(?![\w%°€$:/-]|[.,]\d)")
_TAG = re.compile(
    r"(?<![\w./:@-])(?P<label>[a-z][\w./-]*?):[vV]?(?P<number>\d+(?:\.\d+)*)(?:(?:-[\w.-]+)?(?=`)|-[a-z][\w.-]*)"
)
"""A container image with its tag."""
_COUNT = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<number>{_NUMBER})|"
    rf"\b(?i:(?P<word>{_WORD_NUMBER})))\s+(?P<noun>[A-Za-zÄÖÜäöüß][\wäöüß-]+(?:\s+[A-Za-zÄÖÜäöüß][\wäöüß-]+){{0,2}})"
)

_JUST = re.compile(r"\b(?:only|just|exactly|nur|genau|lediglich|at most|höchstens|maximal)\s+$", re.I)
_NAMED_BEFORE = re.compile(
    r"\b(?!(?:The|These|All|Alle|Die|Etwa|Only|Nur|Hat|Has|Mit|With|Bis|Ab|Je|Zu|For|Für|In|Von)\b)[A-ZÄÖÜ][a-zäöüß]+ $"
)
_MIN = re.compile(
    r"\b(mindestens|wenigstens|minimum|minimal|at least|no less than|not less than|no fewer than|"
    r"ab|(?:ab|from)(?: [\w-]+){1,3} (?:von|of))\W*$",
    re.I,
)
_MORE = re.compile(r"\b(more than|over|above|beyond|exceeds?|exceeding|mehr als|über|oberhalb von)\W*$", re.I)
_NO_MORE = re.compile(
    r"\b(?:nicht|kein\w*|niemand|nie|niemals|not|no|never|nobody|none|cannot|can't|fails?|blocked|rejected|refused|declined|"
    r"scheitert|abgelehnt|abgewiesen|gesperrt|verboten|unzulässig)\b",
    re.I,
)
"""What makes "more than ten" a limit: nobody may, or it fails."""
_MAX = re.compile(
    r"\b(höchstens|maximal|max|bis zu|bis maximal|spätestens(?: nach)?|at most|up to|no more than|not more "
    r"than|maximum(?: of)?|"
    r"less than|fewer than|below|under|unter|weniger als|within|binnen|innerhalb von|limit(?: of| is)?|capped at|begrenzt auf|"
    r"nicht mehr als|nach spätestens)\W*(?:von\W*|of\W*|etwa\W*|about\W*)?$",
    re.I,
)
_ABOUT = re.compile(
    r"\b(etwa|circa|ca|rund|ungefähr|knapp|fast|gut|about|around|roughly|approximately|nearly|almost|"
    r"some)\.?\W*$|[~≈]\s*$",
    re.I,
)
_LISTED = re.compile(rf"(?:{_NUMBER})\s?[\w%€$°/-]+\s+(?:oder|or|und|and|bzw\.?|sowie)\s+$", re.I)
"""A value before another one: "mehr als 4 Kerne oder 8 GiB" is a bound for both."""
_LIMIT = re.compile(r"begrenz|grenze|höchst|limit|maxim|capped|cap\b|not exceed|nicht überschreit", re.I)
_FLOOR = re.compile(r"mindest|minim", re.I)


def number(text: str) -> float | None:
    """A written number as a float, German or English: `1.380`, `1,380`, `1,5`, `1.5`, `zwölf`, `twelve`; else None.

    A single separator followed by exactly three digits groups thousands; otherwise it is the decimal mark.
    """
    word = text.strip().lower()
    if word in ONES:
        return float(ONES[word])
    if word in HALVES:
        return HALVES[word]
    if (ordinal := word if word in ORDINALS else word[:-1]) in ORDINALS:
        return float(ORDINALS[ordinal])
    digits = re.sub(r"[ \u202f']", "", word)
    if not re.fullmatch(r"\d+(?:[.,]\d+)*", digits):
        return None
    marks = re.findall(r"[.,]", digits)
    if not marks:
        return float(digits)
    last = digits.rfind(marks[-1])
    grouping = len(digits) - last - 1 == 3 and (len(set(marks)) == 1)
    if grouping and not digits.startswith("0"):
        return float(re.sub(r"[.,]", "", digits))
    whole = re.sub(r"[.,]", "", digits[:last])
    return float(f"{whole}.{digits[last + 1 :]}")


_CUES = Cues(
    {
        "month": _MONTH, "weekday": _WEEKDAY, "number": "|".join(sorted(ONES.keys() - ARTICLES)),
        "port": r"ports?|tcp|udp", "every": r"alle|jede[nrs]?|every|each",
        "times": r"einmal|zweimal|dreimal|viermal|once|twice|(?:three|four) times", "adverb": "|".join(TIME_ADVERBS),
        "ordinal": rf"(?:{_ORDINAL})[nrsm]?",
        "fraction": r"viertelstunde|quarter of an hour|dreiviertelstunde|halbe[nr]? stunde|half an hour",
    },
    open_ended={"amount": rf"(?:{_WORD_NUMBER})\s?-?\s?(?:(?:working|business|calendar)\s+)?(?:{_UNIT})"},
)  # fmt: skip
_DIGIT, _DOTTED = re.compile(r"\d"), re.compile(r"\w\.\w")


@dataclass(frozen=True, slots=True)
class _Hints:
    """What a sentence has that a value could begin with: most finders need not look at most sentences."""

    cues: set[str]
    digits: bool
    dotted: bool


def find(text: str) -> list[Value]:
    """All values of a sentence, in order of their place, none overlapping another."""
    hints = _Hints(_CUES.found(text), _DIGIT.search(text) is not None, _DOTTED.search(text) is not None)
    if not (hints.cues or hints.digits or hints.dotted or "@" in text):
        return []
    taken = bytearray(len(text))
    found: list[Value] = []
    for finder in (_addresses, _dates, _times, _amounts, _named, _versions, _counts):
        for value in finder(text, taken, hints):
            if not any(taken[value.start : value.end]):
                taken[value.start : value.end] = b"\x01" * (value.end - value.start)
                found.append(value)
    return sorted(found, key=lambda v: v.start)


def _bound(text: str, start: int, end: int) -> Bound:
    before = _LISTED.sub("", text[max(0, start - 60) : start])
    if _MIN.search(before):
        return "min"
    if _MAX.search(before):
        return "max"
    if _MORE.search(before):
        return "max" if _NO_MORE.search(text) else "min"
    if _ABOUT.search(before):
        return "about"
    if _LIMIT.search(text):
        return "max"
    if _FLOOR.search(text):
        return "min"
    return "exact"


def _change(text: str, start: int, end: int) -> Literal["", "from", "to"]:
    """Which side of a change ("von 1.33 auf 1.34", "from 15.8 to 16.4") a value stands on."""
    before, after = text[max(0, start - 60) : start], text[end : end + 40]
    if re.search(r"\b(von|from)\s+(?:[\w-]+\s+){0,2}$", before, re.I) and re.match(
        r"\s*(?:[\w-]+\s+){0,1}(auf|nach|to)\b", after, re.I
    ):
        return "from"
    if re.search(
        r"\b(von|from)\s+(?:[\w-]+\s+){0,2}[\w.,]+\s+(?:[\w-]+\s+){0,1}(auf|to)\s+(?:[\w-]+\s+){0,1}$", before, re.I
    ):
        return "to"
    return ""


def _addresses(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    for m in _URL.finditer(text) if "://" in text or "www." in text.lower() else ():
        host = re.sub(r"^[a-z][a-z0-9+.-]*://(?:[^/@]*@)?", "", m[0].lower()).split("/")[0].split(":")[0]
        yield Value(
            "url",
            m[0].rstrip(".,;:!?").lower(),
            m[0].rstrip(".,;:!?"),
            m.start(),
            m.start() + len(m[0].rstrip(".,;:!?")),
            label=host,
        )
    for m in _EMAIL.finditer(text) if "@" in text else ():
        yield Value("email", m[0].lower(), m[0], m.start(), m.end())
    for m in _IP.finditer(text) if hints.digits and hints.dotted else ():
        dimension = "network" if m[2] else "address"
        yield Value(dimension, m[1] + (m[2] or ""), m[1] + (m[2] or ""), m.start(), m.end(2) if m[2] else m.end(1))
    for m in _HOST.finditer(text) if hints.dotted else ():
        labels = m[1].lower().split(".")
        if (
            len(labels) >= 2
            and not labels[-1].isdigit()
            and labels[-1] not in _FILE_ENDINGS
            and (len(labels) > 2 or "-" in m[1] or labels[-1] in _DOMAINS)
        ):
            yield Value("host", m[1].lower(), m[1], m.start(1), m.end(1))
            if m[2]:
                yield Value("port", float(m[2]), m[2], m.start(2), m.end(2))
    for m in _BARE_HOST.finditer(text) if hints.digits else ():
        if m[1].islower() or m[1].isupper():
            yield Value("host", m[1].lower(), m[1], m.start(1), m.end(1))
    for m in _PORT.finditer(text) if hints.digits and "port" in hints.cues else ():
        yield Value("port", float(m[1]), m[0], m.start(), m.end())


_FILE_ENDINGS = frozenset(
    "md txt pdf json yaml yml py sh exe log csv xml html conf ini cfg db zip png jpg docx xlsx pptx service "
    "sql msi".split()
)
_DOMAINS = frozenset("com org net de eu at ch io local lan internal intern corp home example test uk us info".split())


def _dates(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    for m in _ISO_DATE.finditer(text) if hints.digits else ():
        yield Value("date", (int(m[1]), int(m[2]), int(m[3])), m[0], m.start(), m.end())
    for m in _GERMAN_DATE.finditer(text) if hints.digits and "." in text else ():
        day, month, year = int(m[1]), int(m[2]), int(m[3] or 0)
        dated = m[3] or _BEFORE_DATE.search(text[: m.start()]) or _DATE_LINE.match(text[: m.end() + 1])
        if dated and 1 <= day <= 31 and 1 <= month <= 12:
            yield Value("date", (year + 2000 if 0 < year < 100 else year, month, day), m[0].strip(), m.start(), m.end())
    for m in _DAY_MONTH.finditer(text) if hints.digits and "month" in hints.cues else ():
        if 1 <= int(m[1]) <= 31:
            yield Value("date", (int(m[3] or 0), MONTHS[m[2].lower()], int(m[1])), m[0], m.start(), m.end())
    for m in _MONTH_DAY.finditer(text) if hints.digits and "month" in hints.cues else ():
        if 1 <= int(m[2]) <= 31:
            yield Value("date", (int(m[3] or 0), MONTHS[m[1].lower()], int(m[2])), m[0], m.start(), m.end())
    for m in _YEAR.finditer(text) if hints.digits else ():
        yield Value("date", (int(m[1]), 0, 0), m[1], m.start(1), m.end(1))
    for m in _CUES.each("weekday", text) if "weekday" in hints.cues else ():
        yield Value("weekday", (WEEKDAYS[m[0].lower()],), m[0], m.start(), m.end())


def _minutes(hour: str, minute: str, suffix: str | None) -> int:
    value = int(hour) % 24 * 60 + int(minute or 0)
    mark = (suffix or "").lower().replace(".", "")
    if mark == "pm" and int(hour) < 12:
        value += 720
    return value - 720 if mark == "am" and int(hour) == 12 else value


def _times(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    points: list[tuple[int, int, int]] = []
    if not hints.digits:
        return
    for m in _CLOCK.finditer(text):
        if ":" in m[0] or m[3]:
            points.append((m.start(), m.end(), _minutes(m[1], m[2], m[3])))
    for m in _FULL_HOUR.finditer(text):
        if not any(s <= m.start() < e for s, e, _ in points):
            points.append((m.start(), m.end(), _minutes(m[1], "0", m[2])))
    points.sort()
    index = 0
    while index < len(points):
        start, end, minutes = points[index]
        amount: tuple[int, ...] = (minutes,)
        if index + 1 < len(points) and re.fullmatch(
            r"\s*(?:Uhr\s*)?(?:bis|to|until|und|and|-|–)\s*", text[end : points[index + 1][0]], re.I
        ):
            amount, end, index = (minutes, points[index + 1][2]), points[index + 1][1], index + 1
        utc = _UTC.match(text, end) or re.search(r"\((?:UTC|GMT)\)", text)
        yield Value("clock:utc" if utc else "clock", amount, text[start:end].strip(), start, end)
        index += 1


def _amounts(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    for m in _EVERY.finditer(text) if "every" in hints.cues else ():
        count = number(m[1] or "1") or 2.0
        dimension, factor = UNITS[m[2].lower()]
        if dimension in ("duration", "workdays"):
            yield Value("interval", count * factor, m[0], m.start(), m.end())
    for m in _TIMES_PER.finditer(text) if "times" in hints.cues else ():
        times = {"einmal": 1, "once": 1, "zweimal": 2, "twice": 2, "dreimal": 3, "viermal": 4}.get(m[1].lower(), 3)
        yield Value("interval", UNITS[m[2].lower()][1] / times, m[0], m.start(), m.end())
    for m in _ADVERB.finditer(text) if "adverb" in hints.cues else ():
        yield Value("interval", float(TIME_ADVERBS[m[0].lower()]), m[0], m.start(), m.end())
    for m in _CUES.each("fraction", text) if "fraction" in hints.cues else ():
        word = m[0].lower()
        seconds = 2700.0 if word.startswith("drei") else 900.0 if "viertel" in word or "quarter" in word else 1800.0
        yield Value("duration", seconds, m[0], m.start(), m.end(), _bound(text, m.start(), m.end()))
    for m in _MONEY.finditer(text) if hints.digits else ():
        if (amount := number(m["number"])) is not None:
            dimension, factor = UNITS[m["unit"].lower()]
            yield Value(dimension, amount * factor, m[0], m.start(), m.end(), _bound(text, m.start(), m.end()))
    for m in _QUANTITY.finditer(text) if hints.digits or "amount" in hints.cues else ():
        amount = number(m["number"] or m["word"])
        unit = m["unit"].lower()
        if (
            amount is None
            or (unit in CASED_UNITS and not m["number"])
            or (m["word"] and m["word"].lower() in ARTICLES and unit in ("second", "quarter"))
        ):
            continue
        dimension, factor = UNITS[unit]
        if m["days"] and m["days"].lower() in ("working", "business"):
            dimension, factor = "workdays", 1
        yield Value(
            dimension, (-amount if m["sign"] else amount) * factor, m[0], m.start(), m.end(),
            _bound(text, m.start(), m.end()), change=_change(text, m.start(), m.end()),
        )  # fmt: skip


def _named(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    return designations.find(text) if hints.digits or "ordinal" in hints.cues else iter(())


_NOT_PRODUCTS = frozenset(
    """raum room ebene level etage floor seite page kapitel chapter abschnitt section schrank halle hall tor nr nummer
    number code fehler error stufe punkt schritt step tabelle table abbildung figure und and oder or von auf from to
    mit with auf bei ab bis als um in im am zum to of the der die das den dem version release nach vor zur""".split()
)


def _versions(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    for m in _VERSION.finditer(text) if hints.digits else ():
        label = (m["label"] or "").lower()
        if any(taken[m.start("number") : m.end("number")]):
            continue
        dotted = m["number"].count(".")
        if label in _PLACES or (
            dotted == 1
            and not label
            and not re.search(r"version|release|upgrade|update|v\d|firmware", text, re.I)
            and not _change(text, m.start("number"), m.end("number"))
        ):
            continue
        name = "" if label in _NOT_PRODUCTS else label
        yield Value(
            "version",
            m["number"].lower(),
            m["number"],
            m.start("number"),
            m.end("number"),
            label=name,
            change=_change(text, m.start("number"), m.end("number")),
        )
    for m in _TAG.finditer(text) if hints.digits and ":" in text else ():
        if m["label"] not in ("localhost", "port") and ("." in m["number"] or len(m["number"]) < 4):
            label = m["label"].rsplit("/", 1)[-1].lower()
            yield Value("version", m["number"], m["number"], m.start("number"), m.end("number"), label=label)
    for m in _LABELLED.finditer(text) if hints.digits else ():
        word = m["label"]
        if any(taken[m.start("number") : m.end("number")]) or len(word) < 2:
            continue
        product = word.lower() in _SOFTWARE or bool(re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\d", word))
        versioned = word.lower() in ("version", "release", "firmware")
        year = len(m["number"]) == 4 and m["number"].startswith(("19", "20"))
        if (product or versioned) and not year:
            yield Value(
                "version",
                m["number"],
                m["number"],
                m.start("number"),
                m.end("number"),
                label="" if versioned else word.lower(),
                change=_change(text, m.start("number"), m.end("number")),
            )


_SOFTWARE = frozenset(
    """debian ubuntu fedora centos rhel suse sles windows macos android ios linux kernel mysql mariadb oracle python java
    php node nodejs nginx apache tomcat kubernetes docker proxmox esxi exchange office outlook firefox chrome edge jenkins
    typo3 wordpress moodle nextcloud grafana prometheus ansible terraform redis elasticsearch keycloak samba""".split()
)
"""Programs whose name and number are written like a room's: "Debian 12"."""
_PLACES = frozenset("raum room ebene schrank halle hall tor nr nummer kapitel chapter section abschnitt".split())
_NOT_NOUNS = frozenset(
    """bis und oder von auf nach vor mit im in am als bei zu zum zur aus to and or of from at by on for per a an the uhr
    hours weitere weiteren further other mal times more less mehr weniger""".split()
)


def _counts(text: str, taken: bytearray, hints: _Hints) -> Iterator[Value]:
    for m in _COUNT.finditer(text) if hints.digits or "number" in hints.cues else ():
        written = m["number"] or m["word"]
        if written.lower() in HALVES or (written.lower() in ARTICLES and not _JUST.search(text[: m.start()])):
            continue
        if m["number"] and len(written) == 4 and written.startswith(("19", "20")):
            continue
        amount = number(written)
        if m["noun"][0].islower() and _NAMED_BEFORE.search(text, 0, m.start()):
            continue  # "Planer 3 braucht": the number is part of a name
        words = m["noun"].split()
        while words and words[0].lower() in _NOT_NOUNS:
            words.pop(0)
        if amount is None or not words or any(taken[m.start() : m.start() + len(written)]):
            continue
        end = m.start() + len(written)
        yield Value(
            "count",
            amount,
            text[m.start() : text.find(words[0], end) + len(words[0])],
            m.start(),
            end,
            _bound(text, m.start(), end),
            label=" ".join(words).lower(),
        )
