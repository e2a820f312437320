"""What a note holds is shown on a terminal, never obeyed by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brain_assets.text.printable import one_line, printable
from brain_assets_tests.cli.conftest import Brain

EVIL = "\x1b[31mEvil\x1b]0;pwned\x07 \x9b2J \u202eback \r"
OBEYED = {*map(chr, (*range(9), *range(11, 32), *range(127, 160))), "\u202e"}


def test_control_characters_are_written_out() -> None:
    assert not OBEYED & set(printable(EVIL))
    assert printable("\x1b[1m\tä\n") == "\\u001b[1m\tä\n"
    assert one_line("a\nb") == "a\\nb"
    assert json.loads(printable(json.dumps(EVIL, ensure_ascii=False))) == EVIL


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "quantum"), ("search", "quantum", "--json"), ("think", "--no-llm", "--verbose", "quantum port"),
        ("think", "--no-llm", "--json", "quantum port"), ("gaps",), ("status",), ("status", "--json"),
        ("related", f"note:{EVIL}"), ("related", f"note:{EVIL}", "--json"), ("related", "note:red\x1b[31m.md"),
    ],
)  # fmt: skip
def test_no_command_lets_a_note_speak_to_the_terminal(brain: Brain, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    vault, kb = tmp_path / "vault", tmp_path / "kb"
    vault.mkdir()
    kb.mkdir()
    title = json.dumps(EVIL)
    text = f"---\ntitle: {title}\nstatus: {title}\ndate: 2025-01-01\n---\nThe quantum port {EVIL} is 8443.\n"
    (vault / "red\x1b[31m.md").write_text(text, encoding="utf-8")
    (kb / "bad\x1b[31m.json").write_text("nothing", encoding="utf-8")
    places = ("--data-dir", str(tmp_path / "data"), "--vault", str(vault), "--kb", str(kb))
    assert brain("sync", *places).code == 0
    brain("think", "--no-llm", "quantum port", *places)
    done = brain(*arguments, *places)
    assert done.out or done.err
    assert not OBEYED & set(done.out + done.err)
