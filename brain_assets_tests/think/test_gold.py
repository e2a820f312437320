"""The bars of `think` on labelled questions, with the fast vector set only (the accurate one takes minutes)."""

from __future__ import annotations

import json
import os
import re
import shutil
import unicodedata
from pathlib import Path

import pytest

from brain_assets.retrieval.search import Searcher
from brain_assets.think import Answer, think
from brain_assets_tests.think.conftest import build


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, object], Answer]]:
    gold = Path(__file__).parents[2].parent / "shared" / "gold"
    if not gold.is_dir():
        pytest.skip("the labelled data (../shared/gold) is not beside this checkout")
    root = tmp_path_factory.mktemp("gold")
    for name in ("vault", "kb"):
        shutil.copytree(gold / name, root / name)
    for path, stamp in json.loads((gold / "labels" / "mtimes.json").read_text(encoding="utf-8")).items():
        target = root / path if path.startswith(("vault/", "kb/")) else root / "vault" / path
        if target.exists():
            import datetime as dt

            when = stamp if isinstance(stamp, int | float) else dt.datetime.fromisoformat(stamp).timestamp()
            os.utime(target, (when, when))
    settings = build(root, {}, [])
    searcher = Searcher.open(settings)
    labels = (gold / "labels" / "think.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in labels if line.strip()]
    return [(row, think(settings, row["query"], no_llm=True, searcher=searcher, record=False)) for row in rows]


def identity(label: object) -> str:
    text = unicodedata.normalize("NFC", str(label["ref"] if isinstance(label, dict) else label))
    return "note:" + text.removeprefix("vault/") if text.endswith(".md") else f"kb:{text}"


Answers = list[tuple[dict[str, object], Answer]]


def test_the_labelled_sources_are_gathered(answers: Answers) -> None:
    found = wanted = 0
    for row, answer in answers:
        relevant = {identity(x) for x in row["relevant"]}  # type: ignore[attr-defined]
        found += len(relevant & {s.id for s in answer.sources})
        wanted += len(relevant)
    assert found / wanted >= 0.90


def test_staleness_is_right_wherever_a_stale_source_was_gathered(answers: Answers) -> None:
    for row, answer in answers:
        stale = {"note:" + unicodedata.normalize("NFC", x["path"]).removeprefix("vault/") for x in row["stale"]}  # type: ignore[attr-defined]
        relevant = {identity(x) for x in row["relevant"]}  # type: ignore[attr-defined]
        said = {s.id for s in answer.gaps.stale} & (relevant | stale)
        assert said == stale & {s.id for s in answer.sources}, row["id"]


def test_missing_is_precise_and_complete_enough(answers: Answers) -> None:
    right = sum(bool(row["missing"]) and bool(a.gaps.missing) for row, a in answers)
    wrong = sum(not row["missing"] and bool(a.gaps.missing) for row, a in answers)
    labelled = sum(bool(row["missing"]) for row, _ in answers)
    assert right / labelled >= 0.80
    assert right / (right + wrong) >= 0.80


def test_contradictions_on_the_subject_are_found_and_no_others(answers: Answers) -> None:
    gold = Path(__file__).parents[2].parent / "shared" / "gold" / "labels" / "contradictions.jsonl"
    planted = {row["id"]: row for row in map(json.loads, gold.read_text(encoding="utf-8").splitlines())}

    def pairs(labels: object) -> set[frozenset[str]]:
        found = [planted[x] if isinstance(x, str) else x for x in labels]  # type: ignore[attr-defined]
        return {frozenset((identity(x["a"]), identity(x["b"]))) for x in found}

    right = wrong = labelled = 0
    for row, answer in answers:
        said = {frozenset((c.a, c.b)) for c in answer.gaps.contradiction if c.strength == "strong"}
        wanted = pairs(row["contradictions"])
        right += len(said & wanted)
        wrong += len(said - wanted - pairs(row["other_contradictions"]))
        labelled += len(wanted)
    assert right / labelled >= 0.70
    assert right / (right + wrong) >= 0.85


def test_questions_without_a_gap_raise_no_alarm(answers: Answers) -> None:
    quiet = [a for row, a in answers if row["no_gap"]]
    strong = [a for a in quiet if a.gaps.missing or any(c.strength == "strong" for c in a.gaps.contradiction)]
    assert len(strong) / len(quiet) <= 0.10


def test_every_citation_exists_and_answerable_questions_are_cited(answers: Answers) -> None:
    for row, answer in answers:
        cited = {int(n) for n in re.findall(r"\[(\d+)\]", answer.answer)}
        assert cited <= {s.n for s in answer.sources}, row["id"]
        assert cited or not row["answerable"], row["id"]
        assert not {m.term.casefold() for m in answer.gaps.missing} & {u.term.casefold() for u in answer.gaps.uncited}
