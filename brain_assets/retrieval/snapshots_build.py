"""Building the snapshot of a vector set from the catalogue: new rows as a new segment, or all of them as one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from brain_assets.retrieval import directions, snapshots
from brain_assets.retrieval.documents import key_of
from brain_assets.retrieval.pointer import Segment, VectorSet
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.entries import chunks

if TYPE_CHECKING:
    from brain_assets.retrieval.embedders import Embedder
    from brain_assets.retrieval.snapshots import Rows, Vectors
    from brain_assets.retrieval.vectors import Live

    Blocks = Iterator[Vectors]

log = logging.getLogger(__name__)

DRIFT = 0.1
"""A direction is measured again when the set has grown or shrunk by more than this share."""
BLOCK = 2_000


@dataclass
class _Held:
    segments: tuple[Segment, ...]
    row_of: dict[bytes, int]


def build(
    catalogue: Catalogue,
    settings: Settings,
    embedder: Embedder,
    live: Sequence[Live],
    was: VectorSet | None,
    missing: int,
) -> tuple[VectorSet, bytes | None]:
    """Write what the published set lacks and return the new set, with its direction as float32 bytes."""
    keyed = sorted((key_of(each.entry_id), each.ordinal, each) for each in live)
    have = _stored(catalogue, embedder.id)
    wanted = [(key, ordinal, each, bytes.fromhex(each.digest)) for key, ordinal, each in keyed if each.digest in have]
    held = _held(settings, was, len(wanted))
    goes_on = was if held.segments else None
    new = list(dict.fromkeys(d for *_, d in wanted if d not in held.row_of))
    if new:
        found = blocks(catalogue, embedder.id, new)
        segment = snapshots.append_segment(settings, embedder.id, new, found)
        first = sum(part.rows for part in held.segments)
        held.row_of |= {digest: first + i for i, digest in enumerate(new)}
        held.segments = snapshots.merged(settings, was, segment) if was and held.segments else (segment,)
    rows = np.zeros(len(wanted), dtype=snapshots.ROW)
    rows["key"] = [key for key, *_ in wanted]
    rows["ordinal"] = [ordinal for _, ordinal, *_ in wanted]
    rows["row"] = [held.row_of[digest] for *_, digest in wanted]
    german = np.array([each.language == "de" for *_, each, _ in wanted], dtype=bool)
    waiting = sorted({each.entry_id for _, _, each in keyed if each.digest not in have})
    kept: dict[str, Any] = {
        "missing": missing,
        "changed": tuple(waiting) if len(waiting) <= snapshots.MOST_CHANGED else None,
        "dropped": (),
        "languages": (int(german.sum()), int((~german).sum())),
    }
    if goes_on is not None:  # the rows keep their numbers, and with them the index for approximate search is good
        names = ("approximate", "approximate_bytes", "covered")
        kept |= {name: getattr(goes_on, name) for name in names}
    direction, origin, name = _direction(settings, embedder, was, held.segments, rows, german)
    rows["scale"] = _scales(settings, embedder.dimension, held.segments, rows, direction)
    if was is not None and not new and was.direction == name and was.segments == held.segments:
        old = snapshots.rows_of(settings, was)
        if np.array_equal(old, rows):
            # Rows of entries that are gone count as missing until somebody has looked.
            return replace(was, missing=missing), direction.tobytes() if direction is not None else None
    published = VectorSet(
        id=embedder.id,
        model=embedder.model,
        dimension=embedder.dimension,
        recipe="ollama" if embedder.id.startswith("ollama-") else embedder.id,
        segments=held.segments,
        rows=snapshots.write_rows(settings, embedder.id, rows),
        passages=len(rows),
        direction=name,
        direction_origin=origin,
        measured=was.measured or was.passages if was is not None and was.direction == name else len(rows),
        **kept,
    )
    return published, direction.tobytes() if direction is not None else None


def _stored(catalogue: Catalogue, set_id: str) -> set[str]:
    with catalogue.read() as connection:
        return set(connection.execute(select(s.vectors.c.digest).where(s.vectors.c.set_id == set_id)).scalars())


def _held(settings: Settings, was: VectorSet | None, live: int) -> _Held:
    """The rows that published segments hold; nothing if they are better written anew or cannot be read."""
    if was is None or snapshots.worth_compacting(was, live):
        return _Held((), {})
    try:
        digests = snapshots.digests_of(settings, was)
    except (OSError, ValueError):
        return _Held((), {})
    return _Held(was.segments, {digest: row for row, digest in enumerate(digests)})


def blocks(catalogue: Catalogue, set_id: str, digests: Sequence[bytes]) -> Blocks:
    """Stored vectors in the order of their digests, 2,000 at a time."""
    for part in chunks(digests, BLOCK):
        found: dict[str, bytes] = {}
        with catalogue.read() as connection:
            for names in chunks([d.hex() for d in part]):
                query = select(s.vectors.c.digest, s.vectors.c.vector).where(
                    s.vectors.c.set_id == set_id, s.vectors.c.digest.in_(names)
                )
                found |= {row[0]: row[1] for row in connection.execute(query)}
        yield np.stack([np.frombuffer(found[d.hex()], dtype="<f4") for d in part])


def _direction(
    settings: Settings,
    embedder: Embedder,
    was: VectorSet | None,
    segments: tuple[Segment, ...],
    rows: Rows,
    german: np.ndarray,
) -> tuple[Vectors | None, str | None, str | None]:
    """The language direction, where it is from, and its file: the old one while the set is about what it was."""
    from_vault = min(int(german.sum()), int((~german).sum())) > directions.LEAST_PASSAGES
    then = (was.measured or was.passages) if was is not None else 0
    near = abs(len(rows) - then) <= DRIFT * then
    if was is not None and near and was.direction and (was.direction_origin == "vault") == from_vault:
        try:
            return snapshots.direction_of(settings, was), was.direction_origin, was.direction
        except (OSError, ValueError) as error:
            log.info("The language direction of %s is measured again (%s).", embedder.id, error)
    direction = None
    if from_vault:
        vectors = gathered(settings, embedder.dimension, segments, rows)
        direction = directions.measure(vectors[german], vectors[~german])
    origin = "vault"
    if direction is None:
        direction, origin = directions.shipped(embedder.id), "shipped"
    if direction is None:
        return None, None, None
    return direction, origin, snapshots.write_direction(settings, embedder.id, direction)


def _scales(
    settings: Settings, dimension: int, segments: tuple[Segment, ...], rows: Rows, direction: Vectors | None
) -> Vectors:
    parts = [snapshots.scales(snapshots.matrix(settings, each, dimension), direction) for each in segments]
    every = np.concatenate(parts) if parts else np.ones(0, dtype=np.float32)
    out: Vectors = every[rows["row"]]
    return out


def gathered(settings: Settings, dimension: int, segments: tuple[Segment, ...], rows: Rows) -> Vectors:
    """The vectors of some rows, in their order."""
    parts = [snapshots.matrix(settings, segment, dimension) for segment in segments]
    every = np.concatenate(parts) if len(parts) > 1 else parts[0]
    out: Vectors = np.asarray(every[rows["row"]])
    return out
