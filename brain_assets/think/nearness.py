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
"""A statement of a leading source that is as near to the question says, as a rule, what it asks in other words. Set on
labelled questions in both languages, where a few beside the point reach 0.4 too: hence the limits on what may count."""
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
_LONGEST = 160
_BATCH = 12
_SAME = 1e-4
"""What the rounding of two products may differ by."""


@dataclass(frozen=True)
class Nearness:
    """Cosines of the statements of one query's sources with the question, freed of the languages."""

    gathered: Gathered

    @cached_property
    def _said(self) -> list[tuple[Source, Statement]]:
        return [(source, s) for source in self.gathered.sources for s in source.statements][:_MOST]

    @cached_property
    def _texts(self) -> list[str]:
        return [f"{source.entry.title}: {s.text[:_LONGEST]}" for source, s in self._said]

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
        language = self.gathered.question.language
        native = [s for source, s in self._said if source.entry.language == language]
        known = bool(subject) and any(all(covered(t, s.keys) for t in subject) for s in native)
        allowed = [
            (source, text)
            for (source, s), text in zip(self._said, self._texts, strict=True)
            if not s.open
            and (not known if source.entry.language != language else source.n <= _LEADING and not across)
            and attribute.is_stated(s.text)
        ]
        try:
            near = self._of([text for _, text in allowed])
            if any(c >= _STATES and source.n <= _LEADING for c, (source, _) in zip(near, allowed, strict=True)):
                return True
            foreign = [(c, s.n) for c, (s, _) in zip(near, allowed, strict=True) if s.entry.language != language]
            if not foreign:
                return False
            titles = self._of([source.entry.title for source in self.gathered.sources])
            if any(titles[n - 1] == max(titles) >= _TITLED for _, n in foreign):
                return True
            reach = [c + _CLOSE if n <= _LEADING else c for c, n in foreign if c >= _STATES_ACROSS]
            return bool(reach) and not self._exceeded(max(reach))
        except ModelError:
            return False

    def nearest_open(self, things: Sequence[Term], *, following: bool) -> tuple[Statement, frozenset[str]] | None:
        """The statement nearest to the question, with `following` also the one that goes on from it, when it names
        something as open and one of the things; and the words of both."""
        places: list[tuple[int, int]] = []
        for at, (source, statement) in enumerate(self._said):
            if statement.open:
                before = at - 1 if following and at and self._said[at - 1][0] is source else at
                if any(covered(t, self._said[before][1].keys | statement.keys) for t in things):
                    places += [(at, p) for p in range(before, at + 1)]
        if not places:
            return None
        try:
            near = self._of([self._texts[p] for _, p in places])
            best = max(near)
            if best < _OPEN or self._exceeded(best):
                return None
        except ModelError:
            return None
        at, place = places[near.index(best)]
        return self._said[at][1], self._said[place][1].keys | self._said[at][1].keys

    def unknown(self) -> bool:
        """Whether no source says anything near to the question."""
        try:
            return not self._exceeded(_KNOWN)
        except ModelError:
            return False

    def _exceeded(self, least: float) -> bool:
        """Whether a statement is nearer than `least`. The leading sources come first: most often one of theirs is."""
        return any(
            max(self._of(self._texts[at : at + _BATCH])) > least + _SAME for at in range(0, len(self._texts), _BATCH)
        )
