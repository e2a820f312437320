"""Group graph: how entries belong together, and where they disagree."""

from __future__ import annotations

from dagster import Definitions, TableColumn

from brain_assets.defs.stage import downstream, stage_asset

relation_edges = stage_asset(
    "relation_edges",
    group="graph",
    deps=["embeddings"],
    kinds={"networkx", "sqlite"},
    asks_model=True,
    automation=downstream(),
    columns=[
        TableColumn("source", "string", "the entry the edge is read from"),
        TableColumn("target", "string", "the entry it points to"),
        TableColumn("relation", "string", "supports, depends_on, contradicts, supersedes, …"),
        TableColumn("confidence", "float", "0 to 1"),
        TableColumn("judge", "string", "the model or the rules that decided"),
        TableColumn("source_quote", "string", "verbatim from the source"),
        TableColumn("target_quote", "string", "verbatim from the target"),
        TableColumn("reason", "string", "why the judge says so"),
    ],
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
    columns=[
        TableColumn("id", "string", "stays the same when members change a little"),
        TableColumn("label", "string", "what a person calls it"),
        TableColumn("terms", "list of strings", "what its members have in common"),
        TableColumn("members", "list of strings", "ids of entries, each in one topic"),
    ],
    description="""Communities of the graph, named by their characteristic terms.

A topic keeps its id when its members change a little. What belongs nowhere stands among the outliers.""",
)

definitions = Definitions(assets=[relation_edges, topic_clusters])
