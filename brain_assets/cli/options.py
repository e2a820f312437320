"""What all commands share: the flags, the call they become, and how a result leaves the process."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from brain_assets.cli import ReaderGone
from brain_assets.settings import Settings, load
from brain_assets.text.printable import printable

DEGRADED = 3


@dataclass(frozen=True)
class Call:
    """One call of a command: its settings (flags beat the environment) and how it wants to be answered."""

    settings: Settings
    json: bool
    strict: bool

    def emit(self, value: Any) -> None:
        """Print one JSON value on a line of stdout."""
        sys.stdout.write(printable(json.dumps(value, ensure_ascii=False, default=str)) + "\n")

    def say(self, text: str = "", *, as_is: bool = False) -> None:
        """Print a line for people on stdout, its control characters shown but `as_is`; nothing with --json."""
        if not self.json:
            sys.stdout.write((text if as_is else printable(text)) + "\n")

    def finish(self, *, failed: bool = False, degraded: bool = False) -> int:
        """The exit code: 1 failed, 3 degraded under --strict, else 0."""
        return 1 if failed else DEGRADED if degraded and self.strict else 0


class Place(click.Path):
    """A folder or file a person has named; an empty name (a variable that is not set) is not the folder one is in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip():
            self.fail("the name is empty.", param, ctx)
        return super().convert(value, param, ctx)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags every command takes; the function gets a Call first."""

    @click.option("--json", "as_json", is_flag=True, help="Only JSON on stdout.")
    @click.option("--data-dir", type=Place(path_type=Path), help="Where the brain is kept (BRAIN_DATA_DIR).")
    @click.option("--vault", type=Place(path_type=Path), help="The Markdown vault (BRAIN_VAULT_DIR).")
    @click.option("--kb", type=Place(path_type=Path), help="The knowledge base folder (BRAIN_KB_DIR).")
    @click.option("--strict", is_flag=True, help="Leave with exit code 3 when done but degraded.")
    @functools.wraps(function)
    def inner(
        *, as_json: bool, data_dir: Path | None, vault: Path | None, kb: Path | None, strict: bool, **values: Any
    ) -> Any:
        _log_to_stderr()
        parent = click.get_current_context().parent
        given = (
            parent.params if parent is not None else {}
        )  # `brain gaps --json list` means the same as the other order
        call = Call(
            load(
                data_dir=data_dir or given.get("data_dir"),
                vault_dir=vault or given.get("vault"),
                kb_dir=kb or given.get("kb"),
            ),
            as_json or bool(given.get("as_json")),
            strict or bool(given.get("strict")),
        )
        try:
            return function(call, **values)
        except BrokenPipeError:
            raise ReaderGone from None

    return inner


def filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the restrictions of a query; the function gets `kind, type_, tag, path, language, after, before`."""
    for option in (
        click.option("--before", metavar="DATE", help="Dated on or before this day (YYYY-MM-DD)."),
        click.option("--after", metavar="DATE", help="Dated on or after this day (YYYY-MM-DD)."),
        click.option("--language", multiple=True, metavar="LANG", help="Only this language: de, en. Repeatable."),
        click.option("--path", multiple=True, metavar="PREFIX", help="Only below this folder. Repeatable."),
        click.option("--tag", multiple=True, metavar="TAG", help="Only with this tag. Repeatable."),
        click.option("--type", "type_", multiple=True, metavar="TYPE", help="Only notes of this type. Repeatable."),
        click.option(
            "--kind", multiple=True, type=click.Choice(["note", "kb", "article", "web"]), help="Only these. Repeatable."
        ),
    ):
        function = option(function)
    return function


def _log_to_stderr() -> None:
    import logging

    class Plain(logging.Formatter):
        """Dagster rewrites what it passes on; a person sees what was said."""

        def format(self, record: logging.LogRecord) -> str:
            told = getattr(record, "dagster_meta", None)
            said = told["orig_message"] if told else record.getMessage()
            return printable(f"{record.levelname.capitalize()}: {said}")

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Plain())
    handler.setLevel(logging.WARNING)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
