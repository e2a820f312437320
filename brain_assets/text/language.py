"""Which language a text is in: German or English by its stop words, by letter statistics when these are undecided."""

from __future__ import annotations

import re
from itertools import repeat

from brain_assets.text.ngrams import german_weight
from brain_assets.text.words import ENGLISH_STOP, GERMAN_STOP

_WORDS = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")
_ONLY_GERMAN = (GERMAN_STOP - ENGLISH_STOP) - {"am", "an", "in", "war", "man", "will", "so", "die", "was", "also"}
_ONLY_ENGLISH = (ENGLISH_STOP - GERMAN_STOP) - {"am", "an", "in", "so", "was", "i", "a"}
_ENGLISH = 1 << 20
_TALLY = {
    spelled: one
    for words, one in ((_ONLY_GERMAN, 1), (_ONLY_ENGLISH, _ENGLISH))
    for word in words
    for spelled in (word, word.capitalize())
}
"""Both counts in one pass: a German stop word adds 1, an English one `_ENGLISH`. Both spellings stand here because
lower-casing a text costs more than all the rest."""
_GLANCE = 400
"""Characters whose stop words decide on a longer text where they are clear enough."""
_STOP_WORD = 6.0
"""Evidence of one stop word, in the unit of the letter statistics."""
_SURE = 3.0


def detect(text: str, default: str | None = None) -> str:
    """`de` or `en` for a text. With nothing to go by (no letters), `default`, else `en`; `default` also decides
    where stop words do not.

    Reads the first 4,000 characters. Counting stop words and umlauts decides nearly every text for a few µs, letter
    statistics the rest.
    """
    return by_stop_words(text) or _undecided(text[:4000], default)


def by_stop_words(text: str) -> str | None:
    """`de` or `en` where stop words and umlauts of the first 4,000 characters tell, else None. Costs some µs."""
    if len(text) > 2 * _GLANCE:
        german, english, _ = _count(text[:_GLANCE])
        if abs(german - english) >= 6 and max(german, english) >= 4 * min(german, english):
            return "de" if german > english else "en"
    german, english, words = _count(text[:4000])
    more, less = max(german, english), min(german, english)
    clear = more - less >= 2 and more >= 2 * less
    if clear or (more > less and more + less >= 12) or (more > 0 == less and words <= 12):
        return "de" if german > english else "en"
    return None


def _count(sample: str) -> tuple[int, int, int]:
    """(evidence for German, for English, words)."""
    words = _WORDS.findall(sample.lower()) if len(sample) < _GLANCE else sample.split()
    english, german = divmod(sum(map(_TALLY.get, words, repeat(0))), _ENGLISH)
    if not sample.isascii():
        german += sum(map(sample.count, "äöüßÄÖÜ"))
    return german, english, len(words)


def _undecided(sample: str, default: str | None) -> str:
    if not _LETTER.search(sample):
        return default or "en"
    if default:
        return default
    return "de" if german_weight(_WORDS.findall(sample.lower())[:400]) > 0 else "en"


def detect_query(text: str, default: str) -> str:
    """`de` or `en` for a query: a few words, often without a stop word. `default` where they could be either."""
    written = _WORDS.findall(text[:4000])
    # Acronyms are of no language, unless everything is written in capitals.
    words = [w.lower() for w in written if not w.isupper()] or [w.lower() for w in written if len(w) > 5]
    german = sum(map(_ONLY_GERMAN.__contains__, words)) + sum(any(c in "äöüß" for c in w) for w in words)
    english = sum(map(_ONLY_ENGLISH.__contains__, words))
    evidence = german_weight(words[:400]) + _STOP_WORD * (german - english)
    if abs(evidence) < _SURE:
        return default
    return "de" if evidence > 0 else "en"
