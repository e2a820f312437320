from __future__ import annotations

import pytest

from brain_assets.retrieval import ranking
from brain_assets.retrieval.questions import asking_words, titles
from brain_assets_tests.retrieval.conftest import MakeBrain


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Was wissen wir über den Tunnel?", {"wissen"}),
        ("What do we know about tape rotation?", {"know"}),
        ("Erkläre mir die Rotation", {"erklare"}),
        ("What happens if the tunnel says nothing?", set()),
        ("Wissen über Tunnel", set()),
        ("explain", set()),
        ("Was wissen wir?", {"wissen"}),
        ("", set()),
    ],
)
def test_words_that_only_ask(query: str, words: set[str]) -> None:
    assert asking_words(query) == words


def test_titles_that_a_text_may_name() -> None:
    assert titles("Dies und Das") == ["Dies und Das"]
    assert "This and That" in titles("What do we know about This and That?")
    assert titles("What do we know about This and That?")[0] != "What do we know about This and That"
    assert titles("Tunnel") == [] and titles("") == [] and titles("wort " * 13) == []


@pytest.mark.parametrize(
    "query", ["Dies und Das", "dies UND das", "Was wissen wir über Dies und Das?", "Was steht über Dies und Das?"]
)
def test_a_title_of_stop_words_leads(make_brain: MakeBrain, query: str) -> None:
    notes = {
        f"n{i}.md": f"# Das Wissen {i}\n\nWir wissen, dass das und dies steht. Wissen über das.\n" for i in range(15)
    }
    brain = make_brain(notes | {"ziel.md": "# Dies und Das\n\nEin Sammelzettel.\n"})
    brain.sync()
    assert brain.ids(query)[0] == "ziel.md"


@pytest.mark.parametrize(
    "query", ["Turm Notiz", "Was wissen wir über Turm Notiz?", "turm NOTIZ", "What do we know about Turm Notiz?"]
)
def test_an_entry_named_word_for_word_comes_before_what_is_near_in_meaning(make_brain: MakeBrain, query: str) -> None:
    about = ["The tower note says how high the tower is.", "Der Turm steht am Fluss, eine Notiz über den Turm."]
    notes = {f"n{i}.md": f"# Tower {i}\n\n{about[i % 2]} Tower note {i}.\n" for i in range(30)}
    brain = make_brain(notes | {"ziel.md": "# Turm Notiz 0815\n\nBitte Milch kaufen.\n"}, vector_sets="usem3")
    brain.sync()
    result = brain.searcher().search(query, explain=True)
    assert result.mode == "hybrid" and result.hits[0].path == "ziel.md" and "title" in result.hits[0].reasons
    assert result.hits[0].explain is not None and result.hits[0].explain["title"] == ranking.NAMED
