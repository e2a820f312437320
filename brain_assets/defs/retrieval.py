"""Group retrieval: what makes the brain searchable. Both are projections of the catalogue and can be rebuilt."""

from __future__ import annotations

from dagster import Definitions, TableColumn

from brain_assets.defs.stage import downstream, stage_asset

search_index = stage_asset(
    "search_index",
    group="retrieval",
    deps=["vault_notes", "kb_entries"],
    kinds={"tantivy"},
    automation=downstream(),
    columns=[
        TableColumn("id", "string", "the entry"),
        TableColumn("title", "string", "with aliases and headings in fields of their own"),
        TableColumn("body", "string", "its text in German and English word stems, and as it is spelt"),
        TableColumn("date", "date", "for --after and --before, and for recency"),
    ],
    description="""The full-text index: what search and think look into.

German and English word stems, spelling with or without umlauts, and compounds taken apart with a vocabulary learnt
from your own texts. Only what changed is written; searches keep reading the old state until the new one is whole.""",
)

embeddings = stage_asset(
    "embeddings",
    group="retrieval",
    deps=["vault_notes", "kb_entries", "search_index"],
    kinds={"numpy", "sqlite"},
    automation=downstream(),
    columns=[
        TableColumn("set_id", "string", "the model the vector is of"),
        TableColumn("digest", "string", "SHA-256 of the passage it stands for"),
        TableColumn("vector", "float32[dimension]", "unit length, little-endian"),
    ],
    description="""A vector for each passage, so that meaning is found across words and languages.

One complete set for each model: the fast one is there within minutes, the accurate one follows. Unchanged passages
are never embedded twice. A set is used only when it is complete.""",
)

definitions = Definitions(assets=[search_index, embeddings])
