"""Every awkward file ends up live or quarantined with a reason; none stops the run, none is changed, none is lost."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import unicodedata
from pathlib import Path
from typing import NamedTuple

import pytest

from brain_assets.model.entry import Entry
from brain_assets.settings import load
from brain_assets.sources.sync import sync_vault
from brain_assets.store import catalogue, entries
from brain_assets.store.schema import problems
from brain_assets.store.stages import StageReport
from brain_assets_tests.sources.awkward import MTIME, SHAPES, Shape


class Synced(NamedTuple):
    first: StageReport
    second: StageReport
    before: dict[str, str]
    after: dict[str, str]
    entries: dict[str, Entry]
    problems: dict[str, list[str]]


def fingerprints(folder: Path) -> dict[str, str]:
    """Contents, times and modes of every file below a folder."""
    out = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            info = path.stat()
            out[str(path)] = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {info.st_mtime_ns} {info.st_mode}"
    return out


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Synced:
    root = tmp_path_factory.mktemp("awkward")
    vault = root / "vault"
    stamp = dt.datetime.combine(MTIME, dt.time(12), dt.UTC).timestamp()
    for shape in SHAPES:
        path = vault / shape.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(shape.bytes)
        os.utime(path, (stamp, stamp))
    settings = load(data_dir=root / "data", vault_dir=vault, kb_dir=root / "kb", now="2026-12-01")
    before = fingerprints(vault)
    with catalogue.open(settings) as cat:
        first, second = sync_vault(cat, settings), sync_vault(cat, settings)
        with cat.read() as connection:
            found = {entry.id: entry for entry in entries.load(connection)}
            listed: dict[str, list[str]] = {}
            for row in connection.execute(problems.select().order_by(problems.c.path, problems.c.ordinal)):
                listed.setdefault(row.path, []).append(row.reason)
    return Synced(first, second, before, fingerprints(vault), found, listed)


def test_shapes_are_many_and_distinct() -> None:
    assert len({shape.name for shape in SHAPES}) == len({shape.file for shape in SHAPES}) == len(SHAPES) >= 100


def test_nothing_is_lost(synced: Synced) -> None:
    details = synced.first.details
    assert details["files_seen"] == len(SHAPES) == details["live"] + details["quarantined"]
    assert details["live"] == len(synced.entries)
    assert details["quarantined"] == sum(not shape.live for shape in SHAPES)
    assert sum(details["skipped"].values()) == 0


def test_nothing_is_changed(synced: Synced) -> None:
    assert synced.before == synced.after


def test_second_run_does_nothing(synced: Synced) -> None:
    details = synced.second.details
    assert (details["added"], details["changed"], details["deleted"]) == (0, 0, 0)
    assert details["unchanged"] == synced.first.details["live"]
    assert synced.second.pending == 0


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_shape(synced: Synced, shape: Shape) -> None:
    path = unicodedata.normalize("NFC", shape.file)
    entry = synced.entries.get(f"note:{path}")
    reasons = synced.problems.get(path, [])
    if shape.problem is None:
        assert reasons == []
    else:
        assert any(shape.problem in reason for reason in reasons), reasons
    if not shape.live:
        assert entry is None
        return
    assert entry is not None
    for name, wanted in shape.entry.items():
        assert getattr(entry, name) == wanted, name
    for piece in shape.body:
        assert piece in entry.body
    for piece in shape.not_body:
        assert piece not in entry.body
    assert entry.path == path and unicodedata.is_normalized("NFC", entry.title)
    assert entry.content_digest == hashlib.sha256(shape.bytes).hexdigest()
    position = 0
    for passage in entry.passages:
        assert passage.text == entry.body[passage.start : passage.end] and passage.text.strip()
        assert passage.start >= position and len(passage.text) <= 4_000 + 1_600
        position = passage.end
    assert len({passage.id for passage in entry.passages}) == len(entry.passages)
