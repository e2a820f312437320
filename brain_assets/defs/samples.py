"""What an asset shows of itself in the UI: a Markdown sample of its rows, and what its models cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dagster import MetadataValue
from sqlalchemy import Connection, func, or_, select

from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.text.printable import inert

MAX_BYTES = 4000
_ROWS = 10
_CELL = 80
_REASON = 240
"""Cells that give a reason or a quote are worth more room."""
_live = s.entries.c.deleted_on.is_(None)


def model_use(settings: Settings) -> tuple[int, int]:
    """Model calls and tokens of this process so far."""
    from brain_assets.llm.calls import run_budget

    budget = run_budget(settings)
    return budget.calls, budget.tokens


def last_call(connection: Connection) -> int:
    """Number of the newest row in the log of model calls."""
    return int(connection.execute(select(func.max(s.llm_calls.c.id))).scalar() or 0)


def cost_since(connection: Connection, settings: Settings, number: int) -> float | None:
    """US dollars of the model calls logged after row `number`; None if a model has no price."""
    from brain_assets.llm.calls import Call, cost

    c = s.llm_calls.c
    query = select(c.prompt_version, c.provider, c.model, c.input_tokens, c.output_tokens, c.ms, c.outcome)
    rows = connection.execute(query.where(c.id > number).order_by(c.id))
    dollars = cost([Call(**row._asdict()) for row in rows], settings.prices)
    return None if dollars is None else round(dollars, 6)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], empty: str = "Nothing yet.", *, widest: int = _CELL
) -> str:
    """A Markdown table of at most 4000 bytes; cells are cut at `widest` characters, rows that do not fit are counted."""
    lines = [_row(columns), _row(["---"] * len(columns))]
    size = sum(len(line.encode()) + 1 for line in lines)
    shown = left = 0
    for row in rows:
        line = _row([_cell(value, widest) for value in row])
        size += len(line.encode()) + 1
        if left or size > MAX_BYTES - 60:
            left += 1
            continue
        lines.append(line)
        shown += 1
    if not shown and not left:
        return empty
    return "\n".join(lines) + (f"\n\n… and {left} more." if left else "")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: Any, widest: int) -> str:
    """One line of text that cannot break out of its cell or become Markdown of its own."""
    text = "" if value is None else " ".join(str(value).split())
    text = text if len(text) <= widest else text[: widest - 1] + "…"
    for character in "\\|`<[":
        text = text.replace(character, "\\" + character if character != "<" else "&lt;")
    return text


def _entries(kind: str) -> Callable[[Connection], str]:
    def sample(connection: Connection) -> str:
        newest = (
            select(s.entries.c.title, s.entries.c.path, s.entries.c.type, s.entries.c.date, s.entries.c.language)
            .where(_live, s.entries.c.kind == kind)
            .order_by(s.entries.c.date.desc(), s.entries.c.id)
            .limit(_ROWS)
        )
        source = "vault" if kind == "note" else "kb"
        problems = select(s.problems.c.path, s.problems.c.severity, s.problems.c.reason).where(
            s.problems.c.source == source
        )
        text = table(("title", "path", "type", "date", "language"), connection.execute(newest))
        rows = connection.execute(problems.order_by(s.problems.c.path, s.problems.c.ordinal).limit(_ROWS)).all()
        if rows and len(text.encode()) < MAX_BYTES // 2:
            text += "\n\n**Problems**\n\n" + _fitting(("file", "severity", "reason"), rows, text)
        return text

    return sample


def _fitting(columns: Sequence[str], rows: Sequence[Sequence[Any]], before: str) -> str:
    for number in range(len(rows), 0, -1):
        text = table(columns, rows[:number], widest=_REASON)
        if len(text.encode()) + len(before.encode()) < MAX_BYTES - 40:
            return text
    return f"{len(rows)} problems; `brain status` lists them."


def _index(connection: Connection) -> str:
    rows = connection.execute(
        select(s.entries.c.language, s.entries.c.kind, func.count())
        .where(_live)
        .group_by(s.entries.c.language, s.entries.c.kind)
        .order_by(s.entries.c.language, s.entries.c.kind)
    )
    return table(("language", "kind", "entries"), rows)


def _vectors(connection: Connection) -> str:
    rows = connection.execute(
        select(s.vector_sets.c.id, s.vector_sets.c.dimension, s.vector_sets.c.complete, func.count(s.vectors.c.digest))
        .outerjoin(s.vectors, s.vectors.c.set_id == s.vector_sets.c.id)
        .group_by(s.vector_sets.c.id, s.vector_sets.c.dimension, s.vector_sets.c.complete)
        .order_by(s.vector_sets.c.id)
    )
    return table(("vector set", "dimension", "complete", "vectors"), rows, "No vector set: lexical search only.")


def _edges(connection: Connection) -> str:
    rows = connection.execute(
        select(
            s.edges.c.source, s.edges.c.relation, s.edges.c.target, s.edges.c.confidence, s.edges.c.source_quote
        )
        .where(s.edges.c.origin == "relations", s.edges.c.relation != "references")
        .order_by(s.edges.c.confidence.desc(), s.edges.c.source, s.edges.c.target)
        .limit(_ROWS)
    )  # fmt: skip
    return table(("source", "relation", "target", "confidence", "quote"), rows)


def _topics(connection: Connection) -> str:
    size = func.count(s.topic_members.c.entry_id)
    rows = connection.execute(
        select(s.topics.c.label, size, s.topics.c.terms)
        .outerjoin(s.topic_members, s.topic_members.c.topic_id == s.topics.c.id)
        .group_by(s.topics.c.id, s.topics.c.label, s.topics.c.terms)
        .order_by(size.desc(), s.topics.c.id)
    )
    return table(("topic", "members", "terms"), ((r[0], r[1], ", ".join(json.loads(r[2]))) for r in rows))


def _consolidations(connection: Connection) -> str:
    query = select(s.consolidations).order_by(s.consolidations.c.pool_id, s.consolidations.c.version)
    rows = []
    for row in connection.execute(query):
        fact_base = json.loads(row.consolidation)
        rows.append(
            (
                fact_base["scope"], row.version, len(fact_base["statements"]), len(fact_base["critical_gaps"]),
                len(fact_base["resolved_gaps"]), fact_base["author"],
            )
        )  # fmt: skip
    return table(("scope", "version", "statements", "critical gaps", "resolved", "author"), rows)


def _rounds(connection: Connection) -> str:
    query = select(s.research_rounds).order_by(s.research_rounds.c.pool_id, s.research_rounds.c.round)
    rows = []
    for row in connection.execute(query):
        record = json.loads(row.record)
        rows.append((row.pool_id, row.round, row.outcome, len(record["queries"]), len(record["evidence"]),
                     record["reason"]))  # fmt: skip
    return table(("pool", "round", "outcome", "queries", "evidence", "reason"), rows)


def _articles(connection: Connection) -> str:
    rows = []
    for row in connection.execute(select(s.articles).order_by(s.articles.c.id)):
        article = json.loads(row.article)
        rows.append((row.id, article["record"]["title"], article["type"], article["decision"],
                     article["confidence"], row.state))  # fmt: skip
    return table(("id", "title", "type", "decision", "confidence", "state"), rows)


def articles(connection: Connection, settings: Settings) -> dict[str, MetadataValue[Any]]:
    """What leads from the asset to the articles: the newest one to read, and the files and sources of all."""
    return {
        "refused": MetadataValue.md(_refused(connection)),
        "preview": MetadataValue.md(preview(connection)),
        "files": MetadataValue.md(files_of_articles(connection, settings)),
        "staging": MetadataValue.path(str(settings.staging_dir)),
        "article_metadata": MetadataValue.path(str(settings.metadata_dir)),
    }


def _refused(connection: Connection) -> str:
    """What stopped pools from becoming articles, the commonest reason first."""
    from brain_assets.synthesis import funnel

    return table(("refused because of", "pools"), funnel.refused(connection).items(), "No pool was refused.")


def files_of_articles(connection: Connection, settings: Settings) -> str:
    """Where each article waiting for review lies, where all that is internal about it does, and what it was made from."""
    rows = []
    for row in connection.execute(select(s.articles).where(s.articles.c.state == "staged").order_by(s.articles.c.id)):
        name = f"{row.id}.json"
        sources = ", ".join(json.loads(row.article)["sources"])
        rows.append((f"{settings.staging_dir.name}/{name}", f"{settings.metadata_dir.name}/{name}", sources))
    return table(("article", "metadata", "sources"), rows, "No article waits for review.", widest=_REASON)


def preview(connection: Connection) -> str:
    """The newest staged article as its reader will see it, and what it stands on: at most 4000 bytes of Markdown."""
    newest = select(s.articles).where(s.articles.c.state == "staged")
    row = connection.execute(newest.order_by(s.articles.c.staged_on.desc(), s.articles.c.id).limit(1)).first()
    if row is None:
        return "No article waits for review."
    article = json.loads(row.article)
    record = article["record"]
    about = ", ".join(
        [article["type"], " ".join(filter(None, (article["decision"], article["target"]))),
         f"confidence {article['confidence']:.2f}", f"version {article['version']}"]
    )  # fmt: skip
    origin = select(s.entries.c.id, s.entries.c.title, s.entries.c.path, s.entries.c.date)
    rows = connection.execute(origin.where(s.entries.c.id.in_(article["sources"])).order_by(s.entries.c.id))
    head = f"# {inert(record['title'])}\n\n{row.id} ({about})\n\n"
    tail = "\n\n## Sources\n\n" + table(("id", "title", "path", "date"), rows, "None of its sources is left.")
    body = inert(f"{record['text']}\n\n{record['answer']}")
    return head + _beginning(body, MAX_BYTES - len((head + tail).encode())) + tail


def _beginning(text: str, limit: int) -> str:
    """The first whole lines of a Markdown text, `limit` bytes at most; a fence cut in two is closed."""
    if len(text.encode()) <= limit:
        return text
    lines: list[str] = []
    left = limit - 60
    for line in text.splitlines():
        left -= len(line.encode()) + 1
        if left < 0:
            break
        lines.append(line)
    if sum(line.lstrip().startswith("```") for line in lines) % 2:
        lines.append("```")
    return "\n".join(lines) + "\n\n… (the rest is in its file)"


def failures(connection: Connection, asset: str) -> str:
    """The dead letters of an asset's stage (and of its parts, such as one vector set), as Markdown."""
    letters = s.dead_letters
    ours = or_(letters.c.stage == asset, letters.c.stage.like(f"{asset}:%"))
    query = select(letters.c.item_id, letters.c.attempts, letters.c.error).where(ours)
    rows = connection.execute(query.order_by(letters.c.stage, letters.c.item_id))
    return table(("item", "attempts", "error"), rows, "Nothing failed.", widest=_REASON)


_SAMPLES: dict[str, Callable[[Connection], str]] = {
    "vault_notes": _entries("note"),
    "kb_entries": _entries("kb"),
    "search_index": _index,
    "embeddings": _vectors,
    "relation_edges": _edges,
    "topic_clusters": _topics,
    "consolidations": _consolidations,
    "research_rounds": _rounds,
    "staged_articles": _articles,
}


def markdown(connection: Connection, asset: str) -> str:
    """A sample of an asset's rows, at most 4 kB of Markdown."""
    return _SAMPLES[asset](connection)
