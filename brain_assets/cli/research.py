"""`brain research`: what the web was asked, and asking it now."""

from __future__ import annotations

from typing import Any

import click

from brain_assets.cli.options import Call, common


@click.group("research")
def research_command() -> None:
    """Research of critical gaps on the web: run, show, retry.

    \b
    brain research run
    brain research show
    brain research retry       ask again what could not be searched
    """


def _run(call: Call, stages: tuple[str, ...], wait: bool) -> int:
    from brain_assets.cli.screen import progress, table
    from brain_assets.operation import pipeline

    with (
        progress() as show,
        pipeline.writing(call.settings, wait=call.settings.lock_wait if wait else 0.0, progress=show) as run,
    ):
        reports = pipeline.run_stages(stages, run)
    if call.json:
        call.emit({"stages": {name: report.to_json() for name, report in reports.items()}})
    rows = [(name, r.pending, r.done, r.reused, r.failed, r.seconds) for name, r in reports.items()]
    table(call, ("stage", "pending", "done", "reused", "failed", "s"), rows)
    failed = sum(report.failed for report in reports.values())
    return call.finish(degraded=bool(failed))


@research_command.command("run")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def research_run(call: Call, wait: bool) -> int:
    """Research the open critical gaps of every fact base, then write the articles they were blocking.

    \b
    brain research run --wait
    """
    code = _run(call, ("research_rounds", "staged_articles"), wait)
    _told_stuck(call)
    return code


def _told_stuck(call: Call) -> bool:
    """Whether rounds could not be searched; says so, with the first reason."""
    stuck = [r for r in _rounds(call, None) if r["outcome"] in ("search_failed", "unavailable")]
    if stuck:
        number = "1 round" if len(stuck) == 1 else f"{len(stuck)} rounds"
        call.say(f"{number} could not be searched: {stuck[0]['reason'] or stuck[0]['outcome']}")
        call.say("Ask again with: brain research retry")
    return bool(stuck)


@research_command.command("retry")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def research_retry(call: Call, wait: bool) -> int:
    """Ask again only what could not be searched; leaves with 1 if there still is such a round.

    \b
    brain research retry --wait
    """
    code = _run(call, ("research_rounds", "staged_articles"), wait)
    return code or call.finish(failed=_told_stuck(call))


def _rounds(call: Call, pool: str | None) -> list[dict[str, Any]]:
    from brain_assets.operation import views
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        return views.research_rounds(connection, pool)


@research_command.command("show")
@click.argument("pool", required=False)
@common
def research_show(call: Call, pool: str | None) -> int:
    """Show the rounds (of one pool, or of all): questions, queries, pages, evidence, and what stays open.

    \b
    brain research show
    brain research show POOL --json
    """
    found = _rounds(call, pool)
    if call.json:
        call.emit({"rounds": found})
        return call.finish()
    if not found:
        call.say("No round yet: research starts when a fact base has a critical gap.")
        return call.finish()
    from brain_assets.model.synthesis import ResearchRound
    from brain_assets.research import report

    call.say(report.markdown([ResearchRound.model_validate(one) for one in found]))
    return call.finish()
