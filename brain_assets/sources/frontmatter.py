"""The YAML block at the head of a note, read as people mean it.

Every scalar stays the string that was written: `no`, `on`, `1.10`, `0123` and `2026-10-01` mean what they look like, so
none of YAML 1.1's conversions can alter them. A block that is not valid YAML is read field by field; what cannot be
read stays in the note's text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from brain_assets.sources.decode import clean

MAX_CHARS = 262_144
_MAX_NODES = 20_000
_MAX_DEPTH = 40
_MAX_FIELDS = 2_000
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_FIELD = re.compile(
    r"([^\s#:\-\[\]{},\"'|>&*!%@`](?:[^:\n]|:(?=\S)){0,200}?|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')[ \t]*:(?=[ \t]|$)"
)
_SIMPLE_FIELD = re.compile(r"([^\W\d][\w-]*(?: [\w-]+)*):(?: +(.*?))? *")
_SIMPLE_ITEM = re.compile(r"( *)- +(.*?) *")
_FLOW_SPECIAL = frozenset("[]{},:#\"'&*!|>%@`?")
_OTHER: Any = object()
_PLACEHOLDER = re.compile(r"\{\{.*\}\}|<%.*%>", re.DOTALL)
_HASH_TAGS = re.compile(r"(?im)^(tags?|schlagw(?:o|ö|oe)rter?|stichw(?:o|ö|oe)rter?)[ \t]*:[ \t]+(#[^\s#].*)$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Fields of a note and the text after them.

    `body_start` is the offset of the body in the note; `rest` holds lines of a broken block that are no field, to be
    kept in front of the body. `valid` is False where some field could not be read for certain.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    body_start: int = 0
    rest: str = ""
    present: bool = False
    valid: bool = True
    problems: tuple[str, ...] = ()


class _BombError(yaml.YAMLError):
    """Aliases expand beyond any sense, or there are absurdly many values."""

    problem = f"it holds more than {_MAX_NODES} values"


def read(text: str) -> FrontMatter:
    """Read the front matter of a note (decoded text, `\\n` line ends). Never raises for any text."""
    if not text.startswith("---"):
        return FrontMatter()
    first_end = text.find("\n")
    if first_end < 0 or text[:first_end].rstrip() != "---":
        return FrontMatter()
    block_start = first_end + 1
    block_end, body_start = _close(text, block_start)
    if body_start < 0:
        return _unclosed(text, block_start)
    block = text[block_start:block_end]
    if not block.strip():
        return FrontMatter(body_start=body_start, present=True)
    if len(block) > MAX_CHARS:
        fields, rest, _ = _by_field(block)
        problem = f"front matter is longer than {MAX_CHARS} characters"
        return FrontMatter(fields, body_start, rest, True, False, (problem,))
    return _closed(block, body_start)


def _close(text: str, start: int) -> tuple[int, int]:
    """Offsets of the closing line and of the text after it; (-1, -1) if there is none."""
    position = start
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if text.startswith(("---", "..."), position) and text[position:end].rstrip() in ("---", "..."):
            return position, min(end + 1, len(text))
        position = end + 1
    return -1, -1


def _closed(block: str, body_start: int) -> FrontMatter:
    if (simple := _plain_fields(block)) is not None:
        return FrontMatter(simple, body_start, "", True, True)
    try:
        value, problems = _parse(block)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _repaired(block, body_start, error)
    if isinstance(value, dict):
        _keep_hash_tags(block, value)
        return FrontMatter(value, body_start, "", True, True, tuple(dict.fromkeys(problems)))
    if value is None:
        return FrontMatter(body_start=body_start, present=True)
    if not any(_FIELD.match(line) for line in block.split("\n")):
        return FrontMatter({}, 0, "", False, True, ("the block at the head is no list of fields; it was kept as text",))
    return _repaired(block, body_start, None)


def _plain_fields(block: str) -> dict[str, Any] | None:
    """Fields of a block of plain or quoted values and lists of them, exactly as `_parse` gives them for a third of its
    time; None for any other block."""
    fields: dict[str, Any] = {}
    listed: list[Any] | None = None  # what a `- ` line adds to
    indent = -1
    for line in block.rstrip("\n").split("\n"):
        if not line.isprintable():
            return None
        if match := _SIMPLE_FIELD.fullmatch(line):
            name, text = match[1], match[2] or ""
            if name in fields or name in _NULLS:
                return None
            listed, indent = None, -1
            if not text:
                fields[name], listed = None, []
            elif text[0] == "[" and text[-1] == "]":
                parts = text[1:-1].split(",") if text[1:-1].strip() else []
                fields[name] = [_simple(part.strip(" "), in_flow=True) for part in parts]
                if _OTHER in fields[name]:
                    return None
            elif (value := _simple(text)) is _OTHER:
                return None
            else:
                fields[name] = value
        elif listed is not None and (match := _SIMPLE_ITEM.fullmatch(line)):
            value = _simple(match[2])
            if value is _OTHER or indent not in (-1, len(match[1])):
                return None
            indent = len(match[1])
            listed.append(value)
            fields[name] = listed
        else:
            return None
    return fields


def _simple(text: str, in_flow: bool = False) -> Any:
    """The string that a scalar stands for (None for null); _OTHER if only YAML's own rules tell."""
    if text[:1] == '"':
        return (
            text[1:-1] if len(text) > 1 and text[-1] == '"' and '"' not in text[1:-1] and "\\" not in text else _OTHER
        )
    if not text[:1].isalnum() or ": " in text or " #" in text or text[-1] == ":":
        return _OTHER
    if in_flow and not _FLOW_SPECIAL.isdisjoint(text):
        return _OTHER
    return None if text in _NULLS else text


def _repaired(block: str, body_start: int, error: Exception | None) -> FrontMatter:
    fields, rest, doubtful = _by_field(block)
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 2})" if mark is not None else ""
    what = getattr(error, "problem", None) or "it is not a mapping"
    if doubtful or not fields:
        named = f"; not read for certain: {', '.join(doubtful[:5])}" if doubtful else ""
        problem = f"front matter is not valid YAML{where}: {what}; it was read field by field{named}"
        return FrontMatter(fields, body_start, rest, True, False, (problem,))
    problem = f"front matter is not valid YAML{where}: {what}; every field could be read all the same"
    return FrontMatter(fields, body_start, rest, True, True, (problem,))


def _unclosed(text: str, start: int) -> FrontMatter:
    """A first `---` without an end: the fields that follow at once are read, everything else is body."""
    position, end = start, start
    known = False
    while position < len(text) and position - start < MAX_CHARS:
        line_end = text.find("\n", position)
        line_end = len(text) if line_end < 0 else line_end
        line = text[position:line_end]
        if _FIELD.match(line):
            known = True
        elif not (known and line.strip() and (line[0] in " \t" or line.startswith("- "))):
            break
        position = end = min(line_end + 1, len(text))
    if not known:
        return FrontMatter()
    fields, rest, _ = _by_field(text[start:end])
    return FrontMatter(fields, end, rest, True, False, ("front matter is not closed by a line `---`",))


def _by_field(block: str) -> tuple[dict[str, Any], str, list[str]]:
    """Read a block one top-level field at a time: (fields, lines that belong to none, names of doubtful fields)."""
    chunks: list[tuple[str, list[str]]] = []
    loose: list[str] = []
    for line in block[:MAX_CHARS].expandtabs(2).split("\n"):
        if match := _FIELD.match(line):
            chunks.append((match[1].strip("\"'"), [line]))
        elif chunks and (not line.strip() or line[0] in " -" or line.strip(" ,") in ("]", "}")):
            chunks[-1][1].append(line)
        elif line.strip() and not line.startswith("#"):
            loose.append(line)
    fields: dict[str, Any] = {}
    doubtful: list[str] = []
    for name, lines in chunks[:_MAX_FIELDS]:
        value, certain = _one_field(lines)
        if not certain or name in fields:
            doubtful.append(name)
        if name not in fields or value not in (None, "", []):
            fields[name] = value
    loose.extend(line for _, lines in chunks[_MAX_FIELDS:] for line in lines)
    return fields, "\n".join(loose) + block[MAX_CHARS:], doubtful


def _one_field(lines: list[str]) -> tuple[Any, bool]:
    chunk = "\n".join(lines)
    try:
        value, _ = _parse(chunk)
        if isinstance(value, dict) and len(value) == 1:
            _keep_hash_tags(chunk, value)
            return next(iter(value.values())), True
    except (yaml.YAMLError, RecursionError, ValueError):
        pass  # read it as text instead, below
    match = _FIELD.match(lines[0])
    head = lines[0][match.end() :].strip() if match else ""
    tail = [line.strip() for line in lines[1:] if line.strip()]
    if head and not tail and head[0] not in "[{\"'|>":
        return head, True  # a plain value with `: `, or with a leading @, %, *, & or `, means itself
    if _PLACEHOLDER.fullmatch(head) and not tail:
        return head, True
    if head.startswith("["):
        inside = " ".join([head, *tail]).strip("[] ")
        return [part.strip(" \"'") for part in inside.split(",") if part.strip(" \"'")], False
    if not head and tail and all(line.startswith("-") for line in tail):
        return [line.lstrip("- ").strip("\"'") for line in tail], False
    return " ".join([head.strip("\"'|>"), *tail]).strip(), False


def _keep_hash_tags(block: str, fields: dict[str, Any]) -> None:
    """`tags: #a #b` is a comment to YAML and a list of tags to everybody else."""
    if ": #" in block or ":\t#" in block:
        for match in _HASH_TAGS.finditer(block):
            if fields.get(match[1]) is None:
                fields[match[1]] = match[2].strip()


def is_placeholder(value: Any) -> bool:
    """Whether a value is an unfilled template expression (`{{date}}`, `<% tp.date.now() %>`)."""
    return isinstance(value, str) and ("{{" in value or "<%" in value) and bool(_PLACEHOLDER.search(value))


@dataclass(slots=True)
class _Node:
    """A collection under construction; `size` counts all values in it, aliases at what they expand to."""

    value: Any
    anchor: str | None
    key: Any = None
    has_key: bool = False
    size: int = 1


def _parse(block: str) -> tuple[Any, list[str]]:
    """YAML text → nested dicts, lists and strings (None for null), without recursion.

    Raises YAMLError, also when aliases expand beyond _MAX_NODES values.
    """
    problems: list[str] = []
    anchors: dict[str, tuple[Any, int]] = {}
    root = _Node([], None)
    stack = [root]

    def add(value: Any, size: int) -> None:
        top = stack[-1]
        top.size += size
        if top.size > _MAX_NODES:
            raise _BombError
        if isinstance(top.value, list):
            top.value.append(value)
        elif not top.has_key:
            top.key, top.has_key = _key(value), True
        else:
            _set(top.value, top.key, value, problems)
            top.has_key = False

    for event in yaml.parse(block, Loader=_LOADER):
        if isinstance(event, yaml.ScalarEvent):
            plain_null = not event.style and event.value in _NULLS
            scalar = None if plain_null else clean(event.value)
            if event.anchor:
                anchors[event.anchor] = (scalar, 1)
            add(scalar, 1)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if len(stack) > _MAX_DEPTH:
                raise yaml.YAMLError("it is nested too deeply")
            stack.append(_Node({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            node = stack.pop()
            if node.anchor:
                anchors[node.anchor] = (node.value, node.size)
            add(node.value, node.size)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise yaml.YAMLError(f"`*{event.anchor}` refers to nothing")
            add(*anchors[event.anchor])
        elif isinstance(event, yaml.DocumentStartEvent) and root.value:
            break
    return (root.value[0] if root.value else None), problems


def _key(value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise yaml.YAMLError("a list or mapping stands where a name belongs")
    return "" if value is None else str(value)


def _set(mapping: dict[str, Any], key: str, value: Any, problems: list[str]) -> None:
    if key == "<<" and isinstance(value, dict):
        for name, inherited in value.items():
            mapping.setdefault(name, inherited)
        return
    if key in mapping:
        problems.append(f"front matter has the field {key!r} twice; the last value that is not empty counts")
        if value in (None, "", []):
            return
    mapping[key] = value
