"""Which entries share rare words: one array of word hashes per entry, an inverted index built from them in memory.

Words are the concepts of `wording.keys_of`, so that a German and an English text share them. Twenty thousand entries
are read and indexed in about a second, which is why a single edit needs no other index.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select

from brain_assets.graph.wording import LIGHT, keys_of
from brain_assets.model.entry import Entry
from brain_assets.store.entries import chunks
from brain_assets.store.schema import entry_terms
from brain_assets.text.words import STOP

VERSION = "1"
MAX_TERMS = 600
"""Distinct words kept of one entry; more would be a dump, and dumps resemble everything."""
_WORD = re.compile(r"[^\W_]+(?:[-.:/@_&][^\W_]+)*")
_READ_CHARS = 100_000

Hashes = NDArray[np.uint32]


@lru_cache(maxsize=200_000)
def _hashes(word: str) -> tuple[int, ...]:
    low = word.lower()
    if low in STOP or low in LIGHT or len(low) < 2 or low.isdigit():
        return ()
    return tuple(zlib.crc32(key.encode("utf-8", "surrogatepass")) for key in sorted(keys_of(word)))


def of_text(text: str) -> Hashes:
    """Ascending hashes of the meaningful words of a text."""
    found: dict[int, None] = {}
    for word in _WORD.findall(text[:_READ_CHARS]):
        for value in _hashes(word):
            found.setdefault(value)
            if len(found) >= MAX_TERMS:
                return np.sort(np.fromiter(found, np.uint32, len(found)))
    return np.sort(np.fromiter(found, np.uint32, len(found)))


def of_entry(entry: Entry) -> Hashes:
    """Ascending hashes of what an entry is about: title, aliases, tags, keywords and text."""
    extra = entry.record.keywords if entry.record else ()
    return of_text("\n".join((entry.title, *entry.aliases, *entry.tags, *extra, entry.body)))


def stored(connection: Connection) -> dict[str, str]:
    """entry id → digest of the text its terms were read from."""
    rows = connection.execute(select(entry_terms.c.entry_id, entry_terms.c.digest))
    return {row.entry_id: row.digest for row in rows}


def count(connection: Connection) -> int:
    """Entries whose terms are stored."""
    return int(connection.execute(select(func.count()).select_from(entry_terms)).scalar_one())


def put(connection: Connection, rows: Iterable[tuple[str, str, Hashes]]) -> None:
    """Write (entry id, digest, hashes), replacing what was there."""
    new = [{"entry_id": i, "digest": d, "terms": h.astype("<u4").tobytes()} for i, d, h in rows]
    drop(connection, [row["entry_id"] for row in new])  # type: ignore[misc]
    if new:
        connection.execute(insert(entry_terms), new)


def drop(connection: Connection, ids: Sequence[str]) -> None:
    for part in chunks(list(ids)):
        connection.execute(delete(entry_terms).where(entry_terms.c.entry_id.in_(part)))


class Salience:
    """Shared-word similarity of entries: cosine over inverse document frequencies, 0…1."""

    def __init__(self, ids: Sequence[str], hashes: Sequence[Hashes]) -> None:
        self.ids = list(ids)
        self.position = {id: n for n, id in enumerate(self.ids)}
        self._of = list(hashes)
        self._weights: dict[str, float] = {}
        lengths = np.fromiter((len(h) for h in hashes), np.int64, len(self._of))
        terms = np.concatenate(self._of) if self._of else np.empty(0, np.uint32)
        owners = np.repeat(np.arange(len(self._of), dtype=np.int32), lengths)
        order = np.argsort(terms, kind="stable")
        self._terms, self._owners = terms[order], owners[order]
        first = np.ones(len(terms), np.bool_)
        np.not_equal(self._terms[1:], self._terms[:-1], out=first[1:])
        self._starts = np.flatnonzero(first)
        self._keys = self._terms[self._starts]
        self._counts = counts = np.diff(self._starts, append=len(terms))
        self._idf = np.log1p(max(len(self._of), 1) / np.maximum(counts, 1)).astype(np.float32)
        self._idf[counts > 0.3 * max(len(self._of), 20)] = 0.0
        norms = np.sqrt(np.bincount(self._owners, np.repeat(self._idf**2, counts), len(self._of)))
        self._norms = np.maximum(norms, 1e-6).astype(np.float32)

    @classmethod
    def load(cls, connection: Connection) -> Salience:
        """From the stored hashes of every entry, ordered by id."""
        query = select(entry_terms.c.entry_id, entry_terms.c.terms).order_by(entry_terms.c.entry_id)
        rows = connection.execute(query).all()
        return cls([r[0] for r in rows], [np.frombuffer(r[1], "<u4") for r in rows])

    def __len__(self) -> int:
        return len(self.ids)

    def to_all(self, entry_id: str) -> NDArray[np.float32]:
        """Similarity of one entry to every entry, in the order of `ids`."""
        me = self.position[entry_id]
        slots = np.searchsorted(self._keys, self._of[me])
        slots = slots[self._idf[slots] > 0]
        scores: NDArray[Any] = np.zeros(len(self.ids), np.float64)
        if len(slots):
            counts = self._counts[slots]
            starts = np.repeat(self._starts[slots] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
            owners = self._owners[starts + np.arange(counts.sum())]
            scores = np.bincount(owners, np.repeat(self._idf[slots] ** 2, counts), len(self.ids))
        found: NDArray[np.float32] = (scores / (self._norms * self._norms[me])).astype(np.float32)
        return found

    def weight(self, key: str) -> float:
        """Inverse document frequency of one concept or stem; an unknown one counts as seen once."""
        if (known := self._weights.get(key)) is not None:
            return known
        value = zlib.crc32(key.encode("utf-8", "surrogatepass"))
        slot = int(np.searchsorted(self._keys, value))
        known = math.log1p(max(len(self.ids), 1))
        if slot < len(self._keys) and self._keys[slot] == value:
            known = float(self._idf[slot])
        self._weights[key] = known
        return known
