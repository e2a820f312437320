"""What a group of entries is about: class-based TF-IDF over both languages, in words a person reads."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from brain_assets.graph.wording import LIGHT, keys_of
from brain_assets.model.entry import Entry
from brain_assets.text.words import STOP

TERMS = 10
_LABEL = 3
_TITLE, _TAG = 4, 2
_CHARS = 900
_POINTING = frozenset({"siehe", "vgl", "vergleiche", "refer", "cf"})
"""Words that lead on to another text and name nothing; STOP and LIGHT hold the others of this kind."""
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Words:
    """An entry's words by concept: how often, and in which spellings."""

    counts: Mapping[str, int]
    forms: Mapping[str, Counter[str]]


def words_of(entry: Entry) -> Words:
    """Words of title, tags, headings and the beginning of the text; titles and tags count more."""
    counts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    headings = " ".join(h.text for h in entry.headings)
    for weight, text in (
        (_TITLE, entry.title),
        (_TAG, " ".join(entry.tags)),
        (_TAG, headings),
        (1, entry.body[:_CHARS]),
    ):
        for word in _WORD.findall(text):
            low = word.lower()
            if len(low) < 3 or low in STOP or low in LIGHT or low in _POINTING:
                continue
            for key in keys_of(word):
                counts[key] += weight
                if len(keys_of(word)) == 1:
                    forms[key][word] += weight
    return Words(counts, forms)


def terms(groups: Mapping[str, Sequence[Words]], corpus: Iterable[Words]) -> dict[str, tuple[str, ...]]:
    """Group → its characteristic terms, strongest first.

    Term frequency in the group, damped, times log(1 + average words of a group / frequency in the corpus); a term
    must stand in at least two members of a group that has more than three.
    """
    everywhere: Counter[str] = Counter()
    for words in corpus:
        for key, n in words.counts.items():
            everywhere[key] += min(n, 6)
    average = sum(everywhere.values()) / max(len(groups), 1)
    return {name: _of_group(members, everywhere, average) for name, members in groups.items()}


def _of_group(members: Sequence[Words], everywhere: Counter[str], average: float) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for words in members:
        for key, n in words.counts.items():
            counts[key] += min(n, 6)
            spread[key] += 1
        for key, spellings in words.forms.items():
            forms[key].update(spellings)
    least = 2 if len(members) > 3 else 1
    total = sum(counts.values()) or 1
    scores = {
        key: (n / total) ** 0.75 * math.log1p(average / everywhere[key]) * math.sqrt(spread[key] / len(members))
        for key, n in counts.items()
        if spread[key] >= least and forms[key]
    }
    chosen: list[str] = []
    for key in sorted(scores, key=lambda k: (-scores[k], k)):
        form = min(forms[key], key=lambda f: (-forms[key][f], f.islower(), f))
        if not any(form.lower() in c.lower() or c.lower() in form.lower() for c in chosen):
            chosen.append(form)
        if len(chosen) == TERMS:
            break
    return tuple(chosen)


def label(found: Sequence[str]) -> str:
    """A readable name from the strongest terms."""
    return " · ".join(t[0].upper() + t[1:] for t in found[:_LABEL]) or "Ohne Namen"
