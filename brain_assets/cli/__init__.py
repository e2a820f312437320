"""The `brain` command. Each subcommand's module is imported when it is called: a search must not pay for the rest."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
from typing import Any

import click

from brain_assets import __version__
from brain_assets.errors import BrainError, of_storage
from brain_assets.text.printable import printable

COMMANDS: dict[str, str] = {
    "sync": "sync", "watch": "watch", "build": "build", "up": "up",
    "search": "search", "think": "think", "related": "graph", "relations": "graph",
    "contradictions": "contradictions", "topics": "graph", "graph": "graph", "gaps": "gaps", "articles": "articles", "learning": "learning",
    "research": "research", "status": "operate", "doctor": "operate", "backup": "backup", "restore": "backup",
    "export": "backup", "eval": "evaluate", "mcp": "mcp",
}  # fmt: skip
"""Command → module of this package that defines it, under the command's name with a trailing `_command`."""
INTERRUPTED = 130


class ReaderGone(Exception):
    """The reader of stdout has seen enough. (Click would make a failure of a BrokenPipeError.)"""


class Commands(click.Group):
    """The group of all commands; a command's module is imported when its name is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"brain_assets.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Click's own, which knows only commands that are loaded: propose the one that is most like a slip."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0].lower(), COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.format_message().rstrip('.')}. Did you mean '{near[0]}'?", ctx) from error


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="brain_assets")
def brain() -> None:
    """A second brain for teams: finds, answers with sources, says what is missing, and grows articles for review.

    \b
    brain sync                                     read the vault and the KB, make them searchable
    brain think "How do I renew the certificate?"  answer with sources and a gap report
    brain build                                    the whole pipeline, up to staged articles
    brain up                                       the Dagster UI

    Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 done but degraded (only with --strict).
    """


def main(argv: list[str] | None = None, prog: str = "brain") -> int:
    """Run the command line and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    atexit.register(_leave_quickly)
    try:
        code = brain.main(args=arguments, prog_name=prog, standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show(sys.stderr)
        return _report_json(arguments, error.format_message(), "", error.exit_code)
    except BrainError as error:
        return _fail(arguments, error)
    except (BrokenPipeError, ReaderGone):
        _say_no_more()  # the reader has seen enough (`| head`): not a failure
        return 0
    except OSError as error:
        if (said := of_storage(error)) is None:
            raise
        return _fail(arguments, said)
    except (KeyboardInterrupt, click.Abort):
        print("Stopped. What was done stays done; run it again to go on.", file=sys.stderr)  # noqa: T201
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _fail(arguments: list[str], error: BrainError) -> int:
    said = f"Error: {error.message}" + (f" {error.remedy}" if error.remedy else "")
    print(printable(said), file=sys.stderr)  # noqa: T201
    return _report_json(arguments, error.message, error.remedy, error.exit_code)


def _say_no_more() -> None:
    """Have what is yet to be written to stdout go nowhere, also what Python writes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _leave_quickly() -> None:
    """At the very end, look for no reference cycles: in the modules of a sync that takes a tenth of a second."""
    gc.disable()
    gc.freeze()


def think_alias() -> int:
    """`aria-brain-think`: `brain think` under the name of its predecessor."""
    return main(["think", *sys.argv[1:]])


def search_alias() -> int:
    """`aria-brain-search`: `brain search` under the name of its predecessor."""
    return main(["search", *sys.argv[1:]])


def _prepare_streams() -> None:
    """UTF-8 whatever the locale; what cannot be encoded is escaped (in JSON that is still the same string).

    A stream that was closed before the start (`>&-`) is opened to nowhere: else the first file opened would take its
    place and be written to.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _report_json(arguments: list[str], message: str, remedy: str, code: int) -> int:
    """With --json a failure is JSON on stdout too, so that a script never has to parse stderr."""
    if "--json" in arguments:
        import json

        try:
            print(printable(json.dumps({"error": message, "remedy": remedy}, ensure_ascii=False)), flush=True)  # noqa: T201
        except OSError:  # stdout itself is what has failed; stderr has said so
            _say_no_more()
    return code
