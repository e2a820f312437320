"""An answer made of the sources' own sentences: the most relevant ones, different from each other, in reading order.

Relevance is BM25 over the statements of the hits (concepts and stems, so German questions meet English sentences),
lifted by what stands around a statement, by a value of the asked kind, by the rank of its entry and by nearness to its
start; maximal marginal relevance and the query's uncovered aspects choose among them. Steps stay a list, code stays
whole, and one statement that two entries make is said once, with both sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain_assets.graph import quantities
from brain_assets.think.aspects import Question, Term, is_identifier
from brain_assets.think.forms import covered
from brain_assets.think.meaning import Meaning
from brain_assets.think.statements import Statement
from brain_assets.think.verify import denies

MAX_CHARS = 1_000
MAX_STATEMENTS = 7
MAX_LIST = 9
"""Steps of one list that are kept together."""
_FLOOR = 0.25
"""Least score of a further statement, as a share of the best one's."""
_WANTED = 0.05
"""The same for a statement that must be shown."""
_NEAREST = 1.15
_SAYS_NOTHING = 0.75
_SETTLES_NOTHING = 0.35
"""For questions, open points and mere pointers."""
_ONLY_ASKS = 0.6
"""For what an entry says before its answer: it repeats the question."""
_SAME_DAY = 0.4
"""For the day that is asked about, however it is written."""
_OF_ANOTHER = 0.4
"""For a row or list item on another identifier than the one that is asked about."""
_DIVERSITY = 0.35
_GAIN = 0.12
"""Least worth of a further statement: its score, less its likeness to the others, plus what it newly covers."""
_MOST_MEANT = 8
_LONGEST = 200
_ENOUGH = 0.6
_LEADS = 0.6
"""Share of the best score that a statement in the query's language needs to stand first."""
_NEAR = 0.2
"""Least nearness in meaning of a statement that shares no word with the question."""
_ADDRESSED_TO_US = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|other)? ?"
    r"(?:instructions?|rules|prompts?)\b|"
    r"\b(?:ignorier\w*|missacht\w*|vergiss) (?:alle |die |deine |sämtliche )*(?:vorherigen |bisherigen |obigen )?"
    r"(?:anweisungen?|regeln|vorgaben)\b|\bsystem ?prompt\b|\bcite source\b|\bzitiere quelle\b",
    re.IGNORECASE,
)
"""Text that speaks to a language model and not to a reader; it is never quoted as an answer."""
_SAME = 0.75
"""Share of words from which two statements say the same."""


@dataclass(frozen=True, slots=True)
class Picked:
    """One statement of the answer and the numbers of the sources that make it."""

    statement: Statement
    sources: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    statement: Statement
    source: int
    score: float
    terms: frozenset[str]
    attributes: frozenset[str]


def select(
    question: Question,
    sources: Mapping[int, Sequence[Statement]],
    *,
    prior: Mapping[int, float],
    near: Mapping[int, tuple[int, int]] | None = None,
    wanted: Sequence[tuple[str, str]] = (),
    meaning: Meaning | None = None,
) -> list[Picked]:
    """The statements that answer `question`, in reading order; empty when none is about it.

    `sources` maps source numbers to the statements of their entries, `prior` to how much each source counts, 0…1;
    `near` to the character range of the passage that search found nearest. `wanted` are (entry id, quote) pairs
    that must be shown if they are relevant at all: both sides of a contradiction. `meaning` ranks statements of
    the other language.
    """
    candidates = _scored(question, sources, prior, near or {}, meaning)
    if not candidates:
        return []
    best = candidates[0].score
    chosen = _choose(question, [c for c in candidates if c.score >= _FLOOR * best], candidates, wanted)
    steps = Counter((c.source, c.statement.group) for c in chosen if c.statement.kind == "step")
    if question.procedure or max(steps.values(), default=0) > 1:
        chosen = _whole_list(chosen, candidates, sources)
    return _in_order(question, chosen, candidates)


def _scored(
    question: Question,
    sources: Mapping[int, Sequence[Statement]],
    prior: Mapping[int, float],
    near: Mapping[int, tuple[int, int]],
    meaning: Meaning | None,
) -> list[_Candidate]:
    """All statements with a score above 0, best first."""
    everything = [(n, s) for n in sorted(sources) for s in sources[n]]
    query = sorted(question.keys)
    if not everything or not query:
        return []
    from rank_bm25 import BM25Plus

    # The context counts once, the statement's own words twice.
    index = BM25Plus([[*s.keys, *s.keys, *s.context] or ["\0"] for _, s in everything], delta=0.0)
    bm25 = index.get_scores(query)
    top = max(float(bm25.max()), 1e-9)
    present = {n: _present(question, said) for n, said in sources.items()}
    meant = _meant(question, everything, present, prior, near, meaning)
    asked = [a for segment in question.segments for a in segment.attributes]
    beside = _beside_a_name(question, sources)
    days = [v for v in quantities.find(question.text) if v.dimension == "date"]
    out = []
    for (n, statement), raw in zip(everything, bm25, strict=True):
        own = [t for t in present[n] if covered(t, statement.keys)]
        around = [t for t in present[n] if t in own or covered(t, statement.context)]
        attributes = frozenset(a.name for a in asked if around and a.is_stated(statement.text))
        relevance = float(raw) / top
        by_meaning = meant.get((n, statement.ordinal), 0.0)
        if (not around and relevance <= 0 and by_meaning < _NEAR) or _ADDRESSED_TO_US.search(statement.text):
            continue
        share = (len(own) + 0.5 * (len(around) - len(own))) / max(1, len(question.terms))
        score = 0.55 * relevance + 0.45 * share
        score = max(score, by_meaning)
        if days and any(quantities.equal(d, v) for v in quantities.find(statement.text) for d in days):
            score += _SAME_DAY
        score += 0.25 * len(attributes) * min(1.0, 2 * share)
        score *= prior.get(n, 0.0)
        start, end = near.get(n, (0, 0))
        if start <= statement.start < end:
            score *= _NEAREST
        score *= 1.0 + 0.1 / (1 + statement.ordinal)
        score *= _SETTLES_NOTHING if statement.open or statement.pointer or statement.text.endswith("?") else 1.0
        score *= 1.0 if own or attributes or by_meaning >= _NEAR else _SAYS_NOTHING
        score *= _ONLY_ASKS if statement.problem and not attributes else 1.0
        score *= _OF_ANOTHER if (n, statement.ordinal) in beside else 1.0
        score *= 1.1 if statement.language == question.language else 1.0
        if score > 0:
            out.append(_Candidate(statement, n, score, frozenset(t.text for t in own), attributes))
    return sorted(out, key=lambda c: (-c.score, c.source, c.statement.ordinal))


def _beside_a_name(question: Question, sources: Mapping[int, Sequence[Statement]]) -> set[tuple[int, int]]:
    """(source, ordinal) of the rows and items of a list of which others have an identifier of the question: of a table
    of error codes only the row of the code that is asked about answers."""
    names = [t for t in question.terms if t.kind == "name"]
    out: set[tuple[int, int]] = set()
    if not names:
        return out
    groups: dict[tuple[int, int], list[tuple[Statement, bool]]] = {}
    for n, said in sources.items():
        for s in said:
            if s.group >= 0 and s.kind in ("row", "item"):
                groups.setdefault((n, s.group), []).append((s, any(covered(t, s.keys) for t in names)))
    for (n, _), members in groups.items():
        others = [s for s, has in members if not has and is_identifier(s.text.split()[0])]
        if len(members) / 2 <= len(others) < len(members):
            out.update((n, s.ordinal) for s in others)
    return out


def _present(question: Question, said: Sequence[Statement]) -> tuple[Term, ...]:
    """The things of the question that an entry has at all: no statement of it can have another."""
    held = frozenset().union(*(s.keys | s.context for s in said)) if said else frozenset()
    return tuple(t for t in question.terms if covered(t, held))


def _meant(
    question: Question,
    everything: Sequence[tuple[int, Statement]],
    present: Mapping[int, Sequence[Term]],
    prior: Mapping[int, float],
    near: Mapping[int, tuple[int, int]],
    meaning: Meaning | None,
) -> dict[tuple[int, int], float]:
    """Nearness in meaning of statements in the other language, those of the best sources' best passages."""
    # Where the words alone lead to a statement that has most of the question, meaning would not change the answer.
    said = max((sum(covered(t, s.keys) for t in present[n]) for n, s in everything), default=0)
    if meaning is None or said >= _ENOUGH * len(question.terms):
        return {}
    foreign = [(n, s) for n, s in everything if s.language != question.language and s.kind != "code"]
    inside = [(n, s) for n, s in foreign if near.get(n, (0, 0))[0] <= s.start < near.get(n, (0, 0))[1]] or foreign
    inside.sort(key=lambda pair: (-prior.get(pair[0], 0.0), pair[0], pair[1].ordinal))
    compared = inside[:_MOST_MEANT]
    nearness = meaning.nearest(
        question.text, [f"{' '.join(s.headings)} {s.text}".strip()[:_LONGEST] for _, s in compared]
    )
    return {(n, s.ordinal): value for (n, s), value in zip(compared, nearness, strict=True)}


def _choose(
    question: Question,
    good: list[_Candidate],
    candidates: list[_Candidate],
    wanted: Sequence[tuple[str, str]],
) -> list[_Candidate]:
    """Greedy: relevance minus likeness to what is chosen, plus aspects and attributes not yet covered."""
    chosen: list[_Candidate] = []
    for entry_id, quote in wanted:
        side = next(
            (c for c in candidates if c.statement.entry_id == entry_id and _same_place(c.statement.text, quote)), None
        )
        if side is not None and side not in chosen and side.score >= _WANTED * candidates[0].score:
            chosen.append(side)
    covered: set[str] = {t for c in chosen for t in c.terms}
    answered: set[str] = {a for c in chosen for a in c.attributes}
    rest = [c for c in good if c not in chosen]
    best = candidates[0].score
    while rest and len(chosen) < MAX_STATEMENTS:
        gains = {
            id(c): c.score / best
            - _DIVERSITY * max((_likeness(c.statement, d.statement) for d in chosen), default=0.0)
            + 0.4 * (len(c.terms - covered) / max(1, len(question.terms)) + 0.5 * len(c.attributes - answered))
            for c in rest
        }
        following = max(rest, key=lambda c: (gains[id(c)], -c.source, -c.statement.ordinal))
        rest.remove(following)
        size = sum(len(c.statement.text) for c in chosen) + len(following.statement.text)
        if chosen and size > MAX_CHARS:
            continue
        if any(_repeats(following.statement, c.statement) for c in chosen):
            continue
        if gains[id(following)] < _GAIN:
            break
        chosen.append(following)
        covered |= following.terms
        answered |= following.attributes
    return chosen


def _same_place(text: str, quote: str) -> bool:
    a, b = ("".join(c for c in t.lower() if c.isalnum()) for t in (text, quote))
    return bool(a) and bool(b) and (a in b or b in a)


def _likeness(a: Statement, b: Statement) -> float:
    """Share of the smaller statement's words that both have."""
    if not a.keys or not b.keys:
        return 0.0
    return len(a.keys & b.keys) / min(len(a.keys), len(b.keys))


def _repeats(a: Statement, b: Statement) -> bool:
    """Whether two statements say the same: most words, no value in conflict, nothing denied."""
    if a.kind == "code" or b.kind == "code":
        return a.text == b.text
    if _likeness(a, b) < _SAME or denies(a.text, b.text):
        return False
    left, right = quantities.find(a.text), quantities.find(b.text)
    return all(any(quantities.equal(x, y) for y in right) for x in left) and len(left) >= len(right)


def _whole_list(
    chosen: list[_Candidate], candidates: list[_Candidate], sources: Mapping[int, Sequence[Statement]]
) -> list[_Candidate]:
    """Complete the list of steps that the answer draws on most: a procedure with holes is worse than none."""
    votes: dict[tuple[int, int], float] = {}
    for c in chosen:
        if c.statement.group >= 0 and c.statement.kind in ("step", "item"):
            key = (c.source, c.statement.group)
            votes[key] = votes.get(key, 0.0) + c.score * (1.5 if c.statement.kind == "step" else 1.0)
    if not votes:
        return chosen
    source, group = max(sorted(votes), key=lambda k: votes[k])
    members = [s for s in sources[source] if s.group == group and s.kind in ("step", "item")][:MAX_LIST]
    known = {(c.source, c.statement.ordinal): c for c in candidates}
    others = [c for c in chosen if not (c.source == source and c.statement.group == group)]
    steps = [known.get((source, s.ordinal)) or _Candidate(s, source, 0.0, frozenset(), frozenset()) for s in members]
    room = MAX_CHARS + 400 - sum(len(c.statement.text) for c in steps)
    kept = []
    for c in others:
        if len(c.statement.text) <= room:
            kept.append(c)
            room -= len(c.statement.text)
    return steps + kept


def _in_order(question: Question, chosen: list[_Candidate], candidates: list[_Candidate]) -> list[Picked]:
    """Sources in the query's language first, each group in the order of its best statement; of each source its
    statements as they stand in it."""
    first: dict[int, int] = {}
    for position, c in enumerate(sorted(chosen, key=lambda c: (-c.score, c.source, c.statement.ordinal))):
        first.setdefault(c.source, position)
    best = max((c.score for c in chosen), default=0.0)
    native = {c.source for c in chosen if c.statement.language == question.language and c.score >= _LEADS * best}
    ordered = sorted(chosen, key=lambda c: (c.source not in native, first[c.source], c.statement.ordinal))
    out = []
    for c in ordered:
        also = {d.source for d in candidates if d.source != c.source and _repeats(c.statement, d.statement)}
        out.append(Picked(c.statement, (c.source, *sorted(also)), c.score))
    return out


def as_text(picked: Sequence[Picked]) -> str:
    """The statements as a short Markdown text: prose in paragraphs by source, list items as lists, code as blocks."""
    blocks: list[str] = []
    kinds: list[str] = []
    lists = Counter((p.sources[0], p.statement.group) for p in picked if _is_item(p.statement))
    previous: Picked | None = None
    for item in picked:
        s, marks = item.statement, "".join(f"[{n}]" for n in item.sources)
        same_source = previous is not None and previous.sources[0] == item.sources[0]
        same_list = same_source and previous is not None and s.group >= 0 and previous.statement.group == s.group
        goes_on = same_list and s.continues and previous is not None and previous.statement.ordinal == s.ordinal - 1
        previous = item
        # One item alone is a sentence like any other.
        listed = _is_item(s) and lists[(item.sources[0], s.group)] > 1
        kind = s.kind if listed or s.kind == "code" else "prose"
        if goes_on:
            blocks[-1] += f" {_sentence(s.text)} {marks}"
            continue
        if kind == "code":
            # The mark stands with what introduces the code: alone below it, it would belong to nothing.
            head = s.lead.rstrip(": ") or (s.headings[-1] if s.headings else "")
            code = f"```\n{s.text}\n```"
            blocks.append(f"{head}: {marks}\n{code}" if head else f"{code}\n{marks}")
        elif kind in ("step", "item"):
            line = f"{f'{s.step}.' if kind == 'step' else '-'} {s.text} {marks}"
            if same_list and kinds[-1] == kind:
                blocks[-1] += f"\n{line}"
                continue
            blocks.append(f"{s.lead}\n{line}" if s.lead else line)
        elif same_source and kinds[-1] == "prose":
            blocks[-1] += f" {_sentence(s.text)} {marks}"
        else:
            blocks.append(f"{_sentence(s.text)} {marks}")
        kinds.append(kind)
    return "\n\n".join(blocks)


def _is_item(statement: Statement) -> bool:
    """Whether a statement begins a list item."""
    return statement.kind in ("step", "item") and not statement.continues


def _sentence(text: str) -> str:
    return text if text[-1:] in ".!?:…" else f"{text}."
