"""Whether a source bears a sentence: the check behind every citation, in extractive and in model answers.

A source bears a sentence when, in one place of it (at most three statements that follow each other), all values,
versions, hosts and names of the sentence stand, nothing is negated that is not, and enough of its content words occur.
Words meet as concepts, so a German sentence may be borne by an English source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from brain_assets.graph import polarity, quantities
from brain_assets.graph.wording import keys_of
from brain_assets.text import sentences
from brain_assets.text.words import STOP, fold, tokens
from brain_assets.think.statements import Statement, keys, plain

Similarity = Callable[[str, str], float]
"""Nearness of two texts in meaning, across languages, 0…1."""

WINDOW = 3
ENOUGH = 0.6
"""Share of a sentence's content words that must occur in one place of the source."""
ENOUGH_ACROSS = 0.34
"""The same when sentence and source differ in language and no vectors can be asked."""
NEAR_ACROSS = 0.55
"""Nearness of meaning that stands in for shared words across languages."""

_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
# A condition may be denied on one side and not on the other: "wenn … nicht" is "unless".
_CONDITION = re.compile(
    r"[,;]?\s*\b(?:wenn|falls|sofern|solange|es sei denn|außer|bevor|bis|unless|if|except|until|provided)\b[^,.;!?]*",
    re.IGNORECASE,
)
_ENGLISH_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-ZÄÖÜ][\wäöüß]+\b")
_LEADING = re.compile(r"(?:\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]\s*)+")
_LIST_MARK = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+")
_IDENTIFIER = re.compile(r"\d|[a-zäöüß][A-ZÄÖÜ]|^[A-ZÄÖÜ]{2,}$|\w[_.:/\\@]\w")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,:]\d+)*(?![\w])")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a source bears a sentence, and if not, the first reason: `number`, `name`, `negation` or `words`."""

    supported: bool
    reason: str = ""
    detail: str = ""
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer without its citation marks, and the numbers it cites."""

    text: str
    cited: tuple[int, ...]


def claims(answer: str) -> list[Claim]:
    """The sentences of an answer with the citations that stand in or right after each."""
    out: list[Claim] = []
    for sentence in sentences.split(answer):
        written = sentence.text
        # "… sentence. [1] Next sentence …": the mark belongs to the sentence before it.
        if (leading := _LEADING.match(written)) and out:
            out[-1] = Claim(out[-1].text, tuple(dict.fromkeys((*out[-1].cited, *citations(leading[0])))))
            written = written[leading.end() :]
        text = _LIST_MARK.sub("", " ".join(_CITATION.sub("", written).split()))
        text = re.sub(r"\s+([.,;:!?])", r"\1", text)
        if any(c.isalnum() for c in text):
            out.append(Claim(text, citations(written)))
    return out


def citations(text: str) -> tuple[int, ...]:
    """Numbers of the citation marks of a text ("[2]", "[1, 3]", "[1-3]"), each once, in order."""
    found: list[int] = []
    for match in _CITATION.finditer(text):
        for part in re.split(r"[,;]", match[1]):
            ends = [int(n) for n in re.findall(r"\d+", part)]
            found += range(ends[0], ends[-1] + 1) if 0 <= ends[-1] - ends[0] <= 20 else ends
    return tuple(dict.fromkeys(found))


def denies(a: str, b: str) -> bool:
    """Whether one of two sentences about the same thing denies what the other says."""
    first, second = polarity.of(_CONDITION.sub(" ", a)), polarity.of(_CONDITION.sub(" ", b))
    if polarity.opposed(first, second):
        return True
    if {name for name, _ in first.states} & {name for name, _ in second.states}:
        return False
    return first.negated != second.negated


def bears(
    claim: str,
    language: str,
    source: Sequence[Statement],
    *,
    similarity: Similarity | None = None,
    elsewhere: frozenset[str] = frozenset(),
) -> Verdict:
    """Whether one entry (its statements, in order) bears `claim`.

    `elsewhere` are the keys of the other gathered entries: a content word of the claim that stands there but not in
    this source shows a citation of the wrong source.
    """
    text = plain(claim)
    wanted = _content(text)
    if not wanted or not source:
        return Verdict(False, "words", "nothing to compare")
    best = Verdict(False, "words", "no passage shares its words")
    for window in _windows(source):
        held = frozenset().union(*(s.keys | s.context for s in window))
        found = sum(_has(forms, held) for forms in wanted.values())
        share = found / len(wanted)
        across = window[0].language != language
        if share < (ENOUGH_ACROSS if across else ENOUGH) and not (across and similarity and share > 0):
            if share > best.share:
                best = Verdict(False, "words", "too few of its words stand in one place", share)
            continue
        verdict = _check(text, language, wanted, held, window, share, similarity, elsewhere)
        if verdict.supported:
            return verdict
        if share >= best.share or best.reason == "words":
            best = verdict
    return best


def _windows(source: Sequence[Statement]) -> list[Sequence[Statement]]:
    singles = [source[i : i + 1] for i in range(len(source))]
    return singles + [source[i : i + n] for n in range(2, WINDOW + 1) for i in range(len(source) - n + 1)]


def _content(text: str) -> dict[str, frozenset[str]]:
    """Content words of a text with their keys."""
    return {t.lower(): keys_of(t) for t in tokens(text) if len(t) > 1 and t.lower() not in STOP}


def _has(word: frozenset[str], held: frozenset[str]) -> bool:
    if word & held:
        return True
    # One word of a compound, or one inflection the stemmers part.
    return any(
        len(key) >= 5 and len(other) >= 5 and (key.startswith(other[:-1]) or other.startswith(key[:-1]))
        for key in word
        for other in held
        if key[0] == other[0]
    )


def _check(
    text: str,
    language: str,
    wanted: Mapping[str, frozenset[str]],
    held: frozenset[str],
    window: Sequence[Statement],
    share: float,
    similarity: Similarity | None,
    elsewhere: frozenset[str],
) -> Verdict:
    said = " ".join(s.text for s in window)
    around = " ".join((said, *window[0].headings, window[0].lead))
    if (value := _value_without(text, around)) is not None:
        return Verdict(False, "number", value, share)
    if (name := _name_without(text, language, held, around)) is not None:
        return Verdict(False, "name", name, share)
    for word, forms in wanted.items():
        translated = any(form.startswith("=") for form in forms)
        if not translated and word[0].isalpha() and forms & elsewhere and not _has(forms, held):
            return Verdict(False, "name", f"{word} stands in another source", share)
    nearest = max(window, key=lambda s: (sum(_has(w, s.keys) for w in wanted.values()), -s.ordinal))
    if denies(text, nearest.text) and denies(text, said):
        return Verdict(False, "negation", nearest.text, share)
    if share < ENOUGH and window[0].language != language and similarity is not None:
        near = similarity(text, said)
        if near < NEAR_ACROSS:
            return Verdict(False, "words", f"too far in meaning ({near:.2f})", share)
    return Verdict(True, share=share)


def _value_without(text: str, said: str) -> str | None:
    """A value of the sentence that the passage does not state, or None."""
    stated = quantities.find(said)
    left = list(text)
    for value in quantities.find(text):
        if any(quantities.equal(value, other) for other in stated) or fold(value.text) in fold(said):
            left[value.start : value.end] = " " * (value.end - value.start)
        else:
            return value.text
    written = set(_NUMBER.findall(said))
    return next((number for number in _NUMBER.findall("".join(left)) if number not in written), None)


def _name_without(text: str, language: str, held: frozenset[str], said: str) -> str | None:
    """An identifier or proper name of the sentence that the passage does not have, or None."""
    folded = fold(said)
    for token in tokens(text):
        marked = _IDENTIFIER.search(token) and not token[0].isdigit()
        if marked and fold(token) not in folded and not _has(keys_of(token), held):
            return token
    if language == "en":
        for match in _ENGLISH_NAME.finditer(text):
            if match[0].lower() not in STOP and fold(match[0]) not in folded and not _has(keys_of(match[0]), held):
                return match[0]
    return None


def all_keys(statements: Sequence[Statement]) -> frozenset[str]:
    """Keys of an entry: those of all its statements, its title and headings."""
    return frozenset().union(*(s.keys | s.context for s in statements), keys(""))
