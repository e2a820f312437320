"""What the budget of candidates misses: held against brute force over all pairs of a sample of entries."""

from __future__ import annotations

from typing import Any

from brain_assets.errors import ConfigurationError
from brain_assets.graph import judge
from brain_assets.graph.candidates import BUDGET, SCAN
from brain_assets.graph.corpus import Corpus, Standing
from brain_assets.settings import Settings
from brain_assets.store.catalogue import Catalogue

_PART = 400


def measure(cat: Catalogue, settings: Settings, sample: int) -> dict[str, Any]:
    """Recall of the candidates at their budget, on `sample` entries spread evenly over the brain.

    `related`: of all pairs that nearness alone makes related, the share that is judged; `contradictions`: of all pairs
    in which comparing everything with everything finds one, the share that is compared. Each has `found`, `wanted` and
    `recall` (None when there is nothing to find) and up to ten `missed` pairs. Raises ConfigurationError when fewer
    than two entries are in the brain.
    """
    with cat.read() as connection:
        standing = Standing.of(connection)
    live = [i for i in standing.live if standing.original(i) == i]
    if len(live) < 2:
        raise ConfigurationError("There are no two entries to compare.", "Run `brain sync` first.")
    corpus = Corpus(cat, settings, standing)
    step = max(1, len(live) // max(1, sample))
    chosen = live[::step][:sample]
    near = {tuple(sorted((a, b))) for a in chosen for b in corpus.finder().related(a, judge.RELATED) if b in set(live)}
    clashing = _contradicting(corpus, chosen, live)
    return {
        "entries": len(live), "sample": len(chosen), "budget": BUDGET, "scan": SCAN, "vector_set": standing.vector_set,
        "related": _recall(corpus, sorted(near), judged=True),
        "contradictions": _recall(corpus, sorted(clashing), judged=False),
    }  # fmt: skip


def _contradicting(corpus: Corpus, chosen: list[str], live: list[str]) -> set[tuple[str, ...]]:
    """Every pair of a chosen entry with any other that contradict each other."""
    out: set[tuple[str, ...]] = set()
    for start in range(0, len(live), _PART):
        part = live[start : start + _PART]
        corpus.preload([*part, *chosen])
        out |= {
            tuple(sorted((a, b))) for a in chosen for b in part if a != b and corpus.conflicts(min(a, b), max(a, b))
        }
    return out


def _recall(corpus: Corpus, wanted: list[tuple[str, ...]], *, judged: bool) -> dict[str, Any]:
    """How many of the pairs one of the two sides has among its candidates."""
    ids = sorted({i for pair in wanted for i in pair})
    found: dict[str, set[str]] = {}
    for start in range(0, len(ids), _PART):
        part = ids[start : start + _PART]
        candidates = corpus.finder().find(part, corpus.named(part))
        found |= {i: {c.id for c in candidates[i] if c.judge or not judged} for i in part}
    hits = [pair for pair in wanted if pair[1] in found[pair[0]] or pair[0] in found[pair[1]]]
    missed = [list(pair) for pair in wanted if pair not in set(hits)]
    recall = round(len(hits) / len(wanted), 4) if wanted else None
    return {"found": len(hits), "wanted": len(wanted), "recall": recall, "missed": missed[:10]}
