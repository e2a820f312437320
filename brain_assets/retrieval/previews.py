"""Which passage of a hit to show, and which part of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain_assets.retrieval.analysis import ENGLISH, EXACT, GERMAN, Analyses, Unit, fold_exact

LONGEST = 400
"""Characters of a preview."""

_LEAST_INNER = 4
"""Shorter forms are marked only as whole words."""
_WORD = re.compile(r"[^\W_]+")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
_CUT_HEADING = re.compile(r"^#{1,6}\s*(?=…?$)", re.MULTILINE)
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:*_-]{3,}$", re.MULTILINE)
_LINK = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)\s]*\)")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|`)(?=\S)([^*`\n]*?\S)\1(?![\w*])")
_UMLAUTS = (("ä", "a"), ("ö", "o"), ("ü", "u"), ("ß", "ss"))


class Needles:
    """The query's units as what to look for in folded text, each with its weight."""

    def __init__(self, analyses: Analyses, weighted: Sequence[tuple[Unit, float]]) -> None:
        self.units = [unit for unit, _ in weighted]
        self._weights = [weight for _, weight in weighted]
        self._forms: list[tuple[str, ...]] = []
        self._between: list[re.Pattern[str] | None] = []
        for unit in self.units:
            words = [folded(word) for word in unit.words]
            forms = set(words)
            if len(words) == 1:
                terms = [analyses.of(name, unit.words[0]) for name in (GERMAN, ENGLISH, EXACT)]
                forms |= {term for found in terms for term in found if len(term) > 2}
                # A form that begins with another is found wherever that one is.
                forms = {f for f in forms if f and not any(f != g and f.startswith(g) for g in forms if g)}
            self._forms.append(tuple(sorted(forms)))
            sequence = r"[\W_]+".join(map(re.escape, words))
            self._between.append(re.compile(rf"(?<![^\W_]){sequence}") if len(words) > 1 else None)

    def found(self, text: str) -> list[bool]:
        """Which units stand in a folded text, in order."""
        return [
            any(form in text for form in forms) if between is None else bool(between.search(text))
            for forms, between in zip(self._forms, self._between, strict=True)
        ]

    def weight(self, found: Sequence[bool]) -> float:
        """Summed weight of the units found."""
        return sum(weight for weight, there in zip(self._weights, found, strict=True) if there)

    def first(self, text: str) -> int:
        """Where the first match stands in a folded text; -1 if there is none."""
        places = [at for forms in self._forms for form in forms if (at := text.find(form)) >= 0]
        return min(places, default=-1)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character ranges of the words of a text that match: inflections and compounds whole, spellings alike."""
        forms = {form for several in self._forms for form in several}
        short = {form for form in forms if len(form) < _LEAST_INNER}
        inner = sorted(forms - short)
        spans = []
        for match in _WORD.finditer(text):
            word = folded(match[0])
            if word in short or any(form in word for form in inner):
                spans.append(match.span())
        return spans


def folded(text: str) -> str:
    """As exact terms are folded."""
    text = fold_exact(text)
    if text.isascii():
        return text
    for umlaut, plain in _UMLAUTS:
        text = text.replace(umlaut, plain)
    return text


def choose(found: Sequence[Sequence[bool]], needles: Needles, nearest: int | None) -> int:
    """The passage that shows most of the query, from the units found in each; the nearest by vectors where words do
    not decide."""
    weights = [needles.weight(each) for each in found]
    best = max(weights)
    if nearest is not None and nearest < len(weights) and weights[nearest] >= 0.75 * best:
        return nearest
    return weights.index(best)


def cut(passage: str, needles: Needles) -> str:
    """At most 400 characters of a passage, around its first match, cut between words."""
    passage = passage.strip()
    if len(passage) <= LONGEST:
        return passage
    # Folding changes lengths a little; a preview need not begin at the exact letter.
    at = max(0, needles.first(folded(passage)))
    start = 0 if at < LONGEST // 2 else min(at - LONGEST // 4, len(passage) - LONGEST + 2)
    if start and (space := passage.find(" ", start, start + 40)) >= 0:
        start = space + 1
    end = start + LONGEST - 2
    if end < len(passage) and (space := passage.rfind(" ", end - 40, end)) >= 0:
        end = space
    return ("…" if start else "") + passage[start:end].strip() + ("…" if end < len(passage) else "")


def readable(preview: str, title: str) -> str:
    """A preview on one line for people: without Markdown's signs, and without the title where it begins with it."""
    text = _FENCE.sub("", preview)
    text = _RULE.sub("", text)
    text = _HEADING.sub(lambda m: "" if m.start() == 0 and folded(m[1]) == folded(title) else f"{m[1]}: ", text)
    text = _CUT_HEADING.sub("", text)
    text = _LINK.sub(lambda m: m[1] or m[2] or "", text)
    text = _EMPHASIS.sub(r"\2", text).replace("|", " ")
    return " ".join(text.split()).replace("::", ":").replace("?:", "?")
