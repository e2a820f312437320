"""Topics: communities of the graph with names, whose ids stay when their members change a little."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, insert, select

from brain_assets.graph import communities, labels
from brain_assets.graph.labels import Words
from brain_assets.graph.relations import ORIGIN
from brain_assets.model.graph import Topic
from brain_assets.settings import Settings
from brain_assets.store import entries as store
from brain_assets.store import schema as s
from brain_assets.store import stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import Progress, StageReport, no_progress

if TYPE_CHECKING:
    import networkx as nx

STAGE = "topic_clusters"
OUTLIERS = "outliers"
CODE_VERSION = "3"
_KINDS = ("note", "kb", "article")
_LARGE = 400
"""From this many entries on, big topics are divided once more."""
_DIVIDE = 60
_SAME = 0.3
"""Least overlap (Jaccard) with a previous topic to carry its id on."""


@dataclass(frozen=True)
class _Group:
    """A community with its parts (empty unless it was divided)."""

    members: list[str]
    parts: list[list[str]]


def update(cat: Catalogue, settings: Settings, *, progress: Progress = no_progress) -> StageReport:
    """Bring the topics up to date; does nothing when neither graph nor entries have changed.

    `details`: topics, outliers, sizes, and `skipped` or `reason` where nothing was done.
    """
    started = time.monotonic()
    report = StageReport(STAGE)
    with cat.read() as connection:
        digest = _digest(connection)
        unchanged = stages.global_digest(connection, STAGE) == digest
        if unchanged:
            report.reused = 1
        else:
            ids, edges, filed = _inputs(connection)
            previous, parents = _previous(connection)
            words = {e.id: labels.words_of(e) for e in store.load(connection, ids=ids)}
    if not unchanged:
        report.pending = report.done = 1
        progress(STAGE, 0, 1)
        groups, outliers = _divide(communities.build(ids, edges, filed), previous, parents)
        topics = _name(groups, words, previous, parents)
        with cat.begin() as connection:
            _write(connection, topics, outliers)
            stages.set_global_digest(connection, STAGE, digest)
        progress(STAGE, 1, 1)
    with cat.begin() as connection:
        report.details = summary(connection)
        if unchanged:
            report.details["skipped"] = "neither the graph nor an entry has changed"
        elif not report.details["topics"]:
            report.details["reason"] = "no three entries are related closely enough to make a topic"
        report.seconds = round(time.monotonic() - started, 3)
        stages.record(connection, report)
    return report


def is_current(connection: Connection) -> bool:
    """Whether the topics were made of the graph and the entries as they are now."""
    return stages.global_digest(connection, STAGE) == _digest(connection)


def load(connection: Connection) -> list[Topic]:
    """Topics with their members, largest first; a topic that was divided has no members of its own."""
    members: dict[str, list[str]] = defaultdict(list)
    for row in connection.execute(select(s.topic_members).order_by(s.topic_members.c.entry_id)):
        members[row.topic_id].append(row.entry_id)
    rows = connection.execute(select(s.topics))
    found = [
        Topic(
            id=r.id,
            label=r.label,
            terms=tuple(json.loads(r.terms)),
            members=tuple(members.get(r.id, ())),
            parent=r.parent,
        )
        for r in rows
    ]
    return sorted(found, key=lambda t: (-len(t.members), t.id))


def summary(connection: Connection) -> dict[str, Any]:
    """Number of topics and outliers, and the topics' sizes."""
    found = load(connection)
    outside = connection.execute(select(s.topic_members.c.entry_id).where(s.topic_members.c.topic_id == OUTLIERS)).all()
    return {
        "topics": len(found), "outliers": len(outside), "sizes": {t.label: len(t.members) for t in found if t.members},
    }  # fmt: skip


def _digest(connection: Connection) -> str:
    edges = select(s.edges.c.source, s.edges.c.target, s.edges.c.relation, s.edges.c.confidence).where(
        s.edges.c.origin == ORIGIN
    )
    rows = sorted(tuple(row) for row in connection.execute(edges))
    linked = {end for row in rows for end in row[:2]}
    # An article nothing is related to takes no part: staging one must not make the next run divide the graph again.
    documents = {
        entry_id: digest
        for entry_id, digest in store.document_digests(connection, _KINDS).items()
        if not entry_id.startswith("article:") or entry_id in linked
    }
    return stages.digest_of(CODE_VERSION, rows, documents)


def _inputs(connection: Connection) -> tuple[list[str], list[tuple[str, str, str, float]], dict[str, list[str]]]:
    query = select(s.edges.c.source, s.edges.c.target, s.edges.c.relation, s.edges.c.confidence)
    rows = sorted(tuple(row) for row in connection.execute(query.where(s.edges.c.origin == ORIGIN)))
    edges = [(str(a), str(b), str(r), float(c)) for a, b, r, c in rows]
    linked = {end for a, b, _, _ in edges for end in (a, b)}
    filed: dict[str, list[str]] = defaultdict(list)
    ids = []
    live = s.entries.c.deleted_on.is_(None)
    entries = select(s.entries.c.id, s.entries.c.kind, s.entries.c.path, s.entries.c.document).where(
        live, s.entries.c.kind.in_(_KINDS)
    )
    for row in sorted(connection.execute(entries), key=lambda r: r.id):
        if row.kind == "article" and row.id not in linked:
            continue
        ids.append(row.id)
        document = json.loads(row.document)
        for tag in document.get("tags", ()):
            filed["#" + str(tag).lower()].append(row.id)
        for category in (document.get("record") or {}).get("categories", ()):
            if not str(category).startswith("AI-"):
                filed["#" + str(category).lower()].append(row.id)
        if row.kind == "note" and row.path and "/" in row.path:
            filed["/" + row.path.rsplit("/", 1)[0]].append(row.id)
    return ids, edges, {name: sorted(set(members)) for name, members in filed.items()}


def _previous(connection: Connection) -> tuple[dict[str, str], dict[str, str | None]]:
    """Entry → topic of the last run (outliers left out), and topic → parent."""
    parents: dict[str, str | None] = {row.id: row.parent for row in connection.execute(select(s.topics))}
    rows = connection.execute(select(s.topic_members.c.entry_id, s.topic_members.c.topic_id))
    return {r.entry_id: r.topic_id for r in rows if r.topic_id in parents}, parents


def _divide(
    graph: nx.Graph[str], previous: Mapping[str, str], parents: Mapping[str, str | None]
) -> tuple[list[_Group], list[str]]:
    """Communities, the big ones divided when the corpus is large, and the entries in none."""
    top = {entry: parents.get(topic) or topic for entry, topic in previous.items()}
    groups, outliers = [], []
    for members in communities.partition(graph, top):
        if len(members) < communities.MIN_SIZE:
            outliers += members
            continue
        parts: list[list[str]] = []
        if len(graph) >= _LARGE and len(members) >= _DIVIDE:
            inside = {e: previous[e] for e in members if e in previous and parents.get(previous[e])}
            found = communities.partition(graph.subgraph(members), inside, resolution=1.0)
            parts = [p for p in found if len(p) >= communities.MIN_SIZE]
            loose = [e for p in found if len(p) < communities.MIN_SIZE for e in p]
            parts = [] if len(parts) < 2 else communities.attach(graph, parts, loose)
        groups.append(_Group(members, parts))
    return groups, sorted(outliers)


def _name(
    groups: Sequence[_Group], words: Mapping[str, Words], previous: Mapping[str, str], parents: Mapping[str, str | None]
) -> list[Topic]:
    """Groups as topics: ids carried on from the previous run, terms, labels."""
    top = {entry: parents.get(topic) or topic for entry, topic in previous.items()}
    taken: set[str] = set()  # of both levels: the parts of one topic may come to stand in two
    ids = carry_ids([g.members for g in groups], top, taken)
    whole = labels.terms({i: [words[m] for m in g.members] for i, g in zip(ids, groups, strict=True)}, words.values())
    out: list[Topic] = []
    for topic_id, group in zip(ids, groups, strict=True):
        own = () if group.parts else tuple(group.members)
        out.append(Topic(id=topic_id, label=labels.label(whole[topic_id]), terms=whole[topic_id], members=own))
        inside = {e: previous[e] for e in group.members if e in previous and parents.get(previous[e])}
        part_ids = carry_ids(group.parts, inside, taken)
        inner = labels.terms(
            {i: [words[m] for m in p] for i, p in zip(part_ids, group.parts, strict=True)},
            [words[m] for m in group.members],
        )
        for part_id, part in zip(part_ids, group.parts, strict=True):
            label = labels.label(inner[part_id])
            out.append(Topic(id=part_id, label=label, terms=inner[part_id], members=tuple(part), parent=topic_id))
    return out


def carry_ids(groups: Sequence[Sequence[str]], previous: Mapping[str, str], taken: set[str] | None = None) -> list[str]:
    """An id for each group: that of the previous topic it overlaps most with, else one made from its members.

    None of `taken` is given again; those that are given are added to it.
    """
    before: dict[str, set[str]] = defaultdict(set)
    for entry, topic in previous.items():
        before[topic].add(entry)
    overlaps = []
    for number, members in enumerate(groups):
        shared: dict[str, int] = defaultdict(int)
        for entry in members:
            if entry in previous:
                shared[previous[entry]] += 1
        for topic, n in shared.items():
            overlaps.append((-n / len(before[topic] | set(members)), number, topic))
    ids: dict[int, str] = {}
    taken = set() if taken is None else taken
    for overlap, number, topic in sorted(overlaps):
        if -overlap >= _SAME and number not in ids and topic not in taken:
            ids[number] = topic
            taken.add(topic)
    for number, members in enumerate(groups):
        if number not in ids:
            salt = 0
            while (name := _new_id(members, salt)) in taken:
                salt += 1
            ids[number] = name
            taken.add(name)
    return [ids[n] for n in range(len(groups))]


def _new_id(members: Sequence[str], salt: int) -> str:
    data = "\n".join((str(salt), *sorted(members))).encode("utf-8", "surrogatepass")
    return "topic-" + hashlib.sha256(data).hexdigest()[:8]


def _write(connection: Connection, topics: Sequence[Topic], outliers: Sequence[str]) -> None:
    connection.execute(delete(s.topics))
    connection.execute(delete(s.topic_members))
    if topics:
        rows = [
            {"id": t.id, "label": t.label, "terms": json.dumps(t.terms, ensure_ascii=False), "parent": t.parent}
            for t in topics
        ]
        connection.execute(insert(s.topics), rows)
    members = [{"entry_id": m, "topic_id": t.id} for t in topics for m in t.members]
    members += [{"entry_id": m, "topic_id": OUTLIERS} for m in outliers]
    if members:
        connection.execute(insert(s.topic_members), members)
