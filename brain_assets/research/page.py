"""A web page as the product keeps it: its visible text, where it came from, and who stands behind it."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Any

from brain_assets.model.entry import Entry
from brain_assets.text import words


def digest(text: str) -> str:
    """SHA-256 hex of a page's text: names its file in `evidence/` and its entry id."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class WebPage:
    """The extracted text of one fetched page.

    `text` is NFC and is what quotes are offsets into; `digest` is its SHA-256. `published` is an ISO date the page
    states, `organisation` the author or publisher it names (both None when it says nothing). `truncated` says that
    the page went on; `extractor` is `readability`, `trafilatura` or `plain`;
    `login_form` that it asks for a password;
    `hidden_instructions` that text nobody sees addresses machines.
    """

    url: str
    final_url: str
    title: str
    text: str
    digest: str
    language: str
    site: str = ""
    published: str | None = None
    organisation: str | None = None
    extractor: str = "readability"
    truncated: bool = False
    login_form: bool = False
    hidden_instructions: bool = False
    source_class: str = "unknown"
    fetched_on: str = ""

    @property
    def entry_id(self) -> str:
        return f"web:{self.digest[:16]}"

    def to_entry(self) -> Entry:
        """The page as an entry of kind `web`: never production knowledge, its origin in `fields`.

        Passages are left to the caller, who owns the splitter.
        """
        fields: dict[str, Any] = {
            "url": self.final_url,
            "site": self.site,
            "organisation": self.organisation,
            "source_class": self.source_class,
            "fetched_on": self.fetched_on,
            "extractor": self.extractor,
            "truncated": self.truncated,
            "untrusted": True,
        }
        return Entry(
            id=self.entry_id,
            kind="web",
            path=None,
            title=self.title,
            body=self.text,
            language=self.language,
            date=dt.date.fromisoformat(self.published) if self.published else None,
            date_origin="page" if self.published else None,
            source=self.final_url,
            fields=fields,
            content_digest=self.digest,
            text_digest=digest(f"{words.nfc(self.title)}\n{self.text}"),
        )
