"""From confirmed edges to a staged article, and back out again when its sources go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select

from brain_assets.settings import Settings
from brain_assets.store import entries, schema
from brain_assets.store.catalogue import Catalogue
from brain_assets.synthesis import articles, consolidations, review, rounds, staging
from brain_assets_tests.synthesis import brains


def build(cat: Catalogue, settings: Settings) -> list[object]:
    return [
        consolidations.update(cat, settings),
        rounds.update(cat, settings),
        articles.update(cat, settings),
    ]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return brains.settings(tmp_path)


@pytest.fixture
def cat(settings: Settings) -> Catalogue:
    cat = brains.open_brain(settings)
    brains.fill(cat, brains.queue_sources() + brains.off_topic(), brains.QUEUE_EDGES)
    return cat


def test_a_confirmed_relation_becomes_a_staged_article(cat: Catalogue, settings: Settings) -> None:
    build(cat, settings)
    listed = review.list_articles(cat, settings)
    assert len(listed["articles"]) == 1, listed["refused"]
    article = listed["articles"][0]
    assert article["sources"] == [
        "kb:KB-1", "kb:KB-2", "note:Drucken/Störung Halle 4.md", "note:Drucken/Warteschlange klemmt.md",
    ]  # fmt: skip
    assert (article["type"], article["decision"], article["state"]) == ("troubleshooting", "create", "staged")
    staged = json.loads((settings.staging_dir / f"{article['id']}.json").read_text(encoding="utf-8"))
    assert tuple(staged) == staging.KB_KEYS
    assert article["id"].startswith("KB-AI-THINK-ARTICLE-20261201-")
    assert staged["auto_reply"] is False and staged["min_score"] == 0.82
    assert staged["categories"][:3] == ["AI-THINK", "AI-Staging", "AI-Synthesis"]
    assert staged["source"] == "Neural Brain / deterministic (Knowledge Synthesis)"
    assert staged["source_uri"] == f"brain://article/{article['id']}"
    assert staged["language"] == "de-DE" and staged["communication_style"] == "formal"
    assert "cancel -a halle4-a4" in staged["answer"]


def test_every_fact_is_verbatim_in_its_source(cat: Catalogue, settings: Settings) -> None:
    build(cat, settings)
    shown = review.show(cat, settings, review.list_articles(cat, settings)["articles"][0]["id"])
    with cat.read() as connection:
        texts = {e.id: " ".join(f"{e.title}\n{e.body}".split()) for e in entries.load(connection)}
    assert len(shown["meta"]["facts"]) >= 10
    for fact in shown["meta"]["facts"]:
        assert " ".join(fact["quote"].split()) in texts[fact["source"]]


def test_a_second_run_does_nothing_and_touches_no_file(cat: Catalogue, settings: Settings) -> None:
    build(cat, settings)
    before = {p: p.stat().st_mtime_ns for p in settings.data_dir.rglob("*.json")}
    assert before
    for report in build(cat, settings):
        assert report.pending == 0 and report.done == 0, report
    assert {p: p.stat().st_mtime_ns for p in settings.data_dir.rglob("*.json")} == before


def test_the_article_is_a_node_with_its_edges(cat: Catalogue, settings: Settings) -> None:
    build(cat, settings)
    with cat.read() as connection:
        nodes = list(entries.load(connection, kinds=("article",)))
        found = list(connection.execute(select(schema.edges).where(schema.edges.c.origin == "articles")))
    assert len(nodes) == 1 and nodes[0].type == "AI-Synthesis" and not nodes[0].production
    assert {e.relation for e in found} == {"synthesized_from"} and len(found) == 4


def test_articles_whose_sources_vanish_are_taken_back(cat: Catalogue, settings: Settings) -> None:
    build(cat, settings)
    article_id = review.list_articles(cat, settings)["articles"][0]["id"]
    with cat.begin() as connection:
        entries.tombstone(connection, ["kb:KB-1", "kb:KB-2"], settings.today)
        connection.execute(delete(schema.edges).where(schema.edges.c.source.in_(["kb:KB-1", "kb:KB-2"])))
    build(cat, settings)
    assert review.list_articles(cat, settings)["articles"] == []
    assert not staging.file_of(settings, article_id).exists()
    assert review.history(cat, settings, article_id)["state"] == "superseded"


def test_switched_off_it_says_disabled_and_touches_nothing(tmp_path: Path) -> None:
    settings = brains.settings(tmp_path, article_synthesis_enabled=False)
    cat = brains.open_brain(settings)
    brains.fill(cat, brains.queue_sources(), brains.QUEUE_EDGES)
    for report in build(cat, settings):
        assert "disabled" in report.details
    assert not settings.staging_dir.exists()


def test_what_stands_beside_a_pool_is_part_of_what_its_fact_base_is_made_from(
    cat: Catalogue, settings: Settings
) -> None:
    other = brains.note("Drucken/Papier.md", "Papiersorten", "# Papiersorten\n\nFür Halle 4 gibt es Etiketten.\n")
    with cat.begin() as connection:
        entries.put(connection, [other])
        connection.execute(insert(schema.edges), [brains.edge("kb:KB-2", other.id, "references")])
    build(cat, settings)
    assert consolidations.update(cat, settings).done == 0
    changed = other.model_copy(update={"body": "# Neu\n", "text_digest": "other"})
    with cat.begin() as connection:
        entries.put(connection, [changed])
    assert consolidations.update(cat, settings).done == 1
