"""What a question is about: "Was wissen wir über den Tunnel?" asks for the tunnel, not for knowing."""

from __future__ import annotations

import re

from brain_assets.text.words import STOP, fold

_WORD = re.compile(r"[^\W_]+(?:[.:/@_\\#'’-]+[^\W_]+)*")
_OPENS = frozenset(
    """was wer wem wen wessen wie wo woher wohin wann warum weshalb wieso wofür wozu womit worüber welche welcher welches
    welchen welchem gibt ist sind kann können habe haben hat darf muss soll zeig zeige erklär erkläre nenne finde suche
    what who whose how where when why which is are can could do does did has have should tell show explain find search
    describe""".split()
)
_ONLY_ASKS = frozenset(
    """wissen weiß weiss wisst kennen kennt steht stehen bekannt dokumentiert erzähl erzähle erklär erkläre
    know known knows tell explain documented""".split()
)
"""Verbs of knowing and telling. Others ("find", "show", "gibt") are as often what a question is about."""
_LONGEST_TITLE = 12
_MOST_TITLES = 6


def _opening(words: list[str]) -> int:
    """How many leading words only ask; at least one word is left."""
    lower = [word.lower() for word in words]
    count = 0
    while count < len(words) - 1 and (lower[count] in STOP or lower[count] in _ONLY_ASKS):
        count += 1
    return count


def _asks(text: str, words: list[str]) -> bool:
    return len(words) > 1 and (words[0].lower() in _OPENS or text.rstrip().endswith("?"))


def asking_words(text: str) -> frozenset[str]:
    """The folded words of a question that ask and say nothing of what it is about; empty for other texts."""
    words = _WORD.findall(text)
    if not _asks(text, words):
        return frozenset()
    return frozenset(fold(word) for word in words[: _opening(words)] if word.lower() in _ONLY_ASKS)


def titles(text: str) -> list[str]:
    """Titles that a text may name: itself, or what follows any of the words that only ask. Two to twelve words each.

    Stop words stay, because titles hold them: "This and That".
    """
    words = _WORD.findall(text)
    starts = range(1, _opening(words) + 1) if _asks(text, words) else range(1)
    found = [words[start:] for start in starts]
    return [" ".join(each) for each in found if 2 <= len(each) <= _LONGEST_TITLE][-_MOST_TITLES:]
