"""Small brains written by hand, straight into a catalogue."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from brain_assets.model.entry import Entry, KBRecord, Link
from brain_assets.settings import Settings
from brain_assets.sources import passages
from brain_assets.store import entries
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue, bump_generation
from brain_assets.text.language import detect

_LINK = re.compile(r"\[\[([^\]|#]+)(?:\|[^\]]*)?\]\]")


def digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def note(path: str, body: str, *, title: str = "", links: dict[str, str] | None = None, **fields: Any) -> Entry:
    """A note; `[[X]]` resolves to `note:X.md`, or to what `links` says."""
    entry_id = f"note:{path}.md"
    title = title or path.rsplit("/", 1)[-1]
    language = detect(body)
    found = tuple(Link(target=t, entry_id=(links or {}).get(t, f"note:{t}.md")) for t in _LINK.findall(body))
    values: dict[str, Any] = {"date": dt.date(2026, 11, 1), "language": language, **fields}
    return Entry(
        id=entry_id, kind="note", path=f"{path}.md", title=title, body=body, links=found,
        content_digest=digest(body), text_digest=digest(title, body),
        passages=passages.split(entry_id, title, body, language), **values,
    )  # fmt: skip


def kb(number: str, title: str, text: str, answer: str, **fields: Any) -> Entry:
    entry_id, body = f"kb:{number}", f"{text}\n\n{answer}"
    record = KBRecord(id=number, title=title, text=text, answer=answer)
    language = detect(body)
    return Entry(
        id=entry_id, kind="kb", path=f"{number}.json", title=title, body=body, language=language, record=record,
        content_digest=digest(body), text_digest=digest(title, body),
        passages=passages.split(entry_id, title, body, language), **fields,
    )  # fmt: skip


def fill(cat: Catalogue, found: Iterable[Entry]) -> None:
    with cat.begin() as connection:
        entries.put(connection, found)
        bump_generation(connection)


def embed(cat: Catalogue, settings: Settings) -> None:
    from brain_assets.retrieval import vectors

    vectors.update(cat, settings)


def edges(cat: Catalogue) -> dict[tuple[str, str, str], Any]:
    with cat.read() as connection:
        return {(r.source, r.target, r.relation): r for r in connection.execute(select(s.edges))}


def judged(cat: Catalogue) -> dict[frozenset[str], str]:
    """Pair → relation of its judged edge."""
    return {frozenset((a, b)): r for a, b, r in edges(cat) if r != "references"}


def findings(connection: Connection) -> dict[str, Any]:
    return {r.id: r for r in connection.execute(select(s.contradictions))}
