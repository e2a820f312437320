"""What the documents say can be typed, is there, and is what the code does."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from brain_assets.operation.doctor import known_variables
from brain_assets.store import schema
from brain_assets_tests.conftest import ROOT
from brain_assets_tests.defs.snapshot import KEPT as DAGSTER
from brain_assets_tests.docs import commands, pages

DOCS = ROOT / "docs"
FROM_OTHERS = {"DAGSTER_HOME", "BRAIN_EMBED_MODEL", "OMP_NUM_THREADS"}
_REGENERATE = "run: .venv/bin/python -m brain_assets_tests.docs.pages"


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("page", commands.PAGES, ids=names(commands.PAGES))
def test_every_command_that_a_page_shows_can_be_typed(page: Path) -> None:
    refused = [(c.text, why) for c in commands.shown(page) if (why := commands.refusal(c.arguments, c.named))]
    assert refused == []


def test_the_pages_show_commands_at_all() -> None:
    shown = [command for page in commands.PAGES for command in commands.shown(page)]
    assert len(shown) > 150
    assert {command.arguments[0] for command in shown if command.arguments} >= set(commands.brain.list_commands(None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    [
        "brain serch vpn", "brain search vpn --kinds kb", "brain articles aprove ID", "brain articles approve",
        "brain search vpn --kind notes", "brain related", "$ brain sync --everything | head", "brain eval",
        "BRAIN_NOW=2026-12-01 .venv/bin/brain status --all && ls", "brain learning perhaps",
    ],
)  # fmt: skip
def test_what_cannot_be_typed_is_noticed(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"Text.\n\n```sh\n{line}\n```\n", encoding="utf-8")
    found = commands.shown(page)
    assert len(found) == 1
    assert commands.refusal(found[0].arguments)


@pytest.mark.parametrize(
    ("path", "command"), list(commands.leaves()), ids=lambda v: " ".join(v) or "brain" if isinstance(v, tuple) else ""
)
def test_every_help_text_has_examples_that_can_be_typed(path: tuple[str, ...], command: Any) -> None:
    shown = [one for line in commands.examples(command) for one in commands.of_line("help", line)]
    assert shown, f"the help of `brain {' '.join(path)}` shows no example"
    assert all(one.arguments[: len(path)] == path for one in shown)
    assert [(one.text, why) for one in shown if (why := commands.refusal(one.arguments))] == []
    undocumented = [o.name for o in command.params if isinstance(o, click.Option) and not o.help]
    assert undocumented == []


def test_the_page_of_commands_is_made_from_the_help_texts() -> None:
    assert pages.CLI.read_text(encoding="utf-8") == pages.cli(), _REGENERATE


def test_the_data_model_lists_every_table_and_column() -> None:
    page = pages.DATA_MODEL.read_text(encoding="utf-8")
    assert page == pages.data_model(page), _REGENERATE
    rows = {m["name"]: m["meaning"].strip() for m in pages.ROW.finditer(page)}
    assert set(rows) == set(schema.metadata.tables)
    assert [name for name, meaning in rows.items() if not meaning] == []


def test_every_page_is_in_the_index_and_every_link_leads_somewhere() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    linked = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#:]+)\)", index)}
    assert set(DOCS.rglob("*.md")) - linked - {DOCS / "README.md"} == set()
    broken = []
    for page in commands.PAGES:
        text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
            if "://" in target or target.startswith("mailto:"):
                continue
            place = page.parent / target if target else page
            if not place.exists() or (anchor and anchor not in anchors(place)):
                broken.append(f"{page.name}: {target}#{anchor}")
    assert broken == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    found = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", commands.PAGES, ids=names(commands.PAGES))
def test_settings_targets_and_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    known = known_variables() | FROM_OTHERS
    variables = set(re.findall(r"\b(?:BRAIN|GLPI|SEARXNG|OLLAMA)_[A-Z_]*[A-Z]\b", text))
    assert variables - known == set()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    shown = "\n".join([body for kind, body in commands.fences(text) if kind in commands.SHELLS])
    made = re.findall(r"`make ([a-z]+)", text) + re.findall(r"^(?:\$ )?make ([a-z]+)", shown, re.MULTILINE)
    assert set(made) - targets == set()
    files = re.findall(r"(?<![\w/.])((?:brain_assets|brain_assets_tests|benchmarks|docs)/[\w./-]*\w)", text)
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", commands.PAGES, ids=names(commands.PAGES))
def test_client_settings_on_a_page_are_json_and_start_the_brain(page: Path) -> None:
    for kind, body in commands.fences(page.read_text(encoding="utf-8")):
        if kind != "json":
            continue
        for server in _servers(json.loads(body)):
            assert Path(server["command"]).name == "brain"
            assert commands.refusal(tuple(server["args"])) == ""
            assert set(server.get("env", {})) - known_variables() == set()


def _servers(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "command" in value and "args" in value:
            yield value
        for below in value.values():
            yield from _servers(below)


def test_every_message_of_the_troubleshooting_table_is_one_that_the_code_gives() -> None:
    page = (DOCS / "operations.md").read_text(encoding="utf-8")
    section = page[page.index("## Troubleshooting") :]
    messages = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert len(messages) > 25
    assert [m for m in messages if not any(_fits(m, told) for told in _strings())] == []


def test_every_failure_a_person_can_meet_is_in_the_troubleshooting_table() -> None:
    page = (DOCS / "operations.md").read_text(encoding="utf-8")
    section = page[page.index("## Troubleshooting") :]
    cells = re.findall(r"^\| (`[^|]+`) \|", section, re.MULTILINE)
    told = [message for cell in cells for message in re.findall(r"`([^`]+)`", cell)]
    missing = [message for message in _failures() if not any(_fits(each, message) for each in told)]
    assert missing == [], "add what it means and what to do to docs/operations.md"


_FAILURES = {
    "BrainError", "ConfigurationError", "StorageError", "LockedError", "NewerCatalogueError", "IndexUnavailableError",
    "NotFoundError",
}  # fmt: skip


def _failures() -> list[str]:
    """The message of every failure the package raises for people, `…` for what is filled in; none without words."""
    found = []
    for module in sorted((ROOT / "brain_assets").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") in _FAILURES:
                message = _message(node.args[0])
                if len(re.findall(r"[A-Za-z]{2,}", message)) > 1:
                    found.append(message)
    assert len(found) > 80
    return found


def _message(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return "…"


def _fits(message: str, told: str) -> bool:
    """Whether a message, with … for what differs from case to case, is part of what the code says."""
    pattern = ".*".join(re.escape(part.strip()) for part in message.split("…"))
    return re.search(pattern, told, re.DOTALL) is not None


@cache
def _strings() -> tuple[str, ...]:
    """Every text in the package; what is filled in is an ellipsis."""
    found = []
    for module in sorted((ROOT / "brain_assets").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values]
                found.append("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return tuple(found)


def test_the_guide_to_scheduling_names_all_that_runs_by_itself() -> None:
    guide = (DOCS / "guides" / "scheduling.md").read_text(encoding="utf-8")
    told = json.loads(DAGSTER.read_text(encoding="utf-8"))
    wanted = [*told["sensors"], *told["schedules"]]
    assert len(wanted) >= 7
    assert [name for name in wanted if f"| `{name}` |" not in guide] == []


def test_the_architecture_names_every_room() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "brain_assets"
    rooms = [f"{p.name}/" for p in package.iterdir() if (p / "__init__.py").exists()]
    rooms += [p.stem for p in package.glob("*.py") if not p.stem.startswith("__")]
    page = page.replace(".py`", "`")
    assert [room for room in rooms if f"`{room}`" not in page] == []
