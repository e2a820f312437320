"""The life of a contradiction: found, decided by a person, closed by itself, back again, forgotten in time."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from sqlalchemy import select, update

from brain_assets.errors import ConfigurationError, NotFoundError
from brain_assets.graph import findings, relations
from brain_assets.operation import retention, settle, views
from brain_assets.settings import Settings
from brain_assets.store import entries
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue
from brain_assets_tests.graph.brains import edges, fill, judged, note

TANK = "Der Regenwassertank im Hof fasst {} Liter. Er wird im Herbst geleert.\n"
PAIR = frozenset(("note:Tank.md", "note:Water tank.md"))


@pytest.fixture
def words(settings: Settings) -> Settings:
    return settings.model_copy(update={"vector_sets": ()})


@pytest.fixture
def built(cat: Catalogue, words: Settings) -> Catalogue:
    fill(cat, [note("Tank", TANK.format("3.000"), title="Regenwassertank"), note("Water tank", "Siehe [[Tank]]. " + TANK.format("2.500"))])  # fmt: skip
    relations.update(cat, words)
    return cat


def tank(cat: Catalogue, settings: Settings, litres: str) -> dict[str, Any]:
    """Write another number into the first note and compare again; returns the counts of the run."""
    fill(cat, [note("Tank", TANK.format(litres), title="Regenwassertank")])
    counts: dict[str, Any] = relations.update(cat, settings).details["findings"]
    return counts


def only(cat: Catalogue) -> dict[str, Any]:
    with cat.read() as connection:
        [found] = views.contradictions(connection)
    return found


def decide(cat: Catalogue, status: str, **how: Any) -> dict[str, Any]:
    with cat.begin() as connection:
        return settle.contradiction(connection, only(cat)["id"], status, **how)


@pytest.mark.parametrize("status", ["open", "confirmed", "resolved"])
def test_it_closes_when_the_texts_agree_and_says_so(built: Catalogue, words: Settings, status: str) -> None:
    if status != "open":
        decide(built, status, keep="b" if status == "resolved" else None, note="measured")
    assert tank(built, words, "2.500") == {"new": 0, "reopened": 0, "closed": 1}
    found = only(built)
    assert (found["status"], found["closed_on"]) == ("closed", words.today.isoformat())
    assert found["closed_because"] == findings.AGREE
    assert found["note"] == ("" if status == "open" else "measured")
    assert tank(built, words, "3.000") == {"new": 0, "reopened": 1, "closed": 0}
    found = only(built)
    assert (found["status"], found["closed_on"], found["closed_because"]) == ("open", None, "")
    assert found["keep"] == ("note:Water tank.md" if status == "resolved" else None)


def test_a_dismissed_one_stays_away_for_the_same_two_statements_only(built: Catalogue, words: Settings) -> None:
    decide(built, "dismissed", note="two tanks")
    tank(built, words, "2.500")
    assert only(built)["status"] == "dismissed"
    assert tank(built, words, "3.000")["reopened"] == 0
    assert only(built)["status"] == "dismissed"
    assert tank(built, words, "4.000")["new"] == 1
    with built.read() as connection:
        assert sorted(c["status"] for c in views.contradictions(connection)) == ["dismissed", "open"]


def test_the_edge_follows_what_a_person_decides_at_once(built: Catalogue, words: Settings) -> None:
    assert judged(built)[PAIR] == "contradicts"
    decide(built, "dismissed")
    assert judged(built)[PAIR] == "same_topic"
    decide(built, "open")
    assert judged(built)[PAIR] == "contradicts"
    assert any(relation == "references" for _, _, relation in edges(built)), "links stay"
    assert relations.update(built, words).pending == 0


def test_decisions_survive_a_rebuild(built: Catalogue, words: Settings) -> None:
    decide(built, "resolved", keep="note:Tank.md", note="measured")
    with built.begin() as connection:
        for table in (s.edges, s.decisions, s.ledger, s.entry_terms):
            connection.execute(table.delete())
    relations.update(built, words)
    found = only(built)
    assert (found["status"], found["keep"], found["note"]) == ("resolved", "note:Tank.md", "measured")


@pytest.mark.parametrize(("status", "after", "back"), [
    ("open", "closed", "open"), ("confirmed", "closed", "open"),
    ("resolved", "resolved", "resolved"), ("dismissed", "dismissed", "dismissed"),
])  # fmt: skip
def test_a_deleted_entry_closes_what_nobody_had_settled(
    built: Catalogue, words: Settings, status: str, after: str, back: str
) -> None:
    if status != "open":
        decide(built, status, keep="a" if status == "resolved" else None)
    with built.begin() as connection:
        entries.tombstone(connection, ["note:Tank.md"], words.today)
    relations.update(built, words)
    found = only(built)
    assert found["status"] == after
    assert found["closed_because"] == (findings.GONE if after == "closed" else "")
    tank(built, words, "3.000")
    assert only(built)["status"] == back


def test_what_cannot_be_decided_is_told(built: Catalogue, words: Settings) -> None:
    with built.begin() as connection:
        with pytest.raises(NotFoundError, match="c-nothing"):
            settle.contradiction(connection, "c-nothing", "confirmed")
        with pytest.raises(ConfigurationError, match="open already"):
            settle.contradiction(connection, "c-", "open")
        with pytest.raises(ConfigurationError, match="no side"):
            settle.contradiction(connection, "c-", "resolved", keep=_third(connection))
    tank(built, words, "2.500")
    with built.begin() as connection, pytest.raises(ConfigurationError, match="no longer disagree"):
        settle.contradiction(connection, "c-", "confirmed")


def _third(connection: Any) -> str:
    entries.put(connection, [note("Dritte", "Etwas anderes.")])
    return "note:Dritte.md"


def test_an_earlier_note_stays_unless_another_is_given(built: Catalogue) -> None:
    decide(built, "confirmed", note="asked Lena")
    assert decide(built, "resolved", keep="A")["note"] == "asked Lena"
    assert decide(built, "open", note=" measured again ")["note"] == "measured again"
    assert only(built)["keep"] is None


@pytest.mark.parametrize(("decision", "left"), [({}, 0), ({"note": "asked Lena"}, 1)])
def test_closed_ones_are_forgotten_in_time_but_not_what_a_person_wrote(
    built: Catalogue, words: Settings, decision: dict[str, str], left: int
) -> None:
    decide(built, "confirmed", **decision)
    tank(built, words, "2.500")
    day = words.today + dt.timedelta(days=words.history_days)
    assert retention.forget(built, words.model_copy(update={"now": day})).findings == 0
    forgotten = retention.forget(built, words.model_copy(update={"now": day + dt.timedelta(days=1)}))
    assert forgotten.findings == 1 - left
    with built.read() as connection:
        assert len(views.contradictions(connection)) == left
    assert tank(built, words, "3.000")["new" if left == 0 else "reopened"] == 1


def test_one_that_closed_before_days_were_kept_is_dated_and_then_forgotten(built: Catalogue, words: Settings) -> None:
    tank(built, words, "2.500")
    with built.begin() as connection:
        finding = json.loads(connection.execute(select(s.contradictions.c.finding)).scalar_one())
        old = {k: v for k, v in finding.items() if not k.startswith("closed")}
        connection.execute(update(s.contradictions).values(finding=json.dumps(old)))
        assert findings.forget(connection, words.today, words.today) == 0
        assert findings.forget(connection, words.today + dt.timedelta(days=1), words.today) == 1
