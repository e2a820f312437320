"""Brains for the tests of the front doors: the sample, built once, and small ones made of a few texts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from brain_assets.operation import pipeline
from brain_assets.settings import Settings, load
from brain_assets.store import catalogue
from brain_assets_tests.conftest import ROOT

NOTES = {
    "VPN/Gateway.md": "---\ntitle: VPN-Gateway\ndate: 2026-11-01\ntype: reference\n---\n"
    "Das VPN-Gateway lauscht auf UDP-Port 51820. Siehe [[Backup]].\n",
    "Backup.md": "---\ntitle: Backup\ndate: 2026-10-01\ntags: [backup]\n---\n"
    "The backup runs every night at 02:00 and is kept for 14 days.\n",
    "Druck.md": "---\ntitle: Druckserver\ndate: 2024-01-05\n---\nDer Druckserver heißt papyrus.\n",
}
RECORD = {
    "id": "KB-1", "title": "VPN verbindet nicht", "text": "Der VPN-Client baut keinen Tunnel auf.",
    "answer": "1. Prüfen Sie die Uhrzeit.\n2. Starten Sie den Client neu.", "auto_reply": False, "min_score": 0.8,
    "categories": ["VPN"], "keywords": ["VPN"], "source": "Support", "source_uri": "", "language": "de-DE",
    "communication_style": "formal",
}  # fmt: skip


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files below a folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def small(place: Path, **changes: object) -> Settings:
    """A vault of three notes and a KB of one entry, nothing built yet, lexical search only."""
    write(place / "vault", NOTES)
    write(place / "kb", {"KB-1.json": json.dumps(RECORD, ensure_ascii=False)})
    values = {"data_dir": place / "data", "vault_dir": place / "vault", "kb_dir": place / "kb", "now": "2026-12-01",
              "vector_sets": "none"}  # fmt: skip
    return load(**{**values, **changes})


def synced(place: Path, **changes: object) -> Settings:
    """The small brain, synced."""
    settings = small(place, **changes)
    with pipeline.writing(settings) as run:
        pipeline.sync(run)
    return settings


def sample(place: Path) -> Settings:
    """The whole sample, built through every stage with the fast vector set."""
    for name in ("vault", "kb"):
        shutil.copytree(ROOT / "data" / name, place / name)
    settings = load(
        data_dir=place / "data", vault_dir=place / "vault", kb_dir=place / "kb", now="2026-12-01", vector_sets="usem3",
        ollama_host="http://127.0.0.1:9", searxng_url="http://127.0.0.1:9",
    )  # fmt: skip
    with pipeline.writing(settings) as run:
        pipeline.run_stages(pipeline.STAGES, run)
    return settings


_ONCE: list[Settings] = []


def sample_once(factory: pytest.TempPathFactory) -> Settings:
    """The built sample, one for the whole test process: look, or work on a `copy`."""
    if not _ONCE:
        _ONCE.append(sample(factory.mktemp("sample")))
    return _ONCE[0]


def copy(settings: Settings, place: Path) -> Settings:
    """The same brain elsewhere, to be changed."""
    for name in ("data", "vault", "kb"):
        shutil.copytree(settings.data_dir.parent / name, place / name)
    return settings.model_copy(
        update={"data_dir": place / "data", "vault_dir": place / "vault", "kb_dir": place / "kb"}
    )


def live(settings: Settings) -> list[str]:
    """Ids of the live entries."""
    from brain_assets.store import entries

    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        return entries.live_ids(connection)
