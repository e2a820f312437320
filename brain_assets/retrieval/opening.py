"""Opening the published generation for reading, and rebuilding an index that is missing or broken."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from brain_assets.errors import IndexUnavailableError, LockedError, NotFoundError
from brain_assets.retrieval import folders
from brain_assets.retrieval import pointer as pointers
from brain_assets.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")
Make = Callable[[pointers.Pointer, folders.Folder, str | None], T]
"""Makes a reader of a generation; the last argument says what had to be done to have it."""

_ATTEMPTS = 20
_WAIT_SECONDS = 10.0


def opened(settings: Settings, make: Make[T]) -> T:
    """Open the published generation, whatever a writer does meanwhile; rebuild the index if it cannot be used.

    Raises NotFoundError if there is no brain, IndexUnavailableError if the index cannot be had now.
    """
    tried: pointers.Pointer | None = None
    for _ in range(_ATTEMPTS):
        try:
            pointer = pointers.read(settings)
            if pointer is None:
                return _rebuilt(settings, make, "There was no search index")
            before, tried = tried, pointer
            return make(pointer, folders.open_folder(settings, pointer.index), None)
        except IndexUnavailableError as error:
            # A writer may have replaced the generation between the two reads: look twice before believing it.
            if tried is not None and tried != before:
                continue
            return _rebuilt(settings, make, error.message.rstrip("."))
    raise IndexUnavailableError("The search index keeps changing.", "Try again.")


def _rebuilt(settings: Settings, make: Make[T], reason: str) -> T:
    if settings.database_url is None and not (settings.data_dir / "brain.db").exists():
        raise NotFoundError(f"There is no brain in {settings.data_dir} yet.", "Make one with: brain sync")
    from brain_assets.retrieval import index, vectors
    from brain_assets.store import catalogue, lock

    log.warning("%s: it is rebuilt from the catalogue.", reason)
    try:
        with lock.writer(settings, wait=_WAIT_SECONDS), catalogue.open(settings) as cat:
            index.update(cat, settings)
            vectors.update(cat, settings, embed=False)
    except LockedError as error:
        raise IndexUnavailableError(f"{reason}, and it is being written now.", error.remedy) from error
    pointer = pointers.read(settings)
    if pointer is None:
        raise IndexUnavailableError(f"{reason}, and it could not be rebuilt.", "Run `brain sync`.")
    folder = folders.open_folder(settings, pointer.index)
    return make(pointer, folder, f"{reason}: it was rebuilt from the catalogue.")
