from __future__ import annotations

import hashlib
import random

import pytest

from brain_assets.sources import passages
from brain_assets.sources.passages import split

GERMAN = "Der Dienst wird nachts neu gestartet, weil der Speicher sonst nicht reicht. "
ENGLISH = "The service is restarted at night because there would not be enough memory. "


def words(text: str) -> int:
    return len(text.split())


def note(paragraphs: int, seed: int = 1, size: tuple[int, int] = (15, 90)) -> str:
    rng = random.Random(seed)
    lexicon = [f"wort{i}" for i in range(400)]
    return "\n\n".join(" ".join(rng.choices(lexicon, k=rng.randint(*size))) + "." for _ in range(paragraphs))


def test_ids_and_digests_say_what_they_cover() -> None:
    (one,) = split("note:a.md", "Titel", "Ein Text.", "de")
    assert one.digest == hashlib.sha256(b"Titel\nEin Text.").hexdigest()
    (moved,) = split("note:a.md", "Titel", "\n\n\nEin Text.", "de")
    assert (moved.id, moved.start) == (one.id, 3)
    (other,) = split("note:b.md", "Titel", "Ein Text.", "de")
    assert other.id != one.id and other.digest == one.digest
    (renamed,) = split("note:a.md", "Anders", "Ein Text.", "de")
    assert renamed.id == one.id and renamed.digest != one.digest


def test_repeated_text_gets_ids_of_its_own() -> None:
    body = "\n\n".join(["# Kopf\n\n" + GERMAN * 14] * 3)
    found = split("note:a", "T", body, "de")
    assert len({p.text for p in found}) == 1 and len({p.id for p in found}) == len(found) == 3


def test_sizes_and_coverage() -> None:
    body = note(60)
    found = split("note:a", "T", body, "de")
    assert all(60 <= words(p.text) <= 240 and len(p.text) <= 1_600 for p in found[:-1])
    assert "".join("".join(p.text.split()) for p in found) == "".join(body.split())
    assert [p.ordinal for p in found] == list(range(len(found)))


def test_headings_start_passages_and_short_sections_stay_together() -> None:
    long, short = GERMAN * 9, "Kurz. "
    body = f"# A\n\n{long}\n\n## B\n\n{long}\n\n### C\n\n{short}\n\n### D\n\n{short}\n\n# E\n\n{short}"
    found = split("note:a", "T", body, "de")
    assert [p.text.split("\n")[0] for p in found] == ["# A", "## B", "### C"]
    assert [p.heading_path for p in found] == [("A",), ("A", "B"), ("A", "B", "C")]


def test_a_heading_never_ends_a_passage() -> None:
    body = "\n\n".join(f"{GERMAN * 6}\n\n## Kopf {i}\n\n{GERMAN * 14}" for i in range(6))
    found = split("note:a", "T", body, "de")
    assert [p.text.split("\n")[0] for p in found if "##" in p.text] == [f"## Kopf {i}" for i in range(6)]
    assert not any(p.text.split("\n")[-1].startswith("#") for p in found)


def test_code_and_tables_stay_whole_unless_enormous() -> None:
    code = "```sh\n" + "\n\n".join(f"echo {i} # Zeile" for i in range(120)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| Zeile {i} | Wert |" for i in range(100))
    body = f"{GERMAN * 10}\n\nSo geht es:\n\n{code}\n\n{GERMAN * 10}\n\n{table}"
    texts = [p.text for p in split("note:a", "T", body, "de")]
    assert any(code in text for text in texts) and any(table in text for text in texts)
    enormous = "```\n" + "\n".join(f"echo {i}" for i in range(2_000)) + "\n```"
    pieces = split("note:a", "T", enormous, "de")
    assert len(pieces) > 5 and all(len(p.text) <= 1_600 for p in pieces)
    assert all(p.text.startswith(("echo", "```")) for p in pieces)


@pytest.mark.parametrize("size", [(15, 90), (85, 95), (45, 50), (190, 210)])
def test_an_edit_changes_only_the_passages_near_it(size: tuple[int, int]) -> None:
    body = note(160, size=size)
    before = {p.id for p in split("note:a", "T", body, "de")}
    paragraphs = body.split("\n\n")
    for place in (0, 40, 80):
        edited = [
            *paragraphs[:place],
            "Ein neuer Absatz mit einigen Wörtern mehr als vorher. " * 9,
            *paragraphs[place:],
        ]
        after = {p.id for p in split("note:a", "T", "\n\n".join(edited), "de")}
        assert len(after - before) <= 10 < len(before) / 4, (place, len(after - before), len(before))


def test_language_of_each_passage() -> None:
    body = (
        f"# Deutsch\n\n{GERMAN * 9}\n\n# English\n\n{ENGLISH * 9}\n\n# Code\n\n```\nif x in the and for is: return\n```"
    )
    assert [p.language for p in split("note:a", "T", body, "de")][:2] == ["de", "en"]
    assert split("note:a", "T", "```\nif x in the and for is: return the\n```", "de")[0].language == "de"


def test_main_language_is_that_of_most_text() -> None:
    from brain_assets.sources.markdown import blocks

    body = f"{ENGLISH * 12}\n\n# Rest\n\n{GERMAN * 40}"
    assert passages.divide("note:a", "T", body, blocks(body))[1] == "de"


def test_encoded_data_is_in_no_passage() -> None:
    data = "QUJD" * 3_000
    found = split("note:a", "T", f"Vorher.\n\n![](data:image/png;base64,{data})\n\nNachher.", "de")
    joined = " ".join(p.text for p in found)
    assert "Vorher." in joined and "Nachher." in joined and data[:500] not in joined
    assert split("note:a", "T", "", "de") == () == split("note:a", "T", " \n\n ", "de")


def test_text_without_spaces_is_cut() -> None:
    found = split("note:a", "T", "漢字" * 3_000, "de")
    assert len(found) == 4 and "".join(p.text for p in found) == "漢字" * 3_000
