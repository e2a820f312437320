"""Whichever stage compares sentences, the process loads the encoder once, from where the brain keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_assets.operation import pipeline
from brain_assets.research import semantics
from brain_assets.retrieval import embedders, encoder_file
from brain_assets.store.stages import StageReport
from brain_assets_tests.operation import brains


@pytest.fixture
def fresh() -> Iterator[None]:
    """As in a process that has encoded nothing yet."""
    for cached in (embedders.embedded, semantics._encoder):
        cached.cache_clear()
    yield
    for cached in (embedders.embedded, semantics._encoder):
        cached.cache_clear()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("stage", [name for name in pipeline.STAGES if name not in pipeline.SYNC])
def test_a_stage_on_its_own_finds_the_kept_encoder(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    def load(path: Path, threads: int) -> _Encoder:
        asked.append(path)
        return _Encoder()

    monkeypatch.setattr(encoder_file, "load", load)
    settings = brains.small(tmp_path)
    monkeypatch.setitem(pipeline.STAGES, stage, _compares)
    with pipeline.writing(settings) as run:
        pipeline.run_stage(stage, run)
    assert asked == [encoder_file.path_in(settings.data_dir)]


def _compares(run: pipeline.Run) -> StageReport:
    assert semantics.similarities("Welche MTU?", [("VPN", "MTU 1420")]) == [1.0]
    return StageReport("")


class _Encoder:
    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[1.0] + [0.0] * 511 for _ in texts]
