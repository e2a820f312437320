"""Every check passes on the sample, and each fails once when its limit is broken."""

from __future__ import annotations

import datetime as dt
import json
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert, select, update

from brain_assets.operation import checks
from brain_assets.operation.checks.base import Look, Measured
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue

pytestmark = pytest.mark.xdist_group("sample_brain")


class _Undo(Exception):
    pass


@pytest.fixture(scope="module")
def sample_cat(sample_brain: Settings) -> Iterator[Catalogue]:
    with catalogue.open(sample_brain) as cat:
        yield cat


def test_the_sample_keeps_every_blocking_limit(sample_cat: Catalogue, sample_brain: Settings) -> None:
    results = checks.evaluate(sample_cat, sample_brain)
    assert len(results) == len(checks.CHECKS)
    assert [r.to_json() for r in results if r.blocking and r.measured.state != "passed"] == [
        r.to_json() for r in results if r.blocking and r.measured.note.startswith("No round")
    ]
    assert all(r.measured.note for r in results if r.measured.state == "not_measured")


def test_an_empty_brain_is_not_measured(cat: Catalogue, settings: Settings) -> None:
    results = checks.evaluate(cat, settings)
    assert {r.measured.state for r in results} == {"not_measured"}
    assert not any(r.blocks for r in results)


def _file(connection: Connection, source: str, **values: Any) -> None:
    base = {"source": source, "path": "ghost.md", "disk_path": "ghost.md", "size": 1, "mtime_ns": 1, "inode": 1,
            "content_digest": "0", "state": "live", "reason": "", "entry_ids": '["note:ghost.md"]'}  # fmt: skip
    connection.execute(insert(s.files).values(**{**base, **values}))


def _first(connection: Connection, column: Any, *where: Any) -> Any:
    return connection.execute(select(column).where(*where).order_by(column)).scalars().first()


def _change_json(
    connection: Connection, table: Any, column: str, key: Any, change: Callable[[dict[str, Any]], None]
) -> None:
    row = connection.execute(select(table).where(key)).mappings().first()
    assert row is not None
    value = json.loads(row[column])
    change(value)
    connection.execute(update(table).where(key).values({column: json.dumps(value)}))


def _lost_note(c: Connection) -> None:
    _file(c, "vault")


def _lost_kb(c: Connection) -> None:
    _file(c, "kb", entry_ids="[]")


def _quarantined_without_reason(c: Connection) -> None:
    _file(c, "vault", state="quarantined", entry_ids="[]")


def _two_notes_one_id(c: Connection) -> None:
    _file(c, "vault", entry_ids=json.dumps([_first(c, s.entries.c.id, s.entries.c.kind == "note")]))


def _two_kb_one_id(c: Connection) -> None:
    _file(c, "kb", entry_ids=json.dumps([_first(c, s.entries.c.id, s.entries.c.kind == "kb")]))


def _broken_front_matter(c: Connection) -> None:
    paths = c.execute(select(s.entries.c.path).where(s.entries.c.kind == "note")).scalars().all()
    c.execute(delete(s.problems))
    c.execute(insert(s.problems), [{"source": "vault", "path": p, "ordinal": 0, "reason": "front matter is broken",
                                    "severity": "warning"} for p in paths])  # fmt: skip


def _undated(c: Connection) -> None:
    for row in c.execute(select(s.entries.c.id, s.entries.c.document).where(s.entries.c.kind == "note")).all():
        document = json.loads(row.document) | {"date_origin": "file mtime"}
        c.execute(
            update(s.entries)
            .where(s.entries.c.id == row.id)
            .values(document=json.dumps(document, separators=(",", ":")))
        )


def _kb_without(field: str, value: Any) -> Callable[[Connection], None]:
    def change(c: Connection) -> None:
        for entry_id in c.execute(select(s.entries.c.id).where(s.entries.c.kind == "kb")).scalars().all():
            _change_json(c, s.entries, "document", s.entries.c.id == entry_id,
                         lambda d: d["record"].__setitem__(field, value))  # fmt: skip

    return change


def _glpi_down(c: Connection) -> None:
    key = s.stage_runs.c.stage == "kb_entries"
    _change_json(c, s.stage_runs, "report", key, lambda r: r["details"].update(glpi={"error": "GLPI is down."}))


def _unindexed(c: Connection) -> None:
    c.execute(update(s.entries).where(s.entries.c.kind == "note").values(deleted_on=dt.date(2026, 12, 1)))


def _other_titles(c: Connection) -> None:
    for number, entry_id in enumerate(c.execute(select(s.entries.c.id)).scalars().all()):
        c.execute(update(s.entries).where(s.entries.c.id == entry_id).values(title=f"Quorvix {number:x} plonktar"))


def _vector(value: bytes) -> Callable[[Connection], None]:
    def change(c: Connection) -> None:
        c.execute(update(s.vectors).where(s.vectors.c.digest == _first(c, s.vectors.c.digest)).values(vector=value))

    return change


def _nan(c: Connection) -> None:
    dimension = _first(c, s.vector_sets.c.dimension)
    _vector(struct.pack(f"<{dimension}f", *([float("nan")] * dimension)))(c)


def _missing_vector(c: Connection) -> None:
    c.execute(delete(s.vectors).where(s.vectors.c.digest == _first(c, s.vectors.c.digest)))


def _incomplete_set(c: Connection) -> None:
    c.execute(update(s.vector_sets).values(complete=False))


def _edge(**values: Any) -> Callable[[Connection], None]:
    def change(c: Connection) -> None:
        ends = c.execute(select(s.entries.c.id).where(s.entries.c.kind == "note").order_by(s.entries.c.id)).scalars()
        a, b = list(ends)[:2]
        base = {"source": a, "target": b, "relation": "part_of", "origin": "relations", "confidence": 0.9,
                "judge": "test", "source_quote": "", "target_quote": "", "reason": ""}  # fmt: skip
        c.execute(delete(s.edges).where(s.edges.c.source == a, s.edges.c.target == b))
        c.execute(insert(s.edges).values(**{**base, **values}))

    return change


def _no_edges(c: Connection) -> None:
    c.execute(delete(s.edges))


def _open_contradiction(c: Connection) -> None:
    c.execute(insert(s.contradictions).values(id="x", a="note:a", b="note:b", subject="port", kind="number",
                                              confidence=1.0, status="open", note="", finding="{}"))  # fmt: skip


def _no_topic(c: Connection) -> None:
    c.execute(delete(s.topic_members).where(s.topic_members.c.entry_id == _first(c, s.topic_members.c.entry_id)))


def _unknown_topic(c: Connection) -> None:
    member = _first(c, s.topic_members.c.entry_id)
    c.execute(update(s.topic_members).where(s.topic_members.c.entry_id == member).values(topic_id="nowhere"))


def _one_big_topic(c: Connection) -> None:
    ids = c.execute(select(s.topics.c.id).order_by(s.topics.c.id)).scalars().all()
    members = c.execute(select(s.topic_members.c.entry_id).order_by(s.topic_members.c.entry_id)).scalars().all()
    c.execute(update(s.topic_members).values(topic_id=ids[0]))
    c.execute(update(s.topic_members).where(s.topic_members.c.entry_id == members[0]).values(topic_id=ids[1]))


def _all_outliers(c: Connection) -> None:
    c.execute(update(s.topic_members).values(topic_id="outliers"))


def _pool(**values: Any) -> Callable[[Connection], None]:
    def change(c: Connection) -> None:
        pool_id = _first(c, s.consolidations.c.pool_id)
        _change_json(c, s.pools, "pool", s.pools.c.id == pool_id, lambda pool: pool.update(values))

    return change


def _statement(**values: Any) -> Callable[[Connection], None]:
    def change(c: Connection) -> None:
        pool_id = _first(c, s.consolidations.c.pool_id)
        key = (s.consolidations.c.pool_id == pool_id) & (s.consolidations.c.version == 1)
        _change_json(c, s.consolidations, "consolidation", key, lambda base: base["statements"][0].update(values))

    return change


def _round(**values: Any) -> Callable[[Connection], None]:
    base = {"pool_id": "p", "round": 1, "outcome": "searched", "reason": "", "questions": ["q"], "queries": [],
            "hits": [], "fetches": [], "evidence": [], "gaps_before": [], "gaps_after": [], "bytes_fetched": 0,
            "seconds": 0.0}  # fmt: skip

    def change(c: Connection) -> None:
        record = {**base, **values}
        c.execute(delete(s.research_rounds))
        c.execute(insert(s.research_rounds).values(pool_id="p", round=record["round"], outcome=record["outcome"],
                                                   input_digest="0", record=json.dumps(record)))  # fmt: skip

    return change


def _evidence(**values: float) -> list[dict[str, Any]]:
    return [{"url": "https://docs.example.com/", "relevance": 0.9, "quality": 0.9, **values}]


def _article(change: Callable[[dict[str, Any]], None]) -> Callable[[Connection], None]:
    def apply(c: Connection) -> None:
        name = _first(c, s.articles.c.id, s.articles.c.state == "staged")
        _change_json(c, s.articles, "article", s.articles.c.id == name, change)

    return apply


def _forgotten_article(c: Connection) -> None:
    c.execute(update(s.articles).where(s.articles.c.state == "staged").values(state="rejected"))


def _long_wait(c: Connection) -> None:
    c.execute(update(s.articles).values(staged_on=dt.date(2026, 11, 1)))


BROKEN: list[tuple[str, str, Callable[[Connection], None]]] = [
    ("vault_notes", "every_file_accounted", _lost_note),
    ("vault_notes", "every_file_accounted", _quarantined_without_reason),
    ("vault_notes", "ids_unique", _two_notes_one_id),
    ("vault_notes", "broken_front_matter", _broken_front_matter),
    ("vault_notes", "undated_share", _undated),
    ("kb_entries", "every_file_accounted", _lost_kb),
    ("kb_entries", "ids_unique", _two_kb_one_id),
    ("kb_entries", "schema_valid", _kb_without("title", 7)),
    ("kb_entries", "empty_answers", _kb_without("answer", " ")),
    ("kb_entries", "glpi_read", _glpi_down),
    ("search_index", "indexed_are_live", _unindexed),
    ("search_index", "known_item_rate", _other_titles),
    ("embeddings", "vectors_valid", _nan),
    ("embeddings", "vectors_valid", _vector(b"\0\0\0\0")),
    ("embeddings", "passages_covered", _missing_vector),
    ("embeddings", "model_fallback", _incomplete_set),
    ("relation_edges", "ends_exist", _edge(target="note:nowhere.md")),
    ("relation_edges", "edges_have_evidence", _edge()),
    ("relation_edges", "edges_have_evidence", _edge(source_quote="never said", target_quote="never said")),
    ("relation_edges", "orphan_share", _no_edges),
    ("relation_edges", "open_contradictions", _open_contradiction),
    ("topic_clusters", "members_exist_once", _no_topic),
    ("topic_clusters", "members_exist_once", _unknown_topic),
    ("topic_clusters", "size_skew", _one_big_topic),
    ("topic_clusters", "outlier_share", _all_outliers),
    ("consolidations", "source_count", _pool(sources=["note:a"])),
    ("consolidations", "production_share", _pool(production_share=0.5)),
    ("consolidations", "generation_depth", _pool(depth=3)),
    ("consolidations", "refs_resolve", _statement(source_refs=["note:elsewhere.md"])),
    ("consolidations", "quotes_verbatim", _statement(quotes=["never said"])),
    ("consolidations", "quotes_verbatim", _statement(quotes=[])),
    ("research_rounds", "budget_kept", _round(queries=[{"q": str(i)} for i in range(7)])),
    ("research_rounds", "budget_kept", _round(fetches=[{"url": str(i)} for i in range(5)])),
    ("research_rounds", "budget_kept", _round(round=4)),
    ("research_rounds", "evidence_minima", _round(evidence=_evidence(relevance=0.6))),
    ("research_rounds", "evidence_minima", _round(evidence=_evidence(quality=0.4))),
    ("research_rounds", "pages_public", _round(fetches=[{"url": "http://10.0.0.1/", "private": True}])),
    ("research_rounds", "search_failures", _round(outcome="search_failed", reason="every engine failed")),
    ("staged_articles", "quality_limits", _article(lambda a: a["record"].update(answer="short"))),
    ("staged_articles", "quality_limits", _article(lambda a: a.update(quality=[]))),
    ("staged_articles", "quality_limits", _article(lambda a: a.update(confidence=0.5))),
    ("staged_articles", "no_internal_wording", _article(lambda a: a["record"].update(title="Made by an AI model"))),
    ("staged_articles", "files_staged", _forgotten_article),
    ("staged_articles", "awaiting_review", _long_wait),
]


@pytest.mark.parametrize(
    ("asset", "name", "change"), BROKEN, ids=[f"{a}-{n}-{i}" for i, (a, n, _) in enumerate(BROKEN)]
)
def test_each_check_fails_when_its_limit_is_broken(
    sample_cat: Catalogue, sample_brain: Settings, asset: str, name: str, change: Callable[[Connection], None]
) -> None:
    check = next(c for c in checks.CHECKS if (c.asset, c.name) == (asset, name))
    found: list[Measured] = []
    with pytest.raises(_Undo), sample_cat.begin() as connection:
        change(connection)
        settings = sample_brain.model_copy(update={"glpi_url": "http://127.0.0.1:9"})
        found.append(check.measure(Look(connection, settings)))
        raise _Undo
    assert found[0].state == "failed", found
    assert found[0].value is not None
    if check.limit(sample_brain) == 0:
        assert found[0].value > 0


def test_every_check_is_broken_once() -> None:
    assert {(asset, name) for asset, name, _ in BROKEN} == {(c.asset, c.name) for c in checks.CHECKS}


def test_switched_off_synthesis_is_not_measured(sample_cat: Catalogue, sample_brain: Settings) -> None:
    off = sample_brain.model_copy(update={"article_synthesis_enabled": False})
    results = checks.evaluate(sample_cat, off, ("consolidations", "research_rounds", "staged_articles"))
    assert {r.measured.state for r in results} == {"not_measured"}
    assert all("switched off" in r.measured.note for r in results)


def test_missing_index_is_a_failed_check_with_its_remedy(
    sample_cat: Catalogue, sample_brain: Settings, tmp_path: Any
) -> None:
    elsewhere = sample_brain.model_copy(update={"data_dir": tmp_path})
    results = {r.name: r for r in checks.evaluate(sample_cat, elsewhere, ("search_index",))}
    assert results["indexed_are_live"].blocks


def test_vectors_switched_off_need_no_vector(sample_cat: Catalogue, sample_brain: Settings) -> None:
    off = sample_brain.model_copy(update={"vector_sets": ()})
    with pytest.raises(_Undo), sample_cat.begin() as connection:
        connection.execute(delete(s.vectors))
        connection.execute(delete(s.vector_sets))
        found = {c.name: c.measure(Look(connection, off)) for c in checks.of_asset("embeddings")}
        assert found["passages_covered"].state == "passed"
        assert "switched off" in found["passages_covered"].note
        assert found["model_fallback"].state == "not_measured"
        still_on = {c.name: c.measure(Look(connection, sample_brain)) for c in checks.of_asset("embeddings")}
        assert still_on["passages_covered"].state == "not_measured"
        raise _Undo
    with sample_cat.read() as connection:
        assert entries.live_ids(connection)


def test_accounting_for_many_files_takes_time_in_proportion(cat: Catalogue, settings: Settings) -> None:
    """Twelve times the files: about twelve times the work, never the square of it."""
    (accounted,) = [c for c in checks.CHECKS if (c.asset, c.name) == ("vault_notes", "every_file_accounted")]

    def seconds(number: int) -> float:
        names = [f"{n}.md" for n in range(number)]
        rows = [{"source": "vault", "path": n, "disk_path": n, "size": 1, "mtime_ns": 1, "inode": 1, "content_digest": n,
                 "state": "live", "reason": "", "entry_ids": json.dumps([f"note:{n}"])} for n in names]  # fmt: skip
        notes = [{"id": f"note:{n}", "kind": "note", "path": n, "title": n, "language": "de", "ai_origin": False,
                  "generation_depth": 0, "content_digest": n, "text_digest": n, "document_digest": n, "body": "",
                  "document": "{}"} for n in names]  # fmt: skip
        with cat.begin() as connection:
            connection.execute(delete(s.files))
            connection.execute(delete(s.entries))
            connection.execute(insert(s.files), rows)
            connection.execute(insert(s.entries), notes)
        with cat.read() as connection:
            started = time.process_time()
            assert accounted.measure(Look(connection, settings)).state == "passed"
            return time.process_time() - started

    seconds(100)
    few, many = seconds(500), seconds(6000)
    assert many < 40 * few
