"""The quality gate: every limit one named check with the value that was measured. All must hold, or nothing is staged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain_assets.model.synthesis import ArticleType, Consolidation, Pool, QualityCheck
from brain_assets.settings import Settings
from brain_assets.synthesis import wording
from brain_assets.synthesis.author import Draft

_STEP = re.compile(r"^\s{0,3}\d+\.\s+\S", re.MULTILINE)


def measure(
    draft: Draft, kind: ArticleType, pool: Pool, base: Consolidation, settings: Settings
) -> tuple[QualityCheck, ...]:
    """Every check of a draft, in a fixed order."""
    steps = len(_STEP.findall(draft.answer))
    procedure = kind in ("troubleshooting", "how_to")
    production = round(pool.production_share * len(pool.sources))
    said = wording.internal("\n".join([draft.title, draft.text, draft.answer, *draft.keywords, *draft.categories[3:]]))
    value = confidence(pool, base, draft)
    return (
        _least("text_chars", len(draft.text), settings.article_min_text_chars),
        _least("answer_chars", len(draft.answer), settings.article_min_answer_chars),
        _least("production_sources", production, settings.article_min_sources),
        _most("sources", len(pool.sources), settings.article_max_sources),
        _least("production_share", pool.production_share, settings.article_min_production_ratio),
        _most("generation_depth", pool.depth, settings.article_max_generation_depth),
        _least("confidence", value, settings.article_min_confidence),
        _most("critical_gaps", len(base.critical_gaps), 0),
        _most("critical_contradictions", len(base.critical_contradictions), 0),
        QualityCheck(
            name="numbered_steps",
            passed=(steps >= 2) == procedure,
            value=steps,
            limit="2 or more" if procedure else "none",
        ),
        QualityCheck(name="internal_wording", passed=not said, value=", ".join(said) or "none", limit="none"),
    )


def confidence(pool: Pool, base: Consolidation, draft: Draft) -> float:
    """How far the fact base bears an article, 0 to 1."""
    cited = {ref for s in draft.used for ref in s.source_refs}
    coverage = len(cited & set(pool.sources)) / len(pool.sources)
    enough = min(1.0, len(draft.used) / 10)
    return round(0.4 * coverage + 0.3 * enough + 0.3 * pool.production_share, 3)


def passed(checks: Sequence[QualityCheck]) -> bool:
    return all(check.passed for check in checks)


def failures(checks: Sequence[QualityCheck]) -> list[str]:
    """The failed checks in words."""
    return [f"{c.name}: {c.value} (limit {c.limit})" for c in checks if not c.passed]


def _least(name: str, value: float, limit: float) -> QualityCheck:
    return QualityCheck(name=name, passed=value >= limit, value=value, limit=limit)


def _most(name: str, value: float, limit: float) -> QualityCheck:
    return QualityCheck(name=name, passed=value <= limit, value=value, limit=limit)
