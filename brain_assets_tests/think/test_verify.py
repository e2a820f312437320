from __future__ import annotations

import pytest

from brain_assets.model.entry import Entry
from brain_assets.think.statements import statements
from brain_assets.think.verify import bears, citations, claims, denies

GERMAN = """Das Zertifikat von `vpn.speiche.example.org` läuft am 14. Februar 2027 ab. Der
Tausch ist am 21. Januar 2027.

Die Konten der Aushilfen sind davon nicht betroffen. Es läuft Version 3.2.1 der Kassensoftware Zahlwerk.

Die Kaution beträgt 80 Euro. Ein Code gilt 24 Stunden."""
ENGLISH = """Access ends after 90 days unless the sponsor renews it. External partners do not get the Nordwall client.

The key is kept by Marek Osei. The lift carries at most 45 kg."""


def source(body: str, language: str) -> list[object]:
    return statements(
        Entry(
            id="note:a.md", kind="note", path="a.md", title="Anlage", body=body, language=language, content_digest="",
            text_digest="",
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "language", "body", "reason"),
    [
        ("Das Zertifikat läuft am 14.02.2027 ab.", "de", GERMAN, ""),
        ("Das Zertifikat läuft am 15.02.2027 ab.", "de", GERMAN, "number"),
        ("The certificate of vpn.speiche.example.org expires on 14 February 2027.", "en", GERMAN, ""),
        ("Das Zertifikat von vpn.rad.example.org läuft am 14. Februar 2027 ab.", "de", GERMAN, "number"),
        ("Die Konten der Aushilfen sind betroffen.", "de", GERMAN, "negation"),
        ("Die Konten der Aushilfen sind nicht betroffen.", "de", GERMAN, ""),
        ("Es läuft Version 3.3.1 der Kassensoftware Zahlwerk.", "de", GERMAN, "number"),
        ("Die Kaution beträgt 80 Euro.", "de", GERMAN, ""),
        ("Die Kaution beträgt 80 Dollar.", "de", GERMAN, "number"),
        ("Ein Code gilt einen Tag.", "de", GERMAN, ""),
        ("Ein Code gilt 24 Minuten.", "de", GERMAN, "number"),
        ("Der Fuhrpark umfasst neun Lastwagen aus Kassel.", "de", GERMAN, "words"),
        ("Der Zugang endet nach 90 Tagen, wenn der Sponsor ihn nicht verlängert.", "de", ENGLISH, ""),
        ("Der Zugang endet nach 30 Tagen.", "de", ENGLISH, "number"),
        ("Externe Partner bekommen den Nordwall-Client.", "de", ENGLISH, "negation"),
        ("Access ends after 90 days unless Jonas renews it.", "en", ENGLISH, "name"),
        ("The key is kept by Marek Osei.", "en", ENGLISH, ""),
        ("The lift carries at most 54 kg.", "en", ENGLISH, "number"),
    ],
)
def test_numbers_dates_units_names_and_negation_must_agree(claim: str, language: str, body: str, reason: str) -> None:
    verdict = bears(claim, language, source(body, "de" if body is GERMAN else "en"))  # type: ignore[arg-type]
    assert (verdict.supported, verdict.reason) == (not reason, reason), verdict


def test_a_word_that_stands_in_another_source_shows_a_wrong_citation() -> None:
    said = source("Der Schlüssel hängt neben der Tür der Scheune.", "de")
    claim = "Der Schlüssel hängt neben der Tür der Garage."
    assert bears(claim, "de", said).supported  # type: ignore[arg-type]
    other = frozenset().union(*(s.keys for s in source("Die Garage hat eine Tür.", "de")))  # type: ignore[attr-defined]
    assert bears(claim, "de", said, elsewhere=other).reason == "name"  # type: ignore[arg-type]


def test_meaning_stands_in_for_words_across_languages_only() -> None:
    said = source("Der Antrag muss vorab schriftlich beim Ordnungsamt eingereicht werden.", "de")
    claim = "The request has to be handed in on paper first."
    assert not bears(claim, "en", said).supported  # type: ignore[arg-type]
    near = bears(claim, "en", said, similarity=lambda a, b: 0.7)  # type: ignore[arg-type]
    far = bears(claim, "en", said, similarity=lambda a, b: 0.3)  # type: ignore[arg-type]
    assert near.supported
    assert not far.supported
    native = bears("Ganz andere Worte stehen hier geschrieben.", "de", said, similarity=lambda a, b: 0.9)  # type: ignore[arg-type]
    assert not native.supported


def test_citations_are_read_in_every_way_models_write_them() -> None:
    assert citations("A [1]. B [2, 3] and [4-6] [1]") == (1, 2, 3, 4, 5, 6)
    assert citations("array[0] and [x] and [1999999]") == (0,)
    found = claims("Erster Satz. [1] Zweiter Satz [2][3].\n\n- Punkt eins [1]\n- Punkt zwei, offen\n")
    assert [(c.text, c.cited) for c in found] == [
        ("Erster Satz.", (1,)),
        ("Zweiter Satz.", (2, 3)),
        ("Punkt eins", (1,)),
        ("Punkt zwei, offen", ()),
    ]


@pytest.mark.parametrize(
    ("a", "b", "denied"),
    [
        ("Das ist erlaubt.", "Das ist verboten.", True),
        ("Das ist erlaubt.", "Das ist nicht erlaubt.", True),
        ("It is not needed.", "Das ist nicht nötig.", False),
        ("Er bleibt, wenn niemand klagt.", "It stays unless someone complains.", False),
    ],
)
def test_denial_is_seen_across_words_and_languages(a: str, b: str, denied: bool) -> None:
    assert denies(a, b) is denied
