"""A folder of pages (`index.json` and files) as a small web on loopback: HTTPS by name, and an index to search it.

The format is that of the shared labelled web: each entry of `index.json` has `url`, `file`, `title`, `snippet`,
`language`, `content_type`; a `.generator.json` file describes a page made on the fly.
"""

from __future__ import annotations

import html
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from brain_assets.research.transport import Network, dial, tls_context
from brain_assets.text import words
from brain_assets_tests.research.internet import PUBLIC, Authority

MAX_HITS = 10


@dataclass(frozen=True)
class Site:
    """One page of the folder."""

    url: str
    file: Path
    title: str
    snippet: str
    language: str
    content_type: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def path(self) -> str:
        parts = urlsplit(self.url)
        return parts.path + (f"?{parts.query}" if parts.query else "")


def load(folder: Path) -> list[Site]:
    entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [
        Site(e["url"], folder / e["file"], e["title"], e["snippet"], e["language"], e["content_type"]) for e in entries
    ]


class LocalWeb:
    """Serves the pages over TLS and plain HTTP on loopback, and their index as JSON; counts what was fetched.

    `network()` is the product's transport: names of the folder resolve to one public address, which is dialled on
    loopback; every other name does not exist. Loopback itself is dialled as it is, for the SearXNG of the tests.
    """

    def __init__(self, folder: Path, *, without: frozenset[str] = frozenset()) -> None:
        self.sites = [site for site in load(folder) if site.url not in without]
        self.authority = Authority()
        self.fetched: list[str] = []
        self.queries: list[tuple[str, str]] = []
        self._pages = {(site.host, site.path): site for site in self.sites}
        self._index = _Index(self.sites)
        names = sorted({site.host for site in self.sites})
        self._secure = _serve(self._page_handler(), self.authority.server_context(*names))
        self._plain = _serve(self._page_handler())
        self._searcher = _serve(self._index_handler())
        self._names = frozenset(names)

    @property
    def index_port(self) -> int:
        return int(self._searcher.server_address[1])

    def close(self) -> None:
        for server in (self._secure, self._plain, self._searcher):
            server.shutdown()
            server.server_close()

    def ports(self) -> dict[str, int]:
        """Loopback ports of the two web servers, for a process that dials them itself."""
        return {"443": int(self._secure.server_address[1]), "80": int(self._plain.server_address[1])}

    def network(self) -> Network:
        return network(self._names, self.ports(), self.authority.pem)

    def _page_handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                host = (self.headers.get("Host") or "").split(":")[0].lower()
                site = web._pages.get((host, self.path))
                if site is None:
                    self.send_error(404)
                    return
                web.fetched.append(site.url)
                self.send_response(200)
                self.send_header("Content-Type", site.content_type)
                self.end_headers()
                try:
                    for piece in _content(site.file):
                        self.wfile.write(piece)
                except OSError:
                    return

        return Handler

    def _index_handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                asked = parse_qs(urlsplit(self.path).query)
                query, language = asked.get("q", [""])[0], asked.get("lang", [""])[0]
                web.queries.append((language, query))
                if "slow" in query.split():
                    time.sleep(6)
                status = next((int(w[3:]) for w in query.split() if re.fullmatch(r"err\d{3}", w)), 200)
                body = json.dumps({"hits": web._index.search(query, language)}).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    return

        return Handler


def network(names: frozenset[str], ports: dict[str, int], pem: str) -> Network:
    """The product's transport, its resolver, dial function and authority those of a local web."""

    def resolve(host: str, port: int) -> list[str]:
        if host in names:
            return [PUBLIC]
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    def connect(address: str, port: int, timeout: float) -> socket.socket:
        if address == PUBLIC and str(port) in ports:
            return dial("127.0.0.1", ports[str(port)], timeout)
        if address == "127.0.0.1":
            return dial(address, port, timeout)
        raise ConnectionRefusedError("not part of the local web")

    return Network(resolver=resolve, dial=connect, context=tls_context(pem))


def _serve(handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _content(file: Path) -> Iterator[bytes]:
    if not file.name.endswith(".generator.json"):
        yield file.read_bytes()
        return
    recipe = json.loads(file.read_text(encoding="utf-8"))
    yield recipe["head"].encode()
    sent = len(recipe["head"]) + len(recipe["tail"])
    number = 0
    while sent < recipe["total_bytes"]:
        rows = "".join(recipe["row"].replace("{n:08X}", f"{number + k:08X}") for k in range(200)).encode()
        yield rows
        sent, number = sent + len(rows), number + 200
    yield recipe["tail"].encode()


class _Index:
    """BM25 over title, snippet and text of the pages; the asked language counts a little more."""

    def __init__(self, sites: list[Site]) -> None:
        from rank_bm25 import BM25Plus

        self._sites = sites
        self._bm25 = BM25Plus([_stems(f"{s.title} {s.title} {s.snippet} {_visible(s)}") or ["-"] for s in sites])

    def search(self, query: str, language: str) -> list[dict[str, str]]:
        wanted = _stems(query)
        present = [{*_stems(f"{s.title} {s.snippet} {_visible(s)}")} & {*wanted} for s in self._sites]
        scores = self._bm25.get_scores(wanted)
        found = []
        for site, score, met in zip(self._sites, scores, present, strict=True):
            if met:
                same = language[:2] in ("", "al") or site.language[:2] == language[:2]
                found.append((float(score) * (1.2 if same else 1.0), site))
        found.sort(key=lambda item: (-item[0], item[1].url))
        return [{"url": s.url, "title": s.title, "text": s.snippet} for _, s in found[:MAX_HITS]]


def _visible(site: Site) -> str:
    if site.file.suffix != ".html":
        return ""
    text = site.file.read_text(encoding="utf-8", errors="replace")
    return html.unescape(re.sub(r"<(script|style)[^>]*>.*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL))


def _stems(text: str) -> list[str]:
    out = []
    for token in words.tokens(text):
        if token.lower() not in words.STOP:
            out.extend(sorted({words.stem(token, "de"), words.stem(token, "en")}))
    return out
