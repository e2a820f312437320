"""The whole graph for other tools: a networkx graph, GraphML, CSV, Parquet, JSON, and one HTML page.

Unlike the asset `relation_edges` it is the union of all edges: also those of articles to their sources and targets.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from brain_assets.errors import ConfigurationError
from brain_assets.settings import Settings
from brain_assets.store import files
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue

if TYPE_CHECKING:
    import networkx as nx

FORMATS = (".html", ".graphml", ".csv", ".parquet", ".json")
_KIND = {"article": "AI-Synthesis"}
NODE = ("id", "title", "kind", "path", "language", "date", "status", "topic", "topic_label")
EDGE = ("source", "target", "relation", "origin", "confidence", "judge", "source_quote", "target_quote", "reason")


def nodes(connection: Connection) -> list[dict[str, Any]]:
    """Live entries: id, title, kind (`AI-Synthesis` for articles), path, language, date, status, topic, topic_label."""
    labels = {row.id: row.label for row in connection.execute(select(s.topics.c.id, s.topics.c.label))}
    topic = {row.entry_id: row.topic_id for row in connection.execute(select(s.topic_members))}
    query = select(
        s.entries.c.id, s.entries.c.title, s.entries.c.kind, s.entries.c.path, s.entries.c.language, s.entries.c.date,
        s.entries.c.status,
    ).where(s.entries.c.deleted_on.is_(None)).order_by(s.entries.c.id)  # fmt: skip
    return [
        {
            "id": r.id, "title": r.title, "kind": _KIND.get(r.kind, r.kind), "path": r.path, "language": r.language,
            "date": r.date.isoformat() if r.date else None, "status": r.status, "topic": topic.get(r.id),
            "topic_label": labels.get(topic.get(r.id, ""), ""),
        }
        for r in connection.execute(query)
    ]  # fmt: skip


def edges(connection: Connection) -> list[dict[str, Any]]:
    """Every edge between live entries, ordered."""
    live = set(connection.execute(select(s.entries.c.id).where(s.entries.c.deleted_on.is_(None))).scalars())
    order = (s.edges.c.source, s.edges.c.target, s.edges.c.relation, s.edges.c.origin)
    rows = connection.execute(select(s.edges).order_by(*order)).mappings()
    return [{name: row[name] for name in EDGE} for row in rows if row["source"] in live and row["target"] in live]


def networkx(connection: Connection) -> nx.MultiDiGraph[str]:
    """The graph with all attributes; parallel edges are told apart by their relation and origin."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in nodes(connection):
        graph.add_node(node["id"], **{k: v for k, v in node.items() if k != "id"})
    for edge in edges(connection):
        rest = {k: v for k, v in edge.items() if k not in ("source", "target")}
        graph.add_edge(edge["source"], edge["target"], key=f"{edge['relation']}/{edge['origin']}", **rest)
    return graph


def write(cat: Catalogue, settings: Settings, target: Path) -> dict[str, int]:
    """Write the graph in the format its file name asks for and return the numbers of nodes and edges.

    `.csv` and `.parquet` write two files, NAME.nodes.csv and NAME.edges.csv. Raises ConfigurationError for an unknown
    ending, for a target in the vault or the KB, and for `.parquet` without the extra that writes it.
    """
    files.keep_out_of_sources(settings, target)
    if target.suffix not in FORMATS:
        raise ConfigurationError(f"{target.name} has no known ending.", f"Use one of: {', '.join(FORMATS)}.")
    if target.suffix == ".html":
        return html(cat, settings, target)
    with cat.read() as connection:
        all_nodes, all_edges = nodes(connection), edges(connection)
        if target.suffix == ".json":
            files.write_json(target, {"nodes": all_nodes, "edges": all_edges, "topics": topics(connection)})
        elif target.suffix in (".csv", ".parquet"):
            made = table if target.suffix == ".csv" else parquet
            tables = (("nodes", made(all_nodes, NODE)), ("edges", made(all_edges, EDGE)))
            for name, content in tables:
                files.write_atomic(target.with_suffix(f".{name}{target.suffix}"), content)
        else:
            files.write_atomic(target, graphml(connection))
    return {"nodes": len(all_nodes), "edges": len(all_edges)}


def table(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV. A cell that a spreadsheet would take for a formula is given a quote mark before it."""
    import pandas as pd

    safe = [{k: _harmless(v) for k, v in row.items()} for row in rows]
    return str(pd.DataFrame(safe, columns=list(columns)).to_csv(index=False))


def parquet(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> bytes:
    """Rows as a Parquet file: text columns, and numbers for the confidence. ConfigurationError without pyarrow."""
    import pandas as pd

    # A lone half of a character, as a damaged name may hold, has no place in UTF-8.
    safe = [{k: _in_utf8(v) for k, v in row.items()} for row in rows]
    frame = pd.DataFrame(safe, columns=list(columns))
    frame = frame.astype({c: "float64" if c == "confidence" else "string" for c in columns})
    buffer = io.BytesIO()
    try:
        frame.to_parquet(buffer, index=False)
    except ImportError as error:
        raise ConfigurationError(
            "Parquet needs the package pyarrow, which is not installed.",
            'Install the extra: pip install "brain-assets[parquet]", or write .csv or .json.',
        ) from error
    return buffer.getvalue()


def _in_utf8(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _harmless(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def graphml(connection: Connection) -> str:
    """The graph as GraphML; characters that XML forbids are left out."""
    import networkx as nx

    graph = networkx(connection)
    for _, attributes in graph.nodes(data=True):
        _for_xml(attributes)
    for _, _, attributes in graph.edges(data=True):
        _for_xml(attributes)
    return "\n".join(nx.generate_graphml(graph))


def _for_xml(attributes: dict[str, Any]) -> None:
    for name, value in list(attributes.items()):
        if value is None:
            del attributes[name]
        elif isinstance(value, str):
            attributes[name] = "".join(
                c for c in value if c in "\t\n\r" or (ord(c) >= 32 and ord(c) not in (0xFFFE, 0xFFFF))
            )


def html(cat: Catalogue, settings: Settings, target: Path) -> dict[str, int]:
    """Write the interactive page and return the numbers of nodes and edges on it."""
    from brain_assets.graph import page

    with cat.read() as connection:
        view = page.view(nodes(connection), edges(connection), topics(connection), _findings(connection))
    files.write_atomic(target, page.render(view))
    counts = {"nodes": len(view["nodes"]), "edges": len(view["edges"])}
    return counts | ({"entries": view["entries"], "relations": view["total"]} if view["aggregated"] else {})


def topics(connection: Connection) -> list[dict[str, Any]]:
    """Topics of both levels: id, label, terms, parent."""
    rows = connection.execute(select(s.topics).order_by(s.topics.c.id))
    return [{"id": r.id, "label": r.label, "terms": json.loads(r.terms), "parent": r.parent} for r in rows]


def _findings(connection: Connection) -> list[dict[str, Any]]:
    c = s.contradictions.c
    rows = connection.execute(
        select(c.id, c.a, c.b, c.status, c.subject, c.finding).where(c.status != "closed").order_by(c.id)
    )
    return [
        {**row._asdict(), **{k: finding[k] for k in ("a_value", "b_value")}}
        for row in rows for finding in [json.loads(row.finding)]
    ]  # fmt: skip


def dumps(value: Any) -> str:
    """JSON in one line, keys in order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
