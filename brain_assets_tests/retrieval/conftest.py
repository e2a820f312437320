"""A small brain of real files, read by the real reader; its words and vectors by the real models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from brain_assets.retrieval import index, vectors
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings, load
from brain_assets.sources.sync import sync_vault
from brain_assets.store import catalogue, lock
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import StageReport

NOTES = {
    "Netz/VPN-Gateway.md": """---
title: VPN-Gateway Nordwall
aliases: [Einwahlserver]
tags: [netz/vpn, fernzugriff]
type: reference
date: 2026-11-20
---
# VPN-Gateway Nordwall

Das Gateway lauscht auf Port 8443 und hat die Adresse 192.0.2.17. Der Tunnel wird mit einem Zertifikat aufgebaut.

## Störungen

Bricht die Verbindung ab, meldet der Client den Fehler ERR_TUN_TIMEOUT. Dann den Dienst vpn-core v2.4.1 neu starten.
""",
    "Netz/VPN client.md": """---
title: VPN client on laptops
tags: [netz/vpn]
type: how-to
date: 2026-10-02
---
Install the VPN client from the software portal and sign in with your badge number. The tunnel comes up on its own
after every restart of the laptop.
""",
    "Datenbank/Schema.md": """---
title: Aufbau der Datenbank
type: reference
date: 2025-03-01
---
Das Schema der Datenbank liegt in der Datei schema.sql. Jede Tabelle hat einen Schlüssel. Die Größe der Tabellen wird
jede Nacht gemessen. Die Datenbank und das Schema werden gesichert.
""",
    "Datenbank/Sicherung alt.md": """---
title: Sicherung der Datenbank (alt)
type: how-to
status: veraltet
date: 2026-11-01
---
Die Sicherung der Datenbank läuft jede Nacht um zwei Uhr auf das Bandlaufwerk.
""",
    "Datenbank/Sicherung.md": """---
title: Sicherung der Datenbank
type: how-to
date: 2026-11-01
---
Die Sicherung der Datenbank läuft jede Nacht um drei Uhr in den Objektspeicher.
""",
    "Druck/Queue.md": """---
title: Print queue
type: how-to
date: 2026-09-01
---
Jobs wait in the follow-me queue until you hold your badge to a printer. Unprinted jobs are removed after a day.
""",
    "Journal/2026-11-30.md": """---
type: daily
date: 2026-11-30
---
Heute den GatewayTimeout auf srv0815 untersucht, siehe [[VPN-Gateway]]. Straße vor dem Büro gesperrt.
""",
}


@dataclass
class Brain:
    """A brain on disk with what a sync does to it."""

    settings: Settings
    catalogue: Catalogue

    def write(self, notes: dict[str, str | None]) -> None:
        """Write notes into the vault; None deletes one."""
        for path, text in notes.items():
            file = self.settings.vault_dir / path
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def read_sources(self) -> None:
        with lock.writer(self.settings):
            sync_vault(self.catalogue, self.settings, allow_mass_delete=True)

    def index(self) -> StageReport:
        with lock.writer(self.settings):
            return index.update(self.catalogue, self.settings)

    def embed(self, full: bool = False) -> StageReport:
        with lock.writer(self.settings):
            return vectors.update(self.catalogue, self.settings, full=full)

    def sync(self, full: bool = False) -> None:
        self.read_sources()
        self.index()
        self.embed(full)

    def searcher(self) -> Searcher:
        return Searcher.open(self.settings)

    def ids(self, query: str, **how: object) -> list[str]:
        """Vault paths found, best first."""
        return [str(hit.path) for hit in self.searcher().search(query, **how).hits]  # type: ignore[arg-type]


MakeBrain = Callable[..., Brain]


@pytest.fixture
def make_brain(tmp_path: Path) -> Iterator[MakeBrain]:
    """Makes brains of notes (path → text), not yet synced."""
    opened: list[Catalogue] = []

    def make(notes: dict[str, str] | None = None, **settings: object) -> Brain:
        home = tmp_path / f"brain{len(opened)}"
        for name in ("vault", "kb"):
            (home / name).mkdir(parents=True)
        values = {"vector_sets": "none", "now": "2026-12-01", **settings}
        chosen = load(data_dir=home / "data", vault_dir=home / "vault", kb_dir=home / "kb", **values)
        opened.append(catalogue.open(chosen))
        brain = Brain(chosen, opened[-1])
        brain.write(dict(notes or {}))
        return brain

    yield make
    for each in opened:
        each.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    """The notes above, synced with the fast vector set; for reading only."""
    home = tmp_path_factory.mktemp("small")
    for name in ("vault", "kb"):
        (home / name).mkdir()
    settings = load(
        data_dir=home / "data", vault_dir=home / "vault", kb_dir=home / "kb", vector_sets="usem3", now="2026-12-01"
    )
    with catalogue.open(settings) as opened:
        brain = Brain(settings, opened)
        brain.write(dict(NOTES))
        brain.sync()
        yield brain
