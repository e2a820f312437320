"""Which indexed word a misspelt one may mean: one letter more, less, other or swapped, and the same first letter."""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST = 5
"""Shorter words have too many neighbours."""


def one_apart(a: str, b: str) -> bool:
    """Whether two different words are one insertion, deletion, replacement or swap of neighbours apart."""
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    start = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    if len(a) == len(b):
        swapped = len(rest_a) > 1 and rest_a[0] == rest_b[1] and rest_a[1] == rest_b[0] and rest_a[2:] == rest_b[2:]
        return swapped or rest_a[1:] == rest_b[1:]
    return rest_a[1:] == rest_b or rest_a == rest_b[1:]


def correction(word: str, terms: Iterable[tuple[str, int]]) -> str | None:
    """The most frequent of some terms (term, entries) that a word may mean, or None."""
    near = [(-seen, term) for term, seen in terms if term[0] == word[0] and term.isalpha() and one_apart(word, term)]
    return min(near)[1] if near else None
