"""How a pool grows: from one entry outward, always by the entry that belongs best to the pool and to its centre."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain_assets.model.graph import Contradiction
from brain_assets.synthesis.landscape import Landscape

USUAL_SIZE = 7
"""Sources an article usually stands on; more only when they belong more closely than these have to."""
LEAST = 0.20
_CLOSE = 0.30
_CLEARLY = 1.05
_EDGE_SHARE = 0.35
_EDGE_SHARE_OF_WORDS = 0.7
_TOPIC_SHARE = 0.05
_OTHER_TOPIC = 0.6
"""What closeness to an entry of another topic is worth: texts of two subjects can be near by their wording alone."""
_CENTRAL = 4
_CANDIDATES = 80


@dataclass(frozen=True, slots=True)
class Grown:
    """A pool before its decision. `centrality` is how close the four nearest members are to the centre, on average; a
    pool with fewer counts the missing ones as far."""

    centre: str
    members: tuple[str, ...]
    centrality: float
    set_aside: tuple[tuple[str, str], ...] = ()


def closeness(view: Landscape, a: str, b: str) -> float:
    """How well two entries belong together: text similarity, the strength of their edge, and a common topic.

    Three kinds of evidence, so that no pool hangs on one model's vectors. Without vectors the words say less about what
    texts share, above all across languages, and the edge says more.
    """
    share = _EDGE_SHARE if view.vectors else _EDGE_SHARE_OF_WORDS
    near = (1 - share - _TOPIC_SHARE) * view.similarity(a, b) + share * view.edge(a, b)
    return near + _TOPIC_SHARE * view.same_topic(a, b)


def grow(view: Landscape, centre: str, most: int, banned: Iterable[str] = ()) -> Grown:
    """Grow a pool around `centre`, up to `most` members, without what is banned.

    Of two members in open dispute the one that belongs less stays out, the centre never.
    """
    left_out = set(banned)
    aside: list[tuple[str, str]] = []
    while True:
        members = _grow_once(view, centre, most, left_out)
        dispute = _first_dispute(view, members)
        if dispute is None:
            break
        loser = min({dispute.a, dispute.b} - {centre}, key=lambda s: (_belonging(view, s, members), s))
        aside.append((loser, dispute.id))
        left_out.add(loser)
    rest = sorted((closeness(view, centre, m) for m in members if m != centre), reverse=True)
    return Grown(centre, tuple(sorted(members)), sum(rest[:_CENTRAL]) / _CENTRAL, tuple(aside))


def _grow_once(view: Landscape, centre: str, most: int, left_out: set[str]) -> list[str]:
    """Members in the order they came; each shares the centre's topic or is related to one before it by the judge."""
    apart = kept_apart(view)
    table = {c: {centre: _within(view, centre, centre, c)} for c in _candidates(view, centre, left_out)}
    table = {c: row for c, row in table.items() if c not in apart.get(centre, ())}
    members = [centre]
    while table and len(members) < most:
        related = [c for c in table if view.same_topic(c, centre) or any(view.confirmed(c, m) for m in members)]
        if not related:
            break
        best, chosen = min(((_score(table[c], members, centre), c) for c in related), key=lambda x: (-x[0], x[1]))
        if best < (LEAST if len(members) < USUAL_SIZE else _CLOSE):
            break
        members.append(chosen)
        del table[chosen]
        table = {c: row for c, row in table.items() if c not in apart.get(chosen, ())}
        for candidate, row in table.items():
            row[chosen] = _within(view, centre, chosen, candidate)
    return members


def _within(view: Landscape, centre: str, member: str, candidate: str) -> float:
    """Closeness of a candidate to a member of a pool; one of another topic than the centre's counts less."""
    near = closeness(view, member, candidate)
    return near if view.same_topic(centre, candidate) else _OTHER_TOPIC * near


def next_to(view: Landscape, grown: Grown) -> list[str]:
    """Entries that belong to a grown pool as a whole though not to its centre, the closest to all members first.

    The judge related them to at least half of its members, and nothing in it disputes them.
    """
    members = set(grown.members)
    barred = {loser for loser, _ in grown.set_aside} | members
    for member in members:
        barred |= view.disputes.get(member, {}).keys() | kept_apart(view).get(member, set())
    ranked = []
    for other in sorted({n for m in members for n in view.neighbours.get(m, ())} - barred):
        if (
            other in view.by_id
            and view.usable(other)
            and 2 * sum(view.confirmed(other, m) for m in members) >= len(members)
        ):
            mean = sum(closeness(view, other, m) for m in members) / len(members)
            if mean >= LEAST:
                ranked.append((-mean, other))
    return [other for _, other in sorted(ranked)]


def disputing(view: Landscape, entry_id: str, members: Iterable[str]) -> bool:
    """Whether a dispute keeps an entry out of a pool."""
    return bool((view.disputes.get(entry_id, {}).keys() | kept_apart(view).get(entry_id, set())) & set(members))


def kept_apart(view: Landscape) -> dict[str, set[str]]:
    """Pairs that share no pool because of a dispute.

    The side that stays a source does not meet what is clearly closer to the side that gave way, or repeats a command of
    it: that speaks of the disputed matter too.
    """
    if view.apart is None:
        view.apart = {}
        for loser in sorted(view.outvoted):
            winners = sorted(set(view.disputes.get(loser, {})) - view.outvoted)
            thirds = [t for t in sorted(view.neighbours.get(loser, set()) - set(winners)) if view.confirmed(loser, t)]
            for third in thirds if winners else []:
                nearest = max(closeness(view, winner, third) for winner in winners)
                of_loser = commands(view, loser) - {c for winner in winners for c in commands(view, winner)}
                if closeness(view, loser, third) > _CLEARLY * nearest or of_loser & commands(view, third):
                    view.apart.setdefault(third, set()).update(winners)
                    for winner in winners:
                        view.apart.setdefault(winner, set()).add(third)
    return view.apart


def commands(view: Landscape, entry_id: str) -> set[str]:
    """Code of more than one word that an entry quotes, in backticks or on a line of fenced code."""
    body = view.by_id[entry_id].body
    spans = {" ".join(m.split()) for m in re.findall(r"`([^`\n]+ [^`\n]+)`", body)}
    fenced = [line for block in re.findall(r"```[^\n]*\n(.*?)```", body, re.DOTALL) for line in block.splitlines()]
    return spans | {" ".join(line.split()) for line in fenced if len(line.split()) > 1}


def _score(row: dict[str, float], members: Sequence[str], centre: str) -> float:
    return 0.5 * sum(row[m] for m in members) / len(members) + 0.5 * row[centre]


def _candidates(view: Landscape, centre: str, left_out: set[str]) -> list[str]:
    """Entries worth a look: relatives, their relatives, and the closest of the same topic."""
    relatives = view.neighbours.get(centre, set())
    found = set(relatives)
    for relative in relatives:
        found |= view.neighbours.get(relative, set())
    found |= set(view.members.get(view.topic.get(centre, ""), ()))
    found = {view.newest(c) for c in found} - {centre} - left_out
    usable = [c for c in found if c in view.by_id and view.usable(c)]
    return view.nearest(centre, usable, _CANDIDATES)


def _first_dispute(view: Landscape, members: Sequence[str]) -> Contradiction | None:
    """The strongest open contradiction between two members."""
    inside = set(members)
    found = [d for m in members for other, d in view.disputes.get(m, {}).items() if other in inside]
    return min(found, key=lambda d: (-d.confidence, d.id), default=None)


def _belonging(view: Landscape, entry_id: str, members: Sequence[str]) -> float:
    return sum(closeness(view, entry_id, m) for m in members if m != entry_id)
