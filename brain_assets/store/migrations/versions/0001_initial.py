"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "article_versions",
        sa.Column("article_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("written_on", sa.Date(), nullable=False),
        sa.Column("article", sa.Text(), nullable=False),
        sa.Column("meta", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("article_id", "version"),
    )
    op.create_table(
        "articles",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("staged_on", sa.Date(), nullable=False),
        sa.Column("input_digest", sa.String(), nullable=False),
        sa.Column("article", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "consolidations",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("input_digest", sa.String(), nullable=False),
        sa.Column("consolidation", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pool_id", "version"),
    )
    op.create_table(
        "contradictions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("a", sa.String(), nullable=False),
        sa.Column("b", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("keep", sa.String(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("finding", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "dead_letters",
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("code_version", sa.String(), nullable=False),
        sa.Column("model_id", sa.String(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("stage", "item_id"),
    )
    op.create_table(
        "decisions",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("judge", sa.String(), nullable=False),
        sa.Column("prompt_version", sa.String(), nullable=False),
        sa.Column("source_digest", sa.String(), nullable=False),
        sa.Column("target_digest", sa.String(), nullable=False),
        sa.Column("related", sa.Boolean(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "target", "judge", "prompt_version"),
    )
    op.create_index("decisions_target", "decisions", ["target"], unique=False)
    op.create_table(
        "edges",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("relation", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("judge", sa.String(), nullable=False),
        sa.Column("source_quote", sa.Text(), nullable=False),
        sa.Column("target_quote", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "target", "relation", "origin"),
    )
    op.create_index("edges_target", "edges", ["target"], unique=False)
    op.create_table(
        "entries",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("date", sa.Date(), nullable=True),
        sa.Column("type", sa.String(), nullable=True),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("ai_origin", sa.Boolean(), nullable=False),
        sa.Column("generation_depth", sa.Integer(), nullable=False),
        sa.Column("content_digest", sa.String(), nullable=False),
        sa.Column("text_digest", sa.String(), nullable=False),
        sa.Column("document_digest", sa.String(), nullable=False),
        sa.Column("deleted_on", sa.Date(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("entries_kind", "entries", ["kind", "deleted_on"], unique=False)
    op.create_table(
        "entry_terms",
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("entry_id"),
    )
    op.create_table(
        "files",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("disk_path", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("mtime_ns", sa.Integer(), nullable=False),
        sa.Column("inode", sa.Integer(), nullable=False),
        sa.Column("content_digest", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("entry_ids", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "path"),
    )
    op.create_table(
        "gaps",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("queries", sa.Text(), nullable=False),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("first_seen", sa.Date(), nullable=False),
        sa.Column("last_seen", sa.Date(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "ledger",
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("code_version", sa.String(), nullable=False),
        sa.Column("model_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("stage", "item_id"),
    )
    op.create_table(
        "link_keys",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("by_path", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("key", "entry_id"),
    )
    op.create_index("link_keys_entry", "link_keys", ["entry_id"], unique=False)
    op.create_table(
        "llm_calls",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("prompt_version", sa.String(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "note_names",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key", "entry_id", "kind"),
    )
    op.create_index("note_names_entry", "note_names", ["entry_id"], unique=False)
    op.create_table(
        "passages",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("heading_path", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("passages_entry", "passages", ["entry_id", "ordinal"], unique=False)
    op.create_table(
        "pools",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "problems",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("source", "path", "ordinal"),
    )
    op.create_table(
        "refusals",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("input_digest", sa.String(), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pool_id"),
    )
    op.create_table(
        "research_pages",
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("url"),
    )
    op.create_table(
        "research_rounds",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("input_digest", sa.String(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pool_id", "round"),
    )
    op.create_table(
        "reviews",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("article_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("on", sa.Date(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("source_digest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "stage_runs",
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("finished_at", sa.String(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("stage"),
    )
    op.create_table(
        "topic_members",
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("topic_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("entry_id"),
    )
    op.create_table(
        "topics",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("parent", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "unsettled_links", sa.Column("entry_id", sa.String(), nullable=False), sa.PrimaryKeyConstraint("entry_id")
    )
    op.create_table(
        "vector_sets",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("direction", sa.LargeBinary(), nullable=True),
        sa.Column("direction_origin", sa.String(), nullable=True),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "vectors",
        sa.Column("set_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("set_id", "digest"),
    )


def downgrade() -> None:
    op.drop_table("vectors")
    op.drop_table("vector_sets")
    op.drop_table("unsettled_links")
    op.drop_table("topics")
    op.drop_table("topic_members")
    op.drop_table("stage_runs")
    op.drop_table("reviews")
    op.drop_table("research_rounds")
    op.drop_table("research_pages")
    op.drop_table("refusals")
    op.drop_table("problems")
    op.drop_table("pools")
    op.drop_index("passages_entry", table_name="passages")
    op.drop_table("passages")
    op.drop_index("note_names_entry", table_name="note_names")
    op.drop_table("note_names")
    op.drop_table("meta")
    op.drop_table("llm_calls")
    op.drop_index("link_keys_entry", table_name="link_keys")
    op.drop_table("link_keys")
    op.drop_table("ledger")
    op.drop_table("gaps")
    op.drop_table("files")
    op.drop_table("entry_terms")
    op.drop_index("entries_kind", table_name="entries")
    op.drop_table("entries")
    op.drop_index("edges_target", table_name="edges")
    op.drop_table("edges")
    op.drop_index("decisions_target", table_name="decisions")
    op.drop_table("decisions")
    op.drop_table("dead_letters")
    op.drop_table("contradictions")
    op.drop_table("consolidations")
    op.drop_table("articles")
    op.drop_table("article_versions")
