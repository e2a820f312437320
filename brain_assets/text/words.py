"""Tokens, folding and stems of German and English words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import Stemmer

WORD = re.compile(r"\w+(?:[.:/@_-]\w+)*", re.UNICODE)
_FOLDS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss", "æ": "a", "ø": "o", "å": "a"})
_DIGRAPH = re.compile(r"(?<![aeoqu])ue|ae|oe")
_STEMMERS = {"de": Stemmer.Stemmer("german"), "en": Stemmer.Stemmer("english")}

GERMAN_STOP = frozenset(
    """aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei
    beim bin bis bist da dabei dadurch dafür dagegen daher damit dann daran darauf daraus darf darin darüber das dass
    davon dazu dein deine dem den denn der deren des dessen die dies diese diesem diesen dieser dieses dir doch dort du
    durch ein eine einem einen einer eines einige er es etwas euch euer eure für gegen habe haben hat hatte hatten hier
    hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene
    jetzt kann kein keine keinem keinen keiner könnte können man mein meine meinem meinen meiner mich mir mit muss müssen
    nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollen
    sollte sondern sonst über um und uns unser unsere unter vom von vor war waren warum was weil welche welchem welchen
    welcher welches wenn wer werde werden wie wieder wir wird wo wurde wurden würde zu zum zur zwischen""".split()
)
ENGLISH_STOP = frozenset(
    """a about above after again against all am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here hers him his
    how i if in into is it its itself just me more most my no nor not now of off on once only or other our ours out over
    own same she should so some such than that the their theirs them then there these they this those through to too
    under until up very was we were what when where which while who whom why will with would you your yours""".split()
)
STOP = GERMAN_STOP | ENGLISH_STOP


def nfc(text: str) -> str:
    """Unicode NFC, the one form everything is stored and compared in."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=200_000)
def fold(word: str) -> str:
    """Lower case with ä=ae=a, ö=oe=o, ü=ue=u, ß=ss: equal for every spelling of one German word.

    The digraphs fold only where an umlaut can be meant ("neue" and "quelle" keep theirs); accents are dropped.
    """
    word = nfc(word).lower()
    word = _DIGRAPH.sub(lambda m: m[0][0], word.translate(_FOLDS))
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def tokens(text: str) -> list[str]:
    """Words of a text as written, identifiers, versions, paths and addresses kept whole."""
    return WORD.findall(text)


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """Snowball stem of a word, folded; other languages than de and en are only folded."""
    stemmer = _STEMMERS.get(language)
    return fold(stemmer.stemWord(nfc(word).lower())) if stemmer else fold(word)


def content_words(text: str) -> list[str]:
    """Tokens that carry meaning: no stop word of either language, nothing shorter than two characters."""
    return [t for t in tokens(text) if len(t) > 1 and t.lower() not in STOP]


def content_stems(text: str, language: str) -> set[str]:
    """Stems of the content words."""
    return {stem(t, language) for t in content_words(text)}
