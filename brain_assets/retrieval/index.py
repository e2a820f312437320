"""The full-text index: a tantivy projection of the catalogue's live entries.

Each change makes a new index folder out of hard links to the published one, writes one delete-and-add batch and one
commit into it, and publishes it by replacing `current.json`. Readers keep the folder they opened. The ledger says what
the folder holds; a folder that is missing, broken, of another version, or too far from its compound dictionary is
built anew beside the published one.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import and_, delete, func, insert, or_, select

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval import compounds, folders
from brain_assets.retrieval import pointer as pointers
from brain_assets.retrieval.documents import VERSION, Head, Source, documents
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store import stages
from brain_assets.store.catalogue import Catalogue, generation, get_meta, set_meta
from brain_assets.store.entries import chunks
from brain_assets.store.stages import Progress, StageReport, no_progress

log = logging.getLogger(__name__)

STAGE = "search_index"
_BATCH = 400
_DRIFT = 0.05
_FOLDER, _GENERATION, _CONTENT = "index:folder", "index:generation", "index:documents"
_live = s.entries.c.deleted_on.is_(None)


@dataclass
class _Work:
    """What is to be done: ids to write and to delete, and why everything has to be written anew."""

    changed: list[str]
    gone: list[str]
    live: int
    generation: int
    rebuild: str = ""


def update(catalogue: Catalogue, settings: Settings, *, progress: Progress = no_progress) -> StageReport:
    """Bring the index to the catalogue's live entries and publish it. The caller holds the writer lock.

    `details` has entries, generation and rebuilt (the reason, or ""). Nothing changed: nothing is written.
    """
    started = time.monotonic()
    published = _published(settings)
    base, reason = _base(catalogue, settings)
    work = _difference(catalogue, base is not None)
    work.rebuild = reason
    if base and not work.changed and not work.gone and published and published.index == base.name:
        if published.generation != work.generation:
            pointers.publish(settings, replace(published, generation=work.generation))
            _remember(catalogue, work, base.name)
        return _report(catalogue, work, started)
    words: list[str] = []
    if base:
        words, drifted = _new_words(catalogue, base, work)
        if drifted:
            work.rebuild = "its compound dictionary has fallen more than 5 % behind the vocabulary"
    if work.rebuild:
        # A small vault outgrows its dictionary often, and that is as it should be; a lost index is not.
        level = logging.WARNING if reason else logging.INFO
        log.log(level, "The full-text index is built anew from the catalogue: %s.", work.rebuild)
    if not base or work.rebuild:
        base = None
        work.changed, work.gone = _live_ids(catalogue), []
    folder = _write(catalogue, settings, base, work, words, progress)
    pointers.publish(
        settings,
        pointers.Pointer(
            generation=work.generation,
            index=folder.name,
            entries=work.live,
            version=VERSION,
            vectors=_unchanged_vectors(catalogue, settings, published, base, work),
        ),
    )
    _remember(catalogue, work, folder.name, whole=base is None)
    folders.sweep(settings, keep=folder.name)
    return _report(catalogue, work, started)


def forget_folder(catalogue: Catalogue) -> None:
    """Have the next update build a first index, as in a restored brain: no folder has come with its catalogue."""
    with catalogue.begin() as connection:
        connection.execute(delete(s.meta).where(s.meta.c.key == _FOLDER))


def _published(settings: Settings) -> pointers.Pointer | None:
    try:
        return pointers.read(settings)
    except IndexUnavailableError as error:
        log.warning("%s", error.message)
        return None


def _base(catalogue: Catalogue, settings: Settings) -> tuple[folders.Folder | None, str]:
    """The folder to build on and "", or None and the reason (empty at the first build)."""
    with catalogue.read() as connection:
        name = get_meta(connection, _FOLDER)
        ledger = (s.ledger.c.stage == STAGE, s.ledger.c.code_version == str(VERSION))
        held = connection.execute(select(func.count()).select_from(s.ledger).where(*ledger)).scalar_one()
    if name is None:
        return None, ""
    try:
        folder = folders.open_folder(settings, name)
    except IndexUnavailableError as error:
        return None, error.message.rstrip(".")
    if folder.documents != held:
        return None, f"index folder {name} holds {folder.documents} entries and the catalogue says {held}"
    return folder, ""


def _difference(catalogue: Catalogue, have_base: bool) -> _Work:
    with catalogue.read() as connection:
        now = generation(connection)
        live = connection.execute(select(func.count()).select_from(s.entries).where(_live)).scalar_one()
        if not have_base:
            return _Work([], [], live, now)
        if get_meta(connection, _GENERATION) == str(now):
            return _Work([], [], live, now)
        ours = and_(s.ledger.c.stage == STAGE, s.ledger.c.item_id == s.entries.c.id)
        differs = or_(s.ledger.c.digest.is_(None), s.ledger.c.digest != s.entries.c.document_digest)
        changed = (
            select(s.entries.c.id, s.ledger.c.digest)
            .select_from(s.entries.outerjoin(s.ledger, ours))
            .where(_live, differs)
        )
        rows = [(row[0], row[1]) for row in connection.execute(changed)]
        new = sum(digest is None for _, digest in rows)
        held = select(func.count()).select_from(s.ledger).where(s.ledger.c.stage == STAGE)
        gone: list[str] = []
        if connection.execute(held).scalar_one() != live - new:
            alive = and_(s.entries.c.id == s.ledger.c.item_id, _live)
            no_more = select(s.ledger.c.item_id).select_from(s.ledger.outerjoin(s.entries, alive)).where(
                s.ledger.c.stage == STAGE, s.entries.c.id.is_(None)
            )  # fmt: skip
            gone = sorted(connection.execute(no_more).scalars())
        return _Work(sorted(entry_id for entry_id, _ in rows), gone, live, now)


def _live_ids(catalogue: Catalogue) -> list[str]:
    with catalogue.read() as connection:
        return sorted(connection.execute(select(s.entries.c.id).where(_live)).scalars())


def _new_words(catalogue: Catalogue, base: folders.Folder, work: _Work) -> tuple[list[str], bool]:
    """German words that the base's vocabulary lacks, and whether they are too many for its dictionary.

    The floor keeps a vault with hardly any German from being rebuilt for each German note.
    """
    known = base.vocabulary()
    met = compounds.count_words(_german(catalogue, work.changed))
    new = set(base.new_words()) | {word for word in met if word not in known}
    return sorted(new), len(new) > max(_DRIFT * len(known), 20 + work.live / 4)


def _german(catalogue: Catalogue, ids: Sequence[str]) -> Iterator[str]:
    for part in chunks(ids):
        with catalogue.read() as connection:
            query = select(s.entries.c.title, s.entries.c.body).where(
                s.entries.c.id.in_(part), s.entries.c.language == "de"
            )
            for title, body in connection.execute(query):
                yield f"{title}\n{body}"


def _write(
    catalogue: Catalogue,
    settings: Settings,
    base: folders.Folder | None,
    work: _Work,
    words: list[str],
    progress: Progress,
) -> folders.Folder:
    if base is None:
        counts: Counter[str] = compounds.count_words(_german(catalogue, work.changed))
        folder = folders.create(settings, compounds.dictionary(counts), sorted(counts))
    else:
        folder = folders.clone(settings, base, words)
    writer = folder.writer(large=len(work.changed) > _BATCH)
    if base is not None:
        for entry_id in (*work.changed, *work.gone):
            writer.delete_documents_by_term("id", entry_id)
    done = 0
    with _no_cycle_collection():
        for part in chunks(work.changed, _BATCH):
            for document in documents(folder.analyses, list(_sources(catalogue, part))):
                writer.add_document(document)
            done += len(part)
            progress(STAGE, done, len(work.changed))
    writer.commit()
    writer.wait_merging_threads()
    return folder


@contextlib.contextmanager
def _no_cycle_collection() -> Iterator[None]:
    """No search for reference cycles while documents are made: there are none, and it costs a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _sources(catalogue: Catalogue, ids: Sequence[str]) -> Iterator[Source]:
    e = s.entries.c
    with catalogue.read() as connection:
        digests: dict[str, list[str]] = {}
        for part in chunks(ids):
            query = (
                select(s.passages.c.entry_id, s.passages.c.digest)
                .where(s.passages.c.entry_id.in_(part))
                .order_by(s.passages.c.entry_id, s.passages.c.ordinal)
            )
            for entry_id, digest in connection.execute(query):
                digests.setdefault(entry_id, []).append(digest)
        for part in chunks(ids):
            query_entries = (
                select(e.id, e.kind, e.title, e.path, e.date, e.language, e.type, e.status, e.body, e.document)
                .where(e.id.in_(part), _live)
                .order_by(e.id)
            )
            for row in connection.execute(query_entries):
                yield _source(row, tuple(digests.get(row[0], ())))


def _source(row: Any, digests: tuple[str, ...]) -> Source:
    entry_id, kind, title, path, date, language, type_, status, body, document = row
    rest = json.loads(document)
    head = Head(entry_id, kind, title, path, date, rest["date_origin"], language, type_, status, tuple(rest["aliases"]))
    headings = tuple(heading["text"] for heading in rest["headings"])
    tags = list(rest["tags"])
    if record := rest.get("record"):
        tags += [*record["categories"], *record["keywords"]]
    links = dict.fromkeys(link["entry_id"] for link in rest["links"] if link["entry_id"])
    return Source(head, body, headings, tuple(dict.fromkeys(tags)), digests, tuple(links))


def _unchanged_vectors(
    catalogue: Catalogue,
    settings: Settings,
    published: pointers.Pointer | None,
    base: folders.Folder | None,
    work: _Work,
) -> tuple[pointers.VectorSet, ...]:
    """The published vector sets without the passages of entries that are not what they were."""
    if published is None or not published.vectors:
        return ()
    from brain_assets.retrieval import snapshots

    ids = [*work.changed, *work.gone] if base is not None else _differing(catalogue)
    return snapshots.without(settings, published.vectors, ids)


def _differing(catalogue: Catalogue) -> list[str]:
    work = _difference(catalogue, True)
    return [*work.changed, *work.gone]


def _remember(catalogue: Catalogue, work: _Work, folder: str, whole: bool = False) -> None:
    """Write to the ledger what the published folder holds."""
    with catalogue.begin() as connection:
        touched = [*work.changed, *work.gone]
        total = 0 if whole else int(get_meta(connection, _CONTENT) or "0", 16)
        if whole:
            connection.execute(delete(s.ledger).where(s.ledger.c.stage == STAGE))
        else:
            for part in chunks(touched):
                where = (s.ledger.c.stage == STAGE, s.ledger.c.item_id.in_(part))
                total -= _sum(connection.execute(select(s.ledger.c.item_id, s.ledger.c.digest).where(*where)))
                connection.execute(delete(s.ledger).where(*where))
        for part in chunks(work.changed):
            query = select(s.entries.c.id, s.entries.c.document_digest).where(s.entries.c.id.in_(part))
            rows = [(r[0], r[1]) for r in connection.execute(query)]
            total += _sum(rows)
            key = {"stage": STAGE, "code_version": str(VERSION), "model_id": ""}
            if rows:
                connection.execute(insert(s.ledger), [{"item_id": i, "digest": d, **key} for i, d in rows])
        set_meta(connection, _FOLDER, folder)
        set_meta(connection, _GENERATION, str(work.generation))
        set_meta(connection, _CONTENT, f"{total % 2**256:064x}")


def _sum(rows: Iterable[Any]) -> int:
    """A digest of a set of rows that can be kept up to date row by row: the sum of their SHA-256 values."""
    texts = (f"{row[0]}\0{row[1]}".encode("utf-8", "replace") for row in rows)
    return sum(int.from_bytes(hashlib.sha256(text).digest(), "big") for text in texts)


def _report(catalogue: Catalogue, work: _Work, started: float) -> StageReport:
    done = len(work.changed) + len(work.gone)
    report = StageReport(STAGE, pending=done, done=done, reused=max(0, work.live - len(work.changed)))
    report.seconds = round(time.monotonic() - started, 3)
    report.details = {"entries": work.live, "generation": work.generation, "rebuilt": work.rebuild}
    with catalogue.begin() as connection:
        stages.record(connection, report)
    return report


def indexed_ids(settings: Settings) -> set[str]:
    """Ids in the published index: what the asset check compares with the live entries."""
    published = pointers.read(settings)
    return folders.open_folder(settings, published.index).ids() if published else set()


__all__ = ["STAGE", "indexed_ids", "update"]
