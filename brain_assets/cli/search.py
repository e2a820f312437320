"""`brain search`: the fast path. Nothing here may import Dagster, SQLAlchemy, pandas or rich before it is needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from brain_assets.cli.options import Call, common, filters
from brain_assets.operation import asking
from brain_assets.text.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from brain_assets.model.search import Hit, SearchResult
    from brain_assets.retrieval.search import Searcher

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_WIDEST = 110
_REASONS = {"title": "named in the title", "meaning": "near in meaning", "link": "linked with one of the best"}


@click.command("search")
@click.argument("query", nargs=-1)
@click.option("--top", type=click.IntRange(1, asking.MAX_TOP), default=10, show_default=True, help="How many hits.")
@click.option("--mode", type=click.Choice(asking.MODES), default="hybrid", show_default=True, help="What to search by.")
@filters
@click.option("--explain", is_flag=True, help="Show every part of every score.")
@click.option("--all", "all_", is_flag=True, help="Also near-duplicates of hits.")
@click.option("--no-boosts", is_flag=True, help="Order by relevance alone, whatever the age, status, folder and links.")
@click.option("--paths", "only_paths", is_flag=True, help="Print only the hits' paths (in the vault or the KB).")
@click.option("--batch", metavar="FILE", help="One JSON object a line with id and query; - is stdin.")
@common
def search_command(call: Call, query: tuple[str, ...], only_paths: bool, batch: str | None, **values: Any) -> int:
    """Find notes, KB entries and articles. Costs nothing and stays on this machine.

    \b
    brain search vpn tunnel
    brain search "Zertifikat läuft ab" --kind kb --after 2026-01-01
    brain search --paths backup --kind note     paths inside the vault, for other commands
    brain search --batch queries.jsonl --json > hits.jsonl

    Dates are YYYY-MM-DD. A query may use "exact words", -without, title:, tag:, path:, type:, before:, after:; put it
    in quotes then: brain search 'vpn -hotel title:tunnel'
    """
    from brain_assets.retrieval.search import Searcher

    flags = {name.rstrip("_"): value for name, value in values.items() if value not in (None, ())}
    if batch is None and not query:
        raise click.UsageError("Type a query, or name a --batch file.")
    searcher = Searcher.open(call.settings)

    def answer(request_values: Any) -> SearchResult:
        request = asking.search_request(request_values)
        return searcher.search(
            request.query,
            top=request.top,
            mode=request.mode,
            filters=request.filters,
            explain=request.explain,
            all=request.all,
            boosts=not request.no_boosts,
        )

    if batch is not None:
        from brain_assets.cli import batch as batches

        return batches.run(call, batch, flags, lambda line: asking.search_json(answer(line), bool(line.get("explain"))))
    result = answer({**flags, "query": " ".join(query)})
    if call.json:
        call.emit(asking.search_json(result, flags["explain"]))
    elif only_paths:
        for hit in result.hits:
            if hit.path is not None:
                call.say(hit.path, as_is=not sys.stdout.isatty())  # other commands need the very name
    else:
        _show(call, searcher, result, flags["explain"])
    return call.finish(degraded=bool(result.notes))


def _show(call: Call, searcher: Searcher, result: SearchResult, explain: bool) -> None:
    from shutil import get_terminal_size

    from brain_assets.cli import screen
    from brain_assets.retrieval.previews import readable

    styled = screen.styled()
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    for hit in result.hits:
        facts = " · ".join(str(x) for x in (hit.path or hit.id, hit.kind, hit.type, hit.date, hit.status) if x)
        text = one_line(readable(hit.preview, hit.title))
        call.say(f"{hit.rank:>3}. {_style(one_line(hit.title), _BOLD, styled)}", as_is=True)
        for line in screen.hung(f"     {one_line(facts)}", indent=5):
            call.say(_style(line, _DIM, styled), as_is=True)
        for line in _wrapped(text, width):
            call.say(f"     {_mark(line, searcher.marks(result.query, line), styled)}", as_is=True)
        for line in screen.hung(f"     {one_line(_why(hit))}", indent=5):
            call.say(_style(line, _DIM, styled), as_is=True)
        if explain and hit.explain:
            for name, value in hit.explain.items():
                call.say(f"       {name}: {value}")
    if not result.hits:
        call.say("Nothing was found.")
    for note in result.notes:
        call.say(f"Note: {note}")
    number = len(result.hits)
    call.say(f"{number} hit{'' if number == 1 else 's'}, coverage {result.coverage}, {result.took_ms:.0f} ms.")


def _why(hit: Hit) -> str:
    """Why a hit was found, in words, and its score."""
    said = [f"has {', '.join(hit.matched)}"] if hit.matched else []
    said += [_REASONS[reason] for reason in hit.reasons]
    if not said and not hit.score:
        return "passes the filters"
    return f"{'; '.join(said) or 'similar'} ({hit.score:.3f})"


def _wrapped(text: str, width: int) -> list[str]:
    """Lines that fit a terminal; one line in a pipe."""
    if not width:
        return [text] if text else []
    import textwrap

    return textwrap.wrap(text, max(30, min(width, _WIDEST) - 5))


def _style(text: str, code: str, styled: bool) -> str:
    return f"{code}{text}{_PLAIN}" if styled and text else text


def _mark(text: str, spans: Sequence[tuple[int, int]], styled: bool) -> str:
    """A text with its matching words in bold on a terminal, between asterisks elsewhere."""
    before, after = (_BOLD, _PLAIN) if styled else ("**", "**")
    out, last = [], 0
    for start, end in spans:
        out += [text[last:start], before, text[start:end], after]
        last = end
    return "".join([*out, text[last:]])
