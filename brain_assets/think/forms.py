"""Whether a word of a query stands among the words of a text in some form: inflected, compounded, misspelt."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from brain_assets.graph.wording import keys_of
from brain_assets.text.words import LONGEST_COMPOUND, fold, stem
from brain_assets.think.aspects import Term, Word

_JOINTS = ("", "s", "es", "n", "en", "er", "e")
_SHORTEST_PART = 4
_ENDING = 3
_INFLECTED = re.compile(r"(?:e[nmrs]?|n|s|t|st|te[nt]?|test|et|est|end\w{0,2}|ed|d|ing)?")
"""What may stand after the stem of a German or English word."""
_STEM = 4
_SHORTEST = 5
"""Letters of a word that is looked for in other forms."""
_MOST_PARTS = 3


def covered(term: Term, held: frozenset[str]) -> bool:
    """Whether every word of a term stands among the keys of one text, whole, inflected or in parts of compounds.

    Names are neither inflected nor taken apart.
    """
    # Plain loops: this is asked some thousand times for one answer.
    name = term.kind == "name"
    for word in term.words:
        if word.stems.isdisjoint(held) and not word.keys <= held and (name or not _in_some_form(word, held)):
            return False
    return True


def stands(word: Word, held: frozenset[str]) -> bool:
    """Whether one word stands among the keys of a text."""
    return not word.stems.isdisjoint(held) or word.keys <= held or _in_some_form(word, held)


def _in_some_form(word: Word, held: frozenset[str]) -> bool:
    return any(len(spelled) >= _SHORTEST and _one(spelled, held) for spelled in word.stems)


@lru_cache(maxsize=50_000)
def _one(stem: str, held: frozenset[str]) -> bool:
    """Whether the text has the word as another stemmer cuts it, or inside a compound, or in parts of one."""
    for end in range(max(_SHORTEST, len(stem) - _ENDING), len(stem)):
        if stem[:end] in held:
            return True
    lines = _lines(held)
    if f"\n{stem}" in lines or _ends_one(stem, lines):
        return True
    for parts in _splits(stem):
        for part in parts:
            if part.isdisjoint(held):
                break
        else:
            return True
    return False


@lru_cache(maxsize=5_000)
def _lines(held: frozenset[str]) -> str:
    """All keys, one a line, so that the beginnings and ends of words can be searched as text."""
    return "\n" + "\n".join(sorted(held)) + "\n"


def _ends_one(stem: str, lines: str) -> bool:
    """Whether a word at least three letters longer ends with the stem ("Lieferfrist" with "frist")."""
    at = lines.find(f"{stem}\n")
    while at != -1:
        if "\n" not in lines[max(0, at - 3) : at]:
            return True
        at = lines.find(f"{stem}\n", at + 1)
    return False


@lru_cache(maxsize=20_000)
def _splits(word: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """The ways a compound may fall into two or three parts of at least four letters, each part as its keys."""
    if not 2 * _SHORTEST_PART <= len(word) <= LONGEST_COMPOUND:
        return ()
    out: list[tuple[frozenset[str], ...]] = []
    for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        head, tail = word[:cut], word[cut:]
        heads = [_part_keys(head[: len(head) - len(j)]) for j in _JOINTS if head.endswith(j) and cut - len(j) >= 3]
        rests = [(_part_keys(tail),), *_splits(tail)]
        out += [(_union(heads), *rest) for rest in rests if len(rest) < _MOST_PARTS]
    return tuple(out)


def _union(parts: list[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*parts)


@lru_cache(maxsize=100_000)
def _part_keys(part: str) -> frozenset[str]:
    concepts = keys_of(part)
    return (concepts if len(concepts) == 1 else frozenset()) | {stem(part, "de"), fold(part)}


def same_but_inflected(a: str, b: str) -> bool:
    """Whether two words differ in nothing but an ending ("bestellt", "bestellen")."""
    a, b = fold(a), fold(b)
    stems = range(_STEM, min(len(a), len(b)) + 1)
    return any(a[:n] == b[:n] and _INFLECTED.fullmatch(a[n:]) and _INFLECTED.fullmatch(b[n:]) for n in stems)


def halves(compound: str) -> list[tuple[str, str]]:
    """The ways a compound falls into what comes before and a head that is a known word ("firmen", "wagen")."""
    low = compound.lower()
    cuts = range(_SHORTEST_PART, len(low) - _SHORTEST_PART + 1)
    return [(low[:cut], low[cut:]) for cut in cuts if any(k.startswith("=") for k in keys_of(low[cut:]))]


def misspelt(term: str, words: Collection[str]) -> str | None:
    """The word of a text that the term most likely is with one or two slips (letters swapped, lost, added, wrong)."""
    low = term.lower()
    if len(low) < 5 or any(c.isdigit() for c in low):
        return None
    allowed = 1 if len(low) < 8 else 2
    near = [
        (found, w)
        for w in words
        if abs(len(w) - len(low)) <= allowed and _alike(low, w) and (found := distance(low, w, allowed)) <= allowed
    ]
    return min(near)[1] if near else None


def _alike(a: str, b: str) -> bool:
    return a[0] == b[0] or a[1:3] == b[1:3] or a[:2] == b[1::-1]


def distance(a: str, b: str, most: int) -> int:
    """Damerau-Levenshtein distance (neighbours swapped count once), or `most` + 1 as soon as it is more."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        following = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        if min(following) > most:
            return most + 1
        before, row = row, following
    return row[-1]
