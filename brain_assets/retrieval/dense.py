"""Dense search over the published vector sets: exact scan, an entry's best passage, sets added with their weights."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval import snapshots
from brain_assets.retrieval.pointer import VectorSet
from brain_assets.retrieval.vector_files import DIGEST_BYTES, VectorFiles, digest_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


_WORTH_SLICING = 8_000
_CORES = min(4, os.cpu_count() or 1)


class Near(NamedTuple):
    """A near passage: its entry's key, its number in the entry, its digest (hex), the cosine."""

    key: int
    ordinal: int
    digest: str
    cosine: float


class OpenSet:
    """One vector set, opened: its matrices mapped, its live rows in memory.

    Raises IndexUnavailableError if its files cannot be read.
    """

    def __init__(self, files: VectorFiles, published: VectorSet) -> None:
        self.published = published
        self._files = files
        try:
            self.rows = np.load(files.file(published.rows), allow_pickle=False)
            self._parts: list[Vectors] = [
                np.memmap(files.file(part.file), dtype="<f4", mode="r", shape=(part.rows, published.dimension))
                for part in published.segments
            ]
            self.direction: Vectors | None = (
                np.load(files.file(published.direction), allow_pickle=False) if published.direction else None
            )
        except (OSError, ValueError, EOFError) as error:
            raise IndexUnavailableError(
                f"The vectors of {published.id} cannot be read ({error}).", "Run `brain sync`: it writes them again."
            ) from error
        self.keys: NDArray[np.int64]
        self.keys, self._starts = np.unique(self.rows["key"], return_index=True)
        self._row = np.ascontiguousarray(self.rows["row"])
        self._scale = np.ascontiguousarray(self.rows["scale"])
        total = sum(part.rows for part in published.segments)
        self._in_order = len(self._row) == total and bool(np.array_equal(self._row, np.arange(total)))
        self._digests: list[bytes] | None = None
        self._row_of: dict[bytes, int] | None = None

    def cosines(self, queries: Vectors) -> Vectors:
        """Cosines of live passages with queries, both freed of the language direction: shape (passages, queries)."""
        if not self._parts:  # an empty brain: a set without passages is complete
            return np.zeros((0, len(queries)), dtype=np.float32)
        freed = np.stack([snapshots.freed(query, self.direction) for query in queries], axis=1)
        products = _products(self._parts, freed if freed.shape[1] > 1 else freed[:, 0])
        every = np.concatenate(products) if len(products) != 1 else products[0]
        every = every.reshape(len(every), -1)
        out: Vectors = (every if self._in_order else every[self._row]) * self._scale[:, None]
        return out

    def best(self, cosines: Vectors) -> Vectors:
        """The best passage's cosine of each entry, in the order of `keys`."""
        out: Vectors = np.maximum.reduceat(cosines, self._starts)
        return out

    def best_ordinal(self, cosines: Vectors, position: int) -> int:
        """The number of the best passage of the entry at a position of `keys`."""
        start = int(self._starts[position])
        end = int(self._starts[position + 1]) if position + 1 < len(self._starts) else len(cosines)
        return int(self.rows["ordinal"][start + int(np.argmax(cosines[start:end]))])

    def near(self, queries: Vectors, k: int) -> list[list[Near]]:
        """The k nearest passages of each query vector, nearest first."""
        if not len(self.rows):
            return [[] for _ in queries]
        cosines = self.cosines(queries)
        k = min(k, len(cosines))
        out = []
        for column in cosines.T:
            top = np.argpartition(-column, k - 1)[:k]
            top = top[np.lexsort((top, -column[top]))]
            out.append([self._near(int(i), float(column[i])) for i in top])
        return out

    def _near(self, position: int, cosine: float) -> Near:
        row = self.rows[position]
        return Near(int(row["key"]), int(row["ordinal"]), self.digests[int(row["row"])].hex(), cosine)

    @property
    def digests(self) -> list[bytes]:
        """The passage digest of each row."""
        if self._digests is None:
            joined = b"".join(self._files.file(digest_name(part.file)).read() for part in self.published.segments)
            self._digests = [joined[i : i + DIGEST_BYTES] for i in range(0, len(joined), DIGEST_BYTES)]
        return self._digests

    def vector_of(self, digest: str) -> Vectors:
        """The stored vector of a passage. Raises KeyError if there is none."""
        if self._row_of is None:
            self._row_of = {each: row for row, each in enumerate(self.digests)}
        return self._vector(self._row_of[bytes.fromhex(digest)])

    def _vector(self, row: int) -> Vectors:
        for part in self._parts:
            if row < len(part):
                vector: Vectors = np.asarray(part[row])
                return vector
            row -= len(part)
        raise KeyError(row)


@dataclass
class DenseScores:
    """Scores of all entries for one query; `keys` sorted."""

    keys: NDArray[np.int64]
    scores: Vectors
    cosines: dict[str, Vectors]
    sets: dict[str, OpenSet]

    def top(self, limit: int) -> list[tuple[int, float]]:
        """(key, score) of the best entries, best first, ties by key."""
        limit = min(limit, len(self.scores))
        if limit == 0:
            return []
        best = np.argpartition(-self.scores, limit - 1)[:limit]
        best = best[np.lexsort((self.keys[best], -self.scores[best]))]
        return [(int(self.keys[i]), float(self.scores[i])) for i in best]

    def of(self, keys: Sequence[int]) -> dict[int, float]:
        """Scores of some entries; those without a vector are missing."""
        if not len(self.keys):
            return {}
        wanted = np.asarray(keys, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        there = self.keys[at] == wanted
        return {int(k): float(self.scores[i]) for k, i, ok in zip(wanted, at, there, strict=True) if ok}

    def passage(self, key: int) -> int | None:
        """The number of an entry's best passage in the set that weighs most."""
        name = next(iter(self.sets))
        opened = self.sets[name]
        at = int(np.searchsorted(opened.keys, key))
        if at >= len(opened.keys) or int(opened.keys[at]) != key:
            return None
        return opened.best_ordinal(self.cosines[name], at)


def _products(parts: Sequence[Vectors], vectors: Vectors) -> list[Vectors]:
    """Matrix products, large matrices in slices on all cores: they wait for memory, not for arithmetic."""
    if len(parts) == 1 and len(parts[0]) < _WORTH_SLICING:
        return [parts[0] @ vectors]
    size = max(_WORTH_SLICING // 2, -(-max(map(len, parts), default=0) // _CORES))
    slices = [part[i : i + size] for part in parts for i in range(0, len(part), size)]
    return list(_pool(os.getpid()).map(lambda piece: piece @ vectors, slices))


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """One pool per process: a fork copies the object, not its threads."""
    return ThreadPoolExecutor(_CORES, thread_name_prefix="brain-dense")


def score(sets: Mapping[str, OpenSet], weights: Mapping[str, float], queries: Mapping[str, Vectors]) -> DenseScores:
    """D = Σ weight × best cosine per entry, over entries that every set has; the heaviest set first in `weights`."""
    cosines = {name: sets[name].cosines(queries[name][None, :])[:, 0] for name in weights}
    best = {name: sets[name].best(cosines[name]) if len(cosines[name]) else cosines[name] for name in weights}
    names = list(weights)
    keys = sets[names[0]].keys
    total = weights[names[0]] * best[names[0]]
    for name in names[1:]:
        if not np.array_equal(keys, sets[name].keys):
            keys, left, right = np.intersect1d(keys, sets[name].keys, assume_unique=True, return_indices=True)
            total = total[left] + weights[name] * best[name][right]
        else:
            total = total + weights[name] * best[name]
    return DenseScores(keys, total.astype(np.float32), cosines, {name: sets[name] for name in names})
