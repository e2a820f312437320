from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import select

from brain_assets.retrieval import pointer, small_changes, snapshots, snapshots_build, vectors
from brain_assets.retrieval.dense import OpenSet
from brain_assets.retrieval.embedders import Usem3
from brain_assets.retrieval.vector_files import VectorFiles
from brain_assets.store import schema as s
from brain_assets_tests.retrieval.conftest import NOTES, Brain, MakeBrain

LONG = "\n\n".join(
    f"## Abschnitt {i}\n\n" + f"Der Dienst Nummer {i} läuft auf srv{i:04}. Er wird nachts gesichert. " * 12
    for i in range(5)
)
STEPS: list[dict[str, str | None]] = [
    {"Neu.md": "# Neues Blatt\n\nEin Blatt über Kupferdrosseln.\n"},
    {"Lang.md": LONG},
    {"Lang.md": LONG.replace("Nummer 3", "Nummer dreizehn")},
    {"Druck/Queue.md": None, "Druck/Moved.md": NOTES["Druck/Queue.md"]},
    {"Kopie.md": LONG, "Neu.md": None},
    {"Lang.md": None},
    {"Datenbank/Sicherung.md": "Jetzt steht hier ein anderer Text.\n", "Datenbank/Schema.md": None},
]


@pytest.fixture(autouse=True)
def _small_sets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_changes, "LEAST_PASSAGES", 0)
    monkeypatch.setattr(snapshots_build, "DRIFT", 10)


def published(brain: Brain) -> pointer.VectorSet:
    current = pointer.read(brain.settings)
    assert current is not None
    return current.vectors[0]


def contents(brain: Brain) -> dict[tuple[int, int], tuple[str, float]]:
    """Digest and cosine with a query of every passage, by key and number."""
    current = pointer.read(brain.settings)
    assert current is not None
    opened = OpenSet(VectorFiles(brain.settings, current), current.vectors[0])
    query = np.ones((1, 512), dtype=np.float32) / np.sqrt(np.float32(512))
    return {
        (int(row["key"]), int(row["ordinal"])): (opened.digests[row["row"]].hex(), round(float(cosine), 5))
        for row, cosine in zip(opened.rows, opened.cosines(query)[:, 0], strict=True)
    }


def kept(brain: Brain) -> tuple[set[str], set[str]]:
    """Digests that have a vector, and those that the ledger says are done."""
    with brain.catalogue.read() as connection:
        have = set(connection.execute(select(s.vectors.c.digest)).scalars())
        done = select(s.ledger.c.item_id).where(s.ledger.c.stage == "embeddings:usem3")
        return have, set(connection.execute(done).scalars())


def test_small_changes_give_what_a_comparison_of_all_gives(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each of several edits, with small segments merged on the way."""
    monkeypatch.setattr(snapshots, "_MOST_SEGMENTS", 3)
    monkeypatch.setattr(snapshots, "_TAIL", 2)
    small, whole = make_brain(NOTES, vector_sets="usem3"), make_brain(NOTES, vector_sets="usem3")
    small.sync()
    whole.sync()
    for step in STEPS:
        with monkeypatch.context() as patch:
            patch.setattr(vectors, "_sets", lambda *_: pytest.fail("all passages were compared"))
            small.write(step)
            small.sync()
        with monkeypatch.context() as patch:
            patch.setattr(small_changes, "entries", lambda _: None)
            whole.write(step)
            whole.sync()
        assert contents(small) == contents(whole), step
        assert kept(small) == kept(whole), step
        assert published(small).missing == 0 and len(published(small).segments) <= 3
        assert published(small).changed == published(small).dropped == ()


def test_only_the_passages_of_the_edit_are_embedded_and_written(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain = make_brain({**NOTES, "Lang.md": LONG}, vector_sets="usem3")
    brain.sync()
    before = published(brain)
    seen: list[int] = []
    real = Usem3.documents
    monkeypatch.setattr(Usem3, "documents", lambda self, texts: (seen.append(len(texts)), real(self, texts))[1])
    brain.write({"Lang.md": LONG.replace("Nummer 3", "Nummer dreizehn")})
    brain.sync()
    after = published(brain)
    assert seen == [1] and after.segments[: len(before.segments)] == before.segments
    assert after.segments[-1].rows == 1 and after.direction == before.direction


def test_an_edit_that_could_not_be_embedded_is_remembered(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = {f"n{i}.md": f"Notiz {i} über das Thema {i * 3}.\n" for i in range(120)}
    brain = make_brain(notes, vector_sets="usem3")
    brain.sync()
    brain.write({"n5.md": "Kupferdrosseln im Schrank.\n"})
    with monkeypatch.context() as patch:
        patch.setattr(Usem3, "documents", lambda *_: (_ for _ in ()).throw(ValueError("broken text")))
        brain.sync()
    assert published(brain).missing == 1 and published(brain).changed == ("note:n5.md",)
    found = brain.searcher().search("Kupferdrosseln")
    assert found.hits[0].path == "n5.md" and "1 passages are not embedded yet" in found.notes[0]
    brain.write({"n6.md": "Ein Regal.\n"})
    monkeypatch.setattr(vectors, "_sets", lambda *_: pytest.fail("all passages were compared"))
    brain.sync()
    assert published(brain).missing == 0 and published(brain).changed == ()


def test_a_set_that_has_outgrown_its_direction_is_compared_as_a_whole(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain = make_brain(
        {f"d{i}.md": f"Der Server Nummer {i} steht im Keller.\n" for i in range(25)}, vector_sets="usem3"
    )
    brain.sync()
    assert published(brain).direction_origin == "shipped"
    for start in (0, 11):
        brain.write({f"e{i}.md": f"The server number {i} is in the cellar.\n" for i in range(start, start + 11)})
        brain.sync()
    assert published(brain).direction_origin == "vault" and published(brain).languages == (25, 22)
    monkeypatch.setattr(snapshots_build, "DRIFT", 0.1)
    name = published(brain).direction
    for start in range(0, 9, 3):
        brain.write({f"f{i}.md": f"The printer number {i} is on floor {i}.\n" for i in range(start, start + 3)})
        brain.sync()
    assert published(brain).direction != name, "small steps add up to a drift"


def test_too_many_changes_are_not_remembered(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MOST_CHANGED", 2)
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    brain.write({f"n{i}.md": f"Notiz {i}.\n" for i in range(3)})
    brain.read_sources()
    brain.index()
    assert published(brain).changed is None
    brain.embed()
    assert published(brain).missing == 0 and published(brain).changed == ()


def test_broken_vector_files_are_written_anew(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    brain.write({"Neu.md": "Ein Blatt über Kupferdrosseln.\n"})
    brain.read_sources()
    brain.index()
    (brain.settings.vectors_dir / published(brain).rows).unlink()
    brain.embed()
    assert published(brain).missing == 0 and len(contents(brain)) == published(brain).passages == 8
