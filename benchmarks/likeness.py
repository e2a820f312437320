"""Fit what weighs how likely two values are said of one thing, and tell what to expect on texts that were not fitted.

    python benchmarks/likeness.py VAULT... [--pairs FILE...]

VAULT is a labelled vault: a folder with `vault/`, `kb/` and `labels/contradictions.jsonl`. FILE has labelled pairs of
notes, a JSON object a line (`a_title`, `a_text`, `b_title`, `b_text`, `label`, `a_quote`, `b_quote`). Every pair of
differing values of one sort is an example; those that a labelled contradiction names are the right ones. Prints the
weights of `brain_assets.graph.likeness` and, for each set, what a fit to all the others finds in it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brain_assets.graph import contradictions, likeness, statements
from brain_assets.graph.alignment import Matcher
from brain_assets.graph.outlines import Statement
from brain_assets.graph.quantities import Value
from brain_assets.graph.wordvectors import WordVectors
from brain_assets.model.entry import Entry
from brain_assets.settings import load
from brain_assets.sources.sync import sync_kb, sync_vault
from brain_assets.store import catalogue, entries
from brain_assets.text.language import detect

_RIDGE = 2.0
_OF_A_PAIR = 0.3
"""How much an example from two notes made to be compared counts beside one from a vault."""
_VALUES = {"number", "version", "host", "date", "amount"}
_OTHERS = {"status", "negation", "procedure", "owner"}
_THRESHOLDS = (0.4, 0.5, 0.6)

Pair = tuple[str, str]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """Pairs of entries to compare; `quotes`: unordered pair of ids → what each side's quote must contain."""

    name: str
    pairs: Sequence[tuple[Entry, Entry]]
    quotes: Mapping[Pair, Sequence[Mapping[str, str]]]
    weight: float


@dataclass(frozen=True)
class Examples:
    """`x` has a row of measures for each example, `pairs` the entries it is of; `wanted` pairs have a contradiction."""

    name: str
    x: Floats
    y: Floats
    pairs: Sequence[Pair]
    wanted: int
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vaults", nargs="+", type=Path)
    parser.add_argument("--pairs", nargs="*", type=Path, default=[])
    args = parser.parse_args()
    words = WordVectors()
    sets = [*map(of_vault, args.vaults), *map(of_pairs, args.pairs)]
    found = [examples(each, words) for each in sets]
    weights, bias = fit(found)
    named = ", ".join(f"{n}={w:.2f}" for n, w in zip(likeness.Measures._fields, weights, strict=True))
    print(
        f"weights: {named}\nbias: {bias:.2f}\n\nof each set, by a fit to the others: contradictions right, wrong, of all"
    )
    for each in found:
        others = fit([e for e in found if e is not each]) if len(found) > 1 else (weights, bias)
        line = "  ".join(f"{t}: {'/'.join(map(str, score(each, *others, t)))}" for t in _THRESHOLDS)
        print(f"{each.name:24} {line}")


def of_vault(folder: Path) -> Labelled:
    """Every two entries of a labelled vault."""
    with tempfile.TemporaryDirectory() as data:
        settings = load(data_dir=Path(data), vault_dir=folder / "vault", kb_dir=folder / "kb")
        cat = catalogue.open(settings)
        sync_vault(cat, settings)
        sync_kb(cat, settings)
        with cat.read() as connection:
            all_entries = list(entries.load(connection))
    quotes: dict[Pair, list[Mapping[str, str]]] = {}
    for row in _rows(folder / "labels" / "contradictions.jsonl"):
        if row["kind"] not in _OTHERS:
            a, b = _id(row["a"]), _id(row["b"])
            quotes.setdefault((min(a, b), max(a, b)), []).append({a: row["evidence_a"], b: row["evidence_b"]})
    return Labelled(folder.name, list(combinations(all_entries, 2)), quotes, 1.0)


def of_pairs(file: Path) -> Labelled:
    """Pairs of notes that were written to be compared."""
    pairs, quotes = [], {}
    for row in _rows(file):
        a, b = (_note(f"{row['id']}{side}", row[f"{side}_title"], row[f"{side}_text"]) for side in "ab")
        pairs.append((a, b))
        if row["label"] == "contradicts":
            quotes[a.id, b.id] = [{a.id: row["a_quote"], b.id: row["b_quote"]}]
    return Labelled(file.stem, pairs, quotes, _OF_A_PAIR)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    return (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())


def _id(name: str) -> str:
    return f"note:{name.removeprefix('vault/')}" if name.startswith("vault/") else f"kb:{name}"


def _note(name: str, title: str, body: str) -> Entry:
    digest = hashlib.sha256(f"{title}\n{body}".encode()).hexdigest()
    return Entry(
        id=f"note:{name}", kind="note", path=None, title=title, body=body, language=detect(f"{title}\n{body}"),
        content_digest=digest, text_digest=digest,
    )  # fmt: skip


def examples(labelled: Labelled, words: WordVectors) -> Examples:
    """The measures of all values that could conflict."""
    x, y, pairs = [], [], []
    for a, b in labelled.pairs:
        if contradictions.excluded(a, b):
            continue
        left, right = statements.of(a), statements.of(b)
        matcher = Matcher(words, left, right)
        events = contradictions.is_event(a) or contradictions.is_event(b)
        one, other = likeness.valued(a.title, left), likeness.valued(b.title, right)
        compared = likeness.Comparison(one, other, matcher, event=events, across=a.language != b.language)
        pair = (min(a.id, b.id), max(a.id, b.id))
        for i, j in compared.pairs():
            (n, v), (m, w) = one.items[i], other.items[j]
            if not contradictions.possible(left[n], right[m], v, w, events, words) or compared.nameless(i, j):
                continue
            if contradictions.agrees(v, left[n], right, matcher) or contradictions.agrees(w, right[m], left, matcher):
                continue
            said = labelled.quotes.get(pair, ())
            right_one = any(_of(q[a.id], left[n], v) and _of(q[b.id], right[m], w) for q in said)
            x.append(compared.measures(i, j))
            y.append(float(right_one))
            pairs.append(pair)
    wanted = len(labelled.quotes)
    return Examples(labelled.name, np.array(x, np.float64), np.array(y), pairs, wanted, labelled.weight)


def _of(quote: str, s: Statement, v: Value) -> bool:
    """Whether a labelled quote is this value of this statement."""
    said, written = " ".join(quote.split()), " ".join(s.quote.split())
    return v.text in said and (said in written or written in said or s.text.strip() in said)


def fit(sets: Sequence[Examples]) -> tuple[Floats, float]:
    """Weights and bias of a logistic regression with a ridge on the standardised measures (Newton's method)."""
    x, y = np.concatenate([e.x for e in sets]), np.concatenate([e.y for e in sets])
    counts = np.concatenate([np.full(len(e.y), e.weight) for e in sets])
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    ridge = np.diag([_RIDGE] * x.shape[1] + [0.0])
    w = np.zeros(z.shape[1])
    for _ in range(80):
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        slope = counts * p * (1 - p) + 1e-6
        w = w + np.linalg.solve((z * slope[:, None]).T @ z + ridge, z.T @ (counts * (y - p)) - ridge @ w)
    weights = w[:-1] / spread
    return weights, float(w[-1] - weights @ mean)


def score(e: Examples, weights: Floats, bias: float, threshold: float) -> tuple[int, int, int]:
    """Pairs of entries found rightly and wrongly, and how many there are."""
    sure = 1 / (1 + np.exp(-(e.x @ weights + bias)))
    found = {pair for pair, p in zip(e.pairs, sure, strict=True) if p >= threshold}
    right = {pair for pair, y in zip(e.pairs, e.y, strict=True) if y}
    return len(found & right), len(found - right), e.wanted


if __name__ == "__main__":
    main()
