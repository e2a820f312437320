"""Where the aspects of a question stand: each thing in which sources or elsewhere in the brain, and for each asked
attribute the statements that give it a value.

A thing is tried in every form before it is called absent: inflection, compounds, umlaut spelling, misspelling, the
bilingual table, aliases and tags, the whole index, and meaning across languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from brain_assets.model.entry import Entry
from brain_assets.text.words import STOP, fold, tokens
from brain_assets.think.aspects import Segment, Term, pieces
from brain_assets.think.attributes import Attribute
from brain_assets.think.forms import covered, halves, misspelt, stands
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
_MOST_MEANT = 12
_MOST_FOREIGN = 3
_NEAREST_FOREIGN = 3
_STANDS_OUT = 0.08
_STANDS_OUT_LEAST = 0.28
_COMPARED = 60
"""Words of a source that a term is compared with by meaning."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing stands: source numbers, ids elsewhere in the brain, or nowhere. `loose`: not by its own word."""

    term: Term
    sources: tuple[int, ...] = ()
    elsewhere: tuple[str, ...] = ()
    loose: bool = False

    @property
    def absent(self) -> bool:
        return not self.sources and not self.elsewhere


@dataclass(frozen=True, slots=True)
class Found:
    """The statements that give one asked attribute a value, the best bound and best ranked first."""

    segment: Segment
    attribute: Attribute
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Evidence:
    places: Mapping[str, Place]
    attributes: tuple[Found, ...]


def find(gathered: Gathered, searcher: Search, *, load: Load, meaning: Meaning | None) -> Evidence:
    """Locate everything the question names and asks. `load` gives the entries of ids outside the hits."""
    places = {t.text: _locate(t, gathered, searcher, meaning) for t in gathered.question.terms}
    places = _found_across(places, gathered, searcher)
    found = []
    for segment in gathered.question.segments:
        for attribute in segment.attributes:
            if attribute.strict:
                found.append(Found(segment, attribute, _values(attribute, segment, gathered, places, meaning)))
                if not found[-1].statements:
                    found[-1] = replace(found[-1], statements=_far_values(attribute, segment, gathered, searcher, load))
    return Evidence(places, tuple(found))


def _locate(term: Term, gathered: Gathered, searcher: Search, meaning: Meaning | None) -> Place:
    if in_sources := tuple(s.n for s in gathered.sources if _stands_in(term, s)):
        return Place(term, in_sources)
    if elsewhere := _elsewhere(term, searcher):
        return Place(term, (), elsewhere)
    if (term.kind != "name" or term.text.islower()) and (
        close := tuple(s.n for s in gathered.sources if misspelt(term.text, _words(s)))
    ):
        return Place(term, close, loose=True)
    if meaning is not None and term.kind == "noun":
        meant = tuple(s.n for s in gathered.sources[:3] if _meant(term, s, meaning))
        return Place(term, meant, loose=bool(meant))
    return Place(term)


def _stands_in(term: Term, source: Source) -> bool:
    """Whether a source has a term. "Firma" in one place and "Wagen" in another are no "Firmenwagen"."""
    if fold(term.text) in {fold(name) for name in _names(source.entry)}:
        return True
    if not covered(term, source.keys):
        return False
    if term.kind == "name" or not all(word.stems.isdisjoint(source.keys) for word in term.words):
        return True
    entry = source.entry
    filed = keys(" ".join((entry.title, *entry.tags, *entry.aliases)))
    return covered(term, filed) or any(covered(term, s.keys | s.context) for s in source.statements)


def _names(entry: Entry) -> tuple[str, ...]:
    """What a person may call an entry by: its id, the id without its kind, its path."""
    return (entry.id, entry.id.partition(":")[2], entry.path or entry.id)


def _elsewhere(term: Term, searcher: Search) -> tuple[str, ...]:
    """Entries that hold every word of the term, through the index's own analysis."""
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
    for name in lacking:
        meaning.nearest(name, compared)
    return bool(lacking) and all(any(_is_called(w, c, meaning) for c in compared) for w in lacking)


def _is_called(wanted: str, word: str, meaning: Meaning) -> bool:
    """Whether a word means what is wanted, and not only the first part of that compound: a company is no company car."""
    near = meaning(wanted, word)
    if near < SAME_THING:
        return False
    return not any(meaning(before, word) > max(near, meaning(head, word)) for before, head in halves(wanted))


def _found_across(places: dict[str, Place], gathered: Gathered, searcher: Search) -> dict[str, Place]:
    """Where no noun of the query is found by any word, the source of the other language whose nearness in meaning
    stands out from all others has them: a question about nothing in the brain is equally far from everything."""
    nouns = [p for p in places.values() if p.term.kind != "other"]
    if not nouns or not all(p.absent and p.term.kind == "noun" for p in nouns):
        return places
    near = searcher.passage_neighbours(gathered.question.text, 10)
    if not near or near[0][2] < _STANDS_OUT_LEAST:
        return places
    best, _, cosine = near[0]
    source = next((s for s in gathered.sources if s.entry.id == best), None)
    second = max((c for entry_id, _, c in near if entry_id != best), default=0.0)
    if source is None or source.entry.language == gathered.question.language or cosine - second < _STANDS_OUT:
        return places
    return {
        name: replace(place, sources=(source.n,), loose=True) if place.absent else place
        for name, place in places.items()
    }


def _values(
    attribute: Attribute,
    segment: Segment,
    gathered: Gathered,
    places: Mapping[str, Place],
    meaning: Meaning | None,
) -> tuple[Statement, ...]:
    """Statements of the hits that give the clause's things a value of the attribute."""
    language = gathered.question.language
    foreign = [s for s in gathered.sources if s.entry.language != language][:_MOST_FOREIGN]
    # By meaning only where no words lead to a value: it costs a hundred times as much.
    for sources, by in ((gathered.sources, None), (foreign, meaning)):
        rated: list[tuple[float, int, int, Statement]] = []
        for source in sources:
            loosely = frozenset(n for n, place in places.items() if place.loose and source.n in place.sources)
            least = BOUND if min(source.n, source.hit.rank) <= _NEAREST_FOREIGN else ABOUT
            stated = _stated(
                attribute, segment, source.entry, source.statements, source.keys, language, loosely, by, least
            )
            rated += [(-share, source.n, s.ordinal, s) for share, s in stated]
        if rated or meaning is None:
            break
    rated.sort(key=lambda r: r[:3])
    return tuple(r[3] for r in rated)


def _far_values(
    attribute: Attribute, segment: Segment, gathered: Gathered, searcher: Search, load: Load
) -> tuple[Statement, ...]:
    """The same in entries outside the hits that have all things of the clause."""
    held = [set(_elsewhere(t, searcher)) for t in segment.subject]
    if not held or not all(held):
        return ()
    inside = {s.entry.id for s in gathered.sources}
    others = sorted(set.intersection(*held) - inside)[:_FAR_ENTRIES]
    out: list[Statement] = []
    for entry in load(others) if others else ():
        said = statements(entry)
        all_of = frozenset().union(keys(entry.title), *(s.keys | s.context for s in said))
        language = gathered.question.language
        out += [s for _, s in _stated(attribute, segment, entry, said, all_of, language, frozenset(), None)]
    return tuple(out)


def _stated(
    attribute: Attribute,
    segment: Segment,
    entry: Entry,
    said: Sequence[Statement],
    held: frozenset[str],
    language: str,
    loosely: frozenset[str],
    meaning: Meaning | None,
    least: float = ABOUT,
) -> list[tuple[float, Statement]]:
    """Statements of an entry that state the attribute near the clause's things (in the statement, the one before, the
    headings), each with the share of the things that stand there.

    `least` is the share of the things that an entry in the other language must have: half will do where search found
    it among the nearest, for no table of translations is complete. `loosely` are the terms that the entry has under
    another name. Who does something must stand in the statement itself: the sentence before speaks of others.
    """
    things = [t for t in segment.subject if t.text not in loosely]
    there = [t for t in things if covered(t, held)]
    native = entry.language == language
    if native and any(t.kind == "name" and t not in there for t in things):
        return []
    about = not things or len(there) / len(things) >= (ABOUT if native else least)
    if native and not about:
        return []
    verbs = [t for t in segment.terms if t.kind == "other" and covered(t, held)]
    enough = ABOUT if attribute.name == "who" else BOUND
    out: list[tuple[float, Statement]] = []
    by_meaning: list[Statement] = []
    for i, statement in enumerate(said):
        if statement.open:
            continue
        near = statement.keys | statement.context
        if attribute.name != "who" and i:
            near |= said[i - 1].keys
        bound = sum(covered(t, near) for t in there)
        helped = bound + 0.5 * sum(covered(t, near) for t in verbs) if bound else 0.0
        share = helped / len(things) if things else BOUND
        if about and share >= enough:
            if attribute.is_stated(statement.text):
                own = sum(covered(t, statement.keys) for t in (*things, *verbs))
                out.append((share + 0.1 * own, statement))
        elif not native and len(by_meaning) < _MOST_MEANT:
            by_meaning.append(statement)
    if out or meaning is None or not by_meaning:
        return out
    asked_for = " ".join(t.text for t in (*things, *verbs))
    nearness = meaning.nearest(asked_for, [f"{entry.title} {s.text}" for s in by_meaning])
    return [
        (near, s)
        for near, s in zip(nearness, by_meaning, strict=True)
        if near >= _MEANT and attribute.is_stated(s.text)
    ]
