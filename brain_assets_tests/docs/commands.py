"""The `brain` commands that a document shows, and whether the command line would take them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from brain_assets.cli import brain
from brain_assets_tests.conftest import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
SHELLS = ("", "sh", "bash", "console", "text", "cron", "ini")
"""Fences whose lines may be commands; the empty one too, which is used for commands with their output."""
PROGRAMS = {"brain": (), "aria-brain-think": ("think",), "aria-brain-search": ("search",)}
_FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>[^\n`]*)\n(?P<body>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`(brain [^`\n]+)`")
_STARTS = re.compile(r"(?:^|\s)(?:\S*/)?(?:brain|aria-brain-think|aria-brain-search)(?:\s|$)")
_OPERATORS = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", ")", "("}


@dataclass(frozen=True, slots=True)
class Shown:
    """One command as a page shows it: `arguments` are those after the program's name.

    A code span may only name a command (`named`), a block shows one that can be typed.
    """

    place: str
    text: str
    arguments: tuple[str, ...]
    named: bool = False


def fences(text: str) -> Iterator[tuple[str, str]]:
    """(language, body) of each fenced block of a Markdown text."""
    for match in _FENCE.finditer(text):
        yield match["kind"].strip().split(" ")[0], match["body"]


def shown(page: Path) -> list[Shown]:
    """Every command in the fenced blocks of a page and in its code spans, in order."""
    text = page.read_text(encoding="utf-8")
    place = str(page.relative_to(ROOT))
    found: list[Shown] = []
    for kind, body in fences(text):
        if kind in SHELLS:
            prompted = bool(re.search(r"^\$ ", body, re.MULTILINE))
            for line in body.replace("\\\n", " ").splitlines():
                # With prompts, lines without one are output.
                if not prompted or line.startswith("$ "):
                    found += of_line(place, line.removeprefix("$ "))
    bare = _FENCE.sub("", text)
    for span in _SPAN.findall(bare):
        found += [replace(one, named=True) for variant in _variants(span) for one in of_line(place, variant)]
    return found


def _variants(span: str) -> Iterator[str]:
    """`brain learning on|off` stands for two commands; an ellipsis stands for whatever follows."""
    span = span.replace(" …", "").replace(" ...", "")
    head, _, last = span.rpartition(" ")
    if "|" in last and head:
        yield from (f"{head} {part}" for part in last.split("|"))
    else:
        yield span


def of_line(place: str, line: str) -> Iterator[Shown]:
    """The commands of a shell line: after environment assignments, in pipes, in every part of a list."""
    if not _STARTS.search(line):
        return
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    current: list[str] = []
    for token in [*lexer, ";"]:
        if token in _OPERATORS:
            yield from _one(place, line, current)
            current = []
        else:
            current.append(token)


def _one(place: str, line: str, tokens: list[str]) -> Iterator[Shown]:
    for position, token in enumerate(tokens):
        program = token.rsplit("/", 1)[-1]
        if program in PROGRAMS:
            yield Shown(place, line.strip(), (*PROGRAMS[program], *tokens[position + 1 :]))
            return


def refusal(arguments: tuple[str, ...], named: bool = False) -> str:
    """Why the command line would refuse these arguments; empty if it takes them. Nothing is run.

    When a command is only `named`, its arguments may be missing.
    """
    command: click.Command = brain
    rest = list(arguments)
    parent: click.Context | None = None
    try:
        while True:
            with command.make_context(command.name or "brain", rest, parent=parent) as context:
                if not isinstance(command, click.Group):
                    return ""
                rest = [*context._protected_args, *context.args]
                if not rest:
                    return "" if named or command.invoke_without_command else "a subcommand is missing"
                _, found, rest = command.resolve_command(context, rest)
                assert found is not None
                parent, command = context, found
    except click.exceptions.Exit:  # --help, --version
        return ""
    except click.MissingParameter as error:
        return "" if named else error.format_message()
    except click.ClickException as error:
        return error.format_message()


def leaves(
    command: click.Command = brain, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command and group below one, with the words that call it, in the order of the help text."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from leaves(below, (*path, name))


def examples(command: click.Command) -> list[str]:
    """The example lines of a help text, without the remarks beside them."""
    lines = [line.strip() for line in (command.help or "").splitlines()]
    return [re.split(r" {3,}", line)[0] for line in lines if line.startswith("brain ")]
