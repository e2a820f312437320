"""Backup and restore: what a brain cannot make again from its sources, in one file that proves itself whole.

In it: the catalogue (one consistent snapshot, taken while searches go on), staging, article metadata, evidence and
answers, a note of the settings without secrets, and a manifest with the SHA-256 of each file. Not in it: the vault and
the KB (they are yours and untouched), the search index and vector files (made anew from the catalogue), Dagster's
history of runs.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pydantic import SecretStr

from brain_assets import __version__
from brain_assets.errors import BrainError, ConfigurationError, NewerCatalogueError, NotFoundError
from brain_assets.settings import Settings, variable
from brain_assets.store import catalogue, files, lock

FORMAT = 1
CATALOGUE = "brain.db"
MANIFEST = "manifest.json"
FOLDERS = ("staging", "article-metadata", "evidence", "answers")
_SNAPSHOT = ".backup.tmp"
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Backup:
    """A backup that was written or read: its file, how many files it holds and their size, and its manifest."""

    path: Path
    files: int
    size: int
    manifest: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"file": str(self.path), "files": self.files, "bytes": self.size} | {
            key: self.manifest[key] for key in ("created", "version", "revision", "generation")
        }


def backup(settings: Settings, target: Path, *, wait: float = 0.0) -> Backup:
    """Write a backup to `target` (a .tar.gz), whole or not at all; never over an existing file.

    Searches go on meanwhile; a writer is waited for (`wait` seconds). Raises NotFoundError (there is no brain),
    LockedError, ConfigurationError (the target is there, lies in the vault or the KB or cannot be written, or the
    catalogue is another database's).
    """
    if settings.database_url is not None:
        raise ConfigurationError(
            "The catalogue is in the database of BRAIN_DATABASE_URL, which `brain backup` does not copy.",
            "Use that database's own backup and copy the data directory beside it; `brain export` works too.",
        )
    files.keep_out_of_sources(settings, target)
    if target.exists():
        raise ConfigurationError(f"{target} is already there.", "Give another name, or move it away.")
    database = settings.data_dir / CATALOGUE
    if not database.exists():
        raise NotFoundError(f"There is no brain in {settings.data_dir} yet.", "Make one with: brain sync")
    part = target.with_name(f".{target.name}.part")
    snapshot = settings.data_dir / _SNAPSHOT
    with _writable(target), lock.writer(settings, wait=wait):
        try:
            snapshot.unlink(missing_ok=True)
            _snapshot(database, snapshot)
            manifest = _manifest(settings, snapshot)
            with part.open("wb") as raw:
                _write(raw, settings, snapshot, manifest)
                raw.flush()
                os.fsync(raw.fileno())
            part.replace(target)
            files.sync_folder(target.parent)
        finally:
            snapshot.unlink(missing_ok=True)
            part.unlink(missing_ok=True)
    held = manifest["files"]
    return Backup(target, len(held), sum(item["bytes"] for item in held.values()), manifest)


@contextlib.contextmanager
def _writable(target: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            f"The backup {target} cannot be written ({reason}).", "Check the folder, its permissions and free space."
        ) from error


def _snapshot(database: Path, target: Path) -> None:
    """A consistent copy without free pages, whatever readers and log rows go on beside it."""
    with contextlib.closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


def _manifest(settings: Settings, snapshot: Path) -> dict[str, Any]:
    with contextlib.closing(sqlite3.connect(snapshot)) as connection:
        revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        generation = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    return {
        "format": FORMAT,
        "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "revision": revision,
        "generation": int(generation[0]) if generation else 0,
        "settings": noted(settings),
        "files": {},
    }


def noted(settings: Settings) -> dict[str, Any]:
    """The settings that differ from their defaults, by variable; of a secret, and of a URL, only that it is set."""
    found: dict[str, Any] = {}
    for name, info in type(settings).model_fields.items():
        value = getattr(settings, name)
        if value == info.get_default(call_default_factory=True):
            continue
        hidden = isinstance(value, SecretStr) or name.endswith("_url") or name == "ollama_host"
        found[variable(name)] = "(set)" if hidden else value
    return json.loads(json.dumps(found, default=str))  # type: ignore[no-any-return]


def _members(settings: Settings, snapshot: Path) -> Iterator[tuple[str, Path]]:
    yield CATALOGUE, snapshot
    for folder in FOLDERS:
        for path in sorted((settings.data_dir / folder).rglob("*")):
            if path.is_file() and not path.is_symlink() and not path.name.endswith(".tmp"):
                yield path.relative_to(settings.data_dir).as_posix(), path


def _write(raw: IO[bytes], settings: Settings, snapshot: Path, manifest: dict[str, Any]) -> None:
    with (
        gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=1, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, path in _members(settings, snapshot):
            manifest["files"][name] = {"sha256": _digest(path), "bytes": path.stat().st_size}
            with path.open("rb") as file:
                archive.addfile(_member(name, path.stat().st_size), file)
        text = (json.dumps(manifest, ensure_ascii=False, indent=2) + "\n").encode()
        archive.addfile(_member(MANIFEST, len(text)), io.BytesIO(text))


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    return member


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def restore(settings: Settings, source: Path, *, force: bool = False, wait: float = 0.0) -> tuple[Backup, Path | None]:
    """Put a backup in the place of the data directory, after every file has been compared with the manifest.

    A data directory with something in it is refused, or with `force` kept beside it under another name, which is
    returned. Raises NotFoundError, BrainError (damaged, incomplete, or no backup), NewerCatalogueError, LockedError,
    ConfigurationError (refused, or not writable). Nothing is changed before all is proven.
    """
    place = settings.data_dir
    if settings.database_url is not None:
        raise ConfigurationError("The catalogue is in the database of BRAIN_DATABASE_URL.", "Unset it to restore.")
    if not source.is_file():
        raise NotFoundError(f"There is no backup {source}.", "Name a file that `brain backup` wrote.")
    occupied = place.is_dir() and any(path.name != "lock" for path in place.iterdir())
    if occupied and not force:
        raise ConfigurationError(
            f"The data directory {place} is not empty.",
            "Choose another with --data-dir, or use --force: what is there is kept beside it under another name.",
        )
    place.parent.mkdir(parents=True, exist_ok=True)
    with _restorable(place):
        fresh = Path(tempfile.mkdtemp(prefix=f".{place.name}.restore-", dir=place.parent))
        try:
            found = _unpack(source, fresh)
            _prove(fresh, source, found)
            fresh.chmod(0o755)
            with lock.writer(settings, wait=wait):
                aside = _set_aside(place, occupied)
                fresh.replace(place)
            files.sync_folder(place.parent)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    return found, aside


@contextlib.contextmanager
def _restorable(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigurationError(
            f"The data directory {place} cannot be restored ({error.strerror or error}).",
            "Check its folder, permissions and free space. Nothing was changed.",
        ) from error


def _set_aside(place: Path, occupied: bool) -> Path | None:
    if not occupied:
        shutil.rmtree(place, ignore_errors=True)  # empty, or nothing but the lock file
        return None
    number = 1
    while (aside := place.with_name(f"{place.name}.before-restore-{number}")).exists():
        number += 1
    place.replace(aside)
    return aside


def _damaged(source: Path, what: str) -> BrainError:
    return BrainError(f"The backup {source} is damaged: {what}.", "Use another backup. Nothing was changed.")


def _unpack(source: Path, target: Path) -> Backup:
    digests: dict[str, tuple[str, int]] = {}
    manifest: dict[str, Any] | None = None
    try:
        with tarfile.open(source, "r:gz") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isreg() else None
                if stream is None or not _expected(member.name):
                    raise _damaged(source, f"it holds {member.name!r}, which no backup does")
                if member.name == MANIFEST:
                    manifest = json.loads(stream.read())
                    continue
                digests[member.name] = _copy(stream, target / member.name)
    except (tarfile.TarError, EOFError, zlib.error, ValueError, gzip.BadGzipFile) as error:
        raise _damaged(source, str(error) or type(error).__name__) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise _damaged(source, "it has no manifest")
    if manifest.get("format") != FORMAT:
        raise NewerCatalogueError(
            f"The backup {source} has format {manifest.get('format')!r}, which this version does not know.",
            "Install the version that wrote it.",
        )
    told = {name: (item["sha256"], item["bytes"]) for name, item in manifest["files"].items()}
    if wrong := sorted(name for name in told.keys() | digests.keys() if told.get(name) != digests.get(name)):
        raise _damaged(source, f"{len(wrong)} files are not as the manifest says, the first is {wrong[0]}")
    if CATALOGUE not in digests:
        raise _damaged(source, "it has no catalogue")
    return Backup(source, len(digests), sum(size for _, size in digests.values()), manifest)


def _expected(name: str) -> bool:
    """Whether a name is one that `backup` writes: nothing that leads out of the data directory."""
    parts = name.split("/")
    inside = parts[0] in FOLDERS and len(parts) > 1 and all(part not in ("", ".", "..") for part in parts)
    return name in (CATALOGUE, MANIFEST) or (inside and "\\" not in name and "\0" not in name)


def _copy(stream: IO[bytes], target: Path) -> tuple[str, int]:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as file:
        while chunk := stream.read(_CHUNK):
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest(), size


def _prove(folder: Path, source: Path, found: Backup) -> None:
    """The catalogue is whole, and of a version this one can open (an older one is brought up to date later)."""
    from brain_assets.store import migrations

    with contextlib.closing(sqlite3.connect(folder / CATALOGUE)) as connection:
        try:
            sound = connection.execute("PRAGMA quick_check").fetchone()[0]
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        except (sqlite3.Error, TypeError) as error:
            raise _damaged(source, f"its catalogue cannot be read ({error})") from error
    if sound != "ok":
        raise _damaged(source, f"its catalogue is not sound ({sound})")
    if revision not in migrations.known_revisions():
        raise NewerCatalogueError(
            f"The backup {source} was made by a newer version of brain_assets ({found.manifest.get('version')}, "
            f"catalogue {revision}).",
            "Install that version.",
        )


def make_searchable(settings: Settings) -> None:
    """Make the index and the vector files of a restored catalogue; brings an older catalogue up to date."""
    from brain_assets.retrieval import index, vectors

    with lock.writer(settings), catalogue.open(settings) as cat:
        index.forget_folder(cat)
        index.update(cat, settings)
        vectors.update(cat, settings, full=False)
