from __future__ import annotations

import hashlib
import json
import logging
import shutil
from pathlib import Path

import pytest
from rank_bm25 import BM25Okapi
from sqlalchemy import delete, select

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval import documents, folders, index, pointer
from brain_assets.retrieval.lexical import Lexical
from brain_assets.retrieval.search import Searcher
from brain_assets.store import schema as s
from brain_assets.store.manifest import digest
from brain_assets_tests.retrieval.conftest import NOTES, Brain, MakeBrain


def state(brain: Brain) -> dict[str, list[str]]:
    """What a brain finds for some words: the index's content as readers see it."""
    queries = ("Datenbank", "VPN Tunnel", "queue", "Nacht", "neu")
    return {query: brain.ids(query, mode="lexical", boosts=False) for query in queries}


def content(brain: Brain) -> str:
    with brain.catalogue.read() as connection:
        return digest(connection, "search_index")


def files(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir()) if p.suffix != ".lock"}


def test_changes_lead_to_what_a_fresh_index_holds(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    brain.write({"Neu.md": "Ein neues Blatt über den VPN Tunnel.\n", "Druck/Queue.md": None,
                 "Datenbank/Schema.md": NOTES["Datenbank/Schema.md"].replace("Nacht", "Woche")})  # fmt: skip
    brain.read_sources()
    report = brain.index()
    assert (report.pending, report.done, report.details["rebuilt"]) == (3, 3, "")
    fresh = make_brain({p.relative_to(brain.settings.vault_dir).as_posix(): p.read_text("utf-8")
                        for p in brain.settings.vault_dir.rglob("*.md")})  # fmt: skip
    fresh.sync()
    assert state(brain) == state(fresh)
    assert index.indexed_ids(brain.settings) == index.indexed_ids(fresh.settings)
    assert content(brain) == content(fresh)


def test_a_renamed_note_is_found_under_its_new_path_only(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    brain.write({"Druck/Queue.md": None, "Druck/Warteschlange.md": NOTES["Druck/Queue.md"]})
    brain.sync()
    assert brain.ids("queue") == ["Druck/Warteschlange.md"]


def test_nothing_changed_writes_nothing(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    before = pointer.path_of(brain.settings).stat().st_mtime_ns
    brain.sync()
    report = brain.index()
    assert (report.pending, report.done, report.reused) == (0, 0, len(NOTES))
    assert pointer.path_of(brain.settings).stat().st_mtime_ns == before


def test_an_edit_changes_no_file_of_the_published_folder(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index.folders, "sweep", lambda *_, **__: None)
    brain = make_brain(NOTES)
    brain.sync()
    published = pointer.read(brain.settings)
    assert published is not None
    before = files(brain.settings.index_dir / published.index)
    brain.write({"Druck/Queue.md": "Ganz neu.\n"})
    brain.sync()
    assert files(brain.settings.index_dir / published.index) == before


def test_an_open_searcher_keeps_its_generation(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    old = brain.searcher()
    for number in range(4):
        brain.write({"Druck/Queue.md": f"# Print queue\n\nVersion {number} of the queue.\n"})
        brain.sync()
    assert "follow-me" in old.search("queue").hits[0].preview
    assert brain.searcher().search("queue").hits[0].preview.endswith("Version 3 of the queue.")


def test_old_folders_are_swept(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    for number in range(4):
        brain.write({"Druck/Queue.md": f"Version {number}.\n"})
        brain.sync()
    assert len([p for p in brain.settings.index_dir.iterdir() if p.is_dir()]) == 1


def _lose_pointer(brain: Brain) -> None:
    pointer.path_of(brain.settings).unlink()


def _break_pointer(brain: Brain) -> None:
    pointer.path_of(brain.settings).write_text("{not json", encoding="utf-8")


def _lose_everything(brain: Brain) -> None:
    shutil.rmtree(brain.settings.index_dir)


def _folder(brain: Brain) -> Path:
    published = pointer.read(brain.settings)
    assert published is not None
    return brain.settings.index_dir / published.index


def _lose_segments(brain: Brain) -> None:
    for path in _folder(brain).glob("*.store"):
        path.unlink()


def _break_meta(brain: Brain) -> None:
    (_folder(brain) / "meta.json").write_text("]", encoding="utf-8")


def _other_version(brain: Brain) -> None:
    (_folder(brain) / "version.json").write_text(json.dumps({"version": documents.VERSION + 1}), encoding="utf-8")


DAMAGES = [_lose_pointer, _break_pointer, _lose_everything, _lose_segments, _break_meta, _other_version]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_sync_repairs_a_damaged_index(make_brain: MakeBrain, damage: object) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    expected = state(brain)
    damage(brain)  # type: ignore[operator]
    brain.sync()
    assert state(brain) == expected and len(index.indexed_ids(brain.settings)) == len(NOTES)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_search_rebuilds_a_damaged_index_with_a_message(
    make_brain: MakeBrain, damage: object, caplog: pytest.LogCaptureFixture
) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    damage(brain)  # type: ignore[operator]
    with caplog.at_level(logging.WARNING):
        result = brain.searcher().search("Objektspeicher")
    assert result.hits[0].path == "Datenbank/Sicherung.md"
    assert "rebuilt from the catalogue" in result.notes[0] and "rebuilt" in caplog.text
    assert not brain.searcher().search("Objektspeicher").notes


def test_a_search_does_not_wait_for_ever_for_a_writer(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Thread

    from brain_assets.retrieval import opening
    from brain_assets.store import lock

    monkeypatch.setattr(opening, "_WAIT_SECONDS", 0.1)
    brain = make_brain(NOTES)
    brain.sync()
    _lose_everything(brain)
    raised: list[Exception] = []

    def look() -> None:
        try:
            Searcher.open(brain.settings)
        except IndexUnavailableError as error:
            raised.append(error)

    with lock.writer(brain.settings):
        thread = Thread(target=look)
        thread.start()
        thread.join()
    assert raised and "being written" in str(raised[0])


@pytest.mark.parametrize("killed_before", ["publish", "_remember"])
def test_a_killed_update_is_finished_by_the_next(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch, killed_before: str
) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    brain.write({"Neu.md": "Ein neues Blatt.\n", "Druck/Queue.md": None})
    brain.read_sources()

    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(index.pointers if killed_before == "publish" else index, killed_before, kill)
        with pytest.raises(Killed):
            brain.index()
    assert brain.searcher().search("Datenbank").hits
    brain.sync()
    assert brain.ids("Blatt") == ["Neu.md"] and brain.ids("queue") == []
    fresh = make_brain({p.relative_to(brain.settings.vault_dir).as_posix(): p.read_text("utf-8")
                        for p in brain.settings.vault_dir.rglob("*.md")})  # fmt: skip
    fresh.sync()
    assert content(brain) == content(fresh) and state(brain) == state(fresh)


def test_a_ledger_that_does_not_fit_the_folder_is_not_believed(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    with brain.catalogue.begin() as connection:
        some = connection.execute(select(s.ledger.c.item_id).where(s.ledger.c.stage == index.STAGE)).scalars().first()
        connection.execute(delete(s.ledger).where(s.ledger.c.stage == index.STAGE, s.ledger.c.item_id == some))
    brain.write({"Neu.md": "Neu.\n"})
    brain.read_sources()
    assert "catalogue says" in brain.index().details["rebuilt"]
    assert len(index.indexed_ids(brain.settings)) == len(NOTES) + 1


def test_a_vocabulary_that_has_grown_rebuilds_the_dictionary(make_brain: MakeBrain) -> None:
    brain = make_brain({"a.md": "Die Glocke und die Glocke hängen am Turm.\n"})
    brain.sync()
    brain.write({"b.md": "Der Garten, der Garten. Das Haus steht im Gartenhaus, das Haus ist grün.\n"})
    brain.read_sources()
    assert brain.index().details["rebuilt"] == ""
    strange = " ".join(f"{a}{b}{c}el" for a in "bdfgk" for b in ("ab", "eg", "il", "om") for c in "rt")
    brain.write({"c.md": f"Diese Wörter sind neu und deutsch: {strange}.\n"})
    brain.read_sources()
    assert "vocabulary" in brain.index().details["rebuilt"]
    assert brain.ids("Garten Haus Gartenhaus")[0] == "b.md"


def test_without_hard_links_files_are_copied(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no hard links here")

    brain = make_brain(NOTES)
    brain.sync()
    monkeypatch.setattr(folders.os, "link", refuse)
    brain.write({"Neu.md": "Ein neues Blatt.\n"})
    brain.sync()
    assert brain.ids("Blatt") == ["Neu.md"] and brain.ids("queue")[0] == "Druck/Queue.md"


def test_the_ranking_of_one_exact_word_is_that_of_bm25(make_brain: MakeBrain) -> None:
    """rank-bm25 is the oracle; the index rounds lengths, so near ties may change places."""
    texts = {f"n{i:02}.md": "rot " * (i % 7) + "blau " * ((i * 5) % 11 + 1) + "grün " * (i % 3) for i in range(40)}
    brain = make_brain(texts)
    brain.sync()
    published = pointer.read(brain.settings)
    assert published is not None
    folder = folders.open_folder(brain.settings, published.index)
    names = sorted(texts)
    words = [[name.removesuffix(".md"), *texts[name].split()] for name in names]
    oracle = BM25Okapi(words, k1=1.2, b=0.75)
    for word in ("rot", "blau"):
        term = folder.analyses.of("x", word)[0]
        query = Lexical(folder)._q.term_query(folder.schema, "body_x", term)
        hits = folder.searcher.search(query, limit=40).hits
        found = [documents.read_head(folder.searcher.doc(a).to_dict()).path for _, a in hits]
        scores = dict(zip(names, oracle.get_scores([word]), strict=True))
        ranked = [scores[str(path)] for path in found]
        spread = max(map(abs, ranked))
        assert len(found) == sum(word in w for w in words)
        expected = sorted(ranked, reverse=oracle.idf[word] > 0)
        assert all(abs(a - b) < 0.06 * spread for a, b in zip(ranked, expected, strict=True))


def test_awkward_notes_are_indexed(make_brain: MakeBrain) -> None:
    brain = make_brain(
        {
            "line.md": "wort " * 200_000 + "ende",
            "base64.md": "# Bild\n\n" + ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 2 + "\n") * 20_000,
            "headings.md": "\n".join(f"# Kopf {i}" for i in range(5_000)),
            "table.md": "| Name | Wert |\n|---|---|\n" + "\n".join(f"| Zeile{i} | {i} |" for i in range(3_000)),
            "mixed.md": "Der Server is down and der Admin is asleep, aber the backup läuft.\n",
            "empty.md": "",
            "nul.md": "vor\0nach \ufeff\u200b\n",
        }
    )
    brain.sync()
    assert len(index.indexed_ids(brain.settings)) == 7
    assert brain.ids("ende") == ["line.md"] and brain.ids("Zeile2999")[0] == "table.md"
    assert brain.ids("Kopf 4999")[0] == "headings.md" and brain.ids("asleep Admin") == ["mixed.md"]
    size = sum(p.stat().st_size for p in brain.settings.index_dir.rglob("*") if p.is_file())
    assert size < 2_000_000
