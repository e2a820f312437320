"""Everything pools grow in: live entries, confirmed edges, topics, contradictions, lineage, and how close texts are."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.sources import lineage
from brain_assets.store import entries, schema
from brain_assets.text import words

if TYPE_CHECKING:
    import numpy as np

EDGE_WEIGHTS: Mapping[str, float] = {
    "duplicates": 1.0, "part_of": 0.9, "supports": 0.85, "depends_on": 0.8, "same_topic": 0.75, "contradicts": 0.5,
    "references": 0.4,
}  # fmt: skip
"""How strongly a relation speaks for one pool, times the judge's confidence. `references` is a link, not a judgement."""
CONFIRMED: frozenset[str] = frozenset(EDGE_WEIGHTS) - {"references"}
_RETIRED = frozenset(
    """veraltet ersetzt abgelöst archiviert archive archived deprecated superseded obsolete retired replaced
    outdated""".split()
)
_PLANNED = frozenset("geplant plan planned draft entwurf idea idee".split())
_UNSETTLED = frozenset(
    """meeting minutes besprechung protokoll daily journal diary tagebuch template vorlage plan
    index moc""".split()
)
VALUE_KINDS = frozenset(("number", "date", "version", "host", "status"))
_MINUTES = frozenset("meeting minutes besprechung protokoll".split())
_DIARY = frozenset("journal daily diary tagebuch dailies".split())
_DAY = re.compile(r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4})(?:\s+\w+)?")
_TALK = re.compile(r"(?:protokoll|minutes|besprechung|meeting|stand-?up|jour fixe)\b", re.IGNORECASE)
_PRIVATE = frozenset("privat private personal persönlich".split())


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector set: a unit row for each entry, so that a product of two rows is how close their texts are."""

    row: dict[str, int]
    matrix: np.ndarray

    def between(self, a: str, b: str) -> float | None:
        one, two = self.row.get(a), self.row.get(b)
        return None if one is None or two is None else float(self.matrix[one] @ self.matrix[two])

    def to_all(self, a: str, others: Sequence[str]) -> dict[str, float]:
        """Closeness of one entry to others, those without a vector left out."""
        if a not in self.row:
            return {}
        known = [o for o in others if o in self.row]
        found = self.matrix[[self.row[o] for o in known]] @ self.matrix[self.row[a]] if known else []
        return dict(zip(known, map(float, found), strict=True))


@dataclass
class Landscape:
    """One snapshot. `edges` holds the best weight of a pair under its sorted key; `neighbours` both directions.

    `successor` maps a superseded entry to what replaces it, `lineage` an AI entry to what it was made from (all the
    way down), `vectors` each complete vector set's unit vectors by entry.
    """

    by_id: dict[str, Entry]
    edges: dict[tuple[str, str], float] = field(default_factory=dict)
    relations: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    neighbours: dict[str, set[str]] = field(default_factory=dict)
    successor: dict[str, str] = field(default_factory=dict)
    topic: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    topic_label: dict[str, str] = field(default_factory=dict)
    contradictions: list[Contradiction] = field(default_factory=list)
    disputes: dict[str, dict[str, Contradiction]] = field(default_factory=dict)
    outvoted: set[str] = field(default_factory=set)
    apart: dict[str, set[str]] | None = None
    lineage: dict[str, frozenset[str]] = field(default_factory=dict)
    changed: dict[str, frozenset[str]] = field(default_factory=dict)
    vectors: list[Vectors] = field(default_factory=list)
    _bags: dict[str, dict[str, float]] = field(default_factory=dict)
    _frequency: Counter[str] = field(default_factory=Counter)

    def newest(self, entry_id: str) -> str:
        """The entry that replaces this one, followed to the end; itself when nothing does."""
        seen = set()
        while entry_id in self.successor and entry_id not in seen:
            seen.add(entry_id)
            entry_id = self.successor[entry_id]
        return entry_id

    def usable(self, entry_id: str) -> bool:
        """Whether an entry may be a source: what people wrote for others, neither outdated nor merely planned.

        Private notes, journals, minutes and templates are no sources of articles, whatever they are related to; nor is
        the side of an open dispute that gives way.
        """
        weak = self.retired(entry_id) or self.planned(entry_id) or self.unsettled(entry_id)
        return self.by_id[entry_id].production and not weak and entry_id not in self.outvoted

    def retired(self, entry_id: str) -> bool:
        """Whether an entry calls itself outdated or something replaces it."""
        return entry_id in self.successor or (self.by_id[entry_id].status or "").strip().lower() in _RETIRED

    def planned(self, entry_id: str) -> bool:
        """Whether an entry says what shall be rather than what is."""
        return (self.by_id[entry_id].status or "").strip().lower() in _PLANNED

    def unsettled(self, entry_id: str) -> bool:
        """Whether an entry is talk on the way to knowledge (minutes, journal, plan), or nobody else's business."""
        entry = self.by_id[entry_id]
        if entry.kind != "note":
            return False
        folders = {part.lower() for part in (entry.path or "").split("/")[:-1]}
        tags = {tag.lower() for tag in entry.tags}
        private = (folders | tags) & _PRIVATE
        diary = folders & _DIARY or _DAY.fullmatch(entry.title.strip()) or _TALK.match(entry.title.strip())
        return (entry.type or "").strip().lower() in _UNSETTLED or bool(private or diary)

    def minutes(self, entry_id: str) -> bool:
        """Whether an entry records what people said or decided on a day."""
        return (self.by_id[entry_id].type or "").strip().lower() in _MINUTES

    def same_topic(self, a: str, b: str) -> bool:
        """Whether two entries belong to one topic; without topics, none do."""
        topic = self.topic.get(a)
        return topic is not None and topic == self.topic.get(b)

    def edge(self, a: str, b: str) -> float:
        return self.edges.get(pair(a, b), 0.0)

    def confirmed(self, a: str, b: str) -> bool:
        """Whether the judge related two entries (a mere link does not)."""
        return bool(self.relations.get(pair(a, b), set()) & CONFIRMED)

    def similarity(self, a: str, b: str) -> float:
        """Closeness of two texts, 0 to 1: the mean over the vector sets that know both, else shared rare stems."""
        dense = [d for each in self.vectors if (d := each.between(a, b)) is not None]
        return max(0.0, sum(dense) / len(dense)) if dense else min(1.0, 2 * self._cosine(a, b))

    def nearest(self, centre: str, others: Sequence[str], most: int) -> list[str]:
        """The `most` of some entries that are closest to one by text, related ones first; in order of their ids."""
        if len(others) <= most:
            return sorted(others)
        sums: Counter[str] = Counter()
        for each in self.vectors:
            sums.update(each.to_all(centre, others))
        if not self.vectors:
            sums.update({o: self._cosine(centre, o) for o in others})
        ranked = sorted(others, key=lambda o: (not self.confirmed(centre, o), -sums[o], o))
        return sorted(ranked[:most])

    def _cosine(self, a: str, b: str) -> float:
        one, two = self._bag(a), self._bag(b)
        if len(two) < len(one):
            one, two = two, one
        return sum(weight * two.get(stem, 0.0) for stem, weight in one.items())

    def _bag(self, entry_id: str) -> dict[str, float]:
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

    def add_edge(self, source: str, target: str, relation: str, confidence: float) -> None:
        """Take one edge of the graph into the snapshot."""
        if source not in self.by_id or target not in self.by_id or source == target:
            return
        if relation == "supersedes":
            self.successor[target] = source
        if relation not in EDGE_WEIGHTS:
            return
        key = pair(source, target)
        self.edges[key] = max(self.edges.get(key, 0.0), EDGE_WEIGHTS[relation] * confidence)
        self.relations.setdefault(key, set()).add(relation)
        self.neighbours.setdefault(source, set()).add(target)
        self.neighbours.setdefault(target, set()).add(source)

    def add_contradiction(self, finding: Contradiction) -> None:
        """Take one contradiction in; only what is strong and undecided is a dispute."""
        if finding.a not in self.by_id or finding.b not in self.by_id:
            return
        self.contradictions.append(finding)
        if finding.strength == "strong" and finding.status in ("open", "confirmed"):
            for one, two in ((finding.a, finding.b), (finding.b, finding.a)):
                known = self.disputes.setdefault(one, {}).get(two)
                if known is None or finding.confidence > known.confidence:
                    self.disputes[one][two] = finding
            self.outvoted |= self._gives_way(finding)

    def _gives_way(self, finding: Contradiction) -> set[str]:
        """The side of a dispute that is no source until somebody decides.

        Minutes, plans and outdated texts give way to the others; minutes later than what they dispute put that in
        doubt too. Of two different values the older or undated one does, and both do when neither is newer. What only
        the wording suggests makes nobody give way.
        """
        sides = (finding.a, finding.b)
        weak = {s for s in sides if self.unsettled(s) or self.retired(s) or self.planned(s)}
        if len(weak) == 1:
            later = finding.newer in weak and self.minutes(str(finding.newer))
            return set(sides) if later else weak
        if finding.kind not in VALUE_KINDS:
            return set()
        dates = [self.by_id[s].date for s in sides]
        if dates[0] == dates[1]:
            return set(sides)
        older = dates[0] is None or (dates[1] is not None and dates[0] < dates[1])
        return {finding.a if older else finding.b}


def pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _stems(entry: Entry) -> list[str]:
    named = " ".join([entry.title, *entry.tags, *(entry.record.keywords if entry.record else ())])
    return [words.stem(w, entry.language) for w in words.content_words(f"{named} {named} {entry.body}")]


def load(connection: Connection) -> Landscape:
    """Read the snapshot pools are made from. Articles count once they are in the KB (approved)."""
    view = Landscape({entry.id: entry for entry in entries.load(connection, kinds=("note", "kb"))})
    edges = schema.edges
    query = select(edges).order_by(edges.c.source, edges.c.target, edges.c.relation)
    for row in connection.execute(query.where((edges.c.origin == "relations") | (edges.c.relation == "supersedes"))):
        view.add_edge(row.source, row.target, row.relation, row.confidence)
    _read_topics(connection, view)
    for row in connection.execute(select(schema.contradictions).order_by(schema.contradictions.c.id)):
        view.add_contradiction(Contradiction(**{**json.loads(row.finding), "status": row.status}))
    _read_lineage(connection, view)
    view.vectors = _vector_sets(connection, view.by_id.values())
    return view


def _read_topics(connection: Connection, view: Landscape) -> None:
    for row in connection.execute(select(schema.topics).order_by(schema.topics.c.id)):
        view.topic_label[row.id] = row.label
    for row in connection.execute(select(schema.topic_members).order_by(schema.topic_members.c.entry_id)):
        if row.topic_id in view.topic_label and row.entry_id in view.by_id:
            view.topic[row.entry_id] = row.topic_id
            view.members.setdefault(row.topic_id, []).append(row.entry_id)


def _read_lineage(connection: Connection, view: Landscape) -> None:
    """What AI entries were made from, and which sources of approved articles changed since."""
    by_id = view.by_id
    known = {name: i for i in by_id for name in (i, i.removeprefix("kb:"))}
    known |= {
        e.record.source_uri: e.id for e in by_id.values() if e.record and e.record.source_uri.startswith("brain://")
    }
    versions = schema.article_versions
    recorded: dict[str, list[str]] = {}
    for row in connection.execute(select(versions).order_by(versions.c.article_id, versions.c.version)):
        digests = json.loads(row.meta).get("source_digests", {})
        entry_id = f"kb:{row.article_id}"
        if entry_id in by_id:
            recorded[entry_id] = sorted(digests)
            differing = {i for i, digest in digests.items() if i in by_id and by_id[i].text_digest != digest}
            view.changed[entry_id] = frozenset(differing)
    direct = {e.id: lineage.lineage(e, known, recorded.get(e.id, ())) for e in by_id.values() if e.ai_origin}
    view.lineage = closure(direct)


def closure(direct: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    """Everything reachable from each entry, itself left out."""
    out: dict[str, frozenset[str]] = {}
    for start in direct:
        seen: set[str] = set()
        todo = list(direct[start])
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo.extend(direct.get(name, ()))
        out[start] = frozenset(seen - {start})
    return out


def _vector_sets(connection: Connection, wanted: Iterable[Entry]) -> list[Vectors]:
    """Per complete vector set one unit vector an entry: the mean of its passages, direction and corpus mean removed."""
    import numpy as np

    listed = list(wanted)
    table = schema.vector_sets
    out = []
    for chosen in connection.execute(select(table).where(table.c.complete).order_by(table.c.id)):
        query = select(schema.vectors.c.digest, schema.vectors.c.vector).where(schema.vectors.c.set_id == chosen.id)
        by_digest = {row.digest: np.frombuffer(row.vector, dtype="<f4") for row in connection.execute(query)}
        found = [(e.id, [by_digest[p.digest] for p in e.passages if p.digest in by_digest]) for e in listed]
        ids = [i for i, rows in found if rows]
        if not ids:
            continue
        matrix = np.array([np.mean(rows, axis=0) for _, rows in found if rows], dtype=np.float64)
        if chosen.direction:
            direction = np.frombuffer(chosen.direction, dtype="<f4").astype(np.float64)
            matrix -= np.outer(matrix @ direction, direction)
        if len(ids) > 2:
            matrix -= matrix.mean(axis=0)
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
        out.append(Vectors({entry_id: row for row, entry_id in enumerate(ids)}, matrix))
    return out
