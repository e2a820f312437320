"""Texts of notes, entries and pages on a terminal or in Markdown: what they hold is shown, never obeyed."""

from __future__ import annotations

import re

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters of both sets but tab and line end, and what turns the direction of writing round."""

_FETCHED = re.compile(
    r"<(?=/?(?:audio|base|button|embed|form|frame|iframe|image|img|input|link|meta|object|picture|script|source|style|svg|"
    r"track|video)\b)",
    re.IGNORECASE,
)
"""The beginning of an element that fetches, runs, or looks like a part of the page that shows it."""


def printable(text: str) -> str:
    """A text with its control characters written as in JSON: colours, cursor and clipboard stay the reader's.

    Tabs and line ends are kept.
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """A printable text without line ends of its own (a file's name may hold one)."""
    return printable(text).replace("\n", "\\n")


def inert(markdown: str) -> str:
    """Markdown of which no reader fetches anything: pictures and what else a page would load are shown as written.

    An answer or article is made of notes, of web pages and by models: a picture in it would tell its server who reads
    what, with any text in its address.
    """
    return _FETCHED.sub("&lt;", markdown).replace("![", "!\\[")
