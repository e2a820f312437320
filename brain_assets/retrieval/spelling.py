"""What a word that stands nowhere may mean: an indexed word one letter apart, or two that it is a compound of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

SHORTEST = 5
"""Shorter words have too many neighbours."""
_SHORTEST_PART = 4
_LONGEST_COMPOUND = 60
_LINKS = ("", "s", "n", "es", "en")


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


def parts(word: str, known: Callable[[str], bool]) -> tuple[str, str] | None:
    """The two known words that a word is a compound of, a linking element between them left out, or None.

    The longest second part wins: in German it says what the thing is.
    """
    if len(word) > _LONGEST_COMPOUND:
        return None
    for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        if not known(word[cut:]):
            continue
        for link in _LINKS:
            first = word[: cut - len(link)]
            if word[:cut].endswith(link) and len(first) >= _SHORTEST_PART and known(first):
                return first, word[cut:]
    return None
