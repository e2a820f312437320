"""`brain status` and `brain doctor`: how the brain stands, and whether the machine is set up right."""

from __future__ import annotations

import click

from brain_assets.cli.options import Call, common

_SHOWN = 20


@click.command("status")
@common
def status_command(call: Call) -> int:
    """Show how the brain stands; leave with 1 when it is not healthy.

    \b
    brain status
    brain status --json | jq .problems

    A note with broken front matter is a problem to correct, not an unhealthy brain.
    """
    from brain_assets.operation import status as standing
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat:
        found = standing.read(cat, call.settings)
    if call.json:
        call.emit(found.to_json())
    else:
        _show(call, found)
    return call.finish(failed=bool(found.unhealthy), degraded=bool(found.problems or found.pending or found.notices))


def _show(call: Call, found: object) -> None:
    from brain_assets.cli.screen import table
    from brain_assets.operation import disk
    from brain_assets.operation.status import Status

    assert isinstance(found, Status)
    call.say("Healthy." if not found.unhealthy else "NOT HEALTHY:")
    for sentence in found.unhealthy:
        call.say(f"  - {sentence}")
    for sentence in found.notices:
        call.say(f"Notice: {sentence}")
    files = f"{found.files_seen} files seen = {found.live} live + {found.quarantined} quarantined."
    entries = ", ".join(f"{number} {kind}" for kind, number in sorted(found.entries.items()) if number)
    call.say(f"{files} Entries: {entries or 'none'}.")
    index = found.index
    if index:
        call.say(f"Search shows generation {index['generation']} of {found.generation} ({index['entries']} entries).")
    rows = [(v["id"], v["model"], v["passages"], v["missing"], "yes" if v["published"] else "no")
            for v in found.vector_sets]  # fmt: skip
    table(call, ("vector set", "model", "passages", "missing", "in use"), rows, "", "No vectors: lexical search only.")
    runs = [(r["stage"], _minute(r["finished_at"]), r["pending"], r["done"], r["reused"], r["failed"], r["seconds"])
            for r in found.runs]  # fmt: skip
    table(call, ("stage", "last run (UTC)", "pending", "done", "reused", "failed", "s"), runs)
    letters = [(d["stage"], d["id"], d["attempts"], d["error"]) for d in found.dead_letters[:_SHOWN]]
    if letters:
        table(call, ("stage", "failed item", "attempts", "error"), letters)
    if found.problems:
        shown = [(p["severity"], p["path"], p["reason"]) for p in found.problems[:_SHOWN]]
        table(call, ("problem", "file", "reason"), shown)
        if len(found.problems) > _SHOWN:
            call.say(f"… and {len(found.problems) - _SHOWN} more: brain status --json")
    sizes = {name: disk.told(size) for name, size in found.disk.items()}
    call.say(
        f"Disk: catalogue {sizes['catalogue']}, index {sizes['index']}, vectors {sizes['vectors']}, "
        f"Dagster's home {sizes['dagster_home']} (runs and event log {sizes['event_log']})."
    )
    call.say(
        f"Gaps open: {found.gaps_open}. Contradictions open: {found.contradictions_open}. "
        f"Articles awaiting review: {found.articles_waiting}. Learning: {'on' if found.learning else 'off'}."
    )


def _minute(when: str) -> str:
    """A time of the catalogue (ISO 8601, UTC) to the minute."""
    return when[:16].replace("T", " ")


@click.command("doctor")
@common
def doctor_command(call: Call) -> int:
    """Examine configuration, folders, services and versions, and say what to do about each finding.

    \b
    brain doctor

    Services that are not there are notices: everything works without them, in a plainer way. No secret is shown.
    """
    from brain_assets.operation import doctor

    found = doctor.examine(call.settings)
    broken = any(f.level == "error" for f in found)
    if call.json:
        call.emit({"ok": not broken, "findings": [f.to_json() for f in found]})
    else:
        from brain_assets.cli.screen import hung

        for finding in found:
            for line in hung(f"{finding.level:<8} {finding.message} {finding.remedy}".rstrip(), indent=9):
                call.say(line)
    return call.finish(failed=broken, degraded=any(f.level in ("warning", "notice") for f in found))
