"""One HTTP exchange under our own rules: resolve once, vet every address, connect to a vetted one, one deadline.

The rules sit at the network-backend level of httpcore, so that Host, SNI and the certificate check keep the name
while the socket goes to the vetted address. No proxy, no cookie, no credential, no connection kept.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpcore

from brain_assets.research.urls import Target

MAX_HEADER_BYTES = 65_536
MAX_ADDRESSES = 32
TRIED_ADDRESSES = 3

Reason = Literal[
    "bad_url", "forbidden_address", "dns_failed", "connect_failed", "tls_failed", "timeout", "protocol_error",
    "headers_too_large", "incomplete_body", "http_status", "bad_redirect", "too_many_redirects", "redirect_loop",
    "redirect_downgrade", "unsupported_encoding", "broken_encoding", "unsupported_type", "unsupported_pdf",
    "robots_denied", "robots_unreachable", "empty", "too_complex", "extraction_failed",
]  # fmt: skip
Resolver = Callable[[str, int], Sequence[str]]
Dial = Callable[[str, int, float], socket.socket]
Vet = Callable[[Target, str], str | None]


class FetchFailed(Exception):
    """A page that could not be had. `reason` is one of a fixed set; `detail` holds nothing of the page's body."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        self.reason: Reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Deadline:
    """One point in time that DNS, connecting, headers, body, redirects and robots.txt of a fetch share."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left, more than 0. Raises FetchFailed(timeout) when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise FetchFailed("timeout", "the deadline of the whole fetch has passed")
        return left

    def postpone(self, seconds: float) -> None:
        """Move the end: for time spent waiting on purpose (spacing between requests to one host)."""
        self._end += seconds


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses the operating system gives for a name, in its order, without duplicates."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def dial(address: str, port: int, timeout: float) -> socket.socket:
    """A TCP connection to an address (never a name)."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect((address, port))
    except BaseException:
        connection.close()
        raise
    return connection


def tls_context(extra_ca: str | None = None) -> ssl.SSLContext:
    """Certificate and host name checks on, TLS 1.2 or newer; the system's authorities and certifi's.

    `extra_ca` is PEM text of one more authority, for tests.
    """
    import certifi

    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cafile=certifi.where())
    if extra_ca:
        context.load_verify_locations(cadata=extra_ca)
    return context


@dataclass(slots=True)
class Reply:
    """Status and headers of an answer, and its body as it comes, de-chunked but not inflated."""

    status: int
    headers: list[tuple[str, str]]
    address: str
    body: Iterator[bytes]

    def header(self, name: str) -> str:
        """All values of a header, comma-joined; empty when it is absent."""
        return ", ".join(value for key, value in self.headers if key == name)


class Network:
    """The way out. Resolver, dialling and TLS context can be replaced through the constructor only (for tests)."""

    def __init__(
        self, *, resolver: Resolver = system_resolver, dial: Dial = dial, context: ssl.SSLContext | None = None
    ) -> None:
        self._resolver = resolver
        self._dial = dial
        self._context = context

    def vetted(self, target: Target, deadline: Deadline, vet: Vet) -> list[str]:
        """The vetted addresses of a target. One forbidden answer refuses the whole host. Raises FetchFailed."""
        found = [target.host] if target.literal else self._resolve(target, deadline)
        if not found:
            raise FetchFailed("dns_failed", "the name has no address")
        if len(found) > MAX_ADDRESSES:
            raise FetchFailed("dns_failed", f"the name has more than {MAX_ADDRESSES} addresses")
        for address in found:
            if reason := vet(target, address):
                raise FetchFailed("forbidden_address", reason)
        return list(found)

    def _resolve(self, target: Target, deadline: Deadline) -> Sequence[str]:
        # getaddrinfo cannot be interrupted: a thread that is late is left behind, its answer unused.
        answers: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._resolver(target.host, target.port))
            except Exception as error:  # noqa: BLE001 - handed to the waiting thread, whatever it is
                answers.put(error)

        threading.Thread(target=ask, name="resolve", daemon=True).start()
        try:
            answer = answers.get(timeout=deadline.remaining())
        except queue.Empty:
            raise FetchFailed("timeout", "the name was not resolved in time") from None
        if isinstance(answer, (OSError, UnicodeError)):
            raise FetchFailed("dns_failed", "the name cannot be resolved")
        if isinstance(answer, Exception):
            raise answer
        return answer

    @contextlib.contextmanager
    def get(
        self,
        target: Target,
        addresses: list[str],
        deadline: Deadline,
        *,
        headers: Iterable[tuple[str, str]],
        max_bytes: int,
    ) -> Iterator[Reply]:
        """One GET at one of the vetted `addresses`; the body must be read inside the block. Raises FetchFailed.

        `max_bytes` bounds what is taken from the wire after the headers.
        """
        backend = _Backend(target, addresses, self._dial, deadline, max_bytes)
        if self._context is None and target.scheme == "https":
            self._context = tls_context()
        request = httpcore.Request(
            "GET",
            httpcore.URL(
                scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path
            ),
            headers=[("Host", _authority(target)), *headers, ("Connection", "close")],
            extensions={"timeout": {}},
        )
        with httpcore.ConnectionPool(ssl_context=self._context, network_backend=backend, retries=0) as pool, _typed():
            response = pool.handle_request(request)
            backend.headers_done()
            try:
                decoded = [(k.decode("latin-1").lower(), v.decode("latin-1").strip()) for k, v in response.headers]
                yield Reply(response.status, decoded, backend.connected, _chunks(response))
            finally:
                response.close()


def _authority(target: Target) -> str:
    return target.origin.split("//", 1)[1]


def _chunks(response: httpcore.Response) -> Iterator[bytes]:
    with _typed():
        yield from response.iter_stream()


@contextlib.contextmanager
def _typed() -> Iterator[None]:
    """httpcore's and the operating system's exceptions as FetchFailed."""
    try:
        yield
    except (httpcore.TimeoutException, TimeoutError):
        raise FetchFailed("timeout", "the server was too slow") from None
    except httpcore.ConnectError:
        raise FetchFailed("connect_failed", "no connection") from None
    except (httpcore.RemoteProtocolError, httpcore.LocalProtocolError) as error:
        text = str(error).lower()
        if "incomplete" in text or "closed connection without sending complete" in text or "peer closed" in text:
            raise FetchFailed("incomplete_body", "the connection ended before the announced length") from None
        if "too long" in text or "receive buffer" in text or "too large" in text:
            raise FetchFailed("headers_too_large", "the headers do not end") from None
        raise FetchFailed("protocol_error", "the answer is not valid HTTP") from None
    except (httpcore.NetworkError, OSError):
        raise FetchFailed("connect_failed", "the connection broke") from None


class _Backend(httpcore.NetworkBackend):
    def __init__(self, target: Target, addresses: list[str], dial: Dial, deadline: Deadline, max_bytes: int) -> None:
        self._target = target
        self._addresses = addresses
        self._dial = dial
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._stream: _Stream | None = None
        self.connected = ""

    def headers_done(self) -> None:
        if self._stream is not None:
            self._stream.allow(self._max_bytes)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        if (host, port) != (self._target.host, self._target.port):
            raise FetchFailed("forbidden_address", "connection to another host than the vetted one")
        tried = self._addresses[:TRIED_ADDRESSES]
        for position, address in enumerate(tried):
            # The first of several must not use up everything: a dead IPv6 route is common.
            share = self._deadline.remaining() / (len(tried) - position)
            try:
                connection = self._dial(address, port, share)
            except OSError:
                continue
            self.connected = address
            self._stream = _Stream(connection, self._deadline)
            return self._stream
        self._deadline.remaining()
        raise httpcore.ConnectError("no address answered")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise FetchFailed("forbidden_address", "unix socket")

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, self._deadline.remaining()))


class _Stream(httpcore.NetworkStream):
    """A socket that knows the deadline and how many more bytes may come."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._socket = connection
        self._deadline = deadline
        self._left = MAX_HEADER_BYTES
        self._in_body = False

    def allow(self, max_bytes: int) -> None:
        self._left += max_bytes
        self._in_body = True

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._left <= 0:
            if self._in_body:
                raise FetchFailed("protocol_error", "more bytes on the wire than the page may have")
            raise FetchFailed("headers_too_large", f"more than {MAX_HEADER_BYTES} bytes of headers")
        self._socket.settimeout(self._deadline.remaining())
        data = self._socket.recv(min(max_bytes, self._left, 65_536))
        self._left -= len(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(self._deadline.remaining())
        self._socket.sendall(buffer)

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        self._socket.settimeout(self._deadline.remaining())
        try:
            wrapped = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError:
            self.close()
            raise FetchFailed("tls_failed", "the certificate does not fit the name or is not trusted") from None
        except (ssl.SSLError, ValueError):
            self.close()
            raise FetchFailed("tls_failed", "no TLS connection") from None
        except BaseException:
            self.close()
            raise
        # The handle stays the same for whoever counts: only the socket below changes.
        self._socket = wrapped
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket):
            return self._socket
        if info == "is_readable":
            return False
        return None
