"""Cue words found by one pass over the words of a text.

A pattern of forty alternatives costs as much on a sentence that has none of them as on one that has. Here the
beginnings of all alternatives stand in one table, each distinct word is looked up in it once, and a pattern is only
tried where one of its alternatives may begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_WORDS = re.compile(r"\w+")
_KEPT = 100_000
_OPENINGS = ("(?:", "(")


class Cues:
    """Named patterns, each a list of alternatives that begin with a letter or digit at the beginning of a word.

    What is found is what `re.compile(rf"\\b(?:{pattern})\\b", flags).search` finds; a pattern without the closing
    boundary is given as it is in `open_ended`.
    """

    def __init__(
        self, patterns: Mapping[str, str], *, flags: re.RegexFlag = re.I, open_ended: Mapping[str, str] | None = None
    ) -> None:
        sources = {name: rf"\b(?:{p})\b" for name, p in patterns.items()}
        sources |= {name: rf"\b(?:{p})" for name, p in (open_ended or {}).items()}
        self.names = tuple(sources)
        self._patterns = [re.compile(source, flags) for source in sources.values()]
        self._number = {name: n for n, name in enumerate(self.names)}
        self._beginnings: dict[str, int] = {}
        for n, alternatives in enumerate({**patterns, **(open_ended or {})}.values()):
            for beginning in beginnings(alternatives):
                self._beginnings[beginning] = self._beginnings.get(beginning, 0) | 1 << n
        self._longest = max(map(len, self._beginnings), default=0)
        self._words: dict[str, int] = {}

    def found(self, text: str) -> set[str]:
        """Names of the patterns that occur in a text."""
        known = self._words
        may = 0
        for word in _WORDS.findall(text):
            bits = known.get(word)
            may |= self._look_up(word) if bits is None else bits
        if not may:
            return set()
        out = set()
        for match in _WORDS.finditer(text):
            bits = known.get(match[0])  # None where the table was emptied since
            bits = (self._look_up(match[0]) if bits is None else bits) & may
            while bits:
                low = bits & -bits
                bits ^= low
                n = low.bit_length() - 1
                if self._patterns[n].match(text, match.start()):
                    out.add(self.names[n])
                    may ^= low
        return out

    def first(self, name: str, text: str) -> re.Match[str] | None:
        """The first occurrence of one pattern."""
        return next(self.each(name, text), None)

    def each(self, name: str, text: str) -> Iterator[re.Match[str]]:
        """The occurrences of one pattern that do not overlap, in order."""
        n = self._number[name]
        bit, pattern, known, end = 1 << n, self._patterns[n], self._words, 0
        for match in _WORDS.finditer(text):
            word = match[0]
            bits = known.get(word)
            if (self._look_up(word) if bits is None else bits) & bit and match.start() >= end:
                found = pattern.match(text, match.start())
                if found:
                    yield found
                    end = max(found.end(), match.start() + 1)

    def without(self, name: str, text: str) -> str:
        """The text with a blank in the place of every occurrence of one pattern."""
        parts, end = [], 0
        for match in self.each(name, text):
            parts.append(text[end : match.start()])
            end = match.end()
        return " ".join((*parts, text[end:])) if parts else text

    def is_all(self, name: str, text: str) -> bool:
        """Whether a text is an occurrence of one pattern and nothing else."""
        return self._patterns[self._number[name]].fullmatch(text) is not None

    def _look_up(self, word: str) -> int:
        if len(self._words) >= _KEPT:
            self._words.clear()
        bits, low = 0, word.lower()
        for length in range(min(len(low), self._longest) + 1):
            bits |= self._beginnings.get(low[:length], 0)
        self._words[word] = bits
        return bits


def beginnings(pattern: str) -> set[str]:
    """The letters, lower-case, with which a match of a pattern begins: as many as are the same in every case.

    Reads literals, groups and alternatives; anything else ends a beginning. An empty one means: any word.
    """
    out: set[str] = set()
    for alternative in _alternatives(pattern):
        at, done = 0, {""}
        while at < len(alternative):
            opening = next((o for o in _OPENINGS if alternative.startswith(o, at)), "")
            if opening:
                close = _closing(alternative, at)
                if alternative[close + 1 : close + 2] not in ("?", "*", "{"):
                    done = {d + b for d in done for b in beginnings(alternative[at + len(opening) : close])}
                break
            letter = alternative[at]
            if not letter.isalnum() or alternative[at + 1 : at + 2] in ("?", "*", "{"):
                break
            done = {d + letter.lower() for d in done}
            at += 1
        out |= done
    return out


def _alternatives(pattern: str) -> Iterator[str]:
    """The parts between the bars that stand outside every group and set."""
    start = depth = at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] == "[":
            at = pattern.index("]", at + 1)
        elif pattern[at] in "()":
            depth += 1 if pattern[at] == "(" else -1
        elif pattern[at] == "|" and not depth:
            yield pattern[start:at]
            start = at + 1
        at += 1
    yield pattern[start:]


def _closing(pattern: str, at: int) -> int:
    """Where the group that opens at a position closes."""
    depth = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] == "[":
            at = pattern.index("]", at + 1)
        elif pattern[at] in "()":
            depth += 1 if pattern[at] == "(" else -1
            if not depth:
                return at
        at += 1
    raise ValueError(f"a group does not close: {pattern}")
