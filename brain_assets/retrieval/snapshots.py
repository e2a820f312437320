"""Vector snapshots: the matrix files that dense search reads, and how a published set is cut and extended.

A set's vectors lie in immutable segments (`SET-NNNNNN.f32`, rows of float32, and `SET-NNNNNN.digests`, 32 bytes a row).
A rows file, new with each generation, says which rows are live: for each passage its entry's key, its number in the
entry, its row over all segments, and 1 / √(1 − (x·d)²), which turns a product with a query freed of the language
direction d into the cosine of both freed of it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from brain_assets.retrieval import quantised
from brain_assets.retrieval.documents import key_of
from brain_assets.retrieval.pointer import Segment, VectorSet
from brain_assets.retrieval.vector_files import DIGEST_BYTES, digest_name, quantised_name
from brain_assets.settings import Settings
from brain_assets.store.files import write_atomic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Rows = NDArray[Any]

ROW = np.dtype([("key", "<i8"), ("ordinal", "<i4"), ("row", "<i4"), ("scale", "<f4")])
_BLOCK = 20_000
_MOST_SEGMENTS = 8
_TAIL = 4
"""Segments at the end are merged while the one before is not this many times as large: a row is copied seldom."""
MOST_CHANGED = 1_000
"""So many changed entries are remembered; with more of them the whole set is compared."""


def rows_of(settings: Settings, published: VectorSet) -> Rows:
    """The live rows of a set, ordered by key and ordinal."""
    rows: Rows = np.load(settings.vectors_dir / published.rows, allow_pickle=False)
    return rows


def digests_of(settings: Settings, published: VectorSet) -> list[bytes]:
    """The passage digest of each row over all segments. Raises OSError or ValueError if a file is gone or short."""
    out: list[bytes] = []
    for segment in published.segments:
        data = _digest_file(settings, segment).read_bytes()
        if len(data) != segment.rows * DIGEST_BYTES:
            raise ValueError(f"{segment.file} has not the digests of {segment.rows} rows")
        if (settings.vectors_dir / segment.file).stat().st_size != segment.rows * published.dimension * 4:
            raise ValueError(f"{segment.file} has not {segment.rows} rows of {published.dimension} numbers")
        out.extend(data[i : i + DIGEST_BYTES] for i in range(0, len(data), DIGEST_BYTES))
    return out


def matrix(settings: Settings, segment: Segment, dimension: int) -> Vectors:
    """A segment's rows, mapped into memory."""
    mapped: Vectors = np.memmap(
        settings.vectors_dir / segment.file, dtype="<f4", mode="r", shape=(segment.rows, dimension)
    )
    return mapped


def append_segment(settings: Settings, set_id: str, digests: Sequence[bytes], blocks: Iterable[Vectors]) -> Segment:
    """Write a new segment; `blocks` give the rows in order and are not held in memory together."""
    name = f"{set_id}-{next_number(settings):06d}.f32"
    unfinished = settings.vectors_dir / f".{name}.tmp"
    small = quantised.Writer(settings.vectors_dir / quantised_name(name))
    with unfinished.open("wb") as file:
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype="<f4").data)
            small.add(block)
        file.flush()
        os.fsync(file.fileno())
    small.close()
    unfinished.replace(settings.vectors_dir / name)
    segment = Segment(name, len(digests))
    write_atomic(_digest_file(settings, segment), b"".join(digests))
    return segment


def write_rows(settings: Settings, set_id: str, rows: Rows) -> str:
    """Write a rows file and return its name."""
    name = f"{set_id}-{next_number(settings):06d}.rows.npy"
    content = io.BytesIO()
    np.save(content, rows[np.lexsort((rows["ordinal"], rows["key"]))], allow_pickle=False)
    write_atomic(settings.vectors_dir / name, content.getvalue())
    return name


def write_direction(settings: Settings, set_id: str, direction: Vectors) -> str:
    """Write a language direction and return its file's name."""
    name = f"{set_id}-{next_number(settings):06d}.direction.npy"
    content = io.BytesIO()
    np.save(content, direction.astype("<f4"), allow_pickle=False)
    write_atomic(settings.vectors_dir / name, content.getvalue())
    return name


def direction_of(settings: Settings, published: VectorSet) -> Vectors | None:
    if published.direction is None:
        return None
    direction: Vectors = np.load(settings.vectors_dir / published.direction, allow_pickle=False)
    return direction


def scales(vectors: Vectors, direction: Vectors | None) -> Vectors:
    """1 / √(1 − (x·d)²) of each row; 1 without a direction."""
    if direction is None:
        return np.ones(len(vectors), dtype=np.float32)
    along = vectors @ direction
    out: Vectors = (1.0 / np.sqrt(np.maximum(1.0 - along * along, 1e-6))).astype(np.float32)
    return out


def freed(vector: Vectors, direction: Vectors | None) -> Vectors:
    """A query vector without its part along the language direction, of unit length."""
    if direction is None:
        return vector
    rest = vector - (vector @ direction) * direction
    out: Vectors = (rest / max(float(np.linalg.norm(rest)), 1e-6)).astype(np.float32)
    return out


def without(settings: Settings, sets: Sequence[VectorSet], entry_ids: Sequence[str]) -> tuple[VectorSet, ...]:
    """The sets with the rows of some entries taken out: what stays true when those entries change.

    What they were is noted in the sets. A set whose files are gone is left out; the next embedding run writes it again.
    """
    if not entry_ids:
        return tuple(sets)
    keys = np.array(sorted(map(key_of, entry_ids)), dtype="<i8")
    out = []
    for published in sets:
        try:
            rows = rows_of(settings, published)
        except (OSError, ValueError):
            continue
        gone = np.isin(rows["key"], keys)
        noted = _noted(published, entry_ids, rows["row"][gone])
        if not gone.any():
            out.append(noted)
            continue
        kept = rows[~gone]
        name = write_rows(settings, published.id, kept)
        out.append(replace(noted, rows=name, passages=len(kept), missing=published.missing + len(rows) - len(kept)))
    return tuple(out)


def _noted(published: VectorSet, entry_ids: Sequence[str], dropped: NDArray[np.int32]) -> VectorSet:
    """The set with the note of what changed, which is given up when it gets long."""
    if published.changed is None:
        return published
    changed = {*published.changed, *entry_ids}
    if len(changed) > MOST_CHANGED:
        return replace(published, changed=None, dropped=())
    return replace(
        published, changed=tuple(sorted(changed)), dropped=tuple(sorted({*published.dropped, *map(int, dropped)}))
    )


def worth_compacting(published: VectorSet | None, live: int) -> bool:
    """Whether a set has so many dead rows that one new segment is better."""
    if published is None:
        return True
    held = sum(segment.rows for segment in published.segments)
    return held > 1.25 * live + 1000


def merged(settings: Settings, published: VectorSet, added: Segment) -> tuple[Segment, ...]:
    """The set's segments and an added one, the small ones at the end merged when there are too many.

    Neighbours are merged, so every row keeps its number.
    """
    segments = [*published.segments, added]
    if len(segments) < _MOST_SEGMENTS:
        return tuple(segments)
    start, rows = len(segments) - 1, added.rows
    while start > 0 and (segments[start - 1].rows < _TAIL * rows or start >= _MOST_SEGMENTS - 1):
        start -= 1
        rows += segments[start].rows
    tail = segments[start:]
    digests = b"".join(_digest_file(settings, each).read_bytes() for each in tail)
    blocks = (block for each in tail for block in _in_blocks(settings, each, published.dimension))
    names = [digests[i : i + DIGEST_BYTES] for i in range(0, len(digests), DIGEST_BYTES)]
    return (*segments[:start], append_segment(settings, published.id, names, blocks))


def find(settings: Settings, published: VectorSet, digests: Sequence[bytes]) -> dict[bytes, int]:
    """The rows that segments hold of some digests."""
    out: dict[bytes, int] = {}
    begins = np.array([int.from_bytes(digest[:8], "little") for digest in digests], dtype="<u8")
    first = 0
    for segment in published.segments:
        data = _digest_file(settings, segment).read_bytes()
        held = np.frombuffer(data, dtype="<u8").reshape(-1, DIGEST_BYTES // 8)[:, 0]
        for row in np.flatnonzero(np.isin(held, begins)):
            out.setdefault(data[row * DIGEST_BYTES : (row + 1) * DIGEST_BYTES], first + int(row))
        first += segment.rows
    return {digest: out[digest] for digest in digests if digest in out}


def digests_at(settings: Settings, published: VectorSet, rows: Sequence[int]) -> list[bytes]:
    """The digests of some rows, given in ascending order."""
    out: list[bytes] = []
    first = 0
    for segment in published.segments:
        mine = [row - first for row in rows if first <= row < first + segment.rows]
        if mine:
            data = _digest_file(settings, segment).read_bytes()
            out += [data[row * DIGEST_BYTES : (row + 1) * DIGEST_BYTES] for row in mine]
        first += segment.rows
    return out


def sweep(settings: Settings, sets: Sequence[VectorSet]) -> None:
    """Delete vector files that no published set names. Readers that have one open keep what they have."""
    kept: set[str] = set()
    for published in sets:
        kept.add(published.rows)
        kept.update(segment.file for segment in published.segments)
        kept.update(_digest_file(settings, segment).name for segment in published.segments)
        if published.direction:
            kept.add(published.direction)
        kept.update(quantised_name(segment.file) for segment in published.segments)
        if published.approximate:
            kept.add(published.approximate)
    if settings.vectors_dir.is_dir():
        for path in settings.vectors_dir.iterdir():
            if path.name not in kept:
                path.unlink(missing_ok=True)


def quantise(settings: Settings, published: VectorSet) -> None:
    """Write the quantised rows that segments lack: those of an older version, or lost ones."""
    for segment in published.segments:
        path = settings.vectors_dir / quantised_name(segment.file)
        if path.exists() and path.stat().st_size == quantised.size(segment.rows, published.dimension):
            continue
        writer = quantised.Writer(path)
        for block in _in_blocks(settings, segment, published.dimension):
            writer.add(block)
        writer.close()


def _in_blocks(settings: Settings, segment: Segment, dimension: int) -> Iterator[Vectors]:
    rows = matrix(settings, segment, dimension)
    return (rows[start : start + _BLOCK] for start in range(0, segment.rows, _BLOCK))


def _digest_file(settings: Settings, segment: Segment) -> Path:
    return settings.vectors_dir / digest_name(segment.file)


def next_number(settings: Settings) -> int:
    settings.vectors_dir.mkdir(parents=True, exist_ok=True)
    numbers = [int(part) for p in settings.vectors_dir.iterdir() for part in p.name.split(".")[0].split("-")[-1:]
               if part.isdigit()]  # fmt: skip
    return max(numbers, default=0) + 1
