"""Commands over the built sample: relations, contradictions, topics, gaps, articles, learning, research, eval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select, update

from brain_assets.settings import Settings
from brain_assets.store import catalogue, schema
from brain_assets_tests.cli.conftest import Brain
from brain_assets_tests.operation import brains

pytestmark = pytest.mark.xdist_group("sample_brain")
EDGE = {"source", "target", "relation", "confidence", "judge", "source_quote", "target_quote", "reason"}
CONTRADICTION = {
    "id", "a", "b", "subject", "kind", "a_quote", "b_quote", "a_value", "b_value", "confidence", "status",
}  # fmt: skip


def test_relations_are_one_edge_a_line(brain: Brain, sample_brain: Settings) -> None:
    done = brain("relations", "--json", at=sample_brain)
    assert done.code == 0
    edges = done.lines()
    assert edges
    assert all(edge.keys() >= EDGE for edge in edges)
    assert all("source_path" in edge and "target_path" in edge for edge in edges)
    only = brain("relations", "--json", "--relation", "references", at=sample_brain).lines()
    assert only
    assert {edge["relation"] for edge in only} == {"references"}
    sure = brain("relations", "--json", "--min-confidence", "0.9", at=sample_brain).lines()
    assert all(edge["confidence"] >= 0.9 for edge in sure)
    assert "references" in brain("relations", at=sample_brain).out


def test_related_takes_ids_and_paths(brain: Brain, sample_brain: Settings) -> None:
    edge = brain("relations", "--json", "--relation", "references", at=sample_brain).lines()[0]
    by_id = brain("related", edge["source"], "--json", at=sample_brain).json()
    assert by_id["id"] == edge["source"]
    assert edge["target"] in {e["target"] for e in by_id["edges"]}
    assert brain("related", edge["source_path"], "--json", at=sample_brain).json() == by_id
    assert edge["target"] in brain("related", edge["source"], at=sample_brain).out
    unknown = brain("related", "note:nowhere.md", at=sample_brain)
    assert unknown.code == 1
    assert "nowhere.md" in unknown.err


def test_contradictions_are_listed_and_settled(brain: Brain, sample_brain: Settings, tmp_path: Path) -> None:
    settings = brains.copy(sample_brain, tmp_path)
    found = brain("contradictions", "--json", at=settings).json()["contradictions"]
    assert found
    assert all(c.keys() >= CONTRADICTION for c in found)
    assert brain("contradictions", "list", "--json", at=settings).json()["contradictions"] == found
    first = found[0]
    resolved = brain("contradictions", "resolve", first["id"], "--keep", first["a"], "--note", "checked", at=settings)
    assert resolved.code == 0
    done = {c["id"]: c for c in brain("contradictions", "--json", at=settings).json()["contradictions"]}[first["id"]]
    assert (done["status"], done["keep"], done["note"]) == ("resolved", first["a"], "checked")
    for action, status in (("confirm", "confirmed"), ("dismiss", "dismissed")):
        assert brain("contradictions", action, first["id"], at=settings).code == 0
        listed = brain("contradictions", "list", "--status", status, "--json", at=settings).json()["contradictions"]
        assert first["id"] in {c["id"] for c in listed}
    assert brain("contradictions", "resolve", first["id"], "--keep", "note:nowhere.md", at=settings).code == 1
    assert brain("contradictions", "dismiss", "no-such-id", at=settings).code == 1
    assert brain("contradictions", "resolve", first["id"], at=settings).code == 2


def test_topics(brain: Brain, sample_brain: Settings) -> None:
    value = brain("topics", "--json", at=sample_brain).json()
    assert value.keys() == {"topics", "outliers"}
    assert all(topic.keys() >= {"id", "label", "terms", "members"} for topic in value["topics"])
    members = [m for topic in value["topics"] for m in topic["members"]] + value["outliers"]
    assert len(members) == len(set(members))
    assert value["topics"][0]["label"] in brain("topics", at=sample_brain).out


def test_the_graph_is_written(brain: Brain, sample_brain: Settings, tmp_path: Path) -> None:
    page = brain("graph", "--out", str(tmp_path / "brain.html"), "--json", at=sample_brain)
    assert page.code == 0
    value = page.json()
    assert value["nodes"] >= 70
    assert value["edges"] > 0
    assert "<html" in (tmp_path / "brain.html").read_text("utf-8")
    assert brain("graph", "--out", str(tmp_path / "brain.graphml"), at=sample_brain).code == 0
    assert brain("graph", "--out", str(tmp_path / "brain.exe"), at=sample_brain).code == 2


def test_eval_pairs(brain: Brain, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {"id": 1, "a": "Das Gateway lauscht auf Port 51820.", "b": "Das Gateway lauscht auf Port 1194."},
        {"id": 2, "a": "The cat sleeps.", "b": "Invoices are due in March."},
    ]
    pairs.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = brain("eval", "pairs", str(pairs), "--json")
    assert done.code == 0
    first, second = done.lines()
    assert first.keys() == {"id", "relation", "direction", "contradiction", "duplicate", "confidence"}
    assert (first["id"], first["relation"]) == (1, "contradicts")
    assert "51820" in first["contradiction"]["a_value"]
    assert "1194" in first["contradiction"]["b_value"]
    assert (second["contradiction"], second["duplicate"]) == (None, False)
    pairs.write_text('{"id": 3}', encoding="utf-8")
    broken = brain("eval", "pairs", str(pairs), "--json")
    assert broken.code == 1
    assert "Line 1" in broken.lines()[0]["error"]


def test_eval_pairs_with_labels_tells_precision_and_recall(brain: Brain, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    pairs = [
        ("Der Tank fasst 300 Liter.", "Der Tank fasst 250 Liter.", "contradicts"),
        ("Der Tank ist blau.", "Er ist neu.", "none"),
    ]
    lines = [{"id": str(n), "a": a, "b": b, "label": label} for n, (a, b, label) in enumerate(pairs)]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = brain("eval", "pairs", str(file))
    assert "contradicts: precision 1.000, recall 1.000" in done.out
    assert "duplicates: precision not measured" in done.out


def test_eval_candidates(brain: Brain, sample_brain: Settings) -> None:
    found = brain("eval", "candidates", "--sample", "10", "--json", at=sample_brain).json()
    assert found["sample"] == 10
    assert found["related"]["recall"] > 0.7
    assert {"found", "wanted", "recall", "missed"} == found["contradictions"].keys()


def test_gaps_have_a_life(brain: Brain, own_brain: Settings) -> None:
    assert brain("gaps", "--json", at=own_brain).json() == {"gaps": []}
    for _ in range(2):
        brain("think", "Wie heißt der Druckserver?", "--no-llm", at=own_brain)
    gaps = brain("gaps", "--json", at=own_brain).json()["gaps"]
    assert len(gaps) == 1
    gap = gaps[0]
    assert gap.keys() >= {"gap_id", "kind", "term", "state", "queries", "seen"}
    assert (gap["kind"], gap["state"], gap["seen"]) == ("stale", "open", 2)
    assert brain("gaps", "show", gap["gap_id"], "--json", at=own_brain).json()["queries"] == gap["queries"]
    assert gap["gap_id"] in brain("gaps", at=own_brain).out
    for action, state in (("dismiss", "dismissed"), ("reopen", "open"), ("answer", "answered")):
        assert brain("gaps", action, gap["gap_id"], "--note", f"so {state}", at=own_brain).code == 0
        now = brain("gaps", "list", "--state", state, "--json", at=own_brain).json()["gaps"]
        assert [(g["gap_id"], g["note"]) for g in now] == [(gap["gap_id"], f"so {state}")]
    assert brain("gaps", "--json", "list", "--kind", "missing", at=own_brain).json() == {"gaps": []}
    assert "None of the 1 known gaps is missing" in brain("gaps", "list", "--kind", "missing", at=own_brain).out
    assert brain("gaps", "show", "no-such-gap", at=own_brain).code == 1
    assert brain("status", "--json", at=own_brain).json()["gaps_open"] == 0


def test_a_sync_that_answers_a_gap_closes_it(brain: Brain, own_brain: Settings) -> None:
    brain("think", "Wie heißt der Druckserver?", "--no-llm", at=own_brain)
    brains.write(
        own_brain.vault_dir,
        {"Druck.md": "---\ntitle: Druckserver\ndate: 2026-11-30\n---\nDer Druckserver heißt papyrus.\n"},
    )
    assert brain("sync", at=own_brain).code == 0
    assert [g["state"] for g in brain("gaps", "--json", at=own_brain).json()["gaps"]] == ["answered"]


def _staged(brain: Brain, settings: Settings) -> list[str]:
    return [a["id"] for a in brain("articles", "list", "--state", "staged", "--json", at=settings).json()["articles"]]


def test_articles_are_listed_and_shown(brain: Brain, sample_brain: Settings) -> None:
    value = brain("articles", "list", "--json", at=sample_brain).json()
    assert value.keys() == {"articles", "refused"}
    assert all(
        a.keys() >= {"id", "title", "type", "decision", "target", "confidence", "sources", "state"}
        for a in value["articles"]
    )
    assert all(r.keys() >= {"sources", "decision", "reason"} for r in value["refused"])
    name = value["articles"][0]["id"]
    shown = brain("articles", "show", name, "--json", at=sample_brain).json()
    assert shown["article"]["id"] == name
    assert set(shown["article"]) == {
        "id", "title", "text", "answer", "auto_reply", "min_score", "categories", "keywords", "source", "source_uri",
        "language", "communication_style",
    }  # fmt: skip
    assert shown["meta"].keys() >= {
        "type", "decision", "target", "confidence", "sources", "facts", "critical_gaps", "optional_gaps",
        "resolved_gaps",
    }  # fmt: skip
    assert shown["article"]["title"] in brain("articles", "show", name, at=sample_brain).out
    assert name in brain("articles", "list", at=sample_brain).out
    assert brain("articles", "diff", name, "--json", at=sample_brain).json()["id"] == name
    for command in ("show", "diff", "history", "approve"):
        assert brain("articles", command, "KB-AI-THINK-ARTICLE-none", at=sample_brain).code == 1
    for evil in ("../../etc/passwd", "..", "article:../x"):
        assert brain("articles", "show", evil, at=sample_brain).code == 1


def test_an_approved_article_becomes_knowledge(brain: Brain, sample_brain: Settings, tmp_path: Path) -> None:
    settings = brains.copy(sample_brain, tmp_path)
    name, other = _staged(brain, settings)[:2]
    before = {path.name: path.read_bytes() for path in settings.kb_dir.iterdir()}
    approved = brain("articles", "approve", name, "--who", "Ada", "--why", "checked", "--json", at=settings)
    assert approved.code == 0
    after = {path.name: path.read_bytes() for path in settings.kb_dir.iterdir()}
    assert after.keys() - before.keys() == {f"{name}.json"}
    assert all(after[path] == content for path, content in before.items())
    assert brain("status", "--json", at=settings).json()["index"]["behind"] is False
    assert brain("sync", at=settings).code == 0
    assert f"kb:{name}" in brains.live(settings)
    assert brain("articles", "approve", name, "--who", "Ada", at=settings).code == 1
    rejected = brain("articles", "reject", other, "--who", "Ada", "--why", "too thin", at=settings)
    assert rejected.code == 0
    assert brain("articles", "reject", other, "--who", "Ada", at=settings).code == 2
    history = brain("articles", "history", other, "--json", at=settings).json()
    assert [(r["action"], r["who"], r["why"]) for r in history["reviews"]] == [("rejected", "Ada", "too thin")]
    assert {name, other}.isdisjoint(_staged(brain, settings))


def test_learning_is_a_switch(brain: Brain, own_brain: Settings) -> None:
    from brain_assets.synthesis import learning

    assert brain("learning", "--json", at=own_brain).json()["learning"] is True
    assert brain("learning", "off", at=own_brain).code == 0
    with catalogue.open(own_brain, read_only=True) as cat:
        assert not learning.is_on(cat)
    assert "off" in brain("learning", at=own_brain).out
    assert brain("learning", "on", "--json", at=own_brain).json() == {"learning": True, "learnt": 0}
    assert brain("learning", "sideways", at=own_brain).code == 2


def test_switched_on_learning_catches_up(brain: Brain, sample_brain: Settings, tmp_path: Path) -> None:
    settings = brains.copy(sample_brain, tmp_path)
    number = len(_staged(brain, settings))
    brain("learning", "off", at=settings)
    assert brain("learning", "on", "--json", at=settings).json() == {"learning": True, "learnt": number}
    assert brain("learning", "on", "--json", at=settings).json()["learnt"] == 0
    assert brain("status", at=settings).code == 0


def _open_a_critical_gap(settings: Settings) -> str:
    """Give the first fact base a critical gap; returns its pool."""
    gap = {"id": "gap-1", "question": "Which firmware fixes the tunnel resets?", "critical": True, "term": "firmware",
           "reason": "nobody says"}  # fmt: skip
    table = schema.consolidations
    with catalogue.open(settings) as cat, cat.begin() as connection:
        row = connection.execute(select(table).order_by(table.c.pool_id, table.c.version)).mappings().first()
        assert row is not None
        base = json.loads(row["consolidation"]) | {"critical_gaps": [gap]}
        key = (table.c.pool_id == row["pool_id"]) & (table.c.version == row["version"])
        connection.execute(update(table).where(key).values(consolidation=json.dumps(base)))
    return str(row["pool_id"])


def test_research_without_a_server_says_so_and_is_tried_again(
    brain: Brain, sample_brain: Settings, tmp_path: Path
) -> None:
    settings = brains.copy(sample_brain, tmp_path)
    pool = _open_a_critical_gap(settings)
    ran = brain("research", "run", "--json", at=settings)
    assert ran.code == 0
    assert set(ran.json()["stages"]) == {"research_rounds", "staged_articles"}
    rounds = brain("research", "show", pool, "--json", at=settings).json()["rounds"]
    assert {r["outcome"] for r in rounds} == {"unavailable"}
    assert "unavailable" in brain("research", "show", at=settings).out
    stuck = brain("research", "retry", at=settings)
    assert stuck.code == 1
    assert "could not be searched" in stuck.out
    assert brain("research", "show", "no-such-pool", at=settings).code == 1


def test_eval_known_items(brain: Brain, sample_brain: Settings) -> None:
    value = brain("eval", "known", "--json", "--sample", "30", at=sample_brain).json()
    assert value["forms"].keys() == {"title", "question", "transliterated"}
    assert value["forms"]["title"]["rate"] >= 0.9
    assert "title" in brain("eval", "known", "--sample", "5", at=sample_brain).out


def test_eval_retrieval(brain: Brain, sample_brain: Settings, tmp_path: Path) -> None:
    labels = [{"id": "1", "query": "VPN-Tunnel wiederherstellen", "relevant": {"VPN/Tunnel wiederherstellen.md": 1}}]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    value = brain(
        "eval", "retrieval", str(tmp_path), "--mode", "lexical", "--compare", "hybrid", "--json", at=sample_brain
    ).json()
    assert value["ndcg10"] == value["recall10"] == value["mrr"] == 1.0
    assert value["difference"]["significant"] is False
    assert "nDCG@10" in brain("eval", "retrieval", str(tmp_path), at=sample_brain).out
    (tmp_path / "queries.jsonl").write_text('{"id": "1"}', encoding="utf-8")
    broken = brain("eval", "retrieval", str(tmp_path), at=sample_brain)
    assert broken.code == 2
    assert "line 1" in broken.err
