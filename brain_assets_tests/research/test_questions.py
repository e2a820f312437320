"""Questions and queries: what is kept, what is translated, what never leaves the machine, how a budget is shared."""

from __future__ import annotations

import pytest

from brain_assets.model.synthesis import GapQuestion
from brain_assets.research import answers, concepts, lexicon, questions, versions
from brain_assets.research.concepts import Text
from brain_assets.research.questions import Question, plan, query, safe


def gap(text: str, term: str = "", gap_id: str = "g") -> GapQuestion:
    return GapQuestion(id=gap_id, question=text, critical=True, term=term)


def asked(text: str, *sources: str, title: str = "", term: str = "") -> list[Question]:
    about = questions.subject(title, (), sources, [gap(text, term)])
    return questions.split(gap(text, term), about, sources)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Mit welchem Befehl prüft man die Kette?", "command"),
        ("Which command shows the queue?", "command"),
        ("Was tun bei E-17?", "remedy"),
        ("Was ist bei dieser Störung zu tun: Drucker?", "remedy"),
        ("Wie wird E-17 behoben?", "remedy"),
        ("How is error 502 fixed?", "remedy"),
        ("What does E-17 mean?", "meaning"),
        ("Was bedeutet E-17?", "meaning"),
        ("Warum startet der Dienst nicht?", "cause"),
        ("Why does the job fail?", "cause"),
        ("Wie lange bleibt ein Ticket offen?", "value"),
        ("Which port does it use?", "value"),
        ("Wie richtet man das ein?", "procedure"),
        ("How do I enroll a badge?", "procedure"),
        ("Müssen die Clients neu starten?", "statement"),
    ],
)
def test_what_kind_of_answer_is_wanted(text: str, kind: str) -> None:
    assert answers.asked(text) == kind


def test_a_double_question_is_split_and_keeps_its_code() -> None:
    parts = asked("Was bedeutet KD-31 und wie wird es behoben?")
    assert [(p.id, p.asked) for p in parts] == [("g#1", "meaning"), ("g#2", "remedy")]
    assert all(any(c.text == "KD-31" for c in p.items) for p in parts)
    assert [p.id for p in asked("Wie sichert und prüft man die Datenbank?")] == ["g"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Fehler 0x8A30 im Client", "0x8A30"), ("Meldung K-402 kommt", "K-402"), ("error OD2207", "OD2207"),
        ("set proxy_read_timeout", "proxy_read_timeout"), ("`kubectl get pods` hilft", "kubectl get pods"),
        ("8A30 seit heute", "8A30"), ("ORA-00942 on import", "ORA-00942"),
    ],
)  # fmt: skip
def test_codes_are_recognised(text: str, code: str) -> None:
    assert code in [c.text for c in concepts.of(text, "de") if c.kind == "code"]


@pytest.mark.parametrize(
    ("question", "language", "text", "word"),
    [
        ("Wie schaltet man das ab?", "de", "Turn off the switch", "abschalten"),
        ("Wie stellt man Dateien wieder her?", "de", "restore a file", "wiederherstellen"),
        ("Wird der Absender zurückgehalten?", "de", "The message is in quarantine", "zurückgehalten"),
        ("Wie leert man die Druckwarteschlange?", "de", "empty the print queue", "Druckwarteschlange"),
        ("How do I disable the port?", "en", "Den Port abschalten", "disable"),
        ("Wie groß ist der Schreibpuffer?", "de", "the write buffer", "Schreibpuffer"),
    ],
)
def test_words_are_found_in_the_other_language(question: str, language: str, text: str, word: str) -> None:
    concept = next(c for c in concepts.of(question, language) if c.text == word)
    assert Text(text).degree(concept) > 0.5


def test_codes_match_however_they_are_written() -> None:
    for code, text in (("0x8A30", "Fehler 8A30"), ("K-402", "K402"), ("KD_31", "kd-31"), ("K-402", "Fehler K-402:")):
        concept = next(c for c in concepts.of(f"Fehler {code}", "de") if c.kind == "code")
        assert Text(text).has(concept), (code, text)
    concept = next(c for c in concepts.of("Fehler K-402", "de") if c.kind == "code")
    assert not Text("Fehler K-4021 und 402").has(concept)


def test_phrases_need_their_order() -> None:
    concept = next(c for c in concepts.of("Wie groß ist das Speicherleck?", "de") if c.text == "Speicherleck")
    assert Text("a memory leak in the worker").has(concept)
    assert not Text("leak of the roof, out of memory").has(concept)


def test_opposites_and_actions() -> None:
    assert (
        lexicon.actions("abgeschaltet", "de") and lexicon.actions("raise", "en") and not lexicon.actions("Port", "de")
    )
    assert ("enabl",) in lexicon.opposite_forms("abschalten", "de")
    assert lexicon.opposite_forms("prüfen", "de") == frozenset()


def test_queries_keep_codes_products_and_versions_in_both_languages() -> None:
    source = "Gesichert wird mit Kelda Backup 7.2. KD-31 heißt: Warteschlange voll."
    one = asked("Mit welchem Befehl leert man bei KD-31 die Warteschlange?", source)[0]
    german, english = query(one, "de", 0), query(one, "en", 0)
    assert german == "Kelda leert KD-31 Warteschlange Befehl" or set(german.split()) == {
        "Kelda", "KD-31", "leert", "Warteschlange", "Befehl",
    }  # fmt: skip
    assert {"Kelda", "KD-31", "queue", "command"} <= set(english.split())
    variants = {query(one, language, variant) for language in ("de", "en") for variant in range(questions.VARIANTS)}
    assert len(variants - {""}) >= 5
    assert all("KD-31" in text for text in variants if text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Fehler auf dwh-db1.firma.example.org Port 6432", "Fehler auf Port 6432"),
        ("mail admin@firma.example.org 192.168.1.4 fe80::1:2", "mail"),
        (r"Pfad C:\Users\anna /etc/passwd https://intern/x", "Pfad"),
        ("journald.conf config.yaml ändern", "journald.conf config.yaml ändern"),
        ("K-402 0x8A30 PostgreSQL 16.4 C++", "K-402 0x8A30 PostgreSQL 16.4 C++"),
        ("eins zwei drei vier fünf sechs sieben acht neun zehn", "eins zwei drei vier fünf sechs sieben acht neun"),
        ('a "b c" `d`', "a b c d"),
    ],
)
def test_nothing_of_one_s_own_network_leaves_in_a_query(text: str, kept: str) -> None:
    assert safe(text) == kept


def test_a_budget_is_shared_fairly_and_nothing_is_asked_twice() -> None:
    many = [q for n in range(5) for q in asked(f"Wie leert man bei KD-{n}0 die Warteschlange?")]
    many = [Question(f"g{n}", f"g{n}", q.text, q.language, q.asked, q.items, q.names) for n, q in enumerate(many)]
    planned = plan(many, (), 6)
    assert len(planned) == 6 and len({q.id for q, _, _ in planned}) == 5
    assert [language for _, language, _ in planned[:5]] == ["de"] * 5
    used = [text for _, _, text in planned]
    rest = plan(many, used, 20)
    assert not {text for _, _, text in rest} & set(used)
    assert plan(many, (), 0) == []
    swapped = [" ".join(reversed(text.split())) for text in used]
    assert not {text for _, _, text in plan(many, swapped, 5)} & set(used), "another order of words is no new query"


def test_later_rounds_use_other_words_until_there_are_none() -> None:
    one = asked("Mit welchem Befehl leert man bei KD-31 die Warteschlange?", "Kelda 7.2 KD-31")
    used: list[str] = []
    for variant in range(6):
        planned = plan(one, used, 6, first_variant=min(variant, questions.VARIANTS - 1))
        used.extend(text for _, _, text in planned)
    assert len(used) == len(set(used)) >= 5
    assert plan(one, used, 6, first_variant=questions.VARIANTS - 1) == []


def test_a_model_s_queries_are_checked() -> None:
    one = asked("Mit welchem Befehl leert man bei KD-31 die Warteschlange?")
    proposals = {"g": [("de", "Kelda KD-31 leeren"), ("en", "how to cook jam"), ("fr", "KD-31")]}
    assert questions.with_proposals(one, proposals)[0].proposed == (("de", "Kelda KD-31 leeren"),)


IN_USE = versions.stated("Gesichert wird mit Kelda Backup 11.2.", ["Kelda"])


@pytest.mark.parametrize(
    ("url", "title", "text", "verdict"),
    [
        ("https://x/11/a", "Kelda Backup 11", "", "right"),
        ("https://x/a", "Kelda Backup 8", "", "wrong"),
        ("https://x/v8/a", "Kelda", "", "wrong"),
        ("https://x/a", "Kelda", "Gültig für Kelda 11.0 bis 11.4.", "right"),
        ("https://x/a", "Kelda", "Gilt für Kelda 9 bis 10.", "wrong"),
        ("https://x/a", "Kelda", "Applies to Kelda Backup 8 and later.", "right"),
        ("https://x/a", "Kelda", "Ab Version 12 verfügbar.", "wrong"),
        ("https://x/a", "Kelda 8", "Gültig für Kelda 8 bis 12.", "right"),
        ("https://x/a", "Kelda 8", "Ab Version 10 gibt es das Werkzeug nicht mehr.", "wrong"),
        ("https://x/a", "Kelda Cloud 3", "Text.", "unknown"),
        ("https://x/a", "Kelda", "Dauert 8 Stunden, Port 9000, Seite 12.", "unknown"),
        ("https://x/2019/a", "Kelda", "Seit 2019 stabil.", "unknown"),
        ("https://x/a", "Otherware 8", "Version 8 von Otherware.", "unknown"),
    ],
)
def test_pages_of_another_version_are_told_apart(url: str, title: str, text: str, verdict: str) -> None:
    outside, inside = versions.of_page(url, title, text, ["Kelda"])
    assert versions.verdict(outside, inside, IN_USE) == verdict


def test_products_are_names_with_versions_or_mixed_case() -> None:
    text = "Kelda Backup 11.2 sichert PostgreSQL 16.4 über PgBouncer auf Port 6432, 48 Stunden, Fehler 17, Raum 3."
    assert set(versions.products([text])) == {"Kelda", "PostgreSQL", "PgBouncer"}


def test_names_without_versions_get_them_from_elsewhere() -> None:
    wanted = [gap("Mit welchem Befehl leert man bei KD-31 die Warteschlange?")]
    about = questions.subject("Kelda-Störungen", (), ["KD-31 in Kelda"], wanted)
    assert about.in_use == ()
    possible = questions.possible_names("Kelda-Störungen", (), ["KD-31 in Kelda"], wanted)
    assert "Kelda" in possible and "Befehl" not in possible
    wider = questions.widened(about, possible, ["Auf k01 läuft Kelda 7.2, Handbuch Seite 9."])
    assert "Kelda" in wider.names and [s.low for s in wider.in_use] == [(7, 2)]
