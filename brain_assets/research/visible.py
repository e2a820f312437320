"""What a reader sees of an HTML page: hidden elements removed, the rest written as light Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_DROPPED = frozenset(
    """script style noscript template iframe object embed svg canvas audio video map math head input button select
    textarea dialog datalist""".split()
)
_NO_TEXT = frozenset({"script", "style", "head", "object", "embed", "audio", "video", "canvas"})
_BLOCKS = frozenset(
    """address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
    h4 h5 h6 header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul caption""".split()
)
_HIDDEN_CLASSES = frozenset(
    """sr-only visually-hidden visuallyhidden screen-reader-text screenreader screen-reader-only offscreen
    element-invisible a11y-hidden d-none""".split()
)
_NUMBER = r"(-?\d+(?:\.\d+)?)\s*(px|em|rem|pt|%|vw|vh)?"
_TINY = {"px": 3.0, "pt": 3.0, "em": 0.25, "rem": 0.25, "%": 20.0, "vw": 0.2, "vh": 0.2, "": 3.0}
_RULE = re.compile(r"([^{}@;]+)\{([^{}]{0,2000})\}")
_MEDIA = re.compile(r"@media([^{]*)\{((?:[^{}]*\{[^{}]*\})*[^{}]*)\}", re.IGNORECASE)
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?(?:([.#])([A-Za-z_-][\w-]*))?")
_MARKER = re.compile(r"-|\d+\.|#{1,6}")
_COLOURS = {"white": "ffffff", "black": "000000"}


def strip_hidden(root: Any) -> list[str]:
    """Remove from an lxml tree, in place, what a browser would not show and what is no text; the texts hidden so.

    Decided by attributes, inline styles and simple rules of the page's own style sheets: display, visibility,
    opacity, tiny or zero fonts, far off-screen, clipped, text in the colour of its ground, `aria-hidden`.
    """
    rules = _hiding_rules(root)
    doomed = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            doomed.append(element)  # comments, processing instructions
        elif (element.tag in _DROPPED and element is not root) or _hidden(element, rules):
            doomed.append(element)
    texts = []
    for element in doomed:
        if element.getparent() is None:
            continue
        if element.tag not in _NO_TEXT:
            texts.append(element.text_content() if isinstance(element.tag, str) else element.text or "")
        element.drop_tree() if hasattr(element, "drop_tree") else element.getparent().remove(element)
    return texts


def _hiding_rules(root: Any) -> set[tuple[str, str, str]]:
    """(tag, `.` or `#`, name) of simple selectors whose rule hides; rules for print and for small screens left out."""
    rules: set[tuple[str, str, str]] = set()
    for style in root.iter("style"):
        sheet = re.sub(r"/\*.*?\*/", "", (style.text or "")[:200_000], flags=re.DOTALL)
        sheet = _MEDIA.sub(lambda m: m[2] if re.fullmatch(r"\s*(?:all|screen)?\s*", m[1], re.I) else "", sheet)
        for selectors, declarations in _RULE.findall(sheet):
            if not _hides(declarations, None):
                continue
            for selector in selectors.split(","):
                match = _SIMPLE.fullmatch(selector.strip())
                if match and (match[1] or match[3]) and match[1] not in ("html", "body"):
                    rules.add((match[1] or "", match[2] or "", match[3] or ""))
    return rules


def _hidden(element: Any, rules: set[tuple[str, str, str]]) -> bool:
    if element.tag in ("html", "body"):
        return False
    if "hidden" in element.attrib or (element.get("aria-hidden") or "").strip().lower() == "true":
        return True
    classes = (element.get("class") or "").split()
    if not _HIDDEN_CLASSES.isdisjoint(c.lower() for c in classes):
        return True
    if rules:
        names = [(".", c) for c in classes] + [("#", element.get("id") or "")] + [("", "")]
        if any((tag, kind, name) in rules for kind, name in names for tag in ("", element.tag)):
            return True
    colour = (element.get("color") or "").strip() if element.tag == "font" else ""
    style = (element.get("style") or "") + (f";color:{colour}" if colour else "")
    return bool(style) and _hides(style, element)


def _hides(style: str, element: Any) -> bool:
    """Whether declarations make text unreadable. With an element its ancestors' grounds are looked at too."""
    style = re.sub(r"\s*!important", "", style.lower())
    values = {}
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        values[name.strip()] = value.strip()
    if values.get("display") == "none" or values.get("visibility") in ("hidden", "collapse"):
        return True
    opacity = re.fullmatch(r"(\d*\.?\d+)(%?)", values.get("opacity", ""))
    if (opacity and float(opacity[1]) <= (10 if opacity[2] else 0.1)) or values.get("content-visibility") == "hidden":
        return True
    size = re.match(_NUMBER, values.get("font-size", ""))
    if size and float(size[1]) < _TINY.get(size[2] or "", 3.0):
        return True
    if re.search(r"(?:^|[\s/])0(?:px|em|pt|rem)?(?:/|\s)", values.get("font", "")):
        return True
    for name in ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top"):
        far = re.match(_NUMBER, values.get(name, ""))
        if far and abs(float(far[1])) >= (500 if (far[2] or "px") in ("px", "pt") else 60) and float(far[1]) < 0:
            return True
    if re.search(r"inset\(\s*(?:50|100)%|circle\(\s*0|rect\(\s*[01](?:px)?[ ,]+[01]", _clip(values)):
        return True
    boxed = any(re.fullmatch(r"[01](?:\.\d+)?(?:px|em|rem)?", values.get(side, "")) for side in ("width", "height",
                "max-height", "max-width"))  # fmt: skip
    if boxed and values.get("overflow", "").startswith(("hidden", "clip")):
        return True
    if re.search(r"scale\(\s*0(?:\.0\d*)?\s*[,)]", values.get("transform", "")):
        return True
    return _colour_on_ground(values, element)


def _clip(values: dict[str, str]) -> str:
    return f"{values.get('clip', '')} {values.get('clip-path', '')}"


def _colour_on_ground(values: dict[str, str], element: Any) -> bool:
    text = _colour(values.get("color", ""))
    if text is None:
        return False
    if text == "transparent":
        return True
    ground = _colour(values.get("background-color", "") or values.get("background", ""))
    parent = element.getparent() if element is not None else None
    while ground is None and parent is not None:
        style = (parent.get("style") or "").lower()
        found = re.search(r"background(?:-color)?\s*:\s*([^;]+)", style)
        ground = _colour(found[1]) if found else _colour(parent.get("bgcolor") or "")
        parent = parent.getparent()
    # Without a stated ground the page is white.
    return _near(text, ground or "ffffff")


def _colour(value: str) -> str | None:
    """Six hex digits, `transparent`, or None when it cannot be read."""
    value = value.strip().lower()
    if value.startswith("transparent") or re.match(r"(?:rgba|hsla)\([^)]*[,/]\s*0(?:\.0\d*)?%?\s*\)", value):
        return "transparent"
    if match := re.match(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", value):
        return match[1] if len(match[1]) == 6 else "".join(c * 2 for c in match[1])
    if match := re.match(r"rgba?\(\s*(\d+)[ ,]+(\d+)[ ,]+(\d+)", value):
        return "".join(f"{min(int(part), 255):02x}" for part in match.groups())
    return next((code for name, code in _COLOURS.items() if value.startswith(name)), None)


def _near(one: str, other: str) -> bool:
    if "transparent" in (one, other):
        return one == "transparent"
    pairs = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (0, 2, 4)]
    return max(abs(a - b) for a, b in pairs) <= 16


def to_text(root: Any) -> str:
    """An lxml element as text: headings `#`, list items, fenced code kept verbatim, table rows with bars, blank lines
    between blocks."""
    blocks: list[str] = []
    current: list[str] = []
    for kind, value in _events(root):
        if kind == "text":
            current.append(value)
            continue
        if kind == "break" and _MARKER.fullmatch("".join(current).strip()):
            continue  # a list item or heading whose words stand in an inner block
        _flush(blocks, current)
        if value:
            blocks.append(value)
    _flush(blocks, current)
    return re.sub(r"\n{3,}", "\n\n", _join(blocks)).strip()


def _flush(blocks: list[str], current: list[str]) -> None:
    text = "\n".join(re.sub(r"[ \t\n\u00a0]+", " ", line).strip() for line in "".join(current).split("\x00"))
    if text.strip():
        blocks.append(text.strip("\n"))
    current.clear()


def _join(blocks: list[str]) -> str:
    out = ""
    for block in blocks:
        tight = out and re.match(r"(?:- |\d+\. |\| )", block) and re.match(
            r"(?:- |\d+\. |\| )", out.rsplit("\n\n", 1)[-1].rsplit("\n", 1)[-1].lstrip() or " "
        )  # fmt: skip
        out += ("\n" if tight else "\n\n" if out else "") + block
    return out


def _events(root: Any) -> Iterator[tuple[str, str]]:
    """Depth-first without recursion: ("text", words), ("break", ""), ("block", finished text)."""
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        element, leaving = stack.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        if leaving:
            if tag in _BLOCKS:
                yield "break", ""
            elif tag == "code":
                yield "text", "`"
            yield "text", _inline(element.tail if element is not root else "")
            continue
        whole = _whole_block(element, tag)
        if whole is not None:
            yield "block", whole
            yield "text", _inline(element.tail)
            continue
        if not tag or tag in _DROPPED:
            yield "text", _inline(element.tail)
            continue
        yield from _opening(element, tag)
        stack.append((element, True))
        stack.extend((child, False) for child in reversed(list(element)))


def _opening(element: Any, tag: str) -> Iterator[tuple[str, str]]:
    if tag in _BLOCKS:
        yield "break", ""
    if tag == "br":
        yield "text", "\x00"
    elif tag == "code":
        yield "text", "`"
    elif tag == "li":
        number = element.get("data-number")
        yield "text", f"{number}. " if number else "- "
    elif tag == "ol":
        start = element.get("start", "1")
        first = int(start) if start.isdecimal() and len(start) < 6 else 1
        for number, item in enumerate(element.iterchildren("li"), first):
            item.set("data-number", str(number))
    elif re.fullmatch(r"h[1-6]", tag) and element.text_content().strip():
        yield "text", "#" * int(tag[1]) + " "
    yield "text", _inline(element.text)


def _whole_block(element: Any, tag: str) -> str | None:
    """Text of an element that is written in one piece: preformatted text, a table row."""
    if tag == "pre":
        for line_break in element.iter("br"):
            line_break.tail = "\n" + (line_break.tail or "")
        code = element.text_content().strip("\n").rstrip()
        return f"```\n{code}\n```" if code.strip() else ""
    if tag == "tr":
        cells = [re.sub(r"\s+", " ", _cell(cell)).strip() for cell in element if cell.tag in ("td", "th")]
        # A layout table (one wide cell) is no table.
        if len(cells) < 2:
            return None
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" if any(cells) else ""
    return None


def _cell(cell: Any) -> str:
    parts = [cell.text or ""]
    for child in cell.iter():
        if child is cell:
            continue
        if child.tag == "br" or child.tag in _BLOCKS:
            parts.append(" ")
        if isinstance(child.tag, str):
            parts.append(f"`{child.text}`" if child.tag == "code" and child.text else child.text or "")
        parts.append(child.tail or "")
    return "".join(parts)


def _inline(text: str | None) -> str:
    return (text or "").replace("\x00", "")
