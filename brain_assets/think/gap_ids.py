"""Stable ids of gaps: the same gap of another query or another day has the same id."""

from __future__ import annotations

import hashlib

from brain_assets.text.words import content_words, fold, stem


def gap_id(kind: str, *parts: str) -> str:
    """`KIND-` and ten hex digits over what makes the gap what it is."""
    text = "\x1f".join(parts)
    return f"{kind}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


def term_id(kind: str, term: str, language: str) -> str:
    """The id of a gap about a term: equal for every inflection and order of its words."""
    stems = sorted({stem(w, language) for w in content_words(term)}) or [fold(term)]
    return gap_id(kind, *stems)
