"""MISSING and UNCITED: which aspects of a query the brain does not know, and which the answer leaves out.

A thing is missing when it stands nowhere in the brain in any form; an attribute ("what does it cost?") when the thing
is there and no entry about it states a value of that kind; a clause when an entry names it as an open question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.gaps import Missing, Uncited
from brain_assets.text.words import content_words, fold
from brain_assets.think.aspects import Segment, Word
from brain_assets.think.evidence import Evidence, Found, Place
from brain_assets.think.forms import covered, stands
from brain_assets.think.gap_ids import term_id
from brain_assets.think.gather import Gathered
from brain_assets.think.statements import Statement, keys

_OPEN_SHARE = 0.4

_SUGGEST = {
    "de": {
        "term": "Notiz oder KB-Eintrag zu „{term}“ anlegen.",
        "attribute": "In „{title}“ ergänzen: {term}.",
        "open": "Offene Frage klären und in „{title}“ beantworten.",
    },
    "en": {
        "term": "Write a note or KB entry about “{term}”.",
        "attribute": "Add to “{title}”: {term}.",
        "open": "Settle the open question and answer it in “{title}”.",
    },
}


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of the answer: its text, its words with those around it in its source, the sources it cites."""

    text: str
    keys: frozenset[str]
    sources: tuple[int, ...]


def missing(gathered: Gathered, evidence: Evidence, *, meanings: bool) -> tuple[Missing, ...]:
    """What of the question is nowhere in the brain.

    Without word meanings (`meanings` False), a plain word that stands nowhere is reported only when the search found
    little: it may have another name.
    """
    language = gathered.question.language
    say = _SUGGEST.get(language, _SUGGEST["en"])
    out: dict[str, Missing] = {}

    def add(term: str, suggestion: str) -> None:
        key = term_id("missing", term, language)
        out.setdefault(key, Missing(key, term, suggestion))

    subjects = {t.text for segment in gathered.question.segments for t in segment.subject}
    absent = {
        name
        for name, place in evidence.places.items()
        if _is_missing(place, gathered, meanings) and (name in subjects or not place.term.asking)
    }
    for name in evidence.places:
        if name in absent:
            add(name, say["term"].format(term=name))
    title = gathered.sources[0].entry.title if gathered.sources else ""
    for found in evidence.attributes:
        if not found.statements and gathered.sources and not any(t.text in absent for t in found.segment.subject):
            label = label_of(found, language)
            about = next((s for s in gathered.sources if all(covered(t, s.keys) for t in found.segment.subject)), None)
            place = about.entry.title if about is not None else None
            add(label, say["attribute"].format(title=place, term=label) if place else say["term"].format(term=label))
    for segment in gathered.question.segments:
        if (question := _open_question(segment, gathered)) is not None:
            held_by = next((s.entry.title for s in gathered.sources if s.entry.id == question.entry_id), title)
            add(question.text, say["open"].format(title=held_by))
    return tuple(out.values())


def uncited(
    gathered: Gathered, evidence: Evidence, answer: Sequence[Said], lacking: Sequence[Missing]
) -> tuple[Uncited, ...]:
    """Aspects that stand in the brain and that no sentence of `answer` addresses; never one that is missing."""
    language = gathered.question.language
    titles = {s.n: keys(s.entry.title) for s in gathered.sources}
    answered = frozenset().union(*(a.keys.union(*(titles.get(n, keys("")) for n in a.sources)) for a in answer))
    cited = {n for a in answer for n in a.sources}
    out: dict[str, Uncited] = {}
    taken = {m.term.casefold() for m in lacking}
    for found in evidence.attributes:
        # Of a thing that is not there nothing can be left out.
        if any(t.text.casefold() in taken for t in found.segment.subject):
            continue
        label = label_of(found, language)
        where = tuple(dict.fromkeys(s.entry_id for s in found.statements))[:5]
        if where and not any(found.attribute.is_stated(a.text) for a in answer) and label.casefold() not in taken:
            key = term_id("uncited", label, language)
            out[key] = Uncited(key, label, where)
    # A thing of which what was asked is missing is reported there.
    told = {
        t.text
        for found in evidence.attributes
        if label_of(found, language).casefold() in taken
        for t in found.segment.subject
    }
    for name, place in evidence.places.items():
        known = place.absent or place.term.kind == "other" or name.casefold() in taken or name in told
        if known or covered(place.term, answered):
            continue
        # Found by misspelling or meaning: the answer draws on a source that has it.
        if place.loose and cited & set(place.sources):
            continue
        where = tuple(s.entry.id for s in gathered.sources if s.n in place.sources) or place.elsewhere
        key = term_id("uncited", name, language)
        out.setdefault(key, Uncited(key, name, where[:5]))
    return tuple(out.values())


def label_of(found: Found, language: str) -> str:
    """An asked attribute in words: "Kosten oder Preis: Namespace"."""
    name = found.attribute.label.get(language, found.attribute.label["en"])
    things = " ".join(t.text for t in found.segment.subject[:4])
    return f"{name}: {things}" if things else name


def _is_missing(place: Place, gathered: Gathered, meanings: bool) -> bool:
    if not place.absent or place.term.kind == "other" or len(fold(place.term.text)) < 3:
        return False
    return place.term.kind == "name" or meanings or gathered.result.coverage != "good"


def _open_question(segment: Segment, gathered: Gathered) -> Statement | None:
    """The statement that names the clause as an open question, when no other statement is as near to it.

    A statement is as near as the words of the clause that it brings itself, rare ones counting more.
    """
    if not any(t.kind != "other" for t in segment.terms):
        return None
    words = {w.lower(): Word.of(w) for w in content_words(segment.text)}
    weights = {w: 1 / max(1, sum(stands(word, s.keys) for s in gathered.sources)) for w, word in words.items()}
    best_open: tuple[float, Statement] | None = None
    best_said = 0.0
    nearest = [s for source in gathered.sources[:3] for s in source.statements]
    if any(s.open for s in nearest):
        for s in nearest:
            score = sum(
                weights[w]
                for w, word in words.items()
                if stands(word, s.keys | s.context) and not stands(word, s.context)
            ) / sum(weights.values())
            if not s.open:
                best_said = max(best_said, score)
            elif best_open is None or score > best_open[0]:
                best_open = (score, s)
    if best_open is not None and best_open[0] >= _OPEN_SHARE and best_open[0] > best_said:
        return best_open[1]
    return None
