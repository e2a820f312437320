"""Fetching one page safely: vetted hops, one deadline, byte caps, gzip only, sniffed content, robots.txt, spacing."""

from __future__ import annotations

import contextlib
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from urllib.parse import urljoin

from brain_assets import __version__
from brain_assets.research import addresses, robots, urls
from brain_assets.research.transport import Deadline, FetchFailed, Network, Reply
from brain_assets.research.urls import Target
from brain_assets.settings import Settings

MAX_REDIRECTS = 5
AGENT = "brain-assets"
MAX_CRAWL_DELAY = 10.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("text/plain", "text/markdown")
_MAGIC = (b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf", b"\x7fELF", b"OggS",
          b"ID3", b"RIFF", b"BZh", b"\xfd7zXZ", b"MZ", b"\xd0\xcf\x11\xe0", b"wOF", b"\x00\x00\x00")  # fmt: skip
_TEXT_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page's bytes, inflated. `truncated`: the page went on after the cap. `hops` are the URLs before `final_url`.

    `private` says that the address was one only BRAIN_ARTICLE_RESEARCH_ALLOW_PRIVATE opens. `wire_bytes` counts the
    body before inflating.
    """

    url: str
    final_url: str
    address: str
    private: bool
    content_type: str
    charset: str
    body: bytes
    truncated: bool
    wire_bytes: int
    hops: tuple[str, ...] = ()


@dataclass(slots=True)
class _Visit:
    """One fetch: its deadline, and the addresses each host was resolved to, once."""

    deadline: Deadline
    addresses: dict[tuple[str, int], list[str]] = field(default_factory=dict)


class Fetcher:
    """Fetches pages by the rules of the settings; remembers robots.txt and the last visit per host.

    Nothing here reads a proxy, a cookie or a credential from anywhere. Thread-safe: two fetches of one host wait for
    each other's spacing.
    """

    def __init__(self, settings: Settings, network: Network | None = None) -> None:
        self._network = network or Network()
        self._timeout = settings.article_research_fetch_timeout
        self._max_bytes = settings.article_research_page_max_bytes
        self._ports = frozenset(settings.article_research_ports)
        self._allow_private = settings.article_research_allow_private
        self._private_hosts = frozenset(h.lower() for h in settings.article_research_private_hosts)
        self._spacing = settings.article_research_host_spacing
        self._robots: dict[str, robots.Rules] = {}
        self._next_visit: dict[str, float] = {}
        self._lock = threading.Lock()

    def fetch(self, url: str) -> Fetched:
        """Fetch a page. Raises FetchFailed with a typed reason; takes at most the timeout, spacing apart."""
        visit = _Visit(Deadline(self._timeout))
        hops: list[str] = []
        target = self._parse(url)
        while True:
            self._ask_robots(target, visit)
            self._wait_for_turn(target, visit)
            with self._get(target, visit, self._max_bytes) as reply:
                if reply.status not in _REDIRECTS:
                    return self._read(url, target, reply, hops)
                location = reply.header("location")
            target = self._follow(target, location, hops)

    def _follow(self, target: Target, location: str, hops: list[str]) -> Target:
        hops.append(target.url)
        if not location:
            raise FetchFailed("bad_redirect", "redirect without a location")
        if len(hops) > MAX_REDIRECTS:
            raise FetchFailed("too_many_redirects", f"more than {MAX_REDIRECTS} redirects")
        following = self._parse(_joined(target.url, location))
        if following.url in hops:
            raise FetchFailed("redirect_loop", "redirect to a page that redirected here")
        if target.scheme == "https" and following.scheme == "http":
            raise FetchFailed("redirect_downgrade", "redirect from https to http")
        return following

    def _parse(self, url: str) -> Target:
        try:
            return urls.parse(
                url, ports=self._ports, private_hosts=self._private_hosts if self._allow_private else None
            )
        except urls.UrlRefused as refused:
            raise FetchFailed("bad_url", str(refused)) from None

    def _vet(self, target: Target, address: str) -> str | None:
        named = f"{target.host}:{target.port}" in self._private_hosts
        return addresses.refusal(address, allow_private=self._allow_private and (named or not self._private_hosts))

    def _get(self, target: Target, visit: _Visit, max_bytes: int) -> AbstractContextManager[Reply]:
        headers = (
            ("User-Agent", f"{AGENT}/{__version__} (research for a knowledge base; obeys robots.txt)"),
            ("Accept", "text/html, application/xhtml+xml, text/plain;q=0.8"),
            ("Accept-Encoding", "gzip"),
        )
        place = (target.host, target.port)
        if place not in visit.addresses:
            visit.addresses[place] = self._network.vetted(target, visit.deadline, self._vet)
        # Chunk sizes and trailers are bytes on the wire too.
        allowance = max_bytes + max_bytes // 8 + 65_536
        return self._network.get(target, visit.addresses[place], visit.deadline, headers=headers, max_bytes=allowance)

    def _wait_for_turn(self, target: Target, visit: _Visit) -> None:
        delay = max(self._spacing, min(self._robots_of(target).delay, MAX_CRAWL_DELAY))
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_visit.get(target.host, 0.0))
            self._next_visit[target.host] = turn + delay
        if turn > now:
            time.sleep(turn - now)
            visit.deadline.postpone(turn - now)

    def _robots_of(self, target: Target) -> robots.Rules:
        return self._robots.get(target.origin, robots.EVERYTHING)

    def _ask_robots(self, target: Target, visit: _Visit) -> None:
        if target.origin not in self._robots:
            self._robots[target.origin] = self._load_robots(target, visit)
        rules = self._robots[target.origin]
        if rules is robots.NOTHING:
            raise FetchFailed("robots_unreachable", "robots.txt cannot be read, so nothing there may be fetched")
        if not rules.allows(target.path.decode("ascii", "replace")):
            raise FetchFailed("robots_denied", "robots.txt does not allow this page")

    def _load_robots(self, target: Target, visit: _Visit) -> robots.Rules:
        """Rules of a host. A missing file allows everything, a failing server nothing (RFC 9309)."""
        asked = self._parse(f"{target.origin}/robots.txt")
        hops: list[str] = []
        while True:
            with self._get(asked, visit, robots.MAX_BYTES) as reply:
                if reply.status in _REDIRECTS:
                    location = reply.header("location")
                elif reply.status == 200:
                    return _robots_text(reply)
                else:
                    return robots.NOTHING if reply.status >= 500 or reply.status == 429 else robots.EVERYTHING
            try:
                asked = self._follow(asked, location, hops)
            except FetchFailed as failed:
                if failed.reason in ("too_many_redirects", "redirect_loop", "bad_redirect"):
                    return robots.EVERYTHING
                raise

    def _read(self, url: str, target: Target, reply: Reply, hops: list[str]) -> Fetched:
        if reply.status != 200:
            raise FetchFailed("http_status", f"the server answered {reply.status}")
        content_type, charset = _content_type(reply.header("content-type"))
        if content_type == "application/pdf":
            raise FetchFailed("unsupported_pdf", "PDF pages are not read")
        if content_type and content_type not in (*_HTML, *_TEXT):
            raise FetchFailed("unsupported_type", "neither HTML nor plain text")
        body, truncated, wire = _body(reply, self._max_bytes)
        if not body.strip():
            raise FetchFailed("empty", "the page has no content")
        content_type = content_type or ("text/html" if b"<" in body[:1024] else "text/plain")
        private = addresses.is_private(reply.address)
        return Fetched(
            url, target.url, reply.address, private, content_type, charset, body, truncated, wire, tuple(hops)
        )


def _joined(base: str, location: str) -> str:
    """The absolute URL of a redirect. What `urljoin` would silently strip is refused before it can."""
    with contextlib.suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")  # headers arrive as latin-1, URLs mean UTF-8
    if urls.FORBIDDEN.search(location):
        raise FetchFailed("bad_url", "control character, space or backslash in the redirect")
    try:
        return urljoin(base, location)
    except ValueError:
        raise FetchFailed("bad_url", "redirect to something that is no URL") from None


def _robots_text(reply: Reply) -> robots.Rules:
    try:
        body, _, _ = _body(reply, robots.MAX_BYTES)
    except FetchFailed as failed:
        if failed.reason in ("unsupported_type", "unsupported_pdf"):
            return robots.EVERYTHING
        raise
    return robots.parse(body.decode("utf-8", "replace"), AGENT)


def _content_type(header: str) -> tuple[str, str]:
    """Media type and charset of a Content-Type header, in lower case; empty where it says none."""
    kind, _, parameters = header.partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'").lower()[:40]
    return kind.strip().lower(), charset


def _body(reply: Reply, max_bytes: int) -> tuple[bytes, bool, int]:
    """Inflated body up to `max_bytes`, whether it went on, and its bytes on the wire. Sniffs the first bytes."""
    encoding = reply.header("content-encoding").lower()
    if encoding in ("", "identity"):
        pieces = _plain(reply.body)
    elif encoding in ("gzip", "x-gzip"):
        pieces = _inflated(reply.body, max_bytes)
    else:
        raise FetchFailed("unsupported_encoding", "only gzip was offered")
    body = bytearray()
    wire = 0
    sniffed = False
    for piece, taken in pieces:
        wire += taken
        body += piece[: max_bytes - len(body) + 1]
        if not sniffed and len(body) >= 1024:
            _sniff(bytes(body[:1024]))
            sniffed = True
        if len(body) > max_bytes:
            return bytes(body[:max_bytes]), True, wire
    if not sniffed:
        _sniff(bytes(body[:1024]))
    return bytes(body), False, wire


def _plain(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, int]]:
    for chunk in chunks:
        yield chunk, len(chunk)


def _inflated(chunks: Iterator[bytes], max_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Inflate step by step, never more than 64 KiB at once: a bomb is cut at the cap, not in memory."""
    inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
    produced = 0
    for chunk in chunks:
        taken = len(chunk)
        data = chunk
        while data and not inflater.eof:
            try:
                piece = inflater.decompress(data, 65_536)
            except zlib.error:
                raise FetchFailed("broken_encoding", "the compressed body is damaged") from None
            produced += len(piece)
            yield piece, taken
            taken = 0
            if produced > max_bytes:
                return
            data = inflater.unconsumed_tail
        if inflater.eof:
            yield b"", taken
            return
    yield inflater.flush(), 0  # what the window still held: all input is consumed, so it is little
    if not inflater.eof:
        raise FetchFailed("incomplete_body", "the compressed body ends too early")


def _sniff(start: bytes) -> None:
    if b"%PDF-" in start:
        raise FetchFailed("unsupported_pdf", "PDF pages are not read")
    if start.startswith(_TEXT_BOMS):
        return
    if start.startswith(_MAGIC) or b"\x00" in start:
        raise FetchFailed("unsupported_type", "the content is not text")
