"""What the judge needs to know of the whole corpus, read when it is first needed and kept for the run."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, case, func, select

from brain_assets.graph import contradictions, findings, judge, likeness, reading, salience
from brain_assets.graph import neighbours as near
from brain_assets.graph.candidates import Candidate, Finder
from brain_assets.graph.reading import Reading
from brain_assets.graph.statements import MAX_CHARS, Statements
from brain_assets.graph.wordvectors import WordVectors
from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction, Decision, Edge
from brain_assets.settings import Settings
from brain_assets.store import entries as store
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.store.stages import Item
from brain_assets.text.words import fold

KINDS = ("note", "kb", "article")
_META = "relations:vector_set"
_HELD = 45_000_000
"""Characters of text held read at a time, at about 25 bytes each: the neighbours of an entry are spread over the whole
corpus, and reading one again costs as much as comparing it with ten others. Enough for 20,000 notes of two pages."""
_LEAST = 500
"""What an entry counts at least, in characters."""
_BATCH = 200
_MANY = 2000


@dataclass
class Standing:
    """The live entries as this run sees them.

    `originals` maps an exact copy to the entry it is a copy of. `embedded` are the entries all of whose passages have a
    vector in `vector_set`. `fields` are text digest, status and type.
    """

    fields: dict[str, tuple[str | None, ...]]
    documents: dict[str, str]
    originals: dict[str, str]
    embedded: set[str]
    vector_set: str | None
    links: dict[str, set[str]]
    names: dict[str, set[str]]
    mentions: dict[str, str]

    @classmethod
    def of(cls, connection: Connection) -> Standing:
        """Read what there is; nothing of a body is touched."""
        vector_set, lacking = near.choose(connection, get_meta(connection, _META))
        embedded: set[str] = set()
        if vector_set is not None:
            embedded = set(connection.execute(select(s.passages.c.entry_id).distinct()).scalars()) - lacking
        live = s.entries.c.deleted_on.is_(None)
        query = select(
            s.entries.c.id, s.entries.c.kind, s.entries.c.title, s.entries.c.text_digest, s.entries.c.document_digest,
            s.entries.c.status, s.entries.c.type, _given("links"), _given("aliases"),
        ).where(live, s.entries.c.kind.in_(KINDS)).order_by(s.entries.c.id)  # fmt: skip
        new = cls({}, {}, {}, embedded, vector_set, {}, {}, {})
        by_text: dict[str, str] = {}
        titled: dict[str, list[str]] = {}
        for i, kind, title, text, document, status, type_, links, aliases in connection.execute(query).all():
            if kind == "article" and i not in embedded:
                continue  # not offered for linking before it is learnt
            targets = {link["entry_id"] for link in json.loads(links) if link.get("entry_id")} - {i} if links else set()
            new.documents[i] = document
            new.fields[i] = (text, status, type_)
            new.originals[i] = by_text.setdefault(text, i)
            new.links[i] = targets
            for name in {fold(n) for n in (title, *(json.loads(aliases) if aliases else ())) if len(n) > 3}:
                titled.setdefault(name, []).append(i)
            if kind == "kb":
                new.mentions[i.removeprefix("kb:")] = i
        live_ids = set(new.documents)
        new.links = {i: targets & live_ids for i, targets in new.links.items()}
        for ids in titled.values():
            if 1 < len(ids) <= 6:
                for i in ids:
                    new.names.setdefault(i, set()).update(set(ids) - {i})
        return new

    @property
    def live(self) -> list[str]:
        return list(self.documents)

    def digest(self, entry_id: str) -> str | None:
        """Covers what a decision on an entry rests on: title, body, status, type, links. None when it is gone."""
        fields = self.fields.get(entry_id)
        return None if fields is None else _digest(*fields, *sorted(self.links[entry_id]))

    @property
    def judged_with(self) -> str:
        """Names the vector set: decisions made with another one are made anew."""
        return self.vector_set or "words only"

    def original(self, entry_id: str) -> str:
        """The entry this one is an exact copy of; itself when it is none."""
        return self.originals[entry_id]

    def items(self) -> list[Item]:
        """One work item per entry; its digest changes with its text, links, fields, twin and vectors."""
        return [
            Item(i, f"{d}{'+' if i in self.embedded else '-'}{'' if self.originals[i] == i else self.originals[i]}")
            for i, d in self.documents.items()
        ]

    def remember(self, connection: Connection) -> None:
        """Keep which vector set was used."""
        if self.vector_set and get_meta(connection, _META) != self.vector_set:
            set_meta(connection, _META, self.vector_set)


def _digest(*parts: str | None) -> str:
    data = "\x1f".join(part or "" for part in parts)
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


def _given(name: str) -> ColumnElement[str | None]:
    """A list of an entry's document as JSON, None when it is empty: parsing every document whole takes a second."""
    document, path = s.entries.c.document, f"$.{name}"
    return case((func.json_array_length(document, path) > 0, func.json_extract(document, path)))


class Corpus:
    """Lazily read parts: a run in which nothing changed opens none of them."""

    def __init__(self, cat: Catalogue, settings: Settings, standing: Standing) -> None:
        self._cat, self._settings, self.standing = cat, settings, standing
        self._finder: Finder | None = None
        self._words: WordVectors | None = None
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self._held = 0
        self._weights: dict[int, float] = {}
        self._conflicts: dict[tuple[str, str], list[Contradiction]] = {}

    def finder(self) -> Finder:
        """The candidate finder, with terms of changed entries read first."""
        if self._finder is None:
            self._refresh_terms()
            with self._cat.read() as connection:
                shared = salience.Salience.load(connection)
                dense = near.Neighbours.load(connection, self.standing.vector_set) if self.standing.vector_set else None
            self._finder = Finder(shared, dense, self.standing.links, self.standing.names)
        return self._finder

    def in_order(self, items: list[Item]) -> list[Item]:
        """The work items; when many entries are new, near ones together, so that each is read once and not again."""
        with self._cat.read() as connection:
            have = salience.count(connection)
        if len(items) - have < _MANY:
            return items
        dense = self.finder().neighbours
        if dense is None:
            return items
        place = {entry_id: n for n, entry_id in enumerate(dense.order())}
        dense.shorten()
        return sorted(items, key=lambda item: (place.get(item.id, len(place)), item.id))

    def words(self) -> WordVectors | None:
        """Word vectors, unless vectors are switched off."""
        if self._words is None and self._settings.vector_sets != ():
            self._words = WordVectors(self._settings)
        return self._words

    def _refresh_terms(self) -> None:
        with self._cat.read() as connection:
            have = salience.stored(connection)
        want = {i: f"{salience.VERSION}:{d}" for i, d in self.standing.documents.items()}
        stale = [i for i, d in want.items() if have.get(i) != d]
        gone = sorted(have.keys() - want.keys())
        for part in store.chunks(stale, _BATCH):
            with self._cat.read() as connection:
                rows = [(e.id, want[e.id], salience.of_entry(e)) for e in store.load(connection, ids=list(part))]
            with self._cat.begin() as connection:
                salience.put(connection, rows)
        if gone:
            with self._cat.begin() as connection:
                salience.drop(connection, gone)

    def preload(self, ids: Iterable[str]) -> None:
        """Read entries that will be needed, in one query per few hundred."""
        wanted = set(ids)
        missing = sorted(wanted - self._readings.keys())
        for i in sorted(wanted & self._readings.keys()):
            self._readings.move_to_end(i)
        if missing:
            with self._cat.read() as connection:
                for entry in store.load(connection, ids=missing):
                    self._readings[entry.id] = reading.read(entry, self.standing.mentions)
                    self._held += _size(entry)
            while self._held > _HELD and len(self._readings) > len(wanted):
                self._held -= _size(self._readings.popitem(last=False)[1].entry)
        if len(self._conflicts) > 50_000:
            self._conflicts.clear()
        words = self.words()
        if words is not None:
            new = [self._readings[i] for i in missing if i in self._readings]
            likeness.prepare((r.entry.title, r.statements) for r in new)
            words.prepare(w for i in missing if i in self._readings for w in self._readings[i].statements.wordings)

    def reading(self, entry_id: str) -> Reading:
        if entry_id not in self._readings:
            self.preload([entry_id])
        return self._readings[entry_id]

    def partners(self, ids: Sequence[str]) -> dict[str, set[str]]:
        """Entries each one names, or was found related to or contradicting before."""
        out = self.named(ids)
        with self._cat.read() as connection:
            for i, others in findings.partners(connection, ids).items():
                out.setdefault(i, set()).update(others)
            for part in store.chunks(list(ids)):
                for this, other in (
                    (s.decisions.c.source, s.decisions.c.target),
                    (s.decisions.c.target, s.decisions.c.source),
                ):
                    for row in connection.execute(
                        select(this, other).where(this.in_(part), s.decisions.c.related.is_(True))
                    ):
                        out.setdefault(row[0], set()).add(row[1])
        return out

    def named(self, ids: Sequence[str]) -> dict[str, set[str]]:
        """Entries each one names by an id in its text, besides those it links to."""
        return {i: {p.target for p in self.reading(i).pointers if p.target not in self.standing.links[i]} for i in ids}

    def known_decisions(self, ids: Sequence[str]) -> dict[tuple[str, str], Decision]:
        """Decisions of this judge about the entries that still hold, by unordered pair."""
        from brain_assets.graph.relations import decisions_about, pair_of

        out = {}
        with self._cat.read() as connection:
            for row in decisions_about(connection, ids):
                holds = (row.source_digest, row.target_digest) == (
                    self.standing.digest(row.source), self.standing.digest(row.target),
                )  # fmt: skip
                if holds and row.judge == judge.JUDGE and row.prompt_version == self.version:
                    decision = Decision.model_validate_json(row.decision)
                    out[pair_of(decision)] = decision
        return out

    @property
    def version(self) -> str:
        return f"{judge.VERSION}/{self.standing.judged_with}"

    def conflicts(self, a: str, b: str) -> list[Contradiction]:
        """Contradictions of a pair, found once per run."""
        if (a, b) not in self._conflicts:
            x, y = self.reading(a).entry, self.reading(b).entry
            self._conflicts[(a, b)] = contradictions.between(x, y, words=self.words(), read=self._statements)
        return self._conflicts[(a, b)]

    def _statements(self, entry: Entry) -> Statements:
        return self.reading(entry.id).statements

    def decide(self, pair: tuple[str, str], candidate: Candidate, conflicts: Sequence[Contradiction]) -> Decision:
        """The deterministic judge's decision on a pair."""
        a, b = self.reading(pair[0]), self.reading(pair[1])
        given = judge.Pair(
            a,
            b,
            candidate.score,
            candidate.dense,
            candidate.shared,
            candidate.linked or self._mentioned(a, b),
            conflicts,
        )
        return self.stamped(judge.decide(given, self._weight, self.words()))

    def _weight(self, number: int) -> float:
        found = self._weights.get(number)
        if found is None:
            found = self._weights[number] = self.finder().salience.weight(reading.name_of(number))
        return found

    def _mentioned(self, a: Reading, b: Reading) -> bool:
        return any(p.target == other.entry.id for this, other in ((a, b), (b, a)) for p in this.pointers)

    def stamped(self, decision: Decision) -> Decision:
        """A decision with the digests and the version it holds for."""
        return decision.model_copy(
            update={
                "source_digest": self.standing.digest(decision.source),
                "target_digest": self.standing.digest(decision.target),
                "prompt_version": self.version if decision.judge == judge.JUDGE else decision.prompt_version,
            }
        )

    def copy_of(self, entry_id: str) -> Decision:
        """The decision on an exact copy: it duplicates its original, and is not compared with anything else."""
        copy, original = self.reading(entry_id), self.reading(self.standing.original(entry_id))
        quote = next((q for q, k in copy.packed_sentences if k), copy.entry.title)
        return self.stamped(
            Decision(
                source=original.entry.id, target=entry_id, source_digest="", target_digest="", judge=judge.JUDGE,
                prompt_version="", related=True, relation="duplicates", confidence=0.99, source_quote=quote,
                target_quote=quote, reason="The texts are identical.",
            )
        )  # fmt: skip

    def references(self, entry_id: str) -> list[Edge]:
        """Explicit links of an entry to live entries, one edge per target, with the link as written."""
        this = self.reading(entry_id)
        out: dict[str, Edge] = {}
        written = {link.entry_id: link for link in this.entry.links if link.entry_id}
        for pointer in this.pointers:
            if pointer.target in self.standing.documents:
                out.setdefault(pointer.target, _reference(entry_id, pointer.target, pointer.sentence))
        for target, link in written.items():
            if target in self.standing.documents and target != entry_id:
                out.setdefault(target, _reference(entry_id, target, link.label or link.target))
        return [out[target] for target in sorted(out)]


def _size(entry: Entry) -> int:
    return _LEAST + min(len(entry.body), 3 * MAX_CHARS)


def _reference(source: str, target: str, quote: str) -> Edge:
    return Edge(
        source=source, target=target, relation="references", confidence=1.0, judge="link", source_quote=quote,
        reason="Links to it.",
    )  # fmt: skip
