"""Where the entries stand on the graph page: each topic a disc, near topics near, the best linked members inside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

_GOLDEN = math.pi * (3 - math.sqrt(5))
_ROUNDS = 300
_PADDING = 1.5


def place(
    groups: Mapping[str, Sequence[str]], ties: Mapping[tuple[str, str], float], parents: Mapping[str, str] | None = None
) -> dict[str, tuple[float, float]]:
    """Position of every member. `groups` lists members by importance; `ties` are weights between groups.

    Deterministic: the same groups and ties give the same picture.
    """
    return inside(groups, discs({g: len(members) for g, members in groups.items()}, ties, parents or {}))


def discs(
    sizes: Mapping[str, int], ties: Mapping[tuple[str, str], float], parents: Mapping[str, str]
) -> dict[str, tuple[float, float, float]]:
    """Group → (x, y, radius). Groups with one parent stand together."""
    families: dict[str, list[str]] = {}
    for name in sorted(sizes, key=lambda g: (-sizes[g], g)):
        families.setdefault(parents.get(name, name), []).append(name)
    within: dict[str, dict[str, tuple[float, float]]] = {}
    radii: dict[str, float] = {}
    between: dict[tuple[str, str], float] = {}
    for (a, b), weight in ties.items():
        ends = (parents.get(a, a), parents.get(b, b))
        between[ends] = between.get(ends, 0.0) + weight
    for family, names in families.items():
        at = _centres(names, {g: math.sqrt(sizes[g]) for g in names}, ties)
        x, y = (sum(p[k] for p in at.values()) / len(at) for k in (0, 1))
        within[family] = {g: (p[0] - x, p[1] - y) for g, p in at.items()}
        radii[family] = max(math.hypot(*within[family][g]) + math.sqrt(sizes[g]) for g in names)
    outer = _centres(sorted(families, key=lambda f: (-radii[f], f)), radii, between)
    return {
        g: (round(outer[f][0] + x, 3), round(outer[f][1] + y, 3), round(math.sqrt(sizes[g]), 3))
        for f, places in within.items() for g, (x, y) in places.items()
    }  # fmt: skip


def inside(
    groups: Mapping[str, Sequence[str]], at: Mapping[str, tuple[float, float, float]]
) -> dict[str, tuple[float, float]]:
    """Members spread over the discs of their groups, the first in the middle."""
    out = {}
    for name, members in groups.items():
        x, y, _ = at[name]
        for n, member in enumerate(members):
            radius, angle = math.sqrt(n + 0.5), n * _GOLDEN
            out[member] = (round(x + radius * math.cos(angle), 3), round(y + radius * math.sin(angle), 3))
    return out


def _centres(
    names: Sequence[str], radii: Mapping[str, float], ties: Mapping[tuple[str, str], float]
) -> dict[str, tuple[float, float]]:
    """Centres of discs that do not overlap, pulled together by their ties."""
    if not names:
        return {}
    size = np.array([radii[n] + _PADDING for n in names])
    index = {n: i for i, n in enumerate(names)}
    pull = np.zeros((len(names), len(names)))
    for (a, b), weight in ties.items():
        if a in index and b in index and a != b:
            pull[index[a], index[b]] += weight
            pull[index[b], index[a]] += weight
    pull /= max(float(pull.max()), 1.0)
    turn = np.arange(len(names)) * _GOLDEN
    spread = np.sqrt(np.cumsum(size**2))
    at = np.stack([spread * np.cos(turn), spread * np.sin(turn)], axis=1)
    wanted = size[:, None] + size[None, :]
    for step in range(_ROUNDS):
        away = at[:, None, :] - at[None, :, :]
        distance = np.sqrt((away**2).sum(axis=2)) + np.eye(len(names))
        overlap = np.maximum(0.0, wanted - distance)
        np.fill_diagonal(overlap, 0.0)
        slack = np.maximum(0.0, distance - wanted)
        force = (0.5 * overlap - 0.03 * (pull + 0.01) * slack) / distance
        if step >= _ROUNDS - 60:
            force = 0.5 * overlap / distance
        at += (away * force[:, :, None]).sum(axis=1)
    return {n: (float(at[i, 0]), float(at[i, 1])) for n, i in index.items()}
