"""Limits of consolidations, research_rounds and staged_articles: what an article stands on, and that it may be seen."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import select

from brain_assets.model.entry import KBRecord
from brain_assets.operation.checks.base import Check, Look, Measured, fixed, none_of, not_measured
from brain_assets.operation.checks.graph import squash, texts
from brain_assets.settings import Settings
from brain_assets.store.schema import articles, consolidations, pools, research_rounds

MAX_REVIEW_DAYS = 14
_NO_FACT_BASE = "There is no fact base yet."
_NO_ROUND = "No round was needed or made."
_NO_ARTICLE = "No article is staged."


def _off(look: Look) -> Measured | None:
    if not look.settings.article_synthesis_enabled:
        return not_measured("Synthesis is switched off (BRAIN_ARTICLE_SYNTHESIS_ENABLED=false).")
    return None


def _pools(look: Look) -> list[dict[str, Any]]:
    """The pools that have a fact base."""
    have = {row.pool_id for row in look.rows(select(consolidations.c.pool_id))}
    rows = look.rows(select(pools.c.id, pools.c.pool).order_by(pools.c.id))
    return [json.loads(row.pool) for row in rows if row.id in have]


def _of_pools(offends: Callable[[dict[str, Any], Settings], str]) -> Callable[[Look], Measured]:
    """A check over all pools: `offends` gives what is wrong with one, or nothing."""

    def measure(look: Look) -> Measured:
        if (off := _off(look)) is not None:
            return off
        found = _pools(look)
        if not found:
            return not_measured(_NO_FACT_BASE)
        wrong = ((pool["id"], offends(pool, look.settings)) for pool in found)
        return none_of((f"{name}: {why}" for name, why in wrong if why), f"{len(found)} pools.")

    return measure


def _source_count(pool: dict[str, Any], settings: Settings) -> str:
    number = len(pool["sources"])
    production = round(pool["production_share"] * number)
    if production < settings.article_min_sources or number > settings.article_max_sources:
        return f"{number} sources, {production} of them production"
    return ""


def _production(pool: dict[str, Any], settings: Settings) -> str:
    share = pool["production_share"]
    return f"production share {share:.2f}" if share < settings.article_min_production_ratio else ""


def _depth(pool: dict[str, Any], settings: Settings) -> str:
    return f"depth {pool['depth']}" if pool["depth"] > settings.article_max_generation_depth else ""


def _statements(look: Look) -> Iterator[tuple[str, dict[str, Any]]]:
    """(pool id, statement) of every first fact base: what the asset consolidations itself has written."""
    query = select(consolidations.c.pool_id, consolidations.c.consolidation).where(consolidations.c.version == 1)
    for row in look.rows(query.order_by(consolidations.c.pool_id)):
        for statement in json.loads(row.consolidation)["statements"]:
            yield row.pool_id, statement


def _refs_resolve(look: Look) -> Measured:
    if (off := _off(look)) is not None:
        return off
    sources = {pool["id"]: set(pool["sources"]) for pool in _pools(look)}
    if not sources:
        return not_measured(_NO_FACT_BASE)
    wrong, number = [], 0
    for pool_id, statement in _statements(look):
        number += 1
        if not statement["source_refs"] or not set(statement["source_refs"]) <= sources.get(pool_id, set()):
            wrong.append(f"{pool_id}: {statement['text'][:80]}")
    return none_of(wrong, f"{number} statements.")


def _quotes_verbatim(look: Look) -> Measured:
    if (off := _off(look)) is not None:
        return off
    found = list(_statements(look))
    if not found:
        return not_measured(_NO_FACT_BASE)
    bodies = texts(look, {ref for _, statement in found for ref in statement["source_refs"]})
    wrong = [
        f"{pool_id}: {quote[:80]}"
        for pool_id, statement in found
        for ref, quote in zip(statement["source_refs"], statement["quotes"], strict=False)
        if not quote.strip() or squash(quote) not in bodies.get(ref, "")
    ]
    wrong += [f"{p}: a source without a quote" for p, st in found if len(st["quotes"]) != len(st["source_refs"])]
    return none_of(wrong, f"{len(found)} statements.")


def _rounds(look: Look) -> list[dict[str, Any]]:
    query = select(research_rounds.c.record).order_by(research_rounds.c.pool_id, research_rounds.c.round)
    return [json.loads(row.record) for row in look.rows(query)]


def _of_rounds(offences: Callable[[dict[str, Any], Settings], Iterable[str]]) -> Callable[[Look], Measured]:
    """A check over all rounds: `offences` gives what is wrong with one."""

    def measure(look: Look) -> Measured:
        if (off := _off(look)) is not None:
            return off
        found = _rounds(look)
        if not found:
            return not_measured(_NO_ROUND)
        wrong = [f"{r['pool_id']} round {r['round']}: {why}" for r in found for why in offences(r, look.settings)]
        return none_of(wrong, f"{len(found)} rounds.")

    return measure


def _over_budget(record: dict[str, Any], settings: Settings) -> Iterator[str]:
    if len(record["queries"]) > settings.article_max_research_queries:
        yield f"{len(record['queries'])} queries"
    pages = settings.article_research_fetch_results * max(1, len(record["questions"]))
    if len(record["fetches"]) > pages:
        yield f"{len(record['fetches'])} pages for {len(record['questions'])} questions"
    if record["outcome"] == "searched" and record["round"] > settings.article_research_rounds:
        yield f"more than {settings.article_research_rounds} rounds have searched"


def _weak_evidence(record: dict[str, Any], settings: Settings) -> Iterator[str]:
    for evidence in record["evidence"]:
        if evidence["relevance"] < settings.article_research_min_relevance:
            yield f"relevance {evidence['relevance']:.2f} of {evidence['url']}"
        if evidence["quality"] < settings.article_research_min_quality:
            yield f"quality {evidence['quality']:.2f} of {evidence['url']}"


def _not_public(record: dict[str, Any], settings: Settings) -> Iterator[str]:
    for fetch in record["fetches"]:
        if fetch.get("private") and not settings.article_research_allow_private:
            yield f"{fetch.get('url')} was fetched from a private address"


def _search_failures(look: Look) -> Measured:
    if (off := _off(look)) is not None:
        return off
    found = _rounds(look)
    if not found:
        return not_measured(_NO_ROUND)
    failed = [f"{r['pool_id']}: {r['reason'] or r['outcome']}" for r in found
              if r["outcome"] in ("search_failed", "unavailable")]  # fmt: skip
    return none_of(failed, f"{len(found)} rounds; those that could not search are tried again.")


def _staged(look: Look) -> list[tuple[Any, dict[str, Any]]]:
    rows = look.rows(select(articles).where(articles.c.state == "staged").order_by(articles.c.id))
    return [(row, json.loads(row.article)) for row in rows]


def _of_articles(offences: Callable[[dict[str, Any], Settings], Iterable[str]]) -> Callable[[Look], Measured]:
    """A check over all staged articles: `offences` gives what is wrong with one."""

    def measure(look: Look) -> Measured:
        if (off := _off(look)) is not None:
            return off
        found = _staged(look)
        if not found:
            return not_measured(_NO_ARTICLE)
        wrong = [f"{row.id}: {why}" for row, article in found for why in offences(article, look.settings)]
        return none_of(wrong, f"{len(found)} staged articles.")

    return measure


def _missed_limits(article: dict[str, Any], settings: Settings) -> Iterator[str]:
    record = article["record"]
    yield from (f"{check['name']} {check['value']}, limit {check['limit']}" for check in article["quality"]
                if not check["passed"])  # fmt: skip
    if not article["quality"]:
        yield "no quality limit was measured"
    if len(record["text"]) < settings.article_min_text_chars:
        yield f"text of {len(record['text'])} characters"
    if len(record["answer"]) < settings.article_min_answer_chars:
        yield f"answer of {len(record['answer'])} characters"
    if article["confidence"] < settings.article_min_confidence:
        yield f"confidence {article['confidence']:.2f}"
    if len(article["sources"]) < settings.article_min_sources:
        yield f"{len(article['sources'])} sources"


def _internal_wording(article: dict[str, Any], settings: Settings) -> Iterator[str]:
    from brain_assets.synthesis import wording

    record = KBRecord.model_validate(article["record"])
    shown = "\n".join([record.title, record.text, record.answer, *record.keywords, *record.categories[3:]])
    yield from wording.internal(shown)


def _files_staged(look: Look) -> Measured:
    if (off := _off(look)) is not None:
        return off
    found = _staged(look)
    names = {path.stem for path in look.settings.staging_dir.glob("*.json")}
    wrong = [f"{row.id}: its file is missing" for row, _ in found if row.id not in names]
    wrong += [f"{name}: no staged article has this file" for name in sorted(names - {row.id for row, _ in found})]
    if not found and not names:
        return not_measured(_NO_ARTICLE)
    return none_of(wrong, f"{len(names)} files.")


def _waiting(look: Look) -> Measured:
    if (off := _off(look)) is not None:
        return off
    found = _staged(look)
    if not found:
        return not_measured(_NO_ARTICLE)
    oldest = look.settings.today - dt.timedelta(days=MAX_REVIEW_DAYS)
    return none_of(
        (f"{row.id}: since {row.staged_on}" for row, _ in found if row.staged_on < oldest),
        f"{len(found)} articles await review; limit {MAX_REVIEW_DAYS} days.",
    )


CHECKS = (
    Check(
        "consolidations", "source_count", True, "Each pool has enough production sources and not too many in all.",
        lambda s: f"{s.article_min_sources}..{s.article_max_sources}", _of_pools(_source_count),
    ),
    Check(
        "consolidations", "production_share", True, "Share of each pool's sources that people wrote.",
        lambda s: s.article_min_production_ratio, _of_pools(_production),
    ),
    Check(
        "consolidations", "generation_depth", True, "Generations of articles below each pool.",
        lambda s: s.article_max_generation_depth, _of_pools(_depth),
    ),
    Check(
        "consolidations", "refs_resolve", True, "Every statement names sources of its own pool.", fixed(0),
        _refs_resolve,
    ),
    Check(
        "consolidations", "quotes_verbatim", True, "Every quote stands in its source, word for word.", fixed(0),
        _quotes_verbatim,
    ),
    Check(
        "research_rounds", "budget_kept", True, "No round asks or fetches more than it may.", fixed(0),
        _of_rounds(_over_budget),
    ),
    Check(
        "research_rounds", "evidence_minima", True, "Accepted evidence reaches the least relevance and quality.",
        fixed(0), _of_rounds(_weak_evidence),
    ),
    Check(
        "research_rounds", "pages_public", True, "Every fetched page is public, or allowed by the settings.", fixed(0),
        _of_rounds(_not_public),
    ),
    Check(
        "research_rounds", "search_failures", False, "Rounds that could not search.", fixed(0), _search_failures
    ),
    Check(
        "staged_articles", "quality_limits", True, "Every staged article keeps every quality limit.", fixed(0),
        _of_articles(_missed_limits),
    ),
    Check(
        "staged_articles", "no_internal_wording", True, "No reader finds a word about how an article was made.",
        fixed(0), _of_articles(_internal_wording),
    ),
    Check(
        "staged_articles", "files_staged", True, "Each staged article has its file, and each file its article.",
        fixed(0), _files_staged,
    ),
    Check(
        "staged_articles", "awaiting_review", False, f"Staged articles older than {MAX_REVIEW_DAYS} days.", fixed(0),
        _waiting,
    ),
)  # fmt: skip
