"""CONTRADICTION: where two sources disagree. Strong from the statements (and what the graph knows), weak from words."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from brain_assets.graph import contradictions
from brain_assets.graph import statements as graph_statements
from brain_assets.model.entry import Entry
from brain_assets.model.gaps import Conflict
from brain_assets.model.graph import Contradiction
from brain_assets.text.words import STOP, fold, tokens
from brain_assets.think import comparable
from brain_assets.think.aspects import Term
from brain_assets.think.forms import covered
from brain_assets.think.gap_ids import gap_id
from brain_assets.think.gather import Gathered, Source
from brain_assets.think.meaning import Meaning
from brain_assets.think.statements import Statement, keys

MOST_WEAK = 3
_SHARED_WORDS = 2
_OWN = 0.3
_AROUND = 0.95
_RELATED = 0.5
"""Share of the best source's share of the query below which a source is beside the question."""
_FIRST = 3
_READ = 8
"""Statements of a source that are read for comparison, besides those before them."""
_NEAREST = 6
"""Statements of a source that are compared: those nearest to the question."""
_LEANS = re.compile(
    r"\W*(?:er|sie|es|dies\w*|dafür|damit|dabei|dazu|davon|dort|dann|danach|beide|sonst|it|they|this|these|that|those|"
    r"both|its|their|seine?|ihre?|there|then|otherwise|for it|to it)\b",
    re.IGNORECASE,
)
_FEW = 2
_SETTLED = ("resolved", "dismissed")
"""What a person has decided; what closed by itself may have come back in the texts as they are now."""
_NEGATION = re.compile(
    r"\b(?:kein(?:e[nrms]?)?|nicht|nie(?:mals)?|ohne|never|no|not|without|deprecated|veraltet)\b", re.IGNORECASE
)


def conflicts(gathered: Gathered, *, meaning: Meaning | None = None) -> tuple[Conflict, ...]:
    """Contradictions between two sources that touch the question, strong ones first, surest first.

    Two sources may also disagree on a side issue; that stands in the corpus-wide report, not beside this answer. A weak
    one is reported only for a pair without a strong one, and at most three: they say where to look, no more. `meaning`
    lets words of two languages meet that the bilingual table does not have.
    """
    asked = _Asked(gathered)
    found: dict[tuple[str, ...], Conflict] = {}
    settled: set[frozenset[str]] = set()
    for known in gathered.known:
        if known.status in _SETTLED:
            settled.add(frozenset((known.a, known.b)))
        elif known.status != "closed":
            _add(found, known)
    across = _Words(meaning, asked) if meaning is not None else None
    for a, b in combinations(asked.sources, 2):
        if (a.n, b.n) not in asked.pairs:
            continue
        left, right = asked.entries[a.n], asked.entries[b.n]
        between = contradictions.between(left, right, words=across, about=asked.about)
        # What is cut to a few statements no longer says that it is replaced.
        if between and contradictions.excluded(a.entry, b.entry):
            continue
        for each in between:
            if frozenset((each.a, each.b)) not in settled:
                _add(found, each)
    strong = [c for c in found.values() if asked.touched_by(c)]
    strong.sort(key=lambda c: (-c.confidence, c.a, c.b, c.gap_id))
    taken = {frozenset((c.a, c.b)) for c in strong} | settled
    return (*strong, *_weak(gathered.sources, taken))


class _Asked:
    """Which statements of the sources are about the question, by the words of the query they bring, rare ones counting
    more; what a statement speaks of without naming it counts as its own."""

    def __init__(self, gathered: Gathered) -> None:
        self._terms = gathered.question.terms
        # Each clause of a question asks something of its own: "…, which MTU applies and who is the provider?"
        asking = [seg for seg in gathered.question.segments if any(t.kind != "other" for t in seg.terms)]
        # What stands before a colon asks nothing by itself.
        heads = {seg.head for seg in asking if seg.head}
        clauses = [
            tuple(dict.fromkeys((*seg.head, *seg.terms))) for seg in asking if seg.subject not in heads or seg.head
        ]
        self._clauses = clauses if len(clauses) > 1 else [self._terms]
        self._there = {s.n: [t for t in self._terms if _touches(t, s.keys)] for s in gathered.sources}
        self._own = {
            s.n: [[t.text for t in self._there[s.n] if _touches(t, x.keys)] for x in s.statements]
            for s in gathered.sources
        }
        said = Counter(text for own in self._own.values() for texts in own for text in texts)
        self._weights = {t.text: 1 / max(1, said[t.text]) ** 0.5 for t in self._terms}
        self._titles = {s.entry.id: keys(s.entry.title) for s in gathered.sources}
        self._held: dict[tuple[str, str], frozenset[str]] = {}
        self._near: set[tuple[str, str]] = set()
        self.words: list[str] = []
        self.entries: dict[int, Entry] = {}
        shares = {s.n: self._share(s.keys) for s in gathered.sources}
        least = _RELATED * max(shares.values(), default=0.0)
        self.sources = [s for s in gathered.sources if s.n <= _FIRST or shares[s.n] >= least]
        near = {s.n: self._nearest(s) for s in self.sources}
        found = comparable.find(near)
        self.pairs = found.pairs
        compared = {n for pair in found.pairs for n in pair}
        spoken = {s.n: s.entry.language for s in self.sources}
        self._across = {n for pair in found.pairs if spoken[pair[0]] != spoken[pair[1]] for n in pair}
        for source in self.sources:
            if source.n in compared:
                self._rate(source, found.read[source.n])

    def _nearest(self, source: Source) -> list[Statement]:
        """The statements of a source that are nearest to the question, in order."""
        rated = []
        for s, own in zip(source.statements, self._own[source.n], strict=True):
            if s.kind != "code":
                beside = [t.text for t in self._there[source.n] if t.text in own or _touches(t, s.context)]
                rating = sum(self._weights[t] for t in own) + 0.5 * sum(self._weights[t] for t in beside)
                rated.append((-rating, s.ordinal, s))
        rated.sort(key=lambda r: r[:2])
        return sorted((s for _, _, s in rated[:_READ]), key=lambda s: s.ordinal)

    def _rate(self, source: Source, ordinals: frozenset[int]) -> None:
        entry = _cut(source, ordinals)
        self.entries[source.n] = entry
        rated = []
        for x in graph_statements.of(entry):
            held = keys(x.quote).union(*(t.keys for t, _ in x.subject))
            self._held[(x.entry_id, x.quote)] = held
            around = held.union(*(t.keys for t in x.context))
            rated.append((-(self._share(held) + 0.5 * self._share(around)), x.ordinal, x))
        rated.sort(key=lambda r: r[:2])
        for rating, _, x in rated[:_NEAREST]:
            if rating < 0 or not self._terms:
                self._near.add((x.entry_id, x.quote))
                if source.n in self._across:
                    self.words += [t.text for t in (*x.own, *(t for t, _ in x.subject)) if not (t.light or t.name)]

    def about(self, statement: graph_statements.Statement) -> bool:
        return not self._terms or (statement.entry_id, statement.quote) in self._near

    def touched_by(self, conflict: Conflict) -> bool:
        """Whether a conflict is about what was asked."""
        if not self._terms:
            return True
        sides = ((conflict.a, conflict.a_quote), (conflict.b, conflict.b_quote))
        held = frozenset().union(*(self._held.get(side, keys(side[1])) for side in sides))
        titled = held.union(*(self._titles.get(i, keys("")) for i, _ in sides))
        for clause in self._clauses:
            own = self._share(held, clause)
            if own >= _OWN or (own > 0 and self._share(titled, clause) >= _AROUND):
                return True
        return False

    def _share(self, held: frozenset[str], terms: Sequence[Term] | None = None) -> float:
        """Weight of the query's words (or of one clause's) that a text has, of all; a compound counts by its parts, a
        name only whole."""
        found = total = 0.0
        for term in self._terms if terms is None else terms:
            part = 1.0 if covered(term, held) else 0.0
            if not part and len(term.keys) > 1 and term.kind != "name":
                part = len(term.keys & held) / len(term.keys)
            weight = self._weights.get(term.text, 0.0)
            found += weight * part
            total += weight
        return found / total if total else 0.0


def _touches(term: Term, held: frozenset[str]) -> bool:
    """Whether a text has a word of the query, or a part of it where it is a compound."""
    return covered(term, held) or (term.kind != "name" and len(term.keys) > 1 and not term.keys.isdisjoint(held))


def _cut(source: Source, ordinals: frozenset[int]) -> Entry:
    """An entry cut to some of its statements, each with what it hangs on: its headings, the head of its table, the
    line before its list, the sentence before one that begins with a pronoun."""
    said, body = source.statements, source.entry.body
    kept = set(ordinals)
    for i, s in enumerate(said):
        if i and s.ordinal in ordinals and s.group < 0 and (_LEANS.match(s.text) or len(s.keys) <= _FEW):
            kept.add(said[i - 1].ordinal)
    lines: list[str] = []
    headings: tuple[str, ...] = ()
    group = -1
    for s in said:
        if s.ordinal not in kept or s.kind == "code":
            continue
        if s.headings != headings:
            lines += [f"{'#' * (level + 2)} {title}" for level, title in enumerate(s.headings)]
            headings = s.headings
        if s.kind == "row":
            # The head of a table must stand right above its rows.
            head = _table_head(body, s.start) if s.group != group else ""
            lines.append(f"{head}{body[s.start : s.end]}" if head or not lines else body[s.start : s.end])
        else:
            if s.lead and s.group != group:
                lines.append(s.lead)
            lines.append(body[s.start : s.end])
        group = s.group
    text = "\n".join(lines)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return source.entry.model_copy(update={"body": text, "text_digest": digest})


def _table_head(body: str, start: int) -> str:
    """The first two lines of the table that a row belongs to, or nothing for the first of a table without a head."""
    above: list[str] = []
    for line in reversed(body[:start].splitlines()):
        if not line.strip().startswith("|"):
            break
        above.append(line)
    return "".join(f"{line}\n" for line in above[::-1][:2])


class _Words:
    """Nearness of single words, all words of the statements in question encoded at once when the first is asked for."""

    def __init__(self, meaning: Meaning, asked: _Asked) -> None:
        self._meaning = meaning
        self._likely = [w.lower() for w in asked.words]

    def __call__(self, a: str, b: str) -> float:
        if self._likely:
            self._meaning.nearest(self._likely[0], self._likely)
            self._likely = []
        return self._meaning(a.lower(), b.lower())


def _add(found: dict[tuple[str, ...], Conflict], c: Contradiction) -> None:
    key = (*sorted((c.a, c.b)), c.kind, *sorted((c.a_value, c.b_value)))
    conflict = Conflict(
        gap_id("contradiction", *key), c.a, c.b, c.subject, c.kind, c.a_quote, c.b_quote, c.a_value, c.b_value,
        c.confidence, c.strength,
    )  # fmt: skip
    if key not in found or found[key].confidence < conflict.confidence:
        found[key] = conflict


def _weak(sources: Sequence[Source], taken: set[frozenset[str]]) -> list[Conflict]:
    """Pairs that share more than three key tokens and of which one only has a negation."""
    out: list[tuple[int, Conflict]] = []
    tokens_of = {s.n: _key_tokens(s) for s in sources}
    denying = {s.n: _first_denial(s) for s in sources}
    for a, b in combinations(sources, 2):
        if frozenset((a.entry.id, b.entry.id)) in taken:
            continue
        shared = tokens_of[a.n] & tokens_of[b.n]
        if len(shared) <= 3 or (denying[a.n] is None) == (denying[b.n] is None):
            continue
        quotes = _quotes(a, b, denying)
        if quotes is None:
            continue
        a_quote, b_quote = quotes
        subject = ", ".join(sorted(shared, key=lambda t: (-len(t), t))[:4])
        key = gap_id("contradiction", *sorted((a.entry.id, b.entry.id)), "weak")
        confidence = round(min(0.4, 0.1 + 0.02 * len(shared)), 2)
        conflict = Conflict(
            key, a.entry.id, b.entry.id, subject, "negation", a_quote, b_quote, "", "", confidence, "weak"
        )
        out.append((len(shared), conflict))
    out.sort(key=lambda pair: (-pair[0], pair[1].a, pair[1].b))
    return [conflict for _, conflict in out[:MOST_WEAK]]


def _key_tokens(source: Source) -> frozenset[str]:
    text = f"{source.entry.title} {source.hit.passage}"
    return frozenset(fold(t) for t in tokens(text) if len(t) > 3 and t.lower() not in STOP and not t.isdigit())


def _first_denial(source: Source) -> Statement | None:
    return next((s for s in source.statements if _NEGATION.search(s.text)), None)


def _quotes(a: Source, b: Source, denying: dict[int, Statement | None]) -> tuple[str, str] | None:
    """The denying sentence of one side and the sentence of the other nearest to it; None when no two are near."""
    denial = denying[a.n] or denying[b.n]
    assert denial is not None
    other = b if denying[a.n] is not None else a
    nearest = max(other.statements, key=lambda s: (len(s.keys & denial.keys), -s.ordinal), default=None)
    if nearest is None or len(nearest.keys & denial.keys) < _SHARED_WORDS:
        return None
    return (denial.text, nearest.text) if other is b else (nearest.text, denial.text)
