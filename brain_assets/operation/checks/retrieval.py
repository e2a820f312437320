"""Limits of search_index and embeddings."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from brain_assets.operation import evaluation, views
from brain_assets.operation.checks.base import (
    Check,
    Look,
    Measured,
    at_least,
    at_most,
    fixed,
    none_of,
    not_measured,
)
from brain_assets.settings import Settings
from brain_assets.store import entries as store_entries
from brain_assets.store.schema import vector_sets, vectors

MIN_KNOWN_ITEM_RATE = 0.90
_SAMPLE = 40
_BATCH = 2000


def _indexed_are_live(look: Look) -> Measured:
    from brain_assets.retrieval import index

    indexed = index.indexed_ids(look.settings)
    live = set(store_entries.live_ids(look.connection))
    wrong = [f"{i} is live and not indexed" for i in live - indexed]
    wrong += [f"{i} is indexed and not live" for i in indexed - live]
    return none_of(wrong, f"{len(indexed)} indexed, {len(live)} live.")


def _known_items(look: Look) -> Measured:
    from brain_assets.retrieval.search import Searcher

    items = views.known(look.connection)
    if not evaluation.sample(items, 1):
        return not_measured("There is no entry with a title yet.")
    found = evaluation.known_items(Searcher.open(look.settings), items, _SAMPLE)
    tried = {form: result for form, result in found.items() if result["tried"]}
    told = ", ".join(f"{result['found']} of {result['tried']} by {form}" for form, result in tried.items())
    missed = [f"{entry} by {form}" for form, result in tried.items() for entry in result["missed"]]
    lowest = min(result["rate"] for result in tried.values())
    return at_least(lowest, MIN_KNOWN_ITEM_RATE, f"Found among the first {evaluation.TOP}: {told}.", missed)


def _sets(look: Look) -> list[tuple[str, int, bool]]:
    return [(r.id, r.dimension, bool(r.complete)) for r in look.rows(select(vector_sets).order_by(vector_sets.c.id))]


def _switched_off(settings: Settings) -> bool:
    return settings.vector_sets == ()


def _vectors_valid(look: Look) -> Measured:
    import numpy as np

    wrong, number = [], 0
    dimensions = {name: dimension for name, dimension, _ in _sets(look)}
    for set_id, digest, blob in _stored_vectors(look):
        number += 1
        if len(blob) != 4 * dimensions.get(set_id, -1):
            wrong.append(f"{set_id} {digest}: {len(blob) // 4} numbers, not {dimensions.get(set_id)}")
            continue
        values = np.frombuffer(blob, dtype="<f4")
        if not np.isfinite(values).all() or not values.any():
            wrong.append(f"{set_id} {digest}: not a number, infinite or zero")
    return none_of(wrong, f"{number} vectors." if number else _no_vectors(look.settings))


def _stored_vectors(look: Look) -> Iterator[tuple[str, str, bytes]]:
    query = select(vectors.c.set_id, vectors.c.digest, vectors.c.vector).execution_options(yield_per=_BATCH)
    for row in look.connection.execute(query):
        yield row.set_id, row.digest, row.vector


def _no_vectors(settings: Settings) -> str:
    return "Vectors are switched off (BRAIN_VECTOR_SETS=none): none is needed." if _switched_off(settings) else ""


def _covered(look: Look) -> Measured:
    complete = [name for name, _, done in _sets(look) if done]
    if not complete:
        if _switched_off(look.settings):
            return Measured("passed", 0, _no_vectors(look.settings))
        return not_measured("No vector set is complete yet: search is lexical.")
    from brain_assets.synthesis import learning

    learnt = set(learning.learnt(look.connection))
    needed: set[str] = set()
    waiting: set[str] = set()
    for entry_id, digest, _ in store_entries.passage_digests(look.connection):
        (waiting if entry_id.startswith("article:") and entry_id not in learnt else needed).add(digest)
    lacking, unlearnt = [], set()
    for name in complete:
        have = {r.digest for r in look.rows(select(vectors.c.digest).where(vectors.c.set_id == name))}
        lacking += [f"{name}: passage {digest}" for digest in needed - have]
        unlearnt |= waiting - have - needed
    note = f"{len(needed)} passages in {len(complete)} complete sets; {len(unlearnt)} of articles wait for learning."
    return none_of(lacking, note)


def _fallback(look: Look) -> Measured:
    if _switched_off(look.settings):
        return not_measured("Vectors are switched off (BRAIN_VECTOR_SETS=none).")
    complete = [name for name, _, done in _sets(look) if done]
    if not complete:
        return at_most(1, 0, "No vector set is complete: search is lexical.")
    if look.settings.vector_sets != ("auto",):
        missing = sorted(w for w in look.settings.vector_sets if not any(name.startswith(w) for name in complete))
        return at_most(len(missing), 0, f"In use: {', '.join(complete)}.", missing)
    served = any(name.startswith("ollama") for name in complete)
    note = f"In use: {', '.join(complete)}."
    if not served:
        note += f" Ollama does not serve {look.settings.embed_model}; the embedded models stand in for it."
    return at_most(0 if served else 1, 0, note)


CHECKS = (
    Check(
        "search_index", "indexed_are_live", True, "The index holds exactly the live entries.", fixed(0),
        _indexed_are_live,
    ),
    Check(
        "search_index", "known_item_rate", False,
        f"Share of a fixed sample of entries found among the first {evaluation.TOP} by their title, by a question "
        "made from it, and by it without umlauts: the lowest of the three.",
        fixed(MIN_KNOWN_ITEM_RATE), _known_items,
    ),
    Check(
        "embeddings", "vectors_valid", True, "Every vector has its set's dimension and only finite numbers.", fixed(0),
        _vectors_valid,
    ),
    Check(
        "embeddings", "passages_covered", True,
        "Every live passage has a vector in each complete set; articles that wait for learning are counted apart.",
        fixed(0), _covered,
    ),
    Check(
        "embeddings", "model_fallback", False, "Wanted vector sets that others stand in for.", fixed(0), _fallback
    ),
)  # fmt: skip
