"""The pieces of a Markdown body that can be quoted: sentences, list items, table rows, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from brain_assets.text import sentences

UnitKind = Literal["sentence", "item", "step", "row", "task", "code"]

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"(\s*)(?:([-*+])|(\d{1,3})[.)])\s+(.*)")
_TASK = re.compile(r"\[([ xX])\]\s+(.*)")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_CALLOUT = re.compile(r"\[!(\w+)\][+-]?\s*(.*)")
_LABEL = re.compile(r"(?:\*\*|__)(?P<label>[^*_\n]{2,90}?)(?:\*\*|__)\s*(?P<after>[:.\u2013\u2014-]?)\s+(?=\S)")
_ITALIC_LABEL = re.compile(r"(?:\*|_)(?P<label>[^*_\n]{2,90}?)(?:\*|_)\s*:\s+(?=\S)")

# A sentence that opens like this says nothing without the one before it.
_ANAPHORA = re.compile(
    r"(?:Er|Sie|Es|Dies|Das|Diese[rsnm]?|Dabei|Danach|Dann|Dazu|Dort|Davor|Davon|Daran|Daraus|Dadurch|Deshalb|Daher|"
    r"Darum|Sonst|Andernfalls|Ansonsten|Solche|Jene|Beide|Letztere[rs]?|Nein|Ja|Außerdem|Zudem|Auch|Nur|Aber|Doch|"
    r"They|It|This|That|These|Those|There|Then|Otherwise|Else|Afterwards|After that|Therefore|Hence|So|Such|Both|"
    r"Nothing|No|Yes|Also|But|Only|On top of that|In addition)\b"
)
_FORMAL_SIE = re.compile(r"Sie\s+(?:können|müssen|dürfen|sollten|sollen|haben|erhalten|finden|benötigen|brauchen)\b")
_SHORT_WORDS = 4
_LONGEST_JOIN = 420


@dataclass(frozen=True, slots=True)
class Unit:
    """One quotable piece.

    `text` is how it reads (labels, links as plain words), `quote` its verbatim span of the body, `label` the bold
    words that open its paragraph or a row's first cell, `headings` those above it but for the title, `lead` the sentence ending
    in a colon that introduces its list or code, `number` its place in a numbered list, `done` the box of a task,
    `position` its offset.
    """

    kind: UnitKind
    text: str
    quote: str
    position: int
    label: str = ""
    headings: tuple[str, ...] = ()
    lead: str = ""
    number: int | None = None
    done: bool | None = None
    code: str = ""
    columns: tuple[tuple[str, str], ...] = ()


@dataclass
class _State:
    headings: list[tuple[int, str]] = field(default_factory=list)
    lead: str = ""
    titled: bool = False

    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)


@lru_cache(maxsize=512)
def units(body: str) -> tuple[Unit, ...]:
    """Every quotable piece of a Markdown body, in order; headings, rules and empty markup are context, not pieces."""
    out: list[Unit] = []
    state = _State()
    for kind, lines in _blocks(body):
        if kind == "heading":
            match = _HEADING.match(lines[0][1])
            if match and len(match[1]) == 1 and not state.titled and not out:
                # The first heading of the text is its title, not a part of it.
                state.titled = True
            elif match:
                level = len(match[1])
                state.headings = [h for h in state.headings if h[0] < level] + [(level, plain(match[2]))]
                state.lead = ""
        elif kind == "code":
            _attach_code(out, lines, state)
        elif kind == "table":
            out.extend(_rows(lines, state))
        elif kind == "item":
            out.extend(_item(lines, state))
        else:
            new = _paragraph(lines, state)
            last = new[-1].text if new else ""
            state.lead = last if last.endswith(":") else ""
            out.extend(new)
    return tuple(out)


def plain(text: str) -> str:
    """Markdown as words: links by their label, no embeds, comments, footnote marks, block ids or callout marks."""
    text = re.sub(r"<!--.*?-->|%%.*?%%", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[\[[^\]]*\]\]|!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[\[([^\]|#]*)(?:#[^\]|]*)?\|([^\]]+)\]\]", r"\2", text)
    text = re.sub(r"\[\[([^\]|#]+)(?:#[^\]|]*)?\]\]", lambda m: m[1].rsplit("/", 1)[-1], text)
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)
    text = re.sub(r"\[\^[^\]]+\]|(?<=\s)\^[\w-]+\s*$", "", text)
    text = re.sub(r"==([^=]+)==", r"\1", text)
    return " ".join(text.split())


def squash(text: str) -> str:
    """White space as single blanks: how quotes are compared with their source."""
    return " ".join(text.split())


Line = tuple[int, str]


def _blocks(body: str) -> Iterator[tuple[str, list[Line]]]:
    """(kind, lines with offsets) of the body: heading, code, table, item, paragraph."""
    lines: list[Line] = []
    position = 0
    for raw in body.splitlines(keepends=True):
        lines.append((position, raw.rstrip("\n")))
        position += len(raw)
    i, before = 0, ""
    while i < len(lines):
        text = lines[i][1]
        if not text.strip() or re.fullmatch(r"\s*([-*_])(\s*\1){2,}\s*", text):
            i += 1
        elif fence := _FENCE.match(text):
            end = next((k for k in range(i + 1, len(lines)) if lines[k][1].strip().startswith(fence[1])), len(lines))
            yield "code", lines[i + 1 : end]
            i = end + 1
        elif _HEADING.match(text):
            yield "heading", [lines[i]]
            i += 1
        elif text.lstrip().startswith("|") or (
            "|" in text and i + 1 < len(lines) and "|" in lines[i + 1][1] and _TABLE_RULE.match(lines[i + 1][1])
        ):
            end = i
            while end < len(lines) and "|" in lines[end][1] and lines[end][1].strip():
                end += 1
            yield "table", lines[i:end]
            i = end
        elif _INDENTED.match(text) and before != "item" and (i == 0 or not lines[i - 1][1].strip()):
            end = i + 1
            while end < len(lines) and _INDENTED.match(lines[end][1]):
                end += 1
            yield "code", [(at + 4, line[4:] if line.startswith("    ") else line[1:]) for at, line in lines[i:end]]
            i = end
        else:
            kind = "item" if _ITEM.match(text) else "paragraph"
            before = kind
            end = i + 1
            while end < len(lines) and _continues(lines[end][1], kind):
                end += 1
            yield kind, lines[i:end]
            i = end


def _continues(text: str, kind: str) -> bool:
    if not text.strip() or _HEADING.match(text) or _FENCE.match(text) or _ITEM.match(text):
        return False
    return not text.lstrip().startswith(("|", ">")) if kind == "item" else not text.lstrip().startswith("|")


def _span(lines: list[Line]) -> str:
    return "\n".join(text for _, text in lines)


def _attach_code(out: list[Unit], lines: list[Line], state: _State) -> None:
    """Code belongs to the sentence or step before it; alone it is a piece of its own."""
    code = _span(lines).strip("\n")
    if not code.strip():
        return
    if out and out[-1].headings == state.path() and not out[-1].code and out[-1].kind in ("sentence", "step", "item"):
        last = out[-1]
        out[-1] = Unit(
            last.kind, last.text, last.quote, last.position, last.label, last.headings, last.lead, last.number,
            last.done, code,
        )  # fmt: skip
    else:
        out.append(Unit("code", "", code, lines[0][0], headings=state.path(), lead=state.lead, code=code))


def _cells(row: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|"))
    return [plain(part).replace("\\|", "|") for part in parts]


def _fills(cell: str) -> bool:
    """Whether a cell says something: a dash stands for nothing."""
    return bool(cell.strip("-–— "))


def _rows(lines: list[Line], state: _State) -> Iterator[Unit]:
    rule = next((k for k, (_, text) in enumerate(lines) if _TABLE_RULE.match(text)), None)
    header = _cells(lines[rule - 1][1]) if rule else []
    for position, text in lines[rule + 1 if rule is not None else 0 :]:
        cells = _cells(text)
        if not any(map(_fills, cells)):
            continue
        names = header if len(header) == len(cells) else [""] * len(cells)
        columns = tuple((name, cell) for name, cell in zip(names, cells, strict=True) if _fills(cell))
        # The first value reads by itself ("0x8A30: pool is full"), the others need their column's name.
        values = [cell if k == 0 or not name else f"{name}: {cell}" for k, (name, cell) in enumerate(columns[1:])]
        yield Unit(
            "row", "; ".join(values) or cells[0], text.strip(), position, label=cells[0] if values else "",
            headings=state.path(), lead=state.lead, columns=columns,
        )  # fmt: skip


def _item(lines: list[Line], state: _State) -> Iterator[Unit]:
    match = _ITEM.match(lines[0][1])
    if match is None:
        return
    text = "\n".join([match[4], *(line.strip() for _, line in lines[1:])])
    position = lines[0][0] + match.start(4)
    quote = text.strip()
    if task := _TASK.match(text):
        yield Unit(
            "task", plain(task[2]), task[2].strip(), position, headings=state.path(), lead=state.lead,
            done=task[1] != " ",
        )  # fmt: skip
        return
    label = _label(text)
    number = int(match[3]) if match[3] else None
    shown = plain(_unlabelled(text) if label else text)
    if shown:
        yield Unit(
            "step" if number is not None else "item", shown, quote, position, label=label, headings=state.path(),
            lead=state.lead, number=number,
        )  # fmt: skip


def _label(text: str) -> str:
    match = _LABEL.match(text) or _ITALIC_LABEL.match(text)
    return plain(match["label"]).rstrip(" :.") if match else ""


def _unlabelled(text: str) -> str:
    match = _LABEL.match(text) or _ITALIC_LABEL.match(text)
    return text[match.end() :] if match else text


def _paragraph(lines: list[Line], state: _State) -> list[Unit]:
    if lines[0][1].lstrip().startswith(">"):
        return _callout(lines, state)
    text = _span(lines)
    label = _label(text)
    start = 0
    if label:
        match = _LABEL.match(text) or _ITALIC_LABEL.match(text)
        # "**Request:** ticket …" is a label; "**Never** reboot" is emphasis and stays in its sentence.
        bold = match["label"].rstrip() if match else ""
        if match and (bold.endswith((":", ".", "?", "!")) or match.groupdict().get("after", ":")):
            start = match.end()
        else:
            label = ""
    out = []
    for first, last in _chunks(text, start):
        quote = text[first:last]
        shown = plain(quote)
        if shown:
            out.append(Unit("sentence", shown, quote.strip(), lines[0][0] + first, label=label, headings=state.path()))
    return out


def _callout(lines: list[Line], state: _State) -> list[Unit]:
    out, label = [], ""
    for position, line in lines:
        text = re.sub(r"^\s*(?:>\s?)+", "", line)
        if match := _CALLOUT.match(text):
            label = plain(match[2])
            continue
        for first, last in _chunks(text, 0):
            if shown := plain(text[first:last]):
                offset = position + len(line) - len(text) + first
                out.append(Unit("sentence", shown, text[first:last].strip(), offset, label, state.path()))
    return out


def _chunks(text: str, start: int) -> list[tuple[int, int]]:
    """Spans of sentences that can stand alone: one that leans on its predecessor, and a question, is joined."""
    out: list[tuple[int, int]] = []
    for sentence in sentences.split(text[start:]):
        first, last = start + sentence.start, start + sentence.end
        if out and last - out[-1][0] <= _LONGEST_JOIN:
            before = text[out[-1][0] : out[-1][1]].rstrip("*_\"'”“») ")
            leans = _ANAPHORA.match(sentence.text.lstrip("*_\"'„“(")) and not _FORMAL_SIE.match(sentence.text)
            if leans or before.endswith("?") or len(before.split()) < _SHORT_WORDS:
                out[-1] = (out[-1][0], last)
                continue
        out.append((first, last))
    return out
