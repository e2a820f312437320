"""The labelled vault and KB: what is defective is quarantined, everything else is live and dated as its labels say."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from brain_assets.model.entry import Entry
from brain_assets.settings import load
from brain_assets.sources.sync import sync_kb, sync_vault
from brain_assets.store import catalogue, entries
from brain_assets.store.schema import problems
from brain_assets_tests.conftest import SHARED
from brain_assets_tests.sources.test_awkward import fingerprints

TODAY = dt.date(2026, 12, 1)


class Gold(NamedTuple):
    vault: dict[str, Any]
    kb: dict[str, Any]
    entries: dict[str, Entry]
    problems: dict[str, str]
    unchanged: bool


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Gold:
    source = SHARED / "gold"
    if not source.is_dir():
        pytest.skip("the labelled vault (../shared/gold) is not beside this checkout")
    root = tmp_path_factory.mktemp("gold")
    for name in ("vault", "kb"):
        shutil.copytree(source / name, root / name, copy_function=shutil.copyfile)
    times = {nfc(p): t for p, t in json.loads((source / "labels/mtimes.json").read_text()).items()}
    for path in root.rglob("*.*"):
        if (stamp := times.get(nfc(str(path.relative_to(root))))) is not None:
            seconds = dt.datetime.fromisoformat(stamp).timestamp()
            os.utime(path, (seconds, seconds))
    before = fingerprints(root)
    settings = load(data_dir=root / "data", vault_dir=root / "vault", kb_dir=root / "kb", now=TODAY)
    with catalogue.open(settings) as cat:
        vault, kb = sync_vault(cat, settings).details, sync_kb(cat, settings).details
        with cat.read() as connection:
            found = {entry.id: entry for entry in entries.load(connection)}
            listed = {f"{row.source}/{row.path}": row.severity for row in connection.execute(problems.select())}
    after = {name: mark for name, mark in fingerprints(root).items() if not name.startswith(str(root / "data"))}
    return Gold(vault, kb, found, listed, before == after)


def labels(name: str) -> Any:
    path = SHARED / "gold/labels" / name
    return [json.loads(line) for line in path.open()] if name.endswith("l") else json.loads(path.read_text())


def test_exactly_the_defective_files_are_quarantined(gold: Gold) -> None:
    defects = labels("malformed.json")
    assert {p for p, severity in gold.problems.items() if severity == "quarantined"} == {
        d["file"] for d in defects["kb"]
    }
    assert {nfc(p) for p, severity in gold.problems.items() if severity == "warning"} == {
        nfc(d["file"]) for d in defects["vault"]
    }
    assert gold.vault["quarantined"] == 0 and gold.kb["quarantined"] == len(defects["kb"])
    for details in (gold.vault, gold.kb):
        assert details["files_seen"] == details["live"] + details["quarantined"]
    assert gold.unchanged


def test_every_labelled_reference_is_an_entry(gold: Gold) -> None:
    for row in labels("think.jsonl"):
        for label in row["relevant"]:
            ref = nfc(label["ref"])
            assert ("note:" + ref.removeprefix("vault/") if ref.endswith(".md") else f"kb:{ref}") in gold.entries


def test_ages_and_their_reasons(gold: Gold) -> None:
    stale = {label["path"]: label for row in labels("think.jsonl") for label in row["stale"]}
    assert len(stale) > 10
    for path, label in stale.items():
        entry = gold.entries["note:" + nfc(path).removeprefix("vault/")]
        assert entry.date is not None and (TODAY - entry.date).days == label["age_days"], path
        wanted = f"frontmatter {label['field']}" if "field" in label else label["reason"]
        assert entry.date_origin == wanted, path


def test_kb_entries(gold: Gold) -> None:
    kb = [entry for entry in gold.entries.values() if entry.kind == "kb"]
    assert all(entry.date is None and entry.record is not None for entry in kb)
    assert {e.id for e in kb if e.ai_origin} == {"kb:KB-1036", "kb:KB-1037", "kb:KB-1038", "kb:KB-1039"}
    for row in labels("pools.jsonl"):
        for name, lineage in row.get("lineage", {}).items():
            assert gold.entries[f"kb:{name}"].generation_depth == lineage["depth"]
    assert not any("&auml;" in entry.body or "<p>" in entry.body for entry in kb)


def test_labelled_quotes_stand_in_the_texts(gold: Gold) -> None:
    for row in labels("contradictions.jsonl"):
        for side in ("a", "b"):
            ref = nfc(row[side])
            entry = gold.entries["note:" + ref.removeprefix("vault/") if ref.endswith(".md") else f"kb:{ref}"]
            quote = nfc(row.get(f"{side}_quote") or row.get(f"quote_{side}") or row.get(f"evidence_{side}") or "")
            assert quote and (quote in entry.body or quote in entry.title), (row["id"], side)


def test_every_link_is_resolved(gold: Gold) -> None:
    links = [link for entry in gold.entries.values() for link in entry.links]
    assert len(links) > 30
    assert [link for link in links if link.entry_id is None or link.candidates] == []


def test_the_labelled_data_is_never_written(tmp_path: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip("the labelled data (../shared) is not beside this checkout")
    settings = load(data_dir=tmp_path, vault_dir=SHARED / "gold/vault", kb_dir=SHARED / "gold/kb", now=TODAY)
    before = fingerprints(SHARED / "gold")
    with catalogue.open(settings) as cat:
        sync_vault(cat, settings)
    assert fingerprints(SHARED / "gold") == before
