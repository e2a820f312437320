"""Rows of one byte a number beside each segment: scanned in a third of the time, with a bound on the error.

A row x is kept as step × i, i of int8, step = max|x| / 127. What is lost of each row and of the query bounds how far
any product can be off, so the exact best are surely among those that look best within that bound; only these are then
scored from the exact rows. The results are those of an exact scan.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Bytes = NDArray[np.int8]

_LEVELS = 127
_NUMBER = 4


def quantise(vectors: Vectors) -> tuple[Bytes, Vectors, float]:
    """Rows of int8, the step of each, and the greatest length that any row loses."""
    steps = np.maximum(np.abs(vectors).max(axis=1), 1e-12).astype(np.float32) / np.float32(_LEVELS)
    rows = np.rint(vectors / steps[:, None]).astype(np.int8)
    lost = np.linalg.norm(vectors - rows * steps[:, None], axis=1)
    return rows, steps, float(lost.max(initial=0.0))


class Writer:
    """Writes the file of one segment, block by block: the rows, their steps, the greatest loss."""

    def __init__(self, path: Path) -> None:
        self._path, self._unfinished = path, path.with_name(f".{path.name}.tmp")
        self._file = self._unfinished.open("wb")
        self._steps: list[Vectors] = []
        self._lost = 0.0

    def add(self, vectors: Vectors) -> None:
        rows, steps, lost = quantise(np.asarray(vectors, dtype=np.float32))
        self._file.write(rows.data)
        self._steps.append(steps)
        self._lost = max(self._lost, lost)

    def close(self) -> None:
        for numbers in (*self._steps, np.array([self._lost], dtype=np.float32)):
            self._file.write(numbers.astype("<f4").data)
        self._file.close()
        self._unfinished.replace(self._path)


def size(rows: int, dimension: int) -> int:
    """Bytes of the file of a segment."""
    return rows * dimension + (rows + 1) * _NUMBER


class Quantised:
    """The quantised rows of one segment, mapped into memory. Raises ValueError if the file is not of that size."""

    def __init__(self, file: BinaryIO, rows: int, dimension: int) -> None:
        held, expected = file.seek(0, 2), size(rows, dimension)
        if held != expected:
            raise ValueError(f"{held} bytes instead of {expected}")
        self.rows: Bytes = np.memmap(file, dtype=np.int8, mode="r", shape=(rows, dimension))
        file.seek(rows * dimension)
        numbers = np.frombuffer(file.read((rows + 1) * _NUMBER), dtype="<f4")
        self.steps: Vectors = numbers[:-1]
        self.lost = float(numbers[-1])


def bound(lost: float, query_lost: float) -> float:
    """The most that the product of a unit row and a unit query can be off."""
    return lost + (1.0 + lost) * query_lost + 1e-5


@cache
def kernel() -> Callable[[Bytes, Bytes], Any] | None:
    """Products of one row of int8 with many, or None on a machine without the library for it."""
    try:
        import numkong
    except ImportError:
        return None
    return lambda query, rows: np.asarray(numkong.cdist(query[None, :], rows, "dot"))[0]
