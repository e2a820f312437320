"""What an entry states: its clauses with their values, polarity, subject and scope, each quotable verbatim."""

from __future__ import annotations

import pickle
import re
import zlib
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Generic, TypeVar

from brain_assets.graph import designations, polarity, quantities, scope
from brain_assets.graph.outlines import LONG, Outline, Sets, Statement, Statements, ones
from brain_assets.graph.quantities import Value
from brain_assets.graph.scope import Scope
from brain_assets.graph.wording import Term, are_two, looks_german, terms
from brain_assets.model.entry import Entry
from brain_assets.text import sentences

__all__ = ["LONG", "Outline", "Sets", "Statement", "Statements", "of", "ones", "plain_terms"]

T = TypeVar("T")

MAX_STATEMENTS = 400
"""Statements read of one entry: a table of ten thousand rows is data, not knowledge to be compared row by row."""
MAX_CHARS = 100_000
"""Characters of an entry that are compared: who writes more in one note has pasted something."""
MAX_QUOTE = 400
_FEW_NOUNS = 1.6
_ANTECEDENTS = 4

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"^(\s*(?:>\s?)*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_QUOTE_MARK = re.compile(r"^\s*(?:>\s?)+(?:\[!\w+\][+-]?\s*)?")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}")
_LEAD = re.compile(r"^\s*(?:\*\*|__)(.{2,80}?)(?:\*\*|__)[:.]?\s*|^\s*([A-ZÄÖÜ][\w äöüßÄÖÜ/-]{1,40}):\s+(?=\S)")
_PRONOUN = re.compile(
    r"^\W*(er|sie|es|dies|diese[rsnm]?|dieses|dafür|damit|beide|it|they|this|these|that|those|both|its|their|"
    r"seine?|ihre?)\b",
    re.I,
)
_BACK = re.compile(r"\b(dafür|darauf|daran|darin|damit|dazu|davon|dort|there|for it|to it|of it)\b", re.I)
_CLAUSE = re.compile(
    r";\s+|:\s+|\s+[–—]\s+|,\s+(?=(?:weil|damit|sonst|denn|aber|so|also|daher|deshalb|obwohl|falls|nicht|"
    r"kein\w*|laut|gemäß|not|no|"
    r"because|but|although|otherwise|except|außer|bis|until|unless|wenn|if|according|as)\b)|\s+(?=(?:because|"
    r"so that|although|unless)\b)|"
    r"\s+(?:und|and)\s+(?=(?:is|are|has|have|can|must|may|needs?|does|do|will|accepts?|keeps?|no|not|hat|ist|"
    r"sind|kann|muss|wird|werden|"
    r"braucht|darf|kein\w*|nicht)\b)",
    re.I,
)
_CONCEDED = re.compile(r",\s+(?:although|though|even though|obwohl|obgleich)\b", re.I)
_SYMPTOMS = re.compile(
    r"^\W*(?:problem\w*|symptom\w*|fehlerbild|störungsbild|störung|beobachtung\w*|anzeichen|ausgangslage|fehlermeldung\w*|"
    r"typische (?:fehler|probleme)|issue|what happens|observ\w+|signs?|common (?:errors|problems|issues))\b",
    re.I,
)
_CASES = re.compile(
    r"^\W*(?:what|which|when|who|how|was|welche\w*|wann|wer|wie|wo)\b|\b(?:wenn|falls|if|when|bei|fälle\w*|cases?|"
    r"beispiele?|examples?|symptome?|anzeichen|signs?)\b.*:\s*$",
    re.I,
)
"""How a line begins or ends that a list of cases follows."""
_THERE = re.compile(r"\b(?:there|dort)\b", re.I)
_COMMA = re.compile(r",\s+")
_ENGLISH_STOP = re.compile(r"(?<=\d)\.\s+(?=[A-Z][a-z])")
_JOINT = re.compile(r",\s+(?:und|and|sowie)?\s*|\s+(?:und|and|sowie|oder|or)\s+", re.I)
_BUT = re.compile(r"\bkein(?:e[nrms]?)?\s+([^,.;]{2,60}),\s*sondern\b", re.I)
_ENGLISH_TITLE = re.compile(r"\b[a-z]\w*\b")
_ADJACENT = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)+")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line stands: headings above it, its label, the table's column names; `case`: where cases and symptoms are
    described, not what holds."""

    headings: tuple[str, ...]
    label: str = ""
    columns: tuple[str, ...] = ()
    case: bool = False


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all statements of an entry share."""

    entry_id: str
    title: tuple[Term, ...]
    phrases: tuple[str, ...]
    filed: tuple[Term, ...]
    scope: Scope


def of(entry: Entry) -> Statements:
    """The statements of an entry, in the order of its text, at most MAX_STATEMENTS."""
    categories = entry.record.categories if entry.record else ()
    filed = tuple(t for t in (*entry.tags, *categories) if not t.startswith("AI-"))
    # The text counts besides its digest: whoever compares only a part of an entry keeps the digest of the whole.
    problem = len(entry.record.text) if entry.record and entry.body.startswith(entry.record.text) else 0
    key = (entry.id, entry.text_digest, entry.title, entry.status, filed, entry.aliases, problem, hash(entry.body))
    found = _open.get(key)
    if found is None:
        packed = _packed.pop(key)
        if packed is None:
            found = _read(entry.id, entry.title, entry.status, filed, entry.aliases, problem, entry.body[:MAX_CHARS])
        else:
            found = pickle.loads(zlib.decompress(packed))  # noqa: S301 - packed by this process, below
        for old, statements in _open.put(key, found):
            _packed.put(old, zlib.compress(pickle.dumps(statements, pickle.HIGHEST_PROTOCOL), 1))
    return found


class _Recent(Generic[T]):
    """The values used last, at most `size` of them."""

    def __init__(self, size: int) -> None:
        self._size, self._held = size, OrderedDict[Hashable, T]()

    def get(self, key: Hashable) -> T | None:
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def pop(self, key: Hashable) -> T | None:
        return self._held.pop(key, None)

    def put(self, key: Hashable, value: T) -> list[tuple[Hashable, T]]:
        """Keep a value; what no longer finds room is returned."""
        self._held[key] = value
        self._held.move_to_end(key)
        return [self._held.popitem(last=False) for _ in range(len(self._held) - self._size)]


_open: _Recent[Statements] = _Recent(1000)
_packed: _Recent[bytes] = _Recent(50_000)
"""Unpacking an entry's statements takes a fifth of the time of reading them, and a twentieth of the memory."""


def _read(
    entry_id: str,
    title: str,
    status: str | None,
    filed: tuple[str, ...],
    aliases: tuple[str, ...],
    problem: int,
    body: str,
) -> Statements:
    outer = scope.of_text(title + " " + " ".join(filed))
    outer = replace(
        outer, planned=scope.draft(status) or "(plan)" in title.lower(), past=scope.deprecated(status), here=False
    )
    named = terms(" ".join((title, *aliases)))
    phrases = () if looks_german(title) and not _ENGLISH_TITLE.search(title) else _pairs(title, (), 0)
    frame = _Frame(entry_id, named, phrases, terms(" ".join(f.replace("-", " ") for f in filed)), outer)
    out: list[Statement] = []
    before: tuple[Term, ...] = ()
    for line, place in _lines(body, title, problem):
        for sentence in _sentences(line):
            found, before = _of_sentence(frame, sentence, before, place, len(out))
            out.extend(found)
            if len(out) >= MAX_STATEMENTS:
                return Statements(out[:MAX_STATEMENTS])
    return Statements(out)


def _lines(body: str, title: str, problem: int = 0) -> Iterator[tuple[str, _Place]]:
    """Text lines with their place; code fences are skipped, list marks and quote marks removed.

    The first `problem` characters tell what someone has met, not what holds.
    """
    told = body.count("\n", 0, problem) if problem else -1
    headings: list[tuple[int, str]] = []
    columns: tuple[str, ...] = ()
    fenced, before = False, ""
    lines = body.split("\n")
    for index, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced or not bare:
            columns = columns if fenced else ()
            continue
        if match := _HEADING.match(bare):
            headings = [h for h in headings if h[0] < len(match[1])]
            headings.append((len(match[1]), match[2]))
            before = ""
            continue
        path = tuple(h for _, h in headings if h.strip().lower() != title.strip().lower())
        if bare.startswith("|"):
            following = lines[index + 1] if index + 1 < len(lines) else ""
            if not _TABLE_RULE.match(bare) and _TABLE_RULE.match(following):
                columns = tuple(c.strip() for c in bare.strip("|").split("|"))
            elif not _TABLE_RULE.match(bare):
                yield bare, _Place(path, "", columns)
            continue
        columns = ()
        item = _ITEM.match(line)
        text = line[item.end() :] if item else _QUOTE_MARK.sub("", line)
        if not item:
            before = text if text.rstrip().endswith(":") else ""
        lead = _LEAD.match(text)
        label = (lead[1] or lead[2] or "") if lead else (before if item else "")
        if text.strip():
            listed = bool(item and before and _CASES.search(before))
            yield text.strip(), _Place(path, label, (), listed or index <= told or any(map(_SYMPTOMS.match, path)))


@lru_cache(maxsize=20_000)
def plain_terms(text: str) -> tuple[Term, ...]:
    """The meaningful words of a title, heading or label."""
    return terms(text) if text else ()


def _sentences(line: str) -> Iterator[str]:
    """Sentences of a line; an English one may end in a number."""
    for sentence in sentences.split(line):
        if not _ENGLISH_STOP.search(sentence.text) or looks_german(sentence.text):
            yield sentence.text
            continue
        start = 0
        for match in _ENGLISH_STOP.finditer(sentence.text):
            yield sentence.text[start : match.start() + 1]
            start = match.end()
        yield sentence.text[start:]


def _of_sentence(
    frame: _Frame, sentence: str, before: tuple[Term, ...], place: _Place, count: int
) -> tuple[list[Statement], tuple[Term, ...]]:
    """The statements of a sentence, and what it is about: its first nouns. `before` is what the last one was about."""
    out: list[Statement] = []
    values = quantities.find(sentence)
    if any("UTC" in c or "GMT" in c for c in place.columns):
        values = [replace(v, dimension="clock:utc") if v.dimension == "clock" else v for v in values]
    if sentence.startswith("|"):
        values = sorted((*values, *_figures(sentence, values, place.columns)), key=lambda v: v.start)
    spans = [(v.start, v.end) for v in values]
    if "sondern" in sentence:
        spans += [m.span(1) for m in _BUT.finditer(sentence)]
    german = looks_german(sentence)
    around = terms(sentence, skip=spans, german=german)
    pronoun = bool(_PRONOUN.match(sentence))
    label, headings = plain_terms(place.label), plain_terms(" ".join(place.headings))
    columns = plain_terms(" ".join(place.columns))
    context = (*columns, *label, *headings, *(before if pronoun else ()), *frame.title, *frame.filed)
    section = scope.within(scope.of_text(" ".join((*place.headings, place.label))), frame.scope)
    here = scope.within(scope.of_text(sentence), section)
    row = sentence.startswith("|")
    opening: tuple[Term, ...] = ()
    last: tuple[Term, ...] = ()
    for number, (start, end, told) in enumerate(
        _cells(sentence, values, place.columns) if row else ((*c, "") for c in _clauses(sentence, values))
    ):
        clause = sentence[start:end]
        inside = tuple(v for v in values if start <= v.start < end)
        cut = [(max(0, s - start), max(0, e - start)) for s, e in spans if s < end and e > start]
        own = around if len(clause) == len(sentence) else terms(clause, skip=cut, german=german)
        if told:
            own = tuple({t.text.lower(): t for t in (*plain_terms(told), *own)}.values())
        heavy = [t for t in own if not t.light]
        earlier = dict.fromkeys((*opening, *last)) if number else {}
        if row or here.here:
            subject = [(t, 1.0) for t in (*label, *headings, *frame.title)]
        elif pronoun and not number:
            subject = [(t, 0.8) for t in before] + [(t, 0.3) for t in frame.title]
        elif number and _names_little(own):
            subject = [(t, 0.8) for t in earlier] + ([] if len(earlier) > 1 else [(t, 0.5) for t in frame.title])
        elif _names_little(own):
            bare = len(heavy) <= 1 and not any(t.light for t in own)
            subject = [(t, 1.0 if bare else 0.5) for t in (*label, *headings, *frame.title)]
            subject += [(t, 0.3) for t in before] if not any(t.noun for t in heavy) else []
        else:
            subject = []
        if inside or heavy:
            said = polarity.of(clause)
            case = place.case or (not number and polarity.begins_with_condition(sentence))
            case = case or (said.negated and polarity.condition_follows(sentence, end))
            if case or (said.negated and not number and _CONCEDED.search(sentence)):
                said = replace(said, conditional=said.conditional or case, aside=True)
            found = Statement(
                frame.entry_id, sentence[:MAX_QUOTE], clause, inside, tuple(values), own, around, context,
                _once(subject, own),
                frame.phrases if german else (*_pairs(clause, inside, start), *frame.phrases), here, said, count,
                tuple([t for t in heavy if t.noun]), tuple(dict.fromkeys([*own, *[t for t, _ in subject], *around])),
                _denied(heavy, said) if said.negated else (),
            )  # fmt: skip
            out.append(found)
            count += 1
        opening, last = opening or own, own
    return out, tuple(t for t in around if t.noun and not t.light)[:_ANTECEDENTS]


def _denied(heavy: list[Term], said: polarity.Polarity) -> tuple[Term, ...]:
    """The first two words that a negation takes back."""
    wanted = {part for w in said.targets for part in (w.lower(), *w.lower().split("-"))}
    return tuple(t for t in heavy if t.text.lower() in wanted)[:2]


def _cell_spans(row: str) -> list[tuple[int, int]]:
    bars = [n for n, mark in enumerate(row) if mark == "|" and row[n - 1 : n] != "\\"]
    return [(one + 1, other) for one, other in pairwise([*bars, len(row)])]


def _figures(row: str, values: list[Value], columns: tuple[str, ...]) -> Iterator[Value]:
    """Cells that are nothing but a figure: the column's name says what is counted."""
    for n, (start, end) in enumerate(_cell_spans(row)):
        cell = row[start:end]
        if n and n < len(columns) and designations.bare(cell) and not any(start <= v.start < end for v in values):
            place = start + len(cell) - len(cell.lstrip())
            yield designations.figure(cell.strip(), place, columns[n])


def _cells(row: str, values: list[Value], columns: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """A table row as one stretch for each cell with a value or a state, with the words that say whose it is: the row's
    first cell and the column's name. A row with neither in its later cells is one stretch."""
    spans = _cell_spans(row)
    valued = [
        (n, start, end)
        for n, (start, end) in enumerate(spans)
        if n and (any(start <= v.start < end for v in values) or polarity.takes_a_side(row[start:end]))
    ]
    if not valued:
        yield 0, len(row), ""
        return
    key = row[slice(*spans[0])].strip()
    for n, start, end in valued:
        yield start, end, f"{key} {columns[n] if n < len(columns) else ''}".strip()


def _names_little(own: tuple[Term, ...]) -> bool:
    """Whether a clause has at most one noun of its own, so that something before it says what it is about."""
    return sum(t.weight for t in own if t.noun and not t.light) < _FEW_NOUNS


def _once(subject: list[tuple[Term, float]], own: tuple[Term, ...]) -> tuple[tuple[Term, float], ...]:
    """Each word of the subject once, without those the clause has itself."""
    said = {t.text.lower() for t in own}
    out: dict[str, tuple[Term, float]] = {}
    for term, weight in subject:
        if term.text.lower() not in said:
            out.setdefault(term.text.lower(), (term, weight))
    return tuple(out.values())


def _clauses(sentence: str, values: list[Value]) -> list[tuple[int, int]]:
    """Stretches of a sentence that each say one thing."""
    cuts = [(m.start(), m.end()) for m in _CLAUSE.finditer(sentence) if not _inside(m.start(), values)]
    if values:
        cuts += [(m.start(), m.end()) for m in _COMMA.finditer(sentence) if not _inside(m.start(), values)]
    parts: list[tuple[int, int]] = []
    start = 0
    for cut, resume in [*sorted(set(cuts)), (len(sentence), len(sentence))]:
        if cut > start:
            parts.append((start, cut))
        start = max(start, resume)
    merged: list[tuple[int, int]] = []
    for begin, end in parts:
        if merged and _THERE.search(sentence, begin, end):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((begin, end))
    if len(values) < 2:
        return merged
    out: list[tuple[int, int]] = []
    for begin, end in merged:
        out.extend(_enumeration(sentence, begin, end, [v for v in values if begin <= v.start < end]))
    return out


def _enumeration(sentence: str, begin: int, end: int, values: list[Value]) -> list[tuple[int, int]]:
    """A clause cut between its values where an `and` stands between them."""
    out, start = [], begin
    for one, other in pairwise(values):
        if match := _JOINT.search(sentence, one.end, other.start):
            out.append((start, match.start()))
            start = match.end()
    out.append((start, end))
    return out


def _inside(position: int, values: list[Value]) -> bool:
    return any(v.start <= position < v.end for v in values)


def _pairs(clause: str, values: tuple[Value, ...], offset: int) -> tuple[str, ...]:
    """Neighbouring English words that may be one German compound."""
    for v in values:
        clause = clause[: v.start - offset] + "|" * (v.end - v.start) + clause[v.end - offset :]
    out: list[str] = []
    for run in _ADJACENT.findall(clause):
        out += [f"{one} {other}" for one, other in pairwise(run.split(" ")) if are_two(one, other)]
    return tuple(out)
