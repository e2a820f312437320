"""Group retrieval: what makes the brain searchable. Both are projections of the catalogue and can be rebuilt."""

from __future__ import annotations

from dagster import Definitions

from brain_assets.defs.stage import downstream, stage_asset

search_index = stage_asset(
    "search_index",
    group="retrieval",
    deps=["vault_notes", "kb_entries"],
    kinds={"tantivy"},
    automation=downstream(),
    columns={"document": "one passage with the title, aliases, tags and path of its entry"},
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
    columns={"set": "the model the vector is of", "digest": "the passage it stands for", "vector": "float32"},
    description="""A vector for each passage, so that meaning is found across words and languages.

One complete set for each model: the fast one is there within minutes, the accurate one follows. Unchanged passages
are never embedded twice. A set is used only when it is complete.""",
)

definitions = Definitions(assets=[search_index, embeddings])
