"""The graph as one HTML file that opens without a network: search, filters, quotes and reasons on a click.

Drawn with sigma.js on graphology, which are shipped inside the file (see web/LICENSES.txt). Above MAX_NODES entries
topics are drawn in their place.
"""

from __future__ import annotations

import colorsys
import html
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from brain_assets.graph import layout

MAX_NODES = 5000
MAX_EDGES = 30_000
_MEMBERS_SHOWN = 300
_ROOM = 400
"""Entries that have room at full size; more of them are drawn smaller, so that they stay apart."""
_OUTLIERS = "outliers"
RELATIONS: dict[str, str] = {
    "contradicts": "#d1372f", "supersedes": "#b06a00", "duplicates": "#7b5bd6", "supports": "#2e8b57",
    "depends_on": "#2563a8", "part_of": "#0f8f9c", "same_topic": "#9aa4ae", "references": "#c3c9cf",
    "synthesized_from": "#c2559d", "grounded_by": "#8a7f2a", "proposes_update": "#e07a1f", "proposes_merge": "#e0a01f",
}  # fmt: skip
_DIRECTED = frozenset(RELATIONS) - {"contradicts", "duplicates", "same_topic"}
_HIDDEN_AT_FIRST = ("references",)


def view(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the page shows: placed nodes, edges, topics with colours; topics as nodes if the entries are too many."""
    topics = _topics(nodes, _homes(nodes, edges))
    if len(nodes) > MAX_NODES:
        return _aggregated(nodes, edges, topics)
    degree = Counter(end for e in edges for end in (e["source"], e["target"]))
    groups: dict[str, list[str]] = defaultdict(list)
    of = _homes(nodes, edges)
    for n in sorted(nodes, key=lambda n: (-degree[n["id"]], n["id"])):
        groups[of[n["id"]]].append(n["id"])
    ties: Counter[tuple[str, str]] = Counter()
    for e in edges:
        ties[(of[e["source"]], of[e["target"]])] += 1
    at = layout.place(groups, ties)
    scale = min(1.0, math.sqrt(_ROOM / max(1, len(nodes))))
    shown = sorted(edges, key=lambda e: (-e["confidence"], e["source"], e["target"], e["relation"]))[:MAX_EDGES]
    return {
        "nodes": [
            {
                "id": n["id"], "title": n["title"] or n["id"], "kind": n["kind"], "path": n["path"],
                "topic": of[n["id"]],
                "topic_label": topics[of[n["id"]]]["label"], "color": topics[of[n["id"]]]["color"],
                "x": at[n["id"]][0], "y": at[n["id"]][1], "size": round(max(1.2, scale * (3 + 1.6 * math.sqrt(degree[n["id"]]))), 2),
            }
            for n in nodes
        ],
        "edges": [
            {
                **{k: e[k] for k in ("source", "target", "relation", "source_quote", "target_quote", "reason")},
                "confidence": round(e["confidence"], 3), "directed": e["relation"] in _DIRECTED,
            }
            for e in shown
        ],
        "topics": [t for t in topics.values() if t["size"]], "relations": RELATIONS, "hidden": list(_HIDDEN_AT_FIRST),
        "aggregated": False,
    }  # fmt: skip


def _homes(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Entry → topic it is drawn in. An article or page without one is drawn where most of what it hangs on stands."""
    of = {n["id"]: n["topic"] or _OUTLIERS for n in nodes}
    homeless = {n["id"] for n in nodes if not n["topic"] and n["kind"] not in ("note", "kb")}
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for e in edges:
        for this, other in ((e["source"], e["target"]), (e["target"], e["source"])):
            if this in homeless and of[other] != _OUTLIERS:
                votes[this][of[other]] += 1
    return of | {i: min(found, key=lambda t: (-found[t], t)) for i, found in votes.items()}


def _topics(nodes: Sequence[Mapping[str, Any]], of: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Topics by id, largest first, each with label, size and a colour of its own; those in none are grey."""
    size = Counter(of.values())
    labels = {n["topic"]: n["topic_label"] for n in nodes if n["topic"]}
    ordered = sorted((t for t in size if t != _OUTLIERS), key=lambda t: (-size[t], t))
    out = {}
    for n, topic in enumerate(ordered):
        red, green, blue = colorsys.hls_to_rgb((n * 0.61803) % 1.0, (0.52, 0.42, 0.6)[n % 3], 0.55)
        colour = f"#{int(red * 255):02x}{int(green * 255):02x}{int(blue * 255):02x}"
        out[topic] = {"id": topic, "label": labels[topic] or topic, "size": size[topic], "color": colour}
    out[_OUTLIERS] = {"id": _OUTLIERS, "label": "In no topic", "size": size[_OUTLIERS], "color": "#a8a8a8"}
    return out


def _aggregated(
    nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], topics: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Topics as nodes; between two topics one edge per relation with the number it stands for."""
    of = _homes(nodes, edges)
    members: dict[str, list[str]] = defaultdict(list)
    for n in nodes:
        members[of[n["id"]]].append(n["title"] or n["id"])
    bundles: Counter[tuple[str, str, str]] = Counter()
    for e in edges:
        a, b = sorted((of[e["source"]], of[e["target"]]))
        if a != b:
            bundles[(a, b, e["relation"])] += 1
    ties = Counter({(a, b): n for (a, b, _), n in bundles.items()})
    at = layout.place({t: [t] for t in members}, ties)
    most = max(bundles.values(), default=1)
    return {
        "nodes": [
            {
                "id": t, "title": topics[t]["label"], "kind": "topic", "path": f"{len(members[t])} entries", "topic": t,
                "topic_label": "", "color": topics[t]["color"], "x": at[t][0], "y": at[t][1],
                "size": round(3 + math.sqrt(len(members[t])), 2), "members": sorted(members[t])[:_MEMBERS_SHOWN],
            }
            for t in sorted(members)
        ],
        "edges": [
            {
                "source": a, "target": b, "relation": relation, "confidence": 1.0, "directed": False, "count": n,
                "source_quote": "", "target_quote": "", "reason": "", "width": round(0.5 + 4 * n / most, 2),
            }
            for (a, b, relation), n in sorted(bundles.items(), key=lambda x: (-x[1], x[0]))[:MAX_EDGES]
        ],
        "topics": [t for t in topics.values() if t["size"]], "relations": RELATIONS, "hidden": list(_HIDDEN_AT_FIRST),
        "aggregated": True,
    }  # fmt: skip


def render(shown: Mapping[str, Any], title: str = "Brain graph") -> str:
    """The page as one HTML document. Texts stand in a data block and become text nodes only."""
    data = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {
        "TITLE": html.escape(title), "CSS": _read("page.css"), "LICENSES": _read("LICENSES.txt").replace("--", "- -"),
        "GRAPHOLOGY": _read("graphology.umd.min.js"), "SIGMA": _read("sigma.min.js"), "DATA": data,
        "SCRIPT": _read("page.js"),
    }  # fmt: skip
    pieces = _read("page.html").split("%")
    return "".join(parts.get(piece, piece) for piece in pieces)


def _read(name: str) -> str:
    return resources.files("brain_assets.graph").joinpath("web", name).read_text(encoding="utf-8")
