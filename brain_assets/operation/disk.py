"""What a brain takes on disk, by what makes it grow."""

from __future__ import annotations

import os
from pathlib import Path

from brain_assets.settings import Settings


def dagster_home(settings: Settings) -> Path:
    """Where Dagster keeps its history: DAGSTER_HOME, or a folder of the data directory."""
    return Path(os.environ.get("DAGSTER_HOME") or settings.dagster_home).expanduser().absolute()


def sizes(settings: Settings) -> dict[str, int]:
    """Bytes of the catalogue, the index, the vectors, Dagster's home, and the event log that is a part of it.

    What is not there takes nothing. A file that goes while it is being looked at is not counted.
    """
    home = dagster_home(settings)
    catalogue = sum(_size(settings.data_dir / f"brain.db{suffix}") for suffix in ("", "-wal", "-shm"))
    return {
        "catalogue": catalogue,
        "index": _folder(settings.index_dir),
        "vectors": _folder(settings.vectors_dir),
        "dagster_home": _folder(home),
        "event_log": _folder(home / "history"),
    }


def told(size: int) -> str:
    """A size for people, in MB (10⁶ bytes) or GB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _folder(folder: Path) -> int:
    return sum(_size(Path(place, name)) for place, _, names in os.walk(folder) for name in names)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0
