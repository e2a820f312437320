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
_TRANSLATED = 0.55
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+|>\s*)+")
_NAME = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://\S+|\b[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/\S*)?|(?<!\w)/[\w./-]{3,}|\b\w+@\w[\w.-]+|\b0x[0-9A-Fa-f]+\b|"
    r"\b[A-Z]{1,5}-\d{2,5}\b|\b[a-z]+\d+(?:-\w+)?\b|\b[a-z]+_[a-z_]+\b|\B--?[a-z][\w-]+)"
)
_NEGATION = re.compile(
    r"\b(?:nicht|nie|niemals|kein\w*|ohne|nichts|weder|verboten|unzulässig|not|never|no|none|nothing|without|neither|cannot|"
    r"can't|don't|doesn't|won't|mustn't|forbidden)\b",
    re.IGNORECASE,
)

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
        else:
            out.extend(Claim(plain(s.text)) for s in sentences.split(line) if plain(s.text))
    return out


def plain(text: str) -> str:
    """A sentence without bold and italic marks; code spans keep their backticks."""
    text = re.sub(r"\*\*|__", "", text)
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?!\w)", r"\1", text)
    return squash(text)


def unborne(
    markdown: str, statements: Sequence[Statement], names: Sequence[str], language: str, similar: Similarity | None = None
) -> list[str]:
    """The sentences of an article that nothing in the fact base bears, as written.

    `names` are titles the article may mention (its own, its sources'). `similar` compares across languages; without
    it a sentence is only borne by statements of its own language.
    """
    bases = [_Base(s) for s in statements]
    allowed = _fixed(language)
    headings = {squash(h).lower() for h in phrases.HEADINGS[language].values()}
    known = " ".join([*names, *(b.everything for b in bases)])
    out = []
    for claim in claims(markdown):
        if claim.code:
            good = any(claim.text in squash(b.everything) for b in bases)
        elif claim.heading:
            good = claim.text.lower() in headings or not (_stems(claim.text) - _stems(known))
        else:
            good = any(p.fullmatch(claim.text) for p in allowed) or _borne(claim.text, bases, names, similar)
        if not good:
            out.append(claim.text)
    return out


class _Base:
    """One statement with what it is compared by."""

    def __init__(self, statement: Statement) -> None:
        self.language = statement.language
        self.text = plain(statement.text)
        self.everything = squash(" ".join([statement.subject, statement.text, *statement.quotes, statement.code]))
        self.stems = _stems(self.everything)
        self.figures = numbers(self.everything)
        self.flat = plain(self.everything).lower()


def _borne(claim: str, bases: Sequence[_Base], names: Sequence[str], similar: Similarity | None) -> bool:
    bare = claim.lower().strip(" .:;!?")
    if any(bare and bare in base.flat for base in bases):
        return True
    own = _stems(claim)
    if not own:
        return not numbers(claim)
    language = languages.detect(claim)
    ranked = sorted(bases, key=lambda b: -len(own & b.stems))[:6]
    for base in ranked:
        if len(own & base.stems) >= _COVERED * len(own) and _agrees(claim, [base]):
            return True
    for i, one in enumerate(ranked):
        for two in ranked[i + 1 :]:
            if len(own & (one.stems | two.stems)) >= _COVERED_PAIR * len(own) and _agrees(claim, [one, two]):
                return True
    if similar is None:
        return False
    foreign = [b for b in bases if b.language != language and _agrees(claim, [b])]
    return any(similar(claim, b.text) >= _TRANSLATED for b in foreign)


def _agrees(claim: str, bases: Sequence[_Base]) -> bool:
    """Figures, names and code of a claim stand in the statements, and both say yes or both no."""
    everything = " ".join(b.everything for b in bases)
    if not numbers(claim) <= frozenset().union(*(b.figures for b in bases)):
        return False
    named = [*_CODE_SPAN.findall(claim), *(m.strip(".,;:)") for m in _NAME.findall(_CODE_SPAN.sub(" ", claim)))]
    if any(squash(name) not in everything for name in named):
        return False
    return bool(_NEGATION.search(claim)) == any(_NEGATION.search(b.text) for b in bases)


def _fixed(language: str) -> list[re.Pattern[str]]:
    out = []
    for text in phrases.fixed(language):
        for part in re.split(r"(?<=[.:])\s+", text):
            pattern = re.sub(r"\\\{\w+\\\}", ".{1,400}", re.escape(part))
            out.append(re.compile(pattern))
    return out


def _stems(text: str) -> set[str]:
    return words.content_stems(text, "de") | words.content_stems(text, "en")
