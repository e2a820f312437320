"""`index/current.json`: the one file that says which index folder and vector files make up the searchable generation.

It is replaced atomically, and everything it names is never changed afterwards: a reader that has read it sees one
consistent generation, whatever a writer does meanwhile.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from brain_assets.errors import IndexUnavailableError
from brain_assets.settings import Settings

FORMAT = 1
NAME = "current.json"


def family(set_id: str) -> str:
    """The name that a set id goes by in BRAIN_VECTOR_SETS: all models of Ollama are `ollama`."""
    return "ollama" if set_id.startswith("ollama-") else set_id


@dataclass(frozen=True)
class Segment:
    """A matrix file of one vector set: float32 rows, and beside it their passage digests (32 bytes each)."""

    file: str
    rows: int


@dataclass(frozen=True)
class VectorSet:
    """One vector set as published. `rows` names the file that maps passages to matrix rows, `direction` that of the
    language direction (None: nothing is removed). `missing` counts live passages without a vector yet.

    What has changed since its rows were written: `changed` are the ids of the entries whose rows were taken out or are
    not in yet (None: unknown, all have to be compared), `dropped` the rows taken out with them. `languages` counts the
    German and the other passages that the direction was chosen by, and those added since; `measured` is their number
    then. `approximate` names the file for approximate search, of `approximate_bytes`, that has the first `covered` rows.
    """

    id: str
    model: str
    dimension: int
    recipe: str
    segments: tuple[Segment, ...]
    rows: str
    passages: int
    missing: int
    direction: str | None
    direction_origin: str | None
    changed: tuple[str, ...] | None = None
    dropped: tuple[int, ...] = ()
    languages: tuple[int, int] = (0, 0)
    measured: int = 0
    approximate: str | None = None
    approximate_bytes: int = 0
    covered: int = 0

    @property
    def family(self) -> str:
        """The name it goes by in BRAIN_VECTOR_SETS."""
        return family(self.id)


@dataclass(frozen=True)
class Pointer:
    """The searchable generation: the catalogue generation it shows, its index folder, its complete vector sets."""

    generation: int
    index: str
    entries: int
    version: int
    vectors: tuple[VectorSet, ...] = ()
    format: int = field(default=FORMAT)


def path_of(settings: Settings) -> Path:
    return settings.index_dir / NAME


def read(settings: Settings) -> Pointer | None:
    """The published generation, or None if nothing usable was published.

    Raises IndexUnavailableError if the file is there and cannot be understood.
    """
    path = path_of(settings)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if value.get("format") != FORMAT:
            return None
        sets = tuple(map(_vector_set, value["vectors"]))
        return Pointer(**{**value, "vectors": sets})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise IndexUnavailableError(
            f"{path} cannot be read ({type(error).__name__}).", "Run `brain sync`: it rebuilds the index."
        ) from error


def _vector_set(value: dict[str, Any]) -> VectorSet:
    plain: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in value.items()}
    plain["segments"] = tuple(Segment(**part) for part in value["segments"])
    return VectorSet(**plain)


def publish(settings: Settings, pointer: Pointer) -> None:
    """Make a generation the searchable one."""
    from brain_assets.store import files

    value: dict[str, Any] = asdict(pointer)
    files.write_json(path_of(settings), value)
