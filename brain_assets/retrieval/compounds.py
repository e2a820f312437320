"""German compounds: which words they consist of, by a dictionary learnt from the corpus.

"Datenbankschema" is found by "Schema der Datenbank" because the index holds its parts. A word is split only if all of
it is dictionary words and linking elements; the fewest parts win, then the longest first part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from brain_assets.text.words import fold

SHORTEST, LONGEST = 4, 10
_LEAST_COMPOUND, _LONGEST_COMPOUND = 8, 40
_LINKS = ("s", "n", "es", "en")
_ENDINGS = ("s", "n", "e", "es", "en", "er", "ern")
_PLAIN = str.maketrans("äöü", "aou")
_DICTIONARY_WORD = re.compile(r"[a-zäöüß]{4,10}")
_PUNCTUATION = ".,;:!?()[]{}<>\"'`*_/|=#„“”‚‘’»«–—…"


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How often each word of 4 to 10 letters occurs in texts: the raw material of a dictionary."""
    written: Counter[str] = Counter()
    for text in texts:
        written.update(text.split())
    counts: Counter[str] = Counter()
    for token, seen in written.items():
        word = token.strip(_PUNCTUATION).lower()
        if _DICTIONARY_WORD.fullmatch(word):
            counts[word] += seen
    return counts


def dictionary(counts: Mapping[str, int], least: int = 2) -> list[str]:
    """Words that compounds consist of, sorted: those seen at least twice, and, as inside a compound, those on -e
    without it ("Farbe" in "Farbdruck")."""
    words = {word for word, seen in counts.items() if seen >= least}
    return sorted(words | {word[:-1] for word in words if len(word) > SHORTEST and word.endswith("e")})


class Splitter:
    """Splits words with a dictionary; an empty one splits nothing."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = frozenset(form for word in words for form in (word.translate(_PLAIN), fold(word)))

    def split(self, word: str) -> list[str]:
        """Parts of a lower-case word, without linking elements; the word itself if it is not a compound, or an
        inflection of a word that the dictionary has as a whole. ae, oe and ue may stand for umlauts."""
        parts = self._split(word)
        if len(parts) == 1 and ("ae" in word or "oe" in word or "ue" in word) and (other := fold(word)) != word:
            spelled = self._split(other)
            return spelled if len(spelled) > 1 else parts
        return parts

    def _split(self, word: str) -> list[str]:
        size = len(word)
        if not _LEAST_COMPOUND <= size <= _LONGEST_COMPOUND or not self._words:
            return [word]
        plain = word.translate(_PLAIN)  # plurals change the vowel: the dictionary and the word are compared without
        if plain in self._words or any(plain.endswith(e) and plain[: -len(e)] in self._words for e in _ENDINGS):
            return [word]
        # best[end]: the spans that cover the word up to there; a shorter end is final before it is built upon.
        best: dict[int, list[tuple[int, int]]] = {0: []}
        for start in range(size - SHORTEST + 1):
            if start in best:
                self._extend(plain, start, best)
        return [word[a:b] for a, b in best[size]] if size in best else [word]

    def _extend(self, word: str, start: int, best: dict[int, list[tuple[int, int]]]) -> None:
        spans, size = best[start], len(word)
        for end in range(min(size, start + LONGEST), start + SHORTEST - 1, -1):
            if word[start:end] not in self._words:
                continue
            for place in (end, *(end + len(link) for link in _LINKS if word.startswith(link, end))):
                if place < size and (place not in best or len(best[place]) > len(spans) + 1):
                    best[place] = [*spans, (start, end)]
            if (
                start
                and (end == size or word[end:] in _ENDINGS)
                and (size not in best or len(best[size]) > len(spans) + 1)
            ):
                best[size] = [*spans, (start, size)]
