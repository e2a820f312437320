"""What an update of the vector sets works on, and what it remembers of the last one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from brain_assets.retrieval.pointer import Pointer
from brain_assets.store.stages import Progress


@dataclass(frozen=True, slots=True)
class Work:
    """What one update has to do: the live passages, whether slow sets are due, whether models may be asked."""

    live: list[Live]
    full: bool
    embed: bool
    progress: Progress
    articles: bool
    some: bool = False
    """Whether `live` are only the passages of entries that changed."""


@dataclass(frozen=True, slots=True)
class State:
    """What an earlier update did: with which inputs (the generation first), whether slow sets too, and which sets."""

    key: list[Any] = field(default_factory=list)
    full: bool = False
    served: str = ""
    sets: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, text: str | None) -> State:
        return cls(**json.loads(text)) if text and text.startswith("{") else cls()

    def did(self, full: bool, served: str, published: Pointer) -> bool:
        """Whether it did all that is asked for now, and its sets are the published ones."""
        done = (self.full and self.served == served) if full else True
        return bool(done and self.key and self.sets == sorted(v.id for v in published.vectors))


@dataclass(frozen=True, slots=True)
class Live:
    """A live passage: its id, where it stands, the digest that keys its vectors, its language."""

    id: str
    entry_id: str
    ordinal: int
    digest: str
    language: str
