"""Where two entries cannot both be right: conflicting values of one attribute, opposite statements, opposite ways.

One extractor for `think` (on the hits of a query) and for the whole corpus. A statement pair is compared only when
the two speak of the same thing in the same scope; an entry that is marked as superseded, a plan, another environment,
audience, unit or version of the question is no contradiction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial

from brain_assets.graph import likeness, opposition, quantities, scope, statements, supersession
from brain_assets.graph.alignment import Alignment, Matcher, align, titles
from brain_assets.graph.opposition import AGREE, Conflict
from brain_assets.graph.quantities import Value
from brain_assets.graph.statements import Outline, Statement, Statements, ones, plain_terms
from brain_assets.graph.wording import Term, WordSimilarity, keys_of, terms
from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction

THRESHOLD = 0.55
_IN_COMMAND, _BARE = 0.1, 0.15
_MAX_FINDINGS = 5
_LEAST = 0.3
_BY_TITLE, _BY_TITLE_YES_NO = 0.08, 0.13
"""How much two titles on one thing add; measured on labelled pairs, as the threshold is."""


def between(
    a: Entry,
    b: Entry,
    *,
    words: WordSimilarity | None = None,
    threshold: float = THRESHOLD,
    about: Callable[[Statement], bool] | None = None,
    read: Callable[[Entry], Statements] = statements.of,
) -> list[Contradiction]:
    """The contradictions of two entries, surest first; empty when one supersedes the other or both agree.

    Pure, and symmetric but for the order of the sides. `words` (see `wordvectors.WordVectors`) adds nearness of meaning
    beyond the bilingual table: across languages it finds about twice as much. Without it nothing is loaded. `about`
    limits the comparison to the statements it accepts, where only one question matters. `read` gives an entry's
    statements, for those who hold them already.
    """
    if a.id == b.id or excluded(a, b):
        return []
    found: dict[str, Contradiction] = {}
    for conflict in conflicts(a, b, words=words, about=about, read=read):
        if conflict.confidence >= threshold and len(found) < _MAX_FINDINGS:
            reported = finding(a, b, conflict)
            found.setdefault(reported.id, reported)
    return list(found.values())


def excluded(a: Entry, b: Entry) -> bool:
    """Whether the pair is outside the question: one no longer holds, one replaced the other, both are issues of a
    series, or one says that other rules hold for what the other one is about."""
    if supersession.no_longer_valid(a) or supersession.no_longer_valid(b):
        return True
    if supersession.one_series(a, b) or supersession.explicit(a, b) is not None:
        return True
    return _set_apart(a, b) or _set_apart(b, a)


def finding(a: Entry, b: Entry, conflict: Conflict) -> Contradiction:
    """A conflict as it is reported, with an id that stays while the kind and both values stay: two quotes that say the
    same are one finding."""
    newer = None
    if a.date and b.date and a.date != b.date:
        newer = a.id if a.date > b.date else b.id
    first, second = sorted(((a.id, conflict.a_value), (b.id, conflict.b_value)))
    key = "\x1f".join((*first, *second, conflict.kind))
    return Contradiction(
        id="c-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        a=a.id, b=b.id, subject=conflict.subject, kind=conflict.kind,
        a_quote=conflict.a.quote, b_quote=conflict.b.quote,
        a_value=conflict.a_value, b_value=conflict.b_value, confidence=round(conflict.confidence, 3), newer=newer,
    )  # fmt: skip


def conflicts(
    a: Entry,
    b: Entry,
    *,
    words: WordSimilarity | None = None,
    about: Callable[[Statement], bool] | None = None,
    read: Callable[[Entry], Statements] = statements.of,
) -> list[Conflict]:
    """Every conflict of two entries with its confidence, best first, one per pair of quotes."""
    left, right = read(a), read(b)
    matcher = Matcher(words, left, right)
    found: dict[tuple[str, str], Conflict] = {}
    events = is_event(a) or is_event(b)

    def keep(conflict: Conflict | None) -> None:
        if conflict is not None:
            key = (conflict.a.quote, conflict.b.quote)
            if key not in found or found[key].confidence < conflict.confidence:
                found[key] = conflict

    @cache
    def named() -> float:
        return titles(plain_terms(a.title), plain_terms(b.title), matcher) - 0.5

    def by_title() -> float:
        return _BY_TITLE_YES_NO * named()

    for x, y in _worth_comparing(left, right, matcher, about, events) if words is None else ():
        if x.values and y.values:
            keep(_value_conflict(x, y, left, right, matcher, _BY_TITLE * named()))
        keep(opposition.conflict(x, y, left, right, matcher, by_title()))
    if words is not None:
        across = a.language != b.language
        for conflict in opposition.likely(a.title, left, b.title, right, matcher, events, across, about, by_title):
            keep(conflict)
        for conflict in _likely(
            likeness.valued(a.title, left),
            likeness.valued(b.title, right),
            matcher,
            events,
            across,
            about,
            words,
        ):
            keep(conflict)
    return sorted(found.values(), key=lambda c: (-c.confidence, c.a.ordinal, c.b.ordinal))


def _likely(
    left: likeness.Valued,
    right: likeness.Valued,
    matcher: Matcher,
    events: bool,
    across: bool,
    about: Callable[[Statement], bool] | None,
    words: WordSimilarity,
) -> Iterator[Conflict]:
    """Values of the two entries that cannot both hold and are likely said of one thing."""
    comparison = likeness.Comparison(left, right, matcher, event=events, across=across)
    for one, other in comparison.pairs():
        (n, v), (m, w) = left.items[one], right.items[other]
        x, y = left.statements[n], right.statements[m]
        if not possible(x, y, v, w, events, words) or (about is not None and not (about(x) and about(y))):
            continue
        measures = None if comparison.nameless(one, other) else comparison.measures(one, other, _LEAST)
        if measures is None or (sure := likeness.probability(measures)) < _LEAST:
            continue
        if agrees(v, x, right.statements, matcher) or agrees(w, y, left.statements, matcher):
            continue
        subject = " ".join(align(x, y, matcher).shared[:5])
        yield Conflict(x, y, v.kind, v.text, w.text, subject, sure)


def possible(
    x: Statement, y: Statement, v: Value, w: Value, events: bool = False, words: WordSimilarity | None = None
) -> bool:
    """Whether two values differ, measure one sort of thing, and hold at one time and in one scope, so that they conflict
    if one thing is meant. In notes about a day or a meeting (`events`) what was is not compared."""
    if not comparable(v, w, x, y, words):
        return False
    if not quantities.conflicting(v, w) and not quantities.loosely_conflicting(v, w):
        return False
    if x.polarity.question or y.polarity.question or not scope.overlap(x.scope, y.scope):
        return False
    past = scope.of_text(x.text).past
    if past != scope.of_text(y.text).past or (events and past):
        return False
    if _replaces(y, v) or _replaces(x, w):
        return False
    return not (_moment(v, x, events) or _moment(w, y, events) or likeness.another(x, y, v, w))


def _replaces(s: Statement, other: Value) -> bool:
    """Whether a sentence names the other side's value too: it sets that aside or lists both."""
    return any(u.change != "from" and quantities.equal(other, u) for u in s.beside)


_SAID_AT = re.compile(r"^\W*\w[\w .-]{0,24}?\W*$")


def _moment(v: Value, s: Statement, events: bool) -> bool:
    """Whether a time only says when something was written or done: before a line of a chat or of a log."""
    if v.dimension != "clock" or not isinstance(v.amount, tuple) or len(v.amount) > 1:
        return False
    before = s.quote[: v.start]
    if not re.search(r"\w", before):
        return events
    return bool(_SAID_AT.match(before)) and ("**" in before or before.rstrip().endswith(("[", "(")))


_EVENTS = frozenset(
    "daily journal log meeting minutes status incident standup weekly besprechung protokoll tagebuch vorfall".split()
)


def is_event(entry: Entry) -> bool:
    """Whether an entry reports what happened on a day rather than what holds."""
    return (entry.type or "").lower() in _EVENTS or entry.name_date is not None


def _worth_comparing(
    left: Statements, right: Statements, matcher: Matcher, about: Callable[[Statement], bool] | None, events: bool
) -> Iterator[tuple[Statement, Statement]]:
    """Pairs of statements that could conflict and name something in common.

    What was is not compared with what is, nor, in notes about a day or a meeting (`events`), with what else was.
    """
    asked = (1 << len(right)) - 1
    if about is not None:
        asked = sum(1 << n for n, y in enumerate(right) if about(y))
    for x, mine in zip(left, left.outlines, strict=True):
        if (x.scope.past and events) or (about is not None and not about(x)):
            continue
        same_time = right.sets.past if x.scope.past else ~right.sets.past
        those = [bit.bit_length() - 1 for bit in ones(_opposite(x, mine, right, matcher) & asked & same_time)]
        if x.nouns and those:
            within = 0
            for n in those:
                within |= right.outlines[n].named
            anchors = matcher.anchors(x, within)
            those = [n for n in those if anchors & right.outlines[n].named]
        for n in those:
            if scope.compatible(x.scope, right[n].scope):
                yield x, right[n]


def _opposite(x: Statement, mine: Outline, right: Statements, matcher: Matcher) -> int:
    """The statements of the other entry that measure what this one measures, or say the opposite of something it says,
    as bits."""
    sets, p = right.sets, x.polarity
    found = sets.exclusive if p.open_to_all else 0
    if p.only:
        found |= sets.open_to_all
    for bits, into in ((mine.dimensions, sets.measuring), (mine.affirmed, sets.taking_back),
                       (mine.taken_back, sets.affirming)):  # fmt: skip
        for bit in ones(bits):
            found |= into.get(bit, 0)
    if not p.negated:
        return found | sets.denying
    denied = 0
    for t in x.denied:
        denied |= matcher.mask(t, -1)
    if denied:
        found |= sum(1 << n for n, y in enumerate(right.outlines) if denied & y.own) & ~sets.negated
    return found


def _set_apart(this: Entry, other: Entry) -> bool:
    """Whether a sentence of one entry says that other rules hold for what the other entry is about."""
    wanted = {k for t in plain_terms(other.title) if not t.light for k in t.keys}
    if not wanted:
        return False
    return any(
        len(wanted & said) >= share * len(wanted)
        for said, share in _apart(this.id, this.text_digest, this.body[: statements.MAX_CHARS])
    )


@lru_cache(maxsize=8192)
def _apart(entry_id: str, digest: str, body: str) -> tuple[tuple[frozenset[str], float], ...]:
    """Concepts of the lines that set something apart, and what share of a title they must name to mean its entry."""
    lines = ((line, 0.5 if scope.separate(line) else 0.65) for line in body.split("\n"))
    return tuple(
        (frozenset(k for t in terms(line) for k in t.keys), share)
        for line, share in lines
        if share == 0.5 or scope.own_rules(line)
    )


def _value_conflict(
    x: Statement, y: Statement, left: Sequence[Statement], right: Sequence[Statement], matcher: Matcher, bonus: float
) -> Conflict | None:
    if x.polarity.negated != y.polarity.negated or x.polarity.question or y.polarity.question:
        return None
    best: tuple[float, Value, Value, Alignment] | None = None
    for v in x.values:
        for w in y.values:
            if not comparable(v, w, x, y) or not quantities.conflicting(v, w):
                continue
            alignment = align(x, y, matcher, partial(names_dimension, v.dimension))
            score = alignment.score + bonus + _companions(x, y, v, w) - _doubt(v, w, x, y, bonus)
            if (
                not alignment.anchored
                or not alignment.shared
                or alignment.nouns < 0.5
                or (best is not None and score <= best[0])
            ):
                continue
            if agrees(v, x, right, matcher) or agrees(w, y, left, matcher):
                continue
            best = (score, v, w, alignment)
    if best is None:
        return None
    score, v, w, alignment = best
    return Conflict(x, y, v.kind, v.text, w.text, " ".join(alignment.shared[:5]), min(1.0, score))


_DIMENSION_WORDS: dict[str, frozenset[str]] = {
    "address": frozenset(("=address", "=server", "ip")), "host": frozenset(("=address", "=server", "host", "hostnam")),
    "version": frozenset(("=version", "=edition")), "date": frozenset(("=appointment",)),
    "duration": frozenset(("=duration",)), "workdays": frozenset(("=duration",)),
    # How a connection is secured or carried says which port, not whose.
    "port": frozenset(("port", "tls", "starttl", "ssl", "tcp", "udp")),
}  # fmt: skip


def names_dimension(dimension: str, term: Term) -> bool:
    """Whether a word only says what sort of value is given ("the address is …")."""
    return bool(term.keys) and term.keys <= _DIMENSION_WORDS.get(dimension, frozenset())


def _doubt(v: Value, w: Value, x: Statement, y: Statement, bonus: float) -> float:
    """How much less likely it is that one thing is meant: a value in a command belongs to that command, and a clause
    that names nothing itself speaks of what its title names, so that the titles must be alike."""
    doubt = _IN_COMMAND if _in_command(v, x) or _in_command(w, y) else 0.0
    bare = any(all(t.light or names_dimension(v.dimension, t) for t in s.own) for s in (x, y))
    return doubt + (_BARE if bare and bonus < 0 else 0.0)


def _in_command(v: Value, s: Statement) -> bool:
    """Whether a value stands in a code span of several words."""
    sentence, place = s.quote, v.start
    before = sentence.rfind("`", 0, place)
    after = sentence.find("`", place)
    inside = sentence.count("`", 0, place) % 2 == 1
    return inside and after > 0 and sentence.count(" ", before, after) >= 2


def _companions(x: Statement, y: Statement, v: Value, w: Value) -> float:
    """Other values that agree (the same port beside another host) make it likelier that one thing is meant."""
    return min(0.2, 0.12 * likeness.beside(x, y, v, w))


def comparable(v: Value, w: Value, x: Statement, y: Statement, words: WordSimilarity | None = None) -> bool:
    """Whether two values measure the same sort of thing and both are said of the present."""
    if v.dimension != w.dimension or v.dimension in ("url", "email", "network"):
        return False
    if quantities.contrasted(x.text, v) or quantities.contrasted(y.text, w):
        return False
    if _planned(x, v) != _planned(y, w) or _gone(x, v) or _gone(y, w):
        return False
    if v.dimension == "version":
        return _same_label(v, y) and _same_label(w, x) and (not (v.label and w.label) or _one_name(v.label, w.label))
    if v.dimension == "count":
        return _of_one_sort(v.label, w.label, words)
    return True


_ANY_COUNT = frozenset("stück items pieces units entries things einheiten exemplare".split())
_PEOPLE = frozenset(
    "personen person people persons leute menschen visitors besucher guests gäste pupils schüler students teilnehmer participants "
    "mitarbeiter employees staff colleagues kollegen kinder children guards members mitglieder passengers fahrgäste".split()
)
_ONE_SORT = 0.5
_SHORT_NAME = 4


def _of_one_sort(a: str, b: str, words: WordSimilarity | None) -> bool:
    """Whether two counts may count the same: one concept in both labels, people on both sides, anything on one side, or
    nouns of near meaning."""
    mine, theirs = a.split(), b.split()
    if frozenset(k for t in mine for k in keys_of(t)) & frozenset(k for t in theirs for k in keys_of(t)):
        return True
    if not _ANY_COUNT.isdisjoint(mine) or not _ANY_COUNT.isdisjoint(theirs):
        return True
    if not _PEOPLE.isdisjoint(mine):
        return not _PEOPLE.isdisjoint(theirs)
    return words is not None and any(words(s, t) >= _ONE_SORT for s in mine for t in theirs)


def _planned(s: Statement, v: Value) -> bool:
    """Whether the value is the planned one; the old side of a planned change is how things are now."""
    return s.scope.planned and v.change != "from"


def _gone(s: Statement, v: Value) -> bool:
    """Whether the value is the old side of a change that has happened."""
    return v.change == "from" and not s.scope.planned


_SORTS_OF_PROGRAM = (
    "software", "system", "programm", "program", "stand", "firmware", "client", "app", "server", "treiber", "driver", "image",
    "edition", "ausgabe",
)  # fmt: skip


def _same_label(v: Value, other: Statement) -> bool:
    """Whether the product a version belongs to is named on the other side as well."""
    if not v.label or v.label.endswith(_SORTS_OF_PROGRAM):
        return True
    named = any(v.label in t.text.lower() for t in (*other.own, *other.around, *other.context))
    return named or any(_one_name(v.label, w.label) for w in other.values)


def _one_name(a: str, b: str) -> bool:
    """Whether two names of programs are one, or one in short: `postgres` and PostgreSQL."""
    short, long = sorted((a, b), key=len)
    return short == long or (len(short) >= _SHORT_NAME and long.startswith(short))


def agrees(v: Value, x: Statement, others: Sequence[Statement], matcher: Matcher) -> bool:
    """Whether the other entry states this very value of the same thing somewhere."""
    for other in others:
        for w in other.values:
            same = w.dimension == v.dimension and quantities.equal(v, w) and comparable(v, w, x, other)
            if same and align(x, other, matcher).score >= AGREE:
                return True
    return False
