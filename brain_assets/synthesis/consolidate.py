"""The fact base of a pool: verbatim statements with their sources, what they contradict, and what is missing."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Consolidation, Pool, Statement
from brain_assets.synthesis import gaps, plan, roles, structure, titles, wording
from brain_assets.synthesis.landscape import VALUE_KINDS
from brain_assets.synthesis.structure import Unit
from brain_assets.text import language as languages
from brain_assets.text import words

_SAME = 0.8
_DISPUTED_VALUE = 0.65
_DISPUTED_WORDING = 0.75
_CITATION = re.compile(r"\s*\[(?:KB|kb|note|article|brain)[-:][^\]]{1,80}\]")
_SEE = re.compile(
    r"^(?:siehe|vgl\.?|vergleiche|mehr dazu|einzelheiten|details|see|cf\.?|more in|for details)\b", re.IGNORECASE
)
_TRAILING_SEE = re.compile(
    r"(?:(?:[,;]\s*|\s*\()(?:siehe(?: auch)?|vgl\.?|einzelheiten in|mehr in|details in|see(?: also)?|cf\.?)|\s+siehe(?: auch)?)\s+"
    r"[^,;.()]{2,80}\)?(?=[.;]?$)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*\((?:siehe|vgl\.?|s\.|see|cf\.?)\s[^()]{1,80}\)", re.IGNORECASE)
_LINK = re.compile(r"!?\[\[[^\]]*\]\]|\[[^\]]*\]\((?!https?:)[^)]*\)")
_POINTER = re.compile(
    r"(?::|→|->|\b(?:steht|stehen|findet sich|finden sich|beschrieben|beschreibt|erklärt|hilft|helfen|siehe|nach|in|unter|bei|auf|"
    r"described|explained|listed|documented|see|is|are|in|on|with|by))(?: (?:alles|mehr|auch|der|die|das|den|dem|the|in|im))*"
    r"\s+(?:L[,;.]?\s*(?:und|oder|and|or|dann|then|erst)?\s*)+[.!)]*$",
)
_ASKS = re.compile(
    r"^(?:warum|wie|was|wer|wo|welche\w*|wozu|how|what|why|who|where|which|background|hintergrund)\b", re.IGNORECASE
)
_RELATES = re.compile(
    r"^(?:gehört zu|teil von|setzt voraus|ersetzt(?: durch)?|baut auf|schließt an|part of|requires|needs|replaces|replaced by|"
    r"builds on|depends on|belongs to|follows)\b",
    re.IGNORECASE,
)
_CASE_TABLE = re.compile(
    r"\b(?:code|fehler\w*|error|event\w*|ereignis\w*|log\w*|meldung\w*|message|symptom\w*|anzeichen|bedeutung|meaning|reason|ursache|"
    r"cause|fix|lösung|solution|remedy|was tun|what to do|abhilfe|problem)\b",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(r"[^\W\d_]{2}\s*:$|[^\w\s]:$")
"""A text that ends in a colon after a word; "drive E:" introduces nothing."""
_STATES = 6
"""Content words from which on an introduction says something by itself."""
UNQUOTED = "quote not in its source"
_MARKUP = re.compile(r"^[\W_]+$")


@dataclass(frozen=True, slots=True)
class SourceUnits:
    """One source cut into pieces; `problem_chars` is how far its problem description reaches (KB entries), `cases` are
    the labels of its lists that name one kind of a fault each."""

    entry: Entry
    units: tuple[Unit, ...]
    problem_chars: int = 0
    cases: frozenset[str] = frozenset()


def read(entry: Entry) -> SourceUnits:
    """Cut an entry into its pieces. A KB entry's `text` is its problem description."""
    chars = 0
    if entry.record is not None and entry.body.startswith(entry.record.text.strip()):
        chars = len(entry.record.text.strip())
    units = structure.units(entry.body)
    return SourceUnits(entry, units, chars, _cases(entry, units))


def _cases(entry: Entry, units: Sequence[Unit]) -> frozenset[str]:
    """Labels of list items in a source about a fault: two or more of them tell its kinds apart."""
    labels = {unit.label for unit in units if unit.kind == "item" and unit.label}
    return frozenset(labels) if len(labels) >= 2 and plan.problem_source(entry) else frozenset()


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
    outside the pool that may answer its open points. Every piece of a source that is no statement is counted with its
    reason in `left_out`; a quote that is not in its source is a fault and is counted in `dropped_statements` too.
    """
    cut = [read(entry) for entry in sources]
    statements: list[Statement] = []
    left_out: Counter[str] = Counter()
    disputed = _disputed_quotes(contradictions)
    for source in cut:
        new, lost = _statements(source, disputed.get(source.entry.id, ()))
        statements.extend(new)
        left_out += lost
    statements = merge([*statements, *evidence])
    inside = set(pool.sources)
    known = [c for c in contradictions if c.status in ("open", "confirmed") and c.strength == "strong"]
    critical = tuple(sorted(c.id for c in known if c.a in inside and c.b in inside))
    disputed_inside = [c for c in known if c.id in critical]
    found = [*gaps.contradicted(pool, disputed_inside), *gaps.find(pool, cut, statements, neighbours)]
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
        dropped_statements=left_out[UNQUOTED],
        left_out=dict(sorted(left_out.items())),
    )


def scope(pool: Pool, sources: Sequence[Entry]) -> str:
    """What the pool is about, in one internal line."""
    return f"{pool.title}: " + "; ".join(entry.title for entry in sources)


def _disputed_quotes(contradictions: Iterable[Contradiction]) -> Mapping[str, tuple[str, ...]]:
    """Entry → quotes that another entry disputes with some certainty."""
    out: dict[str, list[str]] = {}
    for c in contradictions:
        least = _DISPUTED_VALUE if c.kind in VALUE_KINDS else _DISPUTED_WORDING
        if c.status in ("open", "confirmed") and c.strength == "strong" and c.confidence >= least:
            out.setdefault(c.a, []).append(structure.squash(c.a_quote))
            out.setdefault(c.b, []).append(structure.squash(c.b_quote))
    return {entry_id: tuple(quotes) for entry_id, quotes in out.items()}


def _statements(source: SourceUnits, disputed: Sequence[str]) -> tuple[list[Statement], Counter[str]]:
    """The statements of one source, and how many pieces are none, by reason."""
    entry = source.entry
    squashed = structure.squash(f"{entry.title}\n{entry.body}")
    written = structure.squash(html.unescape(str(entry.fields.get("as_written", "")))) if entry.record else ""
    out: list[Statement] = []
    left_out: Counter[str] = Counter()
    for number, unit in enumerate(source.units):
        unit = _spoken(unit, entry)
        text = clean(unit)
        reason = lacks(unit, text) or ("workshop wording" if entry.ai_origin and wording.internal(text) else "")
        quote = structure.squash(unit.quote)
        if reason or quote not in squashed:
            left_out[reason or UNQUOTED] += 1
            continue
        quote = as_written(quote, written)
        lang = languages.detect(text, default=entry.language)
        problem = unit.position < source.problem_chars
        shape = form(entry, unit, source.cases)
        kind = roles.role(text, lang, kind=shape, headings=unit.headings, problem_text=problem)
        out.append(
            Statement(
                role=kind,
                text=text,
                source_refs=(entry.id,),
                quotes=(quote,),
                language=lang,
                subject=subject(entry, unit, text, lang),
                code=unit.code,
                group=f"{entry.id}#{'/'.join([titles.shown(entry), *unit.headings])}#{unit.label or unit.lead}",
                order=unit.number if unit.number is not None else number,
                kind=shape,
                labelled=bool(unit.label),
                disputed=any(q and (q in quote or quote in q) for q in disputed),
            )
        )
    return out, left_out


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
    text = _TRAILING_SEE.sub("", _ASIDE.sub("", text)).strip()
    if text.count("**") % 2:
        text = text.replace("**", "")
    text = " ".join(text.split())
    states = unit.kind in ("sentence", "item") and not unit.code and len(words.content_words(text)) >= _STATES
    return re.sub(r"\s*:$", ".", text) if states and _INTRODUCES.search(text) else text


def _spoken(unit: Unit, entry: Entry) -> Unit:
    """Code that stands alone, as a piece with words: a line speaks for itself, a block by what introduces it."""
    if unit.kind != "code":
        return unit
    if "\n" not in unit.code:
        return replace(unit, kind="sentence", text=f"`{unit.code.strip()}`", code="")
    named = unit.lead.rstrip(": ") or (unit.headings[-1] if unit.headings else titles.shown(entry))
    return replace(unit, kind="sentence", text=f"{named}:")


def lacks(unit: Unit, text: str) -> str:
    """Why a piece states nothing (a task, a bare pointer, a question, markup, an introduction of nothing); else empty."""
    if unit.kind == "task":
        return "task"
    if not text or _MARKUP.match(text):
        return "markup"
    if text.endswith(("?", "…")) and unit.kind != "step":
        return "question"
    if _SEE.match(text) or _points_elsewhere(unit):
        return "pointer"
    if unit.kind == "sentence" and gaps.is_open(text):
        return "open point"
    if _INTRODUCES.search(text) and not unit.code and unit.kind not in ("step", "row"):
        return "introduction"
    said = f"{unit.label} {text}"
    whole = text.endswith((".", "!")) and " " in text
    if len(words.content_words(said)) < 2 and not re.search(r"\d|`", said) and not whole and unit.kind != "step":
        return "too short"
    return ""


def _points_elsewhere(unit: Unit) -> bool:
    if not _LINK.search(unit.quote):
        return False
    shown = _LINK.sub("L", unit.quote).strip()
    rest = words.content_words(shown.replace("L", " "))
    pointer = _POINTER.search(shown)
    before = words.content_words(shown[: pointer.start()].replace("L", " ")) if pointer else []
    if aside := _TRAILING_SEE.search(unit.text):
        # "The second factor is the app, see [[…]]" states something and then points.
        return len(words.content_words(unit.text[: aside.start()])) < 2
    if len(rest) <= 2 or (_RELATES.match(shown) and len(rest) <= 4):
        return True
    return bool(pointer) and (len(before) <= 3 or bool(_ASKS.match(shown)))


def form(entry: Entry, unit: Unit, cases: frozenset[str] = frozenset()) -> str:
    """The form a statement is used in: a `case` is what its label names as going wrong, a told step is no step."""
    if unit.kind == "step" and (entry.type or "").strip().lower() in gaps.REPORTS:
        return "item"
    if unit.kind == "row":
        names = " ".join(name for name, _ in unit.columns)
        return "case" if _CASE_TABLE.search(names) or roles.is_problem(unit.label) else "row"
    if unit.kind == "item" and unit.label in cases:
        return "case"
    if unit.label and (roles.is_problem(unit.label) or unit.label.endswith("?") or gaps.CODE.search(unit.label)):
        return "case"
    return unit.kind


def subject(entry: Entry, unit: Unit, text: str, language: str) -> str:
    """What the piece is about when its own words do not say so: its label, else the heading or title above it.

    Headings that only name a part of every text ("Voraussetzungen", "Steps") say nothing of the subject.
    """
    if unit.label:
        return unit.label
    if unit.lead and unit.kind in ("item", "step") and roles.opens_condition(unit.lead):
        # "If the file is older:" - what is listed under it holds only then.
        return unit.lead.rstrip(": ")
    inner = [h for h in unit.headings if not roles.is_part_heading(h)]
    heading = inner[-1] if inner else entry.title
    have = words.content_stems(text, language)
    named = words.content_stems(heading, entry.language)
    return "" if not named or named & have else heading


def merge(statements: Sequence[Statement]) -> list[Statement]:
    """Statements that say the same in the same language become one that names every source. Order is kept."""
    out: list[Statement] = []
    seen: dict[tuple[str, frozenset[str], bool], list[tuple[int, frozenset[str]]]] = {}
    for new in statements:
        stems = frozenset(words.content_stems(new.whole, new.language))
        alike = seen.setdefault((new.language, numbers(new.whole), new.disputed), [])
        twin = next((i for i, other in alike if _same(stems, other)), None)
        if twin is None:
            alike.append((len(out), stems))
            out.append(new)
        else:
            old = out[twin]
            pairs = [*zip(old.source_refs, old.quotes, strict=True), *zip(new.source_refs, new.quotes, strict=True)]
            unique = list(dict.fromkeys(pairs))
            out[twin] = old.model_copy(
                update={"source_refs": tuple(r for r, _ in unique), "quotes": tuple(q for _, q in unique)}
            )
    return out


def _same(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a) and len(a & b) >= _SAME * len(a | b)


_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def numbers(text: str) -> frozenset[str]:
    """Numbers as written, versions and times whole."""
    return frozenset(_NUMBER.findall(text))
