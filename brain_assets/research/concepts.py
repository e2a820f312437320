"""What a question is about: its codes, names and words with their weights, and how much of that a text speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from brain_assets.research import lexicon
from brain_assets.research.lexicon import Form
from brain_assets.text import words

Kind = Literal["code", "name", "number", "word"]
_WEIGHTS: dict[Kind, float] = {"code": 3.0, "name": 2.0, "number": 1.5, "word": 1.0}
_GENERIC_WEIGHT = 0.2
_CLAUSE_WEIGHT = 0.6
_ASIDE_WEIGHT = 0.35
_PART_SHARE, _ALL_PARTS = 0.6, 0.85
_INSTRUMENT_WEIGHT, _INSISTING_WEIGHT = 2.0, 1.5
_INSTRUMENT = re.compile(
    r"\b(?:per|mittels|mithilfe|via|using|by means of)\s+(?:der|des|dem|einer|eines|a|an|the)?\s*([\w-]+)", re.I
)
_INSISTING = frozenset("dauerhaft permanent permanently automatisch automatically offline remote".split())
_SUBORDINATE = re.compile(
    r",? (?:dass|that|wenn|falls|weil|da|ohne dass|ohne|damit|sodass|so dass|nachdem|bevor|obwohl|if|when|because|"
    r"without|so that|after|before|although|while)\b",
    re.IGNORECASE,
)
MAX_CONCEPTS = 12

CODE = re.compile(
    r"(?<![\w./-])(?:0x[0-9A-Fa-f]{2,16}|[A-Za-z]{1,8}[-_]?\d{2,8}[A-Za-z]?|\d{1,4}[A-Fa-f][0-9A-Fa-f]{1,6}|[A-Z]{2,8}-[A-Z]*\d{1,8}"
    r"|\d{3}\.\d{1,3}[A-Z]?|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[A-Z]{2}\d{6,8})(?![\w/])"
)
MIXED = re.compile(r"(?<![\w@./-])(?:[A-Z]?[a-z0-9]+[A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z]+[A-Za-z0-9]*)(?![\w@/])")
COMMAND = re.compile(r"`([^`\n]{2,120})`")
_ALIAS = re.compile(r"((?:[\w-]+ )?[\w-]+) \(([A-Za-zÄÖÜäöüß][\w -]{2,60})\)")
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,6}(?:[.,]\d+)*(?![\w/-])")
_PARTICLES = frozenset(
    "ab an auf aus bei ein fest frei frei her hin hoch los mit nach neu um vor weg weiter wieder zu zurück zusammen "
    "durch über unter herunter hinunter ein heraus hinzu fehl statt teil".split()
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
    befehl kommando fehler problem fehlermeldung meldung schritt vorgehen anleitung lösung behebung abhilfe tun
    machen gehen geht einzelne einzelnen konkret genau genauer ganz immer insbesondere besonders vor allem fall
    falls thema frage antwort information hinweis art weise möglich hilft helfen gilt gelten gibt geben ding
    sache störung überblick dann sonst danach dabei dafür erkennt erkennen behoben beheben behebt passt bedeuten bedeutet
    heißt team gerät wenn lässt lassen lange viel viele oft richtig ursache grund bleiben bleibt gelangen kommen
    bekommen erhalten melden meldet kollege kollegin mitarbeiter person leute nutzer stehen liegen zeigen zeigt
    zustand status stand können müssen sollen dürfen darf mehrere einige
    command error problem message issue step procedure guide solution fix fixed resolve solve do done make go
    exactly detail details especially particular case topic question answer information note way possible help
    helps mean means get use used work works fault overview then else team device long many much often right
    correctly properly cause causes reason one only single colleague person people user stay get become show
    shows state status need several some may must can should
    """
_GENERIC = frozenset(words.stem(w, language) for w in _GENERIC_WORDS.split() for language in ("de", "en"))


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing a question speaks of. A text has it when it has one of `forms` (stems) or, for codes, the code.

    `parts` are the pieces of a compound, each in its forms: a text that has some of them speaks of it in part.
    """

    text: str
    kind: Kind
    weight: float
    forms: frozenset[Form] = field(default=frozenset())
    parts: tuple[frozenset[Form], ...] = field(default=())


def of(question: str, language: str) -> tuple[Concept, ...]:
    """The concepts of a question, heaviest first, at most MAX_CONCEPTS.

    What stands after a colon or semicolon weighs little when the question before it is complete ("How is X fixed: …"),
    and a subordinate clause ("…, if the sender …") less than the main one.
    """
    main, aside = _halves(question)
    main, condition = _clauses(main)
    found: dict[str, Concept] = {}
    for text, share in ((main, 1.0), (condition, _CLAUSE_WEIGHT), (aside, _ASIDE_WEIGHT)):
        for concept in _concepts(text, language):
            key = plain_code(concept.text) if concept.kind == "code" else words.fold(concept.text)
            if key not in found:
                weight = concept.weight * (1.0 if concept.kind == "code" else share)
                found[key] = replace(concept, weight=weight)
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


def _clauses(question: str) -> tuple[str, str]:
    match = _SUBORDINATE.search(question)
    if match and any(c.weight >= 0.8 for c in _concepts(question[: match.start()], "de")):
        return question[: match.start()], question[match.start() :]
    return question, ""


@lru_cache(maxsize=2_000)
def _concepts(text: str, language: str) -> tuple[Concept, ...]:
    out: list[Concept] = []
    rest = text
    for match in _ALIAS.finditer(text):
        phrase, alias = _content(match[1]), _content(match[2])
        if phrase and alias and not CODE.search(match[2]) and not re.search(r"\d", match[2]):
            both = frozenset(
                lexicon.form(" ".join(said), tongue) for said in (phrase, alias) for tongue in ("de", "en")
            )
            out.append(Concept(" ".join(alias), "name", _WEIGHTS["name"], both))
            rest = rest.replace(match[0], " ", 1)
    for match in COMMAND.finditer(rest):
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
        out.append(Concept(word, "word", weight, _forms(word, language), _parts(word, language)))
    return tuple(out)


def _parts(word: str, language: str) -> tuple[frozenset[Form], ...]:
    pieces = lexicon.parts(word) if language == "de" or "-" in word else ()
    return tuple(lexicon.forms(piece, language) for piece in pieces)


def _content(phrase: str) -> list[str]:
    return [t for t in words.content_words(phrase) if words.stem(t, "de") not in _GENERIC]


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
    """Content words with weights; separable German verbs put together ("schaltet … ab" → `abschalten`).

    A verb that is not in the lexicon with its particle keeps both readings ("kalibriert … neu").
    """
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
                    before = inner[-2].lower() if inner[-2].lower() == "wieder" else ""
                    together = before + inner[-1].lower() + stem
                    joined[verb] = together if lexicon.known(together) or not lexicon.known(stem) else stem
    by = {match[1] for match in _INSTRUMENT.finditer(text)}
    for token in tokens:
        if token in by:
            out.append((token, _INSTRUMENT_WEIGHT))
            continue
        if token.lower() in _INSISTING:
            out.append((token, _INSISTING_WEIGHT))
            continue
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

    __slots__ = ("_codes", "_stems", "_tokens", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._tokens = _token_stems(raw)
        self._stems: frozenset[str] = frozenset().union(*self._tokens)
        self._codes: frozenset[str] | None = None

    def degree(self, concept: Concept) -> float:
        """How far a text has a concept, 0..1: wholly, or by the share of a compound's parts it has."""
        if self.has(concept):
            return 1.0
        if not concept.parts:
            return 0.0
        met = sum(any(self.says(form) for form in part) for part in concept.parts)
        return _ALL_PARTS if met == len(concept.parts) else _PART_SHARE * met / len(concept.parts)

    def has(self, concept: Concept) -> bool:
        """Whether a text has a concept in full."""
        if concept.kind == "code":
            code = plain_code(concept.text)
            if " " in concept.text:
                return words.fold(concept.text) in words.fold(self.raw)
            if self._codes is None:
                self._codes = frozenset(plain_code(m) for m in re.findall(r"[\w-]+", self.raw))
            return code in self._codes
        if concept.kind == "number":
            return bool(re.search(rf"(?<![\w.,]){re.escape(concept.text)}(?![\w])", self.raw))
        return any(self.says(form) for form in concept.forms)

    def says(self, form: Form) -> bool:
        """Whether a word stands in the text, or a phrase in its order with at most one word between its words."""
        if not self._stems.issuperset(form):
            return False
        if len(form) == 1:
            return True
        return any(form[0] in stems and self._goes_on(form, start) for start, stems in enumerate(self._tokens))

    def _goes_on(self, form: Form, start: int) -> bool:
        if self._tokens[start].issuperset(form):
            return True  # one compound
        position = start
        for stem in form[1:]:
            following = range(position, min(position + 3, len(self._tokens)))  # "one-time" is one token and two words
            found = next((n for n in following if stem in self._tokens[n]), None)
            if found is None:
                return False
            position = found
        return True


@lru_cache(maxsize=4_000)
def _token_stems(text: str) -> tuple[frozenset[str], ...]:
    return tuple(_stems(token) for token in words.tokens(text))


@lru_cache(maxsize=100_000)
def _stems(token: str) -> frozenset[str]:
    """Everything a token can be found by: folded, stemmed in both languages, its pieces and its compound's parts."""
    if token.lower() in words.STOP:
        return frozenset({lexicon.function_word(token)})
    out: set[str] = set()
    for piece in {token, *re.split(r"[.:/@_-]", token)}:
        if piece.lower() in words.STOP:
            out.add(lexicon.function_word(piece))
        elif len(piece) > 1:
            out |= {words.fold(piece), words.stem(piece, "de"), words.stem(piece, "en")}
    for part in lexicon.parts(token):
        out |= {part, words.stem(part, "de")}
    return frozenset(out)


def coverage(concepts: Iterable[Concept], text: Text) -> float:
    """Share, by weight, of the concepts a text has: 0..1; 0 without concepts."""
    items = list(concepts)
    total = sum(c.weight for c in items)
    return sum(c.weight * text.degree(c) for c in items) / total if total else 0.0
