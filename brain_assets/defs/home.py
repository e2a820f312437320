"""DAGSTER_HOME: where Dagster keeps runs and events, so that `brain build` and `brain up` share one history."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from alembic.util.exc import CommandError as AlembicError
from dagster import DagsterError, DagsterInstance
from sqlalchemy.exc import SQLAlchemyError

from brain_assets.errors import ConfigurationError
from brain_assets.operation.disk import dagster_home
from brain_assets.settings import Settings
from brain_assets.store import files

CONFIG = Path(__file__).with_name("dagster.yaml")
WORKSPACE = Path(__file__).with_name("workspace.yaml")
_MARK = "# Written by brain_assets"


def prepare(settings: Settings) -> Path:
    """The home folder, made and configured: `dagster/` in the data directory unless DAGSTER_HOME is set.

    A dagster.yaml or workspace.yaml that a person has made their own (its first line no longer says that the product
    wrote it) is left alone. Raises ConfigurationError if the folder cannot be written.
    """
    home = dagster_home(settings)
    if odd := [character for character in "?%" if character in str(home)]:
        raise ConfigurationError(
            f"Dagster cannot keep its history in {home}: there is a {odd[0]} in the path.",
            "Set DAGSTER_HOME to another folder, or choose another --data-dir.",
        )
    try:
        home.mkdir(parents=True, exist_ok=True)
        for shipped in (CONFIG, WORKSPACE):
            target = home / shipped.name
            wanted = shipped.read_text("utf-8")
            found = target.read_text("utf-8") if target.exists() else None
            if found is None or (found.startswith(_MARK) and found != wanted):
                files.write_atomic(target, wanted)
    except OSError as error:
        raise ConfigurationError(
            f"Dagster's home {home} cannot be written ({error.strerror}).", "Correct its permissions or DAGSTER_HOME."
        ) from error
    os.environ["DAGSTER_HOME"] = str(home)
    return home


@contextlib.contextmanager
def instance(home: Path) -> Iterator[DagsterInstance]:
    """Dagster's instance in `home`. Raises ConfigurationError if its configuration or history cannot be used."""
    try:
        opened = DagsterInstance.get()
        opened.get_runs_count()
    except (DagsterError, SQLAlchemyError, AlembicError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ConfigurationError(
            f"Dagster's home {home} cannot be used ({first[:200]}).",
            "Correct its dagster.yaml, or move its folder `history` away: only the history of runs is lost.",
        ) from error
    with opened:
        yield opened
