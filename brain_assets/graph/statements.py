"""What an entry states: its sentences with their values, polarity, subject and scope, each quotable verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from brain_assets.graph import polarity, quantities, scope
from brain_assets.graph.scope import Scope
from brain_assets.graph.wording import Term, terms
from brain_assets.model.entry import Entry
from brain_assets.text import sentences

MAX_STATEMENTS = 400
"""Statements read of one entry: a table of ten thousand rows is data, not knowledge to be compared row by row."""
MAX_QUOTE = 400

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"^(\s*(?:>\s?)*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_QUOTE_MARK = re.compile(r"^\s*(?:>\s?)+(?:\[!\w+\][+-]?\s*)?")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}")
_LEAD = re.compile(r"^\s*(?:\*\*|__)(.{2,80}?)(?:\*\*|__)[:.]?\s*|^\s*([A-ZÄÖÜ][\w äöüßÄÖÜ/-]{1,40}):\s+(?=\S)")
_PRONOUN = re.compile(
    r"^\W*(er|sie|es|dies|diese[rsnm]?|dieses|dafür|damit|beide|it|they|this|these|that|those|both|its|their|seine?|ihre?)\b", re.I
)
_CLAUSE = re.compile(
    r";\s+|,\s+(?=(?:weil|damit|sonst|denn|aber|so ?dass|obwohl|falls|because|but|although|otherwise|so that|"
    r"except|außer|bis|until)\b)|\s+(?=(?:because|so that|although)\b)",
    re.I,
)
_BUT = re.compile(r"\bkein(?:e[nrms]?)?\s+([^,.;]{2,60}),\s*sondern\b", re.I)


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause that says something checkable.

    `own` are its words without values, `around` those of its sentence, `context` of title, headings and labels;
    `subject` is what it speaks of when the clause itself does not name it (`elliptic`).
    """

    entry_id: str
    quote: str
    values: tuple[quantities.Value, ...]
    own: tuple[Term, ...]
    around: tuple[Term, ...]
    context: tuple[Term, ...]
    subject: tuple[Term, ...]
    elliptic: bool
    scope: Scope
    polarity: polarity.Polarity
    text: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line stands while the entry is read."""

    headings: tuple[str, ...]
    label: str = ""
    columns: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def _cached(entry_id: str, digest: str, title: str, body: str, status: str | None, tags: tuple[str, ...], aliases: tuple[str, ...]) -> tuple[Statement, ...]:
    return tuple(_read(entry_id, title, body, status, tags, aliases))


def of(entry: Entry) -> tuple[Statement, ...]:
    """The statements of an entry, in the order of its text, at most MAX_STATEMENTS."""
    return _cached(entry.id, entry.text_digest, entry.title, entry.body, entry.status, entry.tags, entry.aliases)


def _read(
    entry_id: str, title: str, body: str, status: str | None, tags: tuple[str, ...], aliases: tuple[str, ...]
) -> Iterator[Statement]:
    title_terms = terms(" ".join((title, *aliases)))
    outer = scope.of_text(title + " " + " ".join(t.replace("-", " ") for t in tags))
    outer = replace(outer, planned=scope.draft(status) or outer.planned, past=scope.deprecated(status), here=False)
    count, previous = 0, ""
    for line, offset, place in _lines(body, title):
        for sentence in sentences.split(line):
            for statement in _of_sentence(entry_id, sentence.text, previous, place, title_terms, outer, count):
                yield statement
                count += 1
                if count >= MAX_STATEMENTS:
                    return
            previous = sentence.text


def _lines(body: str, title: str) -> Iterator[tuple[str, int, _Place]]:
    """Text lines with their place; code fences are skipped, list marks and quote marks removed."""
    headings: list[tuple[int, str]] = []
    columns: tuple[str, ...] = ()
    fenced, position, before = False, 0, ""
    lines = body.splitlines(keepends=True)
    for index, raw in enumerate(lines):
        line, offset = raw.rstrip("\r\n"), position
        position += len(raw)
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced or not bare:
            columns = columns if fenced else ()
            continue
        if match := _HEADING.match(bare):
            level = len(match[1])
            headings = [h for h in headings if h[0] < level]
            headings.append((level, match[2]))
            before = ""
            continue
        if bare.startswith("|"):
            following = lines[index + 1] if index + 1 < len(lines) else ""
            if _TABLE_RULE.match(bare):
                continue
            if _TABLE_RULE.match(following):
                columns = tuple(c.strip() for c in bare.strip("|").split("|"))
                continue
            yield bare, offset, _Place(_path(headings, title), "", columns)
            continue
        columns = ()
        item = _ITEM.match(line)
        text = line[item.end() :] if item else _QUOTE_MARK.sub("", line)
        if not item:
            before = text if text.rstrip().endswith(":") else ""
        lead = _LEAD.match(text)
        label = (lead[1] or lead[2] or "") if lead else (before if item else "")
        if text.strip():
            yield text.strip(), offset, _Place(_path(headings, title), label, ())


def _path(headings: list[tuple[int, str]], title: str) -> tuple[str, ...]:
    return tuple(h for _, h in headings if h.strip().lower() != title.strip().lower())


def _of_sentence(
    entry_id: str, sentence: str, previous: str, place: _Place, title_terms: tuple[Term, ...], outer: Scope, count: int
) -> Iterator[Statement]:
    values = quantities.find(sentence)
    row = sentence.startswith("|")
    spans = [(v.start, v.end) for v in values]
    spans += [m.span(1) for m in _BUT.finditer(sentence)]
    around = terms(sentence, skip=spans)
    pronoun = bool(_PRONOUN.match(sentence))
    antecedent = terms(_BUT.sub(" ", previous), skip=[(v.start, v.end) for v in quantities.find(previous)]) if pronoun else ()
    local = " ".join((*place.headings, place.label, *place.columns))
    context = (*terms(local), *antecedent, *title_terms)
    section = scope.within(scope.of_text(" ".join((*place.headings, place.label))), outer)
    start = 0
    bounds = [m.span() for m in _CLAUSE.finditer(sentence)] if not row else []
    for cut, resume in (*bounds, (len(sentence), len(sentence))):
        clause = sentence[start:cut]
        inside = tuple(v for v in values if start <= v.start < cut)
        own = terms(clause, skip=[(max(0, s - start), max(0, e - start)) for s, e in spans if s < cut and e > start])
        own = tuple(t for t in own)
        heavy = [t for t in own if not t.light]
        here = scope.within(scope.of_text(sentence), section)
        elliptic = len(heavy) <= 1 or pronoun or here.here or row
        subject = tuple(dict.fromkeys((*antecedent, *terms(place.label), *title_terms))) if elliptic else ()
        if inside or heavy:
            yield Statement(
                entry_id, sentence[:MAX_QUOTE], inside, own, around, context, subject, elliptic, here,
                polarity.of(clause), clause, count,
            )  # fmt: skip
        start = resume
