"""One writer per data directory: a kernel `flock` that dies with its holder, so it is never stale."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from brain_assets.errors import ConfigurationError, LockedError
from brain_assets.settings import Settings

_POLL_SECONDS = 0.1


@dataclass
class _Held:
    descriptor: int
    thread: int
    depth: int


_held: dict[Path, _Held] = {}
_guard = threading.Lock()


@contextlib.contextmanager
def writer(settings: Settings, wait: float = 0.0) -> Iterator[None]:
    """Hold the writer lock of the data directory; re-entrant within a thread.

    Waits up to `wait` seconds. Raises LockedError naming the holder, ConfigurationError if the data directory cannot
    be written.
    """
    path = settings.data_dir / "lock"
    with _guard:
        held = _held.get(path)
        if held is not None and held.thread == threading.get_ident():
            held.depth += 1
        else:
            held = None
    if held is None:
        descriptor = _acquire(path, wait)
        with _guard:
            _held[path] = _Held(descriptor, threading.get_ident(), 1)
    try:
        yield
    finally:
        with _guard:
            current = _held[path]
            current.depth -= 1
            if current.depth == 0:
                del _held[path]
                os.close(current.descriptor)


def _acquire(path: Path, wait: float) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigurationError(
            f"The data directory {path.parent} cannot be written ({error.strerror}).",
            "Choose another with --data-dir or BRAIN_DATA_DIR, or correct its permissions.",
        ) from error
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
                continue
            holder = os.pread(descriptor, 400, 0).decode("utf-8", "replace").strip() or "another process"
            os.close(descriptor)
            raise LockedError(
                f"The brain in {path.parent} is being written by {holder}.",
                "Wait for it, or use --wait.",
            ) from None
        os.ftruncate(descriptor, 0)
        command = " ".join(Path(a).name if i == 0 else a for i, a in enumerate(sys.argv[:2]))
        os.pwrite(descriptor, f"process {os.getpid()} ({command})"[:390].encode("utf-8", "replace"), 0)
        return descriptor
