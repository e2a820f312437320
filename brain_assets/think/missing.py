"""MISSING and UNCITED: which aspects of a query the brain does not know, and which the answer leaves out.

An aspect is tried in every form before it is called missing: inflection, compounds, umlaut spelling, misspelling, the
bilingual table, aliases and tags, the whole index, and meaning across languages. An attribute ("what does it cost?")
is missing when the thing is there and no entry about it states a value of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from brain_assets.model.entry import Entry
from brain_assets.model.gaps import Missing, Uncited
from brain_assets.text.words import STOP, content_words, fold, tokens
from brain_assets.think.aspects import Segment, Term, Word, pieces
from brain_assets.think.attributes import Attribute
from brain_assets.think.forms import covered, misspelt, stands
from brain_assets.think.gap_ids import term_id
from brain_assets.think.gather import Gathered, Search, Source
from brain_assets.think.meaning import SAME_THING, Meaning
from brain_assets.think.statements import Statement, keys, statements

Load = Callable[[Sequence[str]], Iterable[Entry]]
ABOUT = 0.66
"""Share of a clause's things that an entry must have to be about them."""
BOUND = 0.5
"""Share of them that must stand by a value for it to be a value of them."""
_FAR_ENTRIES = 12
_MEANT = 0.5
_OPEN_SHARE = 0.4
_STANDS_OUT = 0.08
_STANDS_OUT_LEAST = 0.28
_COMPARED = 160
"""Words of the sources that a term is compared with by meaning."""

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
class _Aspect:
    """An aspect with where it stands: source numbers, ids elsewhere in the brain, or nowhere. `loose`: not by its
    own word."""

    text: str
    term: Term | None
    sources: tuple[int, ...] = ()
    elsewhere: tuple[str, ...] = ()
    loose: bool = False

    @property
    def absent(self) -> bool:
        return not self.sources and not self.elsewhere


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of the answer: its text, its words with those around it in its source, the sources it cites."""

    text: str
    keys: frozenset[str]
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Gaps:
    missing: list[Missing]
    uncited: list[Uncited]


def gaps(
    gathered: Gathered,
    answer: Sequence[Said],
    searcher: Search,
    *,
    load: Load,
    meaning: Meaning | None,
) -> Gaps:
    """What of the question is missing in the brain, and what of it the sentences of `answer` do not address.

    `load` gives the entries of ids, for evidence outside the hits. Without `meaning`, a plain word that stands nowhere
    is reported only when the search found little.
    """
    question = gathered.question
    language = question.language
    out = Gaps([], [])
    said: set[str] = set()

    def missing(term: str, suggestion: str) -> None:
        key = term_id("missing", term, language)
        if key not in said:
            said.add(key)
            out.missing.append(Missing(key, term, suggestion))

    texts = _SUGGEST.get(language, _SUGGEST["en"])
    located = _found_across(
        {t.text: _locate(t, gathered, searcher, meaning) for t in question.terms}, gathered, searcher
    )
    absent = [name for name, a in located.items() if a.absent and _reportable(a, gathered, meaning)]
    for name in absent:
        missing(name, texts["term"].format(term=name))
    titles = {s.n: keys(s.entry.title) for s in gathered.sources}
    answered = frozenset().union(*(a.keys.union(*(titles.get(n, keys("")) for n in a.sources)) for a in answer))
    for segment in question.segments:
        title = gathered.sources[0].entry.title if gathered.sources else ""
        for attribute in segment.attributes:
            if not attribute.strict or any(t.text in absent for t in segment.subject):
                continue
            label = _label(attribute, segment, language)
            evidence = _evidence(attribute, segment, gathered, searcher, load, meaning, located)
            if not evidence:
                if gathered.sources or not segment.subject:
                    missing(label, texts["attribute"].format(title=title, term=label))
            elif not any(attribute.is_stated(a.text) for a in answer):
                out.uncited.append(Uncited(term_id("uncited", label, language), label, tuple(evidence)[:5]))
        if (question_mark := _open_question(segment, gathered)) is not None:
            missing(question_mark.text, texts["open"].format(title=_title(question_mark, gathered)))
    taken = {m.term.casefold() for m in out.missing} | {u.term.casefold() for u in out.uncited}
    for name, aspect in located.items():
        if aspect.absent or aspect.term is None or aspect.term.kind == "other" or name.casefold() in taken:
            continue
        if _addressed(aspect.term, aspect, answered, answer):
            continue
        where = [s.entry.id for s in gathered.sources if s.n in aspect.sources] or list(aspect.elsewhere)
        out.uncited.append(Uncited(term_id("uncited", name, language), name, tuple(where[:5])))
    return out


def _locate(term: Term, gathered: Gathered, searcher: Search, meaning: Meaning | None) -> _Aspect:
    in_sources = tuple(s.n for s in gathered.sources if covered(term, s.keys))
    if in_sources:
        return _Aspect(term.text, term, in_sources)
    if elsewhere := _elsewhere(term, searcher):
        return _Aspect(term.text, term, (), elsewhere)
    if term.kind != "name" or term.text.islower():
        close = tuple(s.n for s in gathered.sources if misspelt(term.text, _words(s)))
        if close:
            return _Aspect(term.text, term, close, loose=True)
    if meaning is not None and term.kind != "name":
        meant = tuple(s.n for s in gathered.sources[:4] if _meant(term, s, meaning))
        if meant:
            return _Aspect(term.text, term, meant, loose=True)
    return _Aspect(term.text, term)


def _found_across(located: dict[str, _Aspect], gathered: Gathered, searcher: Search) -> dict[str, _Aspect]:
    """Where no noun of the query is found by any word, the source of the other language whose nearness in meaning
    stands out from all others has them: a question about nothing in the brain is equally far from everything."""
    nouns = [a for a in located.values() if a.term is not None and a.term.kind != "other"]
    if not nouns or not all(a.absent and a.term is not None and a.term.kind == "noun" for a in nouns):
        return located
    near = searcher.passage_neighbours(gathered.question.text, 10)
    best = next((n for n in near), None)
    if best is None or best[2] < _STANDS_OUT_LEAST:
        return located
    source = next((s for s in gathered.sources if s.entry.id == best[0]), None)
    second = max((cosine for entry_id, _, cosine in near if entry_id != best[0]), default=0.0)
    if source is None or source.entry.language == gathered.question.language or best[2] - second < _STANDS_OUT:
        return located
    return {
        name: replace(aspect, sources=(source.n,), loose=True) if aspect.absent else aspect
        for name, aspect in located.items()
    }


def _loosely(located: Mapping[str, _Aspect], number: int) -> frozenset[str]:
    return frozenset(name for name, aspect in located.items() if aspect.loose and number in aspect.sources)


def _elsewhere(term: Term, searcher: Search) -> tuple[str, ...]:
    """Entries outside the hits that hold every word of the term, through the index's own analysis."""
    found: set[str] | None = None
    for word in term.text.split():
        ids = set(searcher.has_term(word))
        found = ids if found is None else found & ids
        if not found:
            return ()
    return tuple(sorted(found or ()))


def _words(source: Source) -> frozenset[str]:
    text = " ".join((source.entry.title, *source.entry.aliases, source.entry.body))
    return frozenset(t.lower() for t in tokens(text) if len(t) > 3)


def _meant(term: Term, source: Source, meaning: Meaning) -> bool:
    """Whether the words of a term that a source does not have stand in it under another name."""
    named = [p for word in term.text.split() for p in pieces(word)]
    lacking = [name for name, word in zip(named, term.words, strict=False) if not stands(word, source.keys)]
    if len(named) != len(term.words):
        lacking = [term.text]
    heads = [source.entry.title, *source.entry.aliases, *(h.text for h in source.entry.headings)]
    words: dict[str, None] = dict.fromkeys(h for h in heads if h)
    for text in (*heads, source.hit.passage):
        for token in tokens(text):
            if len(token) > 3 and token.lower() not in STOP and not any(c.isdigit() for c in token):
                words.setdefault(token)
    compared = list(words)[:_COMPARED]
    return bool(lacking) and all(any(n >= SAME_THING for n in meaning.nearest(w, compared)) for w in lacking)


def _reportable(aspect: _Aspect, gathered: Gathered, meaning: Meaning | None) -> bool:
    term = aspect.term
    if term is None or term.kind == "other" or len(fold(term.text)) < 3:
        return False
    return term.kind == "name" or meaning is not None or gathered.result.coverage != "good"


def _label(attribute: Attribute, segment: Segment, language: str) -> str:
    name = attribute.label.get(language, attribute.label["en"])
    things = " ".join(t.text for t in segment.subject[:4])
    return f"{name}: {things}" if things else name


def _evidence(
    attribute: Attribute,
    segment: Segment,
    gathered: Gathered,
    searcher: Search,
    load: Load,
    meaning: Meaning | None,
    located: Mapping[str, _Aspect],
) -> list[str]:
    """Ids of entries that state the attribute of the clause's things: the hits, else others about all its things."""
    language = gathered.question.language
    found = [
        s.entry.id
        for s in gathered.sources
        if _states(attribute, segment, s.entry, s.statements, s.keys, language, meaning, _loosely(located, s.n))
    ]
    if found or not segment.subject:
        return found
    held = [set(_elsewhere(t, searcher)) for t in segment.subject]
    inside = {s.entry.id for s in gathered.sources}
    others = sorted(set.intersection(*held) - inside)[:_FAR_ENTRIES] if all(held) else []
    for entry in load(others) if others else ():
        said = statements(entry)
        all_of = frozenset().union(keys(entry.title), *(s.keys | s.context for s in said))
        if _states(attribute, segment, entry, said, all_of, language, None, frozenset()):
            found.append(entry.id)
    return found


def _states(
    attribute: Attribute,
    segment: Segment,
    entry: Entry,
    said: Sequence[Statement],
    held: frozenset[str],
    language: str,
    meaning: Meaning | None,
    loosely: frozenset[str],
) -> bool:
    """Whether an entry states the attribute near the clause's things (in the statement, the one before, the headings).

    `loosely` are the terms that the entry has under another name. Who does something must stand in the statement
    itself: the sentence before speaks of others.
    """
    things = [t for t in segment.subject if t.text not in loosely]
    if any(t.kind == "name" and not covered(t, held) for t in things) and entry.language == language:
        return False
    if things and sum(covered(t, held) for t in things) / len(things) < ABOUT and entry.language == language:
        return False
    verbs = [t for t in segment.terms if t.kind == "other"]
    enough = ABOUT if attribute.name == "who" else BOUND
    by_meaning: list[Statement] = []
    for i, statement in enumerate(said):
        near = statement.keys | statement.context
        if attribute.name != "who" and i:
            near |= said[i - 1].keys
        bound = sum(covered(t, near) for t in things) + 0.5 * sum(covered(t, near) for t in verbs)
        if not things or bound / len(things) >= enough:
            if not statement.open and attribute.is_stated(statement.text):
                return True
        elif entry.language != language and len(by_meaning) < 12 and not statement.open:
            by_meaning.append(statement)
    if meaning is None or not by_meaning:
        return False
    asked_for = " ".join((*(t.text for t in things), *(t.text for t in verbs)))
    nearness = meaning.nearest(asked_for, [f"{entry.title} {s.text}" for s in by_meaning])
    return any(near >= _MEANT and attribute.is_stated(s.text) for near, s in zip(nearness, by_meaning, strict=True))


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
    for source in gathered.sources[:3]:
        for s in source.statements:
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


def _title(statement: Statement, gathered: Gathered) -> str:
    return next((s.entry.title for s in gathered.sources if s.entry.id == statement.entry_id), "")


def _addressed(term: Term, aspect: _Aspect, answered: frozenset[str], answer: Sequence[Said]) -> bool:
    """Whether the answer speaks of a term, in any form the term was found by."""
    if covered(term, answered):
        return True
    cited = {n for said in answer for n in said.sources}
    # Found by misspelling or meaning: the answer draws on the source that has it.
    return aspect.loose and bool(cited & set(aspect.sources))
