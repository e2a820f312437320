"""A second brain for teams: a Markdown vault and a support knowledge base as a Dagster asset graph."""

__version__ = "0.1.0"
