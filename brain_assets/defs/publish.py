"""Group publish: what a person reviews."""

from __future__ import annotations

from dagster import Definitions, TableColumn

from brain_assets.defs.stage import stage_asset

staged_articles = stage_asset(
    "staged_articles",
    group="publish",
    deps=["research_rounds"],
    kinds={"json"},
    asks_model=True,
    columns=[
        TableColumn("id", "string", "KB-AI-THINK-ARTICLE-…"),
        TableColumn("title", "string", "what the article is about"),
        TableColumn("type", "string", "troubleshooting, how_to, reference, concept, decision_guide"),
        TableColumn("decision", "string", "create, update or merge"),
        TableColumn("target", "string", "the entry that an update or merge is for"),
        TableColumn("confidence", "float", "0 to 1, at least BRAIN_ARTICLE_MIN_CONFIDENCE"),
        TableColumn("sources", "list of strings", "ids of what it was made from"),
        TableColumn("state", "string", "staged, approved, rejected, superseded"),
        TableColumn("staged_on", "date", "the day it was staged first"),
    ],
    description="""The end of the line: KB articles in the staging folder, waiting for a person.

A draft that misses one quality limit is not written. Nothing reaches the knowledge base by itself: review with
`brain articles`, or the jobs `approve_article` and `reject_article`.""",
)

definitions = Definitions(assets=[staged_articles])
