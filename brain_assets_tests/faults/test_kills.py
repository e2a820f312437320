"""`brain build` killed at any instant: the next run completes, and ends where an undisturbed one does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from brain_assets_tests.faults.killing import Brain


def _kill_and_compare(home: Path, kills: int, seed: int) -> int:
    """Kill builds at random instants and finish each; returns how many had not ended before."""
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
        print(f"killed after {instant:6.2f} of {duration:.2f} s")
        assert brain.state() == undisturbed, f"killed after {instant:.2f} of {duration:.2f} s"
    assert killed >= kills // 2, "too few runs were killed before they had ended"
    assert brain.source_hashes() == sources
    return killed


@pytest.mark.timeout(600)
def test_a_killed_build_is_finished_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "usem3")
    _kill_and_compare(tmp_path, kills=3, seed=7)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_sixty_killed_builds_are_finished_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least fifty of them are killed before they end, which the short form does not ask for."""
    monkeypatch.setenv("BRAIN_VECTOR_SETS", "usem3")
    assert _kill_and_compare(tmp_path, kills=60, seed=11) >= 50
