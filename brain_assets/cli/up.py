"""`brain up`: the Dagster UI and daemon on a persistent home."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from brain_assets.cli.options import Call, common
from brain_assets.cli.signals import interruptible

EXPECTED_WARNINGS = (
    "Function `dev_command` is superseded",
    "Parameter `owners` of initializer `SensorDefinition.__init__` is currently in beta",
)
"""Beginnings of what Dagster says about itself at every start, and nobody who runs a brain can do anything about."""


@click.command("up")
@click.option("--port", type=click.IntRange(1, 65_535), default=3000, show_default=True, help="Port of the UI.")
@common
def up_command(call: Call, port: int) -> int:
    """Start the Dagster UI and its daemon on this machine (127.0.0.1 only). Ctrl-C stops both.

    \b
    brain up
    brain up --port 3333 --vault ~/notes --data-dir ~/.brain

    Sensors and schedules are on: from now on changed notes are found by themselves. Runs of `brain build` show too.
    """
    from brain_assets.defs import home

    place = home.prepare(call.settings)
    environment = dict(os.environ, DAGSTER_HOME=str(place), DAGSTER_DISABLE_TELEMETRY="1")
    # Python files that happen to lie in the working folder must not stand in for packages.
    environment["PYTHONSAFEPATH"] = "1"
    environment["PYTHONWARNINGS"] = quiet(os.environ.get("PYTHONWARNINGS", ""))
    for name in ("data_dir", "vault_dir", "kb_dir"):
        environment[f"BRAIN_{name.upper()}"] = str(getattr(call.settings, name))
    print(f"Dagster UI: http://127.0.0.1:{port}  (home: {place}; stop with Ctrl-C)", file=sys.stderr)  # noqa: T201
    sys.stderr.flush()
    interruptible()
    program = [str(Path(sys.executable)), "-m", "dagster", "dev", "-w", str(place / home.WORKSPACE.name)]
    os.execve(program[0], [*program, "-h", "127.0.0.1", "-p", str(port)], environment)  # noqa: S606


def quiet(filters: str) -> str:
    """Filters of PYTHONWARNINGS with ours before them: those that a person has set come later and win."""
    return ",".join([*(f"ignore:{text}" for text in EXPECTED_WARNINGS), *filter(None, [filters])])
