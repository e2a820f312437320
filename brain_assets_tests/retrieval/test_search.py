from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from brain_assets.errors import NotFoundError
from brain_assets.model.search import Filters
from brain_assets.retrieval import ranking
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import load
from brain_assets_tests.retrieval.conftest import NOTES, Brain, MakeBrain


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("VPN-Gateway Nordwall", "Netz/VPN-Gateway.md"),
        ("Einwahlserver", "Netz/VPN-Gateway.md"),
        ("Was meldet der Client, wenn Verbindungen gestört sind?", "Netz/VPN-Gateway.md"),
        ("Datenbankschema", "Datenbank/Schema.md"),
        ("Groesse der Tabellen", "Datenbank/Schema.md"),
        ("Größe der Tabelle", "Datenbank/Schema.md"),
        ("Strasse gesperrt", "Journal/2026-11-30.md"),
        ("192.0.2.17", "Netz/VPN-Gateway.md"),
        ("ERR_TUN_TIMEOUT", "Netz/VPN-Gateway.md"),
        ("v2.4.1", "Netz/VPN-Gateway.md"),
        ("2.4.1", "Netz/VPN-Gateway.md"),
        ("GatewayTimeout", "Journal/2026-11-30.md"),
        ("srv0815", "Journal/2026-11-30.md"),
        ("0815", "Journal/2026-11-30.md"),
        ("schema.sql", "Datenbank/Schema.md"),
        ("printed jobs in the queue", "Druck/Queue.md"),
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_the_right_note_comes_first(small: Brain, query: str, path: str, mode: str) -> None:
    assert small.ids(query, mode=mode)[0] == path


def test_the_other_language_is_found_by_vectors(small: Brain) -> None:
    query = "Druckaufträge in der Warteschlange"
    assert small.ids(query, mode="lexical") == []
    assert small.ids(query)[0] == "Druck/Queue.md"
    assert small.ids(query, mode="dense")[0] == "Druck/Queue.md"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(tags=("netz",)), {"Netz/VPN-Gateway.md", "Netz/VPN client.md"}),
        (Filters(tags=("#Netz/VPN", "fernzugriff")), {"Netz/VPN-Gateway.md"}),
        (Filters(types=("how-to",), languages=("en",)), {"Netz/VPN client.md", "Druck/Queue.md"}),
        (Filters(types=("daily", "reference"), paths=("Netz/",)), {"Netz/VPN-Gateway.md"}),
        (Filters(paths=("datenbank",), before=dt.date(2025, 12, 31)), {"Datenbank/Schema.md"}),
        (Filters(after=dt.date(2026, 11, 30)), {"Journal/2026-11-30.md"}),
        (Filters(paths=("Sicherung alt",)), {"Datenbank/Sicherung alt.md"}),
        (Filters(kinds=("kb",)), set()),
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "hybrid", "dense"])
def test_filters_act_inside_the_query(small: Brain, filters: Filters, expected: set[str], mode: str) -> None:
    found = small.searcher().search("Datenbank Tunnel queue Büro", filters=filters, mode=mode, top=50)  # type: ignore[arg-type]
    assert {hit.path for hit in found.hits} == expected
    if not expected:
        assert found.coverage == "none" and "kind:kb" in found.notes[0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tag:fernzugriff", ["Netz/VPN-Gateway.md"]),
        ("datenbank -schema", ["Datenbank/Sicherung.md", "Datenbank/Sicherung alt.md"]),
        ('datenbank -"drei Uhr" type:how-to', ["Datenbank/Sicherung alt.md"]),
        ("title:sicherung objektspeicher", ["Datenbank/Sicherung.md", "Datenbank/Sicherung alt.md"]),
        ('"drei Uhr in den Objektspeicher"', ["Datenbank/Sicherung.md"]),
        ("path:Datenbank before:2025", ["Datenbank/Schema.md"]),
        ("type:daily", ["Journal/2026-11-30.md"]),
        ("tunnel -path:Netz/", []),
        ("-tag:netz/vpn type:reference", ["Datenbank/Schema.md"]),
    ],
)
def test_operators(small: Brain, query: str, expected: list[str]) -> None:
    assert small.ids(query, mode="lexical") == expected


@pytest.mark.parametrize("query", ['"GatewayTimeout auf srv0815"', '"gatewaytimeout AUF srv0815 untersucht"'])
def test_a_phrase_may_hold_identifiers(small: Brain, query: str) -> None:
    result = small.searcher().search(query, mode="lexical")
    assert [h.path for h in result.hits] == ["Journal/2026-11-30.md"] and not result.notes


def test_an_identifier_is_found_whole_where_the_text_goes_on(make_brain: MakeBrain) -> None:
    brain = make_brain({"a.md": "Der Dienst hört auf srv07.example.org:8443/ApiGate weiter.\n",
                        "b.md": "Auf srv07 läuft example nicht, org auch nicht.\n"})  # fmt: skip
    brain.sync()
    assert brain.searcher().has_term("srv07.example.org") == ["note:a.md"]


def test_filters_alone_list_the_newest_first(small: Brain) -> None:
    assert small.ids("after:2026-10-01") == [
        "Journal/2026-11-30.md", "Netz/VPN-Gateway.md", "Datenbank/Sicherung alt.md", "Datenbank/Sicherung.md",
        "Netz/VPN client.md",
    ]  # fmt: skip


def test_a_phrase_nobody_wrote_falls_back_to_its_words_and_says_so(small: Brain) -> None:
    result = small.searcher().search('"Gateway lauscht nicht"', mode="lexical")
    assert result.hits[0].path == "Netz/VPN-Gateway.md" and "exact phrase" in result.notes[0]


def test_spelling_is_forgiven_only_when_nothing_matches(small: Brain) -> None:
    searcher = small.searcher()
    wrong = searcher.search("Objektspiecher", mode="lexical")
    assert wrong.hits[0].path == "Datenbank/Sicherung.md" and "similar spellings" in wrong.notes[0]
    assert not searcher.search("Objektspeicher", mode="lexical").notes


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", "der die das", "and the of", "x" * 10_000, "wort " * 3000, '"unbalanced', "title: tag: -", "a\0b",
        "')); DROP TABLE entries;--", ".*+?[a-z]{1,9}(", "שלום עולם", "مرحبا", "🚀🔥", "\u202eabc", "\ud800", "日本語",
        "-only -minus", "before:never", "field:value:more", "../../etc/passwd", "%s %n {}", "~^:\\/*",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["lexical", "hybrid", "dense"])
def test_any_query_gets_an_answer_or_a_sentence(small: Brain, query: str, mode: str) -> None:
    result = small.searcher().search(query, mode=mode)  # type: ignore[arg-type]
    assert result.hits or (result.notes and result.coverage == "none")


@pytest.mark.parametrize("query", ["Paarungsverhalten der Kaiserpinguine", "best hiking trails in Patagonia"])
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_query_about_nothing_here_is_not_well_covered(small: Brain, query: str, mode: str) -> None:
    assert small.searcher().search(query, mode=mode).coverage in ("none", "weak")  # type: ignore[arg-type]


def test_a_query_about_something_here_is_well_covered(small: Brain) -> None:
    result = small.searcher().search("Wann läuft die Sicherung der Datenbank?")
    assert result.coverage == "good" and result.language == "de" and not result.notes


def test_the_outdated_note_comes_after_its_successor(small: Brain) -> None:
    found = small.ids("Sicherung der Datenbank jede Nacht")
    assert found.index("Datenbank/Sicherung.md") < found.index("Datenbank/Sicherung alt.md")


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_explain_shows_every_part_and_boosts_off_is_relevance(small: Brain, mode: str) -> None:
    searcher = small.searcher()
    hits = searcher.search("Sicherung Datenbank Gateway", mode=mode, explain=True).hits  # type: ignore[arg-type]
    for hit in hits:
        assert hit.explain is not None
        e = hit.explain
        factor = e["recency"] * e["status"] * e["path"] * e["title"]
        expected = e["relevance"] * factor if e["relevance"] >= 0 else e["relevance"] / factor
        assert hit.score == pytest.approx(expected + e["linked"], 1e-3)
        if mode == "hybrid":
            assert e["relevance"] == pytest.approx(0.7 * e["lexical"] + 0.3 * e["dense"], abs=1e-5)
    plain = searcher.search("Sicherung Datenbank Gateway", mode=mode, boosts=False).hits  # type: ignore[arg-type]
    relevance = {hit.id: hit.explain["relevance"] for hit in hits if hit.explain}
    assert [h.id for h in plain] == sorted(relevance, key=lambda i: -relevance[i])
    assert [h.score for h in plain] == [relevance[h.id] for h in plain]


def test_what_is_linked_with_a_good_hit_rises(make_brain: MakeBrain) -> None:
    other = "Am Nachmittag kam die Technik und hat alles ausgebaut.\n"
    notes = {"Anlage.md": "# Kälteanlage\n\nDie Kälteanlage und ihr Verdichter.\n",
             "Tag 1.md": f"Verdichter. {other}", "Tag 2.md": f"Verdichter. Siehe [[Anlage]]. {other}"}  # fmt: skip
    brain = make_brain(notes)
    brain.sync()
    hits = {h.path: h for h in brain.searcher().search("Verdichter Kälteanlage", explain=True).hits}
    assert list(hits) == ["Anlage.md", "Tag 2.md", "Tag 1.md"]
    best, linked, alone = hits.values()
    assert linked.explain is not None and alone.explain is not None
    assert linked.explain["linked"] == pytest.approx(0.2 * (best.score - best.explain["linked"]), 1e-4)  # type: ignore[index]
    assert alone.explain["linked"] == 0.0


def test_title_and_alias_matches_lead(small: Brain) -> None:
    hits = small.searcher().search("Einwahlserver", explain=True).hits
    assert hits[0].explain is not None and hits[0].explain["title"] == ranking.TITLE_LEAD


def test_previews_are_short_and_passages_verbatim(small: Brain) -> None:
    for hit in small.searcher().search("Gateway Zertifikat Fehler Dienst").hits:
        assert len(hit.preview) <= 400
        assert hit.passage.strip() in NOTES[str(hit.path)]


def test_hits_carry_what_people_and_programs_need(small: Brain) -> None:
    hit = small.searcher().search("Einwahlserver").hits[0]
    assert (hit.rank, hit.id, hit.kind, hit.title) == (1, "note:Netz/VPN-Gateway.md", "note", "VPN-Gateway Nordwall")
    assert (hit.date, hit.language, hit.type, hit.status) == (dt.date(2026, 11, 20), "de", "reference", None)
    assert hit.date_origin == "frontmatter date"


def test_near_duplicates_of_one_language_collapse_unless_all_are_wanted(make_brain: MakeBrain) -> None:
    text = "Der Kühlraum braucht vier Grad. Die Tür schließt von selbst. Der Alarm läutet nach zehn Minuten.\n"
    brain = make_brain({"Kopie.md": f"# Kühlraum\n\n{text}", "Kühlraum.md": f"# Kühlraum\n\n{text}",
                        "Anders.md": f"# Kühlraum\n\n{text.replace('von selbst', 'nicht von selbst')}",
                        "Neu.md": f"# Kühlraum\n\n{text.replace('vier', '6')}"})  # fmt: skip
    brain.sync()
    assert len(brain.ids("Kühlraum")) == 3 and len(brain.ids("Kühlraum", all=True)) == 4


def test_path_boosts_from_the_settings(make_brain: MakeBrain) -> None:
    notes = {"A/eins.md": "Der rote Ordner liegt oben.\n", "B/zwei.md": "Der rote Ordner liegt unten.\n"}
    plain = make_brain(notes)
    plain.sync()
    boosted = make_brain(notes, path_boosts='{"B/": 3}')
    boosted.sync()
    assert plain.ids("roter Ordner")[0] == "A/eins.md" and boosted.ids("roter Ordner")[0] == "B/zwei.md"


@pytest.mark.parametrize(
    ("term", "paths"),
    [
        ("Zertifikate", {"Netz/VPN-Gateway.md"}),
        ("Datenbankschema", {"Datenbank/Schema.md"}),
        ("Schlüsseltabelle", set()),
        ("Kaiserpinguin", set()),
        ("laptops badges", {"Netz/VPN client.md"}),
        ("Einwahlserver", {"Netz/VPN-Gateway.md"}),
    ],
)
def test_which_entries_hold_a_term(small: Brain, term: str, paths: set[str]) -> None:
    searcher = small.searcher()
    assert {i.removeprefix("note:") for i in searcher.has_term(term)} == paths


def test_neighbours_of_a_text_and_of_a_passage(small: Brain) -> None:
    searcher = small.searcher()
    near = searcher.passage_neighbours("How are print jobs released with a badge?", 3)
    assert near[0][0] == "note:Druck/Queue.md" and len(near) == 3
    assert [n[2] for n in near] == sorted((n[2] for n in near), reverse=True)
    own = searcher.passage_neighbours(near[0][1], 1)
    assert own[0][:2] == near[0][:2] and own[0][2] == pytest.approx(1.0, abs=1e-3)
    several = searcher.passage_neighbours([near[0][1], near[1][1]], 1)
    assert [answer[0][1] for answer in several] == [near[0][1], near[1][1]]


def test_a_term_unknown_to_neighbours_without_vectors(make_brain: MakeBrain) -> None:
    brain = make_brain(NOTES)
    brain.sync()
    searcher = brain.searcher()
    assert searcher.passage_neighbours("text") == [] and searcher.passage_neighbours(["a", "b"]) == [[], []]
    assert searcher.neighbour_set is None and searcher.search("Gateway").mode == "lexical"


def test_an_empty_brain_says_what_to_do(make_brain: MakeBrain) -> None:
    brain = make_brain()
    brain.sync()
    result = brain.searcher().search("Gateway")
    assert result.hits == () and result.coverage == "none" and "brain sync" in result.notes[0]


def test_no_brain_is_an_error_with_the_remedy(tmp_path: object) -> None:
    with pytest.raises(NotFoundError, match="brain sync"):
        Searcher.open(load(data_dir=f"{tmp_path}/nothing"))


def test_a_query_of_many_words_says_how_many_count(small: Brain) -> None:
    result = small.searcher().search(" ".join(f"wort{i:03}" for i in range(70)) + " Gateway", mode="lexical")
    assert any("first 64 words" in note for note in result.notes)
    nothing = small.searcher().search("kaiserpinguin before:never", mode="lexical")
    assert "wants a date" in nothing.notes[0] and "any of these words" in nothing.notes[1]


def test_search_is_deterministic(small: Brain) -> None:
    first, second = (small.searcher().search("Sicherung Gateway queue", explain=True) for _ in range(2))
    assert [dataclasses.asdict(h) for h in first.hits] == [dataclasses.asdict(h) for h in second.hits]


def test_many_hits_can_be_asked_for(make_brain: MakeBrain) -> None:
    brain = make_brain({f"n{i:03}.md": f"Der Ordner {i} steht im Regal {i * 7}.\n" for i in range(150)})
    brain.sync()
    assert len(brain.ids("Ordner Regal", top=120)) == 120
    assert brain.ids("Regal 700", top=1) == ["n100.md"]
