"""Tokens, folding and stems of German and English words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import Stemmer

WORD = re.compile(r"\w+(?:[.:/@_-]\w+)*", re.UNICODE)
LONGEST_COMPOUND = 60
"""Characters. What is longer is encoded data or a key: trying each cut of it takes the square of its length."""
_FOLDS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss", "æ": "a", "ø": "o", "å": "a"})
_DIGRAPH = re.compile(r"(?<![aeoqu])ue|ae|oe")
_STEMMERS = {"de": Stemmer.Stemmer("german"), "en": Stemmer.Stemmer("english")}

GERMAN_STOP = frozenset(
    """aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus außer
    außerhalb bei beim bereits bin bis bist bzw da dabei dadurch dafür dagegen daher damit dann daran darauf
    daraus darf darin darüber das daß dass davon dazu dein deine dem den denen denn dennoch der deren des deshalb
    dessen deswegen dich die dies diese diesem diesen dieser dieses dir doch dort du durch dürfen durfte eben ein
    eine einem einen einer eines einige einmal er es etwa etwas euch euer eure eurem euren eurer falls für gegen
    gewesen hab habe haben habt hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
    ihres im in indem innerhalb ins ist ja jede jedem jeden jeder jedes jedoch jene jenem jenen jener jetzt kann
    kannst kein keine keinem keinen keiner können könnte konnte konnten mag man manche manchem manchen mancher
    manches mein meine meinem meinen meiner meines mich mir mit möchte möchten mögen muss müssen musste müsste
    müssten mussten nach nicht nichts noch nun nur ob obwohl oder ohne sehr sein seine seinem seinen seiner seines
    seit selbst sich sie sind so sobald solche solchem solchen solcher solches soll sollen sollte sondern sonst
    sowie sowohl trotz über um und uns unser unsere unserem unseren unserer unseres unter usw vom von vor während
    wann war waren warst warum was weg weil weiter welche welchem welchen welcher welches wem wen wenn wer werde
    werden werdet weshalb wessen wie wieder wieso wieviel wieviele will wir wird wirst wo wobei wodurch wofür
    woher wohin wollen wollte wollten womit wonach woran worauf worin worüber wovon wozu wurde würde wurden zu zum
    zur zwar zwischen""".split()
)
ENGLISH_STOP = frozenset(
    """a about above after again against all also am an and another any anyone anything are aren as at be because been
    before being below between both but by can cannot could did do does doesn doing don down during each every
    everyone everything few for from further had has have having he her here hers herself him himself his how
    however i if in into is isn it its itself just let may me might more most must my myself neither no nor not
    nothing now of off on once only onto or other ought our ours ourselves out over own per perhaps quite rather s
    same shall she should since so some someone something still such t than that the their theirs them themselves
    then there these they this those though through thus to too toward towards under unless until up upon us very
    via was wasn we were what when where whether which whichever while who whoever whom whose why will with within
    without won would yet you your yours yourself yourselves""".split()
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
