"""Contradictions between two entries: what fires, and what must not."""

from __future__ import annotations

import pytest

from brain_assets.graph import contradictions, polarity, statements
from brain_assets.graph.wordvectors import WordVectors
from brain_assets.model.entry import Entry
from brain_assets_tests.graph.brains import note
from brain_assets_tests.graph.cases import CASES, Case

_HARD_TO_FIND = {
    "runtime version", "vaccination proof", "meter readings", "sick note", "room booking", "dicom port", "response time",
    "controller address", "cash",
}  # fmt: skip
"""Real contradictions whose words the encoder does not bring together; they are counted, not demanded one by one."""
_FALSE = {"other attribute"}


@pytest.fixture(scope="module")
def words() -> WordVectors:
    return WordVectors()


def _entry(name: str, title: str, body: str) -> Entry:
    status = None
    if title.endswith("}"):
        title, _, status = title[:-1].rpartition(" {")
    return note(name, body, title=title, status=status)


def _found(case: Case, words: WordVectors) -> list[contradictions.Contradiction]:
    a, b = _entry("a", case.a_title, case.a), _entry("b", case.b_title, case.b)
    return contradictions.between(a, b, words=words)


@pytest.mark.parametrize("case", [c for c in CASES if c.kind and c.name not in _HARD_TO_FIND], ids=lambda c: c.name)
def test_a_contradiction_is_found(case: Case, words: WordVectors) -> None:
    [top, *_] = _found(case, words)
    assert top.kind == case.kind
    assert any(top.a_quote in line for line in case.a.split("\n"))
    assert any(top.b_quote in line for line in case.b.split("\n"))
    assert top.subject
    assert 0.5 < top.confidence <= 1


@pytest.mark.parametrize("case", [c for c in CASES if not c.kind and c.name not in _FALSE], ids=lambda c: c.name)
def test_what_only_looks_like_one_is_none(case: Case, words: WordVectors) -> None:
    assert _found(case, words) == []


def test_precision_and_recall_over_all_cases(words: WordVectors) -> None:
    found = {c.name: bool(_found(c, words)) for c in CASES}
    right = sum(found[c.name] for c in CASES if c.kind)
    assert right / max(1, sum(found.values())) >= 0.9
    assert right / sum(1 for c in CASES if c.kind) >= 0.6


@pytest.mark.parametrize("case", [c for c in CASES if c.kind], ids=lambda c: c.name)
def test_both_orders_say_the_same(case: Case, words: WordVectors) -> None:
    a, b = _entry("a", case.a_title, case.a), _entry("b", case.b_title, case.b)
    one = {c.id: c for c in contradictions.between(a, b, words=words)}
    other = {c.id: c for c in contradictions.between(b, a, words=words)}
    assert one.keys() == other.keys()
    for name, found in one.items():
        assert (found.a_quote, found.b_quote) == (other[name].b_quote, other[name].a_quote)


def test_without_vectors_the_table_bridges_the_languages() -> None:
    a = note("Regeln", "Kennwörter müssen mindestens 16 Zeichen lang sein.\n", title="Kennwortregeln")
    b = note("Rules", "Passwords must have at least 10 characters.\n", title="Password rules")
    [found] = contradictions.between(a, b)
    assert (found.kind, found.a_value, found.b_value) == ("number", "16 Zeichen", "10 characters")


def test_how_a_connection_is_secured_does_not_tell_two_ports_of_one_service_apart() -> None:
    a = note("Verzeichnis", "Der Verzeichnisdienst (LDAP) nutzt Port 389 mit STARTTLS.\n", title="Verzeichnisserver")
    b = note("Scanner", "Directory lookup (LDAP) uses port 636 with TLS.\n", title="Address book on the scanner")
    [found] = contradictions.between(a, b)
    assert (found.a_value, found.b_value) == ("Port 389", "port 636")
    other = note("Kalender", "The calendar (CalDAV) uses port 8443 with TLS.\n", title="Calendar on the scanner")
    assert contradictions.between(a, other) == []


def test_the_newer_side_is_named() -> None:
    import datetime as dt

    a = note("a", "Der Tank fasst 800 Liter.\n", title="Tank", date=dt.date(2026, 1, 1))
    b = note("b", "Der Tank fasst 900 Liter.\n", title="Tank", date=dt.date(2026, 9, 1))
    [found] = contradictions.between(a, b)
    assert found.newer == b.id


def test_an_id_stays_while_kind_and_values_stay() -> None:
    a = note("a", "Der Tank fasst 800 Liter.\n", title="Tank")
    b = note("b", "Der Tank fasst 900 Liter.\n", title="Tank")
    c = note("b", "Neu geschrieben: Der Tank im Keller fasst 900 Liter.\n", title="Tank")
    assert [f.id for f in contradictions.between(a, b)] == [f.id for f in contradictions.between(a, c)]


def test_two_quotes_that_say_the_same_are_one_finding() -> None:
    a = note("a", "Der Tank fasst 800 Liter.\n\nMan merke sich: Der Tank fasst 800 Liter.\n", title="Tank")
    b = note("b", "Der Tank fasst 900 Liter.\n", title="Tank")
    assert len(contradictions.between(a, b)) == 1


def test_an_entry_does_not_contradict_itself() -> None:
    a = note("a", "Der Tank fasst 800 Liter. Der Tank fasst 900 Liter.\n")
    assert contradictions.between(a, a) == []


def test_a_part_of_an_entry_is_not_taken_for_the_whole() -> None:
    whole = note("a", "Der Tank fasst 800 Liter.\n\nDer Tank ist blau.\n", title="Tank")
    other = note("b", "Der Tank fasst 900 Liter.\n", title="Tank")
    part = whole.model_copy(update={"body": "Der Tank ist blau.\n"})
    assert contradictions.between(part, other) == []
    assert len(contradictions.between(whole, other)) == 1
    assert contradictions.between(part, other) == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\n\n\n",
        "😀 🎉",
        "```\nPort 25\n```",
        "| a | b |\n|---|---|\n",
        "# Nur eine Überschrift",
        "- [ ]",
        "[[x]]",
        "\x00",
    ],
)
def test_odd_texts_are_compared_without_a_complaint(body: str) -> None:
    other = note("b", "Der Dienst läuft auf Port 25 und ist nicht erreichbar.\n")
    assert contradictions.between(note("a", body), other) == []


def test_a_table_of_ten_thousand_rows_is_bounded() -> None:
    rows = "\n".join(f"| Gerät {n} | 198.51.100.{n % 250} | {n} MB |" for n in range(10_000))
    table = note("table", f"| Gerät | Adresse | Größe |\n|---|---|---|\n{rows}\n")
    assert len(statements.of(table)) <= statements.MAX_STATEMENTS
    contradictions.between(table, note("b", "Gerät 7 hat die Adresse 198.51.100.9.\n"))


@pytest.mark.parametrize(
    ("clause", "state"),
    [
        ("Hunde sind nicht erlaubt", ("allow", -1)), ("dogs are allowed", ("allow", 1)),
        ("Anwender haben dafür keine Rechte", ("allow", -1)), ("must not be archived", ("allow", -1)),
        ("ein Antrag ist nicht erforderlich", ("require", -1)), ("a ticket is required", ("require", 1)),
        ("nur über VPN erreichbar", ("require", 1)), ("wird automatisch angelegt", ("automatic", 1)),
        ("by hand", ("automatic", -1)), ("has not been set up yet", ("active", -1)),
        ("ist abgeschaltet", ("active", -1)), ("akzeptiert keine Token mehr", ("accept", -1)),
    ],
)  # fmt: skip
def test_what_a_clause_affirms(clause: str, state: tuple[str, int]) -> None:
    assert state in polarity.of(clause).states


@pytest.mark.parametrize("clause", ["nicht nur am Montag", "no longer than two days", "kein Problem, es ist erlaubt"])
def test_phrases_that_negate_nothing(clause: str) -> None:
    assert not polarity.of(clause).negated


def test_a_pronoun_stands_for_what_was_spoken_of() -> None:
    body = "Kiefer ist unser Cluster. Er läuft mit Kubernetes 1.33.5.\n"
    [statement] = [s for s in statements.of(note("k", body)) if s.values]
    assert "Kiefer" in [t.text for t, _ in statement.subject]


def test_quotes_are_verbatim_parts_of_a_line() -> None:
    body = (
        "# Kopf\n\nErster Satz mit 3 Litern. Zweiter Satz,\nder weitergeht mit 5 Litern.\n\n- Punkt: 7 Liter\n"
        "> [!note] Achtung: 9 Liter\n\n| Was | Wert |\n|---|---|\n| Tank | 11 Liter |\n"
    )
    quotes = {s.quote for s in statements.of(note("q", body)) if s.values}
    assert len(quotes) == 5
    assert all(any(q in line for line in body.split("\n")) for q in quotes)
