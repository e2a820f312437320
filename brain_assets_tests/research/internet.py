"""A small internet on loopback: names, addresses and scripted servers, with every connection recorded.

`Internet.network()` is the product's transport with a resolver, a dial function and a test authority injected through
its constructor; nothing else of it is replaced. A dialled address that is in no script still connects (to a canary),
so that a forbidden connection is seen and counted instead of failing by luck.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping

from brain_assets.research.transport import Network, tls_context

Handler = Callable[[socket.socket, str], None]
PUBLIC = "93.184.216.34"
OTHER = "1.1.1.1"


class Authority:
    """A certificate authority for tests, made with `cryptography`."""

    def __init__(self) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        now = dt.datetime.now(dt.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(self._name)
            .issuer_name(self._name)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.pem = certificate.public_bytes(serialization.Encoding.PEM).decode()

    def server_context(self, *names: str, expired: bool = False) -> ssl.SSLContext:
        """A server's TLS context with a certificate for these names (`*.example.com` allowed)."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        key = ec.generate_private_key(ec.SECP256R1())
        now = dt.datetime.now(dt.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:60])]))
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=3))
            .not_valid_after(now + dt.timedelta(days=-1 if expired else 30))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        pem = certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile(suffix=".pem") as file:
            file.write(pem)
            file.flush()
            context.load_cert_chain(file.name)
        return context


class Internet:
    """Names → addresses and (address, port) → handler. `connections` has every dialled (address, port), in order.

    A name may map to a list of addresses, to a callable (called with the number of earlier lookups), or be absent.
    """

    def __init__(self, *, authority: Authority | None = None) -> None:
        self.names: dict[str, list[str] | Callable[[int], list[str]]] = {}
        self.handlers: dict[tuple[str, int], Handler] = {}
        self.contexts: dict[tuple[str, int], ssl.SSLContext] = {}
        self.connections: list[tuple[str, int]] = []
        self.lookups: list[str] = []
        self.requests: list[str] = []
        self.authority = authority
        self._waiting: dict[int, tuple[str, int]] = {}
        self._known = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    def network(self) -> Network:
        context = tls_context(self.authority.pem) if self.authority else None
        return Network(resolver=self.resolve, dial=self.dial, context=context)

    def close(self) -> None:
        self._listener.close()

    def resolve(self, host: str, port: int) -> list[str]:
        number = self.lookups.count(host)
        self.lookups.append(host)
        answer = self.names.get(host)
        if answer is None:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return answer(number) if callable(answer) else answer

    def dial(self, address: str, port: int, timeout: float) -> socket.socket:
        self.connections.append((address, port))
        connection = socket.socket()
        connection.settimeout(timeout)
        connection.bind(("127.0.0.1", 0))
        with self._known:
            self._waiting[connection.getsockname()[1]] = (address, port)
            self._known.notify_all()
        connection.connect(self._listener.getsockname())
        return connection

    def _accept(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, peer[1]), daemon=True).start()

    def _serve(self, connection: socket.socket, peer: int) -> None:
        with self._known:
            self._known.wait_for(lambda: peer in self._waiting, timeout=5)
            place = self._waiting.pop(peer)
        with contextlib.suppress(OSError), connection:
            connection.settimeout(10)
            if context := self.contexts.get(place):
                connection = context.wrap_socket(connection, server_side=True)
            elif place[1] == 443:
                connection.recv(1)
                connection.sendall(answer("this is not TLS", "400 Bad Request"))
                return
            request = _read_request(connection)
            if not request:
                return
            self.requests.append(request)
            self.handlers.get(place, canary)(connection, request)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
            connection.settimeout(0.2)
            with contextlib.suppress(OSError):
                while connection.recv(65_536):
                    pass


@contextlib.contextmanager
def internet(authority: Authority | None = None) -> Iterator[Internet]:
    net = Internet(authority=authority)
    try:
        yield net
    finally:
        net.close()


def _read_request(connection: socket.socket) -> str:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            return ""
        data += piece
    return data.decode("latin-1")


def canary(connection: socket.socket, request: str) -> None:
    connection.sendall(answer("<html><body><p>canary of the inner network</p></body></html>"))


def answer(
    body: str | bytes,
    status: str = "200 OK",
    headers: Mapping[str, str] | None = None,
    content_type: str = "text/html; charset=utf-8",
) -> bytes:
    """A whole HTTP answer."""
    data = body.encode() if isinstance(body, str) else body
    fields = {"Content-Type": content_type, "Content-Length": str(len(data)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + data


def path_of(request: str) -> str:
    return request.split(" ", 2)[1]


def site(pages: Mapping[str, bytes], *, robots: str | None = None) -> Handler:
    """A handler that answers by path; robots.txt is 404 unless given."""

    def handle(connection: socket.socket, request: str) -> None:
        path = path_of(request)
        if path == "/robots.txt" and path not in pages:
            connection.sendall(
                answer(robots, content_type="text/plain") if robots is not None else answer("", "404 Not Found")
            )
            return
        connection.sendall(pages.get(path, answer("no such page", "404 Not Found")))

    return handle


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer("", status, {"Location": location})
