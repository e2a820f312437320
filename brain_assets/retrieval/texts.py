"""The passages of hits, read from the catalogue and taken only if they are the ones that were indexed."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from brain_assets.retrieval.documents import PASSAGE_MARK
from brain_assets.settings import Settings

log = logging.getLogger(__name__)

_MOST_IDS = 200
_QUERY = "SELECT entry_id, text, digest FROM passages WHERE entry_id IN ({}) ORDER BY entry_id, ordinal"


class PassageTexts:
    """Texts of entries' passages by entry id. The standard library's SQLite will do; only another database than the
    embedded one needs SQLAlchemy."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._connection: sqlite3.Connection | None = None

    def of(self, marks: Mapping[str, Sequence[bytes]]) -> dict[str, list[str]]:
        """Passages in order, for the entries whose passages are exactly those marked; others are left out."""
        ids = list(marks)
        found: dict[str, list[tuple[str, str]]] = {}
        for start in range(0, len(ids), _MOST_IDS):
            for entry_id, text, digest in self._rows(ids[start : start + _MOST_IDS]):
                found.setdefault(entry_id, []).append((text, digest))
        return {
            entry_id: [text for text, _ in passages]
            for entry_id, passages in found.items()
            if [bytes.fromhex(digest)[:PASSAGE_MARK] for _, digest in passages] == list(marks[entry_id])
        }

    def _rows(self, ids: Sequence[str]) -> Sequence[Any]:
        if self._settings.database_url:
            return self._rows_elsewhere(ids)
        try:
            if self._connection is None:
                path = self._settings.data_dir / "brain.db"
                self._connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)
            return self._connection.execute(_QUERY.format(",".join("?" * len(ids))), list(ids)).fetchall()
        except sqlite3.Error as error:
            log.debug("passages are not readable now (%s): previews are the beginnings of entries", error)
            return []

    def _rows_elsewhere(self, ids: Sequence[str]) -> Sequence[Any]:
        from sqlalchemy import select

        from brain_assets.store import catalogue
        from brain_assets.store.schema import passages as p

        with catalogue.open(self._settings, read_only=True) as opened, opened.read() as connection:
            query = select(p.c.entry_id, p.c.text, p.c.digest).where(p.c.entry_id.in_(ids))
            return connection.execute(query.order_by(p.c.entry_id, p.c.ordinal)).all()
