from __future__ import annotations

import pytest

from brain_assets.retrieval.analysis import (
    ENGLISH,
    EXACT,
    GERMAN,
    Analyses,
    Unit,
    inner_parts,
    marks,
    units,
)


@pytest.fixture(scope="module")
def analyses() -> Analyses:
    return Analyses(["bank", "daten", "druck", "farb", "schema"])


def indexed(analyses: Analyses, text: str) -> tuple[list[str], list[str], list[str]]:
    words = analyses.words(text)
    analyses.learn(set(words))
    found = analyses.terms(words)
    return found.german.split(), found.english.split(), found.exact.split()


@pytest.mark.parametrize("forms", [("Größe", "Groesse", "GRÖßE"), ("Straße", "Strasse"), ("über", "ueber")])
def test_spellings_of_one_german_word_are_one_exact_term(analyses: Analyses, forms: tuple[str, ...]) -> None:
    assert len({tuple(analyses.of(EXACT, form)) for form in forms}) == 1


def test_inflections_are_one_term(analyses: Analyses) -> None:
    assert analyses.of(GERMAN, "Verbindungen") == analyses.of(GERMAN, "Verbindung")
    assert analyses.of(ENGLISH, "connections") == analyses.of(ENGLISH, "connected")[:1] == ["connect"]


def test_a_compound_is_found_by_its_parts(analyses: Analyses) -> None:
    assert analyses.of(GERMAN, "Datenbankschema") == [*analyses.of(GERMAN, "Daten"), "bank", "schema"]
    assert analyses.of(EXACT, "Datenbankschema") == ["datenbankschema"]


def test_what_is_indexed_is_what_a_query_asks_for(analyses: Analyses) -> None:
    text = "Der GatewayTimeout, auf srv0815 (v1.2.3), don't panic: Größe=ERR_CONN_RESET 10.0.0.1 foo@example.org"
    german, english, exact = indexed(analyses, text)
    for word in ("GatewayTimeout", "Gateway", "srv0815", "0815", "panic", "Größe", "RESET", "example"):
        assert set(analyses.of(EXACT, word)) <= set(exact), word
        assert set(analyses.of(GERMAN, word)) <= set(german), word
        assert set(analyses.of(ENGLISH, word)) <= set(english), word


def test_stop_words_are_in_the_exact_terms_only(analyses: Analyses) -> None:
    german, english, exact = indexed(analyses, "Das ist der Tunnel, and this is the tunnel")
    assert german == ["tunnel", "tunnel"] and english == ["tunnel", "tunnel"]
    assert exact == ["das", "ist", "der", "tunnel", "and", "this", "is", "the", "tunnel"]


def test_a_word_that_is_the_fence_itself_does_not_shift_the_others(analyses: Analyses) -> None:
    from brain_assets.retrieval import analysis

    fresh = Analyses([])
    _, _, exact = indexed(fresh, f"alpha {analysis._FENCE} omega")
    assert exact == ["alpha", analysis._FENCE, "omega"]


def test_learning_more_words_than_are_kept_forgets_none_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_assets.retrieval import analysis

    monkeypatch.setattr(analysis, "_MOST_KNOWN", 3)
    fresh = Analyses([])
    assert indexed(fresh, "eins zwei drei")[2] == ["eins", "zwei", "drei"]
    assert indexed(fresh, "eins vier fünf sechs sieben")[2] == ["eins", "vier", "funf", "sechs", "sieben"]


def test_encoded_data_is_no_word_and_endless_words_are_cut(analyses: Analyses) -> None:
    assert analyses.words("vor " + "QUJD" * 2000 + " nach") == ["vor", "nach"]
    cut = analyses.words("x." * 2000)
    assert len(cut) == 4 and all(len(w) <= 1000 for w in cut) and "".join(cut) == "x." * 2000


def test_parts_of_words() -> None:
    assert inner_parts("GatewayTimeout auf srv0815, Version v1.2.3, MySQL") == "Gateway Timeout srv 0815 1.2.3 My SQL"
    assert inner_parts("ganz normaler Text mit 0x8A12 und k8s") == ""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Wie stelle ich den VPN-Tunnel wieder her?", ["stelle", "VPN", "Tunnel"]),
        ("how do I reset it", ["reset"]),
        ("wie ist das", ["wie", "ist", "das"]),
        ("Port 10.0.0.1", ["Port", "10 0 0 1", "10"]),
        ("ERR_CONN_RESET", ["ERR CONN RESET", "ERR", "CONN", "RESET"]),
        ("VPN vpn Vpn", ["VPN"]),
        ("… — !!", []),
    ],
)
def test_units_of_a_query(query: str, expected: list[str]) -> None:
    assert [unit.text for unit in units(query)] == expected


def test_a_version_with_its_letter_asks_for_the_version() -> None:
    assert units("v1.2.3") == units("1.2.3") and units("v1.2.3")[0] == Unit(("1", "2", "3"))


def test_parts_of_identifiers_come_after_the_text_so_that_phrases_hold(analyses: Analyses) -> None:
    _, _, exact = indexed(analyses, "Der GatewayTimeout auf srv0815.example.org:8443 bleibt")
    assert exact[:8] == "der gatewaytimeout auf srv0815 example org 8443 bleibt".split()
    assert {"gateway", "timeout", "0815"} <= set(exact[8:])
    assert analyses.sequence("GatewayTimeout auf srv0815") == ["gatewaytimeout", "auf", "srv0815"]


def test_marks_are_the_words_that_match() -> None:
    text = "Die Verbindungen zum Gateway brechen ab, the connection drops"
    assert [text[a:b] for a, b in marks(text, "verbindung connections")] == ["Verbindungen", "connection"]
