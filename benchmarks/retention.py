"""A year of nightly builds in half an hour: does what the product keeps stay bounded?

    python benchmarks/retention.py [--nights 400] [--every 50] [--keep 90]

Each night a note comes, one changes and one goes, the log of model calls and the evidence cache get their share, and
`brain build` runs through Dagster; then all that is stored grows a day older. Prints the size of everything every so
many nights. What is bounded rises until BRAIN_HISTORY_DAYS have passed and stays level after that.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import insert

from brain_assets.definitions import defs
from brain_assets.defs import run
from brain_assets.settings import Settings, load
from brain_assets.store import catalogue, schema

START = dt.date(2026, 1, 1)
_LIVE = 10
_CALLS = 20
_TIMES = (("runs.db", "runs", "update_timestamp"), ("runs/index.db", "asset_check_executions", "create_timestamp"))


def simulate(place: Path, nights: int, keep: int, select: tuple[str, ...] = ()) -> Iterator[tuple[int, Settings]]:
    """Build night after night in a folder; gives each night's number and settings."""
    for folder in ("vault", "kb"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    for night in range(nights):
        today = START + dt.timedelta(days=night)
        os.environ["BRAIN_NOW"] = today.isoformat()
        settings = load(
            data_dir=place / "data", vault_dir=place / "vault", kb_dir=place / "kb", vector_sets="none",
            history_days=keep, tombstone_days=keep, ollama_host="http://127.0.0.1:9",
            searxng_url="http://127.0.0.1:9",
        )  # fmt: skip
        _live_a_day(settings, night)
        result = run.build(defs, settings, select=select)
        assert not result.failures, result.failures
        _grow_older(settings)
        yield night + 1, settings


def _live_a_day(settings: Settings, night: int) -> None:
    note = "---\ndate: {day}\n---\nServer {n} steht im Regal {n}. The server {n} is in rack {n}.\n"
    for number in (night, night + 1):
        text = note.format(day=settings.today, n=number)
        (settings.vault_dir / f"Server {number}.md").write_text(text, encoding="utf-8")
    (settings.vault_dir / f"Server {night - _LIVE}.md").unlink(missing_ok=True)
    digest = hashlib.sha256(str(night).encode()).hexdigest()
    page = json.dumps({"on": settings.today.isoformat(), "url": "https://example.org", "page": {"digest": digest}})
    for name, text in ((f"{digest}.txt", "page " * 2000), (f"pages/{digest[:32]}.json", page),
                       (f"digests/{digest[:32]}.json", page), (f"searches/{digest[:32]}.json", page)):  # fmt: skip
        path = settings.evidence_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    call = {"run_id": "r", "at": settings.today.isoformat(), "purpose": "think", "provider": "p", "model": "m",
            "prompt_version": "think/1", "input_tokens": 1, "output_tokens": 1, "ms": 1, "outcome": "ok"}  # fmt: skip
    with catalogue.open(settings) as cat, cat.begin() as connection:
        connection.execute(insert(schema.llm_calls), [call] * _CALLS)


def _grow_older(settings: Settings) -> None:
    """Put Dagster's times back by a day: it has no other clock than the machine's."""
    for name, table, column in _TIMES:
        with closing(sqlite3.connect(settings.dagster_home / "history" / name)) as connection, connection:
            connection.execute(f"UPDATE {table} SET {column} = datetime({column}, '-1 day')")


def sizes(settings: Settings) -> dict[str, int]:
    """Bytes on disk of each part of the data directory, and the number of all files."""
    parts = {"brain.db": 0, "index": 0, "evidence": 0, "dagster": 0, "other": 0, "files": 0}
    for path in settings.data_dir.rglob("*"):
        if path.is_file():
            top = path.relative_to(settings.data_dir).parts[0]
            name = "brain.db" if top.startswith("brain.db") else top if top in parts else "other"
            parts[name] += path.stat().st_size
            parts["files"] += 1
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nights", type=int, default=400)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--keep", type=int, default=90, help="BRAIN_HISTORY_DAYS and BRAIN_TOMBSTONE_DAYS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for night, settings in simulate(Path(place), given.nights, given.keep):
            if night == 1 or night % given.every == 0 or night == given.nights:
                told = sizes(settings)
                files = told.pop("files")
                shown = "  ".join(f"{name} {size / 1e6:.1f} MB" for name, size in told.items())
                print(f"night {night:>4}: {sum(told.values()) / 1e6:.1f} MB in {files} files  ({shown})", flush=True)


if __name__ == "__main__":
    main()
