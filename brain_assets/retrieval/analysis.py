"""Text analysis for full-text search: what becomes a term, at index time and in a query.

Every text is analysed three times: German stems (compounds split with the index's dictionary, ä=ae and ß=ss by the
stemmer), English stems, and exact words folded by `fold_exact`. tantivy does the work per word; Python only touches
whole texts, because a Python step per word would cost more than all of the indexing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from brain_assets.retrieval.compounds import Splitter
from brain_assets.text.words import STOP, fold, nfc

GERMAN, ENGLISH, EXACT = "de", "en", "x"
LONGEST_TERM = 80
"""Longer runs of letters are encoded data, not words."""

_LONGEST_WRITTEN = 1000
_MOST_KNOWN = 150_000
_MOST_ASKED = 20_000
_UMLAUTS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_FENCE = "7153948620715394862"
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]+")

_UNIT = re.compile(r"[^\W_]+(?:[.:/@_\\#'’-]+[^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]{8,}")
# The rare character comes first, so that the scan skips what cannot match.
_INNER = re.compile(r"[A-ZÄÖÜ0-9](?:(?<=[a-zäöüß][A-ZÄÖÜ])|(?<=[^\W\d_][0-9])[0-9.])")
_HUMP_PARTS = re.compile(r"[A-ZÄÖÜ]+(?![a-zäöüß])|[A-ZÄÖÜ]?[a-zäöüß]+|\d+")
_VERSION = re.compile(r"[vV]\d+(?:\.\d+)+")
_MOST_PARTS = 500


def fold_exact(text: str) -> str:
    """Lower case with ae, oe, ue as a, o, u; the exact analyser then folds ä, ö, ü, ß and accents the same way."""
    return text.lower().replace("ae", "a").replace("oe", "o").replace("ue", "u")


STOP_TERMS = frozenset(fold_exact(word).translate(_UMLAUTS) for word in STOP)


class Terms(NamedTuple):
    """A text as the index holds it: blank-separated terms of the three analyses. Stems leave out the stop words; in
    `exact` the parts of identifiers come after the text, whose words so keep their neighbours for phrases."""

    german: str
    english: str
    exact: str


class Analyses:
    """The three analyses of words, remembered per written word: a text costs one look-up per word.

    `compounds` are the words German compounds may consist of; an empty list splits nothing. The index holds terms that
    were analysed here, so index and queries cannot differ.
    """

    def __init__(self, compounds: Sequence[str]) -> None:
        self._analysers = _analysers()
        self._splitter = Splitter(compounds)
        self._known: dict[str, tuple[str, str, str]] = {}
        self._inner: dict[str, str] = {}
        self._asked: dict[tuple[str, str], list[str]] = {}

    def words(self, text: str) -> list[str]:
        """Blank-separated words of a text as `terms` wants them: encoded data dropped, endless words cut."""
        words = text.split()
        if len(text) > _LONGEST_WRITTEN and max(map(len, words), default=0) > _LONGEST_WRITTEN:
            words = [piece for word in words for piece in _cut(word)]
        return words

    def learn(self, words: set[str]) -> None:
        """Analyse the words not yet known, all in one call per analysis."""
        unknown = sorted(words - self._known.keys())
        if not unknown:
            return
        if len(self._known) + len(unknown) > _MOST_KNOWN:
            self._known.clear()
            self._inner.clear()
            unknown = sorted(words)
        inner = {w: parts for w in unknown if not (w.islower() and w.isalpha()) and (parts := inner_parts(w))}
        written = [f"{w} {inner[w]}" if w in inner else w for w in unknown]
        exact = self._pieces(EXACT, unknown)
        self._inner.update(zip(inner, self._pieces(EXACT, list(inner.values())), strict=True))
        german, english = self._pieces(GERMAN, self._split(written)), self._pieces(ENGLISH, written)
        self._known.update(
            (word, ("", "", x) if x in STOP_TERMS else (de, en, x))
            for word, de, en, x in zip(unknown, german, english, exact, strict=True)
        )

    def _split(self, written: list[str]) -> list[str]:
        """Words with their compounds split."""
        split = self._splitter.split
        return [" ".join(split(w.lower())) if w.isalpha() else _WORD.sub(self._parts_of, w) for w in written]

    def _parts_of(self, word: re.Match[str]) -> str:
        return " ".join(self._splitter.split(word[0].lower()))

    def _pieces(self, name: str, written: list[str]) -> list[str]:
        """The terms of each of some words, blank-separated."""
        text = f" {_FENCE} ".join(written)
        found: list[str] = self._analysers[name].analyze(fold_exact(text) if name == EXACT else text)
        pieces = f" {' '.join(found)} ".split(_FENCE)
        if len(pieces) != len(written):  # a word holds the fence itself
            return [" ".join(self._analysers[name].analyze(fold_exact(w) if name == EXACT else w)) for w in written]
        return [piece[1:-1] for piece in pieces]

    def terms(self, words: Sequence[str]) -> Terms:
        """The terms of learnt words."""
        if not words:
            return Terms("", "", "")
        german, english, exact = zip(*map(self._known.__getitem__, words), strict=True)
        inner = [self._inner[word] for word in words if word in self._inner]
        return Terms(" ".join(filter(None, german)), " ".join(filter(None, english)), " ".join((*exact, *inner)))

    def of(self, name: str, text: str) -> list[str]:
        """Terms of one analysis for a query word or phrase, each once, in order."""
        key = (name, text)
        found = self._asked.get(key)
        if found is None:
            if len(self._asked) >= _MOST_ASKED:
                self._asked.clear()
            parts = inner_parts(text)
            written = f"{text} {parts}" if parts else text
            if name == GERMAN:
                written = _WORD.sub(self._parts_of, written)
            terms = self._analysers[name].analyze(fold_exact(written) if name == EXACT else written)
            found = self._asked[key] = list(dict.fromkeys(terms))
        return found

    def sequence(self, text: str) -> list[str]:
        """Exact terms of a phrase, in order."""
        found: list[str] = self._analysers[EXACT].analyze(fold_exact(text))
        return found


def _analysers() -> dict[str, Any]:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    def build(*filters: Any) -> Any:
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(LONGEST_TERM))
        for each in (Filter.lowercase(), *filters):
            builder = builder.filter(each)
        return builder.build()

    return {
        GERMAN: build(Filter.stemmer("german")),
        ENGLISH: build(Filter.stemmer("english")),
        EXACT: build(Filter.ascii_fold()),
    }


def term_analyser() -> Any:
    """The analyser of the index's text fields, to be registered as "terms" after every open: terms come analysed."""
    from tantivy import TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.whitespace()).build()


def _cut(word: str) -> list[str]:
    if len(word) <= _LONGEST_WRITTEN:
        return [word]
    if _ENCODED.fullmatch(word):
        return []
    return [word[i : i + _LONGEST_WRITTEN] for i in range(0, len(word), _LONGEST_WRITTEN)]


def inner_parts(text: str) -> str:
    """Parts of the CamelCase words, labelled numbers ("srv01") and versions ("v1.2") of a text, space-separated.

    They are indexed after their word, which is so found whole and in parts. At most 500 parts.
    """
    words: dict[str, None] = {}
    end = -1
    for match in _INNER.finditer(text):
        if match.start() < end:
            continue
        start = match.start()
        while start and text[start - 1].isalnum():
            start -= 1
        found = _VERSION.match(text, start) or _PART.match(text, start)
        end = found.end() if found else match.end()
        if end - start <= LONGEST_TERM:
            words[text[start:end]] = None
        if len(words) > _MOST_PARTS:
            break
    return " ".join([part for word in words for part in _split_word(word)][:_MOST_PARTS])


def _split_word(word: str) -> list[str]:
    """Parts of a word with inner capitals or a number after a label, the number of a version; else nothing."""
    if _VERSION.fullmatch(word):
        return [word[1:]]
    parts = _HUMP_PARTS.findall(word)
    if len(parts) < 2 or word[0].isdigit() or "".join(parts) != word:
        return []
    return parts if any(len(p) > 2 for p in parts) or word[-2:].isdigit() else []


class Unit(NamedTuple):
    """One thing a query asks for: a word, or an identifier whose words follow each other in the text."""

    words: tuple[str, ...]
    stop: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def neutral(self) -> bool:
        """Whether it is the same in every language: an identifier, or letters and digits mixed."""
        word = self.words[0]
        return len(self.words) > 1 or not (word.isalpha() or word.isdigit())


def units(text: str, asking: frozenset[str] = frozenset()) -> list[Unit]:
    """What a query text asks for, in order, each once, stop words out unless nothing else remains; so are folded words
    that are only `asking`.

    A plain word is one unit. An identifier (version, path, address, error code) gives a unit for the whole, whose
    words must follow each other, and one for each of its words. Hyphenated words are only their words.
    """
    found: dict[tuple[str, ...], Unit] = {}
    for match in _UNIT.finditer(nfc(text)):
        written = match[0]
        if _VERSION.fullmatch(written):
            written = written[1:]  # "v2.4.1" is indexed as "2.4.1" too
        words = [w for w in _PART.findall(written) if len(w) <= LONGEST_TERM]
        if len(words) > 1 and _is_identifier(written):
            whole = tuple(words)
            found.setdefault(tuple(map(fold, whole)), Unit(whole))
            words = [w for w in words if len(w) > 1] or words
        for word in words:
            for each in (word, *(p for p in _split_word(word) if len(p) > 1)):
                found.setdefault((fold(each),), Unit((each,), each.lower() in STOP or fold(each) in asking))
    kept = [unit for unit in found.values() if not unit.stop]
    return kept or list(found.values())


def _is_identifier(written: str) -> bool:
    if any(c in written for c in "@_\\#") or any(c.isdigit() for c in written):
        return True
    return "." in written or written.count("/") > 1


def marks(text: str, query: str) -> list[tuple[int, int]]:
    """Character ranges of the words of `text` that match words of the query, by stems of both languages."""
    from brain_assets.text.words import stem

    def forms(word: str) -> set[str]:
        return {fold(word), stem(word, "de"), stem(word, "en")}

    wanted = {form for unit in units(query) for word in unit.words for form in forms(word)}
    return [m.span() for m in _PART.finditer(text) if wanted.intersection(forms(m[0]))]
