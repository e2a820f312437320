"""Approximate search for large sets: a graph of the quantised rows (HNSW, Malkov & Yashunin 2016), opened by memory map.

It only proposes passages; what it proposes is scored from the exact rows. Its keys are row numbers, which stay what
they are until a set is compacted. It is published with its set and never changed: rows added since (at most a
twentieth) are scanned beside it, rows taken out are passed over. With more of them a new file is made from the old
one, by adding and removing. A set smaller than BRAIN_APPROXIMATE_FROM has none, and is scanned exactly.
"""

from __future__ import annotations

import logging
import mmap
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from brain_assets.retrieval import quantised, snapshots
from brain_assets.retrieval.pointer import VectorSet
from brain_assets.retrieval.vector_files import approximate_is_there, quantised_name
from brain_assets.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from brain_assets.retrieval.quantised import Bytes

log = logging.getLogger(__name__)

SUFFIX = ".usearch"
_CONNECTIVITY, _EXPANSION_ADD, _EXPANSION_SEARCH = 16, 128, 512
_TAIL_SHARE = 0.05
_BLOCK = 20_000


def updated(settings: Settings, published: VectorSet) -> VectorSet:
    """The set with an index for approximate search that is up to date, or without one if it is too small for it."""
    if published.passages < settings.approximate_from or not published.segments:
        return replace(published, approximate=None, approximate_bytes=0, covered=0)
    total = sum(segment.rows for segment in published.segments)
    old = _opened(settings, published) if approximate_is_there(settings, published) else None
    if old is not None and total - published.covered <= _TAIL_SHARE * total:
        return published
    live = np.unique(snapshots.rows_of(settings, published)["row"])
    if old is None:
        log.info("An index for approximate search is made of %d vectors of %s.", len(live), published.id)
        index, new = _empty(published.dimension), live
    else:
        index, held = old, np.asarray(old.keys)
        gone = held[~np.isin(held, live)]
        if len(gone):
            index.remove(gone.astype(np.uint64), threads=1)
        new = live[live >= published.covered]
    _add(settings, published, index, new)
    name = f"{published.id}-{snapshots.next_number(settings):06d}{SUFFIX}"
    unfinished = settings.vectors_dir / f".{name}.tmp"
    index.save(str(unfinished))
    unfinished.replace(settings.vectors_dir / name)
    size = (settings.vectors_dir / name).stat().st_size
    return replace(published, approximate=name, approximate_bytes=size, covered=total)


def _empty(dimension: int) -> Any:
    from usearch.index import Index

    return Index(
        ndim=dimension, metric="cos", dtype="i8", connectivity=_CONNECTIVITY, expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )  # fmt: skip


def _opened(settings: Settings, published: VectorSet) -> Any | None:
    from usearch.index import Index

    try:
        return Index.restore(str(settings.vectors_dir / str(published.approximate)), view=False)
    except (RuntimeError, ValueError, OSError) as error:
        log.warning("The index for approximate search of %s is made anew (%s).", published.id, error)
        return None


def _add(settings: Settings, published: VectorSet, index: Any, rows: NDArray[np.int32]) -> None:
    """Add some rows. One thread, in order: the same rows give the same graph."""
    first = 0
    for segment in published.segments:
        mine = rows[(rows >= first) & (rows < first + segment.rows)]
        with (settings.vectors_dir / quantised_name(segment.file)).open("rb") as file:
            held = quantised.Quantised(file, segment.rows, published.dimension)
            for start in range(0, len(mine), _BLOCK):
                part = mine[start : start + _BLOCK]
                index.add(part.astype(np.uint64), np.ascontiguousarray(held.rows[part - first]), threads=1)
        first += segment.rows


class Approximate:
    """An index opened for reading. Raises ValueError if it is not what the set says."""

    def __init__(self, file: BinaryIO, published: VectorSet) -> None:
        from usearch.index import Index

        held = file.seek(0, 2)
        if held != published.approximate_bytes:
            raise ValueError(f"{held} bytes instead of {published.approximate_bytes}")
        self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            index = Index.restore(memoryview(self._map), view=True, expansion_search=_EXPANSION_SEARCH)
        except (RuntimeError, TypeError) as error:
            raise ValueError(str(error)) from error
        if index is None or index.ndim != published.dimension:
            raise ValueError("no index of these vectors")
        self._index = index

    def near(self, query: Bytes, count: int) -> NDArray[np.int64]:
        """Numbers of about the `count` rows nearest to a quantised query."""
        rows: NDArray[np.int64] = np.asarray(self._index.search(query, count, threads=1).keys).astype(np.int64)
        return rows
