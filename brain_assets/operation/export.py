"""Export: what a brain holds as plain tables, for use without the product.

`entries`, `edges`, `topics`, `articles` and `gaps`, each one file of JSON lines, CSV or Parquet, all of one consistent
snapshot. Nested values are JSON text in CSV and Parquet.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, select

from brain_assets.errors import ConfigurationError
from brain_assets.operation import views
from brain_assets.settings import Settings
from brain_assets.store import entries as store_entries
from brain_assets.store import files
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "csv", "parquet")
_Row = dict[str, Any]


def _entries(connection: Connection) -> Iterator[_Row]:
    for entry in store_entries.load(connection):
        yield entry.model_dump(mode="json", exclude={"passages"})


def _edges(connection: Connection) -> Iterable[_Row]:
    return views.edges(connection)


def _topics(connection: Connection) -> Iterator[_Row]:
    found = views.topics(connection)
    yield from found["topics"]
    if found["outliers"]:
        members = found["outliers"]
        where = views.paths(connection, members)
        yield {"id": "outliers", "label": "", "terms": [], "members": members, "paths": [where.get(i) for i in members],
               "parent": None}  # fmt: skip


def _articles(connection: Connection) -> Iterator[_Row]:
    query = select(s.articles.c.id, s.articles.c.state, s.articles.c.staged_on, s.articles.c.article)
    for row in connection.execute(query.order_by(s.articles.c.id)):
        article = json.loads(row.article)
        yield {"id": row.id, "state": row.state, "staged_on": row.staged_on.isoformat()} | {
            key: value for key, value in article.items() if key != "id"
        }


def _gaps(connection: Connection) -> Iterator[_Row]:
    for row in connection.execute(select(s.gaps).order_by(s.gaps.c.id)):
        yield {
            "gap_id": row.id, "kind": row.kind, "term": row.term, "state": row.state,
            "queries": json.loads(row.queries), "seen": row.seen, "first_seen": row.first_seen.isoformat(),
            "last_seen": row.last_seen.isoformat(), "note": row.note, "detail": json.loads(row.detail),
        }  # fmt: skip


TABLES: dict[str, Callable[[Connection], Iterable[_Row]]] = {
    "entries": _entries, "edges": _edges, "topics": _topics, "articles": _articles, "gaps": _gaps,
}  # fmt: skip


def export(cat: Catalogue, settings: Settings, folder: Path, form: Format = "jsonl") -> dict[str, int]:
    """Write every table to `folder`; returns the number of rows of each.

    Files of an earlier export are replaced, each as a whole. Raises ConfigurationError if the folder lies in the vault
    or the KB, cannot be written, or if Parquet is asked for and pyarrow is not installed.
    """
    files.keep_out_of_sources(settings, folder)
    write = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[form]
    counts: dict[str, int] = {}
    try:
        with cat.read() as connection:
            for name, rows in TABLES.items():
                found = list(rows(connection))
                files.write_atomic(folder / f"{name}.{form}", write(found))
                counts[name] = len(found)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be written ({error.strerror}).", "Check the folder, its permissions and free space."
        ) from error
    return counts


def _jsonl(rows: list[_Row]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "surrogatepass")


def _flat(rows: list[_Row]) -> tuple[list[str], list[_Row]]:
    """Column names in the order of their first appearance, and rows whose nested values are JSON text."""
    columns: dict[str, None] = {}
    flat = []
    for row in rows:
        columns |= dict.fromkeys(row)
        flat.append({k: json.dumps(v, ensure_ascii=False) if isinstance(v, list | dict) else v for k, v in row.items()})
    return list(columns), flat


def _csv(rows: list[_Row]) -> bytes:
    columns, flat = _flat(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue().encode("utf-8", "surrogatepass")


def _parquet(rows: list[_Row]) -> bytes:
    import pandas as pd

    columns, flat = _flat(rows)
    buffer = io.BytesIO()
    try:
        pd.DataFrame(flat, columns=columns).to_parquet(buffer, index=False)
    except ImportError as error:
        raise ConfigurationError(
            "Parquet needs the package pyarrow, which is not installed.",
            'Install the extra: pip install "brain-assets[parquet]", or use --format jsonl.',
        ) from error
    return buffer.getvalue()
