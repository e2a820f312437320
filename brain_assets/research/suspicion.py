"""What makes a page unfit as evidence whatever it says: text that speaks to machines, walls, junk, old age."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from brain_assets.research import cues
from brain_assets.text import sentences, words

_SHORT, _SHORT_WITH_FORM = 1_200, 2_500
_STUFFED_COUNT, _STUFFED_SHARE = 4, 0.045
_FEW_WORDS = 12
_AUTHOR = re.compile(r"[\w.@-]{2,30}")
_META_LINE = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}.*|(?:am |on |vor )?\d.{0,30}(?:ago|uhr|tagen|20\d\d)|#?\d+|(?:posted|"
    r"geschrieben).*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Signals:
    """What was found on a page. `penalty` lowers its quality; `veto` is the reason it is not used at all, or empty."""

    veto: str
    penalty: float
    reasons: tuple[str, ...]


@lru_cache(maxsize=256)
def signals(title: str, text: str, *, login_form: bool = False, hidden_instructions: bool = False) -> Signals:
    """Look a page over, whatever the question."""
    if hidden_instructions:
        return Signals("hidden text addresses machines", 1.0, ("hidden instructions",))
    if cues.INSTRUCTION.search(text) or cues.INSTRUCTION.search(title):
        return Signals("the text addresses machines", 1.0, ("instructions to machines",))
    if (len(text) < _SHORT and cues.LOGIN.search(text)) or (login_form and len(text) < _SHORT_WITH_FORM):
        return Signals("a login or payment is asked for", 1.0, ("login wall",))
    reasons: list[str] = []
    penalty = 0.0
    if cues.OLD.search(title) or cues.OLD.search(text[:1_500]):
        reasons.append("says that it is out of date or no longer supported")
        penalty += 0.35
    turns = len({m[0].lower() for m in cues.PAID.finditer(f"{title}\n{text}")})
    if turns:
        reasons.append("advertising or clickbait phrases")
        penalty += min(0.2 * turns, 0.5)
    if stuffed := stuffing(text):
        reasons.append(f"repeats “{stuffed}” over and over")
        penalty += 0.3
    if len(words.content_words(text)) < _FEW_WORDS:
        reasons.append("hardly any text")
        penalty += 0.3
    return Signals("", penalty, tuple(reasons))


def stuffing(text: str) -> str:
    """A word repeated within neighbouring sentences far more often than prose does, or empty.

    Code, tables and headings do not count: a page about one thing names it often there.
    """
    prose = re.sub(r"```.*?```|`[^`\n]*`", " ", text, flags=re.DOTALL)
    prose = re.sub(r"^[|#].*$", " ", prose, flags=re.MULTILINE)
    found = [s.text for s in sentences.split(prose)]
    total = max(len(words.tokens(prose)), 1)
    repeated: Counter[str] = Counter()
    for first, second in zip(found, [*found[1:], ""], strict=False):
        counts = Counter(words.fold(w) for w in words.content_words(f"{first} {second}") if len(w) > 2)
        for word, count in counts.items():
            repeated[word] = max(repeated[word], count)
    for word, count in sorted(repeated.items(), key=lambda item: (-item[1], item[0])):
        if count >= _STUFFED_COUNT and count / total >= _STUFFED_SHARE:
            return word
    return ""


def corrected(paragraphs: list[str]) -> set[int]:
    """Numbers of paragraphs that a later one takes back, as happens in threads: nothing of them may be quoted.

    "Please do not do that" takes back what was said since the last such correction; "my answer was wrong" takes back
    the same author's earlier words, or, when no author is named, all before it that no one had corrected.
    """
    out: set[int] = set()
    begin = 0
    for number, paragraph in enumerate(paragraphs):
        if cues.DO_NOT.search(paragraph):
            out.update(range(begin, number))
            begin = number
        elif cues.WAS_WRONG.search(paragraph):
            author = _author(paragraphs, number)
            mine = {n for n in range(number) if author and _author(paragraphs, n) == author}
            out |= mine or set(range(begin, number))
            out.add(number)
    return out


def _author(paragraphs: list[str], number: int) -> str:
    """The author line above a paragraph: a name alone, perhaps with a date between; empty when there is none."""
    for back in range(number - 1, max(number - 4, -1), -1):
        line = paragraphs[back].strip()
        if _META_LINE.fullmatch(line):
            continue
        first = line.split()[0] if line.split() else ""
        alone = len(line.split()) <= 2 and len(line) <= 40 and not line.endswith((".", "?", "!", ":"))
        return first.lower() if alone and _AUTHOR.fullmatch(first) else ""
    return ""
