"""The tables over the graph on terminals of every width, and what they say when there is nothing to list."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from brain_assets.cli.graph import _as_tree
from brain_assets.operation import pipeline
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries
from brain_assets_tests.cli.conftest import Brain
from brain_assets_tests.operation import brains

pytestmark = pytest.mark.xdist_group("sample_brain")
GATEWAY = "VPN/WireGuard-Gateway.md"


def on_terminal(settings: Settings, width: int, *command: str, **more: str) -> str:
    """What a command writes to a terminal of that many columns, carriage returns taken out."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    environment |= {"TERM": "xterm-256color", "BRAIN_NOW": "2026-12-01", **more}
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_assets", *command, "--data-dir", str(settings.data_dir)],
        stdout=there, stderr=there, stdin=there, env=environment,
    )  # fmt: skip
    os.close(there)
    out = b""
    while True:
        try:
            part = os.read(here, 65536)
        except OSError:  # the other side is closed: the end
            break
        if not part:
            break
        out += part
    os.close(here)
    assert process.wait(30) == 0, out.decode()
    return out.decode().replace("\r", "")


@pytest.mark.parametrize("width", [80, 40])
def test_tables_fit_the_terminal(sample_brain: Settings, width: int) -> None:
    for command in (("related", GATEWAY), ("topics",), ("contradictions",)):
        shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(sample_brain, width, *command))
        assert max(map(len, shown.splitlines())) <= width, command
        if command == ("contradictions",):
            assert "1420 Byte" in shown and "1380 bytes" in shown, "no value is broken"
        if command == ("related", GATEWAY):
            assert "contradicts" in shown and shown.index("contradicts") < shown.index("same_topic")


QUESTION = "Welche MTU gilt im VPN-Tunnel, und welche Telefonnummer hat der Provider des Lagers?"


@pytest.mark.parametrize("command", [("think", "--no-llm", QUESTION), ("search", QUESTION), ("articles", "list")])
def test_what_is_too_long_for_the_terminal_goes_on_below_its_beginning(
    sample_brain: Settings, command: tuple[str, ...]
) -> None:
    lines = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(sample_brain, 80, *command)).splitlines()
    assert max(map(len, lines)) <= 80
    if command[0] == "think":
        listed = lines[lines.index("Quellen") + 1 :]
        starts = ("  [", "Lücken", "  Widerspruch", "  Fehlt", "  Veraltet", "    ")
        assert all(not line or line.startswith(starts) for line in listed), listed


def test_an_id_is_never_broken(brain: Brain, tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    brain("think", "--no-llm", "Wie heißt der Druckserver, und wer wartet ihn?", at=settings)
    known = [gap["gap_id"] for gap in brain("gaps", "--json", at=settings).json()["gaps"]]
    shown = on_terminal(settings, 80, "gaps")
    assert known and all(f" {gap} " in shown for gap in known)


def test_no_colour_where_none_is_wanted_and_a_plain_locale_will_do(sample_brain: Settings) -> None:
    shown = on_terminal(sample_brain, 80, "topics", NO_COLOR="1", LC_ALL="C")
    assert not re.search(r"\x1b\[(?:\d+;)*[34]\d", shown)
    assert "Schlüssel" in shown


def test_a_reader_that_leaves_is_no_failure(sample_brain: Settings) -> None:
    command = [sys.executable, "-m", "brain_assets", "topics", "--data-dir", str(sample_brain.data_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")


def test_an_unknown_relation_is_refused_with_those_there_are(brain: Brain, sample_brain: Settings) -> None:
    done = brain("related", GATEWAY, "--relation", "friends_with", at=sample_brain)
    assert done.code == 2
    assert "friends_with is no relation" in done.err and "depends_on" in done.err


def test_nothing_listed_says_why(brain: Brain, own_brain: Settings, sample_brain: Settings, tmp_path: Path) -> None:
    assert "nothing has been compared" in brain("related", "Backup.md", at=own_brain).out
    assert "nothing has been compared" in brain("relations", at=own_brain).out
    assert "No topic yet" in brain("topics", at=own_brain).out
    with pipeline.writing(own_brain) as run:
        pipeline.run_stage("relation_edges", run)
        pipeline.run_stage("topic_clusters", run)
    assert "it was compared" in brain("related", "Druck.md", at=own_brain).out
    assert "no three entries are related" in brain("topics", at=own_brain).out
    brains.write(own_brain.vault_dir, {"Neu.md": "Ganz neu.\n"})
    assert brain("sync", at=own_brain).code == 0
    assert "new since the last" in brain("related", "Neu.md", at=own_brain).out
    told = brain("related", GATEWAY, "--relation", "duplicates", "--min-confidence", "0.9", at=sample_brain).out
    assert re.fullmatch(r"None of its \d+ edges is duplicates and at least 0\.90 sure\.\n", told)
    assert "None of the" in brain("relations", "--relation", "part_of", "--min-confidence", "1", at=sample_brain).out  # fmt: skip


def test_an_empty_graph_says_so(brain: Brain, own_brain: Settings, tmp_path: Path) -> None:
    with catalogue.open(own_brain) as cat, cat.begin() as connection:
        entries.tombstone(connection, entries.live_ids(connection), own_brain.today)
    assert "The graph is empty" in brain("graph", "--out", str(tmp_path / "g.html"), at=own_brain).out


def test_a_divided_topic_stands_before_its_parts_and_counts_them() -> None:
    def topic(name: str, count: int, parent: str | None = None) -> dict[str, object]:
        return {"id": name, "parent": parent, "members": [f"{name}{n}" for n in range(count)]}

    listed = [topic("alone", 5), topic("p2", 4, "big"), topic("p1", 3, "big"), topic("big", 0)]
    assert [(t["id"], size) for t, size in _as_tree(listed)] == [("big", 7), ("p2", 4), ("p1", 3), ("alone", 5)]
