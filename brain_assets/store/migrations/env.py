"""Alembic's entry point: migrates over the connection that `migrations.upgrade` holds."""

from alembic import context

from brain_assets.store.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection, target_metadata=metadata, render_as_batch=True, transactional_ddl=True, compare_type=True
)
with context.begin_transaction():
    context.run_migrations()
