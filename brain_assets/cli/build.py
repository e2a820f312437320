"""`brain build`: the whole asset graph through Dagster, in this process."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from brain_assets.cli.options import Call, common
from brain_assets.text.printable import printable

if TYPE_CHECKING:
    from brain_assets.defs.run import BuildResult
    from brain_assets.operation.checks import CheckResult

_EXAMPLES = 3


@click.command("build")
@click.option("--select", multiple=True, metavar="ASSET", help="Only this asset. Repeatable, or comma-separated.")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@click.option("--allow-mass-delete", is_flag=True, help="Take it as meant when most notes are gone.")
@click.option("--retry-failed", is_flag=True, help="Also try again what has failed three times.")
@common
def build_command(call: Call, select: tuple[str, ...], wait: bool, allow_mass_delete: bool, retry_failed: bool) -> int:
    """Run the whole pipeline, from the vault to staged articles, and measure every check.

    \b
    brain build
    brain build --select vault_notes,search_index
    brain build --json | jq '.checks[] | select(.state != "passed")'

    Leaves with 1 when a stage or a blocking check fails; what else misses its limit is a warning. The run shows in `brain up` too.
    """
    from brain_assets.cli.screen import progress
    from brain_assets.definitions import defs
    from brain_assets.defs import run

    with progress() as show:
        result = run.build(
            defs,
            call.settings,
            select=[name.strip() for value in select for name in value.split(",") if name.strip()],
            wait=call.settings.lock_wait if wait else 0.0,
            allow_mass_delete=allow_mass_delete,
            retry_failed=retry_failed,
            progress=show,
        )
    if call.json:
        call.emit(result.to_json())
    else:
        _show(call, result)
    for failure in result.failures:
        print(printable(f"Error: {failure.asset}: {failure.reason}"), file=sys.stderr)  # noqa: T201
    for check in result.blocked:
        print(printable(f"Error: {check.asset}: {check.name} failed. {_why(check)}".rstrip()), file=sys.stderr)  # noqa: T201
    if result.exit_code:
        return result.exit_code
    weak = any(check.measured.state != "passed" for check in result.checks)
    return call.finish(degraded=weak or any(stage["failed"] for stage in result.stages.values()))


def _why(check: CheckResult) -> str:
    """What a check has found, with the first of what offends."""
    examples = check.measured.examples
    rest = len(examples) - _EXAMPLES
    named = "; ".join(examples[:_EXAMPLES]) + (f"; and {rest} more" if rest > 0 else "")
    return " ".join(filter(None, (f"{named}." if named else "", check.measured.note)))


def _show(call: Call, result: BuildResult) -> None:
    from brain_assets.cli.screen import table

    rows = [(name, *counts.values()) for name, counts in result.stages.items()]
    rows += [(name, "not reached", "", "", "") for name in result.skipped]
    table(call, ("asset", "pending", "done", "reused", "failed"), rows)
    reached = [check for check in result.checks if check.asset in result.stages]
    unsettled = [check for check in reached if check.measured.state != "passed"]
    table(
        call,
        ("asset and check", "state", "value", "limit", ""),
        [(f"{c.asset} {c.name}", c.word, c.measured.value, c.limit, c.measured.note) for c in unsettled],
    )
    words = Counter(check.word for check in reached)
    rest = [f"{words[word]} {word}" for word in ("failed", "warning", "not measured") if words[word]]
    told = ", ".join([f"{words['passed']} of {len(reached)} checks passed", *rest])
    call.say(f"{told}; {result.seconds} s.")
