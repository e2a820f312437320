"""Contradictions between two entries: what fires, and what must not."""

from __future__ import annotations

import hashlib

from brain_assets.graph import contradictions
from brain_assets.model.entry import Entry


def entry(name: str, body: str, *, title: str = "", **fields: object) -> Entry:
    digest = hashlib.sha256((title + body).encode()).hexdigest()
    return Entry(
        id=f"note:{name}.md", kind="note", path=f"{name}.md", title=title or name, body=body, language="de",
        content_digest=digest, text_digest=digest, **fields,
    )  # fmt: skip


def test_two_lengths_of_one_thing_across_languages() -> None:
    a = entry("Regeln", "Kennwörter müssen mindestens 16 Zeichen lang sein.\n", title="Kennwortregeln")
    b = entry("Rules", "Passwords must have at least 10 characters.\n", title="Password rules")
    [found] = contradictions.between(a, b)
    assert found.kind == "number"
    assert (found.a_value, found.b_value) == ("16 Zeichen", "10 characters")
    assert found.a_quote in a.body and found.b_quote in b.body


def test_the_same_length_in_two_units_agrees() -> None:
    a = entry("a", "Das Konto bleibt nach Fehlversuchen 15 Minuten gesperrt.\n", title="Kontosperre")
    b = entry("b", "Das Konto bleibt nach Fehlversuchen eine Viertelstunde gesperrt.\n", title="Konto gesperrt")
    assert contradictions.between(a, b) == []


def test_a_superseded_entry_contradicts_nothing() -> None:
    a = entry("a", "Kennwörter müssen mindestens 16 Zeichen lang sein.\n", title="Kennwortregeln", status="veraltet")
    b = entry("b", "Kennwörter müssen mindestens 12 Zeichen lang sein.\n", title="Kennwortregeln neu")
    assert contradictions.between(a, b) == []
