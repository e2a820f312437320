"""What a person sees: progress on stderr while a terminal is there, tables on stdout. Rich is imported when needed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from brain_assets.cli.options import Call
from brain_assets.text.printable import printable

_PIPE_WIDTH = 160
_UNBROKEN = 100_000


@contextlib.contextmanager
def progress() -> Iterator[Any]:
    """A Progress function (what, done, total): bars on a terminal, silence in a pipe."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield show


def console(pipe_width: int = _UNBROKEN) -> Any:
    """A rich console on stdout; in a pipe it has no styles and breaks no line before `pipe_width`."""
    from rich.console import Console

    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else pipe_width, highlight=False)


def table(call: Call, columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "", empty: str = "") -> None:
    """Print a table for people, or `empty` when there are no rows; nothing with --json."""
    if call.json:
        return
    if not rows:
        call.say(empty)
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for position, name in enumerate(columns):
        numeric = all(isinstance(row[position], int | float) for row in rows)
        shown.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text("" if value is None else printable(str(value))) for value in row))
    console(_PIPE_WIDTH).print(shown)
