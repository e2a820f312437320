"""The words of a statement as comparable terms, and how near two terms are, across the two languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from brain_assets.graph.concepts import table
from brain_assets.text.words import STOP, fold, stem

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


class WordSimilarity(Protocol):
    """How near two words are in meaning, 0…1, whatever their language."""

    def __call__(self, a: str, b: str) -> float: ...


@dataclass(frozen=True, slots=True)
class Term:
    """One meaningful word: `keys` are its concepts or stems (the parts of a compound), `name` marks an identifier."""

    text: str
    keys: frozenset[str]
    name: bool = False
    light: bool = False

    @property
    def weight(self) -> float:
        return 0.25 if self.light else 1.3 if self.name else 1.0


@lru_cache(maxsize=100_000)
def keys_of(word: str) -> frozenset[str]:
    """Concepts of a word, else its stem; a compound gives the keys of its parts ("Druckertreiber" → printer, driver)."""
    words, _, _ = table()
    low = word.lower()
    for form in (stem(low, "de"), stem(low, "en"), fold(low)):
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
    if len(word) < 9:
        return None
    for cut in range(len(word) - 4, 3, -1):
        head, tail = word[:cut], word[cut:]
        tail_key = words.get(stem(tail, "de")) or words.get(fold(tail))
        if tail_key is None or len(tail) < 4:
            continue
        for joint in ("", "s", "es", "n", "en", "e"):
            if joint and not head.endswith(joint):
                continue
            base = head[: len(head) - len(joint)] if joint else head
            if len(base) >= 3 and (key := words.get(stem(base, "de")) or words.get(fold(base))):
                return frozenset((key, tail_key))
    for cut in range(4, len(word) - 3):
        head, tail = word[:cut], word[cut:]
        if len(tail) >= 5 and (key := words.get(stem(tail, "de")) or words.get(fold(tail))):
            return frozenset((key, _plain_stem(head)))
    return None


def terms(text: str, *, skip: Sequence[tuple[int, int]] = ()) -> tuple[Term, ...]:
    """Meaningful words of a text, each once, in order, leaving out the spans in `skip` (values)."""
    _, phrases, pattern = table()
    chars = list(text)
    for start, end in skip:
        chars[start:end] = " " * (end - start)
    masked = "".join(chars)
    out: dict[frozenset[str], Term] = {}
    for match in pattern.finditer(masked):
        keys = frozenset((phrases[match[0].lower()],))
        out.setdefault(keys, Term(match[0], keys))
        chars[match.start() : match.end()] = " " * (match.end() - match.start())
    for match in _TOKEN.finditer("".join(chars)):
        token = match[0].strip("`")
        for word in token.split() if " " in token else (token,):
            term = _term(word, code=match[0].startswith("`"))
            if term is not None:
                out.setdefault(term.keys, term)
    return tuple(out.values())


def _term(word: str, *, code: bool) -> Term | None:
    bare = word.strip("-.:/\\")
    low = bare.lower()
    if len(low) < 2 or low in STOP or low.isdigit():
        return None
    keys = keys_of(bare)
    known = any(k.startswith("=") for k in keys)
    name = code or (not known and bool(re.search(r"\d|[a-z][A-Z]|[A-Z]{2}|\w[_.:]\w", bare)))
    return Term(bare, keys, name=name, light=low in LIGHT)


def similarity(a: Term, b: Term, words: WordSimilarity | None = None) -> float:
    """How near two terms are, 0…1: equal concepts 1, shared parts of a compound by their share, else word vectors."""
    shared = a.keys & b.keys
    if shared:
        return 1.0 if a.keys == b.keys else 0.55 + 0.4 * len(shared) / max(len(a.keys), len(b.keys))
    if a.name != b.name or a.name:
        return 0.0
    prefix = _common_prefix(fold(a.text), fold(b.text))
    if prefix >= 5 and prefix >= 0.7 * max(len(a.text), len(b.text)):
        return 0.85
    if words is None or a.light or b.light:
        return 0.0
    return max(0.0, min(1.0, (words(a.text, b.text) - 0.5) / 0.3))


def _common_prefix(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n


def best(term: Term, others: Iterable[Term], words: WordSimilarity | None = None) -> float:
    """The nearest of the others."""
    return max((similarity(term, o, words) for o in others), default=0.0)
