"""Staged articles are embedded only while learning is on; switched on again, it catches up. And the funnel counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from brain_assets.retrieval import index, vectors
from brain_assets.settings import Settings
from brain_assets.store import entries, schema
from brain_assets.store.catalogue import Catalogue
from brain_assets.synthesis import articles, consolidations, funnel, learning, review
from brain_assets_tests.synthesis import brains


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return brains.settings(tmp_path, vector_sets=("usem3",))


@pytest.fixture
def cat(settings: Settings) -> Catalogue:
    cat = brains.open_brain(settings)
    # Without vectors the pool stands on its edges alone, which is what these sources were made for.
    brains.fill(cat, brains.queue_sources(), brains.QUEUE_EDGES)
    consolidations.update(cat, settings)
    articles.update(cat, settings)
    return cat


def embedded(cat: Catalogue) -> set[str]:
    with cat.read() as connection:
        found = set(connection.execute(select(schema.vectors.c.digest)).scalars())
        return {entry_id for entry_id, digest, _ in entries.passage_digests(connection) if digest in found}


def article_node(cat: Catalogue) -> str:
    with cat.read() as connection:
        return entries.live_ids(connection, ("article",))[0]


def test_an_article_waits_until_it_is_learnt(cat: Catalogue, settings: Settings) -> None:
    node = article_node(cat)
    index.update(cat, settings)
    vectors.update(cat, settings)
    assert node not in embedded(cat) and learning.waiting(cat) == [node]
    report = learning.learn(cat, settings)
    assert (report.done, report.failed) == (1, 0)
    assert node in embedded(cat) and learning.waiting(cat) == []
    assert learning.learn(cat, settings).pending == 0


def test_while_it_is_off_nothing_is_embedded_and_it_catches_up(cat: Catalogue, settings: Settings) -> None:
    assert learning.is_on(cat)
    learning.off(cat)
    assert not learning.is_on(cat)
    assert "disabled" in learning.learn(cat, settings).details
    assert embedded(cat) == set()
    learning.on(cat)
    assert learning.learn(cat, settings).done == 1
    assert article_node(cat) in embedded(cat)


def test_a_new_version_waits_again(cat: Catalogue, settings: Settings) -> None:
    learning.learn(cat, settings)
    changed = brains.queue_sources()[3]
    body = changed.body.replace("verschwunden ist.", "verschwunden ist. Das dauert 5 Minuten.")
    with cat.begin() as connection:
        entries.put(connection, [changed.model_copy(update={"body": body, "text_digest": brains.digest(body)})])
        connection.execute(schema.vector_sets.delete())
    consolidations.update(cat, settings)
    articles.update(cat, settings)
    assert learning.waiting(cat) == [article_node(cat)]


def test_the_funnel_counts_each_step(cat: Catalogue, settings: Settings) -> None:
    with cat.read() as connection:
        found = funnel.counts(connection)
        assert funnel.refused(connection) == {}
    assert found == {"pools": 1, "consolidated": 1, "researched": 0, "drafted": 1, "staged": 1, "approved": 0}
    review.approve(cat, settings, review.list_articles(cat, settings)["articles"][0]["id"])
    with cat.read() as connection:
        found = funnel.counts(connection)
    assert (found["staged"], found["approved"], found["drafted"]) == (0, 1, 1)
