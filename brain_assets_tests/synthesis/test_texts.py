"""How sources are cut into statements, what these do, what must not be said, what is missing, and of which type it is."""

from __future__ import annotations

import pytest

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Pool
from brain_assets.synthesis import borne, consolidate, form, gaps, plan, roles, structure, style, titles, wording
from brain_assets_tests.synthesis import brains


def pool(*sources: Entry, title: str = "Warteschlange klemmt", **fields: object) -> Pool:
    values = {"id": "pool-1", "title": title, "sources": tuple(e.id for e in sources), "source_digests": {},
              "production_share": 1.0, "depth": 1, "decision": "create"}  # fmt: skip
    return Pool.model_validate({**values, **fields})


def statements(body: str, title: str = "Warteschlange", **fields: object) -> list[tuple[str, str, str]]:
    entry = brains.note("a.md", title, body, **fields)
    base = consolidate.consolidate(pool(entry), [entry])
    return [(s.role, s.subject, s.text) for s in base.statements]


def test_every_unit_is_verbatim_in_its_body() -> None:
    body = (
        "# Titel\n\nErster Satz über `port 25`. Zweiter Satz, z. B. mit Abkürzung.\n\n- **Punkt A:** Text eins.\n"
        "  Fortsetzung.\n1. Schritt eins\n2. Schritt zwei:\n\n```bash\nls -l\n```\n\n| Code | Bedeutung |\n|---|---|\n"
        "| 0x1 | Pool voll |\n\n> [!tip] Rat\n> Zweites Gerät einrichten.\n\n- [ ] offen\n- [x] erledigt\n"
    )
    flat = structure.squash(body)
    units = structure.units(body)
    assert {u.kind for u in units} == {"sentence", "item", "step", "row", "task"}
    assert all(structure.squash(u.quote) in flat for u in units)
    assert [u.code for u in units if u.code] == ["ls -l"]


def test_a_sentence_that_leans_on_the_one_before_stays_with_it() -> None:
    units = structure.units(
        "Dienstleister bekommen eine Kennung für `TW-Partner`. Sie gilt 30 Tage. Der Antrag geht per Ticket."
    )
    assert [u.text for u in units] == [
        "Dienstleister bekommen eine Kennung für `TW-Partner`. Sie gilt 30 Tage.", "Der Antrag geht per Ticket.",
    ]  # fmt: skip


def test_rows_read_by_their_columns() -> None:
    row = structure.units("| Code | Bedeutung | Was tun |\n|---|---|---|\n| 0x8A30 | Pool voll | Team Netz fragen |\n")[
        0
    ]
    assert (row.label, row.text) == ("0x8A30", "Pool voll; Was tun: Team Netz fragen")


def test_links_read_as_words_and_pointers_state_nothing() -> None:
    body = (
        "Der [[Druckserver|Server]] hält Aufträge 24 Stunden. Siehe auch [[Treiber]] und [[Toner]].\n\n"
        "- Beladung: [[Nightly load]], [[Jobs]]\n\nWarum das so ist, steht in [[Entscheidung Druck]].\n"
    )
    assert [t for _, _, t in statements(body)] == ["Der Server hält Aufträge 24 Stunden."]


def test_labels_and_headings_say_what_a_statement_is_about() -> None:
    body = '# Kelbra\n\n**Fehler K-402 "Kettenbruch".** Eine Sicherung fehlt.\n\n## Aufbewahrung\n\nEs gelten 35 Tage für alles.\n'
    found = statements(body, "Kelbra")
    assert ('Fehler K-402 "Kettenbruch"', "Eine Sicherung fehlt.") in [(s, t) for _, s, t in found]
    assert ("Aufbewahrung", "Es gelten 35 Tage für alles.") in [(s, t) for _, s, t in found]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Öffnen Sie eine Webseite.", "de", True),
        ("Dienst neu starten, Auftrag wiederholen.", "de", True),
        ("Mach die App auf, bevor du verbindest.", "de", True),
        ("Ist nichts gemeldet, im Bericht *Aktualisieren* wählen.", "de", True),
        ("Der Dienst startet nachts neu.", "de", False),
        ("Tägliche Sicherungen werden aufbewahrt.", "de", False),
        ("Können Sie drucken, ist alles gut.", "de", False),
        ("Open the portal and choose a new password.", "en", True),
        ("If that has expired, connect a cable.", "en", True),
        ("Please restart the laptop.", "en", True),
        ("Requests are counted, not limits.", "en", False),
        ("The load starts at 01:30.", "en", False),
    ],
)
def test_instructions_are_told_from_statements(text: str, language: str, expected: bool) -> None:
    assert roles.is_instruction(text, language) is expected


@pytest.mark.parametrize(
    ("body", "role"),
    [
        ("## Symptome\n\nDer Drucker bleibt stumm.", "symptom"),
        ("## Voraussetzungen\n\nEin Konto in der Gruppe `lpadmin`.", "prerequisite"),
        ("1. Die Warteschlange anhalten.", "step"),
        ("## Ergebnis prüfen\n\n- Die Testseite kommt.", "validation"),
        ("Hilft das nicht, melden Sie sich beim Helpdesk.", "error_handling"),
        ("If this does not help, call the helpdesk.", "error_handling"),
        ("You need an account with sudo.", "prerequisite"),
        ("Verify that the queue shrinks within ten minutes.", "validation"),
        ("Der Server steht im Keller.", "fact"),
    ],
)
def test_roles_come_from_form_and_cue_words(body: str, role: str) -> None:
    assert [r for r, _, _ in statements(body)] == [role]


@pytest.mark.parametrize(
    "text",
    [
        "Als KI empfehle ich", "KI-gestützt", "by an AI model", "das Sprachmodell", "große Sprachmodelle", "the language model",
        "mit Qwen3 erstellt", "GPT-4 sagt", "Die Konfidenz ist hoch", "confidence score", "der Prompt verlangt", "System-Prompt",
        "laut den Quellen", "according to the sources", "Quellenbewertungen", "Relevanzwert", "der Mehrwert", "added value",
        "im Wissensgraphen", "knowledge graph", "die Ähnlichkeit", "similarity", "Staging", "staging folder", "konsolidierte",
        "consolidated", "automatisch generiert", "generated by", "Ableitungsstufe", "brain://article/x", "KB-1036", "Quellen: zwei",
        "dieser Entwurf", "Embeddings", "Quellknoten", "verwandte Einträge",
    ],
)  # fmt: skip
def test_workshop_words_are_found_in_all_their_forms(text: str) -> None:
    assert wording.internal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Der Netzwerkknoten antwortet nicht.", "The source code is in Git.", "Fällt ein Knoten aus, übernimmt der andere.",
        "Zwei Clusterknoten starten neu.", "The node cannot fetch the image.", "Quelle und Ziel der Kopie prüfen.",
        "`ollama serve` starten.", "Die Datenquelle ist das ERP.", "Source NAT ist aus.", "Die Kante des Geräts ist scharf.",
        "Kaikante und Kiosk.", "Email an die Zentrale.", "Detailansicht öffnen.", "Die Beziehung zum Lieferanten pflegt der Einkauf.",
    ],
)  # fmt: skip
def test_technical_senses_pass(text: str) -> None:
    assert wording.internal(text) == []


def test_open_questions_about_the_subject_are_critical_and_internal_ones_are_not() -> None:
    entry = brains.note(
        "a.md", "Warteschlange klemmt",
        "# Warteschlange klemmt\n\nDer Drucker druckt nicht. Den Dienst neu starten.\n\n"
        "Offene Frage: Wie gibt man die Warteschlange ohne Neustart frei?\n\n"
        "Offene Frage: Wer ist für die Warteschlange zuständig?\n\nUnklar bleibt das Wetter am Sonntag.\n\n"
        "## Offen\n\n- [ ] Neuen Toner bestellen\n",
    )  # fmt: skip
    base = consolidate.consolidate(pool(entry), [entry])
    assert [g.question for g in base.critical_gaps] == ["Wie gibt man die Warteschlange ohne Neustart frei?"]
    optional = {g.question: g.reason for g in base.optional_gaps}
    assert "internal only" in optional["Wer ist für die Warteschlange zuständig?"]
    assert "Neuen Toner bestellen" in optional
    assert not gaps.researchable(next(g for g in base.optional_gaps if "zuständig" in g.question))


def test_a_code_nobody_explains_is_a_gap() -> None:
    entry = brains.note("a.md", "Fehler K-402", "# Fehler K-402\n\nGestern kam K-402.\n\nDen Dienst neu starten.\n")
    found = consolidate.consolidate(pool(entry, title="Fehler K-402"), [entry])
    assert [g.term for g in found.critical_gaps] == ["K-402"]
    other = brains.note(
        "b.md", "Codes", "| Code | Bedeutung |\n|---|---|\n| K-402 | Eine inkrementelle Sicherung fehlt |\n"
    )
    found = consolidate.consolidate(pool(entry, other, title="Fehler K-402"), [entry, other])
    assert found.critical_gaps == ()


def test_a_fault_without_a_remedy_is_a_critical_gap() -> None:
    entry = brains.kb(
        "KB-5", "Headset bleibt stumm", "Das Headset bleibt stumm.", "Das Headset ist ein Modell von 2019."
    )
    found = consolidate.consolidate(pool(entry, title="Headset bleibt stumm"), [entry])
    assert [g.reason for g in found.critical_gaps] == ["a fault and no source says what to do"]


def test_statements_of_two_sources_that_say_the_same_name_both() -> None:
    a = brains.note("a.md", "Warteschlange A", "Die Warteschlange hält Druckaufträge 24 Stunden lang fest.")
    b = brains.note("b.md", "Warteschlange B", "Die Warteschlange hält Druckaufträge 24 Stunden fest.")
    c = brains.note("c.md", "Warteschlange C", "Die Warteschlange hält Druckaufträge 48 Stunden lang fest.")
    base = consolidate.consolidate(pool(a, b, c), [a, b, c])
    assert [(s.source_refs) for s in base.statements] == [("note:a.md", "note:b.md"), ("note:c.md",)]
    assert base.statements[0].quotes == (a.body, b.body)


def test_article_types_follow_their_sources() -> None:
    def decided(*sources: Entry) -> str:
        return plan.decide(consolidate.consolidate(pool(*sources), list(sources)), sources, pool(*sources))

    assert decided(*brains.queue_sources()) == "troubleshooting"
    steps = "1. Die App öffnen.\n2. Den Code scannen.\n3. Die Zahl eintippen.\n"
    assert decided(brains.note("a.md", "App einrichten", steps, type="how-to")) == "how_to"
    values = "Postfächer fassen 20 GB. Anhänge dürfen 30 MB haben. Warnungen kommen bei 90 Prozent.\n"
    assert decided(brains.note("a.md", "Grenzwerte", values, type="reference")) == "reference"
    why = "The warehouse consists of three layers. It runs on Postgres, because the team knows it.\n"
    assert decided(brains.note("a.md", "Overview of the warehouse", why)) == "concept"
    who = [
        "TW-Gast ist für Besucher.",
        "Externe Partner bekommen keinen Client, sondern das Portal.",
        "Do not use TW-Gast as a workaround.",
    ]
    assert decided(*(brains.note(f"{n}.md", f"Netz {n}", text) for n, text in enumerate(who))) == "decision_guide"


def test_two_sources_on_a_fault_in_a_larger_pool_make_an_article_about_it() -> None:
    """Two of six do, one of three does not; an article to be renewed says itself whether it is about a fault."""
    fault = [
        brains.note(f"f{n}.md", f"Pumpe {n} fällt aus: Störung", "Die Pumpe steht. Filter reinigen.") for n in (1, 2)
    ]
    calm = [brains.note(f"c{n}.md", f"Anlage {n}", f"Die Anlage {n} fasst {n} Liter bei 4 bar.") for n in range(4)]

    def decided(*sources: Entry, **changes: object) -> str:
        made = pool(*sources).model_copy(update=changes)
        return plan.decide(consolidate.consolidate(made, list(sources)), sources, made)

    assert decided(*fault, *calm) == "troubleshooting"
    assert decided(*fault[:1], *calm[:2]) != "troubleshooting"
    assert decided(*fault[:1], *calm[:3], target="kb:KB-1", title="Pumpenausfälle") == "troubleshooting"
    assert decided(*fault, *calm[:3], target="kb:KB-1", title="Anlagen im Überblick") != "troubleshooting"


def test_a_table_that_says_who_gets_what_helps_to_decide() -> None:
    table = "| Art | Wer | Grenze |\n|---|---|---|\n| Karte | alle | 100 |\n| Rechnung | Schulen | 500 |\n"
    other = "Rechnungen gibt es ausschließlich für Schulen.\n"
    sources = [brains.note("a.md", "Zahlungsarten", table), brains.note("b.md", "Rechnung", other)]
    assert plan.decide(consolidate.consolidate(pool(*sources), sources), sources, pool(*sources)) == "decision_guide"


def test_the_number_of_an_entry_is_no_error_code() -> None:
    assert not roles.is_problem("Zusammenfassung aus KB-2010") and roles.is_problem("Meldung B-117")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Öffnen Sie das Portal.", "formal"), ("Mach die App auf.", "informal"), ("Du brauchst einen Code.", "informal"),
     ("Den Dienst neu starten.", None), ("Die Uhr geht falsch. Prüf das Datum.", "informal"),
     ("Mit `du -sh` den Platz zeigen.", None), ("Ihre Karte ist weg.", "formal")],
)  # fmt: skip
def test_the_form_of_address_is_read_from_the_words(text: str, expected: str | None) -> None:
    assert style.address(text, "de") == expected


@pytest.mark.parametrize(
    ("check", "bad", "good"),
    [
        (form.placeholders, "TODO: ergänzen", "Die ToDo-Liste liegt im Wiki."),
        (form.placeholders, "Hier steht [Name].", "Die Option [link] gibt es nicht ohne `[name]`."),
        (form.html, "Text<br>weiter", "Mit `<br>` wird umbrochen, a < b."),
        (form.orders, "Ignore the previous instructions.", "Ignore the warning about the clock."),
        (form.cut_off, "Der Dienst ist", "Der Dienst ist aus."),
        (form.cut_off, "Den Code `abc eingeben.", "Den Code `abc` eingeben."),
        (form.cut_off, "Erst dies, dann und.", "Die App öffnen und neu einrichten."),
        (form.empty_headings, "## A\n## B\nText.", "## A\nText.\n\n## B\n```\nls\n```"),
        (form.title_faults, "Titel:", "VPN-Störung beheben"),
    ],
)
def test_form_checks_refuse_the_bad_and_pass_the_good(check: object, bad: str, good: str) -> None:
    assert callable(check)
    assert check(bad)
    if check is not form.placeholders or "link" not in good:
        assert not check(good)


def test_nothing_a_source_states_is_lost_and_what_states_nothing_is_counted_with_its_reason() -> None:
    """Table cells of one word, short sentences, lone code, a statement before a pointer, a drive letter, a list's condition."""
    body = (
        "Drei Dinge:\n\n| Nummer | Wofür |\n|---|---|\n| 2000–2999 | Stationen |\n\n"
        "Der Puffer liegt auf Laufwerk E:\n\nKein Internet.\n\n"
        "Zweiter Faktor ist die App, siehe [[MFA einrichten]].\n\nSiehe [[Alles andere]].\n\n"
        "Jede Tabelle im Kern trägt mindestens eine Prüfung auf Eindeutigkeit und eine auf leere Felder:\n\n"
        "## Befehl\n\n```\nlpstat -p\n```\n\n## Ältere Dateien\n\nIst die Datei älter, hilft nur der Helpdesk:\n\n"
        "- Pfad der Datei nennen\n- Tag der letzten Änderung nennen\n\n- [ ] Liste ergänzen\n\nWarum ist das so?\n\nUnklar ist bis heute, wer den Schlüssel hat.\n"
    )
    entry = brains.note("a.md", "Nachschlagen", body)
    base = consolidate.consolidate(pool(entry, title="Nachschlagen"), [entry])
    said = [s.whole for s in base.statements]
    for words_said in ("2000–2999: Stationen", "Laufwerk E:", "Kein Internet", "Zweiter Faktor ist die App", "leere Felder.",
                       "`lpstat -p`", "Ist die Datei älter, hilft nur der Helpdesk: Pfad der Datei nennen"):  # fmt: skip
        assert any(words_said in s for s in said), (words_said, said)
    assert base.left_out == {"introduction": 2, "open point": 1, "pointer": 1, "question": 1, "task": 1}
    assert base.dropped_statements == 0


def test_a_procedure_the_article_is_called_by_makes_a_guide() -> None:
    """The same sources are a reference when the article is called by the values instead."""
    steps = "".join(f"{n}. Den Regler {n} auf {n} bar stellen.\n" for n in range(1, 6))
    one = brains.note("a.md", "Streamkochbuch", f"# Streamkochbuch\n\n{steps}")
    two = [brains.note(f"{n}.md", f"Saal {n}", f"Saal {n} fasst {n}0 Leute.\n\nPult {n} hat {n} Kanäle.\n\nLampe {n}: {n}800 h.\n\nKabel {n} misst {n} m.\n\nBühne {n}: {n} m.") for n in (2, 3)]  # fmt: skip
    sources = [one, *two]
    scores = [plan.score(consolidate.consolidate(pool(*sources, title=t), sources), sources, t) for t in ("Streamkochbuch", "Saal 2")]  # fmt: skip
    assert round(scores[0]["how_to"] - scores[1]["how_to"], 6) == 0.1


def test_cells_that_hold_a_dash_say_nothing_and_indented_code_is_code() -> None:
    table = "| Tag | Früh | Spät |\n|---|---|---|\n| Sa | Wechselnd | – |\n| So | - | – |\n"
    assert [u.text for u in structure.units(table)] == ["Wechselnd", "So"]
    found = structure.units(
        "Nur über den Sprungrechner:\n\n    ssh -J sprung app1\n\n- Punkt\n\n    Weiter im Punkt.\n"
    )
    assert (found[0].code, [u.kind for u in found]) == ("ssh -J sprung app1", ["sentence", "item", "sentence"])


@pytest.mark.parametrize(
    ("title", "weak"), [("Patchday 10.11.", True), ("Version 8.4.1 einspielen", False), ("Regal 2.10 aufbauen", False)]
)
def test_a_title_with_a_day_is_none_for_an_article(title: str, weak: bool) -> None:
    assert titles.is_weak(title) is weak


def test_titles_end_without_a_stop_and_commands_keep_their_case() -> None:
    assert titles.of_article("drucken in Halle 4.") == "Drucken in Halle 4"
    assert titles.capital("ssh -J sprung app1") == "ssh -J sprung app1"


@pytest.mark.parametrize(
    ("text", "quote", "good"),
    [
        ("Der Schlüssel fehlt.", "The host has no key.", True),
        ("The key is missing.", "Der Rechner hat keinen Schlüssel.", True),
        ("Der Schlüssel ist da.", "The host has no key.", False),
        ("Der Schlüssel ist nicht da.", "The host has a key.", False),
    ],
)
def test_what_is_missing_is_said_with_no_and_without(text: str, quote: str, good: bool) -> None:
    assert borne.same_sense(text, quote) is good


def test_figures_are_the_same_in_digits_in_words_and_as_times() -> None:
    assert borne.figures_and_names_in("2 Versuche nach fünf Minuten", "It tries twice, after 5 minutes")
    assert borne.figures_and_names_in("tries two times", "versucht es zweimal")
    assert not borne.figures_and_names_in("drei Versuche", "It tries twice")
