from __future__ import annotations

import pytest

from brain_assets.text import sentences, words


@pytest.mark.parametrize(
    ("forms", "folded"),
    [
        (("Größe", "Groesse", "Grösse", "GRÖSSE"), "grosse"),
        (("Straße", "Strasse"), "strasse"),
        (("über", "ueber", "Über"), "uber"),
        (("café",), "cafe"),
        (("Mu\u0308ll", "Müll", "Muell"), "mull"),
    ],
)
def test_spellings_fold_to_one(forms: tuple[str, ...], folded: str) -> None:
    assert {words.fold(form) for form in forms} == {folded}


@pytest.mark.parametrize("word", ["neue", "quelle", "bauen", "queue"])
def test_digraphs_that_are_no_umlaut_stay(word: str) -> None:
    assert words.fold(word) == word


def test_stems_meet() -> None:
    assert words.stem("Verbindungen", "de") == words.stem("Verbindung", "de")
    assert words.stem("connections", "en") == words.stem("connection", "en")
    assert words.stem("Größe", "fr") == "grosse"


def test_tokens_keep_identifiers_whole() -> None:
    assert words.tokens("ERR_CONN v1.2.3 10.0.0.1 a@b.example /etc/nginx KB-1003") == [
        "ERR_CONN", "v1.2.3", "10.0.0.1", "a@b.example", "etc/nginx", "KB-1003",
    ]  # fmt: skip


def test_content_words_leave_out_stop_words_of_both_languages() -> None:
    assert words.content_words("Das ist der Tunnel and this is a gateway x") == ["Tunnel", "gateway"]
    assert words.content_stems("Die Verbindungen", "de") == {words.stem("Verbindung", "de")}


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences.split(text)]


def test_sentences_are_verbatim_with_offsets() -> None:
    text = "# Titel\n\nErster Satz. Zweiter Satz,\nüber zwei Zeilen! Dritter?\n\n- Punkt eins\n- Punkt zwei. Mehr.\n"
    found = sentences.split(text)
    assert [text[s.start : s.end] for s in found] == [s.text for s in found]
    assert texts(text) == [
        "# Titel", "Erster Satz.", "Zweiter Satz,\nüber zwei Zeilen!", "Dritter?", "- Punkt eins", "- Punkt zwei.",
        "Mehr.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Am 1. Mai beginnt es.", "Das gilt z. B. für Drucker.", "See e.g. the manual.", "Dr. Meier kommt.",
        "Version 1.2.3 ist da.", "Das kostet ca. 5 Euro.",
    ],
)  # fmt: skip
def test_full_stops_that_end_no_sentence(text: str) -> None:
    assert texts(text) == [text]


def test_code_and_tables_are_taken_by_the_line() -> None:
    text = "Vorher. Nachher.\n```bash\nls -l. Echt.\ncd /\n```\n| a | b. c |\n|---|---|\n"
    assert texts(text) == ["Vorher.", "Nachher.", "ls -l. Echt.", "cd /", "| a | b. c |", "|---|---|"]


@pytest.mark.parametrize("letters", ["QUJD", "a", "gateway", "Ä"])
def test_encoded_data_is_taken_for_no_compound(letters: str) -> None:
    """Trying each cut of a pasted key of 100,000 letters took hours and 9 GB, and many calls inside each other."""
    from brain_assets.graph import wording
    from brain_assets.research import lexicon
    from brain_assets.think import forms

    word = letters * (100_000 // len(letters))
    wording.keys_of("Druckertreiber"), lexicon.parts("Druckertreiber")  # their word lists are read
    before = words.fold.cache_info().misses
    assert len(wording.keys_of(word)) == 1
    assert forms._splits(words.fold(word)) == ()
    assert lexicon.parts(word) == ()
    assert words.fold.cache_info().misses - before < 50
