"""The graph as one HTML file that opens without a network: search, filters, quotes and reasons on a click.

Drawn with sigma.js on graphology, which are shipped inside the file (see web/LICENSES.txt). Above MAX_NODES entries
topics are drawn in their place.
"""

from __future__ import annotations

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
_MANY_EDGES = 1500
"""From this many on, edges between topics are drawn for what is chosen only, but for those of _GRAVE."""
_STRONGEST = 1
"""So many ties of a topic are drawn at first, per relation, where topics stand for their entries."""
_GRAVE_DRAWN = 400
"""So many of _GRAVE are drawn between topics at first, the surest."""
_EXAMPLES = 3
_VALUES = 60
_ROOM = 400
"""Entries that have room at full size; more of them are drawn smaller, so that they stay apart."""
_OUTLIERS = "outliers"
RELATIONS: dict[str, str] = {
    "contradicts": "#d9372c", "supersedes": "#b8690c", "duplicates": "#8257d8", "supports": "#2f9461",
    "depends_on": "#2f74c0", "part_of": "#11919f", "same_topic": "#98a2ad", "references": "#b9c0c7",
    "synthesized_from": "#c2559d", "grounded_by": "#8a7f2a", "proposes_update": "#e07a1f", "proposes_merge": "#d09a1c",
}  # fmt: skip
_DIRECTED = frozenset(RELATIONS) - {"contradicts", "duplicates", "same_topic"}
_GRAVE = frozenset({"contradicts", "supersedes", "duplicates"})
_RANK = {name: n for n, name in enumerate(RELATIONS)} | {"same_topic": 90, "references": 91}
_HIDDEN_AT_FIRST = ("references",)
Rows = Sequence[Mapping[str, Any]]


def view(nodes: Rows, edges: Rows, topics: Rows = (), findings: Rows = ()) -> dict[str, Any]:
    """What the page shows: placed nodes, edges, topics with colours; topics as nodes if the entries are too many.

    `topics` (id, label, parent) name what stands above the nodes' topics; `findings` (id, a, b, status, subject,
    a_value, b_value) are told with the edges they belong to. Of too many edges the least telling are left out.
    """
    of = _homes(nodes, edges)
    parents = {t["id"]: t["parent"] for t in topics if t.get("parent")}
    sizes = Counter(of.values())
    ties: Counter[tuple[str, str]] = Counter((of[e["source"]], of[e["target"]]) for e in edges)
    at = layout.discs(dict.fromkeys(sizes, 1) if len(nodes) > MAX_NODES else sizes, ties, parents)
    known = _topics(nodes, sizes, at, parents)
    common = {
        "topics": [known[t] for t in known if known[t]["size"]],
        "groups": [{"id": t["id"], "label": t["label"]} for t in topics if t["id"] in parents.values()],
        "relations": RELATIONS, "hidden": list(_HIDDEN_AT_FIRST), "entries": len(nodes), "total": len(edges),
    }  # fmt: skip
    if len(nodes) > MAX_NODES:
        return _aggregated(nodes, edges, known, of) | common
    degree = Counter(end for e in edges for end in (e["source"], e["target"]))
    groups: dict[str, list[str]] = defaultdict(list)
    for n in sorted(nodes, key=lambda n: (-degree[n["id"]], n["id"])):
        groups[of[n["id"]]].append(n["id"])
    where = layout.inside(groups, at)
    scale = min(1.0, math.sqrt(_ROOM / max(1, len(nodes))))
    shown = sorted(edges, key=lambda e: (_RANK[e["relation"]], -e["confidence"], e["source"], e["target"]))[:MAX_EDGES]
    across = [e for e in shown if of[e["source"]] != of[e["target"]]]
    drawn = {id(e) for e in across[:_GRAVE_DRAWN] if e["relation"] in _GRAVE}
    weak = {id(e) for e in across if id(e) not in drawn} if len(shown) > _MANY_EDGES else set()
    told: dict[frozenset[str], list[str]] = defaultdict(list)
    for f in findings:
        # A value that is a whole sentence stands there as a quote already.
        values = f": {f['a_value']} | {f['b_value']}" if len(f["a_value"] + f["b_value"]) < _VALUES else ""
        told[frozenset((f["a"], f["b"]))].append(f"{f['id']} ({f['status']}) {f['subject']}{values}")
    return {
        "nodes": [
            {
                "id": n["id"], "title": n["title"] or n["id"], "kind": n["kind"], "path": n["path"],
                "topic": of[n["id"]], "topic_label": known[of[n["id"]]]["label"], "color": known[of[n["id"]]]["color"],
                "date": n.get("date"), "status": n.get("status"),
                "x": where[n["id"]][0], "y": where[n["id"]][1],
                "size": round(max(1.4, scale * (3 + 1.6 * math.sqrt(degree[n["id"]]))), 2),
            }
            for n in nodes
        ],
        "edges": [
            {
                **{k: e[k] for k in ("source", "target", "relation", "source_quote", "target_quote", "reason")},
                "confidence": round(e["confidence"], 3), "directed": e["relation"] in _DIRECTED,
                "weak": id(e) in weak,
                "findings": told[frozenset((e["source"], e["target"]))] if e["relation"] == "contradicts" else [],
            }
            for e in shown
        ],
        "aggregated": False,
    } | common  # fmt: skip


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


def _topics(
    nodes: Rows, size: Mapping[str, int], at: Mapping[str, tuple[float, float, float]], parents: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Topics by id, largest first, each with label, size, place and colour; parts of one have its hue."""
    labels = {n["topic"]: n["topic_label"] for n in nodes if n["topic"]}
    ordered = sorted((t for t in size if t != _OUTLIERS), key=lambda t: (-size[t], t))
    hues: dict[str, int] = {}
    shades: Counter[str] = Counter()
    out = {}
    for topic in ordered:
        family = parents.get(topic, topic)
        n, shade = hues.setdefault(family, len(hues)), shades[family]
        shades[family] += 1
        light = (0.64, 0.55, 0.71)[(n + shade) % 3]
        out[topic] = {
            "id": topic, "label": labels[topic] or topic, "size": size[topic], "color": colour(light, 0.13, 25 + 137.5 * n),
            "parent": parents.get(topic),
        }  # fmt: skip
    out[_OUTLIERS] = {"id": _OUTLIERS, "label": "", "size": size.get(_OUTLIERS, 0), "color": "#9b9b9b", "parent": None}
    return {t: known | dict(zip("xyr", at.get(t, (0.0, 0.0, 0.0)), strict=True)) for t, known in out.items()}


def colour(light: float, chroma: float, hue: float) -> str:
    """OKLCH (lightness 0 to 1, chroma, hue in degrees) as #rrggbb: hues of one lightness look equally light.

    Source: Björn Ottosson, A perceptual color space for image processing, https://bottosson.github.io/posts/oklab/
    """
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long, middle, short = (
        (light + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        (light - 0.1055613458 * a - 0.0638541728 * b) ** 3,
        (light - 0.0894841775 * a - 1.2914855480 * b) ** 3,
    )
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    shown = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in (max(0.0, c) for c in linear))
    return "#" + "".join(f"{round(255 * min(1.0, c)):02x}" for c in shown)


def _aggregated(
    nodes: Rows, edges: Rows, topics: Mapping[str, Mapping[str, Any]], of: Mapping[str, str]
) -> dict[str, Any]:
    """Topics as nodes; between two topics one edge per relation with the number it stands for, and examples."""
    members: dict[str, list[list[str]]] = defaultdict(list)
    titles = {n["id"]: n["title"] or n["id"] for n in nodes}
    for n in nodes:
        members[of[n["id"]]].append([n["id"], titles[n["id"]]])
    bundles: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for e in edges:
        a, b = sorted((of[e["source"]], of[e["target"]]))
        if a != b:
            bundles[(a, b, e["relation"])].append(e)
    ordered = sorted(bundles.items(), key=lambda x: (_RANK[x[0][2]], -len(x[1]), x[0]))[:MAX_EDGES]
    most, rank = max(map(len, bundles.values()), default=1), Counter[tuple[str, str]]()
    shown = []
    for position, ((a, b, relation), found) in enumerate(ordered):
        strong = (relation in _GRAVE and position < _GRAVE_DRAWN) or min(
            rank[(a, relation)], rank[(b, relation)]
        ) < _STRONGEST
        rank[(a, relation)] += 1
        rank[(b, relation)] += 1
        examples = sorted(found, key=lambda e: (-e["confidence"], e["source"], e["target"]))
        shown.append(
            {
                "source": a, "target": b, "relation": relation, "confidence": 1.0, "directed": False, "count": len(found),
                "source_quote": "", "target_quote": "", "reason": "", "width": round(0.5 + 4 * len(found) / most, 2),
                "weak": not strong, "findings": [],
                "examples": [
                    [titles[e["source"]], e["source_quote"], titles[e["target"]], e["target_quote"]]
                    for e in examples[: _EXAMPLES if relation in _GRAVE else int(strong)]
                ],
            }
        )  # fmt: skip
    return {
        "nodes": [
            {
                "id": t, "title": topics[t]["label"], "kind": "topic", "path": None, "topic": t,
                "topic_label": "", "color": topics[t]["color"], "x": topics[t]["x"], "y": topics[t]["y"],
                "size": round(3 + math.sqrt(len(members[t])), 2), "members": sorted(members[t], key=lambda m: m[::-1]),
            }
            for t in sorted(members)
        ],
        "edges": shown,
        "aggregated": True,
    }  # fmt: skip


def render(shown: Mapping[str, Any], title: str = "Brain graph") -> str:
    """The page as one HTML document. Texts stand in a data block and become text nodes only."""
    data = json.dumps(_packed(shown), ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {
        "TITLE": html.escape(title), "CSS": _read("page.css"), "LICENSES": _read("LICENSES.txt").replace("--", "- -"),
        "GRAPHOLOGY": _read("graphology.umd.min.js"), "SIGMA": _read("sigma.min.js"), "DATA": data,
        "WORDS": _read("words.js"), "DRAWING": _read("drawing.js"), "SCRIPT": _read("page.js"),
    }  # fmt: skip
    pieces = _read("page.html").split("%")
    return "".join(parts.get(piece, piece) for piece in pieces)


def _packed(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The view with each edge as a row of numbers: its ends by place among the nodes, its texts by place in `texts`."""
    place = {n["id"]: i for i, n in enumerate(shown["nodes"])}
    texts: dict[str, int] = {"": 0}
    names = list(shown["relations"])
    rows: list[list[Any]] = []
    for e in shown["edges"]:
        told = [texts.setdefault(e[k], len(texts)) for k in ("source_quote", "target_quote", "reason")]
        flags = int(e["directed"]) + 2 * int(e["weak"])
        row = [place[e["source"]], place[e["target"]], names.index(e["relation"]), e["confidence"], flags, *told]
        more = {k: e[k] for k in ("findings", "examples", "count", "width") if e.get(k)}
        rows.append([*row, more] if more else row)
    return {**shown, "edges": rows, "texts": list(texts)}


def _read(name: str) -> str:
    return resources.files("brain_assets.graph").joinpath("web", name).read_text(encoding="utf-8")
