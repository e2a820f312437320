"""What an asset's rows come to, counted: one small picture for the eye, the same numbers as JSON for machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dagster import MetadataValue
from sqlalchemy import Connection, Select, extract, func, select

from brain_assets.defs import pictures
from brain_assets.store import schema as s

Counts = dict[str, int]
_live = s.entries.c.deleted_on.is_(None)
_UNDATED = "no date"


def metadata(connection: Connection, asset: str) -> dict[str, MetadataValue[Any]]:
    """The asset's counts under `figures`, and the first of them drawn under `picture`."""
    found = _FIGURES[asset](connection)
    what, drawn = next(iter(found.items()))
    picture = (pictures.funnel if what == _FUNNEL else pictures.bars)(what, drawn)
    return {"picture": MetadataValue.md(picture or "Nothing to draw yet."), "figures": MetadataValue.json(found)}


def _counted(connection: Connection, query: Select[Any]) -> Counts:
    return {str(name): int(number) for name, number in connection.execute(query)}


def _notes(connection: Connection) -> dict[str, Counts]:
    """Notes by year, the newest first."""
    year = extract("year", s.entries.c.date)
    query = select(year, func.count()).where(_live, s.entries.c.kind == "note").group_by(year).order_by(year.desc())
    rows = [(_UNDATED if name is None else str(name), int(number)) for name, number in connection.execute(query)]
    return {"Notes by year": dict(sorted(rows, key=lambda row: row[0] == _UNDATED))}


def _by(connection: Connection, what: str, column: Any, *conditions: Any) -> dict[str, Counts]:
    """Rows by a column's value, the most frequent first."""
    number = func.count()
    query = select(column, number).where(*conditions).group_by(column).order_by(number.desc(), column)
    return {what: _counted(connection, query)}


def _kb(connection: Connection) -> dict[str, Counts]:
    return _by(connection, "KB entries by language", s.entries.c.language, _live, s.entries.c.kind == "kb")


def _index(connection: Connection) -> dict[str, Counts]:
    return _by(connection, "Entries by kind", s.entries.c.kind, _live)


def _vectors(connection: Connection) -> dict[str, Counts]:
    return _by(connection, "Vectors by set", s.vectors.c.set_id)


def _edges(connection: Connection) -> dict[str, Counts]:
    found = _by(connection, "Edges by type", s.edges.c.relation, s.edges.c.origin == "relations")
    return found | _by(connection, "Contradictions by kind", s.contradictions.c.kind)


def _topics(connection: Connection) -> dict[str, Counts]:
    """Topics by size. Two of one name keep apart by their ids."""
    size = func.count(s.topic_members.c.entry_id)
    rows = connection.execute(
        select(s.topics.c.id, s.topics.c.label, size)
        .outerjoin(s.topic_members, s.topic_members.c.topic_id == s.topics.c.id)
        .group_by(s.topics.c.id, s.topics.c.label)
        .order_by(size.desc(), s.topics.c.id)
    )
    counts: Counts = {}
    for topic, label, members in rows:
        counts[label if label not in counts else f"{label} ({topic})"] = int(members)
    return {"Topics by size": counts}


def _consolidations(connection: Connection) -> dict[str, Counts]:
    return _by(connection, "Pools by decision", s.pools.c.decision)


def _rounds(connection: Connection) -> dict[str, Counts]:
    return _by(connection, "Research rounds by outcome", s.research_rounds.c.outcome)


_FUNNEL = "From pools to articles"


def _articles(connection: Connection) -> dict[str, Counts]:
    from brain_assets.synthesis import funnel

    return {
        _FUNNEL: funnel.counts(connection),
        **_by(connection, "Articles by state", s.articles.c.state),
        **_by(connection, "Pools by decision", s.pools.c.decision),
        "Refused by reason": funnel.refused(connection),
    }


_FIGURES: dict[str, Callable[[Connection], dict[str, Counts]]] = {
    "vault_notes": _notes,
    "kb_entries": _kb,
    "search_index": _index,
    "embeddings": _vectors,
    "relation_edges": _edges,
    "topic_clusters": _topics,
    "consolidations": _consolidations,
    "research_rounds": _rounds,
    "staged_articles": _articles,
}
