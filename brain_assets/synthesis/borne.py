"""Whether every sentence of an article is borne by the fact base: words, figures, names, negation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from brain_assets.model.synthesis import Statement
from brain_assets.synthesis import phrases
from brain_assets.synthesis.consolidate import numbers
from brain_assets.synthesis.structure import squash
from brain_assets.text import language as languages
from brain_assets.text import sentences, words

_COVERED = 0.6
_COVERED_PAIR = 0.7
_TRANSLATED = 0.5
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+|>\s*)+")
_NAME = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://\S+|\b[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/\S*)?|(?<!\w)/[\w./-]{3,}|\b\w+@\w[\w.-]+|\b0x[0-9A-Fa-f]+\b|"
    r"\b[A-Z]{1,5}-\d{2,5}\b|\b[a-z]+\d+(?:-\w+)?\b|\b[a-z]+_[a-z_]+\b|\B--?[a-z][\w-]+)"
)
_LABEL = re.compile(r"\*\*([^*\n]{1,160}?)\*\*:?\s+")
_NEGATION = re.compile(
    r"\b(?:nicht|nie|niemals|kein\w*|ohne|nichts|weder|verboten|unzulässig|not|never|no|none|nothing|without|neither|cannot|"
    r"can't|don't|doesn't|won't|mustn't|forbidden)\b",
    re.IGNORECASE,
)

_COUNTS: dict[str, str] = {
    word: str(number)
    for number, pair in enumerate(
        "zwei two|drei three|vier four|fünf five|sechs six|sieben seven|acht eight|neun nine|zehn ten|elf eleven|zwölf twelve".split(
            "|"
        ),
        2,
    )
    for word in pair.split()
}

_COUNTS["twice"] = "2"
_LACK = re.compile(r"\b(?:fehl(?:t|en|te|ten|end\w*)|mangel\w*|missing|lack\w*|absent)\b", re.IGNORECASE)

Similarity = Callable[[str, str], float]
"""Closeness of two sentences of different languages, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an article, without list marks and emphasis; `code` marks a line of fenced code."""

    text: str
    code: bool = False
    heading: bool = False


def claims(markdown: str) -> list[Claim]:
    """Every sentence, heading and code line of a Markdown text."""
    out: list[Claim] = []

    def take_code(match: re.Match[str]) -> str:
        out.extend(Claim(line.strip(), code=True) for line in match[2].splitlines() if line.strip())
        return "\n"

    prose = _FENCE.sub(take_code, markdown)
    for raw in prose.splitlines():
        heading = bool(re.match(r"\s*#{1,6}\s", raw))
        line = _MARK.sub("", raw).strip()
        if not line:
            continue
        if heading:
            out.append(Claim(plain(line), heading=True))
            continue
        if label := _LABEL.match(line):
            # The subject before a statement is a name, judged like a heading.
            out.append(Claim(plain(label[1]).rstrip(":"), heading=True))
            line = line[label.end() :]
        if line:
            out.extend(Claim(plain(s.text)) for s in sentences.split(line) if plain(s.text))
    return out


def plain(text: str) -> str:
    """A sentence without bold and italic marks; code spans keep their backticks."""
    text = re.sub(r"\*\*|__", "", text)
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?!\w)", r"\1", text)
    return squash(text)


def unborne(
    markdown: str,
    statements: Sequence[Statement],
    names: Sequence[str],
    language: str,
    similar: Similarity | None = None,
) -> list[str]:
    """The sentences of an article that nothing in the fact base bears, as written."""
    return weigh(markdown, statements, names, language, similar)[0]


def weigh(
    markdown: str,
    statements: Sequence[Statement],
    names: Sequence[str],
    language: str,
    similar: Similarity | None = None,
) -> tuple[list[str], list[Statement]]:
    """(sentences that nothing in the fact base bears, as written; statements that bear the others).

    `names` are titles the article may mention (its own, its sources'). `similar` compares across languages; without
    it a sentence is only borne by statements of its own language.
    """
    bases = [_Base(s) for s in statements]
    allowed = _fixed(language)
    headings = {squash(h).lower() for h in phrases.HEADINGS[language].values()}
    known = _stems(" ".join([*names, *(b.everything for b in bases)]))
    out: list[str] = []
    used: dict[int, Statement] = {}
    for claim in claims(markdown):
        if claim.heading:
            good = claim.text.lower() in headings or not (_stems(claim.text) - known)
        elif claim.code:
            good = any(squash(claim.text) in base.everything for base in bases)
        elif any(pattern.fullmatch(claim.text) for pattern in allowed):
            good = True
        else:
            bearers = _bearers(claim.text, bases, similar)
            good = bearers is not None
            used |= {id(base): base.statement for base in bearers or ()}
        if not good:
            out.append(claim.text)
    return out, list(used.values())


class _Base:
    """One statement with what it is compared by."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.language = statement.language
        self.text = plain(statement.text)
        self.everything = squash(" ".join([statement.subject, statement.text, *statement.quotes, statement.code]))
        self.stems = _stems(self.everything)
        self.figures = numbers(self.everything)
        self.flat = plain(self.everything).lower()
        self.bare = self.text.lower().strip(" .:;!?")
        self.parts = [(_stems(s.text), bool(_NEGATION.search(s.text))) for s in sentences.split(self.text)]

    def denies(self, stems: set[str]) -> bool:
        """Whether the sentence of this statement that is closest to some stems says no."""
        return max(self.parts, key=lambda part: len(part[0] & stems), default=(set(), False))[1]


def _bearers(claim: str, bases: Sequence[_Base], similar: Similarity | None) -> list[_Base] | None:
    """The one or two statements that bear a sentence; empty for one that says nothing; None if there are none."""
    bare = claim.lower().strip(" .:;!?")
    for base in bases:
        if bare and bare in base.flat:
            return [base]
    if row := _row_of(bare, bases):
        return row
    own = _stems(claim)
    if not own:
        return [] if not numbers(claim) else None
    ranked = sorted(bases, key=lambda b: -len(own & b.stems))[:6]
    for base in ranked:
        if len(own & base.stems) >= _COVERED * len(own) and _agrees(claim, [base]):
            return [base]
    for i, one in enumerate(ranked):
        for two in ranked[i + 1 :]:
            if len(own & (one.stems | two.stems)) >= _COVERED_PAIR * len(own) and _agrees(claim, [one, two]):
                return [one, two]
    if similar is None:
        return None
    language = languages.detect(claim)
    foreign = [b for b in bases if b.language != language and _agrees(claim, [b])]
    best = max(foreign, key=lambda b: similar(claim, b.text), default=None)
    return [best] if best is not None and similar(claim, best.text) >= _TRANSLATED else None


def _row_of(claim: str, bases: Sequence[_Base]) -> list[_Base]:
    """The statements a text is put together of, one after another and word for word; empty if it is not."""
    out: list[_Base] = []
    rest = claim
    while rest:
        fits = [b for b in bases if b.bare and rest.startswith(b.bare)]
        if not fits:
            return []
        longest = max(fits, key=lambda b: len(b.bare))
        out.append(longest)
        rest = rest[len(longest.bare) :].strip(" .:;!?")
    return out


def _agrees(claim: str, bases: Sequence[_Base]) -> bool:
    """Figures, names and code of a claim stand in the statements, and both say yes or both no."""
    everything = " ".join(b.everything for b in bases)
    if not numbers(claim) <= frozenset().union(*(b.figures for b in bases)):
        return False
    named = [*_CODE_SPAN.findall(claim), *(m.strip(".,;:)") for m in _NAME.findall(_CODE_SPAN.sub(" ", claim)))]
    if any(squash(name) not in everything for name in named):
        return False
    own = _stems(claim)
    nearest = max(bases, key=lambda base: len(own & base.stems))
    return bool(_NEGATION.search(claim)) == nearest.denies(own)


def figures_and_names_in(text: str, source: str) -> bool:
    """Whether every figure, code span, path, host and code of a text stands in its source, in whichever language.

    "drei" and "three" are one figure, and so are "3" and "three".
    """
    flat = squash(source)
    named = [*_CODE_SPAN.findall(text), *(m.strip(".,;:)") for m in _NAME.findall(_CODE_SPAN.sub(" ", text)))]
    return _figures(text) <= _figures(source) and all(squash(name) in flat for name in named)


def _figures(text: str) -> frozenset[str]:
    said = [word.removesuffix("mal") for word in re.findall(r"[a-zäöüß]+", text.lower())]
    counted = {_COUNTS[word] for word in said if word in _COUNTS}
    return numbers(text) | counted


def same_sense(text: str, quote: str) -> bool:
    """Whether a sentence and its quote both say no, or both yes. "The key is missing" says what "it has no key" says."""
    no, quoted = bool(_NEGATION.search(text)), bool(_NEGATION.search(quote))
    return no == quoted or bool(_LACK.search(quote if no else text))


def _fixed(language: str) -> list[re.Pattern[str]]:
    slot = r"(?:[^.!?\n]|[.](?=\S)){1,600}?"
    return [
        re.compile(slot.join(re.escape(part) for part in re.split(r"\{\w+\}", text)))
        for text in phrases.fixed(language)
    ]


def _stems(text: str) -> set[str]:
    return words.content_stems(text, "de") | words.content_stems(text, "en")
