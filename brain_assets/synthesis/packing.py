"""Which pools stand beside each other: the tightest first, none too much like another, and nothing close left over."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from brain_assets.settings import Settings
from brain_assets.synthesis import growth, targets
from brain_assets.synthesis.growth import Grown, closeness
from brain_assets.synthesis.landscape import Landscape

_OVERLAP = 0.5
_BESIDE = 0.05
"""How close an entry that no pool took has to be to all of a small pool on its topic to join it."""
_LOOKED_AT = 40

Refuse = Callable[[Landscape, Sequence[str], Settings], str | None]
Chosen = tuple[Grown, str | None]
"""A pool before its decision, and the existing article on its subject."""


def choose(view: Landscape, settings: Settings, refuse: Refuse) -> list[Chosen]:
    """The pools of a snapshot, no two of which share a subject or a target, those that miss a limit at the end.

    `refuse` tells the limit a pool misses.
    """
    chosen: list[Chosen] = []
    short: list[Grown] = []
    taken = _Taken()
    by_target: dict[str, int] = {}
    for grown in _apart(view, settings, taken):
        if refuse(view, grown.members, settings):
            short.append(grown)
            continue
        taken.add(grown.members)
        target = targets.find_target(view, grown.members, settings)
        if target in by_target:
            first, _ = chosen[by_target[target]]
            close = {m for m in grown.members if target and closeness(view, target, m) >= growth.LEAST}
            joined = replace(first, members=tuple(sorted({*first.members, *close})))
            chosen[by_target[target]] = (joined, target)
            continue
        if target is not None:
            by_target[target] = len(chosen)
        chosen.append((grown, target))
    for grown in sorted(short, key=lambda g: not g.set_aside):
        # What misses a limit is worth a word only where nothing better came of its entries; a dispute is the better word.
        if not taken.overlaps(grown.members):
            taken.add(grown.members)
            chosen.append((grown, None))
    return _widened(view, _completed(view, chosen, settings), settings, refuse)


class _Taken:
    """The pools so far; another one must not share too many sources with any of them."""

    def __init__(self) -> None:
        self._by_member: dict[str, list[frozenset[str]]] = {}

    def alike(self, members: Sequence[str]) -> set[str]:
        """The sources of all pools that share too many with these."""
        mine = frozenset(members)
        others = {other for m in mine for other in self._by_member.get(m, ())}
        return {m for o in others if len(mine & o) > _OVERLAP * min(len(mine), len(o)) for m in o}

    def overlaps(self, members: Sequence[str]) -> bool:
        return bool(self.alike(members))

    def add(self, members: Sequence[str]) -> None:
        for member in members:
            self._by_member.setdefault(member, []).append(frozenset(members))


def _apart(view: Landscape, settings: Settings, taken: _Taken) -> Iterator[Grown]:
    """One pool grown around every entry that has a confirmed relation, the tightest first.

    One that is too much like those taken grows again without their sources, unless its own centre is among them: what
    lies around it may still be a subject of its own.
    """
    centres = sorted({end for (a, b) in view.edges if view.confirmed(a, b) for end in (a, b) if view.usable(end)})
    queue = [_ranked(growth.grow(view, centre, settings.article_max_sources), frozenset()) for centre in centres]
    heapq.heapify(queue)
    while queue:
        *_, banned, grown = heapq.heappop(queue)
        if len(grown.members) < 2:
            continue
        if not (alike := taken.alike(grown.members)):
            yield grown
        elif grown.centre not in alike:
            left_out = banned | alike
            heapq.heappush(
                queue, _ranked(growth.grow(view, grown.centre, settings.article_max_sources, left_out), left_out)
            )


_Ranked = tuple[float, tuple[str, ...], str, int, frozenset[str], Grown]


def _ranked(grown: Grown, banned: frozenset[str]) -> _Ranked:
    return -grown.centrality, grown.members, grown.centre, len(banned), banned, grown


def _completed(view: Landscape, chosen: Sequence[Chosen], settings: Settings) -> list[Chosen]:
    """Small pools take in what no pool took and what is on their topic, so that nothing close is left over."""
    used = {m for grown, _ in chosen for m in grown.members}
    aims = {target for _, target in chosen if target}
    free: dict[str, list[str]] = {}
    for name in sorted(view.topic):
        if name in view.by_id and name not in used and view.usable(name):
            free.setdefault(view.topic[name], []).append(name)
    out: list[Chosen] = []
    for grown, target in chosen:
        wider = grown if target else _with_rest(view, grown, free.get(view.topic.get(grown.centre, ""), []), settings)
        found = target or targets.find_target(view, wider.members, settings)
        if not target and found in aims:
            # The subject is another pool's already: then this one stays as it grew.
            wider, found = grown, None
        for name in set(wider.members) - set(grown.members):
            free[view.topic[name]].remove(name)
        if found:
            aims.add(found)
        out.append((wider, found))
    return out


def _with_rest(view: Landscape, grown: Grown, free: Sequence[str], settings: Settings) -> Grown:
    """A pool with the closest of some free entries, up to the usual size."""
    members = list(grown.members)
    most = min(growth.USUAL_SIZE, settings.article_max_sources)
    barred = {loser for loser, _ in grown.set_aside}
    waiting = [n for n in view.nearest(grown.centre, free, _LOOKED_AT) if n not in barred] if free else []
    while waiting and len(members) < most:
        fits = [n for n in waiting if not growth.disputing(view, n, members)]
        ranked = [(sum(closeness(view, n, m) for m in members) / len(members), n) for n in fits]
        mean, best = min(ranked, key=lambda x: (-x[0], x[1]), default=(0.0, ""))
        if not best or mean < _BESIDE:
            break
        members.append(best)
        waiting.remove(best)
    return replace(grown, members=tuple(sorted(members)))


def _widened(view: Landscape, chosen: Sequence[Chosen], settings: Settings, refuse: Refuse) -> list[Chosen]:
    """Pools that are smaller than usual take in what belongs to all of them, as long as no two become alike."""
    out = list(chosen)
    most = min(growth.USUAL_SIZE, settings.article_max_sources)
    for place, (grown, target) in enumerate(out):
        if target is not None or len(grown.members) >= most or refuse(view, grown.members, settings):
            continue
        others = _Taken()
        for other, (pool, _) in enumerate(out):
            if other != place:
                others.add(pool.members)
        while len(grown.members) < most:
            fits = (tuple(sorted((*grown.members, more))) for more in growth.next_to(view, grown))
            wider = next((members for members in fits if not others.overlaps(members)), None)
            if wider is None:
                break
            grown = replace(grown, members=wider)
        out[place] = (grown, target)
    return out
