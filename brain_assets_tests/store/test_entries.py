"""Entries go in whole, come out equal, and a tombstone leaves every live view at once."""

from __future__ import annotations

import datetime as dt

from brain_assets.model.entry import Entry, Heading, KBRecord, Link, Passage
from brain_assets.store import entries, manifest
from brain_assets.store.catalogue import Catalogue


def entry(name: str, **changes: object) -> Entry:
    entry_id = f"note:{name}.md"
    passage = Passage(
        id=f"p-{name}", entry_id=entry_id, ordinal=0, heading_path=("Über",), text="Grüße", language="de",
        start=0, end=5, digest=f"digest-{name}",
    )  # fmt: skip
    base = {
        "id": entry_id, "kind": "note", "path": f"{name}.md", "title": name, "body": "Grüße\n", "language": "de",
        "date": dt.date(2026, 1, 2), "date_origin": "frontmatter date", "headings": (Heading(level=1, text="Über"),),
        "links": (Link(target="x", entry_id="note:x.md"),), "fields": {"eigen": [1, "ja"]}, "content_digest": "c",
        "text_digest": f"t-{name}", "passages": (passage,),
    }  # fmt: skip
    return Entry(**{**base, **changes})


def test_an_entry_comes_out_as_it_went_in(cat: Catalogue) -> None:
    record = KBRecord(id="KB-1", title="t", text="x", answer="y", categories=("VPN",))
    given = [entry("a"), entry("b", id="kb:KB-1", kind="kb", record=record, passages=())]
    with cat.begin() as connection:
        entries.put(connection, given)
    with cat.read() as connection:
        assert list(entries.load(connection)) == sorted(given, key=lambda e: e.id)
        assert entries.get(connection, "note:none.md") is None
        assert entries.live_ids(connection, kinds=["kb"]) == ["kb:KB-1"]


def test_a_tombstone_leaves_every_live_view_and_comes_back(cat: Catalogue) -> None:
    with cat.begin() as connection:
        entries.put(connection, [entry("a"), entry("b")])
        entries.tombstone(connection, ["note:a.md"], dt.date(2026, 1, 5))
    with cat.read() as connection:
        assert entries.live_ids(connection) == ["note:b.md"]
        assert [row[0] for row in entries.passage_digests(connection)] == ["note:b.md"]
        assert list(entries.digests(connection)) == ["note:b.md"]
        assert entries.counts(connection) == {"note": 1, "tombstones": 1}
    with cat.begin() as connection:
        entries.put(connection, [entry("a")])
        assert entries.live_ids(connection) == ["note:a.md", "note:b.md"]


def test_only_old_tombstones_are_purged(cat: Catalogue) -> None:
    with cat.begin() as connection:
        entries.put(connection, [entry("a"), entry("b"), entry("c")])
        entries.tombstone(connection, ["note:a.md"], dt.date(2026, 1, 1))
        entries.tombstone(connection, ["note:b.md"], dt.date(2026, 3, 1))
        assert entries.purge(connection, before=dt.date(2026, 2, 1)) == 1
        assert entries.counts(connection) == {"note": 1, "tombstones": 1}


def test_the_manifest_digest_depends_on_content_not_on_order(cat: Catalogue) -> None:
    with cat.begin() as connection:
        entries.put(connection, [entry("a"), entry("b")])
        first = manifest.digest(connection, "vault_notes")
        entries.put(connection, [entry("b")])
        entries.put(connection, [entry("a")])
        assert manifest.digest(connection, "vault_notes") == first
        entries.put(connection, [entry("a", status="veraltet")])
        assert manifest.digest(connection, "vault_notes") != first
        assert manifest.size(connection, "vault_notes") == 2
