"""An entry read for the judge: its blocks, its sentences, where it points, how it is built. Read once, kept a while."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from brain_assets.graph.statements import MAX_CHARS, Statements
from brain_assets.graph.statements import of as statements_of
from brain_assets.graph.wording import LIGHT, keys_of
from brain_assets.model.entry import Entry
from brain_assets.text import sentences
from brain_assets.text.words import STOP

_WORD = re.compile(r"[^\W_]+(?:[-.:/@_&][^\W_]+)*")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}")
_ITEM = re.compile(r"^\s*(?:>\s?)*(?:[-*+]|(\d{1,3})[.)])\s+")
_LINK = re.compile(r"!?\[\[[^\]\n]+\]\]|\[[^\]\n]*\]\([^)\n]+\)")
_MAX_BLOCKS = 200
_MAX_SENTENCES = 120

Keys = frozenset[int]
"""Concepts and stems by their numbers (`number_of`)."""

Packed = tuple[int, ...]
"""Keys as they are held: a tenth of the memory of a set."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item or table row, verbatim line by line."""

    kind: str
    text: str
    heading: str
    packed: Packed

    @property
    def keys(self) -> Keys:
        return frozenset(self.packed)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A place where the entry names another one: the line it stands in and what kind of line that is."""

    target: str
    line: str
    heading: str
    in_list: bool
    numbered: bool
    mostly_links: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Reading:
    """`entry` comes without its passages; `packed` are the keys of its title and text."""

    entry: Entry
    title_keys: Keys
    packed: Packed
    blocks: tuple[Block, ...]
    packed_sentences: tuple[tuple[str, Packed], ...]
    pointers: tuple[Pointer, ...]
    numbered_steps: int
    overview: bool
    statements: Statements

    @property
    def keys(self) -> Keys:
        return frozenset(self.packed)

    @property
    def sentences(self) -> list[tuple[str, Keys]]:
        """Each sentence with its keys, in order."""
        return [(sentence, frozenset(packed)) for sentence, packed in self.packed_sentences]


_numbers: dict[str, int] = {}
_names: list[str] = []


def number_of(key: str) -> int:
    """The number of a concept or stem in this process."""
    number = _numbers.get(key)
    if number is None:
        number = _numbers[key] = len(_names)
        _names.append(key)
    return number


def name_of(number: int) -> str:
    """The concept or stem of a number."""
    return _names[number]


@lru_cache(maxsize=100_000)
def _word_keys(word: str) -> Packed:
    low = word.lower()
    if low in STOP or low in LIGHT or len(low) < 2 or low.isdigit():
        return ()
    return tuple(number_of(k) for k in sorted(keys_of(word)))


def keys(text: str) -> Keys:
    """Concepts and stems of a text's meaningful words."""
    return frozenset(k for word in _WORD.findall(text) for k in _word_keys(word))


def _packed(text: str) -> Packed:
    return tuple(sorted(keys(text)))


_OVERVIEW = re.compile(
    r"\b(übersicht|überblick|overview|index|inhalt|moc|map of content|start(?:seite|page)|home|contents)\b", re.I
)


def read(entry: Entry, mentions: Mapping[str, str] | None = None) -> Reading:
    """Read an entry. `mentions` maps ids as written in texts (KB-1001) to entry ids."""
    blocks = tuple(_blocks(entry.body[:MAX_CHARS]))
    said: dict[str, Packed] = {}
    for block in blocks:
        for line in block.text.split("\n"):
            for sentence in sentences.split(line) if block.kind != "row" else ():
                said.setdefault(sentence.text, _packed(sentence.text))
            if block.kind == "row":
                said.setdefault(line.strip(), _packed(line))
        if len(said) >= _MAX_SENTENCES:
            break
    pointers = tuple(_pointers(entry, blocks, mentions or {}))
    links = sum(p.mostly_links for p in pointers)
    named = bool(_OVERVIEW.search(entry.title)) or any(
        t.lower() in ("moc", "index", "übersicht", "overview") for t in entry.tags
    )
    return Reading(
        entry.model_copy(update={"passages": ()}) if entry.passages else entry,
        keys(" ".join((entry.title, *entry.aliases))), _packed(f"{entry.title}\n{entry.body[:MAX_CHARS]}"), blocks,
        tuple(said.items())[:_MAX_SENTENCES], pointers,
        sum(b.kind == "step" for b in blocks), (named and links >= 2) or links >= 5, statements_of(entry),
    )  # fmt: skip


def _blocks(body: str) -> Iterable[Block]:
    paragraph: list[str] = []
    heading, fenced, count = "", False, 0

    def close() -> Iterable[Block]:
        if paragraph:
            text = "\n".join(paragraph)
            paragraph.clear()
            yield Block("paragraph", text, heading, _packed(text))

    for raw in body.split("\n"):
        line = raw.strip()
        if _FENCE.match(raw):
            fenced = not fenced
            continue
        if fenced:
            continue
        item = _ITEM.match(raw)
        if not line or line.startswith("#") or line.startswith("|") or item:
            yield from close()
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif line.startswith("|"):
            if not _RULE.match(line):
                yield Block("row", line, heading, _packed(line))
                count += 1
        elif item:
            text = raw[item.end() :].strip()
            yield Block("step" if item[1] else "item", text, heading, _packed(text))
            count += 1
        elif line:
            paragraph.append(re.sub(r"^(?:>\s?)+", "", line))
        if count >= _MAX_BLOCKS:
            return
    yield from close()


def _pointers(entry: Entry, blocks: Iterable[Block], mentions: Mapping[str, str]) -> Iterable[Pointer]:
    names: dict[str, list[str]] = {}
    for link in entry.links:
        if link.entry_id and link.entry_id != entry.id:
            names.setdefault(link.entry_id, []).append(link.target)
    for block in blocks:
        for line in block.text.split("\n"):
            found = {t for t, written in names.items() if any(f"[[{w}" in line or f"]({w}" in line for w in written)}
            found |= {mentions[m] for m in _IDS.findall(line) if mentions.get(m, entry.id) != entry.id}
            if not found:
                continue
            bare = _LINK.sub(" ", line)
            few_words = len(_WORD.findall(bare)) <= 3
            for target in sorted(found):
                sentence = next(
                    (
                        s.text
                        for s in sentences.split(line)
                        if any(w in s.text for w in names.get(target, ()))
                        or any(mentions.get(m) == target for m in _IDS.findall(s.text))
                    ),
                    line,
                )
                yield Pointer(
                    target, line.strip(), block.heading, block.kind in ("item", "step"), block.kind == "step",
                    few_words, sentence,
                )  # fmt: skip


_IDS = re.compile(r"\b[A-Z][A-Z0-9]*-(?:[A-Z]+-)*\d[\w-]*\b")
