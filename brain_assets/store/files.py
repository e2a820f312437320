"""Files that are either the old or the new state, whenever the process dies."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from brain_assets.errors import ConfigurationError
from brain_assets.settings import Settings


def write_atomic(path: Path, content: str | bytes | bytearray) -> None:
    """Write to a temporary name beside `path`, fsync, rename, fsync the folder. Text is written as UTF-8.

    Raises OSError as the file system gives it; the temporary file is gone then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8") if isinstance(content, str) else content
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
    sync_folder(path.parent)


def write_json(path: Path, value: Any) -> None:
    """Write a value as readable UTF-8 JSON, atomically."""
    write_atomic(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def keep_out_of_sources(settings: Settings, path: Path) -> None:
    """Refuse a file or folder that a person wants written into the vault or the KB: both are only read.

    A data directory that is kept inside one of them is no part of it. Raises ConfigurationError.
    """
    place, data = path.resolve(), settings.data_dir.resolve()
    for name, folder in (("vault", settings.vault_dir), ("knowledge base", settings.kb_dir)):
        source = folder.resolve()
        own = data.is_relative_to(source) and place.is_relative_to(data)
        if place.is_relative_to(source) and not own:
            raise ConfigurationError(f"{path} lies in the {name}, which is never written.", "Choose another folder.")


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> int:
    """Delete temporary files a killed writer left here; only the holder of the writer lock may call this."""
    leftovers = list(folder.glob(".*.tmp")) if folder.is_dir() else []
    for path in leftovers:
        path.unlink(missing_ok=True)
    return len(leftovers)
