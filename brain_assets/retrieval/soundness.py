"""Whether the published vector files still are what was written: their sizes and times, and where these differ, their
contents.

`index/seals.json` remembers size, time and SHA-256 of each published file. Published files never change, so one that
has changed is damaged. (The full-text index checks itself when it is opened.)
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import replace
from pathlib import Path

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval import pointer as pointers
from brain_assets.retrieval.pointer import Pointer
from brain_assets.retrieval.vector_files import DIGEST_BYTES, digest_name
from brain_assets.settings import Settings
from brain_assets.store import files

log = logging.getLogger(__name__)

_SEALS = "seals.json"
_Seal = tuple[int, int, str]


def withdraw_damaged(settings: Settings, *, thorough: bool = False) -> list[str]:
    """Publish no vector set whose files are damaged or gone, so that the next update writes them anew; returns which.

    `thorough` reads every file, whatever its time says. The caller holds the writer lock.
    """
    try:
        published = pointers.read(settings)
    except IndexUnavailableError:
        return []
    if published is None:
        return []
    wrong = damaged(settings, published, thorough=thorough)
    if wrong:
        log.warning(
            "Vector files are damaged or gone (%s): they are written anew from the catalogue.", ", ".join(wrong)
        )
        pointers.publish(settings, replace(published, vectors=()))
        for name in wrong:
            (settings.vectors_dir / name).unlink(missing_ok=True)
    return wrong


def damaged(settings: Settings, published: Pointer, *, thorough: bool = False) -> list[str]:
    """Names of published vector files that are not as they were written, in their order."""
    seals = _read(settings)
    return [
        name
        for name, size in _expected(published).items()
        if not _sound(settings.vectors_dir / name, size, seals.get(name), thorough)
    ]


def seal(settings: Settings) -> None:
    """Remember the files that are published now. The caller holds the writer lock."""
    published = pointers.read(settings)
    known = _read(settings)
    seals: dict[str, _Seal] = {}
    for name in _expected(published) if published else ():
        path = settings.vectors_dir / name
        told = path.stat()
        before = known.get(name)
        same = before is not None and before[:2] == (told.st_size, told.st_mtime_ns)
        seals[name] = before if before and same else (told.st_size, told.st_mtime_ns, _digest(path))
    if seals != known:
        files.write_json(settings.index_dir / _SEALS, seals)


def _expected(published: Pointer) -> dict[str, int | None]:
    """Every file that search cannot do without → its size in bytes, where the pointer tells it."""
    found: dict[str, int | None] = {}
    for each in published.vectors:
        found[each.rows] = None
        if each.direction:
            found[each.direction] = None
        for part in each.segments:
            found[part.file] = part.rows * each.dimension * 4
            found[digest_name(part.file)] = part.rows * DIGEST_BYTES
    return found


def _sound(path: Path, size: int | None, sealed: _Seal | None, thorough: bool) -> bool:
    try:
        told = path.stat()
        if size is not None and told.st_size != size:
            return False
        if sealed is None or (not thorough and sealed[:2] == (told.st_size, told.st_mtime_ns)):
            return True
        return sealed[0] == told.st_size and sealed[2] == _digest(path)
    except OSError:
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(settings: Settings) -> dict[str, _Seal]:
    try:
        value = json.loads((settings.index_dir / _SEALS).read_bytes())
        return {str(k): (int(v[0]), int(v[1]), str(v[2])) for k, v in value.items()}
    except (OSError, ValueError, TypeError, IndexError, AttributeError, KeyError):
        return {}
