"""Schema migrations (Alembic), run in process. `versions/` holds one file per revision, oldest first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine


def _config() -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config


def known_revisions() -> list[str]:
    """Revisions this version can open, newest first."""
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def upgrade(engine: Engine, to: str = "head") -> None:
    """Bring a catalogue to a revision, in one transaction: a killed upgrade leaves the old schema."""
    from alembic import command

    config = _config()
    with engine.connect().execution_options(brain_write=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, to)
