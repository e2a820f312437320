"""From gaps to small questions, and from questions to precise queries in German and in English.

Queries are made of the gap's own words, the product names of the sources, and a bilingual word list; with a model also
of what it proposes, checked. Never of anything a page said. Addresses, host names and mailboxes of one's own network
never leave in a query.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field

from brain_assets.model.synthesis import GapQuestion
from brain_assets.research import answers, concepts, lexicon, versions
from brain_assets.research.answers import Asked
from brain_assets.research.concepts import Concept
from brain_assets.text import language as languages
from brain_assets.text import words

MAX_QUERY_WORDS = 9
VARIANTS = 4
_MAX_POSSIBLE = 12
_OWN_WORDS = 0.75
_PRODUCT_WEIGHT: dict[Asked, float] = {
    "command": 1.2, "procedure": 1.2, "remedy": 1.2, "value": 1.2, "meaning": 0.5, "cause": 0.5, "statement": 0.5,
}  # fmt: skip
"""What a general concept means is much the same for every product; how something is done is not."""
_SPLIT = re.compile(
    r",?\s+(?:und|and)\s+(?=(?:was|wie|wo|warum|woran|welche\w*|wann|what|how|where|why|which|when)\b)", re.IGNORECASE
)
_KIND_WORDS: dict[Asked, tuple[str, str]] = {
    "command": ("Befehl", "command"), "procedure": ("Anleitung", "how to"), "remedy": ("Lösung", "fix"),
    "meaning": ("Bedeutung", "meaning"), "value": ("", ""), "cause": ("Ursache", "cause"), "statement": ("", ""),
}  # fmt: skip
_FILE = re.compile(r"[\w-]+\.(?:conf|cfg|ini|ya?ml|json|xml|log|idx|db|sys|dll|exe|sh|ps1|py|service|ko|so|reg|admx)")
_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,4}){1,2}", re.IGNORECASE)
_OWN = re.compile(
    r"@|\\|/|^\d{1,3}(?:\.\d{1,3}){3}$|^[\w-]+(?:\.[\w-]+)+\.?$|^[0-9a-f:]{6,}:[0-9a-f:]*$", re.IGNORECASE
)


PROMPT_VERSION = "research_queries/1"
PROPOSAL_SYSTEM = """You write web search queries for open questions of an IT team. For each question give one precise
German and one precise English query of at most nine words. Keep error codes, product names and versions exactly as
they are. Use no search operators, no quotation marks, and nothing that names the team's own hosts or people."""


class Proposal(BaseModel):
    """A model's queries for one question."""

    question_id: str
    german: str = Field(max_length=200)
    english: str = Field(max_length=200)


class Proposals(BaseModel):
    """A model's queries for the questions of a round."""

    queries: list[Proposal] = Field(max_length=40)


@dataclass(frozen=True, slots=True)
class Question:
    """A small question of one gap. `items` are its concepts, the product's name among them; `names` the products in
    question, likeliest first; `meant` the words to compare meanings with. A gap is answered when each of its questions
    is.
    """

    id: str
    gap_id: str
    text: str
    language: str
    asked: Asked
    items: tuple[Concept, ...]
    names: tuple[str, ...] = ()
    meant: str = ""
    proposed: tuple[tuple[str, str], ...] = field(default=())

    @property
    def anchors(self) -> tuple[Concept, ...]:
        """Codes and marked names: a page that has none of them is about something else."""
        return tuple(c for c in self.items if c.kind == "code" or (c.kind == "name" and c.weight >= 2))


@dataclass(frozen=True, slots=True)
class Subject:
    """What the sources say the gaps are about: product names, the versions in use, and the names that `main`ly matter
    (in its title, terms or questions, or in half of its sources; others are only surroundings)."""

    names: tuple[str, ...] = ()
    in_use: tuple[versions.Span, ...] = ()
    main: frozenset[str] = frozenset()


def subject(title: str, terms: Sequence[str], texts: Iterable[str], gaps: Sequence[GapQuestion]) -> Subject:
    """Products and versions of a subject. Names in its title, terms or questions come first, then the commonest."""
    texts = list(texts)
    counted = versions.products([title, *terms, *texts, *(gap.question for gap in gaps)])
    stated = " ".join([title, *terms, *(gap.question for gap in gaps)])
    tokens = {words.fold(piece) for token in words.tokens(stated) for piece in (token, *token.split("-"))}
    ranked = sorted(counted, key=lambda name: (words.fold(name) not in tokens, -counted[name], name))
    names = tuple(ranked[:12])
    main = {n for n in names if words.fold(n) in tokens or counted[n] * 2 > len(texts)}
    in_use = dict.fromkeys(span for text in texts for span in versions.stated(text, names) if span.product)
    return Subject(names, tuple(in_use), frozenset(main))


def split(gap: GapQuestion, about: Subject, texts: Iterable[str]) -> list[Question]:
    """The small questions of a gap: one per question word that "and" joins; each keeps the codes of the whole."""
    text = " ".join(gap.question.split())
    language = languages.detect(text, default="de")
    whole = concepts.of(f"{gap.term} {text}" if gap.term and gap.term not in text else text, language)
    names = _names(whole, about, texts)
    product = [n for n in names[:1] if not any(words.fold(c.text) == words.fold(n) for c in whole)]
    anchors = tuple(c for c in whole if c.kind == "code" or (c.kind == "name" and c.weight >= 2))
    out = []
    parts = _SPLIT.split(text)
    for number, part in enumerate(parts):
        own = concepts.of(part, language) if len(parts) > 1 else whole
        spoken = part
        if sum(c.weight >= 0.5 for c in own) < 2 and len(parts) > 1:
            # "… and how is it removed?" speaks of what stands before it
            own, spoken = tuple(dict.fromkeys((*own, *whole))), text
        kind = answers.asked(part)
        of_product = (concepts.name(name, _PRODUCT_WEIGHT[kind]) for name in product)
        items = dict.fromkeys((*own, *(c for c in anchors if c not in own), *of_product))
        suffix = f"#{number + 1}" if len(parts) > 1 else ""
        out.append(Question(f"{gap.id}{suffix}", gap.id, part, language, kind, tuple(items), tuple(names), spoken))
    return out


def _names(items: Sequence[Concept], about: Subject, texts: Iterable[str]) -> list[str]:
    """Product names the question is about: its own, then those beside its codes in the sources, then the subject's."""
    folded = {words.fold(name): name for name in about.names}
    own = [folded[words.fold(c.text)] for c in items if words.fold(c.text) in folded]
    codes = [c for c in items if c.kind == "code"]
    texts = list(texts)
    near = [text for text in texts if any(concepts.Text(text).has(c) for c in codes)]
    rest = [n for n in about.names if n not in own]
    if not codes:
        # What one source says in these very words is about that source's products, not about its neighbours'.
        near = [text for text in texts if _speaks(concepts.Text(text), items)]
        return (own + [n for n in rest if n in about.main and (not near or _names_one(n, near))])[:3]
    close = [n for n in rest if _names_one(n, near)]
    return (own + close + ([] if near else [n for n in rest if n in about.main]))[:3]


def _speaks(text: concepts.Text, items: Iterable[Concept]) -> bool:
    """Whether a text has most words of a question of more than three: the question was made of it."""
    words_of = [c for c in items if c.kind == "word" and c.weight >= 0.3]
    return len(words_of) > 3 and sum(text.has(c) for c in words_of) >= _OWN_WORDS * len(words_of)


def _names_one(name: str, texts: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}", text) for text in texts)


def query(question: Question, language: str, variant: int) -> str:
    """A query for a question in `de` or `en`; empty when the question has no words for one.

    Variant 0 has the question's own words, 1 the kind of answer and other translations, 2 only names and codes with
    "documentation", 3 only the codes.
    """
    if variant == 0 and (proposed := [q for lang, q in question.proposed if lang == language]):
        return safe(proposed[0])
    names = [n for n in question.names[:1] if not any(words.fold(c.text) == words.fold(n) for c in question.items)]
    items = sorted(question.items, key=lambda c: question.text.find(c.text))
    codes = [c.text for c in items if c.kind in ("code", "name", "number") and not _is_product(c, question)]
    products = [c.text for c in question.items if _is_product(c, question)] or names
    plain = [c for c in items if c.kind == "word" and c.weight >= 0.5]
    spoken = [w for c in plain if (w := _said(c.text, question.language, language, min(variant, 1)))]
    kind = _KIND_WORDS[question.asked][0 if language == "de" else 1]
    if variant == 0:
        parts = [*products, *codes, *spoken, *([kind] if question.asked == "command" else [])]
    elif variant == 1:
        parts = [*products, *codes, *spoken[:3], kind]
    elif variant == 2:
        parts = [*products, *codes, *([] if codes else spoken), "Handbuch" if language == "de" else "documentation"]
    else:
        parts = [c.text for c in question.anchors]
    return safe(" ".join(dict.fromkeys(part for part in parts if part)))


def _is_product(concept: Concept, question: Question) -> bool:
    return concept.kind == "name" and concept.text in question.names


def _said(word: str, language: str, target: str, choice: int) -> str:
    """A word in the target language: itself, a translation (`choice` 1 prefers the second), or nothing.

    Without a translation only words that are the same everywhere are kept (plain ASCII, capitalised or short).
    """
    if language == target:
        return word
    spellings = (*(lexicon.lemmas(word) if language == "de" else ()), word)
    options = next((found for spelling in spellings if (found := lexicon.translate(spelling, language))), ())
    if options:
        return options[min(choice, len(options) - 1)]
    pieces = lexicon.parts(word) if language == "de" else ()
    translated = [lexicon.translate(piece, language) for piece in pieces]
    if pieces and all(translated):
        return " ".join(t[0] for t in translated)
    return word if word.isascii() and word.isupper() else ""


def safe(text: str) -> str:
    """A query without addresses, host names, paths and mailboxes, at most MAX_QUERY_WORDS words."""
    said = text.replace('"', " ").replace("`", " ").split()
    kept = [w for w in said if not _OWN.search(w) or _FILE.fullmatch(w) or _VERSION.fullmatch(w)]
    return " ".join(kept[:MAX_QUERY_WORDS])


def plan(
    questions: Sequence[Question], used: Iterable[str], budget: int, *, first_variant: int = 0
) -> list[tuple[Question, str, str]]:
    """(question, language, query) for one round: at most `budget` over both languages, fairly shared.

    Each question gets its own language first, then each the other one, then other wordings. Nothing is asked twice,
    neither in this round nor if it is among `used`.
    """
    seen = {_key(text) for text in used}
    out: list[tuple[Question, str, str]] = []
    for variant in range(first_variant, VARIANTS):
        for turn in (0, 1):
            for question in questions:
                other = "en" if question.language == "de" else "de"
                language = question.language if turn == 0 else other
                text = query(question, language, variant)
                if len(out) < budget and text and _key(text) not in seen:
                    seen.add(_key(text))
                    out.append((question, language, text))
        if variant == first_variant and out:
            break
    return out


def _key(text: str) -> str:
    return " ".join(sorted(words.fold(word) for word in text.split()))


def with_proposals(questions: Sequence[Question], proposals: Mapping[str, Sequence[tuple[str, str]]]) -> list[Question]:
    """Questions with a model's queries, of which only those are kept that speak of the question and are no command.

    A query has to share a concept with the question, an anchor where the question has one.
    """
    out = []
    for question in questions:
        kept = []
        for language, text in proposals.get(question.id, ()):
            cleaned = safe(" ".join(text.split())[:200])
            needed = question.anchors or tuple(c for c in question.items if c.weight >= 0.5)
            if language in ("de", "en") and any(concepts.Text(cleaned).has(c) for c in needed):
                kept.append((language, cleaned))
        out.append(replace(question, proposed=tuple(kept)))
    return out


def fingerprint(question: Question) -> str:
    """What a question is, for caches: 12 hex digits."""
    return hashlib.sha256(question.text.encode()).hexdigest()[:12]


def possible_names(title: str, terms: Sequence[str], texts: Iterable[str], gaps: Sequence[GapQuestion]) -> list[str]:
    """Capitalised words that may name a product: in the title, terms and questions, and beside the questions' codes."""
    codes = [c for gap in gaps for c in concepts.of(gap.question, "de") if c.kind == "code"]
    near = [text[:300] for text in texts if any(concepts.Text(text).has(code) for code in codes)]
    found: dict[str, None] = {}
    for text in (title, *terms, *(gap.question for gap in gaps), *near):
        pieces = (piece for token in words.tokens(text) for piece in (token, *token.split("-")))
        found.update(dict.fromkeys(p for p in pieces if re.fullmatch(r"[A-Z][A-Za-z]{3,}", p) and versions.is_name(p)))
    return list(found)[:_MAX_POSSIBLE]


def widened(about: Subject, possible: Sequence[str], texts: Sequence[str]) -> Subject:
    """A subject with the products and versions that other texts state, where its own sources give no version."""
    have = {name for name in about.names if any(name.lower() in span.product for span in about.in_use)}
    lacking = [name for name in dict.fromkeys((*about.names, *possible)) if name not in have]
    found = dict.fromkeys(s for text in texts for s in versions.stated(text, lacking) if s.product)
    named = [n for n in possible if n not in about.names and any(n.lower() in s.product for s in found)]
    return Subject((*about.names, *named), (*about.in_use, *found), about.main | set(named))
