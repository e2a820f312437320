"""Full-text search over an opened index folder: per query unit the best field counts, units are OR-ed.

Scoring follows the measured recipe: for each unit one disjunction-max over its fields (tie 0.2, exact fields 0.7), the
sum over units. What the units could score alone tells how much of the query a hit covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from brain_assets.model.search import Filters
from brain_assets.retrieval import spelling
from brain_assets.retrieval.analysis import ENGLISH, EXACT, GERMAN, STOP_TERMS, Unit, units
from brain_assets.retrieval.documents import (
    Head,
    read_head,
    read_lead,
    read_links,
    read_marks,
    read_sketch,
    tag_terms,
)
from brain_assets.retrieval.folders import Folder
from brain_assets.retrieval.query import Query
from brain_assets.text.words import fold, nfc

_TIE = 0.2
_EXACT = 0.7
_CORRECTED = 0.7
_FIELDS = {"title": 1.0, "body": 1.0, "extra": 0.3}
_MOST_HEADS, _MOST_UNITS, _MOST_PLACES = 50_000, 20_000, 200_000
_MOST_TERMS = 500
_AGREED = Filters(kinds=("note", "kb"))
"""What is searched unless a kind is asked for: what people wrote or approved, not drafts, not fetched pages."""


class Stored:
    """What the index gives back of one document. Ranking reads head, sketch and links of hundreds of documents, the
    other parts are of the few that are shown and are read only then."""

    __slots__ = ("_lead", "_marks", "factors", "head", "links", "sketch")

    def __init__(self, document: dict[str, list[Any]]) -> None:
        self.head: Head = read_head(document)
        self.sketch: bytes = read_sketch(document)
        self.links: frozenset[int] = read_links(document)
        self.factors: tuple[Any, Any] | None = None
        """What ranking keeps of it."""
        self._lead = document["lead"][0]
        self._marks = document["passages"][0]

    @property
    def lead(self) -> str:
        """The beginning of the body."""
        return read_lead({"lead": [self._lead]})

    @property
    def marks(self) -> list[bytes]:
        """The first bytes of the digests of the passages, in order."""
        return read_marks({"passages": [self._marks]})


class Found(NamedTuple):
    """A document found by words: its number in the index (segment, document), its key, its score."""

    place: tuple[int, int]
    key: int
    score: float


class Lexical:
    """Words to documents, over one immutable index folder."""

    def __init__(self, folder: Folder) -> None:
        from tantivy import DocAddress, FieldType, Occur
        from tantivy import Query as Q

        self._folder = folder
        self._q, self._occur, self._field_type, self._address = Q, Occur, FieldType, DocAddress
        self._units: dict[tuple[tuple[str, ...], str, bool], Any] = {}
        self._alone: dict[Unit, float] = {}
        self._stored: dict[tuple[int, int], Stored] = {}
        self._places: dict[int, tuple[int, int]] = {}

    @cached_property
    def _has_drafts(self) -> bool:
        """Whether the index holds staged articles or fetched pages; most do not, and then searching costs less."""
        return bool(self._run(self._should([self._raw("kind", kind) for kind in ("article", "web")]), 1))

    @property
    def entries(self) -> int:
        return self._folder.documents

    def search(
        self,
        wanted: Sequence[Unit],
        limit: int,
        guard: Any = None,
        corrected: Sequence[Unit] = (),
        titles: Sequence[str] = (),
    ) -> list[Found]:
        """Documents by score, best first; `guard` restricts them (see `guard`); `corrected` units count less.

        Of some `titles`, a document whose title or alias holds one word for word counts its best one as a unit more.
        """
        parts = [self._unit(unit) for unit in wanted]
        parts += [self._q.boost_query(self._unit(unit), _CORRECTED) for unit in corrected]
        if titles and parts:
            named = [self._sequence(f"title_{EXACT}", title) for title in titles]
            parts.append(named[0] if len(named) == 1 else self._q.disjunction_max_query(named, 0.0))
        return self._run(self._guarded(self._should(parts), guard), limit) if parts else []

    def everything(self, limit: int, guard: Any = None) -> list[Found]:
        """Documents a guard lets through, newest first, all with score 0."""
        query = self._guarded(self._q.const_score_query(self._q.all_query(), 0.0), guard)
        hits = self._folder.searcher.search(query, limit=limit, count=False, order_by_field="date").hits
        return self._numbered([(0.0, address) for _, address in hits])

    def alone(self, unit: Unit, guard: Any = None) -> float:
        """The best score a unit reaches by itself among the documents a guard lets through."""
        if guard is None and unit in self._alone:
            return self._alone[unit]
        hits = self._folder.searcher.search(self._guarded(self._unit(unit), guard), limit=1, count=False).hits
        best = float(hits[0][0]) if hits else 0.0
        if guard is None and len(self._alone) < _MOST_HEADS:
            self._alone[unit] = best
        return best

    def title_leads(self, wanted: Sequence[Unit], limit: int, guard: Any = None) -> set[int]:
        """Keys of documents whose title or an alias holds every unit."""
        if not wanted:
            return set()
        parts = [(self._occur.Must, self._unit(unit, "title")) for unit in wanted]
        return {hit.key for hit in self._run(self._guarded(self._q.boolean_query(parts), guard), limit)}

    def named(self, titles: Sequence[str], limit: int, guard: Any = None) -> set[int]:
        """Keys of documents whose title or an alias holds one of some titles word for word."""
        if not titles:
            return set()
        query = self._silent(self._should([self._sequence(f"title_{EXACT}", title) for title in titles]))
        return {hit.key for hit in self._run(self._guarded(query, guard), limit)}

    def similar(self, wanted: Sequence[Unit], limit: int, guard: Any = None) -> list[Found]:
        """Documents with words one or two letters away from those wanted."""
        parts = []
        for unit in wanted:
            for word in unit.words:
                if len(word) < 4:
                    continue
                for term in self._folder.analyses.of(EXACT, word)[:1]:
                    for field in ("title", "body"):
                        name = f"{field}_{EXACT}"
                        distance = 1 if len(term) < 8 else 2
                        parts.append(self._q.fuzzy_term_query(self._folder.schema, name, term, distance))
        return self._run(self._guarded(self._should(parts), guard), limit) if parts else []

    def correction(self, unit: Unit, language: str) -> Unit | None:
        """The indexed word that a word found nowhere may be a misspelling of, in entries of a language."""
        terms = self._folder.analyses.of(EXACT, unit.text)
        if len(unit.words) > 1 or len(terms) != 1 or len(terms[0]) < spelling.SHORTEST or not terms[0].isalpha():
            return None
        near = self._folder.searcher.terms_with_prefix(f"body_{EXACT}", terms[0][0])
        found = spelling.correction(terms[0], near)
        if found is None:
            return None
        guard = self._silent(self._raw("language", language))
        return Unit((found,)) if self.alone(Unit((found,)), guard) > 0 else None

    def compound(self, unit: Unit) -> list[Unit]:
        """The indexed words that a word found nowhere is a compound of; empty if it is none."""
        terms = self._folder.analyses.of(EXACT, unit.text)
        if len(unit.words) > 1 or len(terms) != 1 or not terms[0].isalpha():
            return []
        field, stop = f"body_{EXACT}", STOP_TERMS
        found = spelling.parts(terms[0], lambda w: w not in stop and self._folder.searcher.doc_freq(field, w) > 0)
        return [Unit((word,)) for word in found or ()]

    def guard(self, query: Query) -> Any:
        """What every hit must satisfy: filters, phrases, title words, excluded words. None: nothing is asked."""
        filters = query.filters
        if self._has_drafts and not any(each.kinds for each in filters):
            filters = (*filters, _AGREED)
        parts = [(self._occur.Must, self._silent(part)) for each in filters for part in self._filters(each)]
        parts += [(self._occur.Must, self._silent(self._phrase(phrase))) for phrase in query.phrases]
        parts += [
            (self._occur.Must, self._silent(self._unit(unit, "title")))
            for title in query.titles
            for unit in units(title)
        ]
        excluded = [(self._occur.MustNot, self._excluded(field, value)) for field, value in query.excluded]
        if excluded:
            parts = [(self._occur.Must, self._silent(self._q.all_query())), *parts, *excluded]
        return self._q.boolean_query(parts) if parts else None

    def allowed(self, keys: Sequence[int], guard: Any = None) -> dict[int, tuple[int, int]]:
        """Which of some keys are in the index and pass a guard: key → place."""
        known = {key: place for key in keys if (place := self._places.get(key))} if guard is None else {}
        unknown = [key for key in keys if key not in known]
        if not unknown:
            return known
        if len(unknown) <= _MOST_TERMS:  # a set is looked for in the whole dictionary of keys, a term is looked up
            terms = [self._q.term_query(self._folder.schema, "key", key, "basic") for key in unknown]
            query = self._silent(self._should(terms))
        else:
            query = self._silent(self._q.term_set_query(self._folder.schema, "key", unknown))
        return known | {hit.key: hit.place for hit in self._run(self._guarded(query, guard), len(unknown))}

    def load(self, places: Sequence[tuple[int, int]]) -> list[Stored]:
        """What the index holds of some documents. Those not yet read are read in the order they lie on disk."""
        known = self._stored
        missing = sorted({place for place in places if place not in known})
        if missing:
            if len(known) + len(missing) > _MOST_HEADS:
                known.clear()
                missing = sorted(set(places))
            for place in missing:
                known[place] = Stored(self._folder.searcher.doc(self._address(*place)).to_dict())
        return [known[place] for place in places]

    def stored(self, place: tuple[int, int]) -> Stored:
        """What the index holds of one document."""
        return self.load((place,))[0]

    def passes(self, query: Query) -> bool:
        """Whether any document satisfies what a query asks of its hits."""
        return bool(self._run(self._guarded(self._silent(self._q.all_query()), self.guard(query)), 1))

    def values(self, field: str) -> list[str]:
        """The values of `tag` or `type` that documents have, folded."""
        return sorted({term for term, _ in self._folder.searcher.terms_with_prefix(field, "")})

    def holding(self, wanted: Sequence[Unit], limit: int) -> list[Found]:
        """Documents that hold every unit, in any form."""
        parts = [(self._occur.Must, self._unit(unit, every=True)) for unit in wanted]
        return self._run(self._q.boolean_query(parts), limit) if parts else []

    # -- building queries

    def _unit(self, unit: Unit, only: str = "", every: bool = False) -> Any:
        """Best field of a unit, or its best form in one field. With `every`, all parts of a compound must be there."""
        key = (unit.words, only, every)
        query = self._units.get(key)
        if query is None:
            if len(self._units) >= _MOST_UNITS:
                self._units.clear()
            query = self._units[key] = self._built(unit, {only: 1.0} if only else _FIELDS, every)
        return query

    def _built(self, unit: Unit, fields: Mapping[str, float], every: bool) -> Any:
        parts = []
        for field, weight in fields.items():
            if len(unit.words) > 1:
                parts.append(self._boosted(self._sequence(f"{field}_{EXACT}", unit.text), weight))
                continue
            for analysis, share in ((GERMAN, 1.0), (ENGLISH, 1.0), (EXACT, _EXACT)):
                terms = self._folder.analyses.of(analysis, unit.words[0])
                if terms:
                    parts.append(self._boosted(self._terms(f"{field}_{analysis}", terms, every), weight * share))
        return self._q.disjunction_max_query(parts, _TIE) if parts else self._q.empty_query()

    def _terms(self, field: str, terms: Sequence[str], every: bool) -> Any:
        option = "position" if field.endswith(f"_{EXACT}") else "freq"
        queries = [self._q.term_query(self._folder.schema, field, term, option) for term in terms]
        if len(queries) == 1:
            return queries[0]
        occur = self._occur.Must if every else self._occur.Should
        return self._q.boolean_query([(occur, query) for query in queries])

    def _sequence(self, name: str, text: str) -> Any:
        terms = self._folder.analyses.sequence(text)
        if not terms:
            return self._q.empty_query()
        if len(terms) == 1:
            return self._q.term_query(self._folder.schema, name, terms[0])
        return self._q.phrase_query(self._folder.schema, name, list(terms))

    def _phrase(self, phrase: str) -> Any:
        return self._should([self._sequence(f"{field}_{EXACT}", phrase) for field in _FIELDS])

    def _filters(self, filters: Filters) -> list[Any]:
        groups = [
            [self._raw("kind", kind) for kind in filters.kinds],
            [self._raw("type", fold(kind)) for kind in filters.types],
            [self._raw("language", language.lower()[:2]) for language in filters.languages],
            [self._path(path) for path in filters.paths],
        ]
        out = [self._should(group) for group in groups if group]
        out += [self._raw("tag", term) for tag in filters.tags for term in tag_terms([tag])[-1:]]
        if filters.after or filters.before:
            low = filters.after.toordinal() if filters.after else None
            high = filters.before.toordinal() if filters.before else None
            out.append(self._q.range_query(self._folder.schema, "date", self._field_type.Integer, low, high))
        return out

    def _path(self, path: str) -> Any:
        """A folder or file by its full path, else any path that has these words in this order."""
        whole = nfc(path).lower().strip("/")
        return self._should([self._raw("folder", whole), self._sequence("path", path)])

    def _excluded(self, field: str, value: str) -> Any:
        if field == "path":
            return self._path(value)
        if field in ("tag", "type"):
            return self._raw(field, (tag_terms([value]) or [""])[-1])
        if " " in value.strip():
            fields = ("title",) if field == "title" else tuple(_FIELDS)
            return self._should([self._sequence(f"{name}_{EXACT}", value) for name in fields])
        return self._should([self._unit(unit, field, every=True) for unit in units(value)])

    def _raw(self, field: str, value: str) -> Any:
        return self._q.term_query(self._folder.schema, field, value, "basic")

    def _should(self, parts: Sequence[Any]) -> Any:
        return self._q.boolean_query([(self._occur.Should, part) for part in parts])

    def _silent(self, query: Any) -> Any:
        return self._q.const_score_query(query, 0.0)

    def _boosted(self, query: Any, boost: float) -> Any:
        return query if boost == 1.0 else self._q.boost_query(query, boost)

    def _guarded(self, query: Any, guard: Any) -> Any:
        if guard is None:
            return query
        return self._q.boolean_query([(self._occur.Must, query), (self._occur.Must, guard)])

    # -- running them

    def _run(self, query: Any, limit: int) -> list[Found]:
        hits = self._folder.searcher.search(query, limit=max(1, limit), count=False).hits
        return self._numbered(hits)

    def _numbered(self, hits: Sequence[tuple[float, Any]]) -> list[Found]:
        keys = self._folder.searcher.fast_field_values("key", [address for _, address in hits]) if hits else []
        found = [Found((a.segment_ord, a.doc), key, score) for (score, a), key in zip(hits, keys, strict=True)]
        if len(self._places) > _MOST_PLACES:
            self._places.clear()
        self._places.update((each.key, each.place) for each in found)
        return found

    @cached_property
    def languages(self) -> dict[str, int]:
        """How many documents there are of each language."""
        return {code: self._folder.searcher.doc_freq("language", code) for code in ("de", "en")}
