"""What a question is about: its codes, names and words with their weights, and how much of that a text speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from brain_assets.research import lexicon
from brain_assets.research.lexicon import Form
from brain_assets.text import words

Kind = Literal["code", "name", "number", "word"]
_WEIGHTS: dict[Kind, float] = {"code": 3.0, "name": 2.0, "number": 1.5, "word": 1.0}
_GENERIC_WEIGHT = 0.2
_ASIDE_WEIGHT = 0.35
MAX_CONCEPTS = 12

CODE = re.compile(
    r"(?<![\w./-])(?:0x[0-9A-Fa-f]{2,16}|[A-Za-z]{1,8}[-_]?\d{2,8}[A-Za-z]?|\d{1,4}[A-Fa-f][0-9A-Fa-f]{1,6}|[A-Z]{2,8}-[A-Z]*\d{1,8}"
    r"|\d{3}\.\d{1,3}[A-Z]?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{2}\d{6,8})(?![\w/])"
)
MIXED = re.compile(r"(?<![\w@./-])(?:[A-Z]?[a-z0-9]+[A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z]+[A-Za-z0-9]*)(?![\w@/])")
COMMAND = re.compile(r"`([^`\n]{2,120})`")
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,6}(?:[.,]\d+)*(?![\w/-])")
_PARTICLES = frozenset(
    "ab an auf aus bei ein fest frei frei her hin hoch los mit nach neu um vor weg weiter wieder zu zurück zusammen "
    "durch über unter herunter hinunter ein heraus hinzu".split()
)
_IRREGULAR = {
    "gibt": "geben", "nimmt": "nehmen", "lässt": "lassen", "hält": "halten", "läuft": "laufen", "stößt": "stoßen",
    "fährt": "fahren", "wirft": "werfen", "liest": "lesen", "trägt": "tragen", "lädt": "laden", "bricht": "brechen",
    "spricht": "sprechen", "schlägt": "schlagen", "sieht": "sehen", "zieht": "ziehen", "fällt": "fallen",
    "löst": "lösen", "setzt": "setzen", "stellt": "stellen", "richtet": "richten", "schaltet": "schalten",
    "legt": "legen", "hebt": "heben", "bindet": "binden", "meldet": "melden", "führt": "führen", "spielt": "spielen",
    "baut": "bauen", "fügt": "fügen", "geht": "gehen", "tritt": "treten", "kommt": "kommen", "tauscht": "tauschen",
    "druckt": "drucken", "räumt": "räumen", "misst": "messen", "vergisst": "vergessen", "hängt": "hängen",
}  # fmt: skip
_GENERIC_WORDS = """
    befehl kommando fehler problem fehlermeldung meldung schritt vorgehen anleitung lösung behebung abhilfe tun machen
    gehen geht einzelne einzelnen konkret genau genauer ganz immer insbesondere besonders vor allem fall falls thema
    frage antwort information hinweis art weise möglich hilft helfen gilt gelten gibt geben ding sache störung überblick
    dann sonst danach dabei dafür erkennt erkennen behoben beheben bedeuten bedeutet heißt team gerät wenn lässt lassen
    lange viel viele oft richtig
    command error problem message issue step procedure guide solution fix fixed resolve solve do done make go exactly
    detail details especially particular case topic question answer information note way possible help helps mean means
    get use used work works fault overview then else team device long many much often right correctly properly"""
_GENERIC = frozenset(words.stem(w, language) for w in _GENERIC_WORDS.split() for language in ("de", "en"))


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing a question speaks of. A text has it when it has one of `forms` (stems) or, for codes, the code."""

    text: str
    kind: Kind
    weight: float
    forms: frozenset[Form] = field(default=frozenset())


def of(question: str, language: str) -> tuple[Concept, ...]:
    """The concepts of a question, heaviest first, at most MAX_CONCEPTS.

    What stands after a colon or semicolon weighs little when the question before it is complete ("How is X fixed: …").
    """
    main, aside = _halves(question)
    found: dict[str, Concept] = {}
    for text, share in ((main, 1.0), (aside, _ASIDE_WEIGHT)):
        for concept in _concepts(text, language):
            key = plain_code(concept.text) if concept.kind == "code" else words.fold(concept.text)
            if key not in found:
                found[key] = Concept(concept.text, concept.kind, concept.weight * share, concept.forms)
    return tuple(sorted(found.values(), key=lambda c: (-c.weight, question.find(c.text))))[:MAX_CONCEPTS]


def name(text: str, weight: float = _WEIGHTS["name"]) -> Concept:
    """A product's name as a concept."""
    return Concept(text, "name", weight, lexicon.forms(text, "en"))


def _halves(question: str) -> tuple[str, str]:
    for separator in (";", ":"):
        head, found, tail = question.partition(separator)
        if found and any(c.weight >= 1 for c in _concepts(head, "de")):
            return head, tail
    return question, ""


@lru_cache(maxsize=2_000)
def _concepts(text: str, language: str) -> tuple[Concept, ...]:
    out: list[Concept] = []
    rest = text
    for match in COMMAND.finditer(text):
        out.append(Concept(match[1], "code", _WEIGHTS["code"]))
        rest = rest.replace(match[0], " ", 1)
    for match in CODE.finditer(rest):
        out.append(Concept(match[0], "code", _WEIGHTS["code"]))
    rest = CODE.sub(" ", rest)
    for match in MIXED.finditer(rest):
        out.append(name(match[0], _WEIGHTS["code"] if len(match[0]) > 8 else _WEIGHTS["name"]))
    rest = MIXED.sub(" ", rest)
    out.extend(Concept(m[0], "number", _WEIGHTS["number"]) for m in _NUMBER.finditer(rest))
    rest = _NUMBER.sub(" ", rest)
    for word, weight in _words(rest, language):
        out.append(Concept(word, "word", weight, _forms(word, language)))
    return tuple(out)


def _forms(word: str, language: str) -> frozenset[Form]:
    found = set(lexicon.forms(word, language))
    pieces = lexicon.parts(word) if language == "de" else ()
    if pieces and not lexicon.meanings(word, language):
        # A compound is also said in several words, in either language: every part in some form.
        german = tuple(words.stem(piece, "de") for piece in pieces)
        english = [lexicon.translate(piece, "de") for piece in pieces]
        found.add(german)
        if all(english):
            found |= {
                (*lexicon.form(first, "en"), *lexicon.form(last, "en"))
                for first in english[0][:3] for last in english[-1][:3]
            }  # fmt: skip
    return frozenset(found)


def _words(text: str, language: str) -> list[tuple[str, float]]:
    """Content words with weights; separable German verbs put together ("schaltet … ab" → `abschalten`)."""
    tokens = words.tokens(text)
    out: list[tuple[str, float]] = []
    clauses = re.split(r"[,;.?!]", re.sub(r"\([^()]*\)", " ", text))
    joined: dict[str, str] = {}
    if language == "de":
        for clause in clauses:
            inner = words.tokens(clause)
            if len(inner) > 2 and inner[-1].lower() in _PARTICLES:
                verb = next((t for t in inner if t.lower() in _IRREGULAR or re.fullmatch(r"[a-zäöüß]{3,}e?t", t)), None)
                if verb:
                    stem = _IRREGULAR.get(verb.lower()) or verb.lower().removesuffix("t").removesuffix("e") + "en"
                    joined[verb] = inner[-1].lower() + stem
    for token in tokens:
        if token in joined:
            out.append((joined[token], 0.9))
            continue
        lower = token.lower()
        if lower in words.STOP or len(token) < 2 or lower in _PARTICLES:
            continue
        if words.stem(token, language) in _GENERIC:
            out.append((token, _GENERIC_WEIGHT))
        elif language == "de" and token[0].islower():
            out.append((token, 0.8))
        else:
            out.append((token, _WEIGHTS["word"]))
    return out


def plain_code(code: str) -> str:
    """A code without what people leave out: case, `0x`, hyphens, underscores, spaces."""
    return re.sub(r"[\s_-]", "", code.lower()).removeprefix("0x")


class Text:
    """A text prepared for asking which concepts it has."""

    __slots__ = ("_codes", "_stems", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._stems: frozenset[str] = _stems(raw)
        self._codes: frozenset[str] = frozenset(plain_code(m) for m in re.findall(r"[\w-]+", raw))

    def has(self, concept: Concept) -> bool:
        if concept.kind == "code":
            code = plain_code(concept.text)
            if " " in concept.text:
                return words.fold(concept.text) in words.fold(self.raw)
            return code in self._codes
        if concept.kind == "number":
            return bool(re.search(rf"(?<![\w.,]){re.escape(concept.text)}(?![\w])", self.raw))
        return any(self._stems.issuperset(form) for form in concept.forms)


@lru_cache(maxsize=4_000)
def _stems(text: str) -> frozenset[str]:
    out: set[str] = set()
    for token in set(words.tokens(text)):
        pieces = re.split(r"[.:/@_-]", token)
        for piece in {token, *pieces}:
            if len(piece) > 1:
                out |= {words.fold(piece), words.stem(piece, "de"), words.stem(piece, "en")}
        for part in lexicon.parts(token):
            out |= {part, words.stem(part, "de")}
    return frozenset(out)


def coverage(concepts: Iterable[Concept], text: Text) -> float:
    """Share, by weight, of the concepts a text has: 0..1; 0 without concepts."""
    items = list(concepts)
    total = sum(c.weight for c in items)
    return sum(c.weight for c in items if text.has(c)) / total if total else 0.0
