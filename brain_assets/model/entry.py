"""What the brain holds: entries (notes, KB entries, articles, web pages) and their passages."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

EntryKind = Literal["note", "kb", "article", "web"]
ID_PREFIXES: tuple[str, ...] = ("note:", "kb:", "article:", "web:")


class Frozen(BaseModel):
    """Base of all domain types: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Problem(Frozen):
    """Something wrong with one input, in words a person can act on."""

    path: str
    reason: str


class Link(Frozen):
    """One link of a note as written, and what it resolves to.

    `target` is the text before `#` and `|`; `entry_id` is None while unresolved, and `candidates` lists the ids of
    an ambiguous one.
    """

    target: str
    heading: str | None = None
    block: str | None = None
    label: str | None = None
    embed: bool = False
    syntax: Literal["wikilink", "markdown"] = "wikilink"
    entry_id: str | None = None
    candidates: tuple[str, ...] = ()


class Heading(Frozen):
    level: int
    text: str


class Task(Frozen):
    text: str
    done: bool


class Passage(Frozen):
    """A piece of an entry small enough to embed and to quote: about 200 words, code fences and tables whole.

    `id` is stable while the text is unchanged, wherever in its entry it moves; `digest` (SHA-256 hex over the text as
    embedded: title, newline, text) keys its vectors. `start` and `end` are character offsets into `Entry.body`.
    """

    id: str
    entry_id: str
    ordinal: int
    heading_path: tuple[str, ...] = ()
    text: str
    language: str
    start: int
    end: int
    digest: str


class KBRecord(Frozen):
    """A support entry in the KB schema (DESIGN §8). Unknown fields are kept apart, in `Entry.fields`."""

    id: str
    title: str
    text: str
    answer: str
    auto_reply: bool = False
    min_score: float = 0.82
    categories: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    source: str = ""
    source_uri: str = ""
    language: str = ""
    communication_style: str = ""


class Entry(Frozen):
    """One thing the brain knows.

    `body` is the text as a person reads it, NFC, with `\\n` line ends: a note's Markdown after its front matter; a KB
    entry's text, a blank line, and its answer. `date` is the newest date the entry states, else the file time;
    `date_origin` says which ("frontmatter date", "frontmatter updated", …, "file mtime", "glpi date_mod").
    `content_digest` is the SHA-256 of the bytes read, `text_digest` that of title and body: decisions about an entry
    hold while its text digest does. `generation_depth` is 0 for what people wrote.
    """

    id: str
    kind: EntryKind
    path: str | None
    title: str
    body: str
    language: str
    date: dt.date | None = None
    date_origin: str | None = None
    name_date: dt.date | None = None
    type: str | None = None
    status: str | None = None
    source: str | None = None
    confidence: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tasks: tuple[Task, ...] = ()
    fields: dict[str, Any] = Field(default_factory=dict)
    record: KBRecord | None = None
    ai_origin: bool = False
    generation_depth: int = 0
    encoding: str = "utf-8"
    content_digest: str
    text_digest: str
    previous_ids: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()

    @property
    def production(self) -> bool:
        """Whether people wrote it: the only knowledge that counts as production (DESIGN §8)."""
        return self.kind in ("note", "kb") and not self.ai_origin
