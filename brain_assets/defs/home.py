"""DAGSTER_HOME: where Dagster keeps runs and events, so that `brain build` and `brain up` share one history."""

from __future__ import annotations

import os
from pathlib import Path

from brain_assets.errors import ConfigurationError
from brain_assets.settings import Settings
from brain_assets.store import files

CONFIG = Path(__file__).with_name("dagster.yaml")
_MARK = "# Written by brain_assets"


def prepare(settings: Settings) -> Path:
    """The home folder, made and configured: `dagster/` in the data directory unless DAGSTER_HOME is set.

    A dagster.yaml that a person has made their own (its first line no longer says that the product wrote it) is left
    alone. Raises ConfigurationError if the folder cannot be written.
    """
    home = Path(os.environ.get("DAGSTER_HOME") or settings.dagster_home).expanduser().absolute()
    target = home / "dagster.yaml"
    try:
        home.mkdir(parents=True, exist_ok=True)
        wanted = CONFIG.read_text("utf-8")
        found = target.read_text("utf-8") if target.exists() else None
        if found is None or (found.startswith(_MARK) and found != wanted):
            files.write_atomic(target, wanted)
    except OSError as error:
        raise ConfigurationError(
            f"Dagster's home {home} cannot be written ({error.strerror}).", "Correct its permissions or DAGSTER_HOME."
        ) from error
    os.environ["DAGSTER_HOME"] = str(home)
    return home
