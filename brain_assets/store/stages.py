"""The one batch loop: pending = inputs − done; take a batch; compute; commit results and ledger together; go on.

Every per-item stage supplies only what it computes and how its results are written. A run killed at any instant
repeats at most the batch it was in; a run with nothing changed does no work.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from brain_assets.errors import BudgetExhausted
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.store.entries import chunks
from brain_assets.store.report import StageReport
from brain_assets.store.schema import dead_letters, ledger, stage_runs

log = logging.getLogger(__name__)

__all__ = [
    "Commit", "Compute", "Item", "Progress", "Stage", "StageReport", "digest_of", "forget", "global_digest",
    "no_progress", "record", "run", "set_global_digest",
]  # fmt: skip

Progress = Callable[[str, int, int], None]
"""Called with (what, done, total)."""

MAX_ATTEMPTS = 3
"""Runs in which an item may fail before it is parked until its input changes."""


def no_progress(what: str, done: int, total: int) -> None:
    """The default progress: silence."""


@dataclass(frozen=True, slots=True)
class Item:
    """One input of a stage: `digest` covers all that its result depends on."""

    id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Identity of a stage's work: a change of code version or model makes every item pending again."""

    name: str
    code_version: str = "1"
    model_id: str = ""
    batch_size: int = 64


Compute = Callable[[list[Item]], Mapping[str, Any]]
Commit = Callable[[Connection, dict[str, Any]], None]


def run(
    catalogue: Catalogue,
    stage: Stage,
    items: Sequence[Item],
    compute: Compute,
    commit: Commit,
    *,
    progress: Progress = no_progress,
    retry_parked: bool = False,
    some: bool = False,
) -> StageReport:
    """Run a stage over its pending items and return the report (also kept in `stage_runs`).

    `compute` maps a batch to {item id: result or Exception}; if it raises, its items are tried one by one, and those
    that fail alone become dead letters. BudgetExhausted ends the stage early; what was done stays done. `commit`
    writes a batch's results in the transaction that also writes the ledger. Ledger rows of inputs that are no longer
    there are dropped, unless `items` are only `some` of the live inputs: then the others are not looked at.
    """
    started = time.monotonic()
    with catalogue.read() as connection:
        pending, parked, vanished = _split(connection, stage, items, retry_parked, some)
    if vanished:
        with catalogue.begin() as connection:
            forget(connection, stage.name, vanished)
    report = StageReport(stage.name, pending=len(pending), parked=len(parked))
    report.reused = len(items) - len(pending) - len(parked)
    try:
        for batch in chunks(pending, stage.batch_size):
            _one_batch(catalogue, stage, list(batch), compute, commit, report)
            progress(stage.name, report.done + report.failed, len(pending))
    except BudgetExhausted as stop:
        report.stopped = stop.message
    report.seconds = round(time.monotonic() - started, 3)
    with catalogue.begin() as connection:
        record(connection, report)
    return report


def _one_batch(
    catalogue: Catalogue, stage: Stage, batch: list[Item], compute: Compute, commit: Commit, report: StageReport
) -> None:
    stop: BudgetExhausted | None = None
    try:
        results = dict(compute(batch))
    except BudgetExhausted:
        if len(batch) == 1:
            raise
        results, stop = _one_by_one(batch, compute)
    except Exception:
        log.debug("stage %s: a batch of %d failed, trying its items alone", stage.name, len(batch), exc_info=True)
        results, stop = _one_by_one(batch, compute)
    good = {i: r for i, r in results.items() if not isinstance(r, Exception)}
    bad = {i: r for i, r in results.items() if isinstance(r, Exception)}
    by_id = {item.id: item for item in batch}
    if good or bad:
        with catalogue.begin() as connection:
            if good:
                commit(connection, good)
            _mark(connection, stage, [by_id[i] for i in good], {by_id[i]: e for i, e in bad.items()})
    report.done += len(good)
    report.failed += len(bad)
    if stop is not None:
        raise stop


def _one_by_one(batch: list[Item], compute: Compute) -> tuple[dict[str, Any], BudgetExhausted | None]:
    results: dict[str, Any] = {}
    for item in batch:
        try:
            results.update(compute([item]))
        except BudgetExhausted as stop:
            return results, stop
        except Exception as error:  # noqa: BLE001 - one item's failure, whatever it is, must not stop the others
            results[item.id] = error
    return results, None


def _split(
    connection: Connection, stage: Stage, items: Sequence[Item], retry_parked: bool, some: bool
) -> tuple[list[Item], list[Item], list[str]]:
    done: dict[str, tuple[str, str, str]] = {}
    dead: dict[str, tuple[tuple[str, str, str], int]] = {}
    for part in chunks([item.id for item in items]) if some else [None]:
        queries = [
            select(table).where(table.c.stage == stage.name, *([table.c.item_id.in_(part)] if part is not None else []))
            for table in (ledger, dead_letters)
        ]
        done |= {r.item_id: (r.digest, r.code_version, r.model_id) for r in connection.execute(queries[0])}
        for r in connection.execute(queries[1]):
            dead[r.item_id] = ((r.digest, r.code_version, r.model_id), r.attempts)
    pending, parked = [], []
    for item in items:
        key = (item.digest, stage.code_version, stage.model_id)
        if done.get(item.id) == key:
            continue
        letter = dead.get(item.id)
        if letter and letter[0] == key and letter[1] >= MAX_ATTEMPTS and not retry_parked:
            parked.append(item)
        else:
            pending.append(item)
    known = {item.id for item in items}
    return pending, parked, sorted((done.keys() | dead.keys()) - known)


def _mark(connection: Connection, stage: Stage, done: list[Item], failed: Mapping[Item, Exception]) -> None:
    key = {"code_version": stage.code_version, "model_id": stage.model_id}
    ids = [item.id for item in (*done, *failed)]
    previous: dict[str, tuple[str, int]] = {}
    for part in chunks(ids):
        where = (dead_letters.c.stage == stage.name, dead_letters.c.item_id.in_(part))
        previous |= {r.item_id: (r.digest, r.attempts) for r in connection.execute(select(dead_letters).where(*where))}
        connection.execute(delete(dead_letters).where(*where))
        connection.execute(delete(ledger).where(ledger.c.stage == stage.name, ledger.c.item_id.in_(part)))
    if done:
        rows = [{"stage": stage.name, "item_id": i.id, "digest": i.digest, **key} for i in done]
        connection.execute(insert(ledger), rows)
    letters = []
    for item, error in failed.items():
        digest, attempts = previous.get(item.id, ("", 0))
        attempts = attempts + 1 if digest == item.digest else 1
        message = f"{type(error).__name__}: {error}"[:1000]
        letters.append(
            {"stage": stage.name, "item_id": item.id, "digest": item.digest, **key, "error": message,
             "attempts": attempts}
        )  # fmt: skip
    if letters:
        connection.execute(insert(dead_letters), letters)


def forget(connection: Connection, stage: str, ids: Iterable[str]) -> None:
    """Drop ledger rows and dead letters of inputs that are gone."""
    for part in chunks(list(ids)):
        for table in (ledger, dead_letters):
            connection.execute(delete(table).where(table.c.stage == stage, table.c.item_id.in_(part)))


def record(connection: Connection, report: StageReport) -> None:
    """Keep a stage's last report for `brain status`."""
    connection.execute(delete(stage_runs).where(stage_runs.c.stage == report.stage))
    finished = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    connection.execute(
        insert(stage_runs).values(
            stage=report.stage, finished_at=finished, report=json.dumps(report.to_json(), ensure_ascii=False)
        )
    )


def global_digest(connection: Connection, name: str) -> str | None:
    """Input digest a whole-corpus stage last ran on; it skips when this is unchanged."""
    return get_meta(connection, f"input:{name}")


def set_global_digest(connection: Connection, name: str, digest: str) -> None:
    set_meta(connection, f"input:{name}", digest)


def digest_of(*parts: object) -> str:
    """SHA-256 hex over the JSON of the parts, order kept: for input digests and ids."""
    data = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()
