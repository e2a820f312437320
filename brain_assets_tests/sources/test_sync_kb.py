from __future__ import annotations

import shutil

import pytest

from brain_assets.errors import BrainError, ConfigurationError
from brain_assets.settings import Settings
from brain_assets.sources import sync
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.files import write_json
from brain_assets_tests.sources.vaults import counts, kb, kb_file, kb_item, live, problem_list, write


def test_objects_and_lists(cat: Catalogue, settings: Settings) -> None:
    write(
        settings.kb_dir,
        {
            "a.json": kb_file(kb_item("A")),
            "sub/l.json": kb_file(kb_item("B"), {"id": "C"}, kb_item("D"), 7),
            "notes.txt": "x",
        },
    )
    assert counts(kb(cat, settings)) == (2, 0, 0, 0, 0)
    assert sorted(live(cat)) == ["kb:A", "kb:B", "kb:D"]
    assert [path for path, _ in problem_list(cat)] == ["sub/l.json#1", "sub/l.json#3"]
    assert counts(kb(cat, settings)) == (0, 0, 0, 2, 0)
    write(settings.kb_dir, {"sub/l.json": kb_file(kb_item("D", answer="neu"), kb_item("E"))})
    assert counts(kb(cat, settings)) == (0, 1, 0, 1, 0)
    assert sorted(live(cat)) == ["kb:A", "kb:D", "kb:E"] and problem_list(cat) == []


def test_the_first_holder_of_an_id_keeps_it(cat: Catalogue, settings: Settings) -> None:
    write(settings.kb_dir, {"b.json": kb_file(kb_item("X", answer="b")), "c.json": kb_file(kb_item("X", answer="c"))})
    assert counts(kb(cat, settings)) == (1, 0, 0, 0, 1)
    assert problem_list(cat) == [("c.json", "its id X is taken by b.json")]
    write(settings.kb_dir, {"a.json": kb_file(kb_item("X", answer="a"))})
    assert counts(kb(cat, settings)) == (0, 0, 0, 1, 2)
    assert live(cat)["kb:X"].record.answer == "b"  # type: ignore[union-attr]
    (settings.kb_dir / "b.json").unlink()
    details = kb(cat, settings)
    assert details["live"] == 1 and details["quarantined"] == 1
    assert live(cat)["kb:X"].record.answer == "a"  # type: ignore[union-attr]
    assert problem_list(cat) == [("c.json", "its id X is taken by a.json")]
    assert counts(kb(cat, settings)) == (0, 0, 0, 1, 1)


def test_ids_that_move_between_files(cat: Catalogue, settings: Settings) -> None:
    write(settings.kb_dir, {"a.json": kb_file(kb_item("X")), "b.json": kb_file(kb_item("Y"))})
    kb(cat, settings)
    write(settings.kb_dir, {"a.json": kb_file(kb_item("Y")), "b.json": kb_file(kb_item("X"))})
    assert counts(kb(cat, settings)) == (0, 2, 0, 0, 0)
    assert {i: e.path for i, e in live(cat).items()} == {"kb:X": "b.json", "kb:Y": "a.json"}
    (settings.kb_dir / "a.json").rename(settings.kb_dir / "z.json")
    assert counts(kb(cat, settings)) == (1, 0, 1, 1, 0)
    assert live(cat)["kb:Y"].path == "z.json"
    write(settings.kb_dir, {"all.json": kb_file(kb_item("X"), kb_item("Z"))})
    kb(cat, settings)
    assert problem_list(cat) == [("all.json#0", "its id X is taken by b.json")]
    write(settings.kb_dir, {"b.json": kb_file(kb_item("W"))})
    kb(cat, settings)
    assert {i: e.path for i, e in live(cat).items()} == {
        "kb:W": "b.json",
        "kb:X": "all.json",
        "kb:Y": "z.json",
        "kb:Z": "all.json",
    }
    assert problem_list(cat) == []


def test_a_blocked_file_may_be_deleted_with_its_holder(cat: Catalogue, settings: Settings) -> None:
    write(settings.kb_dir, {name: kb_file(kb_item("X")) for name in ("a.json", "b.json", "c.json")})
    write(settings.kb_dir, {"other.json": kb_file(kb_item("Y"))})
    kb(cat, settings)
    (settings.kb_dir / "a.json").unlink()
    (settings.kb_dir / "b.json").unlink()
    assert counts(kb(cat, settings)) == (1, 0, 2, 1, 0)
    assert live(cat)["kb:X"].path == "c.json" and problem_list(cat) == []


def test_a_file_named_like_an_item_of_another(cat: Catalogue, settings: Settings) -> None:
    write(settings.kb_dir, {"a.json": kb_file(kb_item("A"), 1), "a.json#1.json": "{", "a.json#1": "x"})
    kb(cat, settings)
    assert [path for path, _ in problem_list(cat)] == ["a.json#1", "a.json#1.json"]
    write(settings.kb_dir, {"a.json": kb_file(kb_item("A"))})
    kb(cat, settings)
    assert [path for path, _ in problem_list(cat)] == ["a.json#1.json"]


def test_one_id_twice_in_a_file(cat: Catalogue, settings: Settings) -> None:
    write(settings.kb_dir, {"a.json": kb_file(kb_item("A", answer="1"), kb_item("A", answer="2"))})
    kb(cat, settings)
    assert live(cat)["kb:A"].record.answer == "1"  # type: ignore[union-attr]
    assert problem_list(cat) == [("a.json#1", "its id A stands twice in this file")]


def test_ids_in_many_batches(cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "_BATCH_FILES", 3)
    write(settings.kb_dir, {f"{i:02}.json": kb_file(kb_item(f"K{i % 10}")) for i in range(20)})
    assert counts(kb(cat, settings)) == (10, 0, 0, 0, 10)
    for i in range(10):
        write(settings.kb_dir, {f"{i:02}.json": kb_file(kb_item(f"N{i}"))})
    details = kb(cat, settings)
    assert details["live"] == 20 and details["quarantined"] == 0 and problem_list(cat) == []


def test_depth_follows_the_sources(cat: Catalogue, settings: Settings) -> None:
    ai = {"categories": ["AI-THINK"]}
    write(
        settings.kb_dir,
        {
            "p.json": kb_file(kb_item("P")),
            "a.json": kb_file(kb_item("A", text="Erzeugt aus P.", source_uri="brain://article/a", **ai)),
            "b.json": kb_file(kb_item("B", text="Abgeleitet aus brain://article/a, Stand heute.", **ai)),
            "c.json": kb_file(kb_item("C", lineage=["kb:B"], **ai)),
            "d.json": kb_file(kb_item("D", answer="Erster Punkt. [C]\nMehr steht in C.", **ai)),
            "e.json": kb_file(kb_item("E", answer="Siehe auch D.", **ai)),
            "KB-AI-THINK-ARTICLE-20261201-aaaaaaaa.json": kb_file(
                kb_item("KB-AI-THINK-ARTICLE-20261201-aaaaaaaa", **ai)
            ),
        },
    )
    write_json(settings.metadata_dir / "KB-AI-THINK-ARTICLE-20261201-aaaaaaaa.json", {"sources": ["kb:A", "note:x.md"]})
    kb(cat, settings)
    depth = {i.removeprefix("kb:"): e.generation_depth for i, e in live(cat).items()}
    assert depth == {"P": 0, "A": 1, "B": 2, "C": 3, "D": 4, "E": 1, "KB-AI-THINK-ARTICLE-20261201-aaaaaaaa": 2}
    write(settings.kb_dir, {"b.json": kb_file(kb_item("B", text="Von Hand geschrieben."))})
    kb(cat, settings)
    depth = {i.removeprefix("kb:"): e.generation_depth for i, e in live(cat).items()}
    assert (depth["B"], depth["C"], depth["D"]) == (0, 1, 2)


def test_missing_and_emptied_folders(cat: Catalogue, settings: Settings) -> None:
    write(settings.kb_dir, {"a.json": kb_file(kb_item("A"))})
    kb(cat, settings)
    (settings.kb_dir / "a.json").unlink()
    with pytest.raises(BrainError, match="knowledge base"):
        sync.sync_kb(cat, settings)
    shutil.rmtree(settings.kb_dir)
    with pytest.raises(ConfigurationError, match="does not exist") as caught:
        sync.sync_kb(cat, settings)
    assert "BRAIN_KB_DIR" in caught.value.remedy and "kb:A" in live(cat)
