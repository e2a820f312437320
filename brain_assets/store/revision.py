"""The newest migration. It stands apart from the tables so that reading it needs no SQLAlchemy."""

REVISION = "0001"
"""A catalogue that names another one is older or newer than this version."""
