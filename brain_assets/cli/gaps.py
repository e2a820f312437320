"""`brain gaps`: what questions have shown to be stale, contradictory, unaddressed or missing."""

from __future__ import annotations

import click

from brain_assets.cli.options import Call, common

_STATES = ("open", "answered", "dismissed")
_KINDS = ("stale", "uncited", "contradiction", "missing")


@click.group("gaps", invoke_without_command=True)
@common
@click.pass_context
def gaps_command(context: click.Context, call: Call) -> int:
    """Gaps in what the brain knows, as questions have met them: list, show, settle.

    \b
    brain gaps
    brain gaps list --kind missing --state open --json
    brain gaps answer GAP --note "see note:VPN/Ports.md"
    """
    return _list(call, (), ()) if context.invoked_subcommand is None else 0


@gaps_command.command("list")
@click.option("--state", multiple=True, type=click.Choice(_STATES), help="Only in this state. Repeatable.")
@click.option("--kind", multiple=True, type=click.Choice(_KINDS), help="Only of this kind. Repeatable.")
@common
def gaps_list(call: Call, state: tuple[str, ...], kind: tuple[str, ...]) -> int:
    """List gaps: open ones first, those met most often at the top.

    \b
    brain gaps list --kind missing --state open
    """
    return _list(call, state, kind)


def _list(call: Call, state: tuple[str, ...], kind: tuple[str, ...]) -> int:
    from brain_assets.cli.screen import table
    from brain_assets.store import catalogue
    from brain_assets.think import ledger

    with catalogue.open(call.settings, read_only=True) as cat:
        listed = [gap.to_json() for gap in ledger.listing(cat, state=None)]
    found = [gap for gap in listed if (not state or gap["state"] in state) and (not kind or gap["kind"] in kind)]
    found.sort(key=lambda gap: _STATES.index(gap["state"]))
    if call.json:
        call.emit({"gaps": found})
    rows = [(g["gap_id"], g["state"], g["term"], g["seen"], g["last_seen"]) for g in found]
    empty = "No gap is known: `brain think` finds them."
    if listed:
        wanted = " and ".join(" or ".join(chosen) for chosen in (kind, state) if chosen)
        empty = f"None of the {len(listed)} known gaps is {wanted}: see them all with brain gaps list."
    table(call, ("id", "state", "about", "met", "last"), rows, "", empty)
    return call.finish()


@gaps_command.command("show")
@click.argument("gap_id")
@common
def gaps_show(call: Call, gap_id: str) -> int:
    """Show one gap: what it is about, which questions met it, what would close it.

    \b
    brain gaps show GAP
    """
    from brain_assets.store import catalogue
    from brain_assets.think import ledger

    with catalogue.open(call.settings, read_only=True) as cat:
        gap = ledger.show(cat, gap_id).to_json()
    if call.json:
        call.emit(gap)
        return call.finish()
    call.say(f"{gap['gap_id']}  {gap['kind']}, {gap['state']}: {gap['term']}")
    for name, value in gap["detail"].items():
        if name != "gap_id":
            call.say(f"  {name}: {value}")
    call.say(f"What would close it: {gap['closes']}")
    met = "once" if gap["seen"] == 1 else f"{gap['seen']} times"
    call.say(f"Met {met}, last on {gap['last_seen']}, by:")
    for query in gap["queries"]:
        call.say(f"  {query}")
    if gap["note"]:
        call.say(f"Note: {gap['note']}")
    return call.finish()


def _settle(call: Call, gap_id: str, state: str, note: str) -> int:
    from brain_assets.store import catalogue
    from brain_assets.think import ledger

    with catalogue.open(call.settings) as cat:
        gap = ledger.set_state(cat, gap_id, state, note).to_json()
    if call.json:
        call.emit(gap)
    call.say(f"{gap['gap_id']} is {state}.")
    return call.finish()


@gaps_command.command("answer")
@click.argument("gap_id")
@click.option("--note", default="", help="Where the answer stands now.")
@common
def gaps_answer(call: Call, gap_id: str, note: str) -> int:
    """Record that a gap has been closed.

    \b
    brain gaps answer GAP --note "see note:VPN/Ports.md"
    """
    return _settle(call, gap_id, "answered", note)


@gaps_command.command("dismiss")
@click.argument("gap_id")
@click.option("--note", default="", help="Why it does not matter.")
@common
def gaps_dismiss(call: Call, gap_id: str, note: str) -> int:
    """Record that a gap does not matter; it is not reported as new again.

    \b
    brain gaps dismiss GAP --note "nobody needs to know"
    """
    return _settle(call, gap_id, "dismissed", note)


@gaps_command.command("reopen")
@click.argument("gap_id")
@click.option("--note", default="", help="Why it is open again.")
@common
def gaps_reopen(call: Call, gap_id: str, note: str) -> int:
    """Open a gap again.

    \b
    brain gaps reopen GAP --note "the page is gone again"
    """
    return _settle(call, gap_id, "open", note)
