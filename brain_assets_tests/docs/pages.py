"""The parts of the documents that are made from the code.

`python -m brain_assets_tests.docs.pages` writes them anew; the tests say when that is due.
"""

from __future__ import annotations

import re

import click
from sqlalchemy import Table

from brain_assets.store import schema
from brain_assets_tests.conftest import ROOT
from brain_assets_tests.docs import commands

CLI = ROOT / "docs" / "cli.md"
DATA_MODEL = ROOT / "docs" / "data-model.md"
ROW = re.compile(r"^\| `(?P<name>\w+)` \|[^|\n]*\|[^|\n]*\| (?P<meaning>[^|\n]*) \|$", re.MULTILINE)
_SHARED = ("--json", "--data-dir", "--vault", "--kb", "--strict", "--help")
_HEAD = """# Commands

Made from the help texts (`--help` after any command). Every command also takes `--json` (only JSON on stdout), `--data-dir`,
`--vault`, `--kb` (they beat the environment), `--strict` (leave with 3 when done but degraded) and `--help`.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 done but degraded (only with `--strict`).
"""


def cli() -> str:
    """`docs/cli.md`: what each command is for, its examples and its own options."""
    parts = [_HEAD]
    for path, command in commands.leaves():
        if path:
            parts.append(_section(path, command))
    return "\n".join(parts)


def _section(path: tuple[str, ...], command: click.Command) -> str:
    context = click.Context(command, info_name=" ".join(("brain", *path)))
    usage = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS]", "").strip()
    prose, shown = _told(command)
    lines = [f"{'#' * (1 + len(path))} {' '.join(('brain', *path, *([usage] if usage else [])))}", "", *prose]
    if shown:
        lines += ["", "```sh", *shown, "```"]
    options = [(o, o.get_help_record(context)) for o in command.params if isinstance(o, click.Option)]
    own = [f"- `{r[0]}`: {' '.join(r[1].split())}" for o, r in options if r and not set(o.opts) & set(_SHARED)]
    return "\n".join([*lines, *(["", *own] if own else []), ""])


def _told(command: click.Command) -> tuple[list[str], list[str]]:
    """(prose, examples) of a help text: the lines of an unwrapped paragraph (after a backspace) are examples."""
    prose: list[str] = []
    shown: list[str] = []
    for paragraph in (command.help or "").strip().split("\n\n"):
        lines = [line.strip() for line in paragraph.strip(" \n").splitlines()]
        if lines[0] == "\b":
            shown += [re.sub(r" {3,}", "    # ", line) for line in lines[1:]]
        else:
            prose += ["", *lines] if prose else lines
    return prose, shown


def data_model(page: str) -> str:
    """The page with the list of tables as `store/schema.py` has it; the meanings (last column) are kept."""
    meanings = {m["name"]: m["meaning"] for m in ROW.finditer(page)}
    rows = [_table(table, meanings.get(name, "")) for name, table in schema.metadata.tables.items()]
    start, end = page.index("| table |"), page.rindex("\n| `") + 1
    after = page.index("\n", end) + 1
    head = "| table | key | other columns | a row is |\n|---|---|---|---|\n"
    return page[:start] + head + "".join(rows) + page[after:]


def _table(table: Table, meaning: str) -> str:
    key = ", ".join(f"`{column.name}`" for column in table.primary_key)
    others = ", ".join(f"`{column.name}`" for column in table.columns if not column.primary_key)
    return f"| `{table.name}` | {key} | {others} | {meaning} |\n"


if __name__ == "__main__":
    CLI.write_text(cli(), encoding="utf-8")
    DATA_MODEL.write_text(data_model(DATA_MODEL.read_text(encoding="utf-8")), encoding="utf-8")
