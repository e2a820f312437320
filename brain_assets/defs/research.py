"""Group research: open points are looked up on the web."""

from __future__ import annotations

from dagster import Definitions, TableColumn

from brain_assets.defs.stage import stage_asset

research_rounds = stage_asset(
    "research_rounds",
    group="research",
    deps=["consolidations"],
    kinds={"searxng"},
    asks_model=True,
    columns=[
        TableColumn("pool_id", "string", "the pool of sources whose gaps are looked up"),
        TableColumn("round", "integer", "1 to BRAIN_ARTICLE_RESEARCH_ROUNDS"),
        TableColumn("outcome", "string", "searched, search_failed, unavailable, disabled, nothing_open"),
        TableColumn("queries", "list of queries", "what was asked, in German and English"),
        TableColumn("evidence", "list of quotes", "accepted quotes of fetched pages"),
    ],
    description="""Research: the critical gaps of a fact base, asked of a SearXNG server in a few precise rounds.

Only public pages are fetched, under a budget, and only verbatim quotes that are relevant and good enough are kept.
They stay marked as web evidence and never count as knowledge of the team. Without a server the round says
`unavailable`, and the gap goes on blocking its article.""",
)

definitions = Definitions(assets=[research_rounds])
