"""`brain contradictions`: entries that cannot both be right, and what a person decides about them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from brain_assets.cli.options import Call, common

STATUSES = ("open", "confirmed", "resolved", "dismissed", "closed")
_VALUE = 60


@click.group("contradictions", invoke_without_command=True)
@common
@click.pass_context
def contradictions_command(context: click.Context, call: Call) -> int:
    """Entries that cannot both be right: list them, and settle them.

    \b
    brain contradictions
    brain contradictions show ID
    brain contradictions resolve ID --keep note:VPN/Gateway.md --note "Port changed in May"

    Everywhere ID may be the beginning of an id that only one has.
    """
    return _list(call, ()) if context.invoked_subcommand is None else 0


@contradictions_command.command("list")
@click.option("--status", multiple=True, type=click.Choice(STATUSES), help="Only of this status. Repeatable.")
@common
def contradictions_list(call: Call, status: tuple[str, ...]) -> int:
    """List contradictions, surest first. The table leaves out those that closed by themselves; --json has all.

    \b
    brain contradictions list --status open --status confirmed
    """
    return _list(call, status)


def _list(call: Call, status: tuple[str, ...]) -> int:
    from brain_assets.cli.screen import short, table
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        everything = views.contradictions(connection)
        built = views.was_built(connection, "relation_edges")
    found = [c for c in everything if not status or c["status"] in status]
    if call.json:
        call.emit({"contradictions": found})
    shown = [c for c in found if status or c["status"] != "closed"]
    shown.sort(key=lambda c: STATUSES.index(c["status"]))
    rows = [
        (c["id"], c["status"], short(c["subject"], 40),
         *(f"{_place(c, side)}\n{short(c[side + '_value'] or c[side + '_quote'], _VALUE)}" for side in "ab"))
        for c in shown
    ]  # fmt: skip
    count = Counter(c["status"] for c in everything)
    told = ", ".join(f"{count[name]} {name}" for name in STATUSES if count[name])
    if not built:
        empty = "Nothing has been compared yet: `brain build` does it."
    elif status and everything:
        empty = f"None is {' or '.join(status)}: {told}."
    else:
        empty = "No contradiction is known."
        empty += f" {count['closed']} closed by themselves." if count["closed"] else ""
    table(call, ("id", "status", "about", "a", "b"), rows, "", empty)
    if rows:
        call.say(told + ".")
    return call.finish()


def _place(contradiction: dict[str, Any], side: str) -> str:
    name, path = str(contradiction[side]), contradiction[f"{side}_path"]
    return str(path) if path and name.startswith("note:") else name


@contradictions_command.command("show")
@click.argument("contradiction_id")
@common
def contradictions_show(call: Call, contradiction_id: str) -> int:
    """Show one contradiction: both sentences, both values, and what was decided.

    \b
    brain contradictions show ID
    """
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        known = {c["id"]: c for c in views.contradictions(connection)}
        found = known[views.only(contradiction_id, known, "contradiction")]
        dates = views.dates(connection, (found["a"], found["b"]))
    if call.json:
        call.emit(found)
        return call.finish()
    call.say(f"{found['id']}  {found['status']}, {found['kind']}, {found['confidence']:.2f} sure: {found['subject']}")
    for side in "ab":
        marks = [dates[found[side]]] if dates.get(found[side]) else []
        marks += ["newer"] if found["newer"] == found[side] else []
        marks += ["kept"] if found["keep"] == found[side] else []
        call.say(f"  {side}  {_place(found, side)}" + (f"  ({', '.join(marks)})" if marks else ""))
        if found[f"{side}_value"]:
            call.say(f"     value  {found[f'{side}_value']}")
        call.say(f"     quote  {found[f'{side}_quote']}")
    for name, text in (
        ("note", found["note"]), ("closed", " ".join(filter(None, (found["closed_on"], found["closed_because"])))),
    ):  # fmt: skip
        if text:
            call.say(f"  {name}  {text}")
    return call.finish()


def _settle(call: Call, name: str, status: str, keep: str | None, note: str) -> int:
    from brain_assets.operation import settle
    from brain_assets.store import catalogue

    with catalogue.open(call.settings) as cat, cat.begin() as connection:
        value = settle.contradiction(connection, name, status, keep=keep, note=note)
    if call.json:
        call.emit(value)
    call.say(f"{value['id']} is {status}." + (f" {value['keep']} is right." if value["keep"] else ""))
    return call.finish()


@contradictions_command.command("resolve")
@click.argument("contradiction_id")
@click.option("--keep", required=True, multiple=True, metavar="SIDE", help="The side that is right: a, b, id or path.")
@click.option("--note", default="", help="Why, for those who come later.")
@common
def contradictions_resolve(call: Call, contradiction_id: str, keep: tuple[str, ...], note: str) -> int:
    """Record which side is right. The texts stay as they are; it closes once they agree.

    \b
    brain contradictions resolve ID --keep note:VPN/Gateway.md --note "Port changed in May"
    brain contradictions resolve ID --keep b
    """
    if len(set(keep)) > 1:
        raise click.UsageError("Only one side can be right: give --keep once. If both are, dismiss it.")
    return _settle(call, contradiction_id, "resolved", keep[0], note)


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
    """Record that this is no contradiction; it stays away as long as the same two statements are compared.

    \b
    brain contradictions dismiss ID --note "two different sites"
    """
    return _settle(call, contradiction_id, "dismissed", None, note)


@contradictions_command.command("reopen")
@click.argument("contradiction_id")
@click.option("--note", default="", help="Why, for those who come later.")
@common
def contradictions_reopen(call: Call, contradiction_id: str, note: str) -> int:
    """Take back what was decided.

    \b
    brain contradictions reopen ID --note "measured again"
    """
    return _settle(call, contradiction_id, "open", None, note)
