"""Code blocks, data tables and lists carried safely through article extraction.

Article extractors score paragraphs and throw away short tables, lists and code near them. So each such block is
replaced by a paragraph of its own words between two private-use marks; where that paragraph survives, the block as
it was is put back.
"""

from __future__ import annotations

import re
from typing import Any

from brain_assets.research import visible

_OPEN, _MIDDLE, _CLOSE = "\ue0f0", "\ue0f1", "\ue0f2"
_MARKED = re.compile(f"[ \\t]*{_OPEN}(\\d+){_MIDDLE}[^{_CLOSE}]*{_CLOSE}[ \\t]*")
_MAX_CHARS = 6_000
_MAX_LINKED = 0.3
_MAX_BLOCKS = 400


def protect(root: Any) -> list[str]:
    """Replace the blocks of an lxml tree, in place; their texts, for `restore`."""
    import lxml.html

    texts: list[str] = []
    for element in list(root.iter("pre", "table", "ul", "ol")):
        if len(texts) >= _MAX_BLOCKS or not _worth_keeping(element, root):
            continue
        text = visible.to_text(element)
        if not text:
            continue
        words = re.sub(f"[{_OPEN}{_MIDDLE}{_CLOSE}]", "", re.sub(r"\s+", " ", element.text_content()).strip())
        stand_in = lxml.html.Element("p")
        stand_in.text = f"{_OPEN}{len(texts)}{_MIDDLE}{words}{_CLOSE}"
        stand_in.tail = element.tail
        element.getparent().replace(element, stand_in)
        texts.append(text)
    return texts


def restore(text: str, blocks: list[str]) -> str:
    """Put the blocks back where their marks stand."""
    text = _MARKED.sub(lambda m: f"\n\n{blocks[int(m[1])]}\n\n" if int(m[1]) < len(blocks) else "", text)
    text = re.sub(f"{_OPEN}\\d*{_MIDDLE}?|[{_MIDDLE}{_CLOSE}]", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _worth_keeping(element: Any, root: Any) -> bool:
    """Data, not navigation or layout: little of it is links, it is not huge, and nothing bigger around it is kept."""
    if element.getparent() is None or any(a.tag in ("nav", "footer", "aside", "pre") for a in element.iterancestors()):
        return False
    if next(element.iterancestors("table", "ul", "ol"), None) is not None and element.tag != "pre":
        return False
    if not any(ancestor is root for ancestor in element.iterancestors()):
        return False  # inside a block that was replaced already
    length = len(element.text_content().strip())
    if not 0 < length <= _MAX_CHARS:
        return False
    if element.tag == "pre":
        return True
    linked = sum(len(link.text_content()) for link in element.iter("a"))
    if linked > _MAX_LINKED * length:
        return False
    if element.tag == "table":
        rows = [sum(1 for cell in row if cell.tag in ("td", "th")) for row in element.iter("tr")]
        return element.find(".//table") is None and sum(cells >= 2 for cells in rows) >= 2
    return True
