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

Bound = Literal["exact", "min", "max", "about"]

_ONES = {
    "ein": 1, "eine": 1, "einem": 1, "einen": 1, "einer": 1, "eines": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14,
    "fünfzehn": 15, "sechzehn": 16, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60,
    "neunzig": 90, "hundert": 100, "tausend": 1000, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
    "hundred": 100, "thousand": 1000, "anderthalb": 1.5, "eineinhalb": 1.5, "zweieinhalb": 2.5,
}  # fmt: skip
_HALVES = {"halbe": 0.5, "halben": 0.5, "halbes": 0.5, "half": 0.5, "dreiviertel": 0.75}
_ARTICLES = frozenset("ein eine einem einen einer eines a an one".split())

_UNITS: dict[str, tuple[str, float]] = {}


def _unit(dimension: str, factor: float, names: str) -> None:
    for name in names.split():
        _UNITS[name] = (dimension, factor)


_unit("duration", 0.001, "ms millisekunde millisekunden millisecond milliseconds")
_unit("duration", 1, "s sek sec sekunde sekunden second seconds secs")
_unit("duration", 60, "min mins minute minuten minutes")
_unit("duration", 3600, "h std stunde stunden hour hours hrs")
_unit("duration", 86400, "d tag tage tagen tages day days")
_unit("duration", 7 * 86400, "woche wochen week weeks")
_unit("duration", 30 * 86400, "monat monate monaten monats month months")
_unit("duration", 91 * 86400, "quartal quartale quartalen quarter quarters")
_unit("duration", 365 * 86400, "jahr jahre jahren jahres year years")
_unit("workdays", 1, "arbeitstag arbeitstage arbeitstagen werktag werktage werktagen workday workdays")
_unit("bytes", 1, "byte bytes")
_unit("bytes", 1e3, "kb kib kilobyte")
_unit("bytes", 1e6, "mb mib megabyte megabytes")
_unit("bytes", 1e9, "gb gib gigabyte gigabytes")
_unit("bytes", 1e12, "tb tib terabyte terabytes")
_unit("bitrate", 1e3, "kbit/s kbps")
_unit("bitrate", 1e6, "mbit/s mbps mbit")
_unit("bitrate", 1e9, "gbit/s gbps gbit")
_unit("percent", 1, "% prozent percent")
_unit("money:eur", 1, "€ eur euro euros")
_unit("money:usd", 1, "$ usd dollar dollars")
_unit("money:chf", 1, "chf franken")
_unit("watt", 1, "w watt wp")
_unit("watt", 1e3, "kw kwp kilowatt")
_unit("energy", 1, "wh")
_unit("energy", 1e3, "kwh")
_unit("energy", 1e6, "mwh")
_unit("volt", 1, "v volt volts")
_unit("ampere", 1, "a ampere amps")
_unit("frequency", 1, "hz hertz")
_unit("frequency", 1e3, "khz")
_unit("frequency", 1e6, "mhz")
_unit("frequency", 1e9, "ghz")
_unit("temperature", 1, "°c grad °")
_unit("length", 1e-3, "mm millimeter millimetre")
_unit("length", 1e-2, "cm zentimeter centimetre")
_unit("length", 1, "m meter metern metre metres meters")
_unit("length", 1e3, "km kilometer kilometre kilometern")
_unit("length", 0.0254, "zoll inch inches")
_unit("mass", 1, "g gramm gram grams")
_unit("mass", 1e3, "kg kilo kilogramm kilograms")
_unit("mass", 1e6, "t tonne tonnen tonnes")
_unit("volume", 1e-3, "ml milliliter")
_unit("volume", 1, "l liter litern litre litres")
_unit("resolution", 1, "dpi")
_unit("torque", 1, "nm")

_CASED_UNITS = frozenset("s d h m t g l a v w min".split())
_TIME_ADVERBS = {
    "stündlich": 3600, "hourly": 3600, "täglich": 86400, "daily": 86400, "nightly": 86400, "nächtlich": 86400,
    "wöchentlich": 7 * 86400, "weekly": 7 * 86400, "monatlich": 30 * 86400, "monthly": 30 * 86400,
    "vierteljährlich": 91 * 86400, "quarterly": 91 * 86400, "jährlich": 365 * 86400, "yearly": 365 * 86400,
    "annually": 365 * 86400, "halbjährlich": 182 * 86400,
}  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(
        "januar january jan jänner;februar february feb;märz march mär mar;april apr;mai may;juni june jun;"
        "juli july jul;august aug;september sep sept;oktober october okt oct;november nov;dezember december dez dec".split(
            ";"
        ),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        "montag montags monday mondays;dienstag dienstags tuesday tuesdays;mittwoch mittwochs wednesday wednesdays;"
        "donnerstag donnerstags thursday thursdays;freitag freitags friday fridays;"
        "samstag samstags sonnabend sonnabends saturday saturdays;sonntag sonntags sunday sundays".split(";")
    )
    for name in names.split()
}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_UNIT = "|".join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))
_WORD_NUMBER = "|".join(sorted({*_ONES, *_HALVES}, key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:[.,\u202f' ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"

_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s`<>\"')\]]+|\bwww\.[^\s`<>\"')\]]+", re.I)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_IP = re.compile(r"\b(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(/\d{1,2})?(?::(\d{2,5}))?\b")
_HOST = re.compile(
    r"(?<![\w@./-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.){1,5}[a-z]{2,12})(?::(\d{2,5}))?(?![\w/-]*\.?[a-z]*\()\b", re.I
)
_PORT = re.compile(r"\b(?:ports?|tcp|udp)\s*[:=]?\s*(\d{2,5})\b", re.I)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_GERMAN_DATE = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})\b)?")
_BEFORE_DATE = re.compile(r"(?:\b(?:am|vom|bis|ab|zum|seit|den|der|dem|on|from|until|since)|tag|woch|[,(|–-])\s*$", re.I)
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\b\.?(?:,?\s+(\d{{4}})\b)?", re.I)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?", re.I)
_YEAR = re.compile(
    r"\b(?:in|im|im jahre?|seit|since|ab|bis|until|from|vom|von|year|jahr|jahre|sommer|winter|herbst|frühjahr|spring|summer|autumn|of|by|"
    r"wurde|was|were)\s+(1[5-9]\d\d|20\d\d)\b(?![.,:/-]?\d|\s?(?:%|€|\$|[a-z]{1,2}\b))",
    re.I,
)
_CLOCK = re.compile(r"\b([01]?\d|2[0-4])[:.]([0-5]\d)(?::[0-5]\d)?\s*(uhr|h|am|pm|a\.m\.|p\.m\.)?(?!\w|\.\d)", re.I)
_FULL_HOUR = re.compile(r"\b([01]?\d|2[0-4])\s*(uhr|am|pm|a\.m\.|p\.m\.|o'clock)(?!\w)", re.I)
_UTC = re.compile(r"\W{0,3}\b(utc|gmt|z)\b", re.I)
_WEEKDAY_WORD = re.compile(rf"\b({_WEEKDAY})\b", re.I)
_QUARTER_HOUR = re.compile(r"\b(viertelstunde|quarter of an hour|dreiviertelstunde|halbe[nr]? stunde|half an hour)\b", re.I)
_EVERY = re.compile(
    rf"\b(?:alle|jede[nrs]?|every|each)\s+(?:({_NUMBER}|{_WORD_NUMBER}|zweite[nr]?|second|other)\s+)?({_UNIT})\b", re.I
)
_TIMES_PER = re.compile(
    r"\b(einmal|zweimal|dreimal|viermal|once|twice|(?:three|four) times)\s+(?:im|am|pro|je|in der|a|per|an|every|each)\s+"
    r"(?:the\s+)?(tag|day|woche|week|monat|month|quartal|quarter|jahr|year|stunde|hour)\b",
    re.I,
)
_ADVERB = re.compile(
    rf"\b({'|'.join(_TIME_ADVERBS)})\b(?=\s*(?:[.,;:)|]|$)|\s+(?:at|on|by|in|from|and|or|to|via|with|between|after|before|into|um|am|im|ab|"
    r"von|und|oder|an|auf|durch|nach|vor|[a-zäöü]+t\b))",
    re.I,
)
_QUANTITY = re.compile(
    rf"(?<![\w.,:/-])(?:({_NUMBER})|\b({_WORD_NUMBER}))\s?-?\s?(?:(working|business|calendar)\s+)?({_UNIT})(?![\w/])", re.I
)
_VERSION = re.compile(
    r"(?<![\w.,:/-])(?:(?P<label>[A-Za-zÄÖÜäöüß][\w+-]*)[ \u00a0]+)?(?:[vV](?=\d))?(?P<number>\d+(?:\.\d+){1,3}(?:-?(?:rc|beta|alpha)\d*)?)(?![\w:/%-]|\.\d|,\d)"
)
_LABELLED = re.compile(r"\b(?P<label>[A-Za-zÄÖÜ][\w+-]*[\w]),?[ \u00a0]+(?P<number>\d{1,5})(?![\w%°€$:/-]|[.,]\d)")
_COUNT = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<number>{_NUMBER})|\b(?i:(?P<word>{_WORD_NUMBER})))\s+(?P<noun>[A-Za-zÄÖÜäöüß][\wäöüß-]+(?:\s+[A-Za-zÄÖÜäöüß][\wäöüß-]+){{0,2}})"
)

_MIN = re.compile(r"\b(mindestens|wenigstens|minimum|minimal|at least|no less than|not less than|more than|over|mehr als|über|ab)\W*$", re.I)
_MAX = re.compile(
    r"\b(höchstens|maximal|max|bis zu|bis maximal|spätestens(?: nach)?|at most|up to|no more than|not more than|maximum(?: of)?|"
    r"less than|below|under|unter|weniger als|within|binnen|innerhalb von|limit(?: of| is)?|capped at|begrenzt auf|"
    r"nicht mehr als|nach spätestens)\W*(?:von\W*|of\W*|etwa\W*|about\W*)?$",
    re.I,
)
_ABOUT = re.compile(r"\b(etwa|circa|ca|rund|ungefähr|knapp|fast|gut|about|around|roughly|approximately|nearly|almost|some)\.?\W*$|[~≈]\s*$", re.I)
_LIMIT = re.compile(r"begrenz|grenze|höchst|limit|maxim|capped|cap\b|not exceed|nicht überschreit", re.I)
_FLOOR = re.compile(r"mindest|minim", re.I)
_NOT_THIS = re.compile(
    r"\b(nicht|not|statt|anstatt|anstelle(?: von)?|instead of|rather than|keine[nrms]?|no longer|früher|formerly|"
    r"previously|bisher|vorher|until then|bis dahin|damals)\W+(?:the\W+|die\W+|der\W+|den\W+|nur\W+|bei\W+|auf\W+|mit\W+)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value as normalised, with where it stands.

    `dimension` is what it measures: duration (s), workdays, interval (s), bytes, bitrate, percent, money:CUR, watt …,
    count (of `noun`), date (year, month, day; year 0 where none is written), weekday, clock (minutes of the day; a
    time in UTC is `clock:utc`), version (of `label`), host, address, port, email. `amount` is a number or a tuple.
    """

    dimension: str
    amount: float | tuple[int, ...] | str
    text: str
    start: int
    end: int
    bound: Bound = "exact"
    label: str = ""
    change: Literal["", "from", "to"] = ""

    @property
    def kind(self) -> str:
        """The kind of contradiction a conflict in this value makes."""
        if self.dimension in ("date", "weekday"):
            return "date"
        if self.dimension == "version":
            return "version"
        return "host" if self.dimension in ("host", "address", "email") else "number"


def number(text: str) -> float | None:
    """A written number as a float, German or English: `1.380`, `1,380`, `1,5`, `1.5`, `zwölf`, `twelve`; else None.

    A single separator followed by exactly three digits groups thousands; otherwise it is the decimal mark.
    """
    word = text.strip().lower()
    if word in _ONES:
        return float(_ONES[word])
    if word in _HALVES:
        return _HALVES[word]
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


def find(text: str) -> list[Value]:
    """All values of a sentence, in order of their place, none overlapping another."""
    if not _MAYBE.search(text):
        return []
    taken = bytearray(len(text))
    found: list[Value] = []
    for finder in (_addresses, _dates, _times, _amounts, _versions, _counts):
        for value in finder(text, taken):
            if not any(taken[value.start : value.end]):
                taken[value.start : value.end] = b"\x01" * (value.end - value.start)
                found.append(value)
    return sorted(found, key=lambda v: v.start)


_MAYBE = re.compile(
    rf"\d|\w\.\w|@|\b(?:{_WORD_NUMBER}|{'|'.join(_TIME_ADVERBS)}|{_WEEKDAY}|viertelstunde|jede\w?|every|each|alle|quarter|once|twice|"
    r"einmal|zweimal|dreimal)\b",
    re.I,
)


def contrasted(text: str, value: Value) -> bool:
    """Whether the value is only named to be set aside ("not the 20 GB", "statt 30 Tage")."""
    return bool(_NOT_THIS.search(text[: value.start]))


def conflicting(a: Value, b: Value) -> bool:
    """Whether two values of the same thing can't both hold. Different dimensions never conflict."""
    if a.dimension != b.dimension:
        return False
    if a.dimension == "version":
        return not _prefix(str(a.amount), str(b.amount))
    if a.dimension == "date":
        return _dates_differ(a.amount, b.amount)
    if isinstance(a.amount, float) and isinstance(b.amount, float):
        return _amounts_differ(a, b)
    if a.dimension in ("clock", "clock:utc") and isinstance(a.amount, tuple) and isinstance(b.amount, tuple):
        return _clocks_differ(a.amount, b.amount)
    if a.dimension == "host":
        return not _same_host(str(a.amount), str(b.amount))
    return a.amount != b.amount


def equal(a: Value, b: Value) -> bool:
    """Whether two values say the same, in whatever unit or spelling."""
    return a.dimension == b.dimension and not conflicting(a, b) and _opposite_bounds(a, b) is False


def _opposite_bounds(a: Value, b: Value) -> bool:
    return {a.bound, b.bound} == {"min", "max"}


def _amounts_differ(a: Value, b: Value) -> bool:
    assert isinstance(a.amount, float) and isinstance(b.amount, float)
    if _opposite_bounds(a, b):
        return False
    high = max(abs(a.amount), abs(b.amount))
    if "about" in (a.bound, b.bound):
        tolerance = 0.15
    else:  # 1 GB and 1 GiB, 30 days and a month are meant alike; two figures in one unit are not
        tolerance = 0.001 if _unit_of(a) == _unit_of(b) else 0.05
    if abs(a.amount - b.amount) <= tolerance * high:
        return False
    for one, other in ((a, b), (b, a)):
        if one.bound == "max" and other.bound in ("exact", "about"):
            return other.amount > one.amount  # type: ignore[operator]
        if one.bound == "min" and other.bound in ("exact", "about"):
            return other.amount < one.amount  # type: ignore[operator]
    return True


def _unit_of(value: Value) -> str:
    return re.sub(r"[^a-zäöü%]", "", value.text.lower())[:3]


def _prefix(a: str, b: str) -> bool:
    x, y = a.split("."), b.split(".")
    n = min(len(x), len(y))
    return x[:n] == y[:n]


def _dates_differ(a: object, b: object) -> bool:
    assert isinstance(a, tuple) and isinstance(b, tuple)
    return any(x and y and x != y for x, y in zip(a, b, strict=True))


def _clocks_differ(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    if len(a) == len(b):
        return a != b
    point, span = (a, b) if len(a) == 1 else (b, a)
    return not span[0] <= point[0] <= span[1]


def _same_host(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    return long == short or long.startswith(short + ".")


def _bound(text: str, start: int, end: int) -> Bound:
    before = text[max(0, start - 40) : start]
    if _MIN.search(before):
        return "min"
    if _MAX.search(before):
        return "max"
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
    if re.search(r"\b(von|from)\s+(?:[\w-]+\s+){0,2}$", before, re.I) and re.match(r"\s*(?:[\w-]+\s+){0,1}(auf|nach|to)\b", after, re.I):
        return "from"
    if re.search(r"\b(von|from)\s+(?:[\w-]+\s+){0,2}[\w.,]+\s+(?:[\w-]+\s+){0,1}(auf|to)\s+(?:[\w-]+\s+){0,1}$", before, re.I):
        return "to"
    return ""


def _addresses(text: str, taken: bytearray) -> Iterator[Value]:
    for m in _URL.finditer(text):
        host = re.sub(r"^[a-z][a-z0-9+.-]*://(?:[^/@]*@)?", "", m[0].lower()).split("/")[0].split(":")[0]
        yield Value("url", m[0].rstrip(".,;:!?").lower(), m[0].rstrip(".,;:!?"), m.start(), m.start() + len(m[0].rstrip(".,;:!?")), label=host)
    for m in _EMAIL.finditer(text):
        yield Value("email", m[0].lower(), m[0], m.start(), m.end())
    for m in _IP.finditer(text):
        dimension = "network" if m[2] else "address"
        yield Value(dimension, m[1] + (m[2] or ""), m[1] + (m[2] or ""), m.start(), m.end(2) if m[2] else m.end(1))
    for m in _HOST.finditer(text):
        labels = m[1].lower().split(".")
        if len(labels) >= 2 and not labels[-1].isdigit() and labels[-1] not in _FILE_ENDINGS and (len(labels) > 2 or "-" in m[1] or labels[-1] in _DOMAINS):
            yield Value("host", m[1].lower(), m[1], m.start(1), m.end(1))
            if m[2]:
                yield Value("port", float(m[2]), m[2], m.start(2), m.end(2))
    for m in _PORT.finditer(text):
        yield Value("port", float(m[1]), m[0], m.start(), m.end())


_FILE_ENDINGS = frozenset(
    "md txt pdf json yaml yml py sh exe log csv xml html conf ini cfg db zip png jpg docx xlsx pptx service sql msi".split()
)
_DOMAINS = frozenset("com org net de eu at ch io local lan internal intern corp home example test uk us info".split())


def _dates(text: str, taken: bytearray) -> Iterator[Value]:
    for m in _ISO_DATE.finditer(text):
        yield Value("date", (int(m[1]), int(m[2]), int(m[3])), m[0], m.start(), m.end())
    for m in _GERMAN_DATE.finditer(text):
        day, month, year = int(m[1]), int(m[2]), int(m[3] or 0)
        dated = m[3] or _BEFORE_DATE.search(text[: m.start()])
        if dated and 1 <= day <= 31 and 1 <= month <= 12:
            yield Value("date", (year + 2000 if 0 < year < 100 else year, month, day), m[0].strip(), m.start(), m.end())
    for m in _DAY_MONTH.finditer(text):
        if 1 <= int(m[1]) <= 31:
            yield Value("date", (int(m[3] or 0), _MONTHS[m[2].lower()], int(m[1])), m[0], m.start(), m.end())
    for m in _MONTH_DAY.finditer(text):
        if 1 <= int(m[2]) <= 31:
            yield Value("date", (int(m[3] or 0), _MONTHS[m[1].lower()], int(m[2])), m[0], m.start(), m.end())
    for m in _YEAR.finditer(text):
        yield Value("date", (int(m[1]), 0, 0), m[1], m.start(1), m.end(1))
    for m in _WEEKDAY_WORD.finditer(text):
        yield Value("weekday", (_WEEKDAYS[m[1].lower()],), m[0], m.start(), m.end())


def _minutes(hour: str, minute: str, suffix: str | None) -> int:
    value = int(hour) % 24 * 60 + int(minute or 0)
    mark = (suffix or "").lower().replace(".", "")
    if mark == "pm" and int(hour) < 12:
        value += 720
    return value - 720 if mark == "am" and int(hour) == 12 else value


def _times(text: str, taken: bytearray) -> Iterator[Value]:
    points: list[tuple[int, int, int]] = []
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
        if index + 1 < len(points) and re.fullmatch(r"\s*(?:Uhr\s*)?(?:bis|to|until|und|and|-|–)\s*", text[end : points[index + 1][0]], re.I):
            amount, end, index = (minutes, points[index + 1][2]), points[index + 1][1], index + 1
        utc = _UTC.match(text, end) or re.search(r"\((?:UTC|GMT)\)", text)
        yield Value("clock:utc" if utc else "clock", amount, text[start:end].strip(), start, end)
        index += 1


def _amounts(text: str, taken: bytearray) -> Iterator[Value]:
    for m in _EVERY.finditer(text):
        count = number(m[1] or "1") or 2.0
        dimension, factor = _UNITS[m[2].lower()]
        if dimension in ("duration", "workdays"):
            yield Value("interval", count * factor, m[0], m.start(), m.end())
    for m in _TIMES_PER.finditer(text):
        times = {"einmal": 1, "once": 1, "zweimal": 2, "twice": 2, "dreimal": 3, "viermal": 4}.get(m[1].lower(), 3)
        yield Value("interval", _UNITS[m[2].lower()][1] / times, m[0], m.start(), m.end())
    for m in _ADVERB.finditer(text):
        yield Value("interval", float(_TIME_ADVERBS[m[1].lower()]), m[0], m.start(), m.end())
    for m in _QUARTER_HOUR.finditer(text):
        word = m[0].lower()
        seconds = 2700.0 if word.startswith("drei") else 900.0 if "viertel" in word or "quarter" in word else 1800.0
        yield Value("duration", seconds, m[0], m.start(), m.end(), _bound(text, m.start(), m.end()))
    for m in _QUANTITY.finditer(text):
        amount = number(m[1] or m[2])
        unit = m[4].lower()
        if amount is None or (unit in _CASED_UNITS and not m[1]) or (m[2] and m[2].lower() in _ARTICLES and unit in ("second", "quarter")):
            continue
        dimension, factor = _UNITS[unit]
        if m[3] and m[3].lower() in ("working", "business"):
            dimension, factor = "workdays", 1
        yield Value(
            dimension, amount * factor, m[0], m.start(), m.end(), _bound(text, m.start(), m.end()),
            change=_change(text, m.start(), m.end()),
        )  # fmt: skip


_NOT_PRODUCTS = frozenset(
    """raum room ebene level etage floor seite page kapitel chapter abschnitt section schrank halle hall tor nr nummer
    number code fehler error stufe punkt schritt step tabelle table abbildung figure und and oder or von auf from to
    mit with auf bei ab bis als um in im am zum to of the der die das den dem version release nach vor zur""".split()
)


def _versions(text: str, taken: bytearray) -> Iterator[Value]:
    for m in _VERSION.finditer(text):
        label = (m["label"] or "").lower()
        if any(taken[m.start("number") : m.end("number")]):
            continue
        dotted = m["number"].count(".")
        if label in _PLACES or (dotted == 1 and not label and not re.search(r"version|release|upgrade|update|v\d|firmware", text, re.I) and not _change(text, m.start("number"), m.end("number"))):
            continue
        name = "" if label in _NOT_PRODUCTS else label
        yield Value("version", m["number"].lower(), m["number"], m.start("number"), m.end("number"), label=name, change=_change(text, m.start("number"), m.end("number")))
    for m in _LABELLED.finditer(text):
        word = m["label"]
        if any(taken[m.start("number") : m.end("number")]) or len(word) < 2:
            continue
        product = bool(re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\d", word))
        versioned = word.lower() in ("version", "release", "firmware")
        year = len(m["number"]) == 4 and m["number"].startswith(("19", "20"))
        if (product or versioned) and not year:
            yield Value("version", m["number"], m["number"], m.start("number"), m.end("number"), label="" if versioned else word.lower(), change=_change(text, m.start("number"), m.end("number")))


_PLACES = frozenset("raum room ebene schrank halle hall tor nr nummer kapitel chapter section abschnitt".split())
_NOT_NOUNS = frozenset(
    """bis und oder von auf nach vor mit im in am als bei zu zum zur aus to and or of from at by on for per a an the uhr
    hours weitere weiteren further other mal times more less mehr weniger""".split()
)


def _counts(text: str, taken: bytearray) -> Iterator[Value]:
    for m in _COUNT.finditer(text):
        written = m["number"] or m["word"]
        if written.lower() in _ARTICLES or written.lower() in _HALVES:
            continue
        if m["number"] and len(written) == 4 and written.startswith(("19", "20")):
            continue
        amount = number(written)
        words = m["noun"].split()
        while words and words[0].lower() in _NOT_NOUNS:
            words.pop(0)
        if amount is None or not words or any(taken[m.start() : m.start() + len(written)]):
            continue
        end = m.start() + len(written)
        yield Value("count", amount, text[m.start() : text.find(words[0], end) + len(words[0])], m.start(), end, _bound(text, m.start(), end), label=" ".join(words).lower())
