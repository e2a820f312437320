"""Dense search over the published vector sets: an entry's best passage counts, sets are added with their weights.

Which entries may be among the best is found by a scan of all rows (the exact ones, or the quantised ones, which take a
third of the time and cannot miss any), in a large set by approximate search. Scores are always those of the exact rows.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval import quantised, snapshots
from brain_assets.retrieval.pointer import VectorSet
from brain_assets.retrieval.vector_files import DIGEST_BYTES, VectorFiles, digest_name, quantised_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from brain_assets.retrieval.approximate import Approximate

    Vectors = NDArray[np.float32]


log = logging.getLogger(__name__)

QUANTISED_FROM = 10_000
"""Passages from which quantised rows are scanned, from a searcher's second query on: the library takes time to load."""
_MOST_PROPOSED, _OVERSAMPLED = 1_000, 5
_SHORT = 8
_WORTH_SLICING = 4_000
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
        self.notes: list[str] = []
        try:
            self.rows = np.load(files.file(published.rows), allow_pickle=False)
            self._parts: list[Vectors] = [
                np.asarray(np.memmap(files.file(part.file), "<f4", "r", shape=(part.rows, published.dimension)))
                for part in published.segments
            ]
            self.direction: Vectors | None = (
                np.load(files.file(published.direction), allow_pickle=False) if published.direction else None
            )
        except (OSError, ValueError, EOFError) as error:
            raise IndexUnavailableError(
                f"The vectors of {published.id} cannot be read ({error}).", "Run `brain sync`: it writes them again."
            ) from error
        key = self.rows["key"]
        first = np.ones(len(key), dtype=bool)
        np.not_equal(key[1:], key[:-1], out=first[1:])
        self._starts = np.flatnonzero(first)
        self._ends = np.append(self._starts[1:], len(key))
        self.keys: NDArray[np.int64] = key[self._starts]
        self._row = np.ascontiguousarray(self.rows["row"])
        self._scale = np.ascontiguousarray(self.rows["scale"])
        total = sum(part.rows for part in published.segments)
        self._in_order = len(self._row) == total and bool(np.array_equal(self._row, np.arange(total)))
        self._digests: list[bytes] | None = None
        self._row_of: dict[bytes, int] | None = None
        self._scans = 0

    def freed(self, query: Vectors) -> Vectors:
        """A query freed of the language direction."""
        return snapshots.freed(query, self.direction)

    def cosines(self, queries: Vectors) -> Vectors:
        """Cosines of live passages with queries, both freed of the language direction: shape (passages, queries)."""
        if not self._parts:  # an empty brain: a set without passages is complete
            return np.zeros((0, len(queries)), dtype=np.float32)
        freed = np.stack([self.freed(query) for query in queries], axis=1)
        products = _products(self._parts, freed if freed.shape[1] > 1 else freed[:, 0])
        every = np.concatenate(products) if len(products) != 1 else products[0]
        every = every.reshape(len(every), -1)
        out: Vectors = (every if self._in_order else every[self._row]) * self._scale[:, None]
        return out

    def scan(self, freed: Vectors) -> tuple[Vectors, float]:
        """The best passage's cosine of each entry with a freed query, in the order of `keys`, and how far off the true
        one it may be."""
        if not self._parts:
            return np.zeros(0, dtype=np.float32), 0.0
        self._scans += 1
        small = self._quantised if self._scans > 1 and len(self._row) >= QUANTISED_FROM else None
        kernel = quantised.kernel() if small else None
        if small and kernel:
            row, step, lost = quantised.quantise(freed[None, :])
            products = _mapped(lambda part: kernel(row[0], part), [part.rows for part in small], 4 * _WORTH_SLICING)
            every = np.concatenate(products).astype(np.float32) * self._steps
            every *= step[0]
            off = quantised.bound(max(part.lost for part in small), lost) * float(self._scale.max(initial=1.0))
        else:
            every, off = np.concatenate(_products(self._parts, freed)), 1e-5
        every = (every if self._in_order else every[self._row]) * self._scale
        return self._best(every), off

    def _best(self, cosines: Vectors) -> Vectors:
        """The best of each entry's passages: of all entries the first, of those that have it the second, and so on.
        Only long entries are gone through one by one, for beginning one takes as long as some passages."""
        best: Vectors = cosines[self._starts]
        for number, entries in enumerate(self._with_passages, 1):
            best[entries] = np.maximum(best[entries], cosines[self._starts[entries] + number])
        entries, spans = self._long
        if len(entries):
            best[entries] = np.maximum.reduceat(cosines, spans)[::2]
        return best

    @cached_property
    def _with_passages(self) -> list[NDArray[np.int64]]:
        """Entries that have a second passage, a third, and so on to the eighth."""
        counts = self._ends - self._starts
        return [np.flatnonzero(counts > number) for number in range(1, min(_SHORT, int(counts.max(initial=1))))]

    @cached_property
    def _long(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The longer entries, and where each begins and ends, one after the other."""
        entries = np.flatnonzero(self._ends - self._starts > _SHORT)
        spans = np.stack([self._starts[entries], self._ends[entries]], axis=1).ravel()
        return entries, spans[:-1] if len(spans) and spans[-1] == len(self.rows) else spans

    @cached_property
    def _quantised(self) -> list[quantised.Quantised] | None:
        try:
            return [
                quantised.Quantised(self._files.file(quantised_name(part.file)), part.rows, self.published.dimension)
                for part in self.published.segments
            ]
        except (OSError, ValueError) as error:
            log.info("The quantised rows of %s are not used (%s).", self.published.id, error)
            return None

    @cached_property
    def _steps(self) -> Vectors:
        return np.concatenate([part.steps for part in self._quantised or ()])

    def exact(self, positions: Sequence[int] | NDArray[np.int64], freed: Vectors) -> Vectors:
        """The best passage's cosine of some entries, given as positions in `keys`, from the exact rows."""
        positions = np.asarray(positions, dtype=np.int64)
        counts = self._ends[positions] - self._starts[positions]
        begins = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum())) - np.repeat(begins - self._starts[positions], counts)
        cosines = self._exact(places, freed)
        out: Vectors = np.maximum.reduceat(cosines, begins) if len(begins) else cosines
        return out

    def nearness(self, key: int, ordinal: int, others: Sequence[int]) -> dict[int, float]:
        """key → best passage's cosine of other entries with one passage of an entry; without those that have none."""
        here = self.rows[self.rows["key"] == key]
        rows = here["row"][here["ordinal"] == ordinal]
        if not len(rows) or not len(self.keys):
            return {}
        wanted = np.array(others, dtype=self.keys.dtype)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = self.keys[places] == wanted
        cosines = self.exact(places[known], self.freed(self._vector(int(rows[0]))))
        return dict(zip(wanted[known].tolist(), cosines.tolist(), strict=True))

    def _exact(self, places: NDArray[np.int64], freed: Vectors) -> Vectors:
        """Cosines of some passages. Each row is multiplied by itself: its product is the same in any company."""
        out: Vectors = np.einsum("ij,j->i", self._gathered(self._row[places]), freed) * self._scale[places]
        return out

    def _gathered(self, rows: NDArray[np.int32]) -> Vectors:
        if len(self._parts) == 1:
            return np.asarray(self._parts[0][rows])
        out = np.empty((len(rows), self.published.dimension), dtype=np.float32)
        first = 0
        for part in self._parts:
            mine = (rows >= first) & (rows < first + len(part))
            out[mine] = part[rows[mine] - first]
            first += len(part)
        return out

    def best_ordinals(self, positions: Sequence[int], freed: Vectors) -> list[int]:
        """The numbers of the best passages of some entries, given as positions in `keys`."""
        spans = [(int(self._starts[position]), int(self._ends[position])) for position in positions]
        places = np.concatenate([np.arange(*span) for span in spans])
        cosines, ordinals = self._exact(places, freed), self.rows["ordinal"][places]
        out, start = [], 0
        for begin, end in spans:
            size = end - begin
            out.append(int(ordinals[start + int(np.argmax(cosines[start : start + size]))]))
            start += size
        return out

    @cached_property
    def approximate(self) -> Approximate | None:
        """The index for approximate search; None where the set has none that can be used (see `notes`)."""
        if not self.published.approximate:
            return None
        from brain_assets.retrieval.approximate import Approximate

        try:
            return Approximate(self._files.file(self.published.approximate), self.published)
        except (OSError, ValueError, ImportError) as error:
            self.notes.append(
                f"The index for approximate search of {self.published.id} cannot be used ({error}): all its vectors "
                "were compared. Run `brain sync`: it is made anew."
            )
            return None

    def proposed(self, freed: Vectors, passages: int) -> NDArray[np.int64]:
        """Positions in `keys` of entries whose passages are likely the nearest, by approximate search; those newer than
        its index are all compared."""
        assert self.approximate is not None
        row, _, _ = quantised.quantise(freed[None, :])
        rows = self.approximate.near(row[0], passages)
        order, ordered = self._by_row
        places = order[_within(ordered, rows)]
        new = order[int(np.searchsorted(ordered, self.published.covered)) :]
        if len(new):
            cosines = self._exact(new, freed)
            best = np.argpartition(-cosines, min(passages, len(new)) - 1)[:passages]
            places = np.concatenate([places, new[best]])
        return np.unique(np.searchsorted(self._starts, places, side="right") - 1)

    @cached_property
    def _by_row(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The places of passages ordered by row, and the rows in that order: passages of one text share a row."""
        order = np.argsort(self._row, kind="stable")
        return order, self._row[order]

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


class DenseScores:
    """Scores of entries for one query: D = Σ weight × best cosine, over entries that every set has."""

    def __init__(
        self, sets: Mapping[str, OpenSet], weights: Mapping[str, float], queries: Mapping[str, Vectors]
    ) -> None:
        self._sets = [(sets[name], weight, sets[name].freed(queries[name])) for name, weight in weights.items()]
        self.keys = self._sets[0][0].keys
        for opened, _, _ in self._sets[1:]:
            if not np.array_equal(self.keys, opened.keys):
                self.keys = np.intersect1d(self.keys, opened.keys, assume_unique=True)
        self._places = [
            None if len(opened.keys) == len(self.keys) else np.searchsorted(opened.keys, self.keys)
            for opened, _, _ in self._sets
        ]
        self._known: dict[int, float] = {}

    @property
    def entries(self) -> int:
        return len(self.keys)

    @cached_property
    def best(self) -> float:
        """The best score; 0 without entries."""
        return self.top(1)[0][1] if len(self.keys) else 0.0

    @property
    def notes(self) -> list[str]:
        """Why less was done than the sets promise."""
        return [note for opened, _, _ in self._sets for note in opened.notes]

    def top(self, limit: int) -> list[tuple[int, float]]:
        """(key, score) of the best entries, best first, ties by key."""
        limit = min(limit, len(self.keys))
        if limit == 0:
            return []
        chosen = self._candidates(limit)
        scores = self._exact(chosen)
        best = np.lexsort((self.keys[chosen], -scores))[:limit]
        return [(int(self.keys[chosen[i]]), float(scores[i])) for i in best]

    def of(self, keys: Sequence[int]) -> dict[int, float]:
        """Scores of some entries; those without a vector are missing."""
        if not len(self.keys):
            return {}
        wanted = np.asarray(keys, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        there = self.keys[at] == wanted
        scores = self._exact(at[there])
        return dict(zip(map(int, wanted[there]), map(float, scores), strict=True))

    def passages(self, keys: Sequence[int]) -> dict[int, int]:
        """The numbers of some entries' best passages in the set that weighs most; those without a vector are missing."""
        opened, _, freed = self._sets[0]
        at = np.searchsorted(opened.keys, np.asarray(keys, dtype=np.int64)).tolist()
        there = {key: i for key, i in zip(keys, at, strict=True) if i < len(opened.keys) and opened.keys[i] == key}
        return dict(zip(there, opened.best_ordinals(list(there.values()), freed), strict=True)) if there else {}

    def _candidates(self, limit: int) -> NDArray[np.int64]:
        """Positions in `keys` of entries that the best are among."""
        if limit <= _MOST_PROPOSED and all(opened.approximate for opened, _, _ in self._sets):
            found = [opened.keys[opened.proposed(freed, _OVERSAMPLED * limit)] for opened, _, freed in self._sets]
            keys = np.unique(np.concatenate(found))
            at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            chosen: NDArray[np.int64] = at[self.keys[at] == keys]
            if len(chosen) >= limit:
                return chosen
        scores, off = self._scanned
        floor = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        near: NDArray[np.int64] = np.flatnonzero(scores >= floor - 2 * off)
        return near

    @cached_property
    def _scanned(self) -> tuple[Vectors, float]:
        total, off = np.zeros(len(self.keys), dtype=np.float32), 0.0
        for (opened, weight, freed), places in zip(self._sets, self._places, strict=True):
            scores, own = opened.scan(freed)
            total += np.float32(weight) * (scores if places is None else scores[places])
            off += weight * own
        return total, off

    def _exact(self, positions: NDArray[np.int64]) -> Vectors:
        unknown = np.array([p for p in positions.tolist() if p not in self._known], dtype=np.int64)
        if len(unknown):
            total = np.zeros(len(unknown), dtype=np.float32)
            for (opened, weight, freed), places in zip(self._sets, self._places, strict=True):
                total += np.float32(weight) * opened.exact(unknown if places is None else places[unknown], freed)
            self._known.update(zip(unknown.tolist(), total.tolist(), strict=True))
        return np.array([self._known[p] for p in positions.tolist()], dtype=np.float32)


def _within(ordered: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions in ascending numbers of all that equal one of some rows."""
    begins, ends = np.searchsorted(ordered, rows), np.searchsorted(ordered, rows, side="right")
    places: NDArray[np.int64] = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, begins, ends)])
    return places


def _products(parts: Sequence[Vectors], vectors: Vectors) -> list[Vectors]:
    return _mapped(lambda piece: piece @ vectors, parts)


def _mapped(multiply: Callable[[Any], Any], parts: Sequence[Any], worth: int = 0) -> list[Any]:
    """Matrix products, large matrices in slices on all cores: they wait for memory, not for arithmetic. Another thread
    is worth its start for `worth` rows."""
    worth = worth or _WORTH_SLICING
    if sum(map(len, parts)) < 2 * worth:
        return [multiply(part) for part in parts]
    size = max(worth, -(-max(map(len, parts)) // _CORES))
    slices = [part[i : i + size] for part in parts for i in range(0, len(part), size)]
    large = {n: _pool(os.getpid()).submit(multiply, piece) for n, piece in enumerate(slices) if len(piece) >= worth}
    small = {n: multiply(piece) for n, piece in enumerate(slices) if n not in large}
    return [large[n].result() if n in large else small[n] for n in range(len(slices))]


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """One pool per process: a fork copies the object, not its threads."""
    return ThreadPoolExecutor(_CORES, thread_name_prefix="brain-dense")


def score(sets: Mapping[str, OpenSet], weights: Mapping[str, float], queries: Mapping[str, Vectors]) -> DenseScores:
    """Scores of one query; the heaviest set first in `weights`. Raises IndexUnavailableError."""
    return DenseScores(sets, weights, queries)
