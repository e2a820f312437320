"""`brain search` and `brain think`: shapes, batches, filters, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brain_assets.cli import search as shown
from brain_assets.settings import Settings
from brain_assets_tests.cli.conftest import Brain

HIT = {"rank", "id", "kind", "title", "path", "date", "language", "score", "preview"}
ANSWER = {
    "query", "language", "answer", "mode", "provider", "model", "sources", "gaps", "attempts", "coverage", "took_ms",
}  # fmt: skip


def test_search_json_is_as_documented(brain: Brain, small_brain: Settings) -> None:
    done = brain("search", "Druckserver", "--json", at=small_brain)
    assert done.code == 0
    value = done.json()
    assert {"query", "language", "coverage", "hits", "took_ms"} <= value.keys()
    assert value["query"] == "Druckserver"
    first = value["hits"][0]
    assert first.keys() >= HIT
    assert "explain" not in first
    assert (first["rank"], first["id"], first["path"]) == (1, "note:Druck.md", "Druck.md")


def test_search_explains_itself(brain: Brain, small_brain: Settings) -> None:
    value = brain("search", "Druckserver", "--json", "--explain", at=small_brain).json()
    assert value["hits"][0]["explain"]
    assert "Druckserver" in brain("search", "Druckserver", "--explain", at=small_brain).out


def test_search_for_people_and_for_other_commands(brain: Brain, small_brain: Settings) -> None:
    done = brain("search", "backup", at=small_brain)
    assert "Backup.md" in done.out
    assert "coverage" in done.out
    assert "\x1b[" not in done.out
    assert brain("search", "Druckserver", "--paths", "--top", "1", at=small_brain).out == "Druck.md\n"


def test_search_shows_why_and_marks_the_words(brain: Brain, small_brain: Settings) -> None:
    out = brain("search", "Druckserver Ports", at=small_brain).out
    assert "Druck.md · note" in out and "Der **Druckserver** heißt papyrus." in out
    assert "has Druckserver" in out
    first = brain("search", "Druckserver", "--json", at=small_brain).json()["hits"][0]
    assert first["matched"] == ["Druckserver"] and first["reasons"] == ["title"]


def test_colours_are_for_terminals() -> None:
    assert shown._mark("der Tunnel", [(4, 10)], styled=True) == "der \x1b[1mTunnel\x1b[0m"
    assert shown._mark("der Tunnel", [(4, 10)], styled=False) == "der **Tunnel**"
    assert shown._wrapped("wort " * 60, 60)[0] == "wort " * 10 + "wort"
    assert shown._wrapped("wort " * 60, 0) == ["wort " * 60]


def test_search_without_boosts_is_the_order_of_relevance(brain: Brain, small_brain: Settings) -> None:
    hits = brain("search", "VPN Backup Druckserver", "--no-boosts", "--explain", "--json", at=small_brain).json()[
        "hits"
    ]
    assert len(hits) > 2 and all(hit["score"] == hit["explain"]["relevance"] for hit in hits)
    boosted = brain("search", "VPN Backup Druckserver", "--explain", "--json", at=small_brain).json()["hits"]
    assert any(hit["score"] != hit["explain"]["relevance"] for hit in boosted)


def test_a_search_of_nothing_but_filters_gives_no_likeness_as_its_reason(brain: Brain, small_brain: Settings) -> None:
    shown = brain("search", "tag:backup", at=small_brain).out
    assert "passes the filters" in shown and "similar" not in shown


def test_search_says_which_filter_nothing_passes(brain: Brain, small_brain: Settings) -> None:
    out = brain("search", "Druckserver tag:bakup", at=small_brain).out
    assert "No entry has tag:bakup. Did you mean tag:backup?" in out


def test_search_filters(brain: Brain, small_brain: Settings) -> None:
    def found(*flags: str) -> set[str]:
        return {
            hit["id"]
            for hit in brain("search", "VPN Backup Druckserver", "--json", *flags, at=small_brain).json()["hits"]
        }

    assert "kb:KB-1" in found()
    assert found("--kind", "kb") == {"kb:KB-1"}
    assert found("--path", "VPN/") == {"note:VPN/Gateway.md"}
    assert found("--tag", "backup") == {"note:Backup.md"}
    assert found("--type", "reference") == {"note:VPN/Gateway.md"}
    assert found("--before", "2025-01-01") == {"note:Druck.md"}
    assert "note:Druck.md" not in found("--after", "2025-01-01")
    assert found("--kind", "article") == set()


def test_search_batch_answers_each_line_in_order(brain: Brain, small_brain: Settings, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "query": "Druckserver", "top": 1},
        {"id": "b", "query": "VPN", "kind": "kb"},
        {"id": "c", "query": "VPN", "flavour": "sweet"},
        {"id": "d", "query": "VPN", "top": "many"},
        {"id": "e"},
        {"id": "f", "query": "Backup", "kind": ["note"], "after": "2026-01-01"},
    ]
    batch = tmp_path / "batch.jsonl"
    batch.write_text("\n".join(map(json.dumps, lines)) + "\n\nno json\n[1]\n", encoding="utf-8")
    done = brain("search", "--batch", str(batch), "--json", at=small_brain)
    out = done.lines()
    assert [o["id"] for o in out] == ["a", "b", "c", "d", "e", "f", None, None]
    assert [h["id"] for h in out[0]["hits"]] == ["note:Druck.md"]
    assert {h["kind"] for h in out[1]["hits"]} == {"kb"}
    assert "flavour" in out[2]["error"]
    assert "top" in out[3]["error"]
    assert "query" in out[4]["error"]
    assert out[5]["hits"][0]["id"] == "note:Backup.md"
    assert "note:Druck.md" not in {h["id"] for h in out[5]["hits"]}
    assert "Line 8" in out[6]["error"]
    assert "Line 9" in out[7]["error"]
    assert done.code == 1


def test_search_batch_without_a_bad_line_is_done(brain: Brain, small_brain: Settings, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"id": 1, "query": "VPN"}\n', encoding="utf-8")
    done = brain("search", "--batch", str(batch), "--json", "--top", "1", at=small_brain)
    assert done.code == 0
    assert len(done.lines()[0]["hits"]) == 1
    assert brain("search", "--batch", str(tmp_path / "none"), at=small_brain).code == 2


@pytest.mark.parametrize(
    "arguments",
    [("search",), ("search", "x", "--top", "0"), ("search", "x", "--mode", "psychic"), ("search", "x", "--flavour"),
     ("search", "x", "--after", "yesterday"), ("search", "x", "--kind", "poem"), ("think",),
     ("think", "x", "--lang", "fr"),
     ("think", "x", "--stale-days", "-1"), ("frobnicate",), ("--frobnicate",)],
)  # fmt: skip
def test_wrong_usage_leaves_with_2(brain: Brain, small_brain: Settings, arguments: tuple[str, ...]) -> None:
    done = brain(*arguments, *(() if "frobnicate" in arguments[0] else ("--data-dir", str(small_brain.data_dir))))
    assert done.code == 2
    assert done.out == ""
    assert "Error" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("slip", "meant"), [("serach", "search"), ("Think", "think"), ("contradiction", "contradictions")]
)
def test_a_slip_in_a_command_is_answered_with_the_one_meant(brain: Brain, slip: str, meant: str) -> None:
    done = brain(slip)
    assert done.code == 2
    assert f"No such command '{slip}'. Did you mean '{meant}'?" in done.err
    assert "Did you mean" not in brain("frobnicate").err


def test_no_brain_yet_is_told_with_the_remedy(brain: Brain, tmp_path: Path) -> None:
    for command in (("search", "x"), ("think", "x", "--no-llm"), ("status",), ("relations",), ("gaps",)):
        done = brain(*command, "--data-dir", str(tmp_path / "none"))
        assert done.code == 1, command
        assert "brain sync" in done.err
        assert done.err.count("\n") == 1
        assert not (tmp_path / "none").exists()
    failed = brain("search", "x", "--json", "--data-dir", str(tmp_path / "none"))
    assert failed.json()["error"]
    assert "brain sync" in failed.json()["remedy"]


def test_think_json_is_as_documented(brain: Brain, small_brain: Settings) -> None:
    done = brain("think", "Welchen Port nutzt das VPN-Gateway?", "--no-llm", "--json", at=small_brain)
    assert done.code == 0
    value = done.json()
    assert value.keys() >= ANSWER
    assert value["gaps"].keys() == {"stale", "uncited", "contradiction", "missing"}
    assert value["mode"] == "extractive"
    assert "51820" in value["answer"]
    numbers = {s["n"] for s in value["sources"]}
    assert numbers
    assert value["sources"][0].keys() >= {"n", "id", "kind", "title", "path", "date", "age_days", "score", "preview"}
    again = brain("think", "Welchen Port nutzt das VPN-Gateway?", "--no-llm", "--json", at=small_brain).json()
    assert {**again, "took_ms": 0} == {**value, "took_ms": 0}


def test_think_for_people(brain: Brain, small_brain: Settings) -> None:
    done = brain("think", "Wie heißt der Druckserver?", "--no-llm", "--verbose", at=small_brain)
    assert done.code == 0
    assert "papyrus" in done.out
    assert "[1]" in done.out
    assert "Druck.md" in done.out


def test_think_without_models_is_degraded_only_when_strict(brain: Brain, small_brain: Settings) -> None:
    question = ("think", "Wie heißt der Druckserver?")
    assert brain(*question, at=small_brain).code == 0
    assert brain(*question, "--strict", at=small_brain).code == 3
    assert brain(*question, "--strict", "--no-llm", at=small_brain).code == 0


def test_think_batch(brain: Brain, small_brain: Settings, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    lines = [
        {"id": "a", "query": "Wie heißt der Druckserver?", "top": 1, "no_llm": True, "stale_days": 90},
        {"id": "b", "query": " "},
    ]
    batch.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    done = brain("think", "--batch", str(batch), "--json", at=small_brain)
    first, second = done.lines()
    assert first["id"] == "a"
    assert first.keys() >= ANSWER
    assert [gap["path"] for gap in first["gaps"]["stale"]] == ["Druck.md"]
    assert "empty" in second["error"]
    assert done.code == 1


def test_think_saves_what_it_said(brain: Brain, own_brain: Settings) -> None:
    for _ in range(2):
        done = brain("think", "Wie heißt der Druckserver?", "--no-llm", "--save", "--json", at=own_brain)
        assert done.code == 0
    files = sorted(path.name for path in own_brain.answers_dir.iterdir())
    assert len(files) == 2
    assert files[0].startswith("2026-12-01-wie-heißt-der-druckserver-")
    text = (own_brain.answers_dir / files[1]).read_text("utf-8")
    assert text.startswith("# Wie heißt der Druckserver?\n")
    assert json.loads((own_brain.answers_dir / files[0]).read_text("utf-8"))["answer"] == done.json()["answer"]


def test_interactive_writes_a_stub_only_after_a_yes(
    brain: Brain, own_brain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ("think", "Wie lautet der Zugang zur Zeppelinhalle?", "--no-llm", "--interactive")
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    brain(*question, at=own_brain)
    assert not (own_brain.vault_dir / "Inbox").exists()
    asked: list[str] = []

    def yes(text: str, **_: object) -> bool:
        asked.append(text)
        return True

    monkeypatch.setattr("click.confirm", yes)
    done = brain(*question, at=own_brain)
    assert done.code == 0
    assert len(asked) == len(list((own_brain.vault_dir / "Inbox").iterdir())) > 0
    assert any("Zeppelinhalle" in path.read_text("utf-8") for path in (own_brain.vault_dir / "Inbox").iterdir())


def test_aliases_take_the_same_flags(
    small_brain: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_assets import cli

    monkeypatch.setattr(
        "sys.argv",
        ["aria-brain-search", "Druckserver", "--paths", "--top", "1", "--data-dir", str(small_brain.data_dir)],
    )
    assert cli.search_alias() == 0
    assert capsys.readouterr().out == "Druck.md\n"
    monkeypatch.setattr(
        "sys.argv", ["aria-brain-think", "Druckserver", "--no-llm", "--json", "--data-dir", str(small_brain.data_dir)]
    )
    assert cli.think_alias() == 0
    assert json.loads(capsys.readouterr().out)["query"] == "Druckserver"


@pytest.mark.parametrize("command", [("search", "--mode", "lexical"), ("think", "--no-llm")])
def test_a_batch_line_without_a_usable_query_stops_no_other(
    brain: Brain, small_brain: Settings, tmp_path: Path, command: tuple[str, ...]
) -> None:
    lines = ['{"id":1,"query":null}', '{"id":2,"query":"a\\u0000b\\ud800"}', '{"id":3,"query":"Druckserver"}']
    (tmp_path / "b.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = brain(*command, "--batch", str(tmp_path / "b.jsonl"), at=small_brain)
    assert [line["id"] for line in done.lines()] == [1, 2, 3]
    assert done.lines()[0]["error"] == "There is no query."
    assert "error" not in done.lines()[2]
    assert done.code == 1
