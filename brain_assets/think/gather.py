"""The hits of one query with everything the rest of `think` needs of them, from one consistent generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.search import Filters, Hit, Mode, SearchResult
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries
from brain_assets.think.aspects import Question
from brain_assets.think.aspects import parse as parse_question
from brain_assets.think.statements import Statement, statements
from brain_assets.think.verify import all_keys

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Search(Protocol):
    """What `think` asks of search (retrieval.search.Searcher)."""

    def search(
        self,
        query: str,
        *,
        top: int = 10,
        mode: Mode = "hybrid",
        filters: Filters = Filters(),
        explain: bool = False,
        all: bool = False,
    ) -> SearchResult: ...

    def has_term(self, term: str) -> list[str]: ...

    def passage_neighbours(self, texts: str, k: int = 10) -> list[tuple[str, str, float]]: ...


@dataclass(frozen=True)
class Source:
    """One numbered source: the hit, its whole entry, and what the entry says."""

    n: int
    hit: Hit
    entry: Entry

    @cached_property
    def statements(self) -> list[Statement]:
        return statements(self.entry)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Words of the entry, its title, headings, tags and aliases, as concepts and stems."""
        from brain_assets.think.statements import keys

        return all_keys(self.statements) | keys(" ".join((self.entry.title, *self.entry.tags, *self.entry.aliases)))


@dataclass(frozen=True)
class Gathered:
    """Sources of one query. `replaced` maps an entry id to what the graph says supersedes it; `known` are the
    contradictions between two sources that the catalogue already holds."""

    question: Question
    result: SearchResult
    sources: tuple[Source, ...]
    replaced: Mapping[str, str] = field(default_factory=dict)
    known: tuple[Contradiction, ...] = ()

    @property
    def statements(self) -> dict[int, list[Statement]]:
        return {s.n: s.statements for s in self.sources}


def gather(settings: Settings, searcher: Search, query: str, *, top: int, filters: Filters, language: str) -> Gathered:
    """Search and load the entries of the hits. `language` is `de`, `en` or `auto` (the query's own).

    Raises what the searcher or the catalogue raises (BrainError with its remedy). A hit whose entry was deleted since
    the index was built is left out.
    """
    result = searcher.search(query, top=top, filters=filters)
    spoken = result.language if language == "auto" else language
    question = parse_question(query, spoken)
    ids = [hit.id for hit in result.hits]
    loaded: dict[str, Entry] = {}
    replaced: dict[str, str] = {}
    known: tuple[Contradiction, ...] = ()
    if ids:
        with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
            loaded = {entry.id: entry for entry in entries.load(connection, ids)}
            replaced = _replaced(connection, ids)
            known = _known(connection, ids)
    live = [hit for hit in result.hits if hit.id in loaded]
    sources = tuple(Source(n, hit, loaded[hit.id]) for n, hit in enumerate(live, 1))
    return Gathered(question, result, sources, replaced, known)


def _replaced(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    from sqlalchemy import select

    from brain_assets.store.schema import edges
    from brain_assets.store.schema import entries as table

    rows = connection.execute(
        select(edges.c.target, edges.c.source, table.c.title)
        .join(table, table.c.id == edges.c.source)
        .where(edges.c.target.in_(ids), edges.c.relation == "supersedes", table.c.deleted_on.is_(None))
        .order_by(edges.c.target, edges.c.confidence.desc(), edges.c.source)
    )
    out: dict[str, str] = {}
    for row in rows:
        # An article that was approved to take an entry's place is not what a team has agreed on elsewhere.
        out.setdefault(row.target, row.title or row.source)
    return out


def _known(connection: Connection, ids: Sequence[str]) -> tuple[Contradiction, ...]:
    from sqlalchemy import select

    from brain_assets.store.schema import contradictions

    rows = connection.execute(
        select(contradictions.c.finding, contradictions.c.status)
        .where(contradictions.c.a.in_(ids), contradictions.c.b.in_(ids))
        .order_by(contradictions.c.id)
    )
    return tuple(
        Contradiction.model_validate_json(row.finding).model_copy(update={"status": row.status}) for row in rows
    )
