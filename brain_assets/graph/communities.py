"""Communities of the weighted graph: Louvain with a fixed seed, kept close to the previous answer where it can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

RESOLUTION = 1.25
MIN_SIZE = 3
"""A smaller community is no topic: its members are outliers."""
_SEED = 7
_FILED = 1.5
"""Weight that a shared tag or folder spreads over its members: what people filed together belongs together."""
_MAX_FILED = 40
_REFERENCE = 0.3
_GAIN = 0.02
"""How much more modularity a fresh partition must have before topics are drawn anew."""
_ROUNDS = 20


def build(
    ids: Sequence[str], edges: Iterable[tuple[str, str, str, float]], filed: Mapping[str, Sequence[str]]
) -> nx.Graph[str]:
    """The weighted graph of entries.

    `edges` are (source, target, relation, confidence); `filed` maps a tag or folder to the entries filed under it.
    """
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(sorted(ids))
    known = set(graph)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for source, target, relation, confidence in edges:
        if source in known and target in known and source != target:
            weight = _REFERENCE if relation == "references" else confidence**3
            weights[(min(source, target), max(source, target))] += weight
    for members in filed.values():
        present = sorted(set(members) & known)
        if 2 <= len(present) <= _MAX_FILED:
            for pair in combinations(present, 2):
                weights[pair] += _FILED / len(present)
    for (a, b), weight in sorted(weights.items()):
        graph.add_edge(a, b, weight=weight)
    return graph


def partition(graph: nx.Graph[str], previous: Mapping[str, str], resolution: float = RESOLUTION) -> list[list[str]]:
    """Disjoint communities that cover the graph, each sorted, largest first.

    `previous` maps entries to the community they were in. A fresh Louvain partition only replaces the refined
    previous one when it is clearly better, so that one edited note does not move the others.
    """
    import networkx as nx

    if graph.number_of_edges() == 0:
        return [[node] for node in sorted(graph)]
    graph = _in_order(graph)
    found = nx.community.louvain_communities(graph, weight="weight", resolution=resolution, seed=_SEED)
    # Louvain moves whole groups last. Entry by entry the result settles, so that the next run finds nothing to move.
    fresh = refine(graph, {node: str(n) for n, part in enumerate(found) for node in part}, resolution)
    kept = refine(graph, previous, resolution) if previous else None
    chosen = fresh
    if kept is not None:
        gain = _quality(graph, fresh, resolution) - _quality(graph, kept, resolution)
        chosen = fresh if gain > _GAIN else kept
    return sorted((sorted(c) for c in chosen if c), key=lambda c: (-len(c), c))


def _in_order(graph: nx.Graph[str]) -> nx.Graph[str]:
    """A copy in order: a part of a graph is walked in the order of a set, which is another one in every process."""
    import networkx as nx

    ordered: nx.Graph[str] = nx.Graph()
    ordered.add_nodes_from(sorted(graph))
    ordered.add_weighted_edges_from(sorted((min(a, b), max(a, b), w) for a, b, w in graph.edges(data="weight")))
    return ordered


def attach(graph: nx.Graph[str], parts: Sequence[Sequence[str]], loose: Sequence[str]) -> list[list[str]]:
    """The parts with each loose entry put to the one it has the strongest ties with; without any, to the first."""
    of = {node: n for n, part in enumerate(parts) for node in part}
    out = [list(part) for part in parts]
    for node in sorted(loose):
        ties: dict[int, float] = defaultdict(float)
        for other, data in graph[node].items():
            if other in of:
                ties[of[other]] += data["weight"]
        out[min(ties, key=lambda n: (-ties[n], n), default=0)].append(node)
    return [sorted(part) for part in out]


def _quality(graph: nx.Graph[str], parts: Sequence[set[str]], resolution: float) -> float:
    import networkx as nx

    return float(nx.community.modularity(graph, parts, weight="weight", resolution=resolution))


def refine(graph: nx.Graph[str], previous: Mapping[str, str], resolution: float = RESOLUTION) -> list[set[str]]:
    """The previous partition, with new entries and those whose ties have changed moved to where they fit best.

    Greedy moves of single entries by modularity, in order of their ids, until none gains.
    """
    of = {node: previous.get(node, f"\x00{node}") for node in graph}
    degree = dict(graph.degree(weight="weight"))
    total = sum(degree.values()) or 1.0
    sums: dict[str, float] = defaultdict(float)
    for node, community in of.items():
        sums[community] += degree[node]
    for _ in range(_ROUNDS):
        moved = False
        for node in sorted(graph):
            ties: dict[str, float] = defaultdict(float)
            for other, data in graph[node].items():
                if other != node:
                    ties[of[other]] += data["weight"]
            home = of[node]
            sums[home] -= degree[node]
            scores = {c: tie - resolution * sums[c] * degree[node] / total for c, tie in ties.items()}
            stay = scores.get(home, -resolution * sums[home] * degree[node] / total)
            best = max(sorted(scores), key=lambda c: scores[c], default=home)
            if best != home and scores[best] > stay + 1e-9:
                of[node], moved = best, True
            sums[of[node]] += degree[node]
        if not moved:
            break
    parts: dict[str, set[str]] = defaultdict(set)
    for node, community in of.items():
        parts[community].add(node)
    return list(parts.values())
