"""The quality gate: every limit one named check with its measured value. All must hold, or nothing is staged."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import ArticleType, Consolidation, Pool, QualityCheck
from brain_assets.settings import Settings
from brain_assets.synthesis import borne, form, phrases, pools, style, wording
from brain_assets.synthesis.author import Draft
from brain_assets.text import language as languages
from brain_assets.text import words

_STEP = re.compile(r"^ {0,3}(\d+)\.\s+\S", re.MULTILINE)
_LANGUAGE_SHARE = 0.8
_TWIN = 0.85
_PROCEDURES: tuple[ArticleType, ...] = ("troubleshooting", "how_to")


@dataclass(frozen=True, slots=True)
class Case:
    """What a draft is judged by: its plan, its fact base, and the entries it may repeat none of."""

    pool: Pool
    base: Consolidation
    kind: ArticleType
    sources: tuple[Entry, ...]
    others: tuple[Entry, ...] = ()
    similar: borne.Similarity | None = None


def measure(draft: Draft, case: Case, settings: Settings) -> tuple[QualityCheck, ...]:
    """Every check of a draft, in a fixed order."""
    pool, base = case.pool, case.base
    production = sum(e.production for e in pools.distinct_sources(case.sources))
    return (
        _least("text_chars", len(draft.text), settings.article_min_text_chars),
        _least("answer_chars", len(draft.answer), settings.article_min_answer_chars),
        _least("production_sources", production, settings.article_min_sources),
        _most("sources", len(pool.sources), settings.article_max_sources),
        _least("production_share", pool.production_share, settings.article_min_production_ratio),
        _most("generation_depth", pool.depth, settings.article_max_generation_depth),
        _least("confidence", confidence(draft, case), settings.article_min_confidence),
        _most("critical_gaps", len(base.critical_gaps), 0),
        _most("critical_contradictions", len(base.critical_contradictions), 0),
        *_structure(draft, case.kind, pool.language),
        _none("unborne_statements", _unborne(draft, case)),
        _none("internal_wording", wording.internal(_everything(draft))),
        _none("instructions", form.orders(_everything(draft))),
        _none("html", form.html(f"{draft.text}\n{draft.answer}")),
        _none("placeholders", form.placeholders(_everything(draft))),
        _none("cut_off", [*form.cut_off(draft.text), *form.cut_off(draft.answer)]),
        _none("empty_headings", form.empty_headings(draft.answer)),
        _none("title", form.title_faults(draft.title)),
        _least("language", language_share(draft, pool.language), _LANGUAGE_SHARE),
        _none("form_of_address", _wrong_address(draft, pool)),
        _none("duplicate", _twins(draft, case.others)),
    )


def passed(checks: Sequence[QualityCheck]) -> bool:
    return all(check.passed for check in checks)


def failures(checks: Sequence[QualityCheck]) -> list[str]:
    """The failed checks in words, as they go back to an author and into a refusal."""
    return [f"{c.name}: {_told(c.value)} (limit {_told(c.limit)})" for c in checks if not c.passed]


def _told(value: object) -> str:
    """A measured value or a limit as people write it: 420, not 420.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def confidence(draft: Draft, case: Case) -> float:
    """How well the fact base bears an article, 0 to 1.

    0.30 × share of the sources that bear a used statement + 0.20 × production share + 0.20 × used statements (full at
    eight) + 0.10 × share of statements kept (not dropped as unresolvable) + 0.10 × agreement (1 − 0.25 for each open
    contradiction about a source) + 0.10 × completeness (1 − 0.1 for each open optional gap). Statements that only the
    web bears count half.
    """
    base, pool = case.base, case.pool
    cited = {ref for s in draft.used for ref in s.source_refs}
    heard = len(cited & set(pool.sources)) / max(1, len(pool.sources))
    weight = sum(0.5 if all(r.startswith("web:") for r in s.source_refs) else 1.0 for s in draft.used)
    kept = len(base.statements) / max(1, len(base.statements) + base.dropped_statements)
    agreement = max(0.0, 1 - 0.25 * len(base.contradictions))
    complete = max(0.0, 1 - 0.1 * len(base.optional_gaps))
    value = (
        0.30 * heard + 0.20 * pool.production_share + 0.20 * min(1.0, weight / 8) + 0.10 * kept + 0.10 * agreement
        + 0.10 * complete
    )  # fmt: skip
    return round(value, 3)


def language_share(draft: Draft, language: str) -> float:
    """Share of the article's words that stand in sentences of its language, the marked appendix left out."""
    appendix = phrases.HEADINGS[language]["other_language"]
    body = re.split(rf"^## {re.escape(appendix)}$", draft.answer, maxsplit=1, flags=re.MULTILINE)[0]
    good = total = 0
    for claim in borne.claims(f"{draft.title}.\n\n{draft.text}\n\n{body}"):
        size = len(words.tokens(re.sub(r"`[^`]*`", " ", claim.text)))
        if claim.code or size < 4:
            continue
        total += size
        good += size if languages.detect(claim.text, default=language) == language else 0
    return round(good / total, 3) if total else 0.0


def _structure(draft: Draft, kind: ArticleType, language: str) -> tuple[QualityCheck, ...]:
    """What the type asks for: steps where there is a procedure and only there, sections elsewhere."""
    numbers = [int(n) for n in _STEP.findall(draft.answer)]
    procedure = kind in _PROCEDURES
    steps = QualityCheck(
        name="numbered_steps",
        passed=len(numbers) >= 2 if procedure else not numbers,
        value=len(numbers),
        limit="2 or more" if procedure else "none",
    )
    restarts = all(b == a + 1 or b == 1 for a, b in itertools.pairwise(numbers)) and numbers[:1] in ([], [1])
    order = QualityCheck(
        name="step_order", passed=restarts, value="1, 2, 3 …" if restarts else "broken", limit="1, 2, 3 …"
    )
    names = phrases.HEADINGS[language]
    wanted = {
        "reference": ("classification", "statements", "delimitation"),
        "concept": ("classification", "statements", "delimitation"),
        "decision_guide": ("options", "criteria"),
    }.get(kind, ())
    missing = [names[key] for key in wanted if f"## {names[key]}\n" not in draft.answer]
    return steps, order, _none("sections_missing", missing)


def _unborne(draft: Draft, case: Case) -> list[str]:
    headings = [h.text for e in case.sources for h in e.headings]
    names = [draft.title, case.pool.title, *(e.title for e in case.sources), *headings, *draft.keywords]
    usable = [s for s in case.base.statements if not s.disputed]
    return borne.unborne(f"{draft.text}\n\n{draft.answer}", usable, names, case.pool.language, case.similar)


def _wrong_address(draft: Draft, pool: Pool) -> list[str]:
    if pool.language != "de":
        return []
    found = borne.claims(f"{draft.text}\n\n{draft.answer}")
    return [c.text for c in found if not c.code and not style.fits(c.text, languages.detect(c.text, "de"), pool.style)]


def _twins(draft: Draft, others: Sequence[Entry]) -> list[str]:
    """Entries that say the same already."""
    own = words.content_stems(f"{draft.title}\n{draft.text}\n{draft.answer}", "de")
    out = []
    for entry in others:
        other = words.content_stems(f"{entry.title}\n{entry.body}", "de")
        if own and other and len(own & other) >= _TWIN * len(own | other):
            out.append(entry.id)
    return out


def _everything(draft: Draft) -> str:
    return "\n".join([draft.title, draft.text, draft.answer, *draft.keywords, *draft.categories[3:]])


def _least(name: str, value: float, limit: float) -> QualityCheck:
    return QualityCheck(name=name, passed=value >= limit, value=value, limit=limit)


def _most(name: str, value: float, limit: float) -> QualityCheck:
    return QualityCheck(name=name, passed=value <= limit, value=value, limit=limit)


def _none(name: str, found: Sequence[str]) -> QualityCheck:
    value = "; ".join(found)[:600] if found else "none"
    return QualityCheck(name=name, passed=not found, value=value, limit="none")
