"""Group ingest: what people wrote, read as it is and never changed."""

from __future__ import annotations

import datetime as dt

from dagster import Definitions, FreshnessPolicy, TableColumn

from brain_assets.defs.stage import stage_asset

_WEEKLY = FreshnessPolicy.time_window(fail_window=dt.timedelta(days=8), warn_window=dt.timedelta(days=7, hours=12))

vault_notes = stage_asset(
    "vault_notes",
    group="ingest",
    kinds={"markdown", "sqlite"},
    freshness=_WEEKLY,
    columns=[
        TableColumn("id", "string", "note: and the path inside the vault"),
        TableColumn("title", "string", "front matter, first heading or file name"),
        TableColumn("date", "date", "the newest date the note states, else its file time"),
        TableColumn("language", "string", "de or en, by its text"),
        TableColumn("tags", "list of strings", "from the front matter and the text"),
        TableColumn("body", "string", "the Markdown below the front matter, as written"),
    ],
    description="""Start here: every Markdown note of the vault, one row each.

The vault folder is read and never written. Each `.md` file becomes a live note or is quarantined with a reason:
nothing is lost. Front matter, links, headings, tasks and dates are understood as Obsidian does. A deleted note
becomes a tombstone and leaves every view at once.""",
)

kb_entries = stage_asset(
    "kb_entries",
    group="ingest",
    kinds={"json", "sqlite"},
    freshness=_WEEKLY,
    columns=[
        TableColumn("id", "string", "kb: and the entry's own id"),
        TableColumn("title", "string", "the question or problem"),
        TableColumn("record", "KB record", "the entry in the KB schema: text, answer, categories, keywords, …"),
        TableColumn("ai_origin", "boolean", "whether it began as an approved article of this product"),
        TableColumn("generation_depth", "integer", "0 for what people wrote, else 1 + its deepest source"),
    ],
    description="""The support knowledge base, one row for each entry.

Entries come from JSON files in the KB schema, from a GLPI server if one is configured, and from articles a person
approved. Entries that do not keep the schema are quarantined with file and reason.""",
)

definitions = Definitions(assets=[vault_notes, kb_entries])
