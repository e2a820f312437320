"""Group synthesis: several sources become one fact base."""

from __future__ import annotations

from dagster import Definitions

from brain_assets.defs.stage import stage_asset

consolidations = stage_asset(
    "consolidations",
    group="synthesis",
    deps=["topic_clusters"],
    kinds={"python", "sqlite"},
    asks_model=True,
    columns={
        "scope": "what the fact base is about",
        "statements": "each with its sources and a verbatim quote",
        "critical_gaps": "open points that block an article",
    },
    description="""Fact bases: what three to eight sources say together, statement by statement.

Never an article yet. Each statement names its sources and quotes them; one that no source bears is dropped. At least
70 % of the sources were written by people. Critical gaps are what the research asks the web next. Runs nightly
(schedule `nightly_synthesis`) or by hand.""",
)

definitions = Definitions(assets=[consolidations])
