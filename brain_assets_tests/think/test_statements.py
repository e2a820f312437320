from __future__ import annotations

import pytest

from brain_assets.model.entry import Entry
from brain_assets.think.statements import plain, statements

BODY = """# Kasse

Die Kasse steht *vorn* und heißt [[Kassenserver|kasse1]].

## Neustart

Vorgehen:

1. Programm schließen.
2. Warten, dann
   neu öffnen. Fertig.

- [ ] Papier bestellen

```bash
sudo systemctl restart zahlwerk

echo ok
```

| Dienst | Port | Gesichert |
|---|---|---|
| Kasse | 8443 | täglich |

%% Notiz an mich %%

## Offene Fragen

Reicht ein Drucker?

> [!warning] Achtung
> Nie den Stecker ziehen.
"""


def entry(body: str, title: str = "Kasse") -> Entry:
    return Entry(
        id="note:k.md",
        kind="note",
        path="k.md",
        title=title,
        body=body,
        language="de",
        content_digest="",
        text_digest="",
    )


def test_an_entry_is_read_statement_by_statement() -> None:
    found = statements(entry(BODY))
    assert [(s.kind, s.text) for s in found] == [
        ("prose", "Die Kasse steht vorn und heißt kasse1."),
        ("step", "Programm schließen."),
        ("step", "Warten, dann neu öffnen."),
        ("step", "Fertig."),
        ("item", "Papier bestellen"),
        ("code", "sudo systemctl restart zahlwerk\n\necho ok"),
        ("row", "Kasse – Port: 8443, Gesichert: täglich"),
        ("prose", "Reicht ein Drucker?"),
        ("prose", "Achtung Nie den Stecker ziehen."),
    ]
    assert found[1].lead == "Vorgehen:"
    assert found[1].headings == ("Neustart",)
    assert found[1].group == found[2].group != found[5].group
    assert found[7].open
    assert not found[8].text.startswith(">")


def test_every_statement_stands_where_it_says() -> None:
    item = entry(BODY)
    for s in statements(item):
        written = item.body[s.start : s.end]
        assert s.text.split()[0].strip("`") in written


def test_markup_is_read_away() -> None:
    assert (
        plain("**Fett**, _kursiv_ und `code` in [Text](https://example.org/a_(b))") == "Fett, kursiv und `code` in Text"
    )
    assert plain("![[Bild#Teil]] und snake_case_name") == "Bild Teil und snake_case_name"


def test_awkward_bodies_give_no_statement_and_no_failure() -> None:
    for body in ("", "\n\n", "---", "# Nur ein Titel", "|---|", "```\n", "***", "[[", "%% offen"):
        assert all(any(c.isalnum() for c in s.text) for s in statements(entry(body)))


def test_steps_are_counted_and_a_further_sentence_belongs_to_its_item() -> None:
    found = statements(
        entry("1. Deckel öffnen. Das klemmt gern.\n2. Filter tauschen.\n\nDanach:\n\n1. Deckel schließen.\n")
    )
    assert [(s.text, s.step, s.continues) for s in found] == [
        ("Deckel öffnen.", 1, False),
        ("Das klemmt gern.", 1, True),
        ("Filter tauschen.", 2, False),
        ("Deckel schließen.", 1, False),
    ]


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("Siehe auch [[Filter]] und [[Deckel|den Deckel]].", True),
        ("Einzelthemen: [[Filter]], [[Deckel]], [[Pumpe]]", True),
        ("See [the guide](https://example.org/guide) for more details.", True),
        ("Ansprechpartner: [[Marek Osei]]", False),
        ("Der Filter liegt im [[Lager]] neben der Tür.", False),
        ("Siehe das gelbe Schild am Kessel.", False),
    ],
)
def test_a_sentence_that_only_points_elsewhere_is_told(text: str, pointer: bool) -> None:
    assert [s.pointer for s in statements(entry(text))] == [pointer]
