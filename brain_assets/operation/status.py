"""How a brain stands: counts, what is pending, what failed, which generation is searchable, and whether all is well."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, select

from brain_assets.errors import IndexUnavailableError
from brain_assets.operation import checks, disk, pipeline
from brain_assets.operation.checks import CheckResult
from brain_assets.retrieval import pointer as pointers
from brain_assets.settings import Settings
from brain_assets.store import entries as store_entries
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue, generation

_DEAD_LETTERS_SHOWN = 50
_FOLLOW = ("relation_edges", "topic_clusters", "consolidations")
"""Assets made from entries by `brain build` and `brain up` only: `brain sync` and `brain watch` leave them behind."""


@dataclass
class Status:
    """How a brain stands. `unhealthy` says in sentences what is wrong, each with its remedy; empty when all is well.

    `files_seen`, `live` and `quarantined` count files; `entries` counts entries by kind. `pending` is work that the
    next run will do, in items of its stage. `notices` are sentences about what is no fault of the brain, but worth a
    decision. `disk` is in bytes.
    """

    generation: int
    files_seen: int
    live: int
    quarantined: int
    entries: dict[str, int]
    problems: list[dict[str, str]]
    pending: dict[str, int]
    dead_letters: list[dict[str, Any]]
    index: dict[str, Any]
    vector_sets: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    gaps_open: int
    contradictions_open: int
    articles_waiting: int
    model_calls: int
    learning: bool | None = None
    failed_checks: list[CheckResult] = field(default_factory=list)
    unhealthy: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    disk: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The shape of `brain status --json`."""
        return {
            "healthy": not self.unhealthy,
            "unhealthy": self.unhealthy,
            "notices": self.notices,
            "files_seen": self.files_seen,
            "live": self.live,
            "quarantined": self.quarantined,
            "problems": self.problems,
            "pending": sum(self.pending.values()),
            "pending_by_stage": self.pending,
            "dead_letters": len(self.dead_letters),
            "dead_letter_list": self.dead_letters[:_DEAD_LETTERS_SHOWN],
            "generation": self.generation,
            "entries": self.entries,
            "index": self.index,
            "vector_sets": self.vector_sets,
            "runs": self.runs,
            "gaps_open": self.gaps_open,
            "contradictions_open": self.contradictions_open,
            "articles_waiting": self.articles_waiting,
            "model_calls": self.model_calls,
            "learning": self.learning,
            "disk": self.disk,
            "failed_checks": [result.to_json() for result in self.failed_checks],
        }


def read(cat: Catalogue, settings: Settings) -> Status:
    """Look at a brain without changing anything."""
    with cat.read() as connection:
        status = _counts(connection)
        _index(status, connection, settings)
        status.notices = notices(connection, settings)
        behind = _behind(connection)
        from brain_assets.synthesis import learning

    status.disk = disk.sizes(settings)
    status.learning = learning.is_on(cat)
    status.failed_checks = [r for r in checks.evaluate(cat, settings) if r.measured.state == "failed"]
    _judge(status, behind)
    return status


def notices(connection: Connection, settings: Settings) -> list[str]:
    """What a person may want to decide about, with the command for it."""
    if settings.glpi_url is not None:
        return []
    from brain_assets.sources import glpi_sync

    left = len(glpi_sync.held(connection))
    if not left:
        return []
    return [
        f"{left} entries are from a GLPI that is no longer configured, and stay as they are. "
        "Set GLPI_URL again, or remove them with: brain sync --forget-glpi"
    ]


def _behind(connection: Connection) -> bool:
    """Whether entries have changed since relations and topics were made from them."""
    from brain_assets.graph import topics

    made = _number(connection, s.stage_runs, s.stage_runs.c.stage == topics.STAGE)
    return made > 0 and not topics.is_current(connection)


def _number(connection: Connection, table: Any, *where: Any) -> int:
    return int(connection.execute(select(func.count()).select_from(table).where(*where)).scalar() or 0)


def _counts(connection: Connection) -> Status:
    states = {r[0]: r[1] for r in connection.execute(select(s.files.c.state, func.count()).group_by(s.files.c.state))}
    problems = connection.execute(
        select(s.problems.c.source, s.problems.c.path, s.problems.c.reason, s.problems.c.severity).order_by(
            s.problems.c.source, s.problems.c.path, s.problems.c.ordinal
        )
    )
    letters = connection.execute(select(s.dead_letters).order_by(s.dead_letters.c.stage, s.dead_letters.c.item_id))
    reports = {r.stage: (r.finished_at, json.loads(r.report)) for r in connection.execute(select(s.stage_runs))}
    order = [*pipeline.STAGES, *sorted(reports.keys() - pipeline.STAGES.keys())]
    runs = [
        {"stage": name, "finished_at": reports[name][0]}
        | {key: reports[name][1].get(key) for key in ("pending", "done", "reused", "failed", "seconds", "stopped")}
        for name in order
        if name in reports
    ]
    return Status(
        generation=generation(connection),
        files_seen=sum(states.values()),
        live=states.get("live", 0),
        quarantined=states.get("quarantined", 0),
        entries=store_entries.counts(connection),
        problems=[
            {"path": r.path, "reason": r.reason, "severity": r.severity, "source": r.source} for r in problems
        ],
        pending=_pending({name: report for name, (_, report) in reports.items()}),
        dead_letters=[
            {"stage": r.stage, "id": r.item_id, "error": r.error, "attempts": r.attempts} for r in letters
        ],
        index={},
        vector_sets=[],
        runs=runs,
        gaps_open=_number(connection, s.gaps, s.gaps.c.state == "open"),
        contradictions_open=_number(connection, s.contradictions, s.contradictions.c.status.in_(("open", "confirmed"))),
        articles_waiting=_number(connection, s.articles, s.articles.c.state == "staged"),
        model_calls=_number(connection, s.llm_calls),
    )  # fmt: skip


def _pending(reports: dict[str, dict[str, Any]]) -> dict[str, int]:
    """What stages that were stopped early have left, and passages that wait for a vector."""
    left = {
        name: report["pending"] - report["done"] - report["failed"]
        for name, report in reports.items()
        if report.get("stopped") and name in pipeline.STAGES
    }
    sets = reports.get("embeddings", {}).get("details", {}).get("sets", {})
    left["embeddings"] = sum(int(one.get("missing", 0)) for one in sets.values())
    return {name: number for name, number in sorted(left.items()) if number > 0}


def _index(status: Status, connection: Connection, settings: Settings) -> None:
    try:
        published = pointers.read(settings)
    except IndexUnavailableError as error:
        status.unhealthy.append(str(error))
        return
    if published is None:
        return
    behind = published.generation != status.generation
    status.index = {"generation": published.generation, "entries": published.entries, "behind": behind}
    for one in published.vectors:
        status.vector_sets.append(
            {"id": one.id, "model": one.model, "passages": one.passages, "missing": one.missing, "published": True}
        )
    known = {one["id"] for one in status.vector_sets}
    for row in connection.execute(select(s.vector_sets).order_by(s.vector_sets.c.id)):
        if row.id not in known:
            have = _number(connection, s.vectors, s.vectors.c.set_id == row.id)
            status.vector_sets.append(
                {"id": row.id, "model": row.model, "passages": have, "missing": None, "published": False}
            )


def _judge(status: Status, behind: bool) -> None:
    if behind:
        status.notices.append(
            "Entries have changed since relations and topics were made from them. "
            "Run `brain build`, or leave it to `brain up`."
        )
    if not status.index:
        if not status.unhealthy:
            status.unhealthy.append("There is no search index. Run `brain sync`.")
    elif status.index["behind"]:
        status.pending.setdefault("search_index", 1)
        status.unhealthy.append(
            f"The index shows generation {status.index['generation']}, the catalogue is at {status.generation}. "
            "Run `brain sync`."
        )
    if status.dead_letters:
        first = status.dead_letters[0]
        status.unhealthy.append(
            f"{len(status.dead_letters)} items failed, the first is {first['id']} in {first['stage']} "
            f"({first['error']}). Correct the cause and run `brain build --retry-failed`."
        )
    for result in status.failed_checks:
        if result.blocks and not (behind and result.asset in _FOLLOW):
            measured = result.measured
            named = f" ({'; '.join(measured.examples[:3])})" if measured.examples else ""
            status.unhealthy.append(
                f"{result.asset}: {result.name} failed with {measured.value}, limit {result.limit}. "
                f"{measured.note}{named} Run `brain build`."
            )
