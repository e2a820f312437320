"""Commands over the graph: related, relations, topics, graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brain_assets.cli.options import Call, Place, common

if TYPE_CHECKING:
    from sqlalchemy import Connection

_QUOTE = 70
_FIRST = ("contradicts", "supersedes", "duplicates", "supports", "depends_on", "part_of", "same_topic")
"""The order of a listing; what is not named comes after."""


def _known_relations(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    if not given:
        return given
    from typing import get_args

    from brain_assets.model.graph import Relation

    if wrong := sorted(set(given) - set(get_args(Relation))):
        raise click.BadParameter(f"{', '.join(wrong)} is no relation. There are: {', '.join(get_args(Relation))}.")
    return given


def _edge_filters(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option(
        "--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Only edges at least this sure."
    )(function)
    return click.option(
        "--relation", multiple=True, metavar="TYPE", callback=_known_relations, help="Only this relation. Repeatable."
    )(function)


def _none_left(connection: Connection, relation: tuple[str, ...], minimum: float, entry_id: str | None) -> str:
    """Why no edge is shown: of an entry, or of all."""
    from brain_assets.operation import views

    if total := len(views.edges(connection, entry_id=entry_id)):
        wanted = [" or ".join(relation)] if relation else []
        wanted += [f"at least {minimum:.2f} sure"] if minimum else []
        return f"None of {'its' if entry_id else 'the'} {total} edges is {' and '.join(wanted)}."
    if not views.was_built(connection, "relation_edges"):
        return "No edge yet: nothing has been compared. `brain build` does it."
    if entry_id is None:
        return "No edge: no two entries link to each other or are close enough to be related."
    if not views.was_built(connection, "relation_edges", entry_id):
        return "No edge yet: it is new since the last `brain build`, which compares it."
    return "No edge: it was compared, it has no link to an entry that exists, and nothing is close enough to it."


@click.command("related")
@click.argument("entry")
@_edge_filters
@common
def related_command(call: Call, entry: str, relation: tuple[str, ...], min_confidence: float) -> int:
    """Show what an entry is linked to, and why.

    \b
    brain related "note:VPN/Gateway.md"
    brain related VPN/Gateway.md --relation depends_on

    ENTRY is an id, a path inside the vault, or a bare KB id.
    """
    from brain_assets.cli.screen import short, table
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        found = views.resolve(connection, entry)
        edges = views.edges(connection, entry_id=found.id, relations=relation, minimum=min_confidence)
        empty = "" if edges else _none_left(connection, relation, min_confidence, found.id)
    if call.json:
        call.emit({"id": found.id, "path": found.path, "edges": edges})
    ranked = sorted(edges, key=lambda e: (_rank(e["relation"]), -e["confidence"], e["source"], e["target"]))
    rows = []
    for e in ranked:
        out = e["source"] == found.id
        own, other = (e["source_quote"], e["target_quote"]) if out else (e["target_quote"], e["source_quote"])
        why = "\n".join(short(text, _QUOTE) for text in (own, other) if text) or short(e["reason"], _QUOTE)
        rows.append(
            ("→" if out else "←", e["relation"], e["target"] if out else e["source"], f"{e['confidence']:.2f}", why)
        )
    table(call, ("", "relation", "entry", "sure", "quotes"), rows, found.title, empty)
    return call.finish()


def _rank(relation: str) -> int:
    return _FIRST.index(relation) if relation in _FIRST else len(_FIRST)


@click.command("relations")
@_edge_filters
@common
def relations_command(call: Call, relation: tuple[str, ...], min_confidence: float) -> int:
    """List every edge of the graph; with --json one edge a line.

    \b
    brain relations --relation contradicts
    brain relations --json | jq -s 'group_by(.relation) | map({(.[0].relation): length}) | add'
    """
    from brain_assets.cli.screen import table
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        edges = views.edges(connection, relations=relation, minimum=min_confidence)
        empty = "" if edges else _none_left(connection, relation, min_confidence, None)
    for edge in edges if call.json else ():
        call.emit(edge)
    rows = [(e["source"], e["relation"], e["target"], f"{e['confidence']:.2f}", e["judge"]) for e in edges]
    table(call, ("source", "relation", "target", "sure", "judge"), rows, "", empty)
    return call.finish()


@click.command("topics")
@common
def topics_command(call: Call) -> int:
    """Show what the brain is about: topics with their terms and members, and what belongs nowhere.

    \b
    brain topics
    brain topics --json | jq '.topics[] | {label, size: (.members | length)}'
    """
    from brain_assets.cli.screen import table
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        value = views.topics(connection)
        built = views.was_built(connection, "topic_clusters")
    if call.json:
        call.emit(value)
    rows = [
        (t["id"], f"  {t['label']}" if t["parent"] else t["label"], size, ", ".join(t["terms"][:8]))
        for t, size in _as_tree(value["topics"])
    ]
    empty = "No topic: no three entries are related closely enough to make one."
    if not built:
        empty = "No topic yet: `brain build` finds them."
    table(call, ("id", "topic", "members", "terms"), rows, "", empty)
    if value["outliers"]:
        call.say(f"{len(value['outliers'])} entries belong to no topic.")
    return call.finish()


def _as_tree(topics: list[dict[str, Any]]) -> list[tuple[dict[str, Any], int]]:
    """Topics with their sizes, the largest first; the parts of one that was divided follow it, and it counts them."""
    parts: dict[str, list[dict[str, Any]]] = {}
    for topic in topics:
        if topic["parent"]:
            parts.setdefault(topic["parent"], []).append(topic)
    size = {
        t["id"]: len(t["members"]) + sum(len(p["members"]) for p in parts.get(t["id"], ()))
        for t in topics if not t["parent"]
    }  # fmt: skip
    out: list[tuple[dict[str, Any], int]] = []
    for topic in sorted((t for t in topics if not t["parent"]), key=lambda t: (-size[t["id"]], t["id"])):
        out.append((topic, size[topic["id"]]))
        out += [(part, len(part["members"])) for part in parts.get(topic["id"], ())]
    return out


@click.command("graph")
@click.option(
    "--out",
    type=Place(path_type=Path),
    help="File to write; its ending says the format.",
)
@common
def graph_command(call: Call, out: Path | None) -> int:
    """Write the graph: one HTML page that opens without a network, or data for other programs.

    Above 5000 entries the page shows topics in their place; the data always has all.

    \b
    brain graph
    brain graph --out ~/brain.html
    brain graph --out brain.graphml      also .json, .csv and .parquet
    """
    from brain_assets.graph import export
    from brain_assets.store import catalogue

    target = (out or call.settings.data_dir / "graph.html").absolute()
    with catalogue.open(call.settings, read_only=True) as cat:
        written = export.write(cat, call.settings, target)
    if call.json:
        call.emit({"file": str(target), **written})
    told = f"{written['nodes']} nodes and {written['edges']} edges: {target}"
    if "entries" in written:
        told = f"{written['entries']} entries drawn as {written['nodes']} topics: {target}"
    call.say(told if written["nodes"] else f"The graph is empty, `brain sync` reads the notes: {target}")
    return call.finish()
