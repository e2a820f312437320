"""What each asset holds, as one digest: Dagster's data version, and the proof that two runs end in the same state."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, Select, select

from brain_assets.store import schema as s

_live = s.entries.c.deleted_on.is_(None)
_MANIFESTS: dict[str, Select[tuple[object, ...]]] = {
    "vault_notes": select(s.entries.c.id, s.entries.c.document_digest, s.entries.c.text_digest).where(
        _live, s.entries.c.kind == "note"
    ),
    "kb_entries": select(s.entries.c.id, s.entries.c.document_digest, s.entries.c.text_digest).where(
        _live, s.entries.c.kind == "kb"
    ),
    "search_index": select(s.meta.c.key, s.meta.c.value).where(s.meta.c.key == "index:documents"),
    "embeddings": select(s.vectors.c.set_id, s.vectors.c.digest),
    "relation_edges": select(
        s.edges.c.source, s.edges.c.target, s.edges.c.relation, s.edges.c.confidence, s.edges.c.source_quote,
        s.edges.c.target_quote,
    ).where(s.edges.c.origin == "relations"),
    "topic_clusters": select(s.topic_members.c.entry_id, s.topic_members.c.topic_id),
    "consolidations": select(s.consolidations.c.pool_id, s.consolidations.c.consolidation).where(
        s.consolidations.c.version == 1
    ),
    "research_rounds": select(s.research_rounds.c.pool_id, s.research_rounds.c.round, s.research_rounds.c.record),
    "staged_articles": select(s.articles.c.id, s.articles.c.state, s.articles.c.article),
}  # fmt: skip
ASSETS: tuple[str, ...] = tuple(_MANIFESTS)


def digest(connection: Connection, asset: str) -> str:
    """SHA-256 hex over the sorted rows an asset holds: equal for equal content, whatever the way there."""
    rows = sorted(repr(tuple(row)) for row in connection.execute(_MANIFESTS[asset]))
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()


def size(connection: Connection, asset: str) -> int:
    """Number of rows an asset holds."""
    return sum(1 for _ in connection.execute(_MANIFESTS[asset]))
