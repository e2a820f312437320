"""`brain watch`: sync on file events."""

from __future__ import annotations

import sys

import click

from brain_assets.cli.options import Call, common
from brain_assets.cli.signals import interruptible


@click.command("watch")
@common
def watch_command(call: Call) -> int:
    """Keep the brain up to date while you write: a saved note is found within about a second. Ctrl-C stops it.

    \b
    brain watch

    While nothing changes it completes the slower vector sets. It goes together with `brain up` and other commands.
    """
    from brain_assets.operation import watching

    def tell(line: str) -> None:
        if call.json:
            call.emit({"message": line})
        else:
            call.say(line)
        sys.stdout.flush()

    interruptible()
    watching.watch(call.settings, tell=tell)
    return call.finish()
