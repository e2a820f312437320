"""GLPI articles as KB entries: incremental by their date of change, with a full reconcile now and then."""

from __future__ import annotations

import datetime as dt
import json
import time

from sqlalchemy import Connection, delete, insert, select

from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.sources import glpi, kb, lineage
from brain_assets.store import catalogue as catalogues
from brain_assets.store import entries, schema, stages
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.store.stages import Progress, StageReport, no_progress

STAGE = "glpi_entries"
FULL_EVERY_DAYS = 7
_SINCE, _FULL_ON = "glpi:since", "glpi:full_on"
_PREFIX = "GLPI-"
_SOURCE = "glpi"
DRAFT = "glpi:draft:"
"""Key of the catalogue's meta table, before an article's id: the number of the draft that was written for it."""


def entry_id(article_id: int) -> str:
    return f"kb:{_PREFIX}{article_id}"


def sync(cat: Catalogue, settings: Settings, *, full: bool = False, progress: Progress = no_progress) -> StageReport:
    """Bring GLPI's articles into the KB. Nothing is written unless every page needed was read.

    Drafts that this brain wrote are left out, published or not: their articles are known, with their origin.

    `full`, or more than a week since the last full reconcile, reads all and makes tombstones of what is gone; else only
    what changed is read. `details`: added, changed, deleted, unchanged, quarantined, seen, full. Raises GlpiError,
    ConfigurationError.
    """
    started = time.monotonic()
    with cat.read() as connection:
        since, full_on = get_meta(connection, _SINCE), get_meta(connection, _FULL_ON)
        drafts = _drafts(connection)
        ours = set(held(connection))
        known = {i: d for i, d in entries.content_digests(connection, ("kb",)).items() if i in ours}
    due = full_on is None or (settings.today - dt.date.fromisoformat(full_on)).days >= FULL_EVERY_DAYS
    whole = full or since is None or due
    with glpi.connect(settings) as client:
        found = list(client.articles(None if whole else since))
    report = StageReport(STAGE)
    visible = [a for a in found if a.id not in drafts and _visible(a, settings.today)]
    new: list[Entry] = []
    refused: list[tuple[int, str]] = []
    for number, article in enumerate(visible, 1):
        item = to_item(article, settings)
        if isinstance(item, str):
            refused.append((article.id, item))
        elif known.get(item.id) != item.content_digest:
            new.append(item)
        progress(STAGE, number, len(visible))
    hidden = {entry_id(a.id) for a in found} - {entry_id(a.id) for a in visible}
    gone = sorted((set(known) - {entry_id(a.id) for a in visible}) if whole else set(known) & hidden)
    newest = max((a.date_mod for a in found if a.date_mod), default=since)
    with cat.begin() as connection:
        _write(connection, settings, new, gone)
        _note_refused(connection, refused, whole)
        if newest:
            set_meta(connection, _SINCE, newest)
        if whole:
            set_meta(connection, _FULL_ON, settings.today.isoformat())
        report.pending = report.done = len(new) + len(gone)
        report.reused = len(known) - len(gone) - sum(e.id in known for e in new)
        report.details = {
            "added": sum(e.id not in known for e in new), "changed": sum(e.id in known for e in new), "deleted": len(gone),
            "unchanged": report.reused, "quarantined": len(refused), "seen": len(found), "full": whole,
        }  # fmt: skip
        report.seconds = round(time.monotonic() - started, 3)
        stages.record(connection, report)
    if new or gone:
        lineage.settle_pending(cat, settings)
    return report


def held(connection: Connection) -> list[str]:
    """Ids of the live entries that came from GLPI; one of a KB file may look like it but has another path."""
    c = schema.entries.c
    ours = (c.kind == "kb", c.deleted_on.is_(None), c.id.startswith(f"kb:{_PREFIX}", autoescape=True))
    rows = connection.execute(select(c.id, c.path).where(*ours).order_by(c.id))
    return [row.id for row in rows if row.path == f"glpi/{row.id.removeprefix(f'kb:{_PREFIX}')}"]


def forget(cat: Catalogue, settings: Settings) -> int:
    """Make tombstones of all entries that came from GLPI; the next sync with it reads everything. Returns how many."""
    with cat.begin() as connection:
        gone = held(connection)
        _write(connection, settings, [], gone)
        _note_refused(connection, [], whole=True)
        connection.execute(delete(schema.meta).where(schema.meta.c.key.in_((_SINCE, _FULL_ON))))
    if gone:
        lineage.settle_pending(cat, settings)
    return len(gone)


def to_item(article: glpi.Article, settings: Settings) -> Entry | str:
    """The KB entry of an article, or why it is none."""
    host = (settings.glpi_url or "").split("/api")[0].rstrip("/")
    record = {
        "id": f"{_PREFIX}{article.id}",
        "title": article.name,
        "text": "",
        "answer": article.html,
        "categories": [c.split(" > ")[-1] for c in article.categories],
        "source": "GLPI",
        "source_uri": f"{host}/front/knowbaseitem.form.php?id={article.id}",
        "date_mod": article.date_mod,
        "is_faq": article.is_faq,
    }
    data = json.dumps(record, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
    item = kb.read_file(f"glpi/{article.id}", data)[0]
    return item.entry if item.entry is not None else item.reason


def _drafts(connection: Connection) -> set[int]:
    query = select(schema.meta.c.value).where(schema.meta.c.key.startswith(DRAFT, autoescape=True))
    return {int(number) for number in connection.execute(query).scalars()}


def _visible(article: glpi.Article, today: dt.date) -> bool:
    """Whether an article's own dates let it be seen today."""
    day = today.isoformat()
    return not (article.begins and article.begins[:10] > day) and not (article.ends and article.ends[:10] < day)


def _write(connection: Connection, settings: Settings, new: list[Entry], gone: list[str]) -> None:
    if new:
        entries.put(connection, new)
        lineage.mark(connection)
    if gone:
        entries.tombstone(connection, gone, settings.today)
    if new or gone:
        catalogues.bump_generation(connection)


def _note_refused(connection: Connection, refused: list[tuple[int, str]], whole: bool) -> None:
    """Keep the reason of every article that gives no entry; a full reconcile forgets those that are gone."""
    problems = schema.problems
    rows = [(f"glpi/{number}", reason) for number, reason in refused]
    stale = delete(problems).where(problems.c.source == _SOURCE)
    connection.execute(stale if whole else stale.where(problems.c.path.in_([path for path, _ in rows])))
    for path, reason in rows:
        connection.execute(
            insert(problems).values(source=_SOURCE, path=path, ordinal=0, reason=reason, severity="quarantined")
        )
