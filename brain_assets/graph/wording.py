"""The words of a statement as comparable terms, and how near two terms are, across the two languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from brain_assets.graph.concepts import phrases_by_first_word, table
from brain_assets.text.words import LONGEST_COMPOUND, STOP, fold, stem

_TOKEN = re.compile(r"`[^`\n]+`|\w+(?:[-/&.:@\\]\w+)*-?", re.UNICODE)
LIGHT = frozenset(
    """sein ist sind war waren wird werden wurde wurden haben hat gibt geben geht gehen kommt kommen steht stehen liegt
    liegen läuft laufen macht machen bleibt bleiben beträgt betragen lässt lassen heißt heißen nimmt nehmen stellt
    stellen findet statt stattfinden bekommt bekommen erhält erhalten nutzt nutzen verwendet verwenden hält halten
    muss müssen soll sollen kann können darf dürfen mag möchte will wollen bitte danach zuerst anschließend derzeit
    aktuell heute sofort weiter weiterhin bereits schon jeweils insgesamt etwa rund höchstens mindestens spätestens
    jede jeder jedes alle uhr nr neue neuer neues neuen ganze ganzen eigene eigener eigenen eigenes hausintern person
    personen leute mal mehr weniger vor nach run runs running use uses used using take takes place get gets got give
    go goes come make makes made put set see look keep live lives stay stays remain remains need needs please then
    first currently today now still already least most per every each all own new whole local local_time time people
    person thing things way currently must may might shall should would could one two""".split()
)


_PEOPLE = frozenset(("=employee", "=user", "=colleague", "=people"))
NUMBER_WORDS = frozenset(
    """zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend one two three four five
    six seven eight nine ten eleven twelve twenty thirty hundred thousand januar februar märz april mai juni juli august
    september oktober november dezember january february march may june july october december""".split()
)


class WordSimilarity(Protocol):
    """How near two words are in meaning, 0…1, whatever their language."""

    def __call__(self, a: str, b: str) -> float: ...


@dataclass(frozen=True, slots=True)
class Term:
    """One meaningful word: `keys` are its concepts or stems (the parts of a compound), `name` marks an identifier.

    `noun` is what it looks like: a capitalised German word, or an English one without the ending of a verb or adverb.
    """

    text: str
    keys: frozenset[str]
    name: bool = False
    light: bool = False
    noun: bool = True
    folded: str = ""
    sound: str = ""

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, ...]:
        return _kept, (self.text, self.keys, self.name, self.light, self.noun, self.folded, self.sound)

    @property
    def weight(self) -> float:
        """How much it tells of what a statement is about."""
        if self.light:
            return 0.1
        if self.keys <= _PEOPLE:
            return 0.4
        return 1.3 if self.name else 1.0 if self.noun else 0.5


@lru_cache(maxsize=200_000)
def _kept(text: str, keys: frozenset[str], name: bool, light: bool, noun: bool, folded: str, sound: str) -> Term:
    """One object for equal terms, when they are unpacked."""
    return Term(text, keys, name, light, noun, folded, sound)


@lru_cache(maxsize=100_000)
def keys_of(word: str) -> frozenset[str]:
    """Concepts of a word, else its stem; a compound gives those of its parts ("Druckertreiber" → printer, driver)."""
    words = table()[0]
    low = word.lower()
    for form in (fold(low), stem(low, "de"), stem(low, "en")):
        if form in words:
            return frozenset((words[form],))
    parts = [p for p in re.split(r"[-/&_]", low) if len(p) > 1]
    if len(parts) > 1:
        return frozenset(k for p in parts if p not in STOP for k in keys_of(p)) or frozenset((fold(low),))
    split = _split_compound(low, words)
    return split or frozenset((_plain_stem(low),))


def _plain_stem(word: str) -> str:
    """One stem for either language: the German one for words that look German, else the English one."""
    german, english = stem(word, "de"), stem(word, "en")
    return german if len(german) <= len(english) else english


def _split_compound(word: str, words: Mapping[str, str]) -> frozenset[str] | None:
    if not 9 <= len(word) <= LONGEST_COMPOUND:
        return None
    for cut in range(len(word) - 4, 3, -1):
        head, tail = word[:cut], word[cut:]
        tail_key = words.get(fold(tail)) or words.get(stem(tail, "de"))
        if tail_key is None or len(tail) < 4:
            continue
        for joint in ("", "s", "es", "n", "en", "e"):
            if joint and not head.endswith(joint):
                continue
            base = head[: len(head) - len(joint)] if joint else head
            if len(base) >= 3 and (key := words.get(fold(base)) or words.get(stem(base, "de"))):
                return frozenset((key, tail_key))
    for cut in range(4, len(word) - 3):
        head, tail = word[:cut], word[cut:]
        if len(tail) >= 5 and (key := words.get(fold(tail)) or words.get(stem(tail, "de"))):
            return frozenset((key, _plain_stem(head)))
    return None


def terms(text: str, *, skip: Sequence[tuple[int, int]] = (), german: bool | None = None) -> tuple[Term, ...]:
    """Meaningful words of a text, each once, in order, leaving out the spans in `skip` (values).

    A hyphenated word gives its parts, an identifier stays whole.
    """
    german = looks_german(text) if german is None else german
    if skip:
        chars = list(text)
        for start, end in skip:
            chars[start:end] = " " * (end - start)
        text = "".join(chars)
    found = _phrases(text, german)
    if found:
        chars = list(text)
        for start, term in found:
            chars[start : start + len(term.text)] = " " * len(term.text)
        text = "".join(chars)
    out: dict[str, tuple[int, Term]] = {}
    for at, term in found:
        out.setdefault(term.text.lower(), (at, term))
    for match in _TOKEN.finditer(text):
        at, token = match.start(), match[0]
        code = token[0] == "`"
        if code or "-" in token:
            token = token.strip("`")
            parts = token.split() if code else _HYPHEN.split(token) if not _IDENTIFIER.search(token) else [token]
        else:
            parts = [token]
        for word in parts:
            term_ = _term(word, code, german, at == 0)
            if term_ is not None:
                out.setdefault(term_.text.lower(), (at, term_))
    if found:
        return tuple(term for _, term in sorted(out.values(), key=lambda x: x[0]))
    return tuple([term for _, term in out.values()])


def are_two(one: str, other: str) -> bool:
    """Whether two English words that stand together are two meaningful words, and no phrase with a meaning of its
    own."""
    x, y = _term(one, False, False, False), _term(other, False, False, False)
    if x is None or y is None or x.light or y.light:
        return False
    return one.lower() != other.lower() and f"{one} {other}".lower() not in table()[1]


_HYPHEN, _IDENTIFIER = re.compile("-"), re.compile(r"\d|[._/@]")


def _phrases(text: str, german: bool) -> list[tuple[int, Term]]:
    """Words that mean one thing together, with their places."""
    by_first = phrases_by_first_word()
    if by_first.keys().isdisjoint(_LETTERS.findall(text.lower())):
        return []
    known = table()[1]
    out: list[tuple[int, Term]] = []
    end = 0
    for word in _LETTERS.finditer(text):
        pattern = by_first.get(word[0].lower())
        match = pattern.match(text, word.start()) if pattern is not None and word.start() >= end else None
        if match is not None:
            folded, end = fold(match[0]), match.end()
            noun = not german or match[0][0].isupper()
            keys = frozenset((known[match[0].lower()],))
            out.append((match.start(), Term(match[0], keys, noun=noun, folded=folded, sound=_sound(folded))))
    return out


_GERMAN_WORDS = frozenset(
    "der die das des dem den und ist sind wird werden nicht für mit auf von im am zum zur bei nach über".split()
)
_ENGLISH_WORDS = frozenset("the of is are and to for with not no on at by must has have a an it this".split())
_LETTERS = re.compile(r"\w+")
_UMLAUT = re.compile(r"[äöüß]")
_VERBAL = re.compile(r"(?:ly|ed|ing|ise|ize|ify)$")


def looks_german(text: str) -> bool:
    """Whether one sentence is German, by its function words and umlauts."""
    return sum(map(_leaning, _LETTERS.findall(text))) >= 0


@lru_cache(maxsize=100_000)
def _leaning(word: str) -> int:
    """How much one word speaks for German, negative for English."""
    low = word.lower()
    if low in _GERMAN_WORDS or low.startswith(("kein", "ein")):
        return 1
    return -1 if low in _ENGLISH_WORDS else len(_UMLAUT.findall(low))


@lru_cache(maxsize=200_000)
def _term(word: str, code: bool, german: bool, first: bool) -> Term | None:
    bare = word.strip("-.:/\\*_")
    low = bare.lower()
    if len(low) < 2 or low in STOP or low in NUMBER_WORDS or low.isdigit():
        return None
    keys = keys_of(bare)
    known = any(k.startswith("=") for k in keys)
    name = code or (not known and bool(re.search(r"\d|[a-z][A-Z]|[A-Z]{2}|\w[_.:]\w", bare)))
    noun = bare[0].isupper() and not (first and bare[-2:] in ("en", "te")) if german else not _VERBAL.search(low)
    folded = fold(bare)
    return Term(bare, keys, name=name, light=low in LIGHT, noun=noun or name, folded=folded, sound=_sound(folded))


def similarity(a: Term, b: Term, words: WordSimilarity | None = None) -> float:
    """How near two terms are, 0…1: equal concepts 1, shared parts of a compound by their share, else word vectors.

    Two compounds with one head and different modifiers (Haupteingang, Seiteneingang) are different things.
    """
    key = (a.text, b.text, a.name or b.name)
    value = _by_rule.get(key)
    if value is None:
        if len(_by_rule) >= _RULES_KEPT:
            _by_rule.clear()
        value = _by_rule[key] = _rule(a, b)
    if value >= 0:
        return value
    if words is None:
        return 0.0
    return max(0.0, min(1.0, (words(a.text, b.text) - 0.5) / 0.28))


_by_rule: dict[tuple[str, str, bool], float] = {}
_RULES_KEPT = 1_000_000
_ASK_VECTORS = -1.0


def _rule(a: Term, b: Term) -> float:
    """What spelling and the bilingual table say; _ASK_VECTORS where they say nothing."""
    if a.keys == b.keys:
        return 1.0
    x, y = a.folded, b.folded
    if x[-5:] == y[-5:]:
        if siblings(x, y):
            return 0.2
        if min(len(x), len(y)) >= 5 and abs(len(x) - len(y)) >= 3 and (x.endswith(y) or y.endswith(x)):
            return 0.75
    if not a.keys.isdisjoint(b.keys):
        shared = a.keys & b.keys
        one_more = a.keys > shared and b.keys > shared
        return 0.3 if one_more else 0.55 + 0.4 * len(shared) / max(len(a.keys), len(b.keys))
    if a.name or b.name:
        return 0.0
    if x.startswith("ge") != y.startswith("ge") and inflected(x.removeprefix("ge"), y.removeprefix("ge")):
        return 0.9
    if a.sound[:4] == b.sound[:4] and (inflected(x, y) or cognates(a.sound, b.sound)):
        return 0.9
    return 0.0 if a.light or b.light else _ASK_VECTORS


_INFLECTION = frozenset(
    " e en er es em s n ern t te st ung ungen eit keit lich isch ig ed d ing ion ions al ly y ies et ter tes "
    "tem ten".split(" ")
)


def inflected(x: str, y: str) -> bool:
    """Whether two folded words are one stem with different endings."""
    prefix = _common_prefix(x, y)
    return (
        prefix >= min(5, max(3, len(x) - 2, len(y) - 2))
        and prefix >= 0.6 * max(len(x), len(y))
        and x[prefix:] in _INFLECTION
        and y[prefix:] in _INFLECTION
    )


_SOUNDS = ((re.compile(r"ph"), "f"), (re.compile(r"th"), "t"), (re.compile(r"[cqz]"), "k"), (re.compile(r"y"), "i"),
           (re.compile(r"(.)\1"), r"\1"), (re.compile(r"(?:en|es|e|s|n|t)$"), ""))  # fmt: skip


@lru_cache(maxsize=100_000)
def _sound(word: str) -> str:
    for pattern, by in _SOUNDS:
        word = pattern.sub(by, word)
    return word


def cognates(a: str, b: str) -> bool:
    """Whether two words, as they sound, are one in two spellings: Sekretariat, secretariat; Zertifikat, certificate."""
    shorter, longer = sorted((len(a), len(b)))
    return shorter >= 4 and (a == b or _common_prefix(a, b) >= max(5, 0.75 * longer))


def siblings(x: str, y: str) -> bool:
    """Whether two folded words are compounds with one head and different modifiers."""
    if x == y or min(len(x), len(y)) < 8:
        return False
    tail = _common_prefix(x[::-1], y[::-1])
    head = _common_prefix(x, y)
    return tail >= 5 and min(len(x), len(y)) - tail >= 3 and head < 3


def _common_prefix(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
