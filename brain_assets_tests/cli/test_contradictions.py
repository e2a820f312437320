"""`brain contradictions`: listing, showing and settling, and where else a contradiction appears."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from brain_assets.operation import checks, pipeline
from brain_assets.settings import Settings
from brain_assets.store import catalogue
from brain_assets_tests.cli.conftest import Brain
from brain_assets_tests.operation import brains

pytestmark = pytest.mark.xdist_group("sample_brain")


@pytest.fixture
def own(sample_brain: Settings, tmp_path: Path) -> Settings:
    return brains.copy(sample_brain, tmp_path)


def listed(brain: Brain, settings: Settings, *status: str) -> list[dict[str, Any]]:
    chosen = [part for name in status for part in ("--status", name)]
    found: list[dict[str, Any]] = brain("contradictions", "list", *chosen, "--json", at=settings).json()[
        "contradictions"
    ]
    return found


def test_one_is_shown_with_both_quotes(brain: Brain, sample_brain: Settings) -> None:
    first = listed(brain, sample_brain)[0]
    shown = brain("contradictions", "show", first["id"][:6], at=sample_brain).out
    for name in ("id", "subject", "kind", "status", "a_quote", "b_quote", "a_value", "b_value"):
        assert first[name] in shown, name
    assert ("newer" in shown) == (first["newer"] is not None)
    assert brain("contradictions", "show", first["id"], "--json", at=sample_brain).json() == first


def test_the_list_tells_how_many_there_are_of_each(brain: Brain, own: Settings) -> None:
    found = listed(brain, own)
    assert brain("contradictions", "dismiss", found[0]["id"], at=own).code == 0
    out = brain("contradictions", at=own).out
    assert f"{len(found) - 1} open, 1 dismissed." in out
    assert out.index(found[1]["id"]) < out.index(found[0]["id"]), "what is open comes first"
    told = brain("contradictions", "list", "--status", "resolved", at=own).out
    assert told == f"None is resolved: {len(found) - 1} open, 1 dismissed.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("show", "c-nothing"), 1, "brain contradictions"),
        (("confirm", "c-nothing"), 1, "There is no contradiction 'c-nothing'"),
        (("dismiss", "c-"), 2, "Give more of the id"),
        (("resolve", "ID"), 2, "--keep"),
        (("resolve", "ID", "--keep", "a", "--keep", "b"), 2, "Only one side can be right"),
        (("resolve", "ID", "--keep", "note:nowhere.md"), 1, "note:nowhere.md"),
        (("reopen", "ID"), 2, "is open already"),
        (("list", "--status", "gone"), 2, "dismissed"),
    ],
)
def test_what_does_not_fit_is_said_and_changes_nothing(
    brain: Brain, sample_brain: Settings, arguments: tuple[str, ...], code: int, told: str
) -> None:
    before = listed(brain, sample_brain)
    name = before[0]["id"]
    done = brain("contradictions", *(name if a == "ID" else a for a in arguments), at=sample_brain)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert listed(brain, sample_brain) == before


def test_a_side_can_be_kept_by_its_letter(brain: Brain, own: Settings) -> None:
    first = listed(brain, own)[0]
    done = brain("contradictions", "resolve", first["id"], "--keep", "b", "--json", at=own).json()
    assert (done["status"], done["keep"], done["note"]) == ("resolved", first["b"], "")


def test_it_stands_in_think_in_the_asset_and_in_a_check_until_settled(brain: Brain, own: Settings) -> None:
    found = next(c for c in listed(brain, own) if "MTU" in c["subject"])
    question = "Welche MTU gilt im VPN-Tunnel wg0?"

    def seen() -> tuple[bool, float]:
        gaps = brain("think", question, "--no-llm", "--json", at=own).json()["gaps"]["contradiction"]
        with catalogue.open(own) as cat:
            [check] = [c for c in checks.evaluate(cat, own, ("relation_edges",)) if c.name == "open_contradictions"]
        pair = any({g["a"], g["b"]} == {found["a"], found["b"]} and g["strength"] == "strong" for g in gaps)
        return pair, float(check.measured.value or 0)

    before = seen()
    assert before[0] and before[1] >= 1
    assert brain("contradictions", "dismiss", found["id"], at=own).code == 0
    assert seen() == (False, before[1] - 1)
    path = own.vault_dir / str(found["b_path"] or found["a_path"])
    path.write_text(path.read_text("utf-8").replace("1420", "1380"), encoding="utf-8")
    other = next(c for c in listed(brain, own, "open") if c["b_path"])
    changed = own.vault_dir / other["b_path"]
    changed.write_text(changed.read_text("utf-8").replace(other["b_value"], "nichts"), encoding="utf-8")
    with pipeline.writing(own) as run:
        pipeline.sync(run)
        report = pipeline.run_stage("relation_edges", run)
    assert report.details["findings"]["closed"] >= 1
    assert report.details["contradictions"]["closed"] == report.details["findings"]["closed"]
    assert other["id"] in {c["id"] for c in listed(brain, own, "closed")}
    told = brain("contradictions", "show", other["id"], at=own).out
    assert "closed  2026-12-01 The texts no longer disagree." in told
    assert other["id"] not in brain("contradictions", at=own).out
    late = brain("contradictions", "confirm", other["id"], at=own)
    assert (late.code, "no longer disagree" in late.err) == (2, True)


def test_nothing_compared_and_nothing_found_are_two_things(brain: Brain, own_brain: Settings) -> None:
    assert "Nothing has been compared yet" in brain("contradictions", at=own_brain).out
    with pipeline.writing(own_brain) as run:
        pipeline.run_stage("relation_edges", run)
    assert brain("contradictions", at=own_brain).out == "No contradiction is known.\n"
