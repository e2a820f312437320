"""Text fields of knowledge bases as a person reads them: HTML becomes plain Markdown, entities are decoded once."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

_BLOCK = r"(?:p|div|br|ul|ol|li|h[1-6]|table|tr|td|th|pre|blockquote|hr|section|article)"
_BLOCK_TAG = re.compile(rf"</?{_BLOCK}(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_STARTS_WITH_TAG = re.compile(r"\s*<(?:!doctype|[a-z][a-z0-9]*)\b[^<>]{0,2000}>", re.IGNORECASE)
_LT, _GT = r"&(?:lt|#0*60|#x0*3c);", r"&(?:gt|#0*62|#x0*3e);"
_STARTS_ENCODED = re.compile(rf"\s*{_LT}(?:{_BLOCK}|span|strong|em|b|i|u|a|code)\b[^<>]{{0,2000}}?{_GT}", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_CODE = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)|(?<!`)`[^`\n]{1,2000}`")
_MAX_HTML = 1_000_000
_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n[ \t\n]*")


def readable(text: str) -> str:
    """HTML, HTML that was entity-encoded as a whole, or Markdown with entities → Markdown without them.

    Only one layer of encoding is taken off: `&amp;lt;` in prose becomes `&lt;`. Markdown keeps its code as written.
    """
    if "&" not in text and "<" not in text:
        return text
    if len(text) <= _MAX_HTML:
        if _STARTS_ENCODED.match(text) and not _BLOCK_TAG.search(text):
            text = html.unescape(text)
            return _render(text) if _is_html(text) else text
        if _is_html(text):
            return _render(text)
    return _outside_code(text)


def _is_html(text: str) -> bool:
    """Whether tags, not line breaks, give a text its structure."""
    prose = _CODE.sub("", text)
    tags = len(_BLOCK_TAG.findall(prose))
    return tags > 0 and (bool(_STARTS_WITH_TAG.match(prose)) or tags > prose.count("\n"))


def _outside_code(text: str) -> str:
    if not _ENTITY.search(text):
        return text
    out, position = [], 0
    for match in _CODE.finditer(text):
        out += [_ENTITY.sub(lambda m: html.unescape(m[0]), text[position : match.start()]), match[0]]
        position = match.end()
    out.append(_ENTITY.sub(lambda m: html.unescape(m[0]), text[position:]))
    return "".join(out)


def _render(text: str) -> str:
    parser = _Reader()
    parser.feed(text)
    parser.close()
    return parser.text()


class _Reader(HTMLParser):
    """Collects the visible text; the parser decodes the entities of each text node once."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._lists: list[int | None] = []
        self._links: list[str] = []
        self._hidden = 0
        self._verbatim = 0
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "head", "template"):
            self._hidden += tag != "head"
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
            self._out.append("" if len(self._lists) > 1 else "\n\n")
        elif tag == "li":
            self._item()
        elif tag == "br":
            self._out.append("\n")
        elif tag == "pre":
            self._verbatim += 1
            self._out.append("\n\n```\n")
        elif tag == "tr":
            self._cells = 0
            self._out.append("\n")
        elif tag in ("td", "th"):
            self._out.append(" | " if self._cells else "")
            self._cells += 1
        elif re.fullmatch("h[1-6]", tag):
            self._out.append("\n\n" + "#" * int(tag[1]) + " ")
        elif tag == "a":
            target = dict(attrs).get("href") or ""
            self._links.append(target if target.startswith(("http://", "https://", "mailto:")) else "")
            self._out.append("[" if self._links[-1] else "")
        elif re.fullmatch(_BLOCK, tag):
            self._out.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "template"):
            self._hidden = max(0, self._hidden - 1)
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._out.append("" if self._lists else "\n\n")
        elif tag == "pre" and self._verbatim:
            self._verbatim -= 1
            self._out.append("\n```\n\n")
        elif tag == "a" and self._links:
            target = self._links.pop()
            self._out.append(f"]({target})" if target else "")
        elif tag not in ("li", "br", "tr", "td", "th", "hr") and re.fullmatch(_BLOCK, tag):
            self._out.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._out.append(data if self._verbatim else _SPACE.sub(" ", data))

    def _item(self) -> None:
        indent = "  " * max(0, len(self._lists) - 1)
        number = self._lists[-1] if self._lists else None
        if number is None:
            self._out.append(f"\n{indent}- ")
        else:
            self._lists[-1] = number + 1
            self._out.append(f"\n{indent}{number + 1}. ")

    def text(self) -> str:
        parts = re.split(r"(\n```\n.*?\n```\n)", "".join(self._out), flags=re.DOTALL)
        for index in range(0, len(parts), 2):
            lines = (line.rstrip() if line[:2] == "  " else line.strip() for line in parts[index].split("\n"))
            parts[index] = _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
        return "\n\n".join(stripped for part in parts if (stripped := part.strip("\n")))
