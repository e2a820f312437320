"""Whether a quote of the web agrees with what the team's own sources state."""

from __future__ import annotations

from collections.abc import Mapping

from brain_assets.model.entry import Entry
from brain_assets.research.page import WebPage, digest
from brain_assets.text import language as languages

LEAST_CONFIDENCE = 0.7
_MAX_SOURCE_CHARS = 40_000


def conflict(page: WebPage, quote: str, sources: Mapping[str, str]) -> str:
    """What of the sources a quote contradicts, in words; empty when nothing.

    The same comparison that finds contradictions between entries: values, versions, dates, hosts, yes and no of one
    thing in one scope.
    """
    from brain_assets.graph import contradictions

    said = _entry("web:quote", page.title, quote, page.language)
    for source_id, text in sorted(sources.items()):
        title, _, body = text[:_MAX_SOURCE_CHARS].partition("\n")
        source = _entry(source_id, title, body, languages.detect(text))
        for found in contradictions.between(said, source):
            if found.strength == "strong" and found.confidence >= LEAST_CONFIDENCE:
                return f"contradicts {source_id}: “{found.b_quote[:120]}”"
    return ""


def _entry(entry_id: str, title: str, body: str, language: str) -> Entry:
    text_digest = digest(f"{title}\n{body}")
    kind = "web" if entry_id.startswith("web:") else "note"
    return Entry(
        id=entry_id, kind=kind, path=None, title=title, body=body, language=language, content_digest=text_digest,
        text_digest=text_digest,
    )  # fmt: skip
