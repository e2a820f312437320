"""What entries and articles are called."""

from __future__ import annotations

import re

from brain_assets.model.entry import Entry
from brain_assets.synthesis import wording
from brain_assets.text import words

_GENERIC = re.compile(
    r"^(?:übersicht|überblick|overview|readme|index|notizen|notes|faq|checkliste|checklist|handbuch|handbook|protokoll|minutes|"
    r"status|allgemeines|general|sonstiges|misc)$",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:19|20)\d\d\b|\bKW ?\d\d?\b|(?<![\d.])[0-3]?\d\.[01]?\d\.(?!\d)|\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|"
    r"january|february|march|may|june|july|october|december)\b",
    re.IGNORECASE,
)
_KIND = re.compile(r"^(?:decision|entscheidung|faq|how ?to|adr(?: \d+)?)\s*[:\u2013-]\s*", re.IGNORECASE)
_STATE = re.compile(r"\s*\((?:alt|neu|old|new|draft|entwurf|plan|wip)\)$", re.IGNORECASE)


def shown(entry: Entry) -> str:
    """What people call an entry: a note's first heading where it says more than a word, else its title."""
    heading = next((h.text for h in entry.headings if h.level == 1), "") if entry.kind == "note" else ""
    speaks = len(words.content_words(heading)) >= 2 and not _DATED.search(heading)
    return heading if speaks or (heading and _GENERIC.match(entry.title.strip())) else entry.title


def is_weak(title: str) -> bool:
    """Whether a title is none for an article: a word that fits every text, a date, or a workshop word."""
    return bool(_GENERIC.match(title.strip()) or _DATED.search(title) or wording.internal(title))


def of_article(title: str) -> str:
    """A source's title as an article is called: without its kind before it and its state behind it."""
    return capital(_STATE.sub("", _KIND.sub("", title)).strip().rstrip(".,;: "))


def capital(text: str) -> str:
    """First letter upper case, unless the first word is a name written small (a host, a file, a command)."""
    command = re.match(r"\w*[\d./_-]|\w+ --?\w", text)
    return text if not text[:1].islower() or command else text[:1].upper() + text[1:]


def quotable(title: str) -> str:
    """A title fit to stand between quotation marks and in the middle of a sentence."""
    return re.sub(r"[.!?]+(?=\s|$)", "", re.sub(r"[\"„“”»«]", "'", title)).strip()
