"""STALE: sources that are old, or that something newer replaces, with the reason in words."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from brain_assets.graph import scope
from brain_assets.model.entry import Entry
from brain_assets.model.gaps import Stale
from brain_assets.think.gap_ids import gap_id

if TYPE_CHECKING:
    from brain_assets.think.gather import Source

_NOTE = (
    r"(?:diese[rs]?|this) (?:notiz|seite|anleitung|dokument|eintrag|beschreibung|fassung|note|page|document|guide|"
    r"entry|runbook|article)"
)
_REPLACED = re.compile(
    rf"(?m)(?:^[\s>*_!-]*(?:\[!\w+\][+-]?\s*)?|[.!:][*_]*\s+[*_]*)(?:{_NOTE} [^.\n]{{0,40}}?)?"
    r"(?:(?:ersetzt|abgelöst|überholt) (?:durch|von)|(?:superseded|replaced|obsoleted) by)[\s:*_]+"
    r"(?:\[\[(?P<wiki>[^\]|#\n]+)[^\]\n]*\]\]|\[(?P<label>[^\]\n]+)\]\([^)\n]+\))",
    re.IGNORECASE,
)
_THIS = re.compile(
    rf"\b{_NOTE}\b.{{0,40}}\b(?:veraltet|überholt|ersetzt|abgelöst|ungültig|nicht mehr gültig|obsolete|outdated|"
    r"deprecated|superseded|replaced|no longer valid)\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[\[([^\]|#\n]+)[^\]\n]*\]\]")
_FIELDS = tuple(
    f"{verb}{joint}{by}"
    for verb, by in (("superseded", "by"), ("replaced", "by"), ("ersetzt", "durch"), ("abgelöst", "durch"))
    for joint in ("_", "-", " ")
)
_TOP = 1_500
"""Characters at the start of an entry in which it says that it is replaced."""


def stale(
    sources: Sequence[Source],
    *,
    today: dt.date,
    stale_days: int,
    limits: Mapping[str, float],
    replaced: Mapping[str, str],
) -> tuple[Stale, ...]:
    """Stale sources in the order of their numbers.

    Older than `stale_days`: `due` when also older than the limit of its type in `limits` (`*` for all others), else
    `aging`. A younger source is reported only when something replaces it (`superseded`). An entry without a date
    cannot be stale. `replaced` maps ids to what the graph says supersedes them.
    """
    out = []
    for source in sources:
        entry = source.entry
        if entry.date is None:
            continue
        age = (today - entry.date).days
        by = replacement(entry, replaced.get(entry.id))
        if age > stale_days:
            limit = limits.get((entry.type or "").strip().lower(), limits.get("*", 180))
            severity = "due" if age > limit else "aging"
        elif by is not None:
            severity = "superseded"
        else:
            continue
        reason = _origin(entry, age)
        if by is not None:
            reason = by if severity == "superseded" else f"{reason}; {by}"
        key = gap_id("stale", entry.id)
        out.append(Stale(key, entry.id, entry.path, entry.date.isoformat(), age, severity, reason))  # type: ignore[arg-type]
    return tuple(out)


def _origin(entry: Entry, age: int) -> str:
    origin = entry.date_origin or "date"
    if "mtime" in origin:
        return f"{origin} {age}d ago"
    return f"{origin} {entry.date.isoformat() if entry.date else ''}".strip()


def replacement(entry: Entry, newer: str | None) -> str | None:
    """In words, what replaces an entry: the graph, its front matter, its own words, or its status; None if nothing."""
    if newer is not None:
        return f"superseded by {newer}"
    for name in _FIELDS:
        if value := entry.fields.get(name):
            value = value[0] if isinstance(value, list) and value else value
            link = _LINK.search(str(value))
            return f"superseded by {link[1] if link else value}"
    if found := _REPLACED.search(entry.body[:_TOP]):
        return f"superseded by {found['wiki'] or found['label']}"
    if scope.deprecated(entry.status):
        return f"superseded: status {entry.status}"
    if found := _THIS.search(entry.body[:_TOP]):
        return f"superseded: “{' '.join(found[0].split())}”"
    return None
