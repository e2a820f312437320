"""Which files a folder holds. Everything that is passed over is counted or named, and nothing is followed out of it."""

# ruff: noqa: PTH112, PTH114, PTH118, PTH122
# Path objects would cost more than the rest of the walk.
from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, Protocol

from brain_assets.errors import ConfigurationError
from brain_assets.model.entry import Problem
from brain_assets.sources.decode import file_name, printable

IGNORED_FOLDERS = frozenset({".obsidian", ".git", ".trash"})
_INODE_BITS = (1 << 63) - 1


class Found(NamedTuple):
    """A file as the walk met it: `path` is relative, NFC, with forward slashes; `disk` is spelled as on disk.

    `refused` is the reason why it cannot be read, empty for a readable one; size and times are 0 then.
    """

    path: str
    disk: str
    size: int
    mtime_ns: int
    inode: int
    refused: str = ""


class Spelled(Protocol):
    """A known file, as far as spellings are concerned."""

    @property
    def disk(self) -> str: ...

    @property
    def live(self) -> bool: ...


@dataclass
class Walk:
    """Everything below a folder. `files` are in path order; `unread` are folders that could not be
    listed, as path prefixes ending in `/`; `skipped` counts other files per suffix, `ignored` what the settings leave
    out."""

    files: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    ignored: int = 0


def walk(
    root: Path,
    suffixes: Sequence[str],
    *,
    ignore: Sequence[str] = (),
    leave_out: Iterable[Path] = (),
    only: Set[str] | None = None,
) -> Walk:
    """Find the files with these suffixes (lower case, any case on disk) under `root`.

    `ignore` are globs of relative paths, `leave_out` folders of the product itself. A symbolic link to a file inside
    `root` counts as a file of its own; one to a folder inside is not entered, because its files are met at their own
    place; one that leads out, nowhere or in a circle is refused. With `only`, just these folders are listed (relative,
    as spelled on disk, "" is the root), and not what lies below them; those that a walk would not enter are left out.
    Raises ConfigurationError if the root itself cannot be listed.
    """
    out = Walk()
    real_root = os.path.realpath(root)
    ignored = _globs(tuple(ignore))
    left_out = {os.path.realpath(p) for p in leave_out}
    endings = tuple(suffixes)
    stack: list[tuple[str, str]] = [("", "")]
    if only is not None:
        stack = [("", "")] if "" in only else []
        for folder in sorted(only - {""}):
            if _entered(real_root, folder, ignored, left_out):
                stack.append((folder + "/", file_name(folder) + "/"))
    while stack:
        disk_folder, folder = stack.pop()
        try:
            with os.scandir(os.path.join(real_root, disk_folder)) as listing:
                children = list(listing)
        except OSError as error:
            if not folder:
                raise ConfigurationError(
                    f"The folder {root} cannot be listed ({error.strerror}).", "Correct its permissions."
                ) from error
            if isinstance(error, FileNotFoundError):
                continue  # deleted since its parent was listed
            out.problems.append(Problem(path=folder, reason=f"the folder cannot be listed ({error.strerror})"))
            out.unread.append(folder)
            continue
        for child in children:
            name = child.name
            disk, path = disk_folder + name, folder + (name if name.isascii() else file_name(name))
            if ignored is not None and ignored.fullmatch(path):
                out.ignored += 1
                continue
            try:
                linked = child.is_symlink()
                is_folder = child.is_dir(follow_symlinks=False)
            except OSError as error:
                out.problems.append(Problem(path=path, reason=f"it cannot be looked at ({error.strerror})"))
                continue
            if is_folder:
                if name in IGNORED_FOLDERS or (left_out and os.path.realpath(child.path) in left_out):
                    out.ignored += 1
                elif only is None:
                    stack.append((disk + "/", path + "/"))
            elif name.endswith(endings) or name.lower().endswith(endings):
                try:
                    info = None if linked else child.stat(follow_symlinks=False)
                except OSError:
                    info = None  # _file says why
                if info is not None and stat.S_ISREG(info.st_mode):
                    out.files.append(Found(path, disk, info.st_size, info.st_mtime_ns, info.st_ino & _INODE_BITS))
                else:
                    out.files.append(_file(child, linked, path, disk, real_root))
            elif linked and os.path.isdir(child.path):
                out.problems.append(Problem(path=path, reason=_linked_folder(child.path, real_root)))
            else:
                out.skipped[os.path.splitext(name)[1].lower() or "(none)"] += 1
    out.files.sort(key=itemgetter(0))
    out.problems.sort(key=lambda problem: problem.path)
    return out


def _entered(root: str, folder: str, ignored: re.Pattern[str] | None, left_out: set[str]) -> bool:
    """Whether a walk comes into this folder."""
    place = root
    names = folder.split("/")
    for depth, name in enumerate(names, start=1):
        place = os.path.join(place, name)
        if name in IGNORED_FOLDERS or os.path.islink(place) or not os.path.isdir(place):
            return False
        if ignored is not None and ignored.fullmatch(file_name("/".join(names[:depth]))):
            return False
        if left_out and os.path.realpath(place) in left_out:
            return False
    return True


def _file(child: os.DirEntry[str], linked: bool, path: str, disk: str, root: str) -> Found:
    if linked and (refused := _linked_file(child.path, root)):
        return Found(path, disk, 0, 0, 0, refused)
    try:
        info = child.stat(follow_symlinks=linked)
    except OSError as error:
        return Found(path, disk, 0, 0, 0, f"it cannot be looked at ({error.strerror})")
    if not stat.S_ISREG(info.st_mode):
        return Found(path, disk, 0, 0, 0, "it is not a regular file")
    return Found(path, disk, info.st_size, info.st_mtime_ns, info.st_ino & _INODE_BITS)


def _linked_file(link: str, root: str) -> str:
    try:
        target = os.path.realpath(link, strict=True)
    except OSError:
        return "it is a symbolic link that leads nowhere"
    if not _inside(target, root):
        return "it is a symbolic link that leads out of the folder; put the file itself there"
    if os.path.isdir(target):
        return "it is a symbolic link to a folder; its files are read at their own place"
    return ""


def _linked_folder(link: str, root: str) -> str:
    if _inside(os.path.realpath(link), root):
        return "it is a symbolic link to a folder; its files are read at their own place"
    return "it is a symbolic link that leads out of the folder; nothing behind it is read"


def _inside(target: str, root: str) -> bool:
    return target == root or target.startswith(root.rstrip("/") + "/")


def settle_spellings(files: Sequence[Found], known: Mapping[str, Spelled]) -> list[Found]:
    """Refuse all but one of the files whose paths are equal after NFC.

    `known` holds the files of the last time by path: a live one keeps its place, else the first spelling in byte order
    wins. The others get an escaped path, so that each file has a row of its own.
    """
    if len({file.path for file in files}) == len(files):
        return list(files)
    out: list[Found] = []
    taken: set[str] = set()
    start = 0
    while start < len(files):
        end = start + 1
        while end < len(files) and files[end].path == files[start].path:
            end += 1
        same = sorted(files[start:end], key=lambda found: os.fsencode(found.disk))
        winner = next((f for f in same if _was_live(f, known)), same[0])
        for found in same:
            if found is winner:
                out.append(found)
                continue
            path = printable(found.disk)
            while path in taken:
                path += "'"
            taken.add(path)
            reason = f"its name equals that of {found.path} (another spelling of the same letters); rename one of them"
            out.append(Found(path, found.disk, 0, 0, 0, reason))
        start = end
    return out


def _was_live(found: Found, known: Mapping[str, Spelled]) -> bool:
    before = known.get(found.path)
    return before is not None and before.live and before.disk == spelled(found.disk)


def spelled(disk: str) -> str:
    """A name on disk in a form that every database holds: undecodable bytes are escaped."""
    return disk if disk.isascii() else disk.encode("utf-8", "backslashreplace").decode()


@lru_cache(maxsize=8)
def _globs(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    """One expression for all ignore globs: as in .gitignore, a pattern without `/` matches a name at any depth, one
    with `/` starts at the root; `*` stays within a name, `**` does not; what lies below a match is left out with it."""
    parts = []
    for pattern in patterns:
        glob = file_name(pattern.replace("\\", "/")).strip()
        anchored = "/" in glob.rstrip("/")
        glob = glob.strip("/")
        if glob.endswith("/**"):
            glob = glob[:-3]
        if glob:
            parts.append(("" if anchored else "(?:.*/)?") + _translate(glob))
    try:
        return re.compile("|".join(f"(?:{p})" for p in parts), re.DOTALL) if parts else None
    except re.error as error:
        raise ConfigurationError(
            f"BRAIN_VAULT_IGNORE has a pattern that cannot be read ({error}).", "Correct or unset it."
        ) from error


def _translate(glob: str) -> str:
    out, i = [], 0
    while i < len(glob):
        if glob.startswith("**/", i):
            out.append("(?:.*/)?")
            i += 3
        elif glob.startswith("**", i):
            out.append(".*")
            i += 2
        elif glob[i] == "*":
            out.append("[^/]*")
            i += 1
        elif glob[i] == "?":
            out.append("[^/]")
            i += 1
        elif glob[i] == "[" and (close := glob.find("]", i + 2)) > 0:
            inside = glob[i + 1 : close].replace("\\", "\\\\")
            out.append("[" + ("^" + inside[1:] if inside[0] in "!^" else inside) + "]")
            i = close + 1
        else:
            out.append(re.escape(glob[i]))
            i += 1
    return "".join(out)
