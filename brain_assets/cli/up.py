"""`brain up`: the Dagster UI and daemon on a persistent home."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import click

from brain_assets.cli.options import Call, common


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
    for name in ("data_dir", "vault_dir", "kb_dir"):
        environment[f"BRAIN_{name.upper()}"] = str(getattr(call.settings, name))
    print(f"Dagster UI: http://127.0.0.1:{port}  (home: {place}; stop with Ctrl-C)", file=sys.stderr)  # noqa: T201
    sys.stderr.flush()
    # A shell starts background jobs with SIGINT ignored, and Dagster would then ignore SIGTERM too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program = [str(Path(sys.executable)), "-m", "dagster", "dev", "-w", str(place / home.WORKSPACE.name)]
    os.execve(program[0], [*program, "-h", "127.0.0.1", "-p", str(port)], environment)  # noqa: S606
