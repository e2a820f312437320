"""Limits of vault_notes and kb_entries: no file is lost, no two become one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable

from pydantic import ValidationError
from sqlalchemy import select

from brain_assets.model.entry import KBRecord
from brain_assets.operation.checks.base import Check, Look, Measured, at_most, fixed, none_of, not_measured
from brain_assets.store.schema import entries, files, problems, stage_runs

MAX_BROKEN_SHARE = 0.10
MAX_UNDATED_SHARE = 0.50
MAX_EMPTY_SHARE = 0.05
_live = entries.c.deleted_on.is_(None)
_ON_GLPI = re.compile(r"glpi/\d+")
"""The path of an entry that GLPI holds: no file stands behind it."""
_SOURCES = {"vault_notes": ("vault", "note"), "kb_entries": ("kb", "kb")}


def _accounting(asset: str) -> Callable[[Look], Measured]:
    source, kind = _SOURCES[asset]

    def measure(look: Look) -> Measured:
        rows = look.rows(select(files).where(files.c.source == source))
        alive = select(entries.c.id, entries.c.path).where(_live, entries.c.kind == kind)
        live = {row.id: row.path for row in look.rows(alive)}
        claimed: set[str] = set()
        lost = []
        for row in rows:
            ids = json.loads(row.entry_ids)
            claimed.update(ids)
            if row.state == "live" and (not ids or any(i not in live for i in ids)):
                lost.append(f"{row.path}: seen, neither live nor quarantined")
            if row.state == "quarantined" and not row.reason:
                lost.append(f"{row.path}: quarantined without a reason")
        on_disk = {i for i, path in live.items() if path is not None and not _ON_GLPI.fullmatch(path)}
        lost += [f"{i}: live without a file" for i in on_disk - claimed]
        seen = _files_seen(look, asset)
        if seen is not None and seen != len(rows):
            lost.append(f"{seen} files were seen, {len(rows)} are accounted for")
        quarantined = sum(r.state == "quarantined" for r in rows)
        return none_of(lost, f"{len(rows)} files seen = {len(rows) - quarantined} live + {quarantined} quarantined.")

    return measure


def _files_seen(look: Look, asset: str) -> int | None:
    rows = look.rows(select(stage_runs.c.report).where(stage_runs.c.stage == asset))
    value = json.loads(rows[0].report).get("details", {}).get("files_seen") if rows else None
    return int(value) if isinstance(value, int) else None


def _unique(asset: str) -> Callable[[Look], Measured]:
    source = _SOURCES[asset][0]

    def measure(look: Look) -> Measured:
        rows = look.rows(select(files.c.entry_ids).where(files.c.source == source, files.c.state == "live"))
        owners = Counter(i for row in rows for i in json.loads(row.entry_ids))
        return none_of(i for i, number in owners.items() if number > 1)

    return measure


def _broken_front_matter(look: Look) -> Measured:
    total = look.count(entries, _live, entries.c.kind == "note")
    if not total:
        return not_measured("There is no note yet.")
    rows = look.rows(
        select(problems.c.path).where(problems.c.source == "vault", problems.c.reason.like("%ront matter%"))
    )
    broken = {row.path for row in rows}
    return at_most(len(broken) / total, MAX_BROKEN_SHARE, f"{len(broken)} of {total} notes.", broken)


def _undated(look: Look) -> Measured:
    total = look.count(entries, _live, entries.c.kind == "note")
    if not total:
        return not_measured("There is no note yet.")
    undated = look.count(entries, _live, entries.c.kind == "note", entries.c.document.like('%"date_origin":"file %'))
    return at_most(undated / total, MAX_UNDATED_SHARE, f"{undated} of {total} notes are dated by their file only.")


def _schema_valid(look: Look) -> Measured:
    invalid = []
    for row in look.rows(select(entries.c.id, entries.c.document).where(_live, entries.c.kind == "kb")):
        try:
            KBRecord.model_validate(json.loads(row.document).get("record"))
        except ValidationError:
            invalid.append(row.id)
    return none_of(invalid)


def _empty_answers(look: Look) -> Measured:
    empty, total = [], 0
    for row in look.rows(select(entries.c.id, entries.c.document).where(_live, entries.c.kind == "kb")):
        total += 1
        if not ((json.loads(row.document).get("record") or {}).get("answer") or "").strip():
            empty.append(row.id)
    if not total:
        return not_measured("There is no KB entry yet.")
    return at_most(len(empty) / total, MAX_EMPTY_SHARE, f"{len(empty)} of {total} entries.", empty)


def _glpi(look: Look) -> Measured:
    if look.settings.glpi_url is None:
        return not_measured("GLPI is not configured (GLPI_URL).")
    rows = look.rows(select(stage_runs.c.report).where(stage_runs.c.stage == "kb_entries"))
    told = json.loads(rows[0].report).get("details", {}).get("glpi") if rows else None
    if told is None:
        return not_measured("GLPI was not asked yet.")
    return none_of([told["error"]] if "error" in told else [], f"{told.get('seen', 0)} articles seen.")


def _of_both(asset: str) -> tuple[Check, ...]:
    return (
        Check(
            asset, "every_file_accounted", True,
            "Files seen = live + quarantined: no file is lost, and each quarantined one has a reason.",
            fixed(0), _accounting(asset),
        ),
        Check(asset, "ids_unique", True, "No two files make the same entry.", fixed(0), _unique(asset)),
    )  # fmt: skip


CHECKS = (
    *_of_both("vault_notes"),
    Check(
        "vault_notes", "broken_front_matter", False, "Share of live notes whose front matter cannot be read whole.",
        fixed(MAX_BROKEN_SHARE), _broken_front_matter,
    ),
    Check(
        "vault_notes", "undated_share", False, "Share of live notes that state no readable date.",
        fixed(MAX_UNDATED_SHARE), _undated,
    ),
    *_of_both("kb_entries"),
    Check("kb_entries", "schema_valid", True, "Every live entry keeps the KB schema.", fixed(0), _schema_valid),
    Check("kb_entries", "empty_answers", False, "Share of entries without an answer.", fixed(MAX_EMPTY_SHARE),
          _empty_answers),
    Check("kb_entries", "glpi_read", False, "GLPI could be read, if it is configured.", fixed(0), _glpi),
)  # fmt: skip
