"""Group publish: what a person reviews."""

from __future__ import annotations

from dagster import Definitions

from brain_assets.defs.stage import stage_asset

staged_articles = stage_asset(
    "staged_articles",
    group="publish",
    deps=["research_rounds"],
    kinds={"json"},
    asks_model=True,
    columns={
        "id": "KB-AI-THINK-ARTICLE-…",
        "title": "what the article is about",
        "type": "troubleshooting, how_to, reference, concept, decision_guide",
        "decision": "create, update or merge, with its target",
        "state": "staged, approved, rejected, superseded",
    },
    description="""The end of the line: KB articles in the staging folder, waiting for a person.

A draft that misses one quality limit is not written. Nothing reaches the knowledge base by itself: review with
`brain articles`, or the jobs `approve_article` and `reject_article`.""",
)

definitions = Definitions(assets=[staged_articles])
