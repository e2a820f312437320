"""What a person sees: progress on stderr while a terminal is there, tables on stdout. Rich is imported when needed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from brain_assets.cli.options import Call
from brain_assets.text.printable import printable

_PIPE_WIDTH = 160
_UNBROKEN = 100_000
_GAP = 3
_WORD = 24
"""A word up to this long is not broken in a table, and an id never: people copy it."""


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


def styled() -> bool:
    """Whether bold and dim may be used on stdout: a terminal that knows them, and a person who has not said no."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def console(pipe_width: int = _UNBROKEN) -> Any:
    """A rich console on stdout; in a pipe it has no styles and breaks no line before `pipe_width`."""
    from rich.console import Console

    class Ours(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to `main`, which takes it for no failure (rich would leave with 1)."""
            raise BrokenPipeError

    return Ours(file=sys.stdout, width=None if sys.stdout.isatty() else pipe_width, highlight=False)


def short(text: str, length: int) -> str:
    """A text on one line, cut at `length` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def hung(text: str, indent: int) -> list[str]:
    """A line as it fits a terminal, what follows the first indented; one line in a pipe. Words stay whole."""
    if not sys.stdout.isatty():
        return [text]
    import textwrap
    from shutil import get_terminal_size

    width = max(2 * indent + _WORD, get_terminal_size().columns)
    return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def table(call: Call, columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "", empty: str = "") -> None:
    """Print a table for people, or `empty` when there are no rows; nothing with --json.

    Where a terminal is so narrow that words would be broken, each row becomes a few lines of its own.
    """
    if call.json:
        return
    if not rows:
        call.say(empty)
        return
    cells = [["" if value is None else printable(str(value)) for value in row] for row in rows]
    screen = console(_PIPE_WIDTH)
    if sum(_least(cells, columns, n) + _GAP for n in range(len(columns))) > screen.width:
        _stacked(call, columns, cells, title, screen.width)
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for position, name in enumerate(columns):
        numeric = all(isinstance(row[position], int | float) for row in rows)
        whole = all(len(row[position]) <= _least(cells, columns, position) for row in cells)
        shown.add_column(name, justify="right" if numeric else "left", overflow="fold", no_wrap=whole)
    for row in cells:
        shown.add_row(*map(Text, row))
    screen.print(shown)


def _least(cells: Sequence[Sequence[str]], columns: Sequence[str], position: int) -> int:
    """Width below which a column is hard to read: its longest word, a very long one left aside."""
    longest = max((len(word) for row in cells for word in row[position].split()), default=0)
    return max(len(columns[position]), longest if columns[position] == "id" else min(_WORD, longest))


def _stacked(call: Call, columns: Sequence[str], cells: Sequence[Sequence[str]], title: str, width: int) -> None:
    import textwrap

    if title:
        call.say(title)
    label = max(map(len, columns)) + 2
    for row in cells:
        call.say()
        for position, (name, text) in enumerate(zip(columns, row, strict=True)):
            head = "" if position == 0 else f"{name:<{label}}"
            lines = [part for line in text.split("\n") for part in textwrap.wrap(line, max(10, width - len(head)))]
            for n, line in enumerate(lines):
                call.say((head if n == 0 else " " * len(head)) + line)
