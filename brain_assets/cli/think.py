"""`brain think`: an answer with sources, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from brain_assets.cli.options import Call, common, filters
from brain_assets.operation import asking
from brain_assets.text.printable import one_line

if TYPE_CHECKING:
    from brain_assets.think import Answer


@click.command("think")
@click.argument("query", nargs=-1)
@click.option("--top", type=click.IntRange(1, 50), default=7, show_default=True, help="How many sources to gather.")
@click.option("--no-llm", is_flag=True, help="Extract sentences instead of asking a model: no key, no network.")
@click.option("--stale-days", type=click.IntRange(0, 36_500), help="Older sources are STALE (BRAIN_STALE_DAYS, 90).")
@click.option("--lang", type=click.Choice(asking.LANGUAGES), default="auto", show_default=True, help="Of the answer.")
@filters
@click.option("--interactive", is_flag=True, help="Offer to write a stub note for what is missing into the inbox.")
@click.option("--save", is_flag=True, help="Keep the answer and its gaps in answers/ of the data directory.")
@click.option("--verbose", is_flag=True, help="Also what each model did, and what it cost.")
@click.option("--batch", metavar="FILE", help="One JSON object a line with id and query; - is stdin.")
@common
def think_command(
    call: Call, query: tuple[str, ...], interactive: bool, save: bool, verbose: bool, batch: str | None, **values: Any
) -> int:
    """Answer a question from your own notes, with sources, and say what is old, contradictory, unaddressed or unknown.

    \b
    brain think "Wie stelle ich den VPN-Tunnel wieder her?"
    brain think "Which port does the gateway use?" --no-llm --top 5
    brain think --batch questions.jsonl --json

    Citations [n] are the numbers of the sources below the answer. With --no-llm nothing leaves the machine.
    """
    flags = {name.rstrip("_"): value for name, value in values.items() if value not in (None, ())}
    if batch is None and not query:
        raise click.UsageError("Type a question, or name a --batch file.")
    if batch is not None:
        return _batch(call, batch, flags, save)
    answer = _ask(call, {**flags, "query": " ".join(query)}, None)
    value = answer.to_json()
    if save:
        _save(call, answer)
    if call.json:
        call.emit(value)
    else:
        _show(call, answer, verbose)
    if interactive and not call.json:
        _offer_stubs(call, value)
    return call.finish(degraded=value["mode"] == "extractive" and bool(value["attempts"]))


def _ask(call: Call, values: Mapping[str, Any], searcher: Any) -> Answer:
    from brain_assets.think import think

    request = asking.think_request(values)
    return think(
        call.settings,
        request.query,
        top=request.top,
        no_llm=request.no_llm,
        stale_days=request.stale_days,
        language=request.lang,
        filters=request.filters,
        searcher=searcher,
    )


def _batch(call: Call, source: str, flags: dict[str, Any], save: bool) -> int:
    from brain_assets import think  # noqa: F401 - loaded before memory is settled
    from brain_assets.cli import batch as batches
    from brain_assets.retrieval.search import Searcher

    searcher = Searcher.open(call.settings)
    asking.settle()

    def answer(line: Mapping[str, Any]) -> dict[str, Any]:
        result = _ask(call, line, searcher)
        if save:
            _save(call, result)
        return result.to_json()

    return batches.run(call, source, flags, answer)


def _save(call: Call, answer: Answer) -> None:
    from brain_assets.operation import keeping

    path = keeping.save(call.settings, answer)
    print(f"Saved to {path}", file=sys.stderr)  # noqa: T201


def _show(call: Call, answer: Answer, verbose: bool) -> None:
    from brain_assets.cli.screen import console
    from brain_assets.think import render

    render.terminal(answer, console(), verbose=verbose)


def _offer_stubs(call: Call, value: dict[str, Any]) -> None:
    from brain_assets.operation import keeping

    for gap in value["gaps"]["missing"]:
        question = f"Write a stub note for “{one_line(gap['term'])}” into {call.settings.inbox}/?"
        try:
            wanted = click.confirm(question, default=False, err=True)
        except click.Abort:
            return  # nobody there to say yes
        if wanted:
            call.say(f"Written: {keeping.write_stub(call.settings, gap, value['query'])}")
