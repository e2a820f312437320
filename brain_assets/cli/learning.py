"""`brain learning`: whether staged articles are embedded and offered for further linking."""

from __future__ import annotations

import click

from brain_assets.cli.options import Call, common


@click.command("learning")
@click.argument("switch", type=click.Choice(["on", "off", "show"]), default="show")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def learning_command(call: Call, switch: str, wait: bool) -> int:
    """Switch learning from staged articles on or off, or show the switch.

    \b
    brain learning
    brain learning off
    brain learning on      also embeds what was staged meanwhile

    Articles are in the graph and found by `brain search --kind article` either way.
    """
    from brain_assets.operation import pipeline
    from brain_assets.store import catalogue
    from brain_assets.synthesis import learning

    if switch == "show":
        with catalogue.open(call.settings, read_only=True) as cat:
            state, learnt = learning.is_on(cat), 0
    else:
        with pipeline.writing(call.settings, wait=call.settings.lock_wait if wait else 0.0) as run:
            (learning.on if switch == "on" else learning.off)(run.cat)
            state = switch == "on"
            learnt = learning.learn(run.cat, run.settings).done if state else 0
    if call.json:
        call.emit({"learning": state, "learnt": learnt})
    call.say(f"Learning is {'on' if state else 'off'}." + (f" {learnt} articles were learnt now." if learnt else ""))
    return call.finish()
