"""Pools keep every limit, stay on one subject, and leave out what is outdated, private, disputed or told twice."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Pool
from brain_assets.settings import Settings
from brain_assets.synthesis import pools, targets
from brain_assets.synthesis.landscape import Landscape, closure
from brain_assets.synthesis.pools import Refusal
from brain_assets_tests.synthesis import brains

QUEUE = ("kb:KB-1", "kb:KB-2", "note:Drucken/Störung Halle 4.md", "note:Drucken/Warteschlange klemmt.md")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return brains.settings(tmp_path)


def view(sources: list[Entry], edges: list[dict[str, object]], found: tuple[Contradiction, ...] = ()) -> Landscape:
    made = Landscape({e.id: e for e in sources})
    for e in edges:
        made.add_edge(str(e["source"]), str(e["target"]), str(e["relation"]), float(str(e["confidence"])))
    for c in found:
        made.add_contradiction(c)
    return made


def conflict(a: str, b: str, kind: str = "number", **fields: object) -> Contradiction:
    values = {"id": f"c-{a}-{b}", "a": a, "b": b, "subject": "Aufträge", "kind": kind, "a_quote": "74 Aufträge",
              "b_quote": "12 Aufträge", "a_value": "74", "b_value": "12", "confidence": 0.9}  # fmt: skip
    return Contradiction.model_validate({**values, **fields})


def only(found: tuple[list[Pool], list[Refusal]]) -> Pool:
    assert len(found[0]) == 1, found
    return found[0][0]


def test_a_pool_grows_from_confirmed_relations(settings: Settings) -> None:
    pool = only(pools.propose(view(brains.queue_sources() + brains.off_topic(), brains.QUEUE_EDGES), settings))
    assert pool.sources == QUEUE
    assert (pool.production_share, pool.depth, pool.decision, pool.language) == (1.0, 1, "create", "de")


def test_links_alone_make_no_pool(settings: Settings) -> None:
    links = [{**e, "relation": "references"} for e in brains.QUEUE_EDGES]
    assert pools.propose(view(brains.queue_sources(), links), settings) == ([], [])


def test_two_sources_are_too_few_and_that_is_recorded(settings: Settings) -> None:
    found = pools.propose(view(brains.queue_sources()[:2], brains.QUEUE_EDGES[:1]), settings)
    assert found[0] == [] and found[1][0].reason.startswith("too_few_sources: 2")


def test_the_order_of_edges_changes_nothing(settings: Settings) -> None:
    one = pools.propose(view(brains.queue_sources(), brains.QUEUE_EDGES), settings)
    two = pools.propose(view(list(reversed(brains.queue_sources())), list(reversed(brains.QUEUE_EDGES))), settings)
    assert one == two


def test_never_more_than_the_most_sources(settings: Settings, tmp_path: Path) -> None:
    base = brains.queue_sources()[0]
    many = [base.model_copy(update={"id": f"note:{n}.md", "title": f"Warteschlange {n}", "text_digest": str(n),
                                    "body": base.body + f"\nSonderfall {n}: Der Druckauftrag {n} bleibt stehen.\n"})
            for n in range(14)]  # fmt: skip
    edges = [brains.edge(a.id, b.id, "same_topic", 0.95) for i, a in enumerate(many) for b in many[i + 1 :]]
    for most in (4, 8):
        small = settings.model_copy(update={"article_max_sources": most})
        for pool in pools.propose(view(many, edges), small)[0]:
            assert 3 <= len(pool.sources) <= most


def test_ai_entries_are_no_seed_and_count_against_production(settings: Settings) -> None:
    made = [e.model_copy(update={"ai_origin": True, "generation_depth": 1}) for e in brains.queue_sources()]
    assert pools.propose(view(made, brains.QUEUE_EDGES), settings) == ([], [])
    snapshot = view([*made[:3], brains.queue_sources()[3]], brains.QUEUE_EDGES)
    assert (pools.refuse(snapshot, [e.id for e in made[:3]], settings) or "").startswith("only_ai_sources")
    mixed = [*(e.id for e in made[:2]), brains.queue_sources()[3].id]
    assert (pools.refuse(snapshot, mixed, settings) or "").startswith("too_few_sources")


def test_the_production_share_and_the_depth_are_limits(settings: Settings) -> None:
    made = [e.model_copy(update={"id": f"kb:AI-{n}", "ai_origin": True, "generation_depth": 1, "body": f"Rat Nummer {n}."})
            for n, e in enumerate(brains.queue_sources()[2:])]  # fmt: skip
    snapshot = view([*brains.queue_sources(), *made], brains.QUEUE_EDGES)
    three = [e.id for e in brains.queue_sources()[:3]]
    assert (pools.refuse(snapshot, [*three, *(e.id for e in made)], settings) or "").startswith("production_share: 0.6")
    deep = made[0].model_copy(update={"generation_depth": 2})
    snapshot = view([*brains.queue_sources(), deep], brains.QUEUE_EDGES)
    assert (pools.refuse(snapshot, [*QUEUE, deep.id], settings) or "").startswith("generation_depth: 3")


def test_what_is_outdated_planned_private_or_minutes_is_no_source(settings: Settings) -> None:
    for change in ({"status": "veraltet"}, {"status": "deprecated"}, {"status": "draft"}, {"type": "meeting"},
                   {"type": "daily"}, {"tags": ("privat",)}, {"path": "Privat/Drucker.md"}):  # fmt: skip
        sources = brains.queue_sources()
        sources[1] = sources[1].model_copy(update=change)
        assert only(pools.propose(view(sources, brains.QUEUE_EDGES), settings)).sources == (*QUEUE[:2], QUEUE[3]), (
            change
        )


def test_a_superseded_source_is_replaced_by_its_successor(settings: Settings) -> None:
    sources = brains.queue_sources()
    new = sources[1].model_copy(update={"id": "note:Drucken/Störung neu.md", "title": "Druckstörung Halle 4, neu"})
    edges = [*brains.QUEUE_EDGES, brains.edge(new.id, sources[1].id, "supersedes"),
             brains.edge(new.id, QUEUE[3], "part_of"), brains.edge(new.id, QUEUE[0], "same_topic")]  # fmt: skip
    pool = only(pools.propose(view([*sources, new], edges), settings))
    assert new.id in pool.sources and sources[1].id not in pool.sources


def test_a_source_that_says_nothing_of_its_own_counts_once(settings: Settings) -> None:
    sources = brains.queue_sources()[:2]
    copy = sources[0].model_copy(update={"id": "note:Kopie.md", "body": sources[0].body + "\n"})
    snapshot = view([*sources, copy], [brains.edge(sources[0].id, copy.id, "duplicates"), *brains.QUEUE_EDGES[:1]])
    reason = pools.refuse(snapshot, [*(e.id for e in sources), copy.id], settings)
    assert (reason or "").startswith("too_few_sources: 2")


def test_of_two_values_the_older_side_is_no_source_until_decided(settings: Settings) -> None:
    sources = brains.queue_sources()
    sources[1] = sources[1].model_copy(update={"date": dt.date(2020, 1, 1)})
    found = (conflict(QUEUE[2], QUEUE[3]),)
    pool = only(pools.propose(view(sources, brains.QUEUE_EDGES, found), settings))
    assert QUEUE[2] not in pool.sources and QUEUE[3] in pool.sources
    for status in ("resolved", "dismissed"):
        settled = (conflict(QUEUE[2], QUEUE[3], status=status),)
        assert only(pools.propose(view(sources, brains.QUEUE_EDGES, settled), settings)).sources == QUEUE


def test_two_sides_in_dispute_never_share_a_pool(settings: Settings) -> None:
    for kind in ("negation", "procedure", "number", "version"):
        found = pools.propose(
            view(brains.queue_sources(), brains.QUEUE_EDGES, (conflict(QUEUE[0], QUEUE[3], kind),)), settings
        )
        for pool in found[0]:
            assert not {QUEUE[0], QUEUE[3]} <= set(pool.sources)


def test_a_dispute_that_leaves_too_few_says_so(settings: Settings) -> None:
    sources = brains.queue_sources()[:3]
    found = pools.propose(view(sources, brains.QUEUE_EDGES, (conflict(QUEUE[0], QUEUE[3], "negation"),)), settings)
    assert found[0] == [] and "contradicting_sources: c-" in found[1][0].reason


def target(**fields: object) -> Entry:
    made = brains.kb(
        "KB-9",
        "Warteschlange klemmt, Überblick",
        "Erzeugt aus KB-1 und KB-2.",
        "Neustart hilft meist.",
        ai=True,
        depth=1,
    )
    return made.model_copy(update=fields)


TARGET_EDGES = [brains.edge("kb:KB-9", i, "same_topic") for i in (QUEUE[0], QUEUE[3], QUEUE[2])]


def test_an_existing_article_is_updated_with_what_is_new_to_it(settings: Settings) -> None:
    snapshot = view([*brains.queue_sources(), target()], [*brains.QUEUE_EDGES, *TARGET_EDGES])
    snapshot.lineage = {"kb:KB-9": frozenset(QUEUE[:2])}
    pool = only(pools.propose(snapshot, settings))
    assert (pool.decision, pool.target) == ("update", "kb:KB-9")
    assert len(set(pool.sources) & set(QUEUE[:2])) == 1 and set(QUEUE[2:]) <= set(pool.sources)


def test_a_draft_is_merged_and_is_a_source_itself(settings: Settings) -> None:
    draft = target(body="Entwurf zu den Gründen, aus denen die Warteschlange klemmt.\n\nNeustart hilft meist.")
    snapshot = view([*brains.queue_sources(), draft], [*brains.QUEUE_EDGES, *TARGET_EDGES])
    snapshot.lineage = {"kb:KB-9": frozenset(QUEUE[:1])}
    pool = only(pools.propose(snapshot, settings))
    assert (pool.decision, pool.target) == ("merge", "kb:KB-9")
    assert "kb:KB-9" in pool.sources and pool.production_share == 0.8 and pool.depth == 2


def test_what_an_article_was_made_from_makes_no_second_one(settings: Settings) -> None:
    snapshot = view([*brains.queue_sources(), target()], [*brains.QUEUE_EDGES, *TARGET_EDGES])
    snapshot.lineage = {"kb:KB-9": frozenset(QUEUE)}
    found = pools.propose(snapshot, settings)
    assert found[0] == [] and found[1][0].reason.startswith("already_covered: kb:KB-9")
    assert found[1][0].decision == "skip" and found[1][0].target == "kb:KB-9"


def test_lineage_goes_all_the_way_down() -> None:
    assert closure({"a": {"b"}, "b": {"c", "a"}}) == {"a": frozenset("bc"), "b": frozenset("ac")}


def thermometer(*kb: Entry) -> list[Entry]:
    """Three notes on one subject, and support entries beside them."""
    said = (
        ("a", "Fühler treibt ab", "Der Temperaturfühler treibt ab, wenn das Kabel feucht ist. Den Stecker trocknen."),
        ("b", "Fühler abgleichen", "Treibt der Temperaturfühler weiter ab, wird er am Eisbad abgeglichen."),
        ("c", "Störung Kühlraum", "Im Kühlraum begann der Temperaturfühler abzutreiben, das Kabel lag im Wasser. Er treibt ab."),
    )  # fmt: skip
    return [*(brains.note(f"{name}.md", title, f"# {title}\n\n{body}\n") for name, title, body in said), *kb]


def related(sources: list[Entry], relation: str = "same_topic", pairs: tuple[tuple[str, str], ...] = ()) -> Landscape:
    view = Landscape({e.id: e for e in sources})
    ids = [e.id for e in sources]
    for i, a in enumerate(ids):
        for b in ids[i + 1 :]:
            view.add_edge(a, b, "duplicates" if (a, b) in pairs or (b, a) in pairs else relation, 0.9)
    return view


WHOLE = brains.kb("KB-7", "Temperaturfühler treibt ab", "Der Temperaturfühler treibt ab.", "Den Stecker trocknen.")
PART = brains.kb("KB-8", "Messwert zittert", "Der Messwert springt hin und her.", "Die Abschirmung der Leitung erden.")
TWIN = brains.kb("KB-9", "Fühler treibt ab im Winter", "Im Winter treibt der Temperaturfühler ab.", "Das Kabel warm verlegen.")  # fmt: skip
AI = brains.kb("KB-10", "Fühler im Überblick", "Zum Temperaturfühler, aus KB-8.", "Er treibt ab.", ai=True, depth=1)


def test_an_update_targets_what_a_person_wrote_on_the_whole_subject(tmp_path: Path) -> None:
    view = related(thermometer(WHOLE, AI))
    view.lineage = {"kb:KB-10": frozenset({"note:a.md", "note:b.md"})}
    made, _ = pools.propose(view, brains.settings(tmp_path))
    assert [(p.decision, p.target) for p in made] == [("update", "kb:KB-7")]
    assert "kb:KB-7" in made[0].sources and made[0].title == "Temperaturfühler treibt ab"


def test_an_entry_on_a_single_case_is_no_target_and_an_ai_entry_is_one_then(tmp_path: Path) -> None:
    view = related(thermometer(PART, AI))
    assert targets.covering(view, ["note:a.md", "note:b.md", "note:c.md", "kb:KB-8"]) is None
    view.lineage = {"kb:KB-10": frozenset({"note:a.md", "note:b.md"})}
    made, _ = pools.propose(view, brains.settings(tmp_path))
    assert [(p.decision, p.target) for p in made] == [("update", "kb:KB-10")]


def test_a_support_entry_on_another_question_is_no_source_of_an_update(tmp_path: Path) -> None:
    """ "Add a sensor" stands next to "sensor drifts": close in words and topic, and nobody asks for both."""
    other = brains.kb("KB-11", "Fühler bestellen", "Ein Temperaturfühler fehlt.", "Bestellen Sie ihn im Portal.")
    double = brains.kb("KB-12", "Messfehler im Kühlraum", "Das Gerät zeigt zu viel an.", "Den Stecker trocknen.")
    for beside, stays in ((other, False), (double, True)):
        view = related(thermometer(WHOLE, beside))
        if stays:
            view.add_edge("kb:KB-7", beside.id, "supports", 0.9)
        updated = next(p for p in pools.propose(view, brains.settings(tmp_path))[0] if p.target == "kb:KB-7")
        assert (beside.id in updated.sources) is stays


def test_two_entries_that_hold_parts_of_one_subject_are_merged(tmp_path: Path) -> None:
    view = related(thermometer(WHOLE, TWIN), pairs=(("kb:KB-7", "kb:KB-9"),))
    made, _ = pools.propose(view, brains.settings(tmp_path))
    assert [(p.decision, p.target) for p in made] == [("merge", "kb:KB-7")]
    assert "kb:KB-9" in made[0].reason and {"kb:KB-7", "kb:KB-9"} <= set(made[0].sources)


def test_no_two_pools_have_one_title() -> None:
    sources = thermometer(PART)
    view = related(sources)
    create = targets.Decision("create", None, "test")
    one = pools.build(view, [e.id for e in sources[:3]], create)
    two = pools.build(view, [e.id for e in sources[1:]], create)
    named = pools._named_apart(view, [one, two, one.model_copy(update={"id": "x"})])
    assert len({p.title for p in named}) == 3
