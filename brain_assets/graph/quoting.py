"""Whether a quote stands in an entry, and how exactly it stands there."""

from __future__ import annotations

import re

from brain_assets.model.entry import Entry
from brain_assets.text.words import nfc

_SPACE = re.compile(r"\s+")
_SHORT = 8


def verbatim(entry: Entry, quote: str) -> str:
    """The quote as one line of title or body has it; empty when it stands nowhere, or is too short to bear anything.

    Differences of white space and of the quotation marks around it are forgiven; what is returned is the entry's own
    wording.
    """
    wanted = _squash(quote.strip().strip("\"'„“”»«…"))
    if len(wanted) < _SHORT:
        return ""
    for line in (entry.title, *entry.body.split("\n")):
        squashed = _squash(line)
        at = squashed.find(wanted)
        if at >= 0:
            return _cut(line, squashed, at, len(wanted))
    return ""


def _squash(text: str) -> str:
    return _SPACE.sub(" ", nfc(text)).strip()


def _cut(line: str, squashed: str, at: int, length: int) -> str:
    """The stretch of the line that the squashed stretch came from."""
    wanted = squashed[at : at + length]
    pattern = r"\s+".join(re.escape(part) for part in wanted.split(" "))
    match = re.search(pattern, line)
    return match[0] if match else wanted
