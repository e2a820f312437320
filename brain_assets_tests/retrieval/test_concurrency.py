"""A search during a running sync never fails and never mixes generations: parallel processes on one brain."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from brain_assets_tests.retrieval.conftest import MakeBrain

_ENTRIES, _ROUNDS = 12, 8

_WRITER = """
import sys
from pathlib import Path
from brain_assets.settings import load
from brain_assets.store import catalogue, lock
from brain_assets.sources.sync import sync_vault
from brain_assets.retrieval import index, vectors

home, entries, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
settings = load(data_dir=home / "data", vault_dir=home / "vault", kb_dir=home / "kb", vector_sets=sys.argv[4])
with catalogue.open(settings) as cat:
    for number in range(1, rounds + 1):
        for i in range(entries):
            text = f"# Zettel {i}\\n\\nDer Ordner {i} gehört zu runde{number:03}.\\n"
            (settings.vault_dir / f"n{i}.md").write_text(text, encoding="utf-8")
        with lock.writer(settings):
            sync_vault(cat, settings)
            index.update(cat, settings)
            vectors.update(cat, settings)
"""

_READER = """
import re, sys
from pathlib import Path
from brain_assets.settings import load
from brain_assets.retrieval.search import Searcher

home, entries = Path(sys.argv[1]), int(sys.argv[2])
settings = load(data_dir=home / "data", vault_dir=home / "vault", kb_dir=home / "kb", vector_sets=sys.argv[3])
seen, searches, kept = set(), 0, None
while not (home / "stop").exists() or searches < 3:
    searcher = Searcher.open(settings)
    for each in filter(None, (searcher, kept)):
        hits = each.search("Ordner Zettel runde", top=50, all=True).hits
        rounds = {number for hit in hits for number in re.findall(r"runde(\\d+)", hit.preview)}
        assert len(hits) == entries, f"{len(hits)} hits instead of {entries}"
        assert len(rounds) == 1, f"generations are mixed: {sorted(rounds)}"
        seen |= rounds
        searches += 1
    kept = kept or searcher
    if searches % 7 == 0:
        kept = searcher
print(searches, len(seen))
"""


@pytest.mark.parametrize("sets", ["none", "usem3"])
def test_readers_see_one_generation_while_a_writer_works(make_brain: MakeBrain, sets: str) -> None:
    start = {f"n{i}.md": f"# Zettel {i}\n\nDer Ordner {i} gehört zu runde000.\n" for i in range(_ENTRIES)}
    brain = make_brain(start, vector_sets=sets)
    brain.sync()
    home = brain.settings.data_dir.parent

    def run(script: str, *args: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", textwrap.dedent(script), str(home), *map(str, args)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    readers = [run(_READER, _ENTRIES, sets) for _ in range(2)]
    writer = run(_WRITER, _ENTRIES, _ROUNDS, sets)
    _, trouble = writer.communicate(timeout=120)
    assert writer.returncode == 0, trouble
    time.sleep(0.2)
    Path(home / "stop").touch()
    for reader in readers:
        out, trouble = reader.communicate(timeout=120)
        assert reader.returncode == 0, trouble
        searches, generations = map(int, out.split())
        assert searches >= 3 and generations >= 1
