"""Small pictures for the UI: counts as bars, or as a funnel, drawn as SVG inside Markdown.

Dagster's UI shows an image whose address is a `data:` URI, and Markdown of less than a thousand characters right in its
row of the metadata (longer Markdown behind a click). So a picture is written as tersely as it can be: all bars one
path, and no more encoded than must be. The UI does not tell an image its theme: the two colours are read as well on
white as on near black (4.5 : 1, text; more than 3 : 1, bars). The alternative text says what is drawn. Source of the
limit: `MarkdownMetadataEntry` of dagster-ui-core 1.13.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

INLINE = 1000
"""Markdown shorter than this, in characters, is shown without a click."""
_FEWEST = 5
_ROW = 22
"""Height of a row; all lengths are CSS pixels."""
_BAR = 14
_LONGEST = 210
_GAP = 8
_CHARACTER, _WIDE = 8, 13
"""Room for a character of the labels, and for a Chinese, Japanese or Korean one."""
_NARROWEST = 2
_LABEL = 22
_BLUE, _GREY = "#66e", "#767676"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]+")
_ENCODED = {ord(character): f"%{ord(character):02X}" for character in '%#<>&\\"`^{}|[]'}
"""What means something else in a `data:` URI or between the angle brackets of a Markdown address."""


def bars(what: str, counts: Mapping[str, int], *, most: int = 12) -> str:
    """A bar for each count, in the order given, as one Markdown image; empty if there is nothing to show.

    `what` begins the alternative text. At most `most` bars are drawn, or so many (five at least) that the picture is
    shown in its row; the last line and the alternative text count the rest.
    """
    if not any(counts.values()):
        return ""
    number = min(most, len(counts))
    drawn = (_image(what, counts, n, centred=False) for n in range(number, min(number, _FEWEST) - 1, -1))
    return next((image for image in drawn if len(image) < INLINE), _image(what, counts, number, centred=False))


def funnel(what: str, counts: Mapping[str, int]) -> str:
    """Like `bars`, each centred below the one before: what is left from step to step."""
    return _image(what, counts, len(counts), centred=True) if any(counts.values()) else ""


def _image(what: str, counts: Mapping[str, int], number: int, *, centred: bool) -> str:
    rows = [(_short(label), value) for label, value in list(counts.items())[:number]]
    rest = f"{len(counts) - number} more" if len(counts) > number else ""
    said = "; ".join([*(f"{label}: {value}" for label, value in rows), *([rest] if rest else [])])
    svg = _svg(rows, rest, centred).translate(_ENCODED)
    return f"![{_markdown(f'{_short(what)}: {said}')}](<data:image/svg+xml,{svg}>)"


def _svg(rows: Sequence[tuple[str, int]], rest: str, centred: bool) -> str:
    """The drawing: label and value of each row up to where the bars begin, then its bar."""
    texts = [f"{label}: {value}" for label, value in rows] + ([f"… {rest}"] if rest else [])
    left = max(map(_width, texts))
    greatest = max(value for _, value in rows)
    strokes = []
    for number, (_, value) in enumerate(rows):
        length = max(_NARROWEST, round(_LONGEST * value / greatest)) if value else 0
        begin = left + _GAP + ((_LONGEST - length) // 2 if centred else 0)
        strokes.append(f"M{begin} {_ROW * number + _ROW // 2}h{length}")
    lines = "".join(f"<tspan x='{left}' dy='{_ROW}'>{escape(text)}</tspan>" for text in texts)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{left + _GAP + _LONGEST}' height='{_ROW * len(texts)}'>"
        f"<path stroke='{_BLUE}' stroke-width='{_BAR}' d='{''.join(strokes)}'/>"
        f"<text y='{_ROW // 2 + 5 - _ROW}' fill='{_GREY}' style='font:13px sans-serif' text-anchor='end'>{lines}</text></svg>"
    )


def _width(text: str) -> int:
    """Pixels that a line of text may take."""
    return _GAP // 2 + sum(_WIDE if unicodedata.east_asian_width(c) in "WF" else _CHARACTER for c in text)


def _short(text: str) -> str:
    """One printable line of a label: it may come from a note."""
    text = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _markdown(text: str) -> str:
    """A text that stays a text between the brackets of an image."""
    return re.sub(r"([\\`*_\[\]<>&!~|])", r"\\\1", text)
