"""What a link means: the rules of Obsidian for paths, then aliases, titles and KB ids."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from brain_assets.model.entry import Link

_SUFFIXES = (".md", ".markdown")
_FEW_KEYS = 8


def link_key(target: str) -> str:
    """The part of a link's target by which candidates are looked up: its last component, without `.md`, case folded."""
    return _bare(target.replace("\\", "/")).rsplit("/", 1)[-1].strip().casefold()


def keys(link: Link) -> set[str]:
    """Every key under which something could be found that changes what the link means."""
    if not link.target:
        return set()
    bare = _bare(link.target)
    found = {link_key(bare), name_key(bare)}
    return found if bare == link.target else found | {name_key(link.target)}


def name_key(name: str) -> str:
    """The form in which aliases, titles and KB ids are compared with a link's target."""
    return " ".join(name.replace("\\", "/").split()).casefold()


def path_key(path: str) -> str:
    """The key under which a note's file name is looked up."""
    if path.endswith(".md"):
        return path[path.rfind("/") + 1 : -3].strip().casefold()
    return _bare(path).rsplit("/", 1)[-1].strip().casefold()


def _bare(path: str) -> str:
    lower = path.lower()
    for suffix in _SUFFIXES:
        if lower.endswith(suffix):
            return path[: -len(suffix)]
    return path


class PathIndex:
    """Paths of the notes there are, by the key of their file name.

    `paths` is called when the first link is looked up: most edits need no path at all. A few names are looked for one
    by one, because a key for each of 100,000 paths takes longer than the rest of an edit.
    """

    def __init__(self, paths: Callable[[], Iterable[str]] = tuple) -> None:
        self._load = paths
        self._removed: set[str] = set()
        self._few: dict[str, list[str]] = {}

    @classmethod
    def of(cls, paths: Iterable[str]) -> PathIndex:
        return cls(lambda: paths)

    @cached_property
    def _paths(self) -> list[str]:
        return list(self._load())

    @cached_property
    def _folded(self) -> list[str]:
        return [path.casefold() for path in self._paths]

    @cached_property
    def _by_key(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._paths:
            found.setdefault(path_key(path), []).append(path)
        return found

    def _of_key(self, key: str) -> list[str]:
        if key not in self._few and len(self._few) >= _FEW_KEYS:
            found = self._by_key.get(key, [])
        elif key in self._few:
            found = self._few[key]
        else:
            near = (p for p, folded in zip(self._paths, self._folded, strict=True) if key in folded)
            found = self._few[key] = [path for path in near if path_key(path) == key]
        return [path for path in found if path not in self._removed] if self._removed else found

    def remove(self, path: str) -> None:
        """Forget a path, if it is known."""
        self._removed.add(path)

    def find(self, link: Link, source: str) -> tuple[str | None, tuple[str, ...]]:
        """(the note meant, or None if it cannot be told; all candidates if there are several).

        An exact path wins: from the vault's root, then from the source's folder (the other way round for Markdown
        links). Else every note whose path ends with the target is a candidate: those below the source's folder come
        first, then the shortest path. Case decides only where nothing else does.
        """
        target = link.target
        wanted = _bare(target.replace("\\", "/")).strip()
        known = self._of_key(link_key(target))
        if not known or not wanted:
            return None, ()
        folder = source.rpartition("/")[0]
        for exact in _exact_forms(wanted, folder, link.syntax == "markdown"):
            if found := _best_case([p for p in known if _bare(p).casefold() == exact.casefold()], exact):
                return found, ()
        if wanted.startswith(("./", "../", "/")):
            return None, ()
        ending = "/" + wanted.casefold()
        candidates = [p for p in known if ("/" + _bare(p).casefold()).endswith(ending)]
        if len(candidates) <= 1:
            return (candidates[0], ()) if candidates else (None, ())
        if len({p.casefold() for p in candidates}) == 1 and (found := _best_case(candidates, wanted)):
            return found, ()
        ranked = sorted(candidates, key=lambda p: (*_distance(p, folder), p))
        clear = _distance(ranked[0], folder) < _distance(ranked[1], folder)
        return (ranked[0] if clear else None), tuple(sorted(candidates))


def _exact_forms(wanted: str, folder: str, relative_first: bool) -> list[str]:
    forms = []
    if not wanted.startswith(("./", "../")):
        forms.append(wanted.lstrip("/"))
    if not wanted.startswith("/"):
        relative = f"{folder}/{wanted}" if folder else wanted
        if "./" in wanted or "//" in wanted:
            relative = posixpath.normpath(relative)
        if not relative.startswith(".."):
            forms.insert(0 if relative_first else len(forms), relative)
    return forms


def _best_case(paths: list[str], wanted: str) -> str | None:
    """Of paths that differ in case only, the one spelled as wanted, else the first."""
    return min(paths, key=lambda p: (not _bare(p).endswith(wanted), p), default=None)


def _distance(path: str, folder: str) -> tuple[bool, int]:
    below = not folder or path.startswith(folder + "/")
    return not below, path.count("/")


@dataclass(frozen=True, slots=True)
class Named:
    """An entry that goes by a name; kind is `alias`, `title` or `kb`."""

    entry_id: str
    kind: str


def resolve(links: Iterable[Link], source: str, index: PathIndex, names: Mapping[str, list[Named]]) -> tuple[Link, ...]:
    """Links of the note at path `source` with `entry_id` and `candidates` set. A link without a target means its note.

    `names` maps name_key → entries; it may be empty, then only paths decide.
    """
    return tuple(_resolve_one(link, source, index, names) for link in links)


def _resolve_one(link: Link, source: str, index: PathIndex, names: Mapping[str, list[Named]]) -> Link:
    entry_id: str | None
    candidates: tuple[str, ...]
    if not link.target:
        entry_id, candidates = f"note:{source}", ()
    else:
        path, paths = index.find(link, source)
        entry_id = f"note:{path}" if path else None
        candidates = tuple(f"note:{p}" for p in paths)
        if entry_id is None and not candidates:
            entry_id, candidates = _by_name(link.target, names)
    if entry_id == link.entry_id and candidates == link.candidates:
        return link
    return link.model_copy(update={"entry_id": entry_id, "candidates": candidates})


def _by_name(target: str, names: Mapping[str, list[Named]]) -> tuple[str | None, tuple[str, ...]]:
    known = names.get(name_key(target)) or names.get(name_key(_bare(target))) or []
    for kind in ("alias", "kb", "title"):
        ids = sorted({named.entry_id for named in known if named.kind == kind})
        if len(ids) == 1:
            return ids[0], ()
        if ids:
            return None, tuple(ids)
    return None, ()


def found_by_path(link: Link, source: str, index: PathIndex) -> bool:
    """Whether files alone decide what a link means (aliases and titles then do not matter)."""
    path, candidates = index.find(link, source) if link.target else (source, ())
    return path is not None or bool(candidates)
