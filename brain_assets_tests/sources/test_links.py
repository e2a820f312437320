from __future__ import annotations

import pytest

from brain_assets.model.entry import Link
from brain_assets.sources.links import Named, PathIndex, resolve

PATHS = [
    "Root.md",
    "A/Note.md",
    "A/B/Note.md",
    "C/Note.md",
    "C/Einzig.md",
    "D/Fall.md",
    "D/fall.md",
    "A/Übersicht.md",
    "C/Übersicht.md",
    "E/v1.2.md",
    "F/lang.markdown",
    "Tief/X/Y/Zwei.md",
    "Zwei.md",
]
NAMES = {
    "kurz": [Named("note:C/Einzig.md", "alias")],
    "doppelt": [Named("note:A/Note.md", "alias"), Named("note:C/Note.md", "alias")],
    "langer titel": [Named("note:C/Einzig.md", "title")],
    "beides": [Named("note:A/Note.md", "title"), Named("note:C/Einzig.md", "alias")],
    "kb-1001": [Named("kb:KB-1001", "kb")],
}


def meaning(target: str, source: str, syntax: str = "wikilink") -> tuple[str | None, tuple[str, ...]]:
    link = Link(target=target, syntax=syntax)  # type: ignore[arg-type]
    (found,) = resolve([link], source, PathIndex.of(PATHS), NAMES)
    return found.entry_id, found.candidates


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        ("Root", "A/Note.md", "Root.md"),
        ("Einzig", "Root.md", "C/Einzig.md"),
        ("einzig", "Root.md", "C/Einzig.md"),
        ("Einzig.md", "Root.md", "C/Einzig.md"),
        ("C\\Einzig", "Root.md", "C/Einzig.md"),
        ("A/Note", "C/Note.md", "A/Note.md"),
        ("B/Note", "Root.md", "A/B/Note.md"),
        ("/C/Note", "A/Note.md", "C/Note.md"),
        ("./Note", "C/Einzig.md", "C/Note.md"),
        ("../C/Note", "A/x.md", "C/Note.md"),
        ("Fall", "Root.md", "D/Fall.md"),
        ("fall", "Root.md", "D/fall.md"),
        ("v1.2", "Root.md", "E/v1.2.md"),
        ("lang", "Root.md", "F/lang.markdown"),
        ("Note", "C/Einzig.md", "C/Note.md"),
        ("Zwei", "Tief/X/Y/a.md", "Zwei.md"),
    ],
)
def test_paths_as_obsidian_finds_them(target: str, source: str, path: str) -> None:
    assert meaning(target, source)[0] == f"note:{path}"


def test_markdown_links_are_relative_first() -> None:
    assert meaning("Zwei.md", "Tief/X/Y/a.md", "markdown")[0] == "note:Tief/X/Y/Zwei.md"
    assert meaning("C/Note.md", "A/x.md", "markdown")[0] == "note:C/Note.md"


def test_several_candidates_are_listed() -> None:
    ids = ("note:A/B/Note.md", "note:A/Note.md", "note:C/Note.md")
    assert meaning("Note", "Root.md") == (None, ids)
    assert meaning("Note", "A/B/x.md") == ("note:A/B/Note.md", ())  # beside it: an exact path
    assert meaning("Note", "E/x.md") == (None, ids)
    assert meaning("Übersicht", "Root.md") == (None, ("note:A/Übersicht.md", "note:C/Übersicht.md"))


def test_names_come_after_paths() -> None:
    assert meaning("Kurz", "Root.md") == ("note:C/Einzig.md", ())
    assert meaning("Langer  Titel", "Root.md") == ("note:C/Einzig.md", ())
    assert meaning("Beides", "Root.md") == ("note:C/Einzig.md", ())
    assert meaning("doppelt", "Root.md") == (None, ("note:A/Note.md", "note:C/Note.md"))
    assert meaning("KB-1001", "Root.md") == ("kb:KB-1001", ())


@pytest.mark.parametrize(
    "target", ["Nirgends", "X/Einzig", "../../Root", "./Einzig", "/Einzig", "C/", "..", "/", "md", ".md", "A/C/Note"]
)
def test_what_leads_nowhere(target: str) -> None:
    assert meaning(target, "A/Note.md") == (None, ())


def test_a_link_without_a_target_means_its_own_note() -> None:
    assert meaning("", "A/Note.md") == ("note:A/Note.md", ())


@pytest.mark.parametrize("names", [3, 60])
def test_few_names_are_looked_for_as_many_are(names: int) -> None:
    paths = [f"{i % 7}/Notiz {i}.md" for i in range(50)] + [
        "a/ZIEL.md",
        "b/ziel.markdown",
        "c/Größe .md",
        "d/GRÖSSE.md",
    ]
    index = PathIndex.of(paths)
    for i in range(names):
        found, _ = index.find(Link(target=f"Notiz {i}"), "x.md")
        assert found == (f"{i % 7}/Notiz {i}.md" if i < 50 else None)
    assert index.find(Link(target="Ziel"), "a/x.md") == ("a/ZIEL.md", ())
    assert index.find(Link(target="größe"), "y.md") == ("d/GRÖSSE.md", ())
    index.remove("a/ZIEL.md")
    index.remove("1/Notiz 1.md")
    index.remove("nie gesehen.md")
    assert index.find(Link(target="Ziel"), "a/x.md") == ("b/ziel.markdown", ())
    assert index.find(Link(target="Notiz 1"), "x.md") == (None, ())
