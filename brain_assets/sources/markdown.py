"""One pass over a note's Markdown: its blocks, headings, links, tags and tasks, with code kept apart from prose.

Every step is linear in the length of the text, whatever it holds: a line of 2 MB, 100,000 headings, unclosed fences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from brain_assets.model.entry import Heading, Link, Task
from brain_assets.sources.decode import clean

BlockKind = Literal["heading", "text", "code", "table"]

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$", re.DOTALL)
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
_CODE_SPAN = re.compile(r"`(?<!``)(`{0,7})(?!`)[^\n]{0,2000}?[^`\n]`\1(?!`)")
_WIKILINK = re.compile(r"\[\[([^\[\]\n]{1,2000})\]\]")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]{0,2000})\]\(([^()\n]{1,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,2000}){0,4})\)")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]{1,500})\]:[ \t]+(<[^<>\n]{1,2000}>|\S{1,2000})", re.MULTILINE)
_LINK_TITLE = re.compile(r"[ \t]+(?:\"[^\"]*\"|'[^']*')[ \t]*$")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_BEFORE_BOX = ("- [", "* [", "+ [", ". [", ") [", "\t[", "  [")
_TASK = re.compile(r"^[ \t>]{0,60}(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\[\]\n])\][ \t]+([^\n]{1,4000})", re.MULTILINE)
_TAG = re.compile(r"#(?<!\S#)([^\s\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]{1,200})")
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|heic|tiff?|ico|pdf|mp3|mp4|m4a|m4v|wav|ogg|oga|ogv|opus|flac|3gp|webm|mov|mkv|avi|"
    r"canvas|base|csv|tsv|xlsx?|xlsm|docx?|pptx?|odt|ods|odp|zip|gz|tgz|tar|7z|rar|json|ya?ml|xml|html?|txt|log|css|js|ts|py|"
    r"sh|bat|ps1|sql|ini|conf|cfg|toml|exe|msi|iso|eml|msg|ics|drawio|excalidraw|epub|ttf|woff2?)$", re.IGNORECASE,
)  # fmt: skip
_WIKI_LABEL = re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]*)\]\]")
_MARKDOWN_LABEL = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_EMPHASIS = re.compile(r"(?<!\w)([*_]{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")


@dataclass(frozen=True, slots=True)
class Block:
    """A block by its character offsets; `level` and `text` (without markup) are those of a heading."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    text: str = ""


@dataclass(slots=True)
class Document:
    """What one pass over a note finds. `prose` is the text without code, for language and tags."""

    blocks: list[Block] = field(default_factory=list)
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = ()
    prose: str = ""


def read(body: str) -> Document:
    """Read a note's body (after its front matter, `\\n` line ends). Never raises for any text."""
    found = blocks(body)
    prose = "\n\n".join(body[b.start : b.end] for b in found if b.kind != "code")
    if "`" in prose:
        prose = _CODE_SPAN.sub(" ", prose)
    return Document(
        blocks=found,
        headings=tuple(Heading(level=b.level, text=b.text) for b in found if b.kind == "heading"),
        links=_links(prose),
        tags=_tags(prose) if "#" in prose else (),
        tasks=_tasks(prose) if any(marker in prose for marker in _BEFORE_BOX) else (),
        prose=prose,
    )


def blocks(body: str) -> list[Block]:
    """The blocks of a text in order; blank lines belong to none. A fence without an end runs to the end of the text."""
    out: list[Block] = []
    lines = body.split("\n")
    position = start = 0
    kind: BlockKind | None = None
    fence = ""
    count = len(lines)

    def close(end: int) -> None:
        nonlocal kind
        if kind is not None:
            out.append(Block(kind, start, end))
            kind = None

    for index, line in enumerate(lines):
        begin, end = position, position + len(line)
        position = end + 1
        bare = line.strip(" \t>") if line[:1] in " \t>" else line
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0] + " \t"):
                fence = ""
                close(end)
            continue
        first = bare[:1]
        if not first or (first.isspace() and not bare.strip()):
            close(begin - 1 if begin else 0)
        elif first in "`~" and (mark := _opening_fence(bare)):
            close(begin - 1)
            kind, start, fence = "code", begin, mark
        elif first == "#" and line[:1] != ">" and (match := _HEADING.match(line)) and (match[2] or "").strip():
            close(begin - 1)
            out.append(Block("heading", begin, end, len(match[1]), plain(match[2])))
        elif kind == "text" and first in "=-" and start == _line_start(body, begin) and (level := _underline(line)):
            if _may_be_heading(title := body[start : begin - 1]):
                kind = None
                out.append(Block("heading", start, end, level, plain(title)))
        elif first == "|" or (kind == "table" and "|" in line) or ("|" in line and _delimits(lines, index + 1, count)):
            if kind != "table":
                close(begin - 1)
                kind, start = "table", begin
        elif kind != "text":
            close(begin - 1)
            kind, start = "text", begin
    close(len(body))
    return out


def _opening_fence(bare: str) -> str:
    match = _FENCE.match(bare)
    if match is None or (match[1][0] == "`" and "`" in match[2]):
        return ""
    return match[1]


def _line_start(body: str, next_line: int) -> int:
    """Where the line before `next_line` begins."""
    return body.rfind("\n", 0, next_line - 1) + 1


def _underline(line: str) -> int:
    bare = line.strip()
    if len(bare) >= 2 and not bare.strip("="):
        return 1
    return 2 if len(bare) >= 2 and not bare.strip("-") else 0


def _may_be_heading(line: str) -> bool:
    bare = line.strip()
    return len(bare) <= 200 and bare[:1] not in "-*+>|" and not bare[:1].isdigit()


def _delimits(lines: list[str], index: int, count: int) -> bool:
    """Whether a line is a table's `|---|:--:|` row."""
    return index < count and len(lines[index]) < 10_000 and "-" in lines[index] and not lines[index].strip("|-: \t")


def plain(text: str) -> str:
    """A heading as a reader sees it: links by their label, no emphasis, no code marks."""
    text = text.strip()
    if len(text) > 2000:
        return text[:2000]
    if "[" in text:
        text = _MARKDOWN_LABEL.sub(r"\1", _WIKI_LABEL.sub(r"\1", text))
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\2", text)
    return text.replace("`", "").replace("==", "").replace("~~", "").strip()


def _tags(prose: str) -> tuple[str, ...]:
    """Inline tags without `#`, first spelling of each, in order; a number alone is none."""
    found: dict[str, str] = {}
    for match in _TAG.finditer(prose):
        tag = match[1].strip("/")
        if tag and not tag.replace("/", "").isdigit():
            found.setdefault(tag.lower(), tag)
    return tuple(found.values())


def _tasks(prose: str) -> tuple[Task, ...]:
    return tuple(Task(text=m[2].strip(), done=m[1] in "xX") for m in _TASK.finditer(prose))


def _links(prose: str) -> tuple[Link, ...]:
    """Links to other notes in order of place; those to the web and to attachments are left out."""
    found: list[tuple[int, Link]] = []
    if "[[" in prose:
        for match in _WIKILINK.finditer(prose):
            target, bar, label = match[1].replace("\\|", "|").partition("|")
            link = _link(target.strip(), label.strip() if bar else "", _is_embed(prose, match.start()), "wikilink")
            if link is not None:
                found.append((match.start(), link))
    if "](" in prose:
        for match in _MARKDOWN_LINK.finditer(prose):
            link = _markdown_link(match[2], match[1], _is_embed(prose, match.start()))
            if link is not None:
                found.append((match.start(), link))
    if "]: " in prose or "]:\t" in prose:
        for match in _DEFINITION.finditer(prose):
            link = None if match[1].startswith("^") else _markdown_link(match[2], match[1], False)
            if link is not None:
                found.append((match.start(), link))
    found.sort(key=lambda pair: pair[0])
    return tuple(link for _, link in found)


def _is_embed(prose: str, start: int) -> bool:
    return start > 0 and prose[start - 1] == "!"


def _markdown_link(destination: str, label: str, embed: bool) -> Link | None:
    destination = _LINK_TITLE.sub("", destination).strip()
    if destination.startswith("<") and destination.endswith(">"):
        destination = destination[1:-1]
    if _SCHEME.match(destination) or destination.startswith("//"):
        return None
    return _link(clean(unquote(destination)), label.strip(), embed, "markdown")


def _link(target: str, label: str, embed: bool, syntax: Literal["wikilink", "markdown"]) -> Link | None:
    target, _, anchor = target.partition("#")
    target = target.strip()
    if _ATTACHMENT.search(target) or _SCHEME.match(target) or not (target or anchor):
        return None
    heading, _, block = anchor.partition("^")
    return Link(
        target=target,
        heading=heading.strip(" #") or None,
        block=block.strip() or None,
        label=label or None,
        embed=embed,
        syntax=syntax,
    )
