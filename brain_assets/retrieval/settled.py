"""Whether the published generation is all that a sync would make: told without opening a vector or SQLAlchemy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval import pointer as pointers
from brain_assets.retrieval.pointer import Pointer
from brain_assets.retrieval.vector_files import approximate_is_there
from brain_assets.settings import Settings

FOLDER, GENERATION = "index:folder", "index:generation"
"""Keys of the catalogue's meta table: the published index folder, and the generation of entries that it shows."""
VECTORS = "vectors:state"
"""Key of what the last update of the vector sets was asked and reached."""


def vectors_key(generation: int, settings: Settings, articles: bool) -> list[Any]:
    """What the vector sets depend on, besides what a model server serves."""
    return [generation, list(settings.vector_sets), settings.accurate_set_max_notes, articles]


def vectors_settled(state: str | None, key: list[Any], full: bool, served: str, published: Pointer) -> bool:
    """Whether an earlier update with the same inputs did all that this one would, and its sets are published."""
    was: dict[str, Any] = json.loads(state) if state and state.startswith("{") else {}
    done = (was.get("full") and was.get("served") == served) if full else True
    return bool(done and was.get("key") == key and was.get("sets") == sorted(v.id for v in published.vectors))


def published(settings: Settings) -> Pointer | None:
    """The published generation, or None if there is none that can be read."""
    try:
        return pointers.read(settings)
    except IndexUnavailableError:
        return None


def is_current(settings: Settings, meta: Callable[[str], str | None], entries: int) -> bool:
    """Whether the published index and vector sets show the catalogue as it is.

    `meta` reads the catalogue's meta table, `entries` is how many entries the ledger says the index holds.
    """
    pointer = published(settings)
    generation = int(meta("generation") or 0)
    if pointer is None or pointer.generation != generation or meta(GENERATION) != str(generation):
        return False
    key = vectors_key(generation, settings, articles=False)
    if meta(FOLDER) != pointer.index or not vectors_settled(meta(VECTORS), key, False, "", pointer):
        return False
    from brain_assets.retrieval import folders, soundness

    if soundness.damaged(settings, pointer):
        return False
    if not all(approximate_is_there(settings, each) for each in pointer.vectors):
        return False

    try:
        return folders.open_folder(settings, pointer.index).documents == entries
    except IndexUnavailableError:
        return False
