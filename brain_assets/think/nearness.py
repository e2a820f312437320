"""How near the statements of the sources are to a question in meaning, whatever words and language they use.

Asked only where words alone would call something missing, and where an open point may be what is asked; the statements
are then encoded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from brain_assets.errors import ModelError
from brain_assets.think.aspects import Term
from brain_assets.think.attributes import Attribute
from brain_assets.think.forms import covered
from brain_assets.think.gather import Gathered, Source
from brain_assets.think.statements import Statement

_STATES = 0.4
"""A statement of a leading source that is as near to the question says what it asks in other words. Measured on
labelled questions in both languages: statements beside the point stay below 0.4."""
_STATES_ACROSS = 0.3
"""The same of the nearest statement of all, where it is in the other language: translations lie further apart."""
_CLOSE = 0.05
"""Of a leading source it may be as much less near than the nearest."""
_TITLED = 0.4
"""Nearness of a title in the other language from which on its entry is about the question."""
_LEADING = 2
_OPEN = 0.3
_KNOWN = 0.35
"""Where not even the nearest statement is as near, the sources say nothing about the question."""
_MOST = 120
"""Statements compared for one question."""
_LONGEST = 300


@dataclass(frozen=True)
class Nearness:
    """Cosines of the statements of one query's sources with the question, freed of the languages."""

    gathered: Gathered

    @cached_property
    def _said(self) -> list[tuple[Source, Statement]]:
        return [(source, s) for source in self.gathered.sources for s in source.statements][:_MOST]

    @cached_property
    def _cosines(self) -> list[float]:
        return self._of([f"{source.entry.title}: {s.text[:_LONGEST]}" for source, s in self._said])

    @cached_property
    def _titles(self) -> list[float]:
        return self._of([source.entry.title for source in self.gathered.sources])

    def _of(self, texts: Sequence[str]) -> list[float]:
        """Nearness of texts to the question. Raises ModelError where the encoder cannot be used."""
        from brain_assets.graph.meaning import meanings

        if not texts:
            return []
        rows = meanings().of([self.gathered.question.text, *texts]).astype("float32")
        return [float(c) for c in rows[1:] @ rows[0]]

    def states(self, attribute: Attribute, subject: Sequence[Term], *, across: bool = False) -> bool:
        """Whether a source gives the question a value of the attribute in other words; `across`: only one in the other
        language will do. Where a statement in the question's own language has the whole subject, no other one does."""
        try:
            cosines, titles = self._cosines, self._titles
        except ModelError:
            return False
        language = self.gathered.question.language
        native = [s for source, s in self._said if source.entry.language == language]
        known = bool(subject) and any(all(covered(t, s.keys) for t in subject) for s in native)
        best = max(cosines, default=0.0)
        for (source, statement), near in zip(self._said, cosines, strict=True):
            if statement.open or not attribute.is_stated(statement.text):
                continue
            foreign = source.entry.language != language
            if (foreign and known) or (across and not foreign):
                continue
            if source.n <= _LEADING and near >= _STATES:
                return True
            if (
                foreign
                and near >= _STATES_ACROSS
                and (near == best or (source.n <= _LEADING and near >= best - _CLOSE))
            ):
                return True
            if foreign and titles[source.n - 1] == max(titles) >= _TITLED:
                return True
        return False

    def nearest_open(self, *, following: bool) -> tuple[Statement, frozenset[str]] | None:
        """The statement nearest to the question, with `following` also the one that goes on from it, when it names
        something as open; and the words of both."""
        if not any(s.open for _, s in self._said):
            return None
        try:
            near, at = max((near, -i) for i, near in enumerate(self._cosines))
        except ModelError:
            return None
        held: frozenset[str] = frozenset()
        for source, statement in self._said[-at : 2 - at if following else 1 - at]:
            held |= statement.keys
            if near >= _OPEN and statement.open and source is self._said[-at][0]:
                return statement, held
        return None

    def unknown(self) -> bool:
        """Whether no source says anything near to the question."""
        try:
            return max(self._cosines, default=0.0) < _KNOWN
        except ModelError:
            return False
