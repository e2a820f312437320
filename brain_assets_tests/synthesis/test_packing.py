"""Pools beside each other: what a taken pool leaves grows again, small ones complete on their topic, derived articles follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.synthesis import growth, packing, pools, targets
from brain_assets.synthesis.landscape import Landscape
from brain_assets_tests.synthesis import brains
from brain_assets_tests.synthesis.test_pools import QUEUE, conflict, view

WORDS = "amsel biber dachs elster fuchs gans hase igel juchtenkäfer krähe luchs marder".split()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return brains.settings(tmp_path)


def on(subject: str, number: int) -> Entry:
    """A note on a subject with a statement of its own."""
    own = WORDS[number % len(WORDS)]
    body = f"# {subject} {own}\n\n{subject} braucht {own} in Schritt {number}. Danach ist {subject} {own} fertig.\n"
    return brains.note(f"{subject}/{number}.md", f"{subject} {own}", body)


def landscape(sources: list[Entry], edges: list[tuple[int, int, float]], topics: dict[str, list[int]]) -> Landscape:
    made = Landscape({e.id: e for e in sources})
    for a, b, confidence in edges:
        made.add_edge(sources[a].id, sources[b].id, "same_topic", confidence)
    for label, members in topics.items():
        made.topic_label[label] = label
        for m in members:
            made.topic[sources[m].id] = label
            made.members.setdefault(label, []).append(sources[m].id)
    return made


def test_a_pool_that_is_too_like_a_taken_one_grows_again_without_its_sources(settings: Settings) -> None:
    """All that lies around entries 4 to 6 is closer to the tighter pool; what is left of them is no less a pool."""
    sources = [on("Fräse", n) for n in range(4)] + [on("Hobel", n) for n in range(4, 7)]
    tight = [(a, b, 1.0) for a in range(4) for b in range(a + 1, 4)]
    near = [(a, b, 0.9) for a in (4, 5, 6) for b in range(4)]
    own = [(4, 5, 0.6), (4, 6, 0.6), (5, 6, 0.6)]
    made = landscape(sources, tight + near + own, {})
    taken = packing._Taken()
    taken.add([s.id for s in sources[:4]])
    found = [g.members for g in packing._apart(made, settings, taken)]
    assert found[0] == tuple(s.id for s in sources[4:])
    assert [p.sources for p in pools.propose(made, settings)[0]] != []


def test_closeness_of_another_topic_counts_less(settings: Settings) -> None:
    sources = [on("Fräse", n) for n in range(5)] + [on("Hobel", 5)]
    edges = [(a, b, 0.6) for a in range(5) for b in range(a + 1, 5)] + [(0, 5, 0.65)]
    apart = landscape(sources, edges, {"x": [0, 1, 2, 3, 4], "y": [5]})
    assert sources[5].id not in growth.grow(apart, sources[0].id, 5).members
    alone = landscape(sources, edges, {"x": [0, 1, 2, 3, 4, 5]})
    assert sources[5].id in growth.grow(alone, sources[0].id, 6).members


def test_a_small_pool_takes_in_what_no_pool_took_on_its_topic(settings: Settings) -> None:
    """Two related entries and a third on their topic: no pair of vectors has to be close for the third to belong."""
    sources = [on("Fräse", 0), on("Fräse", 1), on("Fräse", 2), on("Hobel", 3)]
    made = landscape(sources, [(0, 1, 0.9)], {"x": [0, 1, 2], "y": [3]})
    found, refused = pools.propose(made, settings)
    assert [p.sources for p in found] == [tuple(s.id for s in sources[:3])] and refused == []


def test_a_small_pool_is_not_completed_by_what_it_is_in_dispute_with(settings: Settings) -> None:
    sources = [on("Fräse", 0), on("Fräse", 1), on("Fräse", 2)]
    made = landscape(sources, [(0, 1, 0.9)], {"x": [0, 1, 2]})
    made.add_contradiction(conflict(sources[1].id, sources[2].id, "procedure"))
    assert pools.propose(made, settings)[0] == []


def test_every_order_of_edges_gives_the_same_pools(settings: Settings) -> None:
    sources = [on("Fräse", n) for n in range(8)]
    edges = [(a, b, 0.5 + 0.05 * ((a * b) % 7)) for a in range(8) for b in range(a + 1, 8)]
    one = packing.choose(landscape(sources, edges, {"x": list(range(8))}), settings, pools.refuse)
    two = packing.choose(landscape(sources, edges[::-1], {"x": list(range(8))}), settings, pools.refuse)
    assert [(g.members, t) for g, t in one] == [(g.members, t) for g, t in two]


def test_an_article_made_from_another_article_is_no_target_of_its_own(settings: Settings) -> None:
    first = brains.kb("KB-20", "Drucken im Überblick", "Aus KB-1.", "Löschen Sie Aufträge.", ai=True, depth=1)
    second = brains.kb("KB-21", "Kurzleitfaden Drucken", "Aus KB-20.", "Löschen Sie Aufträge.", ai=True, depth=2)
    edges = [*brains.QUEUE_EDGES, *(brains.edge(x, q, "part_of") for x in ("kb:KB-20", "kb:KB-21") for q in QUEUE)]
    made = view([*brains.queue_sources(), first, second], edges)
    made.lineage = {
        "kb:KB-20": frozenset({QUEUE[0], QUEUE[1]}),
        "kb:KB-21": frozenset({"kb:KB-20", QUEUE[0], QUEUE[1]}),
    }
    assert targets.find_target(made, QUEUE, settings) == "kb:KB-20"


def test_a_journal_is_no_source_whatever_it_calls_itself(settings: Settings) -> None:
    body = "# Tag\n\nDer Druckauftrag hing wieder, die Warteschlange `halle4-a4` war angehalten.\n"
    daily = [brains.note("Journal/2026-11-23.md", "2026-11-23", body), brains.note("Log/x.md", "23.11.2026", body),
             brains.note("x.md", "Protokoll Drucken", body)]  # fmt: skip
    edges = [*brains.QUEUE_EDGES, *(brains.edge(d.id, QUEUE[3], "same_topic", 1.0) for d in daily)]
    found = pools.propose(view([*brains.queue_sources(), *daily], edges), settings)[0]
    assert [p.sources for p in found] == [QUEUE]


def test_a_pool_about_faults_is_called_by_one_of_them() -> None:
    sources = [
        brains.note("a.md", "Sicherungskonzept", "Das Konzept nennt Auftrag, Ziel und Frist der Sicherung."),
        brains.note("b.md", "Sicherung: Störungen", "Der Auftrag der Sicherung bricht ab. Den Agenten neu starten."),
        brains.note("c.md", "Auftrag schlägt fehl", "Die Sicherung schlägt fehl. Den Auftrag wiederholen."),
    ]
    edges = [brains.edge("note:a.md", n, "part_of", 1.0) for n in ("note:b.md", "note:c.md")]
    assert pools.pool_title(view(sources, edges), [s.id for s in sources]) in (
        "Sicherung: Störungen",
        "Auftrag schlägt fehl",
    )
    assert pools.pool_title(view(sources[:2], edges[:1]), ["note:a.md"]) == "Sicherungskonzept"


def test_minutes_later_than_what_they_dispute_put_it_in_doubt(settings: Settings) -> None:
    """Older minutes give way to what was written after them; later ones may have decided something else."""
    minutes = brains.note("Runde.md", "Runde Drucken", "# Runde\n\nIn der Warteschlange standen 12 Aufträge.\n", type="meeting")  # fmt: skip
    for newer, gone in ((minutes.id, {minutes.id, QUEUE[2]}), (QUEUE[2], {minutes.id})):
        made = view([*brains.queue_sources(), minutes], brains.QUEUE_EDGES, (conflict(minutes.id, QUEUE[2], newer=newer),))  # fmt: skip
        assert made.outvoted == gone


def test_what_repeats_a_command_of_the_side_that_gave_way_does_not_meet_the_other(settings: Settings) -> None:
    loser = brains.note(
        "a.md", "Tunnel langsam", "# Tunnel langsam\n\nDie MTU ist 1340. Prüfen: `ping -f -l 1300 gw1`.\n"
    )
    winner = brains.note("b.md", "Gateway", "# Gateway\n\nDie MTU des Tunnels ist 1380.\n")
    third = brains.note("c.md", "Checkliste", "# Checkliste\n\nTunnel langsam?\n\n```\nping -f -l 1300 gw1\n```\n")
    other = brains.note("d.md", "Wartung Gateway", "# Wartung Gateway\n\nGateway nur am Donnerstag ändern: `sudo reboot`.\n")  # fmt: skip
    edges = [brains.edge(third.id, winner.id, "duplicates", 1.0), brains.edge(third.id, loser.id, "same_topic", 0.1),
             brains.edge(other.id, winner.id, "duplicates", 1.0), brains.edge(other.id, loser.id, "same_topic", 0.1)]  # fmt: skip
    made = view([loser, winner, third, other], edges, (conflict(loser.id, winner.id, newer=winner.id),))
    made.outvoted = {loser.id}
    assert growth.kept_apart(made) == {third.id: {winner.id}, winner.id: {third.id}}
