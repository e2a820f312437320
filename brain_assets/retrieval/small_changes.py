"""Small changes: a published vector set is brought up to date from the entries that changed, not by comparing all.

What changed is noted in the pointer while the index takes the rows of changed entries out of the sets. The set is then
extended by the rows of these entries; vectors that are new become one more segment. Whatever makes the set another one
(its language direction is due, too many rows are dead, the change is not known) is left to the full comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, delete

from brain_assets.retrieval import directions, snapshots, snapshots_build
from brain_assets.retrieval.documents import key_of
from brain_assets.retrieval.pointer import VectorSet
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.entries import chunks

if TYPE_CHECKING:
    from brain_assets.retrieval.vectors import Live

LEAST_PASSAGES = 2_000
"""A smaller set is compared as a whole: that costs little, and its language direction is looked at each time."""
MOST_ENTRIES = snapshots.MOST_CHANGED


def entries(published: Sequence[VectorSet]) -> list[str] | None:
    """The entries that changed since the sets were written, or None where all have to be compared."""
    if not published or any(each.changed is None or each.passages < LEAST_PASSAGES for each in published):
        return None
    changed = sorted({entry_id for each in published for entry_id in each.changed or ()})
    return changed if len(changed) <= MOST_ENTRIES else None


def extended(
    catalogue: Catalogue, settings: Settings, was: VectorSet, live: Sequence[Live], missing: Collection[str]
) -> VectorSet | None:
    """The set with the rows of the changed entries' passages, or None if it has to be made anew.

    `live` are the live passages of the entries that changed, `missing` the digests of those without a vector.
    Raises OSError or ValueError if the set's files cannot be read.
    """
    wanted = [each for each in live if each.digest not in missing]
    rows = snapshots.rows_of(settings, was)
    changed = np.array(sorted(map(key_of, was.changed or ())), dtype="<i8")
    stale = np.isin(rows["key"], changed)
    dropped = {*was.dropped, *map(int, rows["row"][stale])}
    rows = rows[~stale]
    german = sum(each.language == "de" for each in wanted)
    languages = (was.languages[0] + german, was.languages[1] + len(wanted) - german)
    if _another(was, len(rows) + len(wanted), languages):
        return None
    digests = list(dict.fromkeys(bytes.fromhex(each.digest) for each in wanted))
    row_of = snapshots.find(settings, was, digests)
    segments = was.segments
    if new := [digest for digest in digests if digest not in row_of]:
        first = sum(part.rows for part in segments)
        row_of |= {digest: first + i for i, digest in enumerate(new)}
        blocks = snapshots_build.blocks(catalogue, was.id, new)
        segments = snapshots.merged(settings, was, snapshots.append_segment(settings, was.id, new, blocks))
    added = np.zeros(len(wanted), dtype=snapshots.ROW)
    added["key"] = [key_of(each.entry_id) for each in wanted]
    added["ordinal"] = [each.ordinal for each in wanted]
    added["row"] = [row_of[bytes.fromhex(each.digest)] for each in wanted]
    direction = snapshots.direction_of(settings, was)
    for start, block in zip(
        range(0, len(wanted), snapshots_build.BLOCK), _vectors(catalogue, was, wanted), strict=True
    ):
        added["scale"][start : start + len(block)] = snapshots.scales(block, direction)
    rows = np.concatenate([rows, added])
    _forget(catalogue, settings, was, sorted(dropped - set(map(int, rows["row"][np.isin(rows["row"], list(dropped))]))))
    return replace(
        was,
        segments=segments,
        rows=snapshots.write_rows(settings, was.id, rows),
        passages=len(rows),
        missing=len(live) - len(wanted),
        changed=tuple(sorted({each.entry_id for each in live if each.digest in missing})),
        dropped=(),
        languages=languages,
    )


def _vectors(catalogue: Catalogue, was: VectorSet, wanted: Sequence[Live]) -> snapshots_build.Blocks:
    return snapshots_build.blocks(catalogue, was.id, [bytes.fromhex(each.digest) for each in wanted])


def _another(was: VectorSet, passages: int, languages: tuple[int, int]) -> bool:
    """Whether the set has changed so much that it has to be looked at as a whole."""
    if snapshots.worth_compacting(was, passages) or abs(passages - was.measured) > snapshots_build.DRIFT * was.measured:
        return True
    return was.direction_origin != "vault" and min(languages) > directions.LEAST_PASSAGES


def _forget(catalogue: Catalogue, settings: Settings, was: VectorSet, rows: Sequence[int]) -> None:
    """Drop the vectors of passages that no entry has any more."""
    digests = [digest.hex() for digest in snapshots.digests_at(settings, was, rows)]
    if digests:
        with catalogue.begin() as connection:
            forget_vectors(connection, was.id, digests)


def forget_vectors(connection: Connection, set_id: str, digests: Sequence[str]) -> None:
    """Drop vectors of a set, and what the ledger says of them."""
    for part in chunks(digests):
        connection.execute(delete(s.vectors).where(s.vectors.c.set_id == set_id, s.vectors.c.digest.in_(part)))
        ours = (s.ledger.c.stage == f"embeddings:{set_id}", s.ledger.c.item_id.in_(part))
        connection.execute(delete(s.ledger).where(*ours))
