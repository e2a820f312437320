"""How near some entries are to one passage in meaning, from stored vectors only: a few rows, no scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from brain_assets.retrieval.documents import key_of

if TYPE_CHECKING:
    from brain_assets.retrieval.search import Searcher


def to_passage(searcher: Searcher, entry_id: str, ordinal: int, others: Sequence[str]) -> dict[str, float]:
    """id → cosine of its best passage with passage `ordinal` of an entry, in the set and freed as in
    `Searcher.passage_neighbours`. What has no vector is left out; empty without a complete set."""
    name = searcher.neighbour_set
    if name is None or not others:
        return {}
    import numpy as np

    opened = searcher._open_sets()[name]
    if not len(opened.keys):
        return {}
    here = opened.rows[opened.rows["key"] == key_of(entry_id)]
    rows = here["row"][here["ordinal"] == ordinal]
    if not len(rows):
        return {}
    wanted = np.array([key_of(i) for i in others], dtype=opened.keys.dtype)
    places = np.minimum(np.searchsorted(opened.keys, wanted), len(opened.keys) - 1)
    known = opened.keys[places] == wanted
    cosines = opened.exact(places[known], opened.freed(opened._vector(int(rows[0]))))
    ids = [i for i, held in zip(others, known.tolist(), strict=True) if held]
    return dict(zip(ids, map(float, cosines), strict=True))
