"""Group synthesis: several sources become one fact base."""

from __future__ import annotations

from dagster import Definitions, TableColumn

from brain_assets.defs.stage import stage_asset

consolidations = stage_asset(
    "consolidations",
    group="synthesis",
    deps=["topic_clusters"],
    kinds={"python", "sqlite"},
    asks_model=True,
    columns=[
        TableColumn("scope", "string", "what the fact base is about"),
        TableColumn("statements", "list of statements", "each with its sources and a verbatim quote"),
        TableColumn("critical_gaps", "list of gaps", "open points that block an article"),
        TableColumn("optional_gaps", "list of gaps", "open points that do not"),
        TableColumn("resolved_gaps", "list of gaps", "points that research has answered, with the evidence"),
    ],
    description="""Fact bases: what three to eight sources say together, statement by statement.

Never an article yet. Each statement names its sources and quotes them; one that no source bears is dropped. At least
70 % of the sources were written by people. Critical gaps are what the research asks the web next. Runs nightly
(schedule `nightly_synthesis`) or by hand.""",
)

definitions = Definitions(assets=[consolidations])
