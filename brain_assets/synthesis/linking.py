"""Articles in the graph: a node at once (entry of kind article) and its edges of origin `articles`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Article, Statement
from brain_assets.settings import Settings
from brain_assets.sources import passages
from brain_assets.store import catalogue, entries, schema
from brain_assets.text import sentences

ORIGIN = "articles"
_PROPOSES = {"update": "proposes_update", "merge": "proposes_merge"}


def entry_id(article_id: str) -> str:
    return f"article:{article_id}"


def to_entry(article: Article, depth: int, settings: Settings) -> Entry:
    """The article as a node: findable at once, embedded only by learning, never production knowledge."""
    record = article.record
    body = f"{record.text}\n\n{record.answer}"
    language = record.language.split("-")[0]
    digest = hashlib.sha256(f"{record.title}\n{body}".encode()).hexdigest()
    return Entry(
        id=entry_id(article.id),
        kind="article",
        path=f"staging/{article.id}.json",
        title=record.title,
        body=body,
        language=language,
        date=settings.today,
        date_origin="staged",
        type="AI-Synthesis",
        status=article.state,
        tags=record.categories,
        record=record,
        ai_origin=True,
        generation_depth=depth,
        content_digest=digest,
        text_digest=digest,
        passages=passages.split(entry_id(article.id), record.title, body, language),
    )


def link(connection: Connection, article: Article, entry: Entry, used: Sequence[Statement]) -> None:
    """Put the node and its edges; edges of an earlier version are replaced."""
    entries.put(connection, [entry])
    unlink_edges(connection, article.id)
    quotes: dict[str, str] = {}
    for statement in used:
        for ref, quote in zip(statement.source_refs, statement.quotes, strict=True):
            quotes.setdefault(ref, quote)
    grounds = {ref: quote for ref, quote in quotes.items() if ref.startswith("web:")}
    unquoted = {*article.sources, article.target} - quotes.keys() - {None}
    quotes |= _first_sentences(connection, sorted(str(ref) for ref in unquoted))
    rows = [_row(entry.id, s, "synthesized_from", article, quotes.get(s, "")) for s in article.sources]
    rows += [_row(entry.id, ref, "grounded_by", article, quote) for ref, quote in sorted(grounds.items())]
    if article.target and article.decision in _PROPOSES:
        rows.append(
            _row(entry.id, article.target, _PROPOSES[article.decision], article, quotes.get(article.target, ""))
        )
    connection.execute(insert(schema.edges), rows)
    catalogue.bump_generation(connection)


def _first_sentences(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Entries no statement was taken from, and targets, are quoted by the first sentence that is no heading."""
    return {
        e.id: next((s.text for s in sentences.split(e.body) if not s.text.startswith("#")), "")
        for e in entries.load(connection, ids=ids)
    }


def unlink(connection: Connection, article_id: str, settings: Settings) -> None:
    """Take a node and its edges out of the live views."""
    unlink_edges(connection, article_id)
    entries.tombstone(connection, [entry_id(article_id)], settings.today)
    catalogue.bump_generation(connection)


def unlink_edges(connection: Connection, article_id: str) -> None:
    edges = schema.edges
    connection.execute(delete(edges).where(edges.c.source == entry_id(article_id), edges.c.origin == ORIGIN))


def supersede(connection: Connection, source: str, target: str, why: str) -> None:
    """Record that an approved article replaces its target, whose own file stays as it is."""
    edges = schema.edges
    connection.execute(
        delete(edges).where(edges.c.source == source, edges.c.target == target, edges.c.relation == "supersedes",
                            edges.c.origin == ORIGIN)
    )  # fmt: skip
    connection.execute(
        insert(edges).values(
            source=source,
            target=target,
            relation="supersedes",
            origin=ORIGIN,
            confidence=1.0,
            judge="review",
            reason=why,
        )
    )


def _row(source: str, target: str, relation: str, article: Article, quote: str) -> dict[str, object]:
    return {
        "source": source, "target": target, "relation": relation, "origin": ORIGIN, "confidence": article.confidence,
        "judge": "synthesis", "source_quote": "", "target_quote": quote, "reason": f"{article.decision} {article.type}",
    }  # fmt: skip
