"""The guide to the first vault, followed: its commands run, and what it shows of their output is what comes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from brain_assets import cli
from brain_assets_tests.docs import commands

GUIDE = commands.ROOT / "docs" / "guides" / "first-vault.md"
NOTES = {
    "Team/Drucker.md": "---\ntitle: Drucker im Flur\ntags: [hardware, flur]\naliases: [Flurdrucker]\ndate: 2026-11-20\n"
    "type: how-to\n---\n# Drucker im Flur\n\nDer Drucker heißt `flur-og1`. Papier liegt im Schrank daneben, siehe "
    "[[Schränke]].\n\n- [ ] Toner bestellen\n",
    "Team/Schränke.md": "---\ndate: 2026-11-30\n---\n# Schränke\n\nDer Schlüssel zum Papierschrank hängt am Brett. #flur\n",
    "Team/Kaffee.md": "---\ntitle: Kaffee: Maschine\n  tags: x\n---\nEntkalken alle 200 Tassen.\n",
}
SKIPPED = ("build", "graph", "doctor")
"""Measured elsewhere: the whole pipeline, a page that is written into the working folder, services of this machine."""
WORDED_ANEW = ("search", "think")
"""Run, and not compared: the wording of hits and answers is the business of their own tests."""


@pytest.fixture
def first_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for name, body in NOTES.items():
        path = tmp_path / "Notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    (tmp_path / "support-kb").mkdir()
    entry = re.search(r"KB-1\.json <<'END'\n(.*?)\nEND\n", text, re.DOTALL)
    assert entry is not None and json.loads(entry[1])
    (tmp_path / "support-kb" / "KB-1.json").write_text(entry[1], encoding="utf-8")
    places = re.search(r"^export (BRAIN_VAULT_DIR=.*)$", text, re.MULTILINE)
    assert places is not None
    for assignment in places[1].split():
        name, _, value = assignment.partition("=")
        monkeypatch.setenv(name, value.replace("~", str(tmp_path)))
    monkeypatch.setenv("BRAIN_NOW", "2026-12-01")
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "usem3")


def steps() -> list[tuple[tuple[str, ...], list[str]]]:
    """(arguments, lines that the guide shows of the output) of each command, in the guide's order."""
    found: list[tuple[tuple[str, ...], list[str]]] = []
    for kind, body in commands.fences(GUIDE.read_text(encoding="utf-8")):
        for line in body.splitlines() if kind in ("", "sh") else ():
            typed = list(commands.of_line("guide", line.removeprefix("$ "))) if kind or line.startswith("$ ") else []
            if typed:
                found.append((typed[0].arguments, []))
            elif not kind and found:
                found[-1][1].append(line)
    return found


def plain(line: str) -> str:
    """A line without what differs from run to run and from terminal to terminal: numbers, spaces, rules."""
    return " ".join(re.sub(r"\d+(?:[.,]\d+)*", "#", line.replace("─", "")).split())


@pytest.mark.usefixtures("first_vault")
def test_the_guide_can_be_followed(capsys: pytest.CaptureFixture[str]) -> None:
    done = []
    for arguments, shown in steps():
        if arguments[0] in SKIPPED:
            continue
        code = cli.main(list(arguments))
        printed = [plain(line) for line in capsys.readouterr().out.splitlines()]
        assert code == 0, arguments
        done.append(arguments[0])
        if arguments[0] in WORDED_ANEW:
            assert printed
            continue
        wanted = [plain(line).split(" …")[0] for line in shown if plain(line) and line.strip() != "…"]
        absent = [line for line in wanted if not any(given.startswith(line) for given in printed)]
        assert absent == [], (arguments, printed)
    assert done[:4] == ["sync", "status", "search", "think"]
