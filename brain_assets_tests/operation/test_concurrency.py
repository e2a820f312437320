"""Everything at once, in processes of its own: one writer, many readers, and nobody fails or loses anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brain_assets.operation import pipeline
from brain_assets.operation import status as standing_of
from brain_assets.settings import Settings
from brain_assets.store import catalogue
from brain_assets_tests.faults.killing import standing
from brain_assets_tests.operation import brains

pytestmark = pytest.mark.xdist_group("sample_brain")


def _start(settings: Settings, *command: str) -> subprocess.Popen[str]:
    places = ["--data-dir", str(settings.data_dir), "--vault", str(settings.vault_dir), "--kb", str(settings.kb_dir)]
    environment = {**os.environ, "BRAIN_VECTOR_SETS": "usem3", "BRAIN_NOW": "2026-12-01", "BRAIN_LOCK_WAIT": "240"}
    return subprocess.Popen(
        [sys.executable, "-m", "brain_assets", *command, *places],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def _end(process: subprocess.Popen[str], what: str) -> str:
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, f"{what}: {process.returncode}\n{err[-3000:]}"
    assert "Traceback" not in err, what
    return out


def test_builds_watch_review_think_and_search_at_once(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = brains.copy(brains.sample_once(tmp_path_factory), tmp_path)
    staged = sorted(path.stem for path in settings.staging_dir.glob("*.json"))
    assert len(staged) >= 2
    watch = _start(settings, "watch")
    brains.write(settings.vault_dir, {"Neu.md": "---\ndate: 2026-11-30\n---\nDer Etikettendrucker heißt okapi.\n"})
    writers = {
        "build": _start(settings, "build", "--wait"),
        "second build": _start(settings, "build", "--wait"),
        "approve": _start(settings, "articles", "approve", staged[0], "--who", "Ada", "--wait"),
        "reject": _start(settings, "articles", "reject", staged[1], "--who", "Ada", "--why", "thin", "--wait"),
    }
    try:
        readers = 0
        while any(process.poll() is None for process in writers.values()) or readers < 4:
            for command in (["search", "VPN", "--json"], ["think", "Welche MTU gilt im VPN?", "--no-llm", "--json"]):
                found = json.loads(_end(_start(settings, *command), command[0]))
                assert found.get("hits") or found.get("sources"), command
                readers += 1
            time.sleep(1.0)
        for name, process in writers.items():
            _end(process, name)
    finally:
        watch.terminate()
        told = watch.communicate(timeout=60)[1]
        for process in writers.values():
            process.kill()
    assert "Traceback" not in told
    with pipeline.writing(settings, wait=60) as run:
        pipeline.run_stages(pipeline.STAGES, run)
        first = standing(settings)
        pipeline.run_stages(pipeline.STAGES, run)
    assert standing(settings) == first, "nothing was left to do"
    assert (settings.kb_dir / f"{staged[0]}.json").is_file()
    assert "note:Neu.md" in brains.live(settings)
    with catalogue.open(settings, read_only=True) as cat:
        assert standing_of.read(cat, settings).unhealthy == []


def test_many_writers_that_wait_all_have_their_turn(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    names = [f"note-{n}" for n in range(4)]
    processes = []
    for name in names:
        brains.write(settings.vault_dir, {f"{name}.md": f"Inhalt von {name}.\n"})
        processes.append(_start(settings, "sync", "--wait", "--json"))
    added = [json.loads(_end(process, "sync"))["notes"]["added"] for process in processes]
    assert sum(added) == len(names), "each note was taken in once"
    assert {f"note:{name}.md" for name in names} <= set(brains.live(settings))


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    with pipeline.writing(settings):
        process = _start(settings, "build")
        err = process.communicate(timeout=120)[1]
    assert process.returncode == 1
    assert f"process {os.getpid()}" in err and "--wait" in err
