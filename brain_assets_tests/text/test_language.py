from __future__ import annotations

import pytest

from brain_assets.text import language, ngrams


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Der Tunnel wird mit einem Zertifikat aufgebaut.", "de"),
        ("The tunnel is set up with a certificate.", "en"),
        ("Größe", "de"),
        ("Drucker Warteschlange leeren", "de"),
        ("printer queue clearing", "en"),
        ("Verbindungsabbruch beheben", "de"),
        ("backup restore schedule weekly", "en"),
        ("", "en"),
        ("12345 !!", "en"),
    ],
)
def test_detect(text: str, expected: str) -> None:
    assert language.detect(text) == expected


def test_the_default_decides_where_stop_words_do_not() -> None:
    assert language.detect("nginx 1.25", "de") == "de" and language.detect("nginx 1.25", "en") == "en"
    assert language.detect("12", "de") == "de"
    assert language.detect("Das ist ein Satz und kein Code", "en") == "de"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Passwortrichtlinie Mindestlänge", "de"),
        ("minimum password length employee", "en"),
        ("Wie lange dauert es?", "de"),
        ("How long does it take?", "en"),
        ("Sicherung wiederherstellen", "de"),
        ("restore deleted mailbox", "en"),
    ],
)
def test_queries_of_few_words(query: str, expected: str) -> None:
    assert language.detect_query(query, "de") == language.detect_query(query, "en") == expected


@pytest.mark.parametrize("query", ["", "0x8A12", "192.0.2.1", "VPN", "TCP/IP"])
def test_a_query_that_could_be_either_takes_the_default(query: str) -> None:
    assert language.detect_query(query, "de") == "de" and language.detect_query(query, "en") == "en"


def test_the_table_is_what_the_sample_gives() -> None:
    texts = {"de": ["schrank schranke schräge schuh schule"], "en": ["the thin thing thick through"]}
    table = ngrams.estimate(texts)
    assert table[" sch"] > 0 > table[" th"] and ngrams.estimate(texts) == table
    assert "schr" in table and all(2 <= len(gram) <= 4 for gram in table)
