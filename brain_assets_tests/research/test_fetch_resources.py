"""Fetches that would take too long or too much: each ends in time, with its reason, in little memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from brain_assets_tests.research import resources


@pytest.fixture(scope="module")
def measured() -> dict[str, object]:
    """One process that does nothing but these fetches, so that its peak memory is theirs."""
    run = subprocess.run(
        [sys.executable, "-m", "brain_assets_tests.research.resources"], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


@pytest.mark.parametrize("name", list(resources.cases()))
def test_ends_in_time_with_its_reason(measured: dict[str, object], name: str) -> None:
    outcomes = measured["outcomes"]
    assert isinstance(outcomes, dict)
    ended, seconds = outcomes[name]
    assert ended in resources.cases()[name].outcome.split("/")
    assert seconds < resources.DEADLINE + 1


def test_peak_memory_stays_small(measured: dict[str, object]) -> None:
    peak = measured["peak_extra_mib"]
    assert isinstance(peak, float)
    assert 0 <= peak <= 32
