"""Tables of the catalogue, grouped by the asset that writes them. The migrations in `migrations/` create them."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from brain_assets.store import revision

REVISION = revision.REVISION

metadata = MetaData()


def _id(name: str = "id") -> Column[str]:
    return Column(name, String, primary_key=True)


meta = Table("meta", metadata, _id("key"), Column("value", Text, nullable=False))

# vault_notes, kb_entries (and, for articles and web pages, synthesis)
files = Table(
    "files",
    metadata,
    Column("source", String, primary_key=True, doc="vault or kb"),
    Column("path", String, primary_key=True, doc="relative, forward slashes, NFC"),
    Column("disk_path", Text, nullable=False, doc="as the file system spells it"),
    Column("size", Integer, nullable=False),
    Column("mtime_ns", Integer, nullable=False),
    Column("inode", Integer, nullable=False),
    Column("content_digest", String, nullable=False),
    Column("state", String, nullable=False, doc="live or quarantined"),
    Column("reason", Text, nullable=False, default=""),
    Column("entry_ids", Text, nullable=False, default="[]", doc="JSON list"),
)
problems = Table(
    "problems",
    metadata,
    Column("source", String, primary_key=True),
    Column("path", String, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("severity", String, nullable=False, default="warning", doc="warning, or quarantined"),
)
entries = Table(
    "entries",
    metadata,
    _id(),
    Column("kind", String, nullable=False),
    Column("path", String),
    Column("title", Text, nullable=False),
    Column("language", String, nullable=False),
    Column("date", Date),
    Column("type", String),
    Column("status", String),
    Column("ai_origin", Boolean, nullable=False),
    Column("generation_depth", Integer, nullable=False),
    Column("content_digest", String, nullable=False),
    Column("text_digest", String, nullable=False),
    Column("document_digest", String, nullable=False, doc="of everything the entry holds"),
    Column("deleted_on", Date, doc="set: a tombstone"),
    Column("body", Text, nullable=False),
    Column("document", Text, nullable=False, doc="JSON: the rest of model.Entry"),
)
Index("entries_kind", entries.c.kind, entries.c.deleted_on)
passages = Table(
    "passages",
    metadata,
    _id(),
    Column("entry_id", String, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("heading_path", Text, nullable=False, doc="JSON list"),
    Column("text", Text, nullable=False),
    Column("language", String, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("digest", String, nullable=False),
)
Index("passages_entry", passages.c.entry_id, passages.c.ordinal)
note_names = Table(
    "note_names",
    metadata,
    Column("key", String, primary_key=True, doc="alias, title or KB id that a link may use, NFC, case folded"),
    Column("entry_id", String, primary_key=True),
    Column("kind", String, primary_key=True, doc="alias, title or kb"),
)
Index("note_names_entry", note_names.c.entry_id)
link_keys = Table(
    "link_keys",
    metadata,
    Column("key", String, primary_key=True, doc="last part of a link's target, NFC, case folded"),
    Column("entry_id", String, primary_key=True, doc="the note that holds the link"),
    Column("by_path", Boolean, nullable=False, doc="a file of that name was found: aliases and titles do not matter"),
)
Index("link_keys_entry", link_keys.c.entry_id)
unsettled_links = Table(
    "unsettled_links",
    metadata,
    _id("entry_id"),
)

# embeddings
vector_sets = Table(
    "vector_sets",
    metadata,
    _id(),
    Column("model", String, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("settings", Text, nullable=False, doc="JSON: prompts, fusion parameters, model digest"),
    Column("direction", LargeBinary, doc="float32 unit vector German − English"),
    Column("direction_origin", String),
    Column("complete", Boolean, nullable=False, default=False),
)
vectors = Table(
    "vectors",
    metadata,
    Column("set_id", String, primary_key=True),
    Column("digest", String, primary_key=True, doc="Passage.digest"),
    Column("vector", LargeBinary, nullable=False, doc="float32, little-endian"),
)

# relation_edges (origin "relations"), staged_articles (origin "articles")
edges = Table(
    "edges",
    metadata,
    Column("source", String, primary_key=True),
    Column("target", String, primary_key=True),
    Column("relation", String, primary_key=True),
    Column("origin", String, primary_key=True),
    Column("confidence", Float, nullable=False),
    Column("judge", String, nullable=False),
    Column("source_quote", Text, nullable=False, default=""),
    Column("target_quote", Text, nullable=False, default=""),
    Column("reason", Text, nullable=False, default=""),
)
Index("edges_target", edges.c.target)
decisions = Table(
    "decisions",
    metadata,
    Column("source", String, primary_key=True),
    Column("target", String, primary_key=True),
    Column("judge", String, primary_key=True),
    Column("prompt_version", String, primary_key=True),
    Column("source_digest", String, nullable=False),
    Column("target_digest", String, nullable=False),
    Column("related", Boolean, nullable=False),
    Column("decision", Text, nullable=False, doc="JSON of model.Decision"),
)
Index("decisions_target", decisions.c.target)
contradictions = Table(
    "contradictions",
    metadata,
    _id(),
    Column("a", String, nullable=False),
    Column("b", String, nullable=False),
    Column("subject", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("status", String, nullable=False),
    Column("keep", String),
    Column("note", Text, nullable=False, default=""),
    Column("finding", Text, nullable=False, doc="JSON of model.Contradiction"),
)
entry_terms = Table(
    "entry_terms",
    metadata,
    _id("entry_id"),
    Column("digest", String, nullable=False, doc="of the text the terms were read from, and the reader's version"),
    Column("terms", LargeBinary, nullable=False, doc="uint32 hashes of the entry's meaningful words, ascending"),
)

# topic_clusters
topics = Table(
    "topics",
    metadata,
    _id(),
    Column("label", Text, nullable=False),
    Column("terms", Text, nullable=False, doc="JSON list"),
    Column("parent", String),
)
topic_members = Table(
    "topic_members",
    metadata,
    _id("entry_id"),
    Column("topic_id", String, nullable=False, doc="`outliers` for those in no topic"),
)

# consolidations, research_rounds, staged_articles
pools = Table(
    "pools",
    metadata,
    _id(),
    Column("decision", String, nullable=False),
    Column("target", String),
    Column("reason", Text, nullable=False, default=""),
    Column("pool", Text, nullable=False, doc="JSON of model.Pool"),
)
consolidations = Table(
    "consolidations",
    metadata,
    Column("pool_id", String, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("input_digest", String, nullable=False),
    Column("consolidation", Text, nullable=False, doc="JSON of model.Consolidation"),
)
research_rounds = Table(
    "research_rounds",
    metadata,
    Column("pool_id", String, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("outcome", String, nullable=False),
    Column("input_digest", String, nullable=False),
    Column("record", Text, nullable=False, doc="JSON of model.ResearchRound"),
)
research_pages = Table(
    "research_pages",
    metadata,
    _id("url"),
    Column("digest", String, nullable=False, doc="SHA-256 of the page text; names its file in evidence/"),
    Column(
        "page", Text, nullable=False, doc="JSON: title, site, published, language, extractor, truncated, fetched_on"
    ),
)
articles = Table(
    "articles",
    metadata,
    _id(),
    Column("version", Integer, nullable=False),
    Column("pool_id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("staged_on", Date, nullable=False),
    Column("input_digest", String, nullable=False),
    Column("article", Text, nullable=False, doc="JSON of model.Article"),
)
article_versions = Table(
    "article_versions",
    metadata,
    Column("article_id", String, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("written_on", Date, nullable=False),
    Column("article", Text, nullable=False, doc="JSON of model.Article"),
    Column("meta", Text, nullable=False, doc="JSON: what article-metadata/ID.json holds"),
)
refusals = Table(
    "refusals",
    metadata,
    _id("pool_id"),
    Column("input_digest", String, nullable=False),
    Column("decision", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("details", Text, nullable=False, doc="JSON: sources, failed checks with values"),
)
reviews = Table(
    "reviews",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("article_id", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("action", String, nullable=False, doc="approved or rejected"),
    Column("who", String, nullable=False),
    Column("on", Date, nullable=False),
    Column("why", Text, nullable=False, default=""),
    Column("source_digest", String, nullable=False, doc="of the pool's sources at that time"),
)

# think
gaps = Table(
    "gaps",
    metadata,
    _id(),
    Column("kind", String, nullable=False),
    Column("term", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("queries", Text, nullable=False, doc="JSON list"),
    Column("seen", Integer, nullable=False),
    Column("first_seen", Date, nullable=False),
    Column("last_seen", Date, nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("detail", Text, nullable=False, doc="JSON: the gap as reported last"),
)
llm_calls = Table(
    "llm_calls",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("at", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("provider", String, nullable=False),
    Column("model", String, nullable=False),
    Column("prompt_version", String, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("ms", Integer, nullable=False),
    Column("outcome", String, nullable=False),
)

# the work ledger
ledger = Table(
    "ledger",
    metadata,
    Column("stage", String, primary_key=True),
    Column("item_id", String, primary_key=True),
    Column("digest", String, nullable=False),
    Column("code_version", String, nullable=False),
    Column("model_id", String, nullable=False),
)
dead_letters = Table(
    "dead_letters",
    metadata,
    Column("stage", String, primary_key=True),
    Column("item_id", String, primary_key=True),
    Column("digest", String, nullable=False),
    Column("code_version", String, nullable=False),
    Column("model_id", String, nullable=False),
    Column("error", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
)
stage_runs = Table(
    "stage_runs",
    metadata,
    _id("stage"),
    Column("finished_at", String, nullable=False),
    Column("report", Text, nullable=False, doc="JSON of StageReport"),
)
