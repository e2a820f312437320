"""Pages and searches, kept: what was fetched or asked once is not fetched or asked again while it is fresh.

    evidence/DIGEST.txt          the text of a page, named by its SHA-256; quotes are offsets into it
    evidence/pages/KEY.json      one URL: the page's origin and digest, or why it could not be had
    evidence/searches/KEY.json   one query in one language: its hits

A damaged or altered file counts as absent. Failures and searches hold for the day, pages for
BRAIN_ARTICLE_RESEARCH_CACHE_DAYS.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, get_args

from brain_assets.research import urls
from brain_assets.research.extract import Extractor
from brain_assets.research.fetch import Fetched
from brain_assets.research.page import WebPage, digest
from brain_assets.research.searxng import Answer, Hit
from brain_assets.research.transport import FetchFailed, Reason
from brain_assets.settings import Settings
from brain_assets.store import files

_VERSION = 1
_REASONS = frozenset(get_args(Reason))


class PageFetcher(Protocol):
    """Something that fetches a page safely, or raises FetchFailed."""

    def fetch(self, url: str) -> Fetched: ...


@dataclass(frozen=True, slots=True)
class Read:
    """A page that was read. `cached`: nothing was fetched. `private`: from an address only ALLOW_PRIVATE opens."""

    page: WebPage
    cached: bool
    private: bool
    wire_bytes: int
    hops: tuple[str, ...] = ()


class Store:
    """The files above, under the evidence folder."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.evidence_dir
        self._today = settings.today
        self._days = settings.article_research_cache_days

    def text(self, page_digest: str) -> str | None:
        """The stored text of a page, if it still is what its name says."""
        try:
            text = (self._folder / f"{page_digest}.txt").read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        return text if digest(text) == page_digest else None

    def page(self, url: str) -> tuple[WebPage, dict[str, Any]] | FetchFailed | None:
        """A fresh page with details of its fetch, why it could not be had today, or None when it is to be fetched."""
        record = self._load("pages", urls.normalise(url))
        if record is None:
            return None
        if failure := record.get("failure"):
            reason = failure.get("reason")
            fresh = record.get("on") == self._today.isoformat() and reason in _REASONS
            return FetchFailed(reason, str(failure.get("detail", ""))) if fresh else None
        if not self._fresh(record.get("on"), self._days):
            return None
        return self._rebuilt(record)

    def page_of(self, page_digest: str) -> WebPage | None:
        """A page by its digest, whatever its age: for evidence that stands on it."""
        text = self.text(page_digest)
        record = self._load("digests", page_digest)
        if text is None or record is None:
            return None
        found = self._rebuilt(record)
        return found[0] if found else None

    def _rebuilt(self, record: dict[str, Any]) -> tuple[WebPage, dict[str, Any]] | None:
        try:
            text = self.text(record["page"]["digest"])
            return (WebPage(text=text, **record["page"]), record.get("fetch", {})) if text is not None else None
        except (KeyError, TypeError):
            return None

    def keep_page(self, url: str, page: WebPage, fetch: dict[str, Any]) -> None:
        files.write_atomic(self._folder / f"{page.digest}.txt", page.text)
        described = {name: value for name, value in asdict(page).items() if name != "text"}
        record = {"on": self._today.isoformat(), "url": url, "page": described, "fetch": fetch}
        self._save("digests", page.digest, record)
        self._save("pages", urls.normalise(url), record)

    def keep_failure(self, url: str, failure: FetchFailed) -> None:
        self._save(
            "pages",
            urls.normalise(url),
            {
                "on": self._today.isoformat(),
                "url": url,
                "failure": {"reason": failure.reason, "detail": failure.detail},
            },
        )

    def search(self, query: str, language: str, limit: int) -> Answer | None:
        """The answer this query got today."""
        record = self._load("searches", f"{language}\n{limit}\n{query}")
        if record is None or record.get("on") != self._today.isoformat():
            return None
        try:
            hits = tuple(Hit(**{**hit, "engines": tuple(hit["engines"])}) for hit in record["hits"])
            return Answer(hits, int(record["dropped"]), tuple(record["partial"]))
        except (KeyError, TypeError, ValueError):
            return None

    def keep_search(self, query: str, language: str, limit: int, answer: Answer) -> None:
        record = {"on": self._today.isoformat(), "query": query, "language": language, "dropped": answer.dropped,
                  "partial": list(answer.partial), "hits": [asdict(hit) for hit in answer.hits]}  # fmt: skip
        self._save("searches", f"{language}\n{limit}\n{query}", record)

    def _fresh(self, on: object, days: int) -> bool:
        try:
            age = (self._today - dt.date.fromisoformat(str(on))).days
        except ValueError:
            return False
        return 0 <= age <= days

    def _path(self, kind: str, key: str) -> Path:
        return self._folder / kind / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"

    def _load(self, kind: str, key: str) -> dict[str, Any] | None:
        try:
            record = json.loads(self._path(kind, key).read_bytes())
        except (OSError, ValueError):
            return None
        usable = isinstance(record, dict) and record.get("key") == key and record.get("version") == _VERSION
        return record if usable else None

    def _save(self, kind: str, key: str, record: dict[str, Any]) -> None:
        files.write_json(self._path(kind, key), {"version": _VERSION, "key": key, **record})


class Pages:
    """Reads pages: from the store while they are fresh, else fetched, extracted and kept."""

    def __init__(self, settings: Settings, fetcher: PageFetcher, extractor: Extractor | None = None) -> None:
        self.store = Store(settings)
        self._fetcher = fetcher
        self._extractor = extractor or Extractor(max_chars=settings.article_research_page_max_chars)
        self._today = settings.today.isoformat()

    def close(self) -> None:
        """End the extracting process."""
        self._extractor.close()

    def read(self, url: str) -> Read:
        """The page at a URL. Raises FetchFailed with its typed reason, also for a page that failed today before."""
        kept = self.store.page(url)
        if isinstance(kept, FetchFailed):
            raise kept
        if kept is not None:
            page, fetch = kept
            return Read(replace(page, url=url), True, bool(fetch.get("private")), 0, tuple(fetch.get("hops", ())))
        try:
            fetched = self._fetcher.fetch(url)
            page = self._extractor.page(fetched, fetched_on=self._today)
        except FetchFailed as failure:
            self.store.keep_failure(url, failure)
            raise
        details = {"private": fetched.private, "hops": list(fetched.hops), "wire_bytes": fetched.wire_bytes}
        self.store.keep_page(url, page, details)
        return Read(page, False, fetched.private, fetched.wire_bytes, fetched.hops)
