"""The sample brain, built once for all tests that only look at it or roll back what they change."""

from __future__ import annotations

import pytest

from brain_assets.settings import Settings
from brain_assets_tests.operation import brains


@pytest.fixture(scope="session")
def sample_brain(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.sample_once(tmp_path_factory)
