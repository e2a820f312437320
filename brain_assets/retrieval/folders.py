"""Index folders: a tantivy index with the compound dictionary it was analysed with. Published ones never change."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from brain_assets.errors import IndexUnavailableError
from brain_assets.retrieval.analysis import Analyses, term_analyser
from brain_assets.retrieval.documents import VERSION, schema
from brain_assets.settings import Settings

_NAME = re.compile(r"g(\d{6,})")
_COMPOUNDS, _VOCABULARY, _NEW, _VERSION = "compounds.txt", "vocabulary.txt", "new_words.txt", "version.json"
_COPIED = {"meta.json", ".managed.json"}
_BUILD_HEAP, _EDIT_HEAP = 110_000_000, 15_000_000


class Folder:
    """An opened index folder; `beside` is kept for as long as it is."""

    def __init__(self, path: Path, index: Any, beside: Any = None) -> None:
        self.path = path
        self._beside = beside
        self.name = path.name
        self._index = index
        self._index.register_tokenizer("terms", term_analyser())
        self._analyses: Analyses | None = None
        # Read now: a later sync may delete the folder while this reader still uses it.
        self._compounds = (path / _COMPOUNDS).read_text(encoding="utf-8")
        self.schema = index.schema
        self.searcher = index.searcher()
        self.documents: int = self.searcher.num_docs

    @property
    def analyses(self) -> Analyses:
        """The analyses with the folder's own compound dictionary."""
        if self._analyses is None:
            self._analyses = Analyses(self._compounds.split())
        return self._analyses

    def vocabulary(self) -> frozenset[str]:
        """German words known when the dictionary was made."""
        return frozenset(_lines(self.path / _VOCABULARY))

    def new_words(self) -> list[str]:
        """German words met since."""
        return _lines(self.path / _NEW)

    def writer(self, large: bool) -> Any:
        """The one tantivy writer; only for a folder that is not published yet."""
        return self._index.writer(_BUILD_HEAP if large else _EDIT_HEAP, 1)

    def ids(self) -> set[str]:
        """All entry ids."""
        from tantivy import Query

        from brain_assets.retrieval.documents import read_head

        self._index.reload()
        searcher = self._index.searcher()
        hits = searcher.search(Query.all_query(), limit=max(1, searcher.num_docs)).hits
        return {read_head(searcher.doc(address).to_dict()).id for _, address in hits}


def open_folder(settings: Settings, name: str) -> Folder:
    """Open an index folder. Raises IndexUnavailableError saying why it cannot be used."""
    import tantivy

    path = settings.index_dir / name
    remedy = "Run `brain sync`: it rebuilds the index from the catalogue."
    try:
        made_by = json.loads((path / _VERSION).read_text(encoding="utf-8"))["version"]
        if made_by != VERSION:
            raise IndexUnavailableError(f"Index folder {path} is of another version ({made_by}).", remedy)
        if not os.access(path, os.W_OK):
            return Folder(path, *_on_a_read_only_disk(path))
        return Folder(path, tantivy.Index.open(str(path)))
    except FileNotFoundError as error:
        raise IndexUnavailableError(f"Index folder {path} is incomplete or missing.", remedy) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexUnavailableError(f"Index folder {path} cannot be read ({error}).", remedy) from error


def _on_a_read_only_disk(path: Path) -> tuple[Any, Any]:
    """The tantivy index of a folder where its lock file cannot be made, and what has to live as long as it does.

    tantivy locks even to read: it is shown a temporary folder of links to the files.
    """
    import tempfile

    import tantivy

    beside = tempfile.TemporaryDirectory(prefix="brain-index-")
    for file in path.iterdir():
        if file.suffix != ".lock":
            (Path(beside.name) / file.name).symlink_to(file)
    return tantivy.Index.open(beside.name), beside


def create(settings: Settings, compounds: Sequence[str], vocabulary: Sequence[str]) -> Folder:
    """A new, empty index folder."""
    import tantivy

    path = _next(settings)
    _write_lines(path / _COMPOUNDS, compounds)
    _write_lines(path / _VOCABULARY, vocabulary)
    _write_lines(path / _NEW, ())
    (path / _VERSION).write_text(json.dumps({"version": VERSION}), encoding="utf-8")
    return Folder(path, tantivy.Index(schema(), path=str(path)))


def clone(settings: Settings, base: Folder, new_words: Sequence[str]) -> Folder:
    """A new folder with the content of `base`, by hard links where the file system has them."""
    import tantivy

    path = _next(settings)
    for file in sorted(base.path.iterdir()):
        if file.suffix == ".lock" or file.name == _NEW:
            continue
        target = path / file.name
        if file.name in _COPIED:
            shutil.copyfile(file, target)
            continue
        try:
            os.link(file, target)
        except OSError:
            shutil.copyfile(file, target)
    _write_lines(path / _NEW, new_words)
    return Folder(path, tantivy.Index.open(str(path)))


def sweep(settings: Settings, keep: str) -> None:
    """Delete all folders but the published one. Readers that have one open keep what they have."""
    for path in settings.index_dir.iterdir():
        if path.is_dir() and _NAME.fullmatch(path.name) and path.name != keep:
            shutil.rmtree(path, ignore_errors=True)


def _next(settings: Settings) -> Path:
    settings.index_dir.mkdir(parents=True, exist_ok=True)
    numbers = [int(m[1]) for p in settings.index_dir.iterdir() if (m := _NAME.fullmatch(p.name))]
    path = settings.index_dir / f"g{max(numbers, default=0) + 1:06d}"
    path.mkdir()
    return path


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split()


def _write_lines(path: Path, words: Sequence[str]) -> None:
    path.write_text("\n".join(words), encoding="utf-8")
