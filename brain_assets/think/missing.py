"""MISSING and UNCITED: which aspects of a query the brain does not know, and which the answer leaves out.

A thing is missing when it stands nowhere in the brain in any form; an attribute ("what does it cost?") when the thing
is there and no entry about it states a value of that kind; a clause when an entry names it as an open question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.gaps import Missing, Uncited
from brain_assets.text.words import content_words, fold
from brain_assets.think.aspects import Segment, Term, Word
from brain_assets.think.evidence import Evidence, Found, Place
from brain_assets.think.forms import covered, stands
from brain_assets.think.gap_ids import term_id
from brain_assets.think.gather import Gathered
from brain_assets.think.statements import Statement, keys

_OPEN_SHARE = 0.4
_FEW = 2
"""Words of a query that names a thing and asks nothing."""
_TO_DO = re.compile(r"\b[a-zäöüß]{3,}(?:en|ern|eln)$")
"""A German infinitive at the end: "Parkplatz reservieren"."""

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


def missing(gathered: Gathered, evidence: Evidence) -> tuple[Missing, ...]:
    """What of the question is nowhere in the brain."""
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
        if _is_missing(place, gathered, evidence) and (name in subjects or not place.term.asking)
    }
    for name in evidence.places:
        if name in absent:
            add(name, say["term"].format(term=name))
    title = gathered.sources[0].entry.title if gathered.sources else ""
    for found in evidence.attributes:
        subject = found.segment.subject
        there = not subject or not all(_absent(t, evidence) for t in subject)
        if not found.statements and gathered.sources and there and not any(t.text in absent for t in subject):
            label = label_of(found, language)
            about = next((s for s in gathered.sources if all(covered(t, s.keys) for t in subject)), None)
            if about is None and language == "de" and gathered.question.text.islower():
                continue  # without capitals it cannot be told which of its words are things
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


def _is_missing(place: Place, gathered: Gathered, evidence: Evidence) -> bool:
    """Whether a thing that stands nowhere is missing, and not only called by another word here.

    A name has no other word. A noun may have: it is missing where all that the question asks hangs on it, because a way
    to do something with it is asked, or a value that no source states of the rest, or because nothing else is named.
    """
    term, question = place.term, gathered.question
    if not place.absent or term.kind == "other" or len(fold(term.text)) < 3:
        return False
    if term.kind == "name":
        return True
    clauses = [segment for segment in question.segments if term in segment.subject]
    unknown = any(all(_absent(t, evidence) for t in clause.subject) for clause in clauses)
    if unknown and (question.procedure or any(len(clause.subject) > 1 for clause in clauses)):
        return True
    # Of a question of several clauses the coverage tells only how well the best known of them is known.
    known = gathered.result.coverage == "good" and sum(bool(_things(s)) for s in question.segments) == 1
    unstated = any(found.segment in clauses and not found.statements for found in evidence.attributes)
    if unstated and not (known and unknown):
        return True
    if known:
        return False
    counted = re.compile(rf"\b(?:wie ?viele?[rn]?|how (?:many|much)) (?:\w+ )?{re.escape(term.text)}\b", re.IGNORECASE)
    if question.procedure or any(
        counted.search(c.text) or any(a.name == "place" for a in c.attributes) for c in clauses
    ):
        return True
    if "?" not in question.text and any(_TO_DO.search(clause.text) for clause in clauses):
        return True
    return all(p.absent for p in evidence.places.values()) and len(evidence.places) <= _FEW


def _things(segment: Segment) -> list[Term]:
    return [t for t in segment.terms if t.kind != "other"]


def _absent(term: Term, evidence: Evidence) -> bool:
    place = evidence.places.get(term.text)
    return place is not None and place.absent


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
