"""Ranking: what besides relevance moves a hit. Every factor is gentle, multiplies, and is shown by `explain`.

With equal dates, types, folders and statuses the order is that of relevance alone; so it is with boosts off.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from brain_assets.retrieval.documents import Head
from brain_assets.text.words import fold

WINDOW = 200
"""So many of the best are scored again."""

RECENCY_SHARE = 0.12
"""The most that age takes away."""
OUTDATED = 0.8
TITLE_LEAD = 1.15
NAMED = 1.5
"""For an entry whose title or alias the query names word for word: whoever types a title wants that entry."""
LINK_SHARE = 0.2
"""So much of the score of one of the ten best is added to an entry that links to it or is linked from it: people link
what belongs together, and it often answers in other words, or in the other language."""
LINK_SOURCES = 10

HALF_LIFE_DAYS: dict[str, float] = {
    "daily": 60, "journal": 60, "tagebuch": 60, "status": 60, "meeting": 120, "protokoll": 120, "besprechung": 120,
    "incident": 180, "storung": 180, "project": 240, "projekt": 240, "how-to": 720, "howto": 720, "anleitung": 720,
    "runbook": 720, "reference": 1440, "referenz": 1440, "concept": 1440, "konzept": 1440, "decision": 1440,
    "entscheidung": 1440,
}  # fmt: skip
"""Days after which half of the recency is gone, by note type (folded); BRAIN_HALF_LIFE_DAYS overrides it."""
DEFAULT_HALF_LIFE = 540.0
_MOST_KNOWN = 10_000

_OUTDATED = frozenset(
    """veraltet archiv archiviert archived archive deprecated obsolete obsolet superseded ersetzt abgelost outdated
    uberholt inactive inaktiv stillgelegt retired""".split()
)


@dataclass(frozen=True, slots=True)
class Factors:
    """What a relevance is multiplied with."""

    recency: float = 1.0
    status: float = 1.0
    path: float = 1.0
    title: float = 1.0
    product: float = field(init=False, default=1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "product", self.recency * self.status * self.path * self.title)

    def apply(self, relevance: float) -> float:
        """A factor below one lowers a negative relevance too."""
        return relevance * self.product if relevance >= 0 else relevance / self.product


NEUTRAL = Factors()


class Ranking:
    """The factors of one brain's settings on one day."""

    def __init__(self, today: dt.date, half_lives: Mapping[str, float], path_boosts: Mapping[str, float]) -> None:
        self._today = today
        self._half_lives = HALF_LIFE_DAYS | {fold(name): days for name, days in half_lives.items()}
        self._default = self._half_lives.get("default", DEFAULT_HALF_LIFE)
        self._known_types: dict[str | None, float] = {None: self._default, "": self._default}
        self._known_statuses: dict[str | None, float] = {None: 1.0}
        self._paths = sorted(path_boosts.items(), key=lambda item: (-len(item[0]), item[0]))

    def factors(self, head: Head, title_lead: bool) -> Factors:
        """The factors of one hit."""
        return self.both(head)[title_lead]

    def both(self, head: Head) -> tuple[Factors, Factors]:
        """The factors of an entry without and with a title lead; the rest of them is the same for every query."""
        path = head.path or ""
        boost = next((boost for prefix, boost in self._paths if path.startswith(prefix)), 1.0) if self._paths else 1.0
        recency, status = self._recency(head), self._status(head.status)
        return Factors(recency, status, boost), Factors(recency, status, boost, TITLE_LEAD)

    def _status(self, status: str | None) -> float:
        factor = self._known_statuses.get(status)
        if factor is None:
            factor = OUTDATED if fold((status or "").strip()) in _OUTDATED else 1.0
            self._remember(self._known_statuses, status, factor)
        return factor

    def _half_life(self, kind: str | None) -> float:
        days = self._known_types.get(kind)
        if days is None:
            days = self._half_lives.get(fold(kind or ""), self._default)
            self._remember(self._known_types, kind, days)
        return days

    @staticmethod
    def _remember(known: dict[str | None, float], written: str | None, value: float) -> None:
        """People write few types and statuses; a vault of which this is not true must not fill the memory."""
        if len(known) < _MOST_KNOWN:
            known[written] = value

    def _recency(self, head: Head) -> float:
        """1 for today, falling to 1 − RECENCY_SHARE; what has no date is in the middle."""
        if head.date is None:
            return 1.0 - RECENCY_SHARE / 2
        half_life = self._half_life(head.type)
        age = max(0, (self._today - head.date).days)
        return 1.0 - RECENCY_SHARE * (1.0 - float(0.5 ** (age / max(half_life, 1e-9))))
