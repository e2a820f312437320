"""The fact base of a pool: verbatim statements with their sources, what they contradict, and what is missing."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Consolidation, Pool, Statement
from brain_assets.synthesis import gaps, roles, structure, wording
from brain_assets.synthesis.structure import Unit
from brain_assets.text import language as languages
from brain_assets.text import words

_SAME = 0.8
_CITATION = re.compile(r"\s*\[(?:KB|kb|note|article|brain)[-:][^\]]{1,80}\]")
_SEE = re.compile(
    r"^(?:siehe|vgl\.?|vergleiche|mehr dazu|einzelheiten|details|see|cf\.?|more in|for details)\b", re.IGNORECASE
)
_TRAILING_SEE = re.compile(
    r"(?:[,;]\s*|\s*\()(?:siehe(?: auch)?|vgl\.?|einzelheiten in|mehr in|details in|see(?: also)?|cf\.?)\s+[^,;.()]{2,80}\)?(?=[.;]?$)",
    re.IGNORECASE,
)
_LINK = re.compile(r"!?\[\[[^\]]*\]\]|\[[^\]]*\]\((?!https?:)[^)]*\)")
_POINTER = re.compile(
    r"\b(?:steht|stehen|findet sich|finden sich|beschreibt|regelt|described|explained|listed|documented)\b[^.]*$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^[\W_]+$")


@dataclass(frozen=True, slots=True)
class SourceUnits:
    """One source cut into pieces; `problem_chars` is how far its problem description reaches (KB entries)."""

    entry: Entry
    units: tuple[Unit, ...]
    problem_chars: int = 0


def read(entry: Entry) -> SourceUnits:
    """Cut an entry into its pieces. A KB entry's `text` is its problem description."""
    chars = 0
    if entry.record is not None and entry.body.startswith(entry.record.text.strip()):
        chars = len(entry.record.text.strip())
    return SourceUnits(entry, tuple(structure.units(entry.body)), chars)


def consolidate(
    pool: Pool,
    sources: Sequence[Entry],
    contradictions: Sequence[Contradiction] = (),
    *,
    version: int = 1,
    evidence: Sequence[Statement] = (),
    neighbours: Sequence[Entry] = (),
) -> Consolidation:
    """The deterministic fact base of a pool.

    `contradictions` are those that touch a source; `evidence` are accepted web statements; `neighbours` are entries
    outside the pool that may answer its open points. A quote that is not in its source is a fault and is dropped and
    counted in `dropped_statements`.
    """
    cut = [read(entry) for entry in sources]
    statements, dropped = [], 0
    disputed = _disputed_quotes(contradictions)
    for source in cut:
        new, lost = _statements(source, disputed.get(source.entry.id, ()))
        statements.extend(new)
        dropped += lost
    statements = merge([*statements, *evidence])
    inside = set(pool.sources)
    known = [c for c in contradictions if c.status in ("open", "confirmed") and c.strength == "strong"]
    critical = tuple(sorted(c.id for c in known if c.a in inside and c.b in inside))
    found = gaps.find(pool, cut, statements, neighbours)
    return Consolidation(
        pool_id=pool.id,
        version=version,
        scope=scope(pool, sources),
        language=pool.language,
        statements=tuple(statements),
        contradictions=tuple(sorted(c.id for c in known)),
        critical_contradictions=critical,
        critical_gaps=tuple(g for g in found if g.critical),
        optional_gaps=tuple(g for g in found if not g.critical),
        research_queries=tuple(g.question for g in found if g.critical),
        dropped_statements=dropped,
    )


def scope(pool: Pool, sources: Sequence[Entry]) -> str:
    """What the pool is about, in one internal line."""
    return f"{pool.title}: " + "; ".join(entry.title for entry in sources)


def _disputed_quotes(contradictions: Iterable[Contradiction]) -> Mapping[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for c in contradictions:
        if c.status in ("open", "confirmed") and c.strength == "strong":
            out.setdefault(c.a, []).append(structure.squash(c.a_quote))
            out.setdefault(c.b, []).append(structure.squash(c.b_quote))
    return {entry_id: tuple(quotes) for entry_id, quotes in out.items()}


def _statements(source: SourceUnits, disputed: Sequence[str]) -> tuple[list[Statement], int]:
    entry = source.entry
    squashed = structure.squash(f"{entry.title}\n{entry.body}")
    written = structure.squash(html.unescape(str(entry.fields.get("as_written", "")))) if entry.record else ""
    out: list[Statement] = []
    dropped = 0
    for number, unit in enumerate(source.units):
        text = clean(unit)
        if not text or not keeps(unit, text):
            continue
        quote = structure.squash(unit.quote)
        if quote not in squashed:
            dropped += 1
            continue
        quote = as_written(quote, written)
        lang = languages.detect(text, default=entry.language)
        problem = unit.position < source.problem_chars
        kind = roles.role(text, lang, kind=unit.kind, headings=unit.headings[1:], problem_text=problem)
        out.append(
            Statement(
                role=kind,
                text=text,
                source_refs=(entry.id,),
                quotes=(quote,),
                language=lang,
                subject=subject(entry, unit, text, lang),
                code=unit.code,
                group=f"{entry.id}#{'/'.join(unit.headings)}#{unit.label or unit.lead}",
                order=unit.number if unit.number is not None else number,
                kind=unit.kind,
                labelled=bool(unit.label),
                disputed=any(q and (q in quote or quote in q) for q in disputed),
            )
        )
    return out, dropped


def as_written(quote: str, written: str) -> str:
    """The part of a quote that stands word for word in the entry's file too, which may hold HTML; else all of it."""
    if not written or quote in written:
        return quote
    pieces = quote.split(" ")
    for size in range(len(pieces) - 1, 1, -1):
        for start in range(len(pieces) - size + 1):
            part = " ".join(pieces[start : start + size])
            if part in written:
                return part
    return quote


def clean(unit: Unit) -> str:
    """A piece's words without pointers to other notes, citation marks and stray emphasis."""
    text = _CITATION.sub("", unit.text)
    text = _TRAILING_SEE.sub("", text).strip()
    if text.count("**") % 2:
        text = text.replace("**", "")
    return " ".join(text.split())


def keeps(unit: Unit, text: str) -> bool:
    """Whether a piece states something: no open or done task, list introduction, bare pointer, question or markup."""
    if unit.kind == "task" or _MARKUP.match(text) or text.endswith((":", "?")) or _SEE.match(text):
        return False
    if unit.kind == "code":
        return False
    if links := _LINK.findall(unit.quote):
        rest = words.content_words(_LINK.sub(" ", unit.quote))
        if len(rest) <= 2 or (_POINTER.search(_LINK.sub("X", unit.quote)) and len(rest) <= 4 + len(links)):
            return False
    if len(words.content_words(text)) < 2 and not re.search(r"\d", text):
        return False
    return not wording.internal(text) and not structure.squash(text).endswith("…")


def subject(entry: Entry, unit: Unit, text: str, language: str) -> str:
    """What the piece is about when its own words do not say so: its label, else the heading or title above it."""
    if unit.label:
        return unit.label
    heading = unit.headings[-1] if len(unit.headings) > 1 else entry.title
    have = words.content_stems(text, language)
    named = words.content_stems(heading, entry.language)
    return "" if not named or named & have else heading


def merge(statements: Sequence[Statement]) -> list[Statement]:
    """Statements that say the same in the same language become one that names every source. Order is kept."""
    out: list[Statement] = []
    stems: list[tuple[str, frozenset[str], frozenset[str]]] = []
    for new in statements:
        key = (new.language, frozenset(words.content_stems(new.whole, new.language)), numbers(new.whole))
        twin = next((i for i, old in enumerate(stems) if _same(key, old) and out[i].disputed == new.disputed), None)
        if twin is None:
            out.append(new)
            stems.append(key)
        else:
            old = out[twin]
            pairs = [*zip(old.source_refs, old.quotes, strict=True), *zip(new.source_refs, new.quotes, strict=True)]
            unique = list(dict.fromkeys(pairs))
            out[twin] = old.model_copy(
                update={"source_refs": tuple(r for r, _ in unique), "quotes": tuple(q for _, q in unique)}
            )
    return out


def _same(a: tuple[str, frozenset[str], frozenset[str]], b: tuple[str, frozenset[str], frozenset[str]]) -> bool:
    if a[0] != b[0] or a[2] != b[2] or not a[1] or not b[1]:
        return False
    return len(a[1] & b[1]) / len(a[1] | b[1]) >= _SAME


_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def numbers(text: str) -> frozenset[str]:
    """Numbers as written, versions and times whole."""
    return frozenset(_NUMBER.findall(text))
