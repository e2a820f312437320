"""The files of a generation's vector sets, held open from the start: a later sync may delete them meanwhile."""

from __future__ import annotations

import contextlib
from typing import BinaryIO

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval.pointer import Pointer, VectorSet
from brain_assets.settings import Settings

DIGEST_BYTES = 32


def digest_name(segment_file: str) -> str:
    """The file with the passage digests of a segment's rows."""
    return segment_file.removesuffix(".f32") + ".digests"


def quantised_name(segment_file: str) -> str:
    """The file with a segment's quantised rows."""
    return segment_file.removesuffix(".f32") + ".i8"


def approximate_is_there(settings: Settings, published: VectorSet) -> bool:
    """Whether a set has the index for approximate search that it should have, in its full length; a small set none."""
    if published.passages < settings.approximate_from or published.approximate is None:
        return published.passages < settings.approximate_from and published.approximate is None
    path = settings.vectors_dir / published.approximate
    return path.exists() and path.stat().st_size == published.approximate_bytes


class VectorFiles:
    """Open files by name. Raises IndexUnavailableError if one is missing that search cannot do without."""

    def __init__(self, settings: Settings, pointer: Pointer) -> None:
        names: list[str] = []
        faster: list[str] = []
        for each in pointer.vectors:
            faster += [quantised_name(part.file) for part in each.segments]
            faster += [each.approximate] if each.approximate else []
            names += [each.rows, *([each.direction] if each.direction else [])]
            names += [name for part in each.segments for name in (part.file, digest_name(part.file))]
        self._files: dict[str, BinaryIO] = {}
        try:
            for name in names:
                self._files[name] = (settings.vectors_dir / name).open("rb")
            for name in faster:
                with contextlib.suppress(FileNotFoundError):
                    self._files[name] = (settings.vectors_dir / name).open("rb")
        except OSError as error:
            self.close()
            raise IndexUnavailableError(
                f"The vector file {error.filename} cannot be read.", "Run `brain sync`: it writes it again."
            ) from error

    def file(self, name: str) -> BinaryIO:
        """An open file, at its beginning. Raises FileNotFoundError for one that was not there."""
        if name not in self._files:
            raise FileNotFoundError(name)
        self._files[name].seek(0)
        return self._files[name]

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def __del__(self) -> None:
        self.close()
