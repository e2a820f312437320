from __future__ import annotations

import pytest

from brain_assets.retrieval.previews import readable
from brain_assets_tests.retrieval.conftest import Brain, MakeBrain


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("Verbindung", "Die Verbindungen brechen ab.", ["Verbindungen"]),
        ("connections", "The connection drops, all are connected.", ["connection", "connected"]),
        ("Groesse", "Die Größe der Tabellen", ["Größe"]),
        ("Größe", "Die Groesse, die GRÖSSE", ["Groesse", "GRÖSSE"]),
        ("schema", "Das Datenbankschema liegt dort.", ["Datenbankschema"]),
        ("Datenbankschema", "Das Schema der Datenbank", ["Schema", "Datenbank"]),
        ("192.0.2.17", "auf 192.0.2.17 und 10.0.0.1", ["192", "0", "2", "17", "0", "0"]),
        ("der die das", "kein Treffer hier", []),
        ("", "nichts", []),
    ],
)
def test_marks_cover_inflections_spellings_and_compounds(
    small: Brain, query: str, text: str, marked: list[str]
) -> None:
    assert [text[a:b] for a, b in small.searcher().marks(query, text)] == marked


def test_a_hit_says_why_it_was_found(small: Brain, make_brain: MakeBrain) -> None:
    hits = {h.path: h for h in small.searcher().search("Einwahlserver Zertifikat queue").hits}
    assert hits["Netz/VPN-Gateway.md"].matched == ("Einwahlserver", "Zertifikat")
    assert hits["Druck/Queue.md"].matched == ("queue",)
    alias = small.searcher().search("Einwahlserver", mode="lexical").hits[0]
    assert alias.reasons == ("title",) and alias.matched == ("Einwahlserver",)
    assert "meaning" in small.searcher().search("Druckaufträge in der Warteschlange").hits[0].reasons
    misspelt = small.searcher().search("Zertifikatt für das Gateway", mode="lexical").hits[0]
    assert "Zertifikat" in misspelt.matched


def test_an_identifier_decides_which_passage_is_shown(make_brain: MakeBrain) -> None:
    other = "Server 192 hat 17 Kerne, Version 2 und 0 Fehler. " + "Wort für Wort. " * 120
    brain = make_brain(
        {"a.md": f"# Server\n\n{other}\n\n## Adresse\n\nErreichbar unter 192.0.2.17 im Netz. {'Text. ' * 90}"}
    )
    brain.sync()
    assert "192.0.2.17" in brain.searcher().search("192.0.2.17", mode="lexical").hits[0].preview


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# VPN-Tunnel\n\nDer **Tunnel** ist `wg0`.", "Der Tunnel ist wg0."),
        ("# Anderes\n\n## Schritte\n1. Prüfen", "Anderes: Schritte: 1. Prüfen"),
        ("Siehe [[Gateway|das Tor]], [[Netz/Plan]] und [hier](https://example.org/x).", "Siehe das Tor, Netz/Plan und hier."),
        ("```bash\nls -l\n```\n| a | b |\n|---|---|\n| 1 | 2 |", "ls -l a b 1 2"),
        ("Ein Satz.\n\n##…", "Ein Satz. …"),
        ("2 * 3 * 4, snake_case_name, 5 < 6", "2 * 3 * 4, snake_case_name, 5 < 6"),
        ("", ""),
    ],
)  # fmt: skip
def test_previews_are_readable_without_markdown(markdown: str, plain: str) -> None:
    assert readable(markdown, "VPN-Tunnel") == plain
