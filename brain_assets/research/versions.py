"""Which versions of a product a text is about, and whether a page is about the version in use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain_assets.research import concepts, lexicon
from brain_assets.text import sentences, words

Version = tuple[int, ...]
Product = frozenset[str]
"""The words of a product's full name in lower case; empty for a version given without a name."""

_NUMBER = r"(\d{1,4}(?:\.\d{1,4}){0,3})(?:\.x)?"
_UNIT = (
    r"(?![\w%:€$°-]|[ ]?(?:%|°|[kMGT]i?B\b|[mkM]?bit\b|ms\b|[smh]\b|kg\b|mm\b|cm\b|[Uu]hr\b|[Ss]tunden?\b|"
    r"[Mm]inuten?\b|"
    r"[Ss]ekunden?\b|[Tt]agen?\b|[Ww]ochen?\b|[Mm]onaten?\b|[Jj]ahren?\b|[Pp]rozent\b|[Ee]uro\b|[Pp]ersonen\b|hours?\b|"
    r"minutes?\b|seconds?\b|days?\b|weeks?\b|months?\b|years?\b|percent\b|people\b|users?\b|Januar|Februar|März|April|Mai\b|"
    r"Juni|Juli|August|September|Oktober|November|Dezember|January|February|March|May\b|June|July|October|December))"
)
_WORD = r"[A-Z][A-Za-z+]*[A-Za-z]|[A-Z]{2,4}-\d{1,4}"
_LABEL = r"(?:[ -](?:[Vv]ersion|[Rr]elease|[Ff]irmware|[Ss]erie|[Ss]eries|[Gg]eneration|[Vv]\.?))?"
_VERSIONED = re.compile(rf"(?<![\w.@/-])({_WORD})((?:[ -](?:{_WORD})){{0,2}}){_LABEL}[ ]v?{_NUMBER}{_UNIT}")
_BARE = re.compile(rf"\b(?:version|release|firmware|generation|v\.?)[ ]?{_NUMBER}{_UNIT}", re.IGNORECASE)
_RANGE = re.compile(rf"{_NUMBER}[ ]?(?:bis|to|through|–|-|—)[ ]?{_NUMBER}", re.IGNORECASE)
_FROM = re.compile(
    rf"\b(?:ab|seit|from|since)[ ](?:version[ ]|release[ ])?{_NUMBER}|{_NUMBER}[ ]?(?:oder (?:neuer|höher)|"
    r"und (?:neuer|höher)|(?:and|or) (?:later|above|newer|higher)|\+)",
    re.IGNORECASE,
)
_PATH = re.compile(r"/(?:v|version[-_]?|release[-_]?|r)?(\d{1,3}(?:\.\d{1,3}){0,2})(?:\.x)?(?=/)")
_APPLIES = re.compile(
    r"\b(?:gültig für|gilt für|betrifft|handbuch|anleitung (?:für|zu)|dokumentation|in (?:der )?version|"
    r"für (?:die )?version|applies to|valid for|manual|guide (?:for|to)|documentation|in version|for version)\b",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    """port ports seite page schritt step kapitel chapter abschnitt section tabelle table abbildung figure code fehler
    error exit udp tcp http ipv rfc iso din en stufe level phase tag day woche week monat month jahr year
    quartal nummer number nr no raum room etage floor gebäude haus ticket kb uhr um am im bis ab von seit nach
    vor der die das den in an auf the by at on to for from and und oder or top q anlage artikel article teil
    part punkt point zeile line spalte version release firmware generation client mindestens höchstens maximal
    minimum maximum nur only about rund etwa ca circa alle every jede priorität priority klasse class januar
    februar märz april mai juni juli august september oktober november dezember january february march may june
    july october december montag dienstag mittwoch donnerstag freitag samstag sonntag monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_GONE = re.compile(
    r"\b(?:nicht mehr|entfällt|entfernt|abgeschafft|abgekündigt|ersetzt durch|kein\w* mehr|keinesfalls|"
    r"no longer|removed|dropped|discontinued|replaced by|does not|gilt nicht)\b",
    re.IGNORECASE,
)
_OPENING, _READ_SENTENCES = 4, 80


@dataclass(frozen=True, slots=True)
class Span:
    """Versions of a product from `low` to `high`, both included, as prefixes (11 holds 11.2); `high` None is open."""

    product: Product
    low: Version
    high: Version | None

    def holds(self, version: Version) -> bool:
        """Whether a version falls into the span; compared only as far as both are stated."""
        above = version[: len(self.low)] >= self.low[: len(version)]
        return above and (self.high is None or version[: len(self.high)] <= self.high[: len(version)])


def parse(text: str) -> Version:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def products(texts: Iterable[str]) -> Counter[str]:
    """Names that look like products in these texts, with the number of texts that have them.

    A name followed by a version ("Kelbra Backup 11.2"), or one in mixed case (`PgBouncer`). Ordinary words are none.
    """
    found: Counter[str] = Counter()
    for text in texts:
        names = {match[1] for match in _VERSIONED.finditer(text)}
        names |= {m[0] for m in concepts.MIXED.finditer(text) if len(m[0]) > 3}
        found.update(name for name in sorted(names) if is_name(name))
    return found


def is_name(word: str) -> bool:
    """Whether a word can be a product's name: no ordinary word of either language, no code, nothing that counts."""
    lower = word.lower()
    if lower in _NO_NAME or lower in words.STOP or word.isdigit() or concepts.CODE.fullmatch(word):
        return False
    if concepts.MIXED.fullmatch(word):
        return True
    pieces = lexicon.parts(word)
    return not lexicon.known(word) and not (pieces and all(lexicon.known(piece) for piece in pieces))


def stated(text: str, names: Iterable[str]) -> list[Span]:
    """The versions a text gives of products whose name has one of `names`, and every bare "version N"."""
    wanted = {name.lower() for name in names}
    out: list[Span] = []
    taken: list[tuple[int, int]] = []
    for match in _VERSIONED.finditer(text):
        product = frozenset(part.lower() for part in re.split(r"[ -]", match[1] + match[2]) if part)
        if product & wanted:
            out.append(_span(product, text, match, 3))
            taken.append(match.span())
    for match in _BARE.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            out.append(_span(frozenset(), text, match, 1))
    return [span for span in out if span.product or not _year(span.low)]


def _span(product: Product, text: str, match: re.Match[str], group: int) -> Span:
    """The version of a match with what the words around it make of it: a range, or this one and newer."""
    low, start = parse(match[group]), match.start(group)
    if span := _RANGE.match(text, start):
        return Span(product, low, parse(span[2]))
    around = text[max(0, match.start() - 5) : match.end() + 18]
    newer = any(parse(found[1] or found[2]) == low for found in _FROM.finditer(around))
    return Span(product, low, None if newer else low)


def _year(version: Version) -> bool:
    return len(version) == 1 and 1980 <= version[0] <= 2100


def of_page(url: str, title: str, text: str, names: Sequence[str]) -> tuple[list[Span], list[Span]]:
    """The versions a page says it is about: in its address and title, and in its opening or where it "applies to".

    Sentences about what a version no longer has are left out; a page that names none of the products says nothing.
    """
    everything = f"{url} {title} {text}".lower()
    if not any(name.lower() in everything for name in names):
        return [], []
    paths = [version for match in _PATH.finditer(url) if not _year(version := parse(match[1]))]
    outside = [Span(frozenset(), version, version) for version in paths] + stated(title, names)
    inside: list[Span] = []
    for number, sentence in enumerate(sentences.split(text)[:_READ_SENTENCES]):
        if (number < _OPENING or _APPLIES.search(sentence.text)) and not _GONE.search(sentence.text):
            inside.extend(stated(sentence.text, names))
    return list(dict.fromkeys(outside)), list(dict.fromkeys(inside))


def verdict(outside: Sequence[Span], inside: Sequence[Span], in_use: Sequence[Span]) -> str:
    """`right`, `wrong` or `unknown`: whether the versions a page is about hold one that is in use.

    Address and title decide; what stands inside decides when they say nothing, or when it names a range. Versions are
    compared for one product only: "Nordwall Cloud 9" says nothing about "Nordwall Connect 6". A version without a
    name counts for whatever product the page names beside it.
    """
    named = [span for span in (*outside, *inside) if span.product]
    found = {"outside": _compare(outside, named, in_use), "inside": _compare(inside, named, in_use)}
    ranges = [span for span in inside if span.product and span.high != span.low]
    if found["outside"] == "wrong" and _compare(ranges, named, in_use) == "right":
        return "right"
    return found["outside"] if found["outside"] != "unknown" else found["inside"]


def _compare(spans: Sequence[Span], named: Sequence[Span], in_use: Sequence[Span]) -> str:
    right = wrong = False
    for used in in_use:
        if not used.product:
            continue
        about_it = not named or any(_same(span.product, used.product) for span in named)
        for span in spans:
            if _same(span.product, used.product) if span.product else about_it:
                right, wrong = right or span.holds(used.low), wrong or not span.holds(used.low)
    return "right" if right else "wrong" if wrong else "unknown"


def _same(one: Product, other: Product) -> bool:
    return one <= other or other <= one
