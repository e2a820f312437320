"""Splitting a text into passages: about 200 words, at headings and paragraphs, code fences and tables whole.

Where one passage ends depends on the text around that place only, so an edit changes the passages it touches and the
others keep their ids and vectors.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain_assets.model.entry import Passage
from brain_assets.sources.markdown import Block, blocks
from brain_assets.text import language as languages

TARGET_WORDS = 200
MAX_CHARS = 1_600
_ENOUGH_WORDS = 80  # a heading starts a new passage once the current one has this many
_ANCHOR_WORDS = 80  # a paragraph may end the passage from here on, if its own text says so (one in four does)
_LEAD_WORDS = 40  # a shorter lead stays with the table or code it introduces, a shorter tail with what it follows
_WHOLE_CHARS = 4_000  # longer code and tables are split at their lines
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{400,}")
_ENCODED_LINE = re.compile(r"[ \t>]*[A-Za-z0-9+/=]{48,}[ \t]*")
_SENTENCE_END = re.compile(r"[.!?…:;]\S{0,3}\s+")


@dataclass(slots=True)
class _Unit:
    """A stretch of the body that stays in one passage. `path` is the heading path in force there."""

    start: int
    end: int
    words: int
    kind: str
    path: tuple[str, ...]
    code: bool = False


def split(
    entry_id: str, title: str, body: str, language: str, found: Sequence[Block] | None = None
) -> tuple[Passage, ...]:
    """The passages of an entry, in order; `text` is always `body[start:end]`.

    `language` is the entry's, taken for passages that have no words to tell by; `found` are the body's blocks if they
    are known already. Encoded data (base64 and the like) of more than a few lines is in no passage.
    """
    return divide(entry_id, title, body, blocks(body) if found is None else found, language)[0]


def divide(
    entry_id: str, title: str, body: str, found: Sequence[Block], language: str | None = None, hint: str | None = None
) -> tuple[tuple[Passage, ...], str]:
    """(passages, language of the entry): that of most of its text unless it is given. `hint` is what a text without
    any word to tell by is taken for."""
    groups = list(_groups(body, list(_units(body, found))))
    told = [languages.by_stop_words(_prose(body, group)) for group in groups]
    if language is None:
        chars: dict[str, int] = {}
        for group, own in zip(groups, told, strict=True):
            if own:
                chars[own] = chars.get(own, 0) + group[-1].end - group[0].start
        language = max(sorted(chars), key=chars.__getitem__, default=None)
    if language is None:
        language = languages.detect("\n".join([title, *(_prose(body, group) for group in groups[:5])]), hint)
    seen: dict[str, int] = {}
    out: list[Passage] = []
    for group, own in zip(groups, told, strict=True):
        start, end = group[0].start, group[-1].end
        text = body[start:end]
        occurrence = seen.get(text, 0)
        seen[text] = occurrence + 1
        out.append(
            Passage(
                id=_hash(f"{entry_id}\n{text}\n{occurrence}")[:32],
                entry_id=entry_id,
                ordinal=len(out),
                heading_path=next((u.path for u in group if u.kind != "heading"), group[0].path),
                text=text,
                language=own or language,
                start=start,
                end=end,
                digest=_hash(f"{title}\n{text}"),
            )
        )
    return tuple(out), language


def _prose(body: str, group: Sequence[_Unit]) -> str:
    """A passage without code, which looks English to every detector."""
    return "\n".join(body[unit.start : unit.end] for unit in group if not unit.code)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _units(body: str, found: Sequence[Block]) -> Iterator[_Unit]:
    path: list[tuple[int, str]] = []
    names: tuple[str, ...] = ()
    for block in found:
        start, end = _trim(body, block.start, block.end)
        if start == end:
            continue
        if block.kind == "heading":
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, block.text))
            names = tuple(name for _, name in path)
        limit = _WHOLE_CHARS if block.kind in ("code", "table") else MAX_CHARS
        words = len(body[start:end].split())
        if end - start <= limit and (block.kind != "text" or words <= TARGET_WORDS + _LEAD_WORDS):
            yield _Unit(start, end, words, block.kind, names, block.kind == "code")
            continue
        by_line = block.kind in ("code", "table")
        for piece_start, piece_end in _pieces(body, start, end, by_line):
            yield _Unit(
                piece_start, piece_end, len(body[piece_start:piece_end].split()), "piece", names, block.kind == "code"
            )


def _trim(body: str, start: int, end: int) -> tuple[int, int]:
    if start < end and not body[start].isspace() and not body[end - 1].isspace():
        return start, end
    text = body[start:end]
    return start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))


def _groups(body: str, units: list[_Unit]) -> Iterator[list[_Unit]]:
    """Neighbouring units that make one passage."""
    group: list[_Unit] = []
    words = 0
    for unit in units:
        if group and _closes(body, group, words, unit):
            kept = group
            moved: list[_Unit] = []
            while len(kept) > 1 and kept[-1].kind == "heading" and unit.kind != "heading":
                moved.insert(0, kept.pop())  # a heading goes with what follows it
            yield kept
            group, words = moved, sum(u.words for u in moved)
        group.append(unit)
        words += unit.words
    if group:
        yield group


def _closes(body: str, group: list[_Unit], words: int, unit: _Unit) -> bool:
    """Whether the passage made of `group` ends before `unit`."""
    last = group[-1]
    if last.end < unit.start and not body[last.end : unit.start].isspace():
        return True  # something between them is in no passage
    chars = unit.end - group[0].start
    if unit.kind == "heading":
        enough = TARGET_WORDS if last.kind == "heading" else _ENOUGH_WORDS
        return words >= enough or chars > MAX_CHARS
    if words + unit.words > TARGET_WORDS or chars > MAX_CHARS:
        if unit.kind in ("code", "table"):
            return words >= _LEAD_WORDS
        short_tail = unit.words < _LEAD_WORDS and words + unit.words <= TARGET_WORDS + _LEAD_WORDS
        return not ((short_tail and chars <= MAX_CHARS) or all(u.kind == "heading" for u in group))
    if words < _ANCHOR_WORDS or last.kind == "heading":
        return False
    return zlib.crc32(body[last.start : last.end].encode("utf-8", "surrogatepass")) % 4 == 0


def _pieces(body: str, start: int, end: int, by_line: bool) -> Iterator[tuple[int, int]]:
    """Pieces of a block that is too long: at lines, else at sentences, else at words, else anywhere."""
    while start < end:
        while start < end and body[start].isspace():
            start += 1
        if (skipped := _encoded_until(body, start, end)) > start:
            start = skipped
            continue
        stop = _stop(body, start, end, by_line)
        a, b = _trim(body, start, stop)
        if a < b:
            yield a, b
        start = stop


def _encoded_until(body: str, start: int, end: int) -> int:
    """End of the encoded data that begins at `start`; `start` if what begins there is text."""
    if match := _ENCODED.match(body, start, end):
        return match.end()
    position, lines = start, 0
    while position < end and (match := _ENCODED_LINE.match(body, position, end)):
        stop = match.end()
        if stop < end and body[stop] != "\n":
            break
        position, lines = min(stop + 1, end), lines + 1
    return position if lines >= 20 else start


def _stop(body: str, start: int, end: int, by_line: bool) -> int:
    limit = min(start + MAX_CHARS, end)
    if match := _ENCODED.search(body, start, limit):
        limit = match.start()
    window = body[start:limit]
    words = window.split(None, TARGET_WORDS)
    if len(words) <= TARGET_WORDS and limit == end:
        return end
    if len(words) > TARGET_WORDS:
        limit -= len(words[-1])
        window = body[start:limit]
    floor = len(window) // 2
    if (cut := window.rfind("\n", floor)) > 0:
        return start + cut + 1
    if not by_line:
        cuts = [match.end() for match in _SENTENCE_END.finditer(window, floor)]
        if cuts:
            return start + cuts[-1]
    cut = max(window.rfind(" ", floor), window.rfind("\t", floor))
    return start + cut + 1 if cut > 0 else max(limit, start + 1)
