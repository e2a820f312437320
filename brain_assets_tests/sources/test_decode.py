from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_assets.sources.decode import NotTextError, clean, decode, file_name, printable


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf8_comes_back_as_nfc(text: str) -> None:
    assert decode(text.encode()).text == clean(text)


@given(st.binary(max_size=400))
def test_any_bytes_give_storable_text_or_a_reason(data: bytes) -> None:
    try:
        text = decode(data).text
    except NotTextError as error:
        assert str(error)
        return
    text.encode("utf-8")
    assert "\0" not in text and "\r" not in text


def test_windows_1252_is_told_and_kept() -> None:
    found = decode("Größe „gut“ 5 €".encode("cp1252"))
    assert (found.text, found.encoding) == ("Größe „gut“ 5 €", "cp1252") and "Windows-1252" in found.problems[0]


def test_utf8_with_a_few_other_bytes_keeps_its_umlauts() -> None:
    found = decode("Größe ".encode() + b"\xe4\xf6" + " Straße".encode())
    assert (found.text, found.encoding) == ("Größe äö Straße", "utf-8")


def test_broken_utf16_is_told() -> None:
    found = decode(b"\xff\xfe" + "Text".encode("utf-16-le") + b"\x00\xd8")
    assert found.text.startswith("Text") and found.problems


@pytest.mark.parametrize("marks", ["\u0316\u0301", "\u0301", "\U0001d165"])
def test_runs_of_combining_marks_cost_no_more_than_other_text(marks: str) -> None:
    started = time.process_time()
    text = clean("a" + marks * 300_000 + " Größe")
    assert time.process_time() - started < 5
    assert text.endswith(" Größe") and len(text) < 100


def test_surrogates_never_survive() -> None:
    assert clean("a\ud83d\ude00b") == "a😀b"
    clean("a\ud800b→").encode("utf-8")


def test_file_names_of_other_encodings() -> None:
    raw = "Gr\udcf6\udcdfe.md"
    assert file_name(raw) == "Größe.md"
    assert printable(raw) == "Gr\\udcf6\\udcdfe.md"
    assert file_name("U\u0308bersicht.md") == "Übersicht.md"
