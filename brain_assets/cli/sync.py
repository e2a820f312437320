"""`brain sync`: sources, index and vectors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from brain_assets.cli.options import Call, common
from brain_assets.errors import ConfigurationError

if TYPE_CHECKING:
    from brain_assets.operation.unchanged import Look
    from brain_assets.store.report import StageReport

_COUNTS = ("added", "changed", "deleted", "unchanged", "quarantined")


@click.command("sync")
@click.option("--full", is_flag=True, help="Complete every enabled vector set before returning, the slow ones too.")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@click.option("--allow-mass-delete", is_flag=True, help="Take it as meant when most notes are gone.")
@click.option("--forget-glpi", is_flag=True, help="Remove the entries of a GLPI that is no longer configured.")
@common
def sync_command(call: Call, full: bool, wait: bool, allow_mass_delete: bool, forget_glpi: bool) -> int:
    """Read the vault and the KB and make them searchable. No language model takes part.

    \b
    brain sync
    brain sync --vault ~/notes --kb ~/kb --data-dir ~/.brain
    brain sync --full --wait
    """
    from brain_assets.cli.screen import table
    from brain_assets.operation import unchanged

    if forget_glpi and call.settings.glpi_url is not None:
        raise ConfigurationError("--forget-glpi is for a GLPI that is no longer configured.", "Unset GLPI_URL first.")
    started = time.monotonic()
    patience = call.settings.lock_wait if wait else 0.0
    found = unchanged.Look() if forget_glpi else unchanged.look(call.settings, patience)
    if found.nothing and not full:
        reports, passages = found.same, found.passages
    else:
        reports, passages = _sync(call, full, patience, allow_mass_delete, forget_glpi, found)
    notes, kb = (_counts(reports[name].details) for name in ("vault_notes", "kb_entries"))
    failed = sum(report.failed for report in reports.values())
    glpi = reports["kb_entries"].details.get("glpi")
    unread = glpi is not None and "error" in glpi
    result = {
        "notes": notes,
        "kb_entries": kb,
        "passages": passages,
        "embedded": reports["embeddings"].done,
        "failed": failed,
        "glpi": glpi,
        "seconds": round(time.monotonic() - started, 3),
    }
    if call.json:
        call.emit(result)
    else:
        rows = [("notes", *notes.values()), ("KB entries", *kb.values())]
        table(call, ("", *_COUNTS), rows)
        call.say(f"{passages} passages, {result['embedded']} embedded, {result['seconds']} s.")
        if notes["quarantined"] + kb["quarantined"] + failed:
            call.say("Some files were left out or failed: `brain status` names each with its reason.")
        if glpi is not None and unread:
            call.say(f"GLPI was not read; its {glpi['kept']} entries stay as they were. The next sync tries it again.")
    return call.finish(degraded=bool(failed or unread or notes["quarantined"] or kb["quarantined"]))


def _sync(
    call: Call, full: bool, wait: float, allow_mass_delete: bool, forget_glpi: bool, found: Look
) -> tuple[dict[str, StageReport], int]:
    """(stage reports, passages) of a sync in earnest."""
    from brain_assets.cli.screen import progress
    from brain_assets.operation import pipeline
    from brain_assets.store import entries

    with (
        progress() as show,
        pipeline.writing(
            call.settings, wait=wait, progress=show, full=full, allow_mass_delete=allow_mass_delete
        ) as run,
    ):
        run.forget_glpi = forget_glpi
        reports = pipeline.sync(run, found.same.get("kb_entries"), found.folders)
        with run.cat.read() as connection:
            return reports, entries.passage_count(connection)


def _counts(details: dict[str, Any]) -> dict[str, int]:
    return {name: int(details.get(name, 0)) for name in _COUNTS}
