"""Servers that drip, lie about lengths, or send too much; and what a fetch of each has to end with.

Run as a module it fetches them all and prints the outcomes, the seconds and the peak memory they added, as JSON.
"""

from __future__ import annotations

import gzip
import json
import resource
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from brain_assets.research.fetch import Fetcher
from brain_assets.research.transport import FetchFailed
from brain_assets.settings import load
from brain_assets_tests.research.internet import PUBLIC, Authority, Handler, Internet, answer, internet, path_of, site

DEADLINE = 1.0
CAP = 2_097_152


@dataclass(frozen=True)
class Case:
    """`outcome` is the reason of the failure, or `ok` / `truncated` for a page that is had; with a slash, either."""

    handler: Handler
    outcome: str
    url: str = "http://public.example.net/page"


def page(send: Callable[[socket.socket], None]) -> Handler:
    """A handler with no robots.txt and one page that `send` writes."""

    def handle(connection: socket.socket, request: str) -> None:
        if path_of(request) == "/robots.txt":
            connection.sendall(answer("", "404 Not Found"))
        else:
            send(connection)

    return handle


def whole(data: bytes) -> Handler:
    return page(lambda connection: connection.sendall(data))


def stream(head: str, pieces: Callable[[], Iterator[bytes]]) -> Handler:
    def send(connection: socket.socket) -> None:
        connection.sendall(head.encode())
        for piece in pieces():
            connection.sendall(piece)

    return page(send)


def drip(data: bytes, pause: float = 0.05, *, times: int = 400) -> Iterator[bytes]:
    for _ in range(times):
        yield data
        time.sleep(pause)


def bomb(megabytes: int) -> bytes:
    """Megabytes in a few kilobytes, compressed piecewise to keep this process small too."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b"<p>x</p>" * 131_072
    return b"".join([*(packer.compress(piece) for _ in range(megabytes)), packer.flush()])


def forever(piece: bytes) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        while True:
            yield piece

    return pieces


HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HTML + "Transfer-Encoding: chunked\r\n\r\n"
TEXT = b"<html><body><p>some text</p></body></html>"
DAMAGED = gzip.compress(b"")[:10] + b"\xff" * 40
CHUNK = b"ffff\r\n" + b"<p>x</p>" * 8191 + b"<p>x</p\r\n"


def cases() -> dict[str, Case]:
    return {
        "control: a page": Case(whole(answer(TEXT)), "ok"),
        "control: gzip": Case(whole(answer(gzip.compress(TEXT), headers={"Content-Encoding": "gzip"})), "ok"),
        "control: chunked": Case(whole(CHUNKED.encode() + b"2a\r\n" + TEXT + b"\r\n0\r\n\r\n"), "ok"),
        "control: no length": Case(whole(HTML.encode() + b"\r\n" + TEXT), "ok"),
        "silent server": Case(page(lambda connection: time.sleep(3)), "timeout"),
        "drip in the status line": Case(page(lambda c: [c.sendall(p) for p in drip(b"H")] and None), "timeout"),
        "drip in the headers": Case(stream(HTML, lambda: drip(b"X-A: b\r\n")), "timeout"),
        "drip in the body": Case(stream(HTML + "Content-Length: 4000\r\n\r\n", lambda: drip(b"<p>")), "timeout"),
        "drip in a chunk size": Case(stream(CHUNKED, lambda: drip(b"0")), "timeout"),
        "drip in robots.txt": Case(
            lambda connection, request: [connection.sendall(p) for p in drip(b"H")] and None, "timeout"
        ),
        "endless body": Case(stream(HTML + "\r\n", forever(b"<p>x</p>" * 4096)), "truncated"),
        "endless chunks": Case(stream(CHUNKED, forever(CHUNK)), "truncated"),
        "endless tiny chunks": Case(stream(CHUNKED, forever(b"1\r\nx\r\n" * 4096)), "protocol_error/timeout"),
        "endless chunk extension": Case(stream(CHUNKED + "5;", forever(b"a=b;" * 4096)), "headers_too_large"),
        "endless trailers": Case(stream(CHUNKED + "0\r\n", forever(b"X-A: b\r\n" * 512)), "headers_too_large"),
        "gzip bomb": Case(whole(answer(bomb(200), headers={"Content-Encoding": "gzip"})), "truncated"),
        "gzip cut off": Case(
            whole(answer(gzip.compress(TEXT * 50)[:-30], headers={"Content-Encoding": "gzip"})), "incomplete_body"
        ),
        "gzip damaged": Case(whole(answer(DAMAGED, headers={"Content-Encoding": "gzip"})), "broken_encoding"),
        "gzip twice": Case(whole(answer(TEXT, headers={"Content-Encoding": "gzip, gzip"})), "unsupported_encoding"),
        "brotli": Case(whole(answer(TEXT, headers={"Content-Encoding": "br"})), "unsupported_encoding"),
        "deflate": Case(whole(answer(zlib.compress(TEXT), headers={"Content-Encoding": "deflate"})),
                        "unsupported_encoding"),
        "huge headers": Case(stream(HTML, lambda: iter([b"X-A: " + b"b" * 70_000 + b"\r\n\r\n"])), "headers_too_large"),
        "many headers": Case(stream(HTML, lambda: iter([b"X-A: b\r\n" * 20_000])), "headers_too_large"),
        "endless early hints": Case(
            page(lambda c: [c.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 64) for _ in range(999)] and None),
            "headers_too_large",
        ),
        "length too long": Case(whole(answer(TEXT, headers={"Content-Length": "9999"})), "incomplete_body"),
        "length negative": Case(whole(answer(TEXT, headers={"Content-Length": "-5"})), "protocol_error"),
        "two lengths": Case(
            whole(f"{HTML}Content-Length: 5\r\nContent-Length: 42\r\n\r\n".encode() + TEXT), "protocol_error"
        ),
        "length of terabytes": Case(
            stream(HTML + "Content-Length: 9999999999999\r\n\r\n", forever(b"<p>x</p>" * 4096)), "truncated"
        ),
        "not HTTP": Case(whole(b"SSH-2.0-OpenSSH_9.6\r\n" * 3), "protocol_error"),
        "closed at once": Case(page(lambda connection: None), "protocol_error"),
        "JSON": Case(whole(answer("{}", content_type="application/json")), "unsupported_type"),
        "image": Case(whole(answer(b"\x89PNG\r\n" + b"0" * 64, content_type="image/png")), "unsupported_type"),
        "image called HTML": Case(whole(answer(b"\x89PNG\r\n" + b"0" * 64)), "unsupported_type"),
        "binary without a type": Case(whole(answer(b"\x00\x01" * 600, content_type="")), "unsupported_type"),
        "PDF": Case(whole(answer(b"%PDF-1.7\n", content_type="application/pdf")), "unsupported_pdf"),
        "PDF called HTML": Case(whole(answer(b"\n  %PDF-1.7\n" + b"0" * 2000)), "unsupported_pdf"),
        "empty": Case(whole(answer(b" \n ")), "empty"),
        "not found": Case(whole(answer(TEXT, "404 Not Found")), "http_status"),
        "TLS for a wrong name": Case(whole(answer(TEXT)), "tls_failed", "https://wrong.example.net/"),
        "TLS expired": Case(whole(answer(TEXT)), "tls_failed", "https://expired.example.net/"),
        "TLS of an unknown authority": Case(whole(answer(TEXT)), "tls_failed", "https://unknown.example.net/"),
        "plain HTTP on the TLS port": Case(whole(answer(TEXT)), "tls_failed", "https://plain.example.net/"),
        "control: TLS": Case(whole(answer(TEXT)), "ok", "https://right.example.net/"),
        "TLS down to plain": Case(
            site({"/": answer("", "302 Found", {"Location": "http://public.example.net/"})}), "redirect_downgrade",
            "https://right.example.net/",
        ),
    }  # fmt: skip


def prepare(net: Internet, case: Case) -> None:
    assert net.authority is not None
    hosts = ("public", "right", "wrong", "expired", "unknown", "plain")
    addresses = {f"{name}.example.net": f"93.184.216.{n}" for n, name in enumerate(hosts, 34)}
    net.names |= {name: [address] for name, address in addresses.items()}
    net.handlers[PUBLIC, 80] = case.handler
    contexts = {
        "right.example.net": net.authority.server_context("*.example.net"),
        "wrong.example.net": net.authority.server_context("other.example.org"),
        "expired.example.net": net.authority.server_context("expired.example.net", expired=True),
        "unknown.example.net": Authority().server_context("unknown.example.net"),
    }
    for name, address in addresses.items():
        net.handlers[address, 443] = case.handler
        if name in contexts:
            net.contexts[address, 443] = contexts[name]


def outcome(case: Case, authority: Authority) -> tuple[str, float]:
    """What fetching the case ended with, and the seconds it took."""
    with internet(authority) as net:
        prepare(net, case)
        settings = load(
            article_research_fetch_timeout=DEADLINE,
            article_research_host_spacing=0.001,
            article_research_page_max_bytes=CAP,
        )
        client = Fetcher(settings, net.network())
        started = time.monotonic()
        try:
            fetched = client.fetch(case.url)
            ended = "truncated" if fetched.truncated else "ok"
            assert len(fetched.body) <= CAP
        except FetchFailed as failure:
            ended = failure.reason
        return ended, time.monotonic() - started


def main() -> None:
    authority = Authority()
    scripts = cases()
    outcome(scripts["control: TLS"], authority)  # what every process pays once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {name: outcome(case, authority) for name, case in scripts.items()}
    added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps({"outcomes": found, "peak_extra_mib": round(added, 1)}))


if __name__ == "__main__":
    main()
