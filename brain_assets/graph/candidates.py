"""Which pairs of entries are worth judging: links, near passages, shared rare words, one name. Never all pairs.

An entry takes its best BUDGET neighbours to the judge and looks for contradictions with SCAN of them. Both numbers
are fixed, so the number of judged pairs grows with the number of entries, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brain_assets.graph.neighbours import Neighbours
from brain_assets.graph.salience import Salience

BUDGET = 8
SCAN = 12
HUB = 200
"""An entry that more than this many others link to is a signpost: a link to it says nothing of the pair."""
_DENSE, _SHARED, _LINK = 0.9, 20.0, 1.7
_DENSE_ONLY_SHARED = 26.0
_CLOSER = 4
"""How many times as many are compared truly as are taken, where the nearness of all is an estimate."""
BASE = -2.5
FLOOR = -1.5
"""Log odds below which a pair is not even looked at."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another entry, how surely the two are related (log odds) and by what: `dense` is None without vectors."""

    id: str
    score: float
    dense: float | None
    shared: float
    linked: bool
    judge: bool


class Finder:
    """Finds candidates among the live entries."""

    def __init__(
        self, salience: Salience, neighbours: Neighbours | None, linked: Mapping[str, set[str]],
        same_name: Mapping[str, set[str]],
    ) -> None:  # fmt: skip
        self.salience, self.neighbours = salience, neighbours
        self._linked, self._same_name = linked, same_name
        self._incoming: dict[str, int] = {}
        for targets in linked.values():
            for target in targets:
                self._incoming[target] = self._incoming.get(target, 0) + 1
        self._dense_index = None
        if neighbours is not None:
            self._dense_index = np.array([neighbours.position.get(i, -1) for i in salience.ids], np.int64)

    def is_linked(self, a: str, b: str) -> bool:
        """Whether one links to the other and the link says something of the pair."""
        return any(y in self._linked.get(x, ()) and self._incoming.get(y, 0) <= HUB for x, y in ((a, b), (b, a)))

    def find(self, entry_ids: Sequence[str], partners: Mapping[str, Iterable[str]]) -> dict[str, list[Candidate]]:
        """Candidates of each entry, best first. `partners` were judged with it before and are looked at again."""
        dense = self.neighbours.to_all(entry_ids) if self.neighbours is not None else {}
        return {i: self._of(i, dense.get(i), set(partners.get(i, ()))) for i in entry_ids}

    def _of(self, entry_id: str, dense: NDArray[np.float32] | None, partners: set[str]) -> list[Candidate]:
        ids, position = self.salience.ids, self.salience.position
        shared = self.salience.to_all(entry_id)
        scores, near = self._scores(entry_id, shared, dense)
        me = position[entry_id]
        always = {i for i in self._linked.get(entry_id, ()) if self._incoming.get(i, 0) <= HUB} | self._same_name.get(
            entry_id, set()
        )
        always = {i for i in always | partners if i in position and i != entry_id}
        required = sorted(position[i] for i in always)
        if near is not None and self.neighbours is not None and not self.neighbours.exact:
            self._look_closer(entry_id, scores, near, [*_best(scores, _CLOSER * SCAN), *required])
        picked = [n for n in _best(scores, SCAN) if scores[n] >= FLOOR and n != me]
        picked.sort(key=lambda n: (-scores[n], ids[n]))
        picked = picked[:SCAN]
        best = set(picked[:BUDGET])
        out = []
        for n in dict.fromkeys((*picked, *required)):
            linked = self.is_linked(entry_id, ids[n])
            score = float(scores[n]) + (_LINK if linked else 0.0)
            judge = n in best or linked or ids[n] in always
            out.append(
                Candidate(ids[n], score, None if near is None else float(near[n]), float(shared[n]), linked, judge)
            )
        return sorted(out, key=lambda c: (-c.score, c.id))

    def related(self, entry_id: str, at_least: float) -> list[str]:
        """Every entry whose nearness alone makes it that sure (log odds): the brute force the budget is held against."""
        dense = self.neighbours.to_all([entry_id]).get(entry_id) if self.neighbours is not None else None
        scores, _ = self._scores(entry_id, self.salience.to_all(entry_id), dense)
        return [self.salience.ids[n] for n in np.flatnonzero(scores >= at_least)]

    def _scores(
        self, entry_id: str, shared: NDArray[np.float32], dense: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Log odds of being related to every entry, itself left out, and the nearness in meaning among them."""
        scores = BASE + (_SHARED if dense is not None else _DENSE_ONLY_SHARED) * shared
        near = None
        if dense is not None and self._dense_index is not None:
            near = np.where(self._dense_index >= 0, self._standard(dense)[self._dense_index], 0.0)
            scores = scores + _DENSE * near
        scores[self.salience.position[entry_id]] = -np.inf
        return scores, near

    def _standard(self, dense: NDArray[np.float32]) -> NDArray[np.float32]:
        assert self.neighbours is not None
        return np.asarray(self.neighbours.standard(dense))

    def _look_closer(
        self, entry_id: str, scores: NDArray[np.float32], near: NDArray[np.float32], places: Sequence[int]
    ) -> None:
        """Put the true nearness of the given entries in the place of the estimated one."""
        assert self.neighbours is not None and self._dense_index is not None
        chosen = np.unique(np.asarray(places, np.int64))
        chosen = chosen[self._dense_index[chosen] >= 0]
        if not len(chosen):
            return
        true = self._standard(self.neighbours.to_some(entry_id, self._dense_index[chosen])).astype(np.float32)
        scores[chosen] += _DENSE * (true - near[chosen])
        near[chosen] = true


def _best(scores: NDArray[np.float32], count: int) -> list[int]:
    """Places of the highest scores, in no order; all when there are hardly more."""
    if count >= len(scores) - 1:
        return list(range(len(scores)))
    return [int(n) for n in np.argpartition(-scores, count)[:count]]
