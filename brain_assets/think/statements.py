"""What an entry says, one statement at a time: sentences, list items, table rows and whole code blocks.

A statement keeps where it stands (headings, list, lead-in), because a sentence such as "Er gilt 24 Stunden." is only
about something through them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from brain_assets.graph.wording import keys_of
from brain_assets.model.entry import Entry
from brain_assets.text import sentences
from brain_assets.text.words import STOP, content_words, fold, stem, tokens

_SHORT = 3
"""Content words of a sentence that only calls the one before it open."""
Kind = Literal["prose", "item", "step", "row", "code"]

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*\n(?P<code>.*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_STEP = re.compile(r"\s*\d{1,3}[.)]\s+")
_ITEM = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?")
_QUOTE = re.compile(r"(?m)^\s*>\s?(?:\[!\w+\][+-]?\s*)?")
_SEPARATOR_ROW = re.compile(r"\|?[\s:|-]+\|?")
_WIKILINK = re.compile(r"!?\[\[([^\]|#\n]*)(?:#([^\]|\n]*))?(?:\|([^\]\n]*))?\]\]")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*\*\*|\*\*|\*)(?=\S)(.+?)(?<=\S)\1(?![\w*])|(?<![\w_])(__|_)(?=\S)(.+?)(?<=\S)\3(?![\w_])"
)
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)
_OPEN = re.compile(
    r"^\W*(?:(?:noch )?(?:offene?r? (?:frage|punkt)|offen|ungeklärt|unklar|todo|tbd|frage|zu klären)|"
    r"(?:still )?(?:open (?:question|point|issue)|unclear|unresolved)|to do)\b\W|^\W*(?:still )?open\s*:|"
    r"\b(?:(?:noch|bisher|bislang) (?:\w+ ){0,2}(?:ungeklärt|unklar|unbekannt|offen|zu (?:klären|ermitteln|bestimmen|prüfen|"
    r"entscheiden|regeln))|(?:noch|bisher|bislang) (?:nicht|nirgends|kein\w*) (?:\w+ ){0,3}(?:geklärt|entschieden|bekannt|"
    r"festgelegt|ermittelt|festgehalten|aufgeschrieben|dokumentiert|beschrieben|vereinbart)|wird noch (?:geklärt|ermittelt)|"
    r"(?:nirgends|nirgendwo|nie|niemand hat \w+(?: \w+)?) (?:\w+ )?(?:dokumentiert|festgehalten|aufgeschrieben|beschrieben|notiert)|"
    r"steh(?:t|en) noch (?:nicht fest|aus)|ist offen|bleibt offen|"
    r"steht in kein\w+ (?:\w+ )?(?:unterlagen?|anleitung\w*|notiz\w*|handb\w+|dokument\w*|doku\w*)|weiß (?:keiner|niemand)|"
    r"müssen (?:wir )?(?:noch|erst) (?:\w+ )?(?:herausfinden|klären|ermitteln|nachfragen|erfragen)|"
    r"(?:nobody|no one|none of us) (?:here )?knows|(?:have|need) (?:still )?to (?:find out|clarify)|"
    r"(?:is|are) not in any of (?:our|the) (?:documents|manuals|notes)|"
    r"to be (?:decided|confirmed|clarified|determined)|(?<!have )(?<!has )(?<!had )to be (?:agreed|announced|done)|"
    r"not (?:yet )?(?:decided|clarified|known|settled|agreed|documented|defined)|"
    r"(?:nobody|no one) (?:ever )?(?:wrote|has written|documented) (?:it |this |that |them )?(?:down)?|"
    r"(?:never|nowhere|not) (?:been )?(?:written down|documented|recorded|defined)|(?:is|are|remains?) (?:still )?(?:open|unclear|undecided)|"
    r"still (?:open|unclear|undecided|unknown)|tbd|tba)\b",
    re.IGNORECASE,
)

_OPEN_CELL = re.compile(
    r"(?: –|:) (?:\?+|unbekannt|ungeklärt|unklar|unknown|unclear|tbd|tba|n\. ?n\.)(?=,|$)", re.IGNORECASE
)
"""A cell of a table that says nobody knows."""
_POINTING = re.compile(
    r"siehe|s|vgl|vergleiche|mehr|weiter\w*|näher\w*|einzelheiten|details?|verwandt\w*|dazu|lies|links?|see|cf|compare|"
    r"read|more|further|related|about|info\w*|steh\w*|part|teil|gehör\w*|belongs?",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:von|an|cc|datum|gesendet|betreff|from|to|date|sent|subject): |"
    r"(?:moin|hallo|hi|hello|hey|dear|liebe[rs]?|sehr geehrte[rs]?|guten (?:morgen|tag)|good (?:morning|afternoon))\b[^.:;?]{0,40}[,!.]*$|"
    r"(?:(?:viele|beste|liebe|schöne|herzliche|freundliche|mit (?:\w+ )?|best|kind|warm) ?)*"
    r"(?:grüße\w*|gruß|regards|wishes|cheers|danke|thanks|lg|vg|mfg)\b[^.:;?]{0,30}[,!.]*$",
    re.IGNORECASE,
)
"""Heads, salutations and greetings of letters."""
_PROBLEM_HEADING = re.compile(
    r"(?:das )?(?:problem|symptome?|fehlerbild|frage|ausgangslage|anlass|(?:the )?(?:problem|symptoms?|issue|question))"
    r"(?: ?beschreibung| description)?\W*$",
    re.IGNORECASE,
)
_OPEN_HEADING = re.compile(
    r"(?:offen|offene (?:fragen?|punkte?)|ungeklärt|noch zu klären|open(?: (?:questions?|points?|issues?))?|unresolved)"
    r"\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of one entry.

    `text` is what a reader sees (Markdown marks gone), `start`/`end` its place in `Entry.body`. `keys` are its words
    as concepts and stems, `context` those of title, headings and lead-in. `group` numbers the list, table or code
    block it is part of (-1: none); `lead` is the sentence that introduces that list, `step` counts its numbered items.
    `open`: named as not settled. `continues`: a further sentence of the same list item. `pointer`: only says where to
    look, or is a courtesy. `problem`: tells what goes wrong or is asked, which another part of the entry answers.
    """

    entry_id: str
    text: str
    kind: Kind
    start: int
    end: int
    ordinal: int
    language: str
    headings: tuple[str, ...]
    keys: frozenset[str]
    context: frozenset[str]
    group: int = -1
    lead: str = ""
    open: bool = False
    step: int = 0
    continues: bool = False
    pointer: bool = False
    problem: bool = False


@dataclass
class _Reader:
    entry: Entry
    out: list[Statement] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    group: int = -1
    step: int = 0
    last: Literal["", "list", "table"] = ""
    lead: str = ""
    end: int = 0

    def add(self, text: str, kind: Kind, start: int, end: int, group: int = -1, *, continues: bool = False) -> None:
        text = " ".join(text.split()) if kind != "code" else text
        if not any(c.isalnum() for c in text):
            return
        titles = tuple(h for _, h in self.headings)
        lead = self.lead if group >= 0 else ""
        context = keys(" ".join((self.entry.title, *self.entry.aliases, *titles, lead)))
        record = self.entry.record
        if record is not None and start >= self._answered_from() > 0:
            context |= keys(record.text)  # what an answer answers need not stand in it again
        self.out.append(
            Statement(
                self.entry.id, text, kind, start, end, len(self.out), self.entry.language, titles,
                keys(text), context, group, lead, _is_open(text, titles) or (kind == "row" and bool(_OPEN_CELL.search(text))),
                self.step if kind == "step" else 0, continues,
                kind != "code" and (_is_pointer(self.entry.body[start:end]) or bool(_COURTESY.match(text))),
                start < self._answered_from() or _under_problem(titles),
            )
        )  # fmt: skip

    def _answered_from(self) -> int:
        """Where the answer of a KB entry begins; 0 for a note, and for an entry that is all of one piece."""
        record = self.entry.record
        return len(record.text) if record is not None and record.text and record.answer else 0


def statements(entry: Entry) -> list[Statement]:
    """All statements of an entry in order. Headings, rules and table heads are context, not statements."""
    body = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), entry.body)
    reader = _Reader(entry)
    position = 0
    for fence in _FENCE.finditer(body):
        _read_text(reader, body[position : fence.start()], position)
        if fence["code"].strip():
            reader.group += 1
            reader.add(fence["code"].strip("\n"), "code", fence.start(), fence.end(), reader.group)
        reader.last, position = "", fence.end()
    _read_text(reader, body[position:], position)
    return _open_items(reader.out)


def _open_items(said: list[Statement]) -> list[Statement]:
    """A list item whose last short sentence calls it open ("… Nobody knows.") is open as a whole."""
    for i in range(len(said) - 1, 0, -1):
        short = said[i].continues and said[i].open and len(content_words(said[i].text)) <= _SHORT
        if short and said[i - 1].group == said[i].group:
            said[i - 1] = replace(said[i - 1], open=True)
    return said


def _read_text(reader: _Reader, text: str, offset: int) -> None:
    text = _QUOTE.sub(lambda m: " " * len(m[0]), text)
    for sentence in sentences.split(text):
        written = sentence.text
        start, end = sentence.start + offset, sentence.end + offset
        gap = reader.entry.body[reader.end : start]
        reader.end = end
        if heading := _HEADING.match(written):
            level = len(heading[1])
            while reader.headings and reader.headings[-1][0] >= level:
                reader.headings.pop()
            title = plain(heading[2])
            if fold(title) != fold(reader.entry.title):
                reader.headings.append((level, title))
            reader.last, reader.lead = "", ""
        elif written.startswith("|"):
            _read_row(reader, written, start, end)
        elif mark := _STEP.match(written) or _ITEM.match(written):
            if reader.last != "list":
                reader.group += 1
                reader.step = 0
            reader.last = "list"
            kind: Kind = "step" if mark[0].strip()[0].isdigit() else "item"
            reader.step += kind == "step"
            reader.add(plain(written[mark.end() :]), kind, start, end, reader.group)
        elif reader.last == "list" and "\n\n" not in gap and reader.out:
            # The next sentence of the same item.
            reader.add(plain(written), reader.out[-1].kind, start, end, reader.group, continues=True)
        else:
            said = plain(written)
            reader.last, reader.header = "", []
            reader.lead = said if said.endswith(":") else ""
            if not reader.lead:
                reader.add(said, "prose", start, end)


def _read_row(reader: _Reader, written: str, start: int, end: int) -> None:
    cells = [plain(c) for c in written.strip().strip("|").split("|")]
    if reader.last != "table":
        reader.group += 1
        reader.last, reader.header = "table", cells
    elif not _SEPARATOR_ROW.fullmatch(written):
        named = [
            f"{h}: {c}" if h else c
            for h, c in zip([*reader.header[1:], *[""] * len(cells)], cells[1:], strict=False)
            if c
        ]
        reader.add(f"{cells[0]} – {', '.join(named)}" if named else cells[0], "row", start, end, reader.group)


def _is_pointer(written: str) -> bool:
    """Whether a sentence as written says little but where to look: links, and words that point at them."""
    beside, links = _LINK.subn(" ", written)
    beside, wikilinks = _WIKILINK.subn(" ", beside)
    if not links + wikilinks:
        return False
    words = [w for w in content_words(beside) if not _POINTING.fullmatch(w)]
    pointing = len(words) < len(content_words(beside))
    return len(words) <= 1 and (pointing or links + wikilinks > 1)


def _is_open(text: str, headings: tuple[str, ...]) -> bool:
    """Whether a statement names something as not settled: by its words, or by the heading it stands under."""
    if _OPEN.search(text):
        return True
    return bool(headings) and bool(_OPEN_HEADING.match(headings[-1]))


def _under_problem(headings: tuple[str, ...]) -> bool:
    return bool(headings) and bool(_PROBLEM_HEADING.match(headings[-1]))


def plain(text: str) -> str:
    """Markdown text as a reader sees it: links by their label, no emphasis; code keeps its backticks."""
    text = _WIKILINK.sub(lambda m: m[3] or (m[1] if not m[2] else f"{m[1]} {m[2]}".strip()), text)
    text = _LINK.sub(lambda m: m[1], text)
    for _ in range(2):
        text = _EMPHASIS.sub(lambda m: m[2] or m[4], text)
    return text.strip()


def keys(text: str, *, whole: bool = False) -> frozenset[str]:
    """Concepts and stems of the content words of a text, equal for German and English where a concept is known.

    `whole` is for texts of an entry's size, which are not worth remembering.
    """
    return _keys.__wrapped__(text) if whole else _keys(text)


@lru_cache(maxsize=20_000)
def _keys(text: str) -> frozenset[str]:
    return frozenset().union(*map(_keys_of_token, dict.fromkeys(tokens(text))))


@lru_cache(maxsize=200_000)
def _keys_of_token(token: str) -> frozenset[str]:
    """Keys of one word as written; none for a stop word."""
    if len(token) < 2 or token.lower() in STOP:
        return frozenset()
    found = set(keys_of(token))
    if len(found) > 1:
        # Its parts, and itself: only some inflections of a compound are taken apart.
        found.add(stem(token, "de"))
    if not token.isalpha():
        found.add(fold(token))
    return frozenset(found)
