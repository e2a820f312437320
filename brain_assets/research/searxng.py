"""Searching through a SearXNG server, and everything such a server answers besides results.

What the public documentation does not say was measured: an empty result with unresponsive engines is a failed search
and no "nothing found"; words that start with `!`, `:` or `<` are commands anywhere in a query; HTML comes with
status 200 or 403 when JSON is not enabled.
"""

from __future__ import annotations

import base64
import html
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes, urlencode

import httpx

from brain_assets.errors import ConfigurationError
from brain_assets.research import addresses, decode, urls
from brain_assets.research.transport import Deadline, FetchFailed, Network
from brain_assets.research.urls import Target
from brain_assets.settings import Settings

MAX_QUERY_CHARS = 200
MAX_REPLY_BYTES = 4_194_304
RETRIES = 2
_PAUSES = (0.5, 1.5)
_MAX_RETRY_AFTER = 5.0
_CHECK_HOLDS = 60.0
_TAG = re.compile(r"<[^<>]{0,300}>")
_COMMAND = re.compile(r"[!:<?-]")
_SUPPORTED = {"de": "de", "en": "en"}


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: unescaped text, a URL that passed the vetting before resolving, its rank from 1."""

    url: str
    title: str
    snippet: str
    rank: int
    engines: tuple[str, ...] = ()
    published: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found. `partial` names engines that did not answer beside those that did."""

    hits: tuple[Hit, ...]
    dropped: int = 0
    partial: tuple[str, ...] = field(default=())


class SearchFailed(Exception):
    """A search that says nothing about what there is to find. `reason` is for people.

    `lasting`: the next query will fare no better (a setting, a limit, a server that is down).
    """

    def __init__(self, reason: str, *, lasting: bool = False) -> None:
        self.reason = reason
        self.lasting = lasting
        super().__init__(reason)


class SearchProvider(Protocol):
    """Something that searches the web."""

    name: str

    def ready(self) -> str | None:
        """Why it cannot be used now, in words; None when it can."""
        ...

    def search(self, query: str, language: str, limit: int) -> Answer:
        """At most `limit` hits for a query in `de` or `en`. Raises SearchFailed."""
        ...


def quoted(query: str) -> str:
    """A query none of whose words is a command: such words stand in quotation marks; at most 200 characters."""
    out: list[str] = []
    for word in decode.clean(query).split():
        bare = word.replace('"', "")
        if not bare:
            continue
        out.append(f'"{bare}"' if _COMMAND.match(bare) else bare)
    text = " ".join(out)
    while len(text) > MAX_QUERY_CHARS and len(out) > 1:
        out.pop()
        text = " ".join(out)
    return text[:MAX_QUERY_CHARS]


class SearXNG:
    """A SearXNG server by its JSON interface. Redirects are refused, the proxy environment is not read."""

    name = "searxng"

    def __init__(
        self, settings: Settings, network: Network | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Raises ConfigurationError when SEARXNG_URL is no http(s) address."""
        self._server, self._headers = _server(settings.searxng_url)
        self._timeout = settings.article_research_search_timeout
        self._network = network or Network()
        self._sleep = sleep
        self._lasting: str | None = None
        self._checked: tuple[float, str | None] | None = None
        self._safe: dict[str, Any] = {
            "ports": frozenset(settings.article_research_ports),
            "private_hosts": frozenset(h.lower() for h in settings.article_research_private_hosts)
            if settings.article_research_allow_private
            else None,
        }

    def ready(self) -> str | None:
        now = time.monotonic()
        if self._checked is None or now - self._checked[0] > _CHECK_HOLDS:
            self._checked = (now, self._check())
        return self._checked[1]

    def _check(self) -> str | None:
        try:
            status, _, _ = self._get("/healthz", min(self._timeout, 5.0))
        except SearchFailed as failed:
            return f"SearXNG at {self._server.url} is not reachable: {failed.reason}."
        # Older servers have no /healthz; that something answers HTTP is enough here.
        return f"SearXNG at {self._server.url} answers {status}." if status >= 500 else None

    def search(self, query: str, language: str, limit: int) -> Answer:
        if self._lasting:
            raise SearchFailed(self._lasting, lasting=True)
        text = quoted(query)
        if not text:
            raise SearchFailed("the query has no words")
        for attempt in range(RETRIES + 1):
            try:
                return self._once(text, language, limit)
            except _Again as again:
                if attempt == RETRIES:
                    if again.lasting:
                        self._lasting = again.reason
                    raise SearchFailed(again.reason, lasting=again.lasting) from None
                self._sleep(again.pause if again.pause is not None else _PAUSES[attempt])
            except SearchFailed as failed:
                if failed.lasting:
                    self._lasting = failed.reason
                raise
        raise AssertionError("the loop above returns or raises")

    def _once(self, query: str, language: str, limit: int) -> Answer:
        parameters = {"q": query, "format": "json", "language": _SUPPORTED.get(language, "all"), "safesearch": "0"}
        status, content_type, body = self._get(f"/search?{urlencode(parameters)}", self._timeout)
        _check_status(status, content_type)
        if content_type != "application/json":
            raise SearchFailed("SearXNG answered HTML: JSON is not among its search.formats", lasting=True)
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise _Again("SearXNG answered broken JSON") from None
        if not isinstance(data, dict) or not isinstance(data.get("results"), list):
            raise SearchFailed("SearXNG's answer has no results list")
        if "query" in data and str(data["query"]).split() != query.split():
            raise SearchFailed("SearXNG took a part of the query for a command")
        silent = _silent_engines(data.get("unresponsive_engines"))
        if not data["results"] and silent:
            raise _Again("no engine answered: " + ", ".join(silent))
        hits, dropped = self._hits(data["results"], limit)
        return Answer(hits, dropped, silent)

    def _get(self, path: str, timeout: float) -> tuple[int, str, bytes]:
        """Status, media type and body. Raises SearchFailed, or _Again when it may be better next time."""
        target = replace(self._server, path=self._server.path.rstrip(b"/") + path.encode("ascii"))
        deadline = Deadline(timeout)
        try:
            found = self._network.vetted(target, deadline, lambda *_: None)
            with self._network.get(target, found, deadline, headers=self._headers, max_bytes=MAX_REPLY_BYTES) as reply:
                if 300 <= reply.status < 400:
                    raise SearchFailed("SearXNG redirects, which could send the query elsewhere", lasting=True)
                if retry_after := reply.header("retry-after"):
                    _wait(reply.status, retry_after)
                body = bytearray()
                for chunk in reply.body:
                    body += chunk
                    if len(body) > MAX_REPLY_BYTES:
                        raise SearchFailed(f"SearXNG answered more than {MAX_REPLY_BYTES} bytes")
                kind = reply.header("content-type").partition(";")[0].strip().lower()
                return reply.status, kind, bytes(body)
        except FetchFailed as failed:
            reasons = {"timeout": f"no answer within {timeout:g} seconds", "dns_failed": "its name cannot be resolved",
                       "connect_failed": "no connection", "tls_failed": failed.detail}  # fmt: skip
            reason = reasons.get(failed.reason, failed.detail or failed.reason)
            raise _Again(reason, lasting=failed.reason in ("dns_failed", "connect_failed", "tls_failed")) from None

    def _hits(self, results: list[Any], limit: int) -> tuple[tuple[Hit, ...], int]:
        """The first `limit` different, safe results in the server's order, and how many were dropped as unsafe."""
        hits: list[Hit] = []
        seen: set[str] = set()
        dropped = 0
        for result in results:
            if not isinstance(result, dict) or not isinstance(result.get("url"), str):
                dropped += 1
                continue
            url = html.unescape(result["url"].strip())
            try:
                target = urls.parse(url, **self._safe)
            except urls.UrlRefused:
                dropped += 1
                continue
            if target.literal and addresses.refusal(target.host, allow_private=self._safe["private_hosts"] is not None):
                dropped += 1
                continue
            key = urls.normalise(url)
            if key in seen or len(hits) >= limit:
                continue
            seen.add(key)
            engines = result.get("engines")
            published = result.get("publishedDate")
            hits.append(
                Hit(
                    url=url,
                    title=plain(result.get("title")),
                    snippet=plain(result.get("content")),
                    rank=len(hits) + 1,
                    engines=tuple(str(e)[:40] for e in engines) if isinstance(engines, list) else (),
                    published=published[:10] if isinstance(published, str) else None,
                )
            )
        return tuple(hits), dropped


class _Again(SearchFailed):
    """A failure that may pass: asked again at most twice. `pause` is what the server asked for, in seconds."""

    def __init__(self, reason: str, *, lasting: bool = False, pause: float | None = None) -> None:
        super().__init__(reason, lasting=lasting)
        self.pause = pause


def _server(url: str) -> tuple[Target, tuple[tuple[str, str], ...]]:
    """The configured server, in whatever network it lies, and the headers of every request to it.

    A user name and password in the address become Basic authorisation and are shown nowhere.
    """
    headers = [("User-Agent", "brain-assets"), ("Accept", "application/json"), ("Accept-Encoding", "identity")]
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError, ValueError):
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigurationError("SEARXNG_URL is no http(s) address.", "Set it like http://searxng:8080.")
    if parsed.userinfo:
        headers.append(("Authorization", "Basic " + base64.b64encode(unquote_to_bytes(parsed.userinfo)).decode()))
    host = parsed.raw_host.decode("ascii").lower().strip("[]")
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    literal = ":" in host or bool(re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", host))
    shown = str(parsed.copy_with(userinfo=b"", query=None, fragment=None)).rstrip("/")
    path = parsed.raw_path.split(b"?", 1)[0]
    return Target(shown, parsed.scheme, host, port, path, literal), tuple(headers)


def _wait(status: int, retry_after: str) -> None:
    if status in (429, 503) and retry_after.isdigit():
        seconds = float(retry_after)
        if seconds > _MAX_RETRY_AFTER:
            raise SearchFailed(f"SearXNG limits us and asks to wait {retry_after} seconds", lasting=True)
        raise _Again("SearXNG limits us", lasting=True, pause=seconds)


def _check_status(status: int, content_type: str) -> None:
    if status == 200:
        return
    if status == 403:
        raise SearchFailed("SearXNG refuses JSON (403): add json to its search.formats", lasting=True)
    if status == 429:
        raise _Again("SearXNG's limiter refuses us (429): allow this client there", lasting=True)
    if status >= 500:
        raise _Again(f"SearXNG answered {status}")
    lasting = status in (401, 404, 405)
    raise SearchFailed(f"SearXNG refused the query ({status})", lasting=lasting)


def _silent_engines(value: Any) -> tuple[str, ...]:
    """`engine (reason)` of each unresponsive engine, as far as the list is one."""
    out = []
    for item in value if isinstance(value, list) else []:
        parts = [str(part)[:60] for part in item[:2]] if isinstance(item, (list, tuple)) else [str(item)[:60]]
        if parts:
            out.append(f"{parts[0]} ({parts[1]})" if len(parts) > 1 else parts[0])
    return tuple(sorted(out))


def plain(value: Any) -> str:
    """Text of a title or snippet: tags gone, entities decoded once, at most 500 characters."""
    text = value if isinstance(value, str) else ""
    return " ".join(decode.clean(html.unescape(_TAG.sub("", text))).split())[:500]
