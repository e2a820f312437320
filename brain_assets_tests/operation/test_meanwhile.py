"""`brain search` while `brain sync` runs again and again: no search fails, and none sees half of a change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from brain_assets.settings import Settings, load
from brain_assets_tests.operation import brains

_ENTRIES, _ROUNDS = 12, 6

_WRITER = """
import sys
from pathlib import Path
from brain_assets.cli import main

vault, entries, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for number in range(1, rounds + 1):
    for i in range(entries):
        text = f"# Zettel {i}\\n\\nDer Ordner {i} gehört zu runde{number:03}.\\n"
        (vault / f"{i % 3}" / f"n{i}.md").write_text(text, encoding="utf-8")
    if number == rounds // 2:
        (vault / "0").rename(vault / "verschoben")
        (vault / "verschoben").rename(vault / "0")
    assert main(["sync", "--json"]) == 0
"""


def _environment(settings: Settings) -> dict[str, str]:
    return os.environ | {
        "BRAIN_DATA_DIR": str(settings.data_dir), "BRAIN_VAULT_DIR": str(settings.vault_dir),
        "BRAIN_KB_DIR": str(settings.kb_dir), "BRAIN_NOW": "2026-12-01", "BRAIN_VECTOR_SETS": "none",
    }  # fmt: skip


def test_searches_see_one_generation_while_syncs_run(tmp_path: Path) -> None:
    notes = {f"{i % 3}/n{i}.md": f"# Zettel {i}\n\nDer Ordner {i} gehört zu runde000.\n" for i in range(_ENTRIES)}
    brains.write(tmp_path / "vault", notes)
    (tmp_path / "kb").mkdir()
    settings = load(data_dir=tmp_path / "data", vault_dir=tmp_path / "vault", kb_dir=tmp_path / "kb")
    environment = _environment(settings)
    main = "import sys; from brain_assets.cli import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", main, "sync", "--json"], env=environment, check=True, capture_output=True)

    queries = "".join(f'{{"id": {i}, "query": "Ordner Zettel runde"}}\n' for i in range(3))
    search = [
        sys.executable,
        "-c",
        main,
        "search",
        "--batch",
        "-",
        "--top",
        "50",
        "--all",
        "--mode",
        "lexical",
        "--json",
    ]
    arguments = [str(settings.vault_dir), str(_ENTRIES), str(_ROUNDS)]
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    generations: set[str] = set()
    finished = False
    while not finished:
        finished = writer.poll() is not None
        answered = subprocess.run(search, env=environment, input=queries, capture_output=True, text=True, check=False)
        assert answered.returncode == 0, answered.stderr
        for line in answered.stdout.splitlines():
            hits = json.loads(line)["hits"]
            rounds = {hit["preview"].partition("runde")[2][:3] for hit in hits}
            assert len(hits) == _ENTRIES
            assert len(rounds) == 1, f"generations are mixed: {sorted(rounds)}"
            generations |= rounds
    told, trouble = writer.communicate()
    assert writer.returncode == 0, trouble
    assert [json.loads(line)["notes"]["changed"] for line in told.splitlines()] == [_ENTRIES] * _ROUNDS
    assert f"{_ROUNDS:03}" in generations
