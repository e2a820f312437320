"""What grows by itself is kept for a time and then forgotten, so that a year of nightly runs stays small.

Tombstones go with each sync (`entries.purge`). Here: the log of model calls, contradictions that closed by themselves,
and in the evidence folder what was cached and is no longer fresh. A page that accepted evidence stands on is kept for as long as that evidence is.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, delete, select

from brain_assets.graph import findings
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta

_DONE = "retained_on"
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SHORT = 16
"""Hex digits of a page's digest in its id `web:…`."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much was forgotten: rows of the call log, files of the evidence folder, closed contradictions."""

    calls: int
    files: int
    findings: int = 0


def forget(cat: Catalogue, settings: Settings) -> Forgotten:
    """Once a day, forget what is older than the settings say; the caller holds the writer lock."""
    with cat.read() as connection:
        if get_meta(connection, _DONE) == settings.today.isoformat():
            return Forgotten(0, 0)
        needed = _needed(connection)
    oldest = settings.today - dt.timedelta(days=settings.history_days)
    with cat.begin() as connection:
        calls = connection.execute(delete(s.llm_calls).where(s.llm_calls.c.at < oldest.isoformat())).rowcount
        closed = findings.forget(connection, oldest, settings.today)
        set_meta(connection, _DONE, settings.today.isoformat())
    return Forgotten(int(calls), _forget_evidence(settings, needed), closed)


def _needed(connection: Connection) -> frozenset[str]:
    """Beginnings of the digests of pages that a fact base, a round, an article or a web entry stands on."""
    found: set[str] = set()
    columns = (
        s.consolidations.c.consolidation, s.research_rounds.c.record, s.articles.c.article, s.article_versions.c.meta,
    )  # fmt: skip
    for column in columns:
        for (text,) in connection.execute(select(column)):
            found.update(match[:_SHORT] for match in _DIGEST.findall(text))
    for entry_id in connection.execute(select(s.entries.c.id).where(s.entries.c.kind == "web")).scalars():
        found.add(entry_id.removeprefix("web:"))
    return frozenset(found)


def _forget_evidence(settings: Settings, needed: frozenset[str]) -> int:
    oldest = settings.today - dt.timedelta(days=settings.article_research_cache_days)
    folder = settings.evidence_dir
    fresh: set[str] = set()
    old: list[Path] = []
    for kind, limit in (("pages", oldest), ("digests", oldest), ("searches", settings.today)):
        for path in sorted((folder / kind).glob("*.json")):
            on, digest = _record(path)
            keep = on >= limit or (kind != "searches" and digest[:_SHORT] in needed)
            if keep and digest:
                fresh.add(digest)
            if not keep:
                old.append(path)
    for path in sorted(folder.glob("*.txt")):
        if path.stem not in fresh and path.stem[:_SHORT] not in needed:
            old.append(path)
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _record(path: Path) -> tuple[dt.date, str]:
    """The day of a cache file and the digest of its page; a damaged one is as old as can be."""
    try:
        value = json.loads(path.read_bytes())
        return dt.date.fromisoformat(value["on"]), str((value.get("page") or {}).get("digest", ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return dt.date.min, ""
