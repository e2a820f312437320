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
from brain_assets.think.aspects import Segment, Term, Word, is_identifier
from brain_assets.think.evidence import Evidence, Found, Place
from brain_assets.think.forms import covered, stands
from brain_assets.think.gap_ids import term_id
from brain_assets.think.gather import Gathered
from brain_assets.think.nearness import Nearness
from brain_assets.think.statements import Statement, keys

_OPEN_SHARE = 0.4
_FEW = 2
"""Words of a query that names a thing and asks nothing."""
_TO_DO = re.compile(
    r"^(?!.*\b(?:ist|sind|war|waren|hat|haben|wird|werden|kann|können|darf|muss|soll|will|geht|gibt)\b)"
    r".*(?<!\bzu )\b[a-zäöüß]{3,}(?:en|ern|eln)$"
)
"""A German infinitive at the end: "Parkplatz reservieren"."""

_WAY = re.compile(
    r"^(?:(?:wie|wo|wohin) (?:(?!kam|war|ging|fand|bekam|\w+ten? )\w+ )?(?:ich|man|wir)\b|wie (?:kann|muss|soll|darf) |"
    r"(?:how|where) (?:do|can|should|could|must) (?:i|we|you|one)\b|how to )",
    re.IGNORECASE,
)
"""The beginning of a question for a way to do something."""
_MEANING = re.compile(r"\b(?:bedeute[nt]|heißt|bedeutung|means?|meaning|stands? for)\b", re.IGNORECASE)
_TASK = re.compile(r"\W*(?:to ?do|aufgabe|task)s?\b", re.IGNORECASE)
_UNSETTLED = re.compile(
    r"\?|\b\w*(?:klär|entscheid|herausfind|erfrag|nachfrag|ermittel|festleg)\w*|"
    r"\b(?:clarif\w+|decid\w+|find out|ask\w*|determine|settle|agree)\b",
    re.IGNORECASE,
)
"""What makes a task one of finding something out."""

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


def missing(gathered: Gathered, evidence: Evidence, near: Nearness | None = None) -> tuple[Missing, ...]:
    """What of the question is nowhere in the brain. Without `near` words alone tell."""
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
    if near is not None and any(_only_unstated(name, evidence) for name in absent):
        absent = {n for n in absent if not (_only_unstated(n, evidence) and _states_all(n, evidence, near))}
    way = _unknown_way(gathered, near) if near is not None else None
    if way is not None:
        things = " ".join(t.text for t in _things(way))
        add(things, say["term"].format(term=things))
        absent |= {t.text for t in way.subject}
    for name in evidence.places:
        if name in absent and (way is None or all(name != t.text for t in way.terms)):
            add(name, say["term"].format(term=name))
    title = gathered.sources[0].entry.title if gathered.sources else ""
    for found in evidence.attributes:
        subject = found.segment.subject
        there = not subject or not all(_absent(t, evidence) for t in subject)
        if not found.statements and gathered.sources and there and not any(t.text in absent for t in subject):
            label = label_of(found, language)
            whole = _whole(found.segment, gathered)
            if whole is not None:
                label = f"{label} ({whole.text})"
            about = next((s for s in gathered.sources if all(covered(t, s.keys) for t in subject)), None)
            if about is None and language == "de" and gathered.question.text[1:].islower():
                continue  # without capitals it cannot be told which of its words are things
            if near is not None and near.states(found.attribute, subject):
                continue
            place = about.entry.title if about is not None else None
            add(label, say["attribute"].format(title=place, term=label) if place else say["term"].format(term=label))
    for segment in gathered.question.segments if way is None else ():
        if (question := _open_question(segment, gathered) or _open_by_meaning(segment, near, language)) is not None:
            held_by = next((s.entry.title for s in gathered.sources if s.entry.id == question.entry_id), title)
            # In the words of who asks, where the point is noted in the other language.
            term = question.text if question.language == language else _asked_of(segment, language)
            add(term, say["open"].format(title=held_by))
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


def _asked_of(segment: Segment, language: str) -> str:
    """A clause as a thing that can be missing: "meaning: E-7 display", else as it was asked."""
    if _MEANING.search(segment.text) and (things := _things(segment)):
        return f"{'Bedeutung' if language == 'de' else 'meaning'}: {' '.join(t.text for t in things)}"
    return segment.text


def _whole(segment: Segment, gathered: Gathered) -> Term | None:
    """The thing of an earlier clause that a definite one belongs to: "How many seats has Lyra, what does the licence
    cost?" asks of the licence of Lyra. It is the one that the best source is titled by."""
    first = gathered.question.segments[0]
    if segment is first or not gathered.sources or len(segment.subject) != 1:
        return None
    own = re.escape(segment.subject[0].text)
    if not re.search(rf"\b(?:der|die|das|den|dem|des|the) {own}\b", segment.text):
        return None
    titled = keys(gathered.sources[0].entry.title)
    return next((t for t in _things(first) if t not in segment.subject and covered(t, titled)), None)


def _only_unstated(name: str, evidence: Evidence) -> bool:
    """Whether a noun is called missing but for an attribute of it that no words state."""
    place = evidence.places[name]
    return place.term.kind == "noun" and any(
        place.term in f.segment.subject and not f.statements for f in evidence.attributes
    )


def _states_all(name: str, evidence: Evidence, near: Nearness) -> bool:
    term = evidence.places[name].term
    lacking = [f for f in evidence.attributes if term in f.segment.subject and not f.statements]
    return all(near.states(f.attribute, f.segment.subject, across=True) for f in lacking)


def _open_by_meaning(segment: Segment, near: Nearness | None, language: str) -> Statement | None:
    """The open point that is nearer to the question than anything a source says.

    In the other language it names a thing of the clause, as far as the two share words. In the question's own it names
    all of them, and nothing states what is asked, for there words tell better.
    """
    things = _things(segment)
    if near is None or not things:
        return None
    found = near.nearest_open(things, following=not any(a.strict for a in segment.attributes))
    if found is None or _is_task(found[0]):
        return None
    statement, held = found
    if statement.language == language:
        return statement if all(covered(t, statement.keys) for t in things) else None
    return statement if any(covered(t, held) for t in things) else None


def _unknown_way(gathered: Gathered, near: Nearness) -> Segment | None:
    """The clause that asks for a way to do something of which the sources say nothing at all, though another text may
    happen to have one of its words."""
    if gathered.result.coverage == "good":
        return None
    for segment in gathered.question.segments:
        asks = _WAY.search(segment.text) or ("?" not in gathered.question.text and _TO_DO.search(segment.text))
        if asks and _things(segment) and near.unknown():
            return segment
    return None


def _is_task(statement: Statement) -> bool:
    """Whether a statement marked as open is something to do, and not something to find out."""
    return bool(statement.open and _TASK.match(statement.text) and not _UNSETTLED.search(statement.text))


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
    nearest = [s for source in gathered.sources[:3] for s in source.statements if not _is_task(s)]
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
    codes = [t for t in _things(segment) if is_identifier(t.text)]
    for s in nearest:
        # The row of the asked code that leaves its meaning open.
        if s.open and s.kind == "row" and any(covered(t, keys(s.text.partition(" – ")[0])) for t in codes):
            return s
    if best_open is not None and best_open[0] >= _OPEN_SHARE and best_open[0] > best_said:
        return best_open[1]
    return None
