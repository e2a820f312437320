"""Numbers that name rather than measure (rooms, floors, extensions), and figures whose label says what they count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain_assets.graph.units import ORDINALS
from brain_assets.graph.values import Value

_ROOM = re.compile(
    r"\b(?:raum|zimmer|saal|hörsaal|büro|room|office|lecture hall)\s+(?:nr\.?\s*|no\.?\s*)?([a-z]?-?\d[\d.]*[a-z]?)(?![\w.]*\d)",
    re.I,
)
_FLOOR = re.compile(
    rf"\b(?:(?P<digit>\d{{1,2}})(?:\.|st|nd|rd|th)|(?P<word>{'|'.join(ORDINALS)})[nrsm]?)\s*"
    r"(?:og|obergeschoss|stock(?:werk)?|etage|floor)\b",
    re.I,
)
_EXTENSION = re.compile(
    r"\b(?:ext(?:ension)?\b\.?|nebenstelle|durchwahl|kurzwahl|apparat|dial|tel(?:efon)?\b\.?|phone|hotline)\s*(?:number\s*)?[:#]?\s*"
    r"(\d{2,6})(?![\w/-]|[.:,]\d)",
    re.I,
)
_FIGURE = re.compile(
    r"(?:^|[|;]\s*|\*\*)(?P<label>[A-ZÄÖÜ][\wäöüß-]*(?: [\wäöüß-]+){0,4})(?:\*\*)?:(?:\*\*)?\s*(?P<number>\d+(?:[.,]\d+)?)(?=\s*(?:$|[;|]|\.(?:\s|$)))"
)
_CELL = re.compile(r"\d+(?:[.,]\d+)?")


def find(text: str) -> Iterator[Value]:
    """The rooms, floors, extensions and labelled figures of a sentence."""
    for dimension, pattern in (("room", _ROOM), ("extension", _EXTENSION)):
        for m in pattern.finditer(text):
            written = m[1].rstrip(".")
            yield Value(dimension, written.lower(), written, m.start(1), m.start(1) + len(written))
    for m in _FLOOR.finditer(text):
        floor = int(m["digit"]) if m["digit"] else ORDINALS[m["word"].lower()]
        yield Value("floor", float(floor), m[0], m.start(), m.end())
    for m in _FIGURE.finditer(text):
        yield figure(m["number"], m.start("number"), m["label"])


def figure(written: str, start: int, label: str) -> Value:
    """A bare number with the words that say what it counts."""
    return Value("count", float(written.replace(",", ".")), written, start, start + len(written), label=label.lower())


def bare(cell: str) -> re.Match[str] | None:
    """A table cell that is nothing but a figure."""
    return _CELL.fullmatch(cell.strip())
