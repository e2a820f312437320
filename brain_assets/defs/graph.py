"""Group graph: how entries belong together, and where they disagree."""

from __future__ import annotations

from dagster import Definitions

from brain_assets.defs.stage import downstream, stage_asset

relation_edges = stage_asset(
    "relation_edges",
    group="graph",
    deps=["embeddings"],
    kinds={"networkx", "sqlite"},
    asks_model=True,
    automation=downstream(),
    columns={
        "source": "the entry the edge is read from",
        "target": "the entry it points to",
        "relation": "supports, depends_on, contradicts, supersedes, …",
        "source_quote": "verbatim from the source",
        "target_quote": "verbatim from the target",
    },
    description="""Typed edges between entries, each with a quote from both sides.

Candidates come from links, near passages and shared rare terms; a judge (a language model if one is there, else
rules) decides and gives its reason. Decisions are kept and not asked again while both texts are unchanged. The same
step looks for contradictions over the whole corpus: see `brain contradictions`.""",
)

topic_clusters = stage_asset(
    "topic_clusters",
    group="graph",
    deps=["relation_edges"],
    kinds={"networkx"},
    automation=downstream(),
    columns={"topic": "its label", "terms": "what its members have in common", "members": "entries, each in one topic"},
    description="""Communities of the graph, named by their characteristic terms.

A topic keeps its id when its members change a little. What belongs nowhere stands among the outliers.""",
)

definitions = Definitions(assets=[relation_edges, topic_clusters])
