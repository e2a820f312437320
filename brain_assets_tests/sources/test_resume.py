"""A sync that is killed at any instant is finished by the next one, with the same result as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brain_assets.settings import Settings, load
from brain_assets.sources.sync import sync_kb, sync_vault
from brain_assets.store import catalogue, schema
from brain_assets_tests.sources.vaults import counts, kb, kb_file, kb_item, notes, write

_CHILD = """
import sys
from brain_assets.settings import load
from brain_assets.sources import sync
from brain_assets.store import catalogue
sync._BATCH_FILES = 20
data, vault, kb = sys.argv[1:]
settings = load(data_dir=data, vault_dir=vault, kb_dir=kb, now="2026-12-01")
print("ready", flush=True)
with catalogue.open(settings) as cat:
    sync.sync_vault(cat, settings)
    sync.sync_kb(cat, settings)
"""


def fill(root: Path) -> None:
    """Notes that link by path, by alias and to nothing, and KB entries that cite each other and compete for ids."""
    rng = random.Random(7)
    vault = {}
    for i in range(400):
        targets = [f"[[N{rng.randrange(450)}]]", f"[[Alias {rng.randrange(450)}]]", f"[[KB-{rng.randrange(60)}]]"]
        head = f"---\naliases: [Alias {i}]\ndate: 2026-0{i % 9 + 1}-01\n---\n" if i % 2 else ""
        vault[f"{i % 5}/N{i}.md"] = (
            f"{head}# Notiz {i}\n\n{' '.join(targets)}\n\n" + f"Satz {i} über etwas. " * rng.randint(1, 80)
        )
    write(root / "vault", vault)
    entries = {}
    for i in range(60):
        ai = {"categories": ["AI-THINK"], "text": f"Erzeugt aus KB-{rng.randrange(60)}."} if i % 3 == 0 else {}
        entries[f"{i}.json"] = kb_file(kb_item(f"KB-{i if i % 10 else 1}", **ai))
    write(root / "kb", entries)


def contents(settings: Settings) -> dict[str, list[tuple[object, ...]]]:
    """Every row that the sync writes."""
    out = {}
    with catalogue.open(settings) as cat, cat.read() as connection:
        for table in (
            schema.files,
            schema.problems,
            schema.entries,
            schema.passages,
            schema.note_names,
            schema.link_keys,
            schema.unsettled_links,
        ):
            out[table.name] = sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
    return out


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("resume")
    fill(root)
    return root


def settings_of(root: Path, data: str) -> Settings:
    return load(data_dir=root / data, vault_dir=root / "vault", kb_dir=root / "kb", now="2026-12-01")


def start(root: Path, data: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _CHILD, str(root / data), str(root / "vault"), str(root / "kb")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


def test_killed_at_random_instants(filled: Path) -> None:
    whole = start(filled, "whole")
    began = time.monotonic()
    assert whole.wait() == 0
    took = time.monotonic() - began
    wanted = contents(settings_of(filled, "whole"))
    assert len(wanted["entries"]) > 400 and not wanted["unsettled_links"]
    rng = random.Random(3)
    killed = 0
    for number in range(2):
        data = f"killed{number}"
        for _ in range(3):
            child = start(filled, data)
            time.sleep(rng.uniform(0, took * 0.8))
            os.kill(child.pid, signal.SIGKILL)
            killed += child.wait() == -signal.SIGKILL
        settings = settings_of(filled, data)
        with catalogue.open(settings) as cat:
            sync_vault(cat, settings)
            sync_kb(cat, settings)
            assert counts(notes(cat, settings))[:3] == counts(kb(cat, settings))[:3] == (0, 0, 0)
        found = contents(settings)
        for table, rows in wanted.items():
            assert found[table] == rows, table
    assert killed > 1


def test_what_was_done_before_the_kill_is_not_done_again(filled: Path) -> None:
    child = start(filled, "half")
    settings = settings_of(filled, "half")
    for _ in range(2_000):
        time.sleep(0.005)
        if (settings.data_dir / "brain.db").exists():
            with catalogue.open(settings, read_only=False) as cat, cat.read() as connection:
                done = len(list(connection.execute(schema.files.select())))
            if done >= 40:
                break
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    with catalogue.open(settings) as cat:
        with cat.read() as connection:
            done = len(list(connection.execute(schema.files.select().where(schema.files.c.source == "vault"))))
        details = notes(cat, settings)
    assert details["unchanged"] == done >= 40 and details["added"] == 400 - done
