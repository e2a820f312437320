"""Which statements make an answer, and which only repeat the question or speak of something else."""

from __future__ import annotations

import pytest

from brain_assets.sources.kb import read_file
from brain_assets.sources.vault import read_note
from brain_assets.think import extractive
from brain_assets.think.aspects import parse
from brain_assets.think.statements import statements

KB_ENTRY = """{"id": "KB-7", "title": "Display of the bike lift stays dark",
 "text": "The display of the bike lift stays dark after switching on.",
 "answer": "Pull the plug of the bike lift for ten seconds. The display comes back within a minute.",
 "auto_reply": false, "min_score": 0.8, "categories": [], "keywords": [], "source": "", "source_uri": "",
 "language": "en-US", "communication_style": "formal"}"""
CODES = """# Fehlercodes der Hebebühne

| Code | Bedeutung |
|---|---|
| E12 | Klemme offen |
| E17 | Ölstand niedrig |
| E23 | Not-Aus gedrückt |

Der Code E17 kommt oft nach langem Stehen.
"""


def entry_of(text: str, name: str = "Note.md") -> object:
    return read_note(name, text.encode(), 0)


def test_what_only_states_the_problem_does_not_lead() -> None:
    (item,) = read_file("KB-7.json", KB_ENTRY.encode())
    assert item.entry is not None
    said = statements(item.entry)
    assert [s.problem for s in said] == [True, False, False]
    picked = extractive.select(parse("display of the bike lift stays dark", "en"), {1: said}, prior={1: 1.0})
    assert max(picked, key=lambda p: p.score).statement.text.startswith("Pull the plug")


@pytest.mark.parametrize("heading", ["Problem", "Symptom", "Fehlerbild", "The problem", "Question"])
def test_what_stands_under_such_a_heading_is_the_problem(heading: str) -> None:
    entry = entry_of(f"# Lift\n\n## {heading}\n\nThe lift shakes.\n\n## Lösung\n\nOil it.\n")
    assert [s.problem for s in statements(entry)] == [True, False]  # type: ignore[arg-type]


def test_of_a_table_of_codes_only_the_asked_row_answers() -> None:
    said = statements(entry_of(CODES))  # type: ignore[arg-type]
    picked = extractive.select(parse("Was bedeutet der Code E17 der Hebebühne?", "de"), {1: said}, prior={1: 1.0})
    text = extractive.as_text(picked)
    assert "Ölstand niedrig" in text
    assert "Klemme offen" not in text
    assert "Not-Aus" not in text


def test_a_list_that_only_mentions_the_name_stays_together() -> None:
    note = "# Wechsel auf G17\n\nVor dem Wechsel auf G17:\n\n- Öl ablassen\n- Freigabe für G17\n- Klemmen prüfen\n"
    said = statements(entry_of(note))  # type: ignore[arg-type]
    text = extractive.as_text(
        extractive.select(parse("Was ist vor dem Wechsel auf G17 zu tun?", "de"), {1: said}, prior={1: 1.0})
    )
    assert "Öl ablassen" in text
    assert "Klemmen prüfen" in text


def test_an_answer_to_a_stated_problem_is_shown_though_it_repeats_no_word_of_it() -> None:
    entry = KB_ENTRY.replace("Pull the plug of the bike lift for ten seconds. The display comes back within a minute.",
                             "Pull the plug for ten seconds. Then wait a minute.")  # fmt: skip
    (item,) = read_file("KB-7.json", entry.encode())
    assert item.entry is not None
    question = parse("bike lift stays dark after switching on", "en")
    text = extractive.as_text(extractive.select(question, {1: statements(item.entry)}, prior={1: 1.0}))
    assert "Pull the plug" in text


@pytest.mark.parametrize(
    "line",
    ["Moin zusammen,", "Hallo Jörn,", "Dear colleagues,", "Viele Grüße", "Best regards", "Gruß Hilke",
     "Von: Hilke An: Werkstatt Betreff: AW: Bremsen"],
)  # fmt: skip
def test_heads_and_greetings_of_letters_say_nothing(line: str) -> None:
    assert statements(entry_of(f"# Brief\n\n{line}\n"))[0].pointer  # type: ignore[arg-type]


@pytest.mark.parametrize("line", ["Von der Werkstatt kommt niemand.", "Hallo Welt ist das erste Programm: es druckt."])
def test_sentences_that_begin_alike_do(line: str) -> None:
    assert not statements(entry_of(f"# Brief\n\n{line}\n"))[0].pointer  # type: ignore[arg-type]


def test_the_day_that_is_asked_about_counts_however_it_is_written() -> None:
    note = "# Dienstplan\n\n- 26.11. – Dienst: Matzen\n- 10.12. – Dienst: Janssen\n- 24.12. – Dienst: Brix\n"
    said = statements(entry_of(note))  # type: ignore[arg-type]
    picked = extractive.select(parse("Wer hat ab 10. Dezember Dienst?", "de"), {1: said}, prior={1: 1.0})
    assert "Janssen" in max(picked, key=lambda p: p.score).statement.text


def test_steps_are_never_shown_without_those_before_them() -> None:
    note = "# Ausweis weg\n\nDann:\n\n1. Pforte anrufen.\n2. Ersatzausweis an der Theke holen.\n3. Der Ersatzausweis kostet 15 Euro.\n"
    said = statements(entry_of(note))  # type: ignore[arg-type]
    text = extractive.as_text(extractive.select(parse("Ersatzausweis weg?", "de"), {1: said}, prior={1: 1.0}))
    assert "1. Pforte anrufen." in text
