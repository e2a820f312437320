"""The readable text of a fetched page, extracted in a process that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import struct
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

from brain_assets.research import decode, extract_worker
from brain_assets.research.fetch import Fetched
from brain_assets.research.page import WebPage, digest
from brain_assets.research.transport import FetchFailed
from brain_assets.text import language as languages

TIME_LIMIT = 10.0
START_LIMIT = 60.0
PAGES_PER_PROCESS = 100
_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT", "TMPDIR", "TEMP")


class Extractor:
    """Extracts pages, one at a time, in a worker process that is started when needed and killed when it is too slow.

    Use it as a context manager, or call `close`; a forgotten one ends its process when it is collected.
    """

    def __init__(self, *, max_chars: int, time_limit: float = TIME_LIMIT) -> None:
        self._max_chars = max_chars
        self._time_limit = time_limit
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Extractor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def page(self, fetched: Fetched, *, fetched_on: str, source_class: str = "unknown") -> WebPage:
        """The page's text and origin. Raises FetchFailed (too_complex, extraction_failed, empty)."""
        text = decode.decode(fetched.body, fetched.charset)
        if fetched.content_type.startswith("text/") and fetched.content_type != "text/html":
            found: dict[str, Any] = {"text": decode.clean(text), "extractor": "plain"}
        else:
            found = self._ask(text)
        if error := found.get("error"):
            raise FetchFailed("too_complex" if "elements" in error or "memory" in error else "extraction_failed", error)
        body, cut = _cut(str(found["text"]).strip(), self._max_chars)
        if not body:
            raise FetchFailed("empty", "the page has no readable text")
        title = str(found.get("title") or "") or body.splitlines()[0].lstrip("# ")[:120] or fetched.final_url
        return WebPage(
            url=fetched.url,
            final_url=fetched.final_url,
            title=title,
            text=body,
            digest=digest(body),
            language=languages.detect(body),
            site=str(found.get("site") or "") or re.sub(r"^https?://(?:www\.)?([^/:]+).*", r"\1", fetched.final_url),
            published=_date(found.get("published"), fetched_on),
            organisation=found.get("organisation"),
            extractor=str(found["extractor"]),
            truncated=fetched.truncated or cut,
            login_form=bool(found.get("login_form")),
            hidden_instructions=bool(found.get("hidden_instructions")),
            source_class=source_class,
            fetched_on=fetched_on,
        )

    def _ask(self, text: str) -> dict[str, Any]:
        with self._lock:
            if self._served >= PAGES_PER_PROCESS:
                self.close()
            if self._process is None or self._process.poll() is not None:
                self.close()
                self._process, self._served = _start(), 0
                weakref.finalize(self, _end, self._process)
            self._served += 1
            try:
                data = text.encode("utf-8", "replace")
                reply = _exchange(self._process, struct.pack(">I", len(data)) + data, self._time_limit)
            except TimeoutError:
                self.close()
                raise FetchFailed("extraction_failed", f"not done after {self._time_limit:g} seconds") from None
            except (OSError, EOFError):
                # Killed between two pages, or by this one; the next page gets a new process either way.
                self.close()
                raise FetchFailed("extraction_failed", "the page ended the extracting process") from None
        found = json.loads(reply)
        return dict(found)


def _start() -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_assets.research.extract_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        bufsize=0,
        start_new_session=True,
    )
    assert process.stdout is not None
    # Starting is our own time, not the page's.
    if not select.select([process.stdout], [], [], START_LIMIT)[0] or process.stdout.read(2) != extract_worker.READY:
        _end(process)
        raise FetchFailed("extraction_failed", "the extracting process does not start")
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _exchange(process: subprocess.Popen[bytes], request: bytes, seconds: float) -> bytes:
    """Send a request and read its reply within one deadline. Raises TimeoutError, EOFError, OSError."""
    assert process.stdin is not None and process.stdout is not None
    inlet, outlet = process.stdin.fileno(), process.stdout.fileno()
    end = time.monotonic() + seconds
    os.set_blocking(inlet, False)
    sent, reply, wanted = 0, bytearray(), 4
    while len(reply) < wanted:
        left = end - time.monotonic()
        readable, writable, _ = select.select([outlet], [inlet] if sent < len(request) else [], [], max(left, 0))
        if not readable and not writable:
            raise TimeoutError
        if writable:
            sent += os.write(inlet, request[sent : sent + 65_536])
        if readable:
            piece = os.read(outlet, 65_536)
            if not piece:
                raise EOFError
            reply += piece
            if len(reply) >= 4:
                wanted = 4 + struct.unpack(">I", reply[:4])[0]
    return bytes(reply[4:])


def _cut(text: str, limit: int) -> tuple[str, bool]:
    """At most `limit` characters, cut at the end of a line or a word if one is near; whether it was cut."""
    if len(text) <= limit:
        return text, False
    for separator in ("\n", " "):
        position = text.rfind(separator, limit - limit // 10, limit)
        if position > 0:
            return text[:position].rstrip(), True
    return text[:limit], True


def _date(value: object, today: str) -> str | None:
    """An ISO date that exists and does not lie in the future; else None."""
    import datetime as dt

    if not isinstance(value, str):
        return None
    try:
        date = dt.date.fromisoformat(value[:10])
    except ValueError:
        return None
    return date.isoformat() if "1990" < date.isoformat() <= today else None
