"""What an asset shows of itself: small, readable, and harmless whatever a text contains."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from sqlalchemy import insert

from brain_assets.definitions import defs
from brain_assets.defs import jobs, samples
from brain_assets.settings import Settings
from brain_assets.store import schema
from brain_assets.store.catalogue import Catalogue


def _stage(cat: Catalogue, answer: str, state: str = "staged") -> None:
    record = {"title": "Drucker ![x](http://203.0.113.1/x.png)", "text": "Worum es geht.", "answer": answer}
    article = {
        "record": record, "type": "how_to", "decision": "update", "target": "kb:KB-1", "confidence": 0.9, "version": 2,
        "sources": ["note:gone.md"],
    }  # fmt: skip
    with cat.begin() as connection:
        connection.execute(
            insert(schema.articles).values(
                id="KB-AI-THINK-ARTICLE-1", version=2, pool_id="p", state=state, staged_on=dt.date(2026, 12, 1),
                input_digest="d", article=json.dumps(article),
            )
        )  # fmt: skip


def test_an_article_is_previewed_with_its_decision_and_sources(cat: Catalogue) -> None:
    _stage(cat, "1. Einschalten: `lp -d drucker`.")
    with cat.read() as connection:
        text = samples.preview(connection)
    assert "KB-AI-THINK-ARTICLE-1 (how_to, update kb:KB-1, confidence 0.90, version 2)" in text
    assert "Worum es geht.\n\n1. Einschalten: `lp -d drucker`." in text
    assert "None of its sources is left." in text


def test_a_preview_makes_no_browser_fetch_a_picture(cat: Catalogue) -> None:
    _stage(cat, 'a ![y](https://203.0.113.1/y.png) <IMG src="https://203.0.113.1/z.png">')
    with cat.read() as connection:
        text = samples.preview(connection)
    assert "![" not in text
    assert "<img" not in text.casefold()


def test_a_long_preview_ends_at_a_line_and_closes_its_fence(cat: Catalogue) -> None:
    _stage(cat, "```\n" + "äöü ß\n" * 2000 + "```\n")
    with cat.read() as connection:
        text = samples.preview(connection)
    assert len(text.encode()) <= samples.MAX_BYTES
    assert text.count("```") == 2
    assert "(the rest is in its file)" in text
    assert "## Sources" in text


def test_without_a_staged_article_the_preview_says_so(cat: Catalogue) -> None:
    _stage(cat, "x", state="rejected")
    with cat.read() as connection:
        assert samples.preview(connection) == "No article waits for review."


def test_a_cell_stays_one_cell() -> None:
    (line,) = samples.table(("a", "b"), [("x|y\nz", "`<b>[l](u)")]).splitlines()[2:]
    assert line == r"| x\|y z | \`&lt;b>\[l](u) |"


def test_a_contradiction_shows_both_sides_and_a_stale_source_its_age() -> None:
    quote = "Die MTU des Tunnels wg0 zum Lager beträgt nach der Umstellung des Providers im Herbst 1420 Byte."
    gaps = {
        "stale": [{"id": "note:a.md", "path": "a.md", "age_days": 630, "severity": "due", "reason": "date 2025-03-11"}],
        "contradiction": [
            {
                "subject": "MTU",
                "a": "note:a.md",
                "a_quote": quote,
                "b": "note:b.md",
                "b_quote": quote.replace("1420", "9"),
            }
        ],
    }
    value = {
        "query": "?", "sources": [], "gaps": gaps, "attempts": [], "coverage": "good", "mode": "extractive", "took_ms": 1,
    }  # fmt: skip
    text = jobs.think_metadata(value, "")["gaps"].value
    assert "1420 Byte" in text
    assert "Herbst 9 Byte" in text
    assert "630 days old, due: date 2025-03-11" in text


def test_descriptions_begin_in_plain_words() -> None:
    """Lists of assets, sensors and jobs show the first words as they are, with their asterisks and backticks."""
    repository = defs.get_repository_def()
    graph = repository.asset_graph
    told = {key.to_user_string(): graph.get(key).description or "" for key in graph.get_all_asset_keys()}
    told = {name: text.splitlines()[0] for name, text in told.items()}
    told |= {sensor.name: sensor.description or "" for sensor in repository.sensor_defs}
    told |= {schedule.name: schedule.description or "" for schedule in repository.schedule_defs}
    assert not {name: text for name, text in told.items() if not text or set("*`") & set(text)}


def test_what_models_cost_is_told_or_said_to_be_unknown(cat: Catalogue, settings: Settings) -> None:
    def log(model: str, provider: str) -> None:
        values = {"run_id": "r", "at": "2026-12-01", "purpose": "judge", "provider": provider, "model": model,
                  "prompt_version": "judge/1", "input_tokens": 1_000_000, "output_tokens": 100_000, "ms": 5,
                  "outcome": "ok"}  # fmt: skip
        with cat.begin() as connection:
            connection.execute(insert(schema.llm_calls).values(**values))

    def cost(since: int) -> float | None:
        with cat.read() as connection:
            return samples.cost_since(connection, settings, since)

    assert cost(0) == 0
    log("gpt-6-luna", "openai")
    assert cost(0) == pytest.approx(0.10 + 0.05)
    with cat.read() as connection:
        after = samples.last_call(connection)
    log("qwen3:8b", "ollama")
    assert cost(after) == 0, "what runs here costs nothing"
    log("unheard-of", "compatible")
    assert cost(after) is None
    assert cost(after + 2) == 0


def test_an_article_leads_to_its_files_and_sources(cat: Catalogue, settings: Settings) -> None:
    _stage(cat, "1. Einschalten.")
    with cat.read() as connection:
        told = samples.files_of_articles(connection, settings)
    assert "staging/KB-" in told and "article-metadata/KB-" in told
    assert "note:" in told


def test_what_stopped_pools_is_told(cat: Catalogue, settings: Settings) -> None:
    with cat.read() as connection:
        assert samples.articles(connection, settings)["refused"].value == "No pool was refused."
