"""`brain articles`: what is staged, and a person's decision about it."""

from __future__ import annotations

from typing import Any

import click

from brain_assets.cli.options import Call, common


@click.group("articles")
def articles_command() -> None:
    """Staged articles: list, show, diff, approve, reject, history.

    \b
    brain articles list
    brain articles show KB-AI-THINK-ARTICLE-20261201-3fa1c2d4
    brain articles approve KB-AI-THINK-ARTICLE-20261201-3fa1c2d4 --why "checked on the gateway"

    Approving adds ID.json to the knowledge base folder and changes no file that is there.
    """


@articles_command.command("list")
@click.option(
    "--state", multiple=True, type=click.Choice(["staged", "approved", "rejected", "superseded"]),
    help="Only in this state. Repeatable.",
)  # fmt: skip
@common
def articles_list(call: Call, state: tuple[str, ...]) -> int:
    """List articles, and the pools that became none with the reason.

    \b
    brain articles list --state staged
    """
    from brain_assets.cli.screen import table
    from brain_assets.store import catalogue
    from brain_assets.synthesis import review

    with catalogue.open(call.settings, read_only=True) as cat:
        value: dict[str, Any] = review.list_articles(cat, call.settings)
    if state:
        value = value | {"articles": [a for a in value["articles"] if a["state"] in state]}
    if call.json:
        call.emit(value)
    rows = [(a["id"], a["title"], a["type"], a["decision"], a["target"], f"{a['confidence']:.2f}", a["state"])
            for a in value["articles"]]  # fmt: skip
    table(call, ("id", "title", "type", "decision", "target", "sure", "state"), rows, "", "No article is staged.")
    refused = [(r["title"], r["decision"], len(r["sources"]), r["reason"]) for r in value["refused"]]
    if refused and not state:
        call.say()
        table(call, ("subject", "decision", "sources", "why no article"), refused, "Refused")
    return call.finish()


@articles_command.command("show")
@click.argument("article_id")
@common
def articles_show(call: Call, article_id: str) -> int:
    """Show an article as its reader will see it, and what it stands on.

    \b
    brain articles show KB-AI-THINK-ARTICLE-20261201-3fa1c2d4
    """
    from brain_assets.store import catalogue
    from brain_assets.synthesis import review

    with catalogue.open(call.settings, read_only=True) as cat:
        value: dict[str, Any] = review.show(cat, call.settings, article_id)
    if call.json:
        call.emit(value)
    else:
        _show(call, value)
    return call.finish()


def _show(call: Call, value: dict[str, Any]) -> None:
    article, meta = value["article"], value["meta"]
    call.say(f"# {article['title']}\n")
    call.say(f"{article['text']}\n\n{article['answer']}\n")
    call.say(
        f"{article['id']}: {meta['type']}, {meta['decision']}" + (f" of {meta['target']}" if meta["target"] else "")
    )
    call.say(f"Categories: {', '.join(article['categories'])}. Keywords: {', '.join(article['keywords'])}.")
    call.say(f"Confidence {meta['confidence']:.2f}. Sources:")
    for source in meta["sources"]:
        call.say(f"  {source}")
    for fact in meta["facts"]:
        call.say(f"  - {fact['text']}  [{fact['source']}]")
    for name in ("critical_gaps", "optional_gaps", "resolved_gaps"):
        for gap in meta[name]:
            call.say(f"  {name.replace('_', ' ')[:-1]}: {gap['question']}")


@articles_command.command("diff")
@click.argument("article_id")
@common
def articles_diff(call: Call, article_id: str) -> int:
    """Show what an article changes: against its target, or its version before.

    \b
    brain articles diff KB-AI-THINK-ARTICLE-20261201-3fa1c2d4
    """
    from brain_assets.store import catalogue
    from brain_assets.synthesis import review

    with catalogue.open(call.settings, read_only=True) as cat:
        found = review.diff(cat, call.settings, article_id)
    if call.json:
        call.emit(found)
    call.say(found["diff"] or "There is nothing to compare it with: no target, no version before.")
    return call.finish()


@articles_command.command("history")
@click.argument("article_id")
@common
def articles_history(call: Call, article_id: str) -> int:
    """Show the versions of an article, and who decided what, when and why.

    \b
    brain articles history KB-AI-THINK-ARTICLE-20261201-3fa1c2d4
    """
    from brain_assets.cli.screen import table
    from brain_assets.store import catalogue
    from brain_assets.synthesis import review

    with catalogue.open(call.settings, read_only=True) as cat:
        found = review.history(cat, call.settings, article_id)
    if call.json:
        call.emit(found)
    call.say(f"{found['id']} is {found['state']}.")
    versions = [(v["on"], v["version"], v["title"], f"{v['confidence']:.2f}") for v in found["versions"]]
    table(call, ("on", "version", "title", "sure"), versions)
    reviews = [(r["on"], r["version"], r["action"], r["who"], r["why"]) for r in found["reviews"]]
    table(call, ("on", "version", "action", "who", "why"), reviews, "", "Nothing was decided yet.")
    return call.finish()


def _decide(call: Call, article_id: str, action: str, who: str | None, why: str, wait: bool) -> int:
    from brain_assets.operation import pipeline
    from brain_assets.synthesis import review

    decide = review.approve if action == "approve" else review.reject
    with pipeline.writing(call.settings, wait=call.settings.lock_wait if wait else 0.0) as run:
        value = decide(run.cat, run.settings, article_id, who=who, why=why)
        pipeline.make_findable(run)
    if call.json:
        call.emit(value)
    call.say(f"{value['id']} is {value['state']}.")
    if action == "approve":
        call.say(f"It is {value['path']} now; the next `brain sync` reads it.")
    for line in _glpi(value.get("glpi") or {}):
        call.say(line)
    return call.finish()


def _glpi(found: dict[str, Any]) -> list[str]:
    """What became of the draft in GLPI, in lines for people; nothing when none was asked for."""
    if "error" in found:
        return [f"GLPI: {found['error']}", f"      {found['remedy']}"]
    if "id" in found:
        return [f"GLPI: draft {found['id']}.", *(f"      {problem}" for problem in found["problems"])]
    return []


@articles_command.command("approve")
@click.argument("article_id")
@click.option("--who", help="Your name, for the history (your login by default).")
@click.option("--why", default="", help="What you checked.")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def articles_approve(call: Call, article_id: str, who: str | None, why: str, wait: bool) -> int:
    """Add an article to the knowledge base. No existing file is changed.

    \b
    brain articles approve KB-AI-THINK-ARTICLE-20261201-3fa1c2d4 --why "checked on the gateway"
    """
    return _decide(call, article_id, "approve", who, why, wait)


@articles_command.command("reject")
@click.argument("article_id")
@click.option("--who", help="Your name, for the history (your login by default).")
@click.option("--why", required=True, help="Why; its sources are not proposed again unless they change.")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def articles_reject(call: Call, article_id: str, who: str | None, why: str, wait: bool) -> int:
    """Keep an article out, and remember why.

    \b
    brain articles reject KB-AI-THINK-ARTICLE-20261201-3fa1c2d4 --why "too thin"
    """
    return _decide(call, article_id, "reject", who, why, wait)
