"""Sentences of German and English prose and Markdown, with offsets."""

from __future__ import annotations

import re
from typing import NamedTuple

_ABBREVIATIONS = frozenset(
    """abb abs abt bspw ext bzw ca d dr etc evtl exkl ggf h inkl max min mind mio mrd nr o s sog std str tel u usw v vgl z
    zzgl e.g i.e approx dept est fig inc jr mr mrs ms no p pp prof sr st vs jan feb mar apr jun jul aug sep sept okt oct
    nov dez dec""".split()
)
_END = re.compile(r"[.!?…]+[\"'”“»)\]*_`]*(?=\s|$)")
_DAY = re.compile(r"(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.\s?(?:0?[1-9]|1[0-2])\.$")
_NUMBERED = re.compile(r"\b(?:version|release|v|kapitel|abschnitt|chapter|section|python)\W*$", re.I)
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")


class Sentence(NamedTuple):
    text: str
    start: int
    end: int


def split(text: str) -> list[Sentence]:
    """Sentences and whole lines of a text, each verbatim, in order, never across a line that ends a block.

    Every Markdown list item, table row and heading is at least one sentence; a full stop after an abbreviation, a
    number ("1. Mai"), a day and month ("am 5.12.") or a single letter does not end one; soft-wrapped prose lines are joined into their paragraph.
    """
    out: list[Sentence] = []
    position, fenced = 0, False
    block_start: int | None = None

    def close(end: int) -> None:
        nonlocal block_start
        if block_start is not None:
            out.extend(_prose(text, block_start, end))
            block_start = None

    for line in text.splitlines(keepends=True):
        bare = line.strip()
        start = position
        position += len(line)
        if bare.startswith(("```", "~~~")):
            close(start)
            fenced = not fenced
        elif fenced:
            if bare:
                out.append(_trim(text, start, position))
        elif not bare:
            close(start)
        elif bare.startswith(("#", "|")) or _LIST_ITEM.match(line):
            close(start)
            if bare.startswith(("#", "|")):
                out.append(_trim(text, start, position))
            else:
                block_start = start
        elif block_start is None:
            block_start = start
    close(len(text))
    return out


def _ends_in_a_day(text: str, start: int, end: int) -> bool:
    """Whether the full stop belongs to a day and a month without a year."""
    day = _DAY.search(text, max(start, end - 7), end)
    return day is not None and not _NUMBERED.search(text, max(start, day.start() - 12), day.start())


def _trim(text: str, start: int, end: int) -> Sentence:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Sentence(text[start:end], start, end)


def _prose(text: str, start: int, end: int) -> list[Sentence]:
    out, begin = [], start
    for match in _END.finditer(text, start, end):
        before = text[begin : match.start()].rsplit(None, 1)
        word = before[-1].strip("(\"'„*_`").lower() if before else ""
        following = text[match.end() : match.end() + 2].strip()[:1]
        if match[0].startswith(".") and match[0].strip("\"'”“»)]*_`") == ".":
            if word in _ABBREVIATIONS or len(word) == 1 or (word.isdigit() and len(word) <= 2):
                continue
            if following and (following.islower() or _ends_in_a_day(text, begin, match.end())):
                continue
        sentence = _trim(text, begin, match.end())
        if sentence.text:
            out.append(sentence)
        begin = match.end()
    if (last := _trim(text, begin, end)).text:
        out.append(last)
    return out
