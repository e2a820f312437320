"""The set of labelled pairs of sentences (pairs.jsonl): every kind of contradiction and of what only looks like one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from brain_assets.graph import pairs

_ROWS = [json.loads(line) for line in Path(__file__).with_name("pairs.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def counts() -> Counter[tuple[str, str]]:
    """(label, verdict) → how many pairs."""
    out: Counter[tuple[str, str]] = Counter()
    for row in _ROWS:
        verdict = pairs.judge(row["a"], row["b"])
        out[row["label"], pairs.label(verdict)] += 1
    return out


@pytest.mark.parametrize(("label", "precision", "recall"), [("contradicts", 0.9, 0.7), ("duplicates", 0.75, 0.4)])
def test_precision_and_recall(counts: Counter[tuple[str, str]], label: str, precision: float, recall: float) -> None:
    right = counts[label, label]
    found = sum(n for (_, verdict), n in counts.items() if verdict == label)
    wanted = sum(n for (wanted, _), n in counts.items() if wanted == label)
    assert right / found >= precision
    assert right / wanted >= recall


def test_each_pair_has_a_name_of_its_own_and_a_known_label() -> None:
    assert len({row["id"] for row in _ROWS}) == len(_ROWS) >= 40
    assert {row["label"] for row in _ROWS} == {"contradicts", "duplicates", "none"}


@pytest.mark.parametrize("row", [r for r in _ROWS if r["id"].startswith("hard")], ids=lambda r: r["id"])
def test_what_only_looks_like_a_contradiction(row: dict[str, str]) -> None:
    assert pairs.label(pairs.judge(row["a"], row["b"])) != "contradicts", row["kind"]
    assert pairs.label(pairs.judge(row["b"], row["a"])) != "contradicts", row["kind"]
