"""Review of staged articles: list, show, diff, approve, reject, history. Every decision keeps who, when and why."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from brain_assets.errors import BrainError, ConfigurationError, NotFoundError
from brain_assets.model.entry import KBRecord
from brain_assets.model.synthesis import Article
from brain_assets.settings import Settings
from brain_assets.store import entries, files, schema
from brain_assets.store.catalogue import Catalogue
from brain_assets.synthesis import linking, staging, tables


def list_articles(cat: Catalogue, settings: Settings) -> dict[str, Any]:
    """Articles of every state but `superseded`, and the refused pools: the JSON of `brain articles list`."""
    with cat.read() as connection:
        articles = [a for a in tables.load_articles(connection) if a.state != "superseded"]
        refused = tables.load_refusals(connection)
        paths = _paths(connection, [s for a in articles for s in a.sources])
    return {
        "articles": [
            {
                "id": a.id, "title": a.record.title, "type": a.type, "decision": a.decision, "target": a.target,
                "confidence": a.confidence, "sources": list(a.sources), "state": a.state, "version": a.version,
                "path": _path(settings, a), "source_paths": [paths.get(s) for s in a.sources],
                "edited": _edited(settings, a),
            }
            for a in articles
        ],
        "refused": [
            {"sources": list(r.sources), "decision": r.decision, "reason": r.reason, "target": r.target, "title": r.title}
            for r in refused
        ],
    }  # fmt: skip


def show(cat: Catalogue, settings: Settings, article_id: str) -> dict[str, Any]:
    """One article as staged, with everything internal beside it: the JSON of `brain articles show ID`."""
    with cat.read() as connection:
        article = _get(connection, article_id)
        meta = tables.load_versions(connection, article.id)[-1][3]
        paths = _paths(connection, article.sources)
        titles = {e.id: e.title for e in entries.load(connection, ids=article.sources)}
    sources = [{"id": s, "path": paths.get(s), "title": titles.get(s, "")} for s in article.sources]
    record = article.record
    if article.state == "staged" and _edited(settings, article):
        record = staging.read_staged(settings, article.id)
    return {
        "article": staging.record_json(record),
        "meta": {**meta, "state": article.state, "source_list": sources, "edited": _edited(settings, article)},
    }


def diff(cat: Catalogue, settings: Settings, article_id: str) -> dict[str, Any]:
    """What the latest version changed: against the version before, or against the target it would replace."""
    with cat.read() as connection:
        article = _get(connection, article_id)
        versions = tables.load_versions(connection, article.id)
        target = entries.get(connection, article.target) if article.target else None
    parts = []
    if len(versions) > 1:
        old = versions[-2]
        parts.append(
            staging.difference(old[2].record, article.record, (f"version {old[0]}", f"version {article.version}"))
        )
    if target is not None and target.record is not None:
        parts.append(staging.difference(target.record, article.record, (target.id, article.id)))
    if article.state == "staged" and _edited(settings, article):
        edited = staging.read_staged(settings, article.id)
        parts.append(staging.difference(article.record, edited, (f"version {article.version}", "edited by hand")))
    return {
        "id": article.id,
        "version": article.version,
        "target": article.target,
        "diff": "\n".join(p for p in parts if p),
    }


def approve(
    cat: Catalogue, settings: Settings, article_id: str, *, who: str | None = None, why: str = ""
) -> dict[str, Any]:
    """Add the staged article to the KB folder as `ID.json`; nothing that is there is ever overwritten.

    Killed midway, the next call completes the decision: the same file is not written twice, nothing is recorded twice.
    For update and merge the target is recorded as superseded, its file stays. With GLPI_URL set, a draft is written there
    too, and its outcome is told in `glpi`; an approval does not depend on it. Raises NotFoundError, BrainError
    (not staged, edited into something invalid, a file of that name exists), ConfigurationError (folder not writable).
    """
    with cat.read() as connection:
        article = _get(connection, article_id)
    path = settings.kb_dir / f"{article.id}.json"
    if article.state == "approved" and staging.file_of(settings, article.id).is_file() and path.is_file():
        # Killed after the decision was recorded: what is left is to take the article out of the staging area.
        record = article.record
    else:
        _require_staged(article)
        record = staging.read_staged(settings, article.id)
        _add(settings, path, record)
        with cat.begin() as connection:
            article = tables.set_state(connection, article, "approved")
            _record(connection, article, "approved", who, why, settings)
            linking.unlink(connection, article.id, settings)
            if article.target:
                linking.supersede(connection, f"kb:{article.id}", article.target, f"approved {article.decision}")
    staging.unstage(settings, article.id)
    outcome: dict[str, Any] = {
        "id": article.id, "state": "approved", "path": str(path), "target": article.target,
    }  # fmt: skip
    if settings.glpi_url is not None:
        from brain_assets.synthesis import glpi_drafts

        outcome["glpi"] = glpi_drafts.write(cat, settings, record)
    return outcome


def _add(settings: Settings, path: Path, record: KBRecord) -> None:
    """Write the KB file, never over another one. The very same file is what a killed approval left: it is taken."""
    wanted = staging.as_text(record)
    if path.exists():
        if path.read_bytes() == wanted.encode("utf-8"):
            return
        raise BrainError(f"{path} is already there.", "It is not overwritten; move it away or reject the article.")
    if not settings.kb_dir.is_dir():
        raise ConfigurationError(
            f"The KB folder {settings.kb_dir} is not there.", "Create it, or set --kb or BRAIN_KB_DIR."
        )
    try:
        files.write_atomic(path, wanted)
    except OSError as error:
        raise ConfigurationError(
            f"The KB folder {settings.kb_dir} cannot be written ({error.strerror}).",
            "Correct its permissions; the article stays staged.",
        ) from error


def reject(
    cat: Catalogue, settings: Settings, article_id: str, *, who: str | None = None, why: str = ""
) -> dict[str, Any]:
    """Keep an article out and remember why; its pool comes again only when its sources change."""
    with cat.begin() as connection:
        article = _get(connection, article_id)
        _require_staged(article)
        article = tables.set_state(connection, article, "rejected")
        _record(connection, article, "rejected", who, why, settings)
        linking.unlink(connection, article.id, settings)
    staging.unstage(settings, article.id)
    return {"id": article.id, "state": "rejected", "why": why}


def history(cat: Catalogue, settings: Settings, article_id: str) -> dict[str, Any]:
    """Versions and decisions of an article, oldest first."""
    with cat.read() as connection:
        article = _get(connection, article_id)
        versions = [
            {"version": v, "on": day.isoformat(), "title": a.record.title, "confidence": a.confidence}
            for v, day, a, _ in tables.load_versions(connection, article.id)
        ]
        rows = connection.execute(
            select(schema.reviews).where(schema.reviews.c.article_id == article.id).order_by(schema.reviews.c.id)
        )
        reviews = [
            {"action": r.action, "version": r.version, "who": r.who, "on": r.on.isoformat(), "why": r.why} for r in rows
        ]
    return {"id": article.id, "state": article.state, "versions": versions, "reviews": reviews}


def _record(connection: Any, article: Article, action: str, who: str | None, why: str, settings: Settings) -> None:
    digest = connection.execute(
        select(schema.articles.c.input_digest).where(schema.articles.c.id == article.id)
    ).scalar()
    connection.execute(
        insert(schema.reviews).values(
            article_id=article.id, version=article.version, action=action, who=who or getpass.getuser(),
            on=settings.today, why=why, source_digest=digest,
        )
    )  # fmt: skip


def _get(connection: Any, article_id: str) -> Article:
    """An article by its id, its `article:` id, or an ending of it that names just one."""
    wanted = article_id.removeprefix("article:")
    if (article := tables.load_article(connection, wanted)) is not None:
        return article
    close = [a for a in tables.load_articles(connection) if len(wanted) >= 4 and a.id.endswith(wanted)]
    if len(close) == 1:
        return close[0]
    raise NotFoundError(f"There is no article {article_id}.", "List them with: brain articles list")


def _require_staged(article: Article) -> None:
    if article.state != "staged":
        raise BrainError(f"{article.id} is {article.state}, not staged.", "See: brain articles history " + article.id)


def _edited(settings: Settings, article: Article) -> bool:
    """Whether somebody changed the staging file by hand."""
    path = staging.file_of(settings, article.id)
    if article.state != "staged" or not path.is_file():
        return False
    return path.read_text(encoding="utf-8") != staging.as_text(article.record)


def _path(settings: Settings, article: Article) -> str | None:
    path = staging.file_of(settings, article.id)
    return str(path) if path.is_file() else None


def _paths(connection: Any, ids: Any) -> dict[str, str | None]:
    return {e.id: e.path for e in entries.load(connection, ids=list(ids))}
