"""What a link means follows every change of the notes it could mean, without reading the others again."""

from __future__ import annotations

from brain_assets.settings import Settings
from brain_assets.store.catalogue import Catalogue
from brain_assets_tests.sources.vaults import counts, kb, kb_file, kb_item, links_of, live, notes, write


def test_links_follow_names(cat: Catalogue, settings: Settings) -> None:
    vault = settings.vault_dir
    write(vault, {"quelle.md": "[[Ziel]] [[Kurzname]] [[Ein Titel]] [[Ziel]]", "z/andere.md": "Text"})
    notes(cat, settings)
    assert [entry_id for _, entry_id, _ in links_of(cat, "quelle.md")] == [None] * 4
    write(vault, {"z/Ziel.md": "---\naliases: [Kurzname]\n---\n# Ein Titel\nText"})
    details = notes(cat, settings)
    assert counts(details) == (1, 0, 0, 2, 0) and details["relinked"] == 1
    assert [entry_id for _, entry_id, _ in links_of(cat, "quelle.md")] == ["note:z/Ziel.md"] * 4
    write(vault, {"y/Ziel.md": "zweites"})
    notes(cat, settings)
    both = ("note:y/Ziel.md", "note:z/Ziel.md")
    assert links_of(cat, "quelle.md")[0] == ("Ziel", None, both)
    (vault / "z/Ziel.md").rename(vault / "z/Anders.md")
    notes(cat, settings)
    assert links_of(cat, "quelle.md") == [
        ("Ziel", "note:y/Ziel.md", ()),
        ("Kurzname", "note:z/Anders.md", ()),
        ("Ein Titel", "note:z/Anders.md", ()),
        ("Ziel", "note:y/Ziel.md", ()),
    ]
    write(vault, {"z/Anders.md": "# Neuer Titel\nohne Alias"})
    (vault / "y/Ziel.md").unlink()
    notes(cat, settings)
    assert [entry_id for _, entry_id, _ in links_of(cat, "quelle.md")] == [None] * 4
    assert {target for target, _, _ in links_of(cat, "quelle.md")} == {"Ziel", "Kurzname", "Ein Titel"}


def test_only_what_a_change_can_touch_is_written(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {"a.md": "[[b]]", "b.md": "[[c]]", "c.md": "Text", "d.md": "[[nirgends]]"})
    assert notes(cat, settings)["relinked"] == 0
    write(settings.vault_dir, {"e.md": "Text"})
    assert notes(cat, settings)["relinked"] == 0
    write(settings.vault_dir, {"c.md": "Text, bearbeitet"})
    assert notes(cat, settings)["relinked"] == 0
    write(settings.vault_dir, {"x/c.md": "noch ein c"})
    assert notes(cat, settings)["relinked"] == 0  # c.md at the root is meant exactly
    write(settings.vault_dir, {"nirgends.md": "doch"})
    assert notes(cat, settings)["relinked"] == 1


def test_links_to_quarantined_notes_lead_nowhere(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {"a.md": "[[z]] [[b]]", "b.md": b"\0" * 500, "z.md": "Text"})
    notes(cat, settings)
    assert links_of(cat, "a.md") == [("z", "note:z.md", ()), ("b", None, ())]
    write(settings.vault_dir, {"z.md": b"\0" * 500})
    notes(cat, settings)
    assert links_of(cat, "a.md") == [("z", None, ()), ("b", None, ())]
    write(settings.vault_dir, {"b.md": "jetzt Text"})
    notes(cat, settings)
    assert links_of(cat, "a.md") == [("z", None, ()), ("b", "note:b.md", ())]


def test_links_to_kb_entries(cat: Catalogue, settings: Settings) -> None:
    write(settings.vault_dir, {"a.md": "Siehe [[KB-7]] und [[KB-8]].", "Handbuch.md": "Text"})
    notes(cat, settings)
    write(settings.kb_dir, {"x.json": kb_file(kb_item("KB-7", answer="Siehe [[Handbuch]]."))})
    assert kb(cat, settings)["relinked"] == 1
    assert links_of(cat, "a.md") == [("KB-7", "kb:KB-7", ()), ("KB-8", None, ())]
    assert [link.entry_id for link in live(cat)["kb:KB-7"].links] == ["note:Handbuch.md"]
    (settings.vault_dir / "Handbuch.md").unlink()
    notes(cat, settings)
    assert [link.entry_id for link in live(cat)["kb:KB-7"].links] == [None]
    write(settings.kb_dir, {"x.json": kb_file(kb_item("KB-9"))})
    kb(cat, settings)
    assert links_of(cat, "a.md")[0] == ("KB-7", None, ())
