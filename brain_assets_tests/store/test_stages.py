"""The one batch loop: it resumes, reuses, isolates failures, and commits results together with the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from brain_assets.errors import BudgetExhausted
from brain_assets.store import schema, stages
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.store.stages import Item, Stage


def _items(n: int) -> list[Item]:
    return [Item(f"i{k:03}", f"d{k}") for k in range(n)]


class Work:
    """A stage body that writes each result under its id and remembers what it was asked."""

    def __init__(self, bad: set[str] | None = None) -> None:
        self.bad = bad or set()
        self.asked: list[str] = []

    def compute(self, batch: list[Item]) -> Mapping[str, Any]:
        self.asked += [item.id for item in batch]
        if broken := [item.id for item in batch if item.id in self.bad]:
            raise ValueError(f"cannot read {broken[0]}")
        return {item.id: item.digest for item in batch}

    def commit(self, connection: Connection, results: dict[str, Any]) -> None:
        for key, value in results.items():
            set_meta(connection, f"result:{key}", value)


def _results(cat: Catalogue) -> int:
    with cat.read() as connection:
        return connection.execute(select(func.count()).where(schema.meta.c.key.like("result:%"))).scalar_one()


def test_a_second_run_does_no_work(cat: Catalogue) -> None:
    work = Work()
    first = stages.run(cat, Stage("s", batch_size=4), _items(10), work.compute, work.commit)
    assert (first.pending, first.done, first.reused, first.failed) == (10, 10, 0, 0)
    work.asked.clear()
    second = stages.run(cat, Stage("s", batch_size=4), _items(10), work.compute, work.commit)
    assert (second.pending, second.done, second.reused) == (0, 0, 10)
    assert work.asked == []


@pytest.mark.parametrize("change", ["digest", "code", "model"])
def test_a_change_of_input_code_or_model_makes_work_pending(cat: Catalogue, change: str) -> None:
    work = Work()
    stages.run(cat, Stage("s"), _items(3), work.compute, work.commit)
    items, stage = _items(3), Stage("s")
    if change == "digest":
        items[1] = Item(items[1].id, "other")
    else:
        stage = Stage("s", code_version="2") if change == "code" else Stage("s", model_id="m")
    assert stages.run(cat, stage, items, work.compute, work.commit).pending == (1 if change == "digest" else 3)


def test_one_bad_item_costs_only_itself_and_is_parked_after_three_runs(cat: Catalogue) -> None:
    work = Work(bad={"i002"})
    for run in range(1, 4):
        report = stages.run(cat, Stage("s", batch_size=5), _items(5), work.compute, work.commit)
        assert report.failed == 1
        with cat.read() as connection:
            letter = connection.execute(select(schema.dead_letters)).one()
        assert (letter.item_id, letter.attempts) == ("i002", run)
        assert "cannot read i002" in letter.error
    assert _results(cat) == 4
    report = stages.run(cat, Stage("s", batch_size=5), _items(5), work.compute, work.commit)
    assert (report.pending, report.failed, report.parked) == (0, 0, 1)
    changed = [*_items(5)]
    changed[2] = Item("i002", "mended")
    work.bad.clear()
    assert stages.run(cat, Stage("s"), changed, work.compute, work.commit).done == 1
    with cat.read() as connection:
        assert connection.execute(select(schema.dead_letters)).all() == []


def test_retry_parked_asks_again(cat: Catalogue) -> None:
    work = Work(bad={"i000"})
    for _ in range(3):
        stages.run(cat, Stage("s"), _items(1), work.compute, work.commit)
    work.bad.clear()
    report = stages.run(cat, Stage("s"), _items(1), work.compute, work.commit, retry_parked=True)
    assert report.done == 1


def test_a_stage_may_fail_single_items_itself(cat: Catalogue) -> None:
    def compute(batch: list[Item]) -> Mapping[str, Any]:
        return {i.id: ValueError("no") if i.id == "i001" else i.digest for i in batch}

    report = stages.run(cat, Stage("s"), _items(3), compute, Work().commit)
    assert (report.done, report.failed) == (2, 1)


def test_results_and_ledger_are_one_transaction(cat: Catalogue) -> None:
    def commit(connection: Connection, results: dict[str, Any]) -> None:
        Work().commit(connection, results)
        if "i005" in results:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stages.run(cat, Stage("s", batch_size=2), _items(8), Work().compute, commit)
    assert _results(cat) == 4
    with cat.read() as connection:
        assert connection.execute(select(func.count()).select_from(schema.ledger)).scalar_one() == 4
    resumed = stages.run(cat, Stage("s", batch_size=2), _items(8), Work().compute, Work().commit)
    assert (resumed.reused, resumed.done) == (4, 4)


def test_an_exhausted_budget_keeps_what_was_done(cat: Catalogue) -> None:
    calls = 0

    def compute(batch: list[Item]) -> Mapping[str, Any]:
        nonlocal calls
        for _ in batch:
            calls += 1
            if calls > 5:
                raise BudgetExhausted("The budget of 5 model calls is used up.")
        return {item.id: item.digest for item in batch}

    report = stages.run(cat, Stage("s", batch_size=1), _items(9), compute, Work().commit)
    assert (report.done, report.failed) == (5, 0)
    assert "budget" in report.stopped


def test_vanished_inputs_leave_the_ledger(cat: Catalogue) -> None:
    work = Work()
    stages.run(cat, Stage("s"), _items(4), work.compute, work.commit)
    stages.run(cat, Stage("s"), _items(2), work.compute, work.commit)
    with cat.read() as connection:
        assert set(connection.execute(select(schema.ledger.c.item_id)).scalars()) == {"i000", "i001"}


def test_meta_values_are_replaced(cat: Catalogue) -> None:
    with cat.begin() as connection:
        set_meta(connection, "k", "1")
        set_meta(connection, "k", "2")
        assert get_meta(connection, "k") == "2"
        assert get_meta(connection, "absent") is None
