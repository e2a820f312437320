"""Commands over the graph: related, relations, contradictions, topics, graph."""

from __future__ import annotations

from pathlib import Path

import click

from brain_assets.cli.options import Call, common

_QUOTE = 60


def _short(text: str, length: int = _QUOTE) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


@click.command("related")
@click.argument("entry")
@click.option("--relation", multiple=True, metavar="TYPE", help="Only this relation. Repeatable.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Only edges at least this sure.")
@common
def related_command(call: Call, entry: str, relation: tuple[str, ...], min_confidence: float) -> int:
    """Show what an entry is linked to, and why.

    \b
    brain related "note:VPN/Gateway.md"
    brain related VPN/Gateway.md --relation depends_on

    ENTRY is an id, a path inside the vault, or a bare KB id.
    """
    from brain_assets.cli.screen import table
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        found = views.resolve(connection, entry)
        edges = views.edges(connection, entry_id=found.id, relations=relation, minimum=min_confidence)
    if call.json:
        call.emit({"id": found.id, "path": found.path, "edges": edges})
    else:
        rows = [
            ("→" if e["source"] == found.id else "←", e["relation"],
             e["target"] if e["source"] == found.id else e["source"], f"{e['confidence']:.2f}",
             _short(e["source_quote"] or e["reason"]), _short(e["target_quote"]))
            for e in edges
        ]  # fmt: skip
        empty = "No edge yet: `brain build` finds them."
        table(call, ("", "relation", "entry", "sure", "quote", "other quote"), rows, found.title, empty)
    return call.finish()


@click.command("relations")
@click.option("--relation", multiple=True, metavar="TYPE", help="Only this relation. Repeatable.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Only edges at least this sure.")
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
    for edge in edges if call.json else ():
        call.emit(edge)
    rows = [(e["source"], e["relation"], e["target"], f"{e['confidence']:.2f}", e["judge"]) for e in edges]
    table(call, ("source", "relation", "target", "sure", "judge"), rows, "", "No edge yet: `brain build` finds them.")
    return call.finish()


@click.group("contradictions", invoke_without_command=True)
@common
@click.pass_context
def contradictions_command(context: click.Context, call: Call) -> int:
    """Entries that cannot both be right: list them, and settle them.

    \b
    brain contradictions
    brain contradictions list --status open --json
    brain contradictions resolve ID --keep note:VPN/Gateway.md --note "Port changed in May"
    """
    return _list(call, ()) if context.invoked_subcommand is None else 0


@contradictions_command.command("list")
@click.option(
    "--status", multiple=True, type=click.Choice(["open", "confirmed", "resolved", "dismissed", "closed"]),
    help="Only of this status. Repeatable.",
)  # fmt: skip
@common
def contradictions_list(call: Call, status: tuple[str, ...]) -> int:
    """List contradictions, surest first.

    \b
    brain contradictions list --status open --status confirmed
    """
    return _list(call, status)


def _list(call: Call, status: tuple[str, ...]) -> int:
    from brain_assets.cli.screen import table
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        found = views.contradictions(connection, status)
    if call.json:
        call.emit({"contradictions": found})
    rows = [
        (c["id"], c["status"], c["kind"], _short(c["subject"], 40), c["a"], _short(c["a_value"] or c["a_quote"], 40),
         c["b"], _short(c["b_value"] or c["b_quote"], 40))
        for c in found
    ]  # fmt: skip
    table(call, ("id", "status", "kind", "about", "a", "says", "b", "says"), rows, "", "No contradiction is known.")
    return call.finish()


def _settle(call: Call, name: str, status: str, keep: str | None, note: str) -> int:
    from brain_assets.operation import settle
    from brain_assets.store import catalogue

    with catalogue.open(call.settings) as cat, cat.begin() as connection:
        value = settle.contradiction(connection, name, status, keep=keep, note=note)
    if call.json:
        call.emit(value)
    call.say(f"{value['id']} is {status}.")
    return call.finish()


@contradictions_command.command("resolve")
@click.argument("contradiction_id")
@click.option("--keep", required=True, metavar="ENTRY", help="The side that is right.")
@click.option("--note", default="", help="Why, for those who come later.")
@common
def contradictions_resolve(call: Call, contradiction_id: str, keep: str, note: str) -> int:
    """Record which side is right. The texts stay as they are.

    \b
    brain contradictions resolve ID --keep note:VPN/Gateway.md --note "Port changed in May"
    """
    return _settle(call, contradiction_id, "resolved", keep, note)


@contradictions_command.command("confirm")
@click.argument("contradiction_id")
@click.option("--note", default="", help="Why, for those who come later.")
@common
def contradictions_confirm(call: Call, contradiction_id: str, note: str) -> int:
    """Record that this really is a contradiction, still to be resolved.

    \b
    brain contradictions confirm ID --note "asked Lena, she will measure"
    """
    return _settle(call, contradiction_id, "confirmed", None, note)


@contradictions_command.command("dismiss")
@click.argument("contradiction_id")
@click.option("--note", default="", help="Why, for those who come later.")
@common
def contradictions_dismiss(call: Call, contradiction_id: str, note: str) -> int:
    """Record that this is no contradiction; it stays away while both texts are unchanged.

    \b
    brain contradictions dismiss ID --note "two different sites"
    """
    return _settle(call, contradiction_id, "dismissed", None, note)


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
    if call.json:
        call.emit(value)
    rows = [(t["id"], t["label"], len(t["members"]), ", ".join(t["terms"][:8])) for t in value["topics"]]
    table(call, ("id", "topic", "members", "terms"), rows, "", "No topic yet: `brain build` finds them.")
    if value["outliers"]:
        call.say(f"{len(value['outliers'])} entries belong to no topic.")
    return call.finish()


@click.command("graph")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File to write; its ending says the format.",
)
@common
def graph_command(call: Call, out: Path | None) -> int:
    """Write the graph: one HTML page that opens without a network, or data for other programs.

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
        call.emit({"file": str(target), "nodes": written["nodes"], "edges": written["edges"]})
    call.say(f"{written['nodes']} nodes and {written['edges']} edges: {target}")
    return call.finish()
