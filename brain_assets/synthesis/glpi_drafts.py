"""Approved articles as drafts in GLPI: no FAQ entry, no visibility target, read back and compared."""

from __future__ import annotations

import logging
from typing import Any

from brain_assets.errors import BrainError
from brain_assets.model.entry import KBRecord
from brain_assets.settings import Settings
from brain_assets.sources import glpi, glpi_sync
from brain_assets.sources.markup import readable
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.text import words

log = logging.getLogger(__name__)


def write(cat: Catalogue, settings: Settings, record: KBRecord) -> dict[str, Any]:
    """Create the draft once and say what became of it: `{"id", "draft", "problems"}`, or `{"error", "remedy"}`.

    GLPI knows no draft state: one that is neither FAQ nor visible to anybody is a draft. An approval stands whatever
    GLPI answers; a draft that exists already is only read back.
    """
    key = f"{glpi_sync.DRAFT}{record.id}"
    try:
        with glpi.connect(settings) as client:
            with cat.read() as connection:
                known = get_meta(connection, key)
            number = int(known) if known else client.create(record.title, to_html(record))
            if not known:
                with cat.begin() as connection:
                    set_meta(connection, key, str(number))
            problems = _verify(client, number, record)
    except BrainError as error:
        log.warning("The GLPI draft of %s was not written: %s", record.id, error.message)
        return {"error": error.message, "remedy": error.remedy}
    return {"id": number, "draft": not problems, "problems": problems}


def to_html(record: KBRecord) -> str:
    """An article's text and answer as HTML; HTML in it is shown as text, never executed."""
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    return str(renderer.render(f"{record.text}\n\n{record.answer}"))


def _verify(client: glpi.Client, number: int, record: KBRecord) -> list[str]:
    """What differs between what was sent and what GLPI kept."""
    kept = client.article(number)
    if kept is None:
        return ["GLPI does not show the article it created; the account may create and not read."]
    problems = []
    if kept.is_faq:
        problems.append("GLPI made it a FAQ entry: the account has the right to publish only. Take it out of the FAQ.")
    if targets := client.targets(number):
        problems.append(f"GLPI made it visible to {targets} targets. Remove them to keep it a draft.")
    if words.nfc(kept.name).strip() != words.nfc(record.title).strip():
        problems.append("GLPI kept another title.")
    sent = set(words.tokens(readable(to_html(record))))
    got = set(words.tokens(readable(kept.html)))
    if len(sent & got) < 0.95 * len(sent):
        problems.append("GLPI kept another text; compare it by hand.")
    return problems
