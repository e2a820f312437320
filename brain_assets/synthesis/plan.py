"""Which type of article a fact base carries, decided by what its statements do. The rule is written where it counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain_assets.model.synthesis import ArticleType, Consolidation, Pool
from brain_assets.synthesis import roles

_OVERVIEW = re.compile(r"\b(?:übersicht|überblick|aufbau|aufgebaut|architektur|konzept|grundlagen|funktionsweise|overview|architecture|concept|"
                       r"how .* works|introduction|einführung|entscheidung|decision)\b", re.IGNORECASE)  # fmt: skip
_CHOICE = re.compile(r"\b(?:welche[rsnm]?|entweder|oder|statt|anstelle|anstatt|für wen|je nachdem|nur für|nicht für|stattdessen|kein ersatz|"
                     r"which|either|instead(?: of)?|rather than|only for|not for|depending on|versus|as opposed to|do not get|"
                     r"bekommen keinen?|eigene[rsn]?)\b", re.IGNORECASE)  # fmt: skip
_LIMIT = re.compile(r"\d")


def decide(pool: Pool, base: Consolidation, titles: Sequence[str] = ()) -> ArticleType:
    """The article type.

    Troubleshooting if faults are described (symptoms, codes, problem titles) and something is done about them; how_to
    if steps make up most of it; decision_guide if statements weigh alternatives; concept if the sources explain how
    something is built or why; else reference.
    """
    scores = score(pool, base, titles)
    order: tuple[ArticleType, ...] = ("troubleshooting", "how_to", "decision_guide", "concept", "reference")
    return max(order, key=lambda name: scores[name])


def score(pool: Pool, base: Consolidation, titles: Sequence[str] = ()) -> dict[ArticleType, float]:
    """How much speaks for each type, 0 to about 1."""
    said = base.statements
    count = max(1, len(said))
    names = [*titles, pool.title]
    problems = sum(roles.is_problem(t) for t in names) / max(1, len(names))
    symptoms = sum(s.role == "symptom" or (bool(s.subject) and roles.is_problem(s.subject)) for s in said) / count
    steps = sum(s.role in ("step", "validation", "error_handling") for s in said) / count
    numeric = sum(bool(_LIMIT.search(s.text)) and s.role == "fact" for s in said) / count
    choice = sum(bool(_CHOICE.search(s.text)) for s in said) / count
    overview = sum(bool(_OVERVIEW.search(t)) for t in names) / max(1, len(names))
    return {
        "troubleshooting": 0.7 * problems + 0.8 * symptoms + 0.2 * min(steps, 0.5),
        "how_to": 0.9 * steps - 0.5 * symptoms - 0.4 * problems,
        "decision_guide": 1.2 * choice - 0.3 * steps,
        "concept": 1.1 * overview + 0.2 * (1 - steps) - 0.4 * problems,
        "reference": 0.8 * numeric + 0.2 * (1 - steps) - 0.4 * symptoms,
    }
