"""The relations of the whole corpus: changed entries → candidates → decisions → edges and contradictions.

Work grows with the change: only entries whose text, links or standing changed are looked at, a decision holds while
both texts do, and a killed run goes on where it was.
"""

from __future__ import annotations

import datetime as dt
import gc
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, true

from brain_assets.graph import findings, judge, model_judge
from brain_assets.graph.corpus import Corpus, Standing
from brain_assets.graph.findings import dead
from brain_assets.llm.base import LanguageModel
from brain_assets.model.graph import Contradiction, Decision, Edge
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store import stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.entries import chunks
from brain_assets.store.stages import Item, Progress, StageReport, no_progress

ORIGIN = "relations"
STAGE = "relation_edges"
CODE_VERSION = "2"
_BATCH = 48

DigestOf = Callable[[str], str | None]
"""What a decision on an entry rests on, as `Standing.digest`."""


@dataclass
class Found:
    """What was found about one entry: decisions by unordered pair, contradictions by pair, explicit links."""

    decisions: list[Decision] = field(default_factory=list)
    contradictions: dict[tuple[str, str], list[Contradiction]] = field(default_factory=dict)
    references: list[Edge] = field(default_factory=list)


def update(
    cat: Catalogue, settings: Settings, *, model: LanguageModel | None = None, progress: Progress = no_progress
) -> StageReport:
    """Bring edges and contradictions up to date and report what was decided.

    `details`: decisions (made now), reused_decisions, edges by relation, contradictions by status, findings (new,
    reopened and closed by this run), vector_set, and with a model its own counts. A second run with nothing changed decides nothing.
    """
    with cat.read() as connection:
        standing = Standing.of(connection)
    counts: Counter[str] = Counter()
    with cat.begin() as connection:
        counts["closed"] += sweep(connection, settings.today)
        standing.remember(connection)
    corpus = Corpus(cat, settings, standing)
    stage = stages.Stage(STAGE, CODE_VERSION, standing.judged_with, _BATCH)

    def compute(batch: list[Item]) -> dict[str, Found]:
        found = _compute(corpus, [item.id for item in batch], counts)
        gc.freeze()  # what was read is kept for the run: looking it all over for cycles again takes a fifth of the time
        return found

    def commit(connection: Connection, results: dict[str, Found]) -> None:
        counts.update(_commit(connection, results, standing.digest, settings.today))

    try:
        report = stages.run(cat, stage, corpus.in_order(standing.items()), compute, commit, progress=progress)
    finally:
        gc.unfreeze()
    report.details |= {
        "vector_set": standing.vector_set,
        "decisions": counts["decided"],
        "reused_decisions": counts["reused"],
        "findings": {name: counts[name] for name in ("new", "reopened", "closed")},
    }
    if model is not None:
        report.details["model"] = model_judge.update(cat, corpus, model, progress=progress)
    with cat.begin() as connection:
        report.details |= summary(connection)
        stages.record(connection, report)
    return report


def summary(connection: Connection) -> dict[str, Any]:
    """Edges by relation and contradictions by status, as they stand."""
    edges = connection.execute(
        select(s.edges.c.relation, func.count()).where(s.edges.c.origin == ORIGIN).group_by(s.edges.c.relation)
    )
    statuses = connection.execute(select(s.contradictions.c.status, func.count()).group_by(s.contradictions.c.status))
    return {
        "edges": dict(sorted((str(r), int(n)) for r, n in edges)),
        "contradictions": dict(sorted((str(r), int(n)) for r, n in statuses)),
    }


def _compute(corpus: Corpus, ids: list[str], counts: Counter[str]) -> dict[str, Found]:
    originals = [i for i in ids if corpus.standing.original(i) == i]
    corpus.preload(ids)
    partners = corpus.partners(originals)
    candidates = corpus.finder().find(originals, partners)
    pairs = {
        (min(i, c.id), max(i, c.id)) for i in originals for c in candidates[i] if corpus.standing.original(c.id) == c.id
    }
    corpus.preload({e for pair in pairs for e in pair} | set(ids))
    known = corpus.known_decisions(ids)
    results = {i: Found(references=corpus.references(i)) for i in ids}
    for entry_id in ids:
        if corpus.standing.original(entry_id) != entry_id:
            results[entry_id].decisions.append(corpus.copy_of(entry_id))
            continue
        for candidate in candidates[entry_id]:
            pair = (min(entry_id, candidate.id), max(entry_id, candidate.id))
            if pair not in pairs:
                continue
            conflicts = corpus.conflicts(*pair)
            results[entry_id].contradictions[pair] = conflicts
            if not (candidate.judge or conflicts):
                continue
            decision = known.get(pair)
            if decision is None:
                decision = known[pair] = corpus.decide(pair, candidate, conflicts)
                counts["decided"] += 1
            else:
                counts["reused"] += 1
            results[entry_id].decisions.append(decision)
    return results


def _commit(connection: Connection, results: Mapping[str, Found], digest: DigestOf, on: dt.date) -> Counter[str]:
    new = {pair_of(d): d for found in results.values() for d in found.decisions}
    touched = sorted(results)
    drop_decisions(connection, touched, new, digest)
    if new:
        connection.execute(insert(s.decisions), [decision_row(new[pair]) for pair in sorted(new)])
    current = {pair: c for found in results.values() for pair, c in found.contradictions.items()}
    counts = findings.sync(connection, current, on)
    references = [edge for i in touched for edge in results[i].references]
    project(connection, touched, references)
    return counts


def pair_of(decision: Decision) -> tuple[str, str]:
    """The two entries a decision is about, whatever its direction."""
    return min(decision.source, decision.target), max(decision.source, decision.target)


def decision_row(decision: Decision) -> dict[str, Any]:
    """A decision as a row of the catalogue."""
    fields = ("source", "target", "judge", "prompt_version", "source_digest", "target_digest", "related")
    row = {name: getattr(decision, name) for name in fields}
    return row | {"decision": decision.model_dump_json()}


def drop_decisions(
    connection: Connection, touched: list[str], new: Mapping[tuple[str, str], Decision], digest: DigestOf
) -> None:
    """Remove decisions about the touched entries that a new one replaces or whose texts have changed."""
    gone = []
    for row in decisions_about(connection, touched):
        pair = (min(row.source, row.target), max(row.source, row.target))
        current = row.source_digest == digest(row.source) and row.target_digest == digest(row.target)
        replaced = pair in new and new[pair].judge == row.judge
        if replaced or not current:
            gone.append({"a": row.source, "b": row.target, "by": row.judge, "version": row.prompt_version})
    if gone:
        c = s.decisions.c
        this = (c.source == bindparam("a"), c.target == bindparam("b"), c.judge == bindparam("by"))
        connection.execute(delete(s.decisions).where(*this, c.prompt_version == bindparam("version")), gone)


def replace_decision(connection: Connection, decision: Decision) -> None:
    """Keep a model's decision in the place of every earlier one of a model on the same pair: the last word counts."""
    a, b = pair_of(decision)
    pair = or_(
        (s.decisions.c.source == a) & (s.decisions.c.target == b),
        (s.decisions.c.source == b) & (s.decisions.c.target == a),
    )
    connection.execute(delete(s.decisions).where(pair, s.decisions.c.judge != judge.JUDGE))
    connection.execute(insert(s.decisions), [decision_row(decision)])


def decisions_about(connection: Connection, ids: Iterable[str]) -> list[Any]:
    """Rows of `decisions` with one of the entries on either side, each once, ordered."""
    rows: dict[tuple[str, str, str, str], Any] = {}
    for part in chunks(sorted(set(ids))):
        query = select(s.decisions).where(or_(s.decisions.c.source.in_(part), s.decisions.c.target.in_(part)))
        for row in connection.execute(query):
            rows[(row.source, row.target, row.judge, row.prompt_version)] = row
    return [rows[key] for key in sorted(rows)]


def project(connection: Connection, touched: Iterable[str], references: Iterable[Edge] | None = None) -> None:
    """Make the edges of the touched entries from their decisions; `references` replaces their explicit links.

    Where a model has decided on a pair, its word stands before that of the rules.
    """
    ids = sorted(set(touched))
    by_pair: dict[tuple[str, str], Decision] = {}
    for row in decisions_about(connection, ids):
        decision = Decision.model_validate_json(row.decision)
        pair = pair_of(decision)
        if pair not in by_pair or by_pair[pair].judge == judge.JUDGE:
            by_pair[pair] = decision
    dismissed = findings.settled_as_none(connection, [p for p, d in by_pair.items() if d.relation == "contradicts"])
    for part in chunks(ids):
        mine = s.edges.c.origin == ORIGIN
        touching = or_(s.edges.c.source.in_(part), s.edges.c.target.in_(part))
        connection.execute(delete(s.edges).where(mine, touching, s.edges.c.relation != "references"))
        if references is not None:
            own = s.edges.c.source.in_(part)
            connection.execute(delete(s.edges).where(mine, own, s.edges.c.relation == "references"))
    rows = [edge_row(edge_of(d, dismissed)) for _, d in sorted(by_pair.items()) if d.related]
    rows += [edge_row(edge) for edge in references or ()]
    if rows:
        connection.execute(insert(s.edges), rows)


def edge_of(decision: Decision, dismissed: Iterable[tuple[str, str]] = ()) -> Edge:
    """A positive decision as an edge; a contradiction a person dismissed leaves the two on one topic."""
    relation, reason = decision.relation or "same_topic", decision.reason
    if relation == "contradicts" and pair_of(decision) in dismissed:
        relation, reason = "same_topic", "Looked like a contradiction; dismissed by a person."
    return Edge(
        source=decision.source, target=decision.target, relation=relation, confidence=decision.confidence,
        judge=decision.judge, source_quote=decision.source_quote, target_quote=decision.target_quote, reason=reason,
    )  # fmt: skip


def edge_row(edge: Edge) -> dict[str, Any]:
    """An edge as a row of the catalogue."""
    return edge.model_dump() | {"origin": ORIGIN}


def sweep(connection: Connection, on: dt.date) -> int:
    """Take out of the graph what hangs on entries that are gone; returns the number of findings this closes.

    Whatever was compared has its terms stored: looking for them is a look at every entry, not at every edge.
    """
    terms = s.entry_terms.c.entry_id
    gone = connection.execute(select(terms).where(dead(terms)).order_by(terms)).scalars().all()
    for part in chunks(gone):
        for table in (s.edges, s.decisions):
            mine = table.c.origin == ORIGIN if table is s.edges else true()
            for side in (table.c.source, table.c.target):
                connection.execute(delete(table).where(mine, side.in_(part)))
        connection.execute(delete(s.entry_terms).where(terms.in_(part)))
    return findings.close_dead(connection, on)
