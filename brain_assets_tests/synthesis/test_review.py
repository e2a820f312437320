"""From a staged article to production knowledge, and every way a decision can go wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from brain_assets.errors import BrainError, ConfigurationError, NotFoundError
from brain_assets.settings import Settings
from brain_assets.sources.sync import sync_kb
from brain_assets.store import entries, schema
from brain_assets.store.catalogue import Catalogue
from brain_assets.synthesis import articles, consolidations, review, staging
from brain_assets_tests.synthesis import brains


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return brains.settings(tmp_path)


@pytest.fixture
def cat(settings: Settings) -> Catalogue:
    cat = brains.open_brain(settings)
    brains.fill(cat, brains.queue_sources(), brains.QUEUE_EDGES)
    build(cat, settings)
    return cat


def build(cat: Catalogue, settings: Settings) -> dict[str, Any]:
    consolidations.update(cat, settings)
    articles.update(cat, settings)
    return review.list_articles(cat, settings)


def only_id(cat: Catalogue, settings: Settings) -> str:
    return str(review.list_articles(cat, settings)["articles"][0]["id"])


def test_an_approved_article_becomes_knowledge_of_ai_origin(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    found = review.approve(cat, settings, article_id, who="lena", why="tried it")
    path = settings.kb_dir / f"{article_id}.json"
    assert found["path"] == str(path) and json.loads(path.read_text(encoding="utf-8"))["id"] == article_id
    assert not staging.file_of(settings, article_id).exists()
    sync_kb(cat, settings)
    with cat.read() as connection:
        entry = entries.get(connection, f"kb:{article_id}")
        assert entries.get(connection, f"article:{article_id}") is None
    assert entry is not None and entry.ai_origin and entry.generation_depth == 1 and not entry.production
    history = review.history(cat, settings, article_id)
    assert history["reviews"] == [
        {"action": "approved", "version": 1, "who": "lena", "on": "2026-12-01", "why": "tried it"}
    ]


def test_after_approval_the_same_pool_is_not_proposed_again(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    review.approve(cat, settings, article_id, who="lena")
    sync_kb(cat, settings)
    listed = build(cat, settings)
    assert [(a["id"], a["state"]) for a in listed["articles"]] == [(article_id, "approved")]
    assert any(r["decision"] == "skip" and "already_covered" in r["reason"] for r in listed["refused"])


def test_an_existing_file_is_never_overwritten(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    path = settings.kb_dir / f"{article_id}.json"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(BrainError, match="already there"):
        review.approve(cat, settings, article_id)
    assert path.read_text(encoding="utf-8") == "mine"
    assert review.list_articles(cat, settings)["articles"][0]["state"] == "staged"


def test_a_rejected_pool_returns_only_when_a_source_changes(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    review.reject(cat, settings, article_id, who="piet", why="too thin")
    assert not staging.file_of(settings, article_id).exists()
    listed = build(cat, settings)
    assert [a["state"] for a in listed["articles"]] == ["rejected"]
    assert any("rejected: too thin (piet, 2026-12-01)" in r["reason"] for r in listed["refused"])
    changed = brains.queue_sources()[3]
    body = changed.body.replace(
        "verschwunden ist.", "verschwunden ist. Dauert es länger als 5 Minuten, hilft ein Neustart."
    )
    with cat.begin() as connection:
        entries.put(connection, [changed.model_copy(update={"body": body, "text_digest": brains.digest(body)})])
    listed = build(cat, settings)
    assert [(a["id"], a["state"], a["version"]) for a in listed["articles"]] == [(article_id, "staged", 2)]
    assert "Neustart" in review.diff(cat, settings, article_id)["diff"]
    assert [v["version"] for v in review.history(cat, settings, article_id)["versions"]] == [1, 2]


def test_a_staging_file_edited_by_hand_is_what_gets_approved(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    path = staging.file_of(settings, article_id)
    record = json.loads(path.read_text(encoding="utf-8"))
    record["title"] = "Drucker in Halle 4 druckt nicht"
    path.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    assert review.list_articles(cat, settings)["articles"][0]["edited"] is True
    assert review.show(cat, settings, article_id)["article"]["title"] == "Drucker in Halle 4 druckt nicht"
    assert "edited by hand" in review.diff(cat, settings, article_id)["diff"]
    review.approve(cat, settings, article_id)
    kept = json.loads((settings.kb_dir / f"{article_id}.json").read_text(encoding="utf-8"))
    assert kept["title"] == "Drucker in Halle 4 druckt nicht" and tuple(kept) == staging.KB_KEYS


@pytest.mark.parametrize("content", ["", "{", "[]", '{"id": "other"}', "null"])
def test_a_staging_file_broken_by_hand_is_refused_with_the_remedy(
    cat: Catalogue, settings: Settings, content: str
) -> None:
    article_id = only_id(cat, settings)
    staging.file_of(settings, article_id).write_text(content, encoding="utf-8")
    with pytest.raises(BrainError) as failure:
        review.approve(cat, settings, article_id)
    assert str(staging.file_of(settings, article_id)) in failure.value.message and failure.value.remedy
    assert not list(settings.kb_dir.glob("*.json"))
    assert review.list_articles(cat, settings)["articles"][0]["state"] == "staged"


def test_a_staging_file_with_another_id_is_refused(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    path = staging.file_of(settings, article_id)
    record = json.loads(path.read_text(encoding="utf-8")) | {"id": "KB-1"}
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(BrainError, match="keeps its id"):
        review.approve(cat, settings, article_id)


def test_a_deleted_staging_file_is_written_again(cat: Catalogue, settings: Settings) -> None:
    path = staging.file_of(settings, only_id(cat, settings))
    before = path.read_text(encoding="utf-8")
    path.unlink()
    assert articles.update(cat, settings).details["restored"] == 1
    assert path.read_text(encoding="utf-8") == before


def test_a_kb_folder_that_is_missing_or_read_only_leaves_the_article_staged(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    settings.kb_dir.rmdir()
    with pytest.raises(ConfigurationError, match="not there"):
        review.approve(cat, settings, article_id)
    settings.kb_dir.mkdir()
    if os.geteuid() != 0:
        settings.kb_dir.chmod(0o500)
        with pytest.raises(ConfigurationError, match="cannot be written"):
            review.approve(cat, settings, article_id)
        settings.kb_dir.chmod(0o700)
    assert review.list_articles(cat, settings)["articles"][0]["state"] == "staged"
    assert staging.file_of(settings, article_id).exists()


def test_a_decision_whose_file_could_not_be_removed_is_carried_out_by_the_next_build(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(settings: Settings, article: str) -> None:
        raise PermissionError(13, "Permission denied", str(staging.file_of(settings, article)))

    article_id = only_id(cat, settings)
    with monkeypatch.context() as patch:
        patch.setattr(staging, "unstage", refused)
        with pytest.raises(PermissionError):
            review.reject(cat, settings, article_id, why="no")
    assert staging.file_of(settings, article_id).exists()
    articles.update(cat, settings)
    assert not staging.file_of(settings, article_id).exists()
    assert review.list_articles(cat, settings)["articles"][0]["state"] == "rejected"


def test_deciding_twice_is_refused(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    review.reject(cat, settings, article_id, why="no")
    with pytest.raises(BrainError, match="rejected, not staged"):
        review.approve(cat, settings, article_id)


def test_an_unknown_article_is_named(cat: Catalogue, settings: Settings) -> None:
    with pytest.raises(NotFoundError, match="KB-AI-THINK-ARTICLE-20261201-00000000"):
        review.show(cat, settings, "KB-AI-THINK-ARTICLE-20261201-00000000")


def test_an_ending_of_the_id_is_enough(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    assert review.history(cat, settings, article_id[-8:])["id"] == article_id


def test_an_approved_update_supersedes_its_target_and_leaves_its_file(tmp_path: Path) -> None:
    settings = brains.settings(tmp_path)
    cat = brains.open_brain(settings)
    target = brains.kb(
        "KB-9", "Warteschlange klemmt, Überblick", "Erzeugt aus KB-1 und KB-2.",
        "Klemmt die Warteschlange, hilft meist ein Neustart des Dienstes.", ai=True, depth=1,
        categories=("Drucken", "AI-THINK"),
    )  # fmt: skip
    edges = [
        *brains.QUEUE_EDGES,
        brains.edge("kb:KB-9", "note:Drucken/Warteschlange klemmt.md", "same_topic"),
        brains.edge("kb:KB-9", "kb:KB-1", "depends_on"),
        brains.edge("kb:KB-9", "note:Drucken/Störung Halle 4.md", "same_topic"),
    ]
    brains.fill(cat, [*brains.queue_sources(), target], edges)
    article = build(cat, settings)["articles"][0]
    assert (article["decision"], article["target"]) == ("update", "kb:KB-9")
    assert not {"kb:KB-1", "kb:KB-2"} <= set(article["sources"]), "what the target was made from counts through it"
    with cat.read() as connection:
        relations = set(
            connection.execute(select(schema.edges.c.relation).where(schema.edges.c.origin == "articles")).scalars()
        )
    assert "proposes_update" in relations
    with cat.read() as connection:
        edges = connection.execute(select(schema.edges).where(schema.edges.c.origin == "articles")).all()
        bodies = {e.id: e.body for e in entries.load(connection)}
    assert all(e.target_quote and e.target_quote in bodies[e.target] for e in edges)
    review.approve(cat, settings, article["id"])
    with cat.read() as connection:
        row = connection.execute(select(schema.edges).where(schema.edges.c.relation == "supersedes")).one()
        assert (row.source, row.target) == (f"kb:{article['id']}", "kb:KB-9")
        assert entries.get(connection, "kb:KB-9") == target


def test_a_target_that_disappeared_refuses_the_pool(tmp_path: Path) -> None:
    settings = brains.settings(tmp_path)
    cat = brains.open_brain(settings)
    target = brains.kb("KB-9", "Warteschlange klemmt, Überblick", "Erzeugt aus KB-1.", "Neustart hilft meist.", ai=True,
                       depth=1, categories=("AI-THINK",))  # fmt: skip
    edges = [
        *brains.QUEUE_EDGES,
        brains.edge("kb:KB-9", "kb:KB-1", "depends_on"),
        brains.edge("kb:KB-9", "note:Drucken/Warteschlange klemmt.md", "same_topic"),
    ]
    brains.fill(cat, [*brains.queue_sources(), target], edges)
    consolidations.update(cat, settings)
    with cat.begin() as connection:
        entries.tombstone(connection, ["kb:KB-9"], settings.today)
    articles.update(cat, settings)
    listed = review.list_articles(cat, settings)
    assert listed["articles"] == [] and "target_gone: kb:KB-9" in listed["refused"][0]["reason"]


def test_an_approved_article_its_sources_outgrew_is_proposed_for_update(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    review.approve(cat, settings, article_id, who="lena")
    sync_kb(cat, settings)
    changed = brains.queue_sources()[3]
    body = changed.body.replace("verschwunden ist.", "verschwunden ist. Nach 5 Minuten hilft nur ein Neustart.")
    with cat.begin() as connection:
        entries.put(connection, [changed.model_copy(update={"body": body, "text_digest": brains.digest(body)})])
    listed = build(cat, settings)
    new = next(a for a in listed["articles"] if a["state"] == "staged")
    assert (new["decision"], new["target"]) == ("update", f"kb:{article_id}")
    assert new["id"] != article_id and f"kb:{article_id}" in new["sources"]
    review.approve(cat, settings, new["id"])
    assert sorted(p.stem for p in settings.kb_dir.glob("*.json")) == sorted([article_id, new["id"]])


def test_what_a_killed_run_staged_under_another_day_is_swept(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    stale = settings.staging_dir / f"KB-AI-THINK-ARTICLE-20261130-{article_id[-8:]}.json"
    stale.write_text("{}", encoding="utf-8")
    mine = settings.staging_dir / "notes.json"
    mine.write_text("{}", encoding="utf-8")
    articles.update(cat, settings)
    assert not stale.exists() and mine.exists() and staging.file_of(settings, article_id).exists()


@pytest.mark.parametrize("killed_at", ["set_state", "unstage"])
def test_an_approval_killed_midway_is_completed_by_the_next_one(
    cat: Catalogue, settings: Settings, killed_at: str
) -> None:
    article_id = only_id(cat, settings)
    target = {"set_state": "tables.set_state", "unstage": "staging.unstage"}[killed_at]
    child = (
        "import os, sys\n"
        "from brain_assets.settings import load\n"
        "from brain_assets.store import catalogue\n"
        "from brain_assets.synthesis import review, staging, tables\n"
        f"{target} = lambda *a, **k: os._exit(9)\n"
        "s = load(data_dir=sys.argv[1], kb_dir=sys.argv[2], now='2026-12-01', research_enabled=False)\n"
        "review.approve(catalogue.open(s), s, sys.argv[3], who='lena', why='tried it')\n"
    )
    command = [sys.executable, "-c", child, str(settings.data_dir), str(settings.kb_dir), article_id]
    assert subprocess.run(command, check=False).returncode == 9
    path = settings.kb_dir / f"{article_id}.json"
    before = path.read_bytes()

    found = review.approve(cat, settings, article_id, who="lena", why="tried it")

    assert found["state"] == "approved" and path.read_bytes() == before
    assert not staging.file_of(settings, article_id).exists()
    history = review.history(cat, settings, article_id)
    assert history["state"] == "approved" and [r["action"] for r in history["reviews"]] == ["approved"]
    with pytest.raises(BrainError, match="approved, not staged"):
        review.approve(cat, settings, article_id)
    assert path.read_bytes() == before


def test_another_file_of_that_name_still_stops_an_approval(cat: Catalogue, settings: Settings) -> None:
    article_id = only_id(cat, settings)
    path = settings.kb_dir / f"{article_id}.json"
    path.write_text(staging.file_of(settings, article_id).read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(BrainError, match="already there"):
        review.approve(cat, settings, article_id)
    assert staging.file_of(settings, article_id).exists()
