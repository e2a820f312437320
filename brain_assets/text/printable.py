"""Texts of notes, entries and pages on a terminal: what they hold is shown, never obeyed by it."""

from __future__ import annotations

import re

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters of both sets but tab and line end, and what turns the direction of writing round."""


def printable(text: str) -> str:
    """A text with its control characters written as in JSON: colours, cursor and clipboard stay the reader's.

    Tabs and line ends are kept.
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """A printable text without line ends of its own (a file's name may hold one)."""
    return printable(text).replace("\n", "\\n")
