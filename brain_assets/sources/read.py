"""The bytes of one file, from one moment."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from brain_assets.sources.walk import Found

_ATTEMPTS = 4
_COARSE_NS, _FINE_NS = 2_000_000_000, 20_000_000


class RefusedError(ValueError):
    """A file that is not read; the message is the reason."""


class Content(NamedTuple):
    """What a file held: `found` has its size and time at that moment.

    `settled` is False if it changed while it was read, or so recently that a further change need not show in its time:
    then it has to be looked at again next time.
    """

    found: Found
    data: bytes
    digest: str
    settled: bool


def content(root: Path, found: Found, max_bytes: int) -> Content:
    """Read a file; one that is rewritten meanwhile is read again, a few times.

    Raises OSError as the file system gives it (FileNotFoundError: it is gone), RefusedError if it is no regular file
    or larger than `max_bytes`.
    """
    path = f"{root}/{found.disk}"
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(0.01)
        before, data, after = _read(path, max_bytes)
        same = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
        if same and len(data) == after.st_size:
            break
    else:
        same = False
    if len(data) > max_bytes:
        raise RefusedError(too_large(max(after.st_size, len(data)), max_bytes))
    now = Found(found.path, found.disk, after.st_size, after.st_mtime_ns, after.st_ino & ((1 << 63) - 1))
    age = time.time_ns() - after.st_mtime_ns
    recent = 0 <= age < (_FINE_NS if after.st_mtime_ns % 1_000_000_000 else _COARSE_NS)
    return Content(now, data, hashlib.sha256(data).hexdigest(), same and not recent)


def digests(root: Path, files: Iterable[Found], max_bytes: int) -> set[str]:
    """Content digests of those of the files that can be read."""
    out = set()
    for file in files:
        try:
            out.add(content(root, file, max_bytes).digest)
        except (OSError, RefusedError):
            continue  # whoever takes the file in says what is wrong with it
    return out


def _read(path: str, max_bytes: int) -> tuple[os.stat_result, bytes, os.stat_result]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise RefusedError("it is not a regular file")
        wanted = min(before.st_size, max_bytes) + 1
        data = os.read(descriptor, wanted)
        while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
            data += more
        return before, data, os.fstat(descriptor)
    finally:
        os.close(descriptor)


def too_large(size: int, max_bytes: int) -> str:
    """The reason a file of this size is refused."""
    return f"it is larger than the limit ({size} bytes, BRAIN_MAX_FILE_BYTES is {max_bytes})"
