"""Notes that nobody writes by hand go through a whole sync in bounded time and memory, and are found."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings, load
from brain_assets.store import catalogue, entries
from brain_assets_tests.operation import brains

_MIXED = (
    "Der Router neben dem Drucker wurde gestern neu gestartet, weil die Verbindung immer wieder abgebrochen ist. "
    "The vendor says that this is a known problem of the firmware and that it will be fixed with the next release. "
    "Wir warten also auf das Update; until then the watchdog restarts it every night. "
)
NOTES = {
    "Zeile.md": "# Zeile\n\n" + "Wort und noch eins " * 105_000 + "Zeilenende",
    "Bild.md": "# Bild\n\n![](data:image/png;base64," + "QUJD" * 1_250_000 + ")\n\nNach dem Bild steht Nachbild.\n",
    "Köpfe.md": "".join(f"## Abschnitt {i}\n" for i in range(100_000)),
    "Tabelle.md": "# T\n\n|Gerät|Wert|\n|-|-|\n" + "".join(f"|Gerät{i}|{i}|\n" for i in range(10_000)),
    "Gemischt.md": f"# Gemischt\n\n{_MIXED * 3}\n\n{_MIXED * 3}\n",
}
_SECONDS, _MEGABYTES = 30, 500
"""Far above what it takes (5 s and 270 MB), far below what anything quadratic would."""
_MEASURED = """
import json, resource, subprocess, sys
told = json.loads(subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([told, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""
"""Runs a command from a process of its own: a child's peak begins with the memory of the process that made it."""
Awkward = tuple[Settings, dict[str, dict[str, int]], float, float]
"""Settings, what the sync printed, its CPU seconds, its peak in MB."""


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Awkward:
    place = tmp_path_factory.mktemp("awkward")
    brains.write(place / "vault", NOTES)
    (place / "kb").mkdir()
    settings = load(
        data_dir=place / "data", vault_dir=place / "vault", kb_dir=place / "kb", now="2026-12-01", vector_sets="none"
    )
    flags = ("--data-dir", settings.data_dir, "--vault", settings.vault_dir, "--kb", settings.kb_dir)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, sys.executable, "-m", "brain_assets", "sync", "--json", *map(str, flags)],
        env=os.environ | {"BRAIN_VECTOR_SETS": "none", "BRAIN_NOW": "2026-12-01"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return settings, *json.loads(done.stdout)


def test_time_and_memory_are_bounded(awkward: Awkward) -> None:
    _, told, seconds, megabytes = awkward
    assert told["notes"]["added"] == len(NOTES)
    assert told["notes"]["quarantined"] == 0
    assert seconds < _SECONDS
    assert megabytes < _MEGABYTES


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("Zeilenende", "Zeile.md"),
        ("Nachbild", "Bild.md"),
        ("Abschnitt 99999", "Köpfe.md"),
        ("Gerät9999", "Tabelle.md"),
        ("watchdog firmware release", "Gemischt.md"),
        ("Verbindung abgebrochen", "Gemischt.md"),
    ],
)
def test_each_is_found(awkward: Awkward, query: str, note: str) -> None:
    hits = Searcher.open(awkward[0]).search(query, mode="lexical").hits
    assert hits[0].id == f"note:{note}"
    assert len(hits[0].preview) < 2_000


def test_passages_are_bounded_and_lose_no_text(awkward: Awkward) -> None:
    with catalogue.open(awkward[0], read_only=True) as cat, cat.read() as connection:
        found = {entry.path: entry for entry in entries.load(connection)}
    for path, entry in found.items():
        assert max(len(passage.text) for passage in entry.passages) <= 5_600, path
        kept = "".join(passage.text for passage in entry.passages)
        whole = entry.body.replace("QUJD" * 1_250_000, "")
        assert len("".join(whole.split())) - len("".join(kept.split())) <= 40, path


def test_mixed_languages_are_one_of_the_two(awkward: Awkward) -> None:
    with catalogue.open(awkward[0], read_only=True) as cat, cat.read() as connection:
        entry = entries.get(connection, "note:Gemischt.md")
    assert entry is not None
    assert {passage.language for passage in entry.passages} <= {"de", "en"}
