"""The author as a language model: it sees the numbered fact base only, and says which facts bear each line it writes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from brain_assets.llm.base import LanguageModel
from brain_assets.llm.structured import structured
from brain_assets.model.synthesis import ArticleType, Statement
from brain_assets.synthesis import author, borne, phrases, select, titles
from brain_assets.synthesis.author import Draft
from brain_assets.synthesis.quality import Case

PROMPT_VERSION = "author-1"
_MAX_TOKENS = 4_000
_MAX_FACTS_CHARS = 24_000
_LANGUAGES = {"de": "German", "en": "English"}

_SYSTEM = """You write one knowledge base article for the readers of a support team, in {language}, {address}.
Article type: {kind}. Subject: {title}.

You know nothing but the numbered facts below. Every line you write names the facts that bear it. Keep numbers, commands,
paths, host names, versions and negations exactly as they are. Invent no step, no value, no cause. Translate facts that
are written in another language. Write whole sentences in plain words, no HTML, no placeholders.

Fill these fields: title (short, no full stop), problem (what the reader sees or wants, and for whom it holds; at least
180 characters in all), {fields}. At least 420 characters in all fields after problem. Not a word about where the facts
come from, how sure they are, or how this text is made.{again}"""

_FIELDS: dict[ArticleType, str] = {
    "troubleshooting": "symptoms, prerequisites, steps (in order), validation (how to see that it worked), "
    "error_handling (what to do if it did not), statements (further facts)",
    "how_to": "prerequisites, steps (in order), validation, error_handling, statements (further facts)",
    "reference": "classification (what this belongs to), statements (the key facts), delimitation (what does not hold)",
    "concept": "classification (what this is), statements (how its parts belong together), delimitation (what it is not)",
    "decision_guide": "options (the possibilities), criteria (what decides between them)",
}


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")
    text: str = Field(min_length=1, max_length=1500)
    facts: list[int] = Field(default_factory=list, max_length=12)


class _Article(BaseModel):
    """The article as the model returns it."""

    model_config = ConfigDict(extra="ignore")
    title: str = Field(min_length=1, max_length=300)
    problem: list[_Line] = Field(default_factory=list, max_length=10)
    symptoms: list[_Line] = Field(default_factory=list, max_length=12)
    prerequisites: list[_Line] = Field(default_factory=list, max_length=12)
    steps: list[_Line] = Field(default_factory=list, max_length=30)
    validation: list[_Line] = Field(default_factory=list, max_length=12)
    error_handling: list[_Line] = Field(default_factory=list, max_length=12)
    classification: list[_Line] = Field(default_factory=list, max_length=12)
    statements: list[_Line] = Field(default_factory=list, max_length=30)
    delimitation: list[_Line] = Field(default_factory=list, max_length=12)
    options: list[_Line] = Field(default_factory=list, max_length=20)
    criteria: list[_Line] = Field(default_factory=list, max_length=20)
    keywords: list[str] = Field(default_factory=list, max_length=12)


def write(model: LanguageModel, case: Case, failed: Sequence[Sequence[str]]) -> Draft:
    """One draft by the model; `failed` are the failed checks of the drafts before it. Raises ModelFailure."""
    pool = case.pool
    facts = _facts(case)
    article = structured(
        model,
        system=_SYSTEM.format(
            language=_LANGUAGES.get(pool.language, "English"),
            address="addressing the reader as du" if pool.style == "informal" and pool.language == "de"
            else "addressing the reader formally",
            kind=case.kind, title=titles.of_article(pool.title), fields=_FIELDS[case.kind], again=_again(failed),
        ),
        data={"facts": "\n".join(f"[{n}] ({s.role}) {s.whole}" + (f"\n{s.code}" if s.code else "")
                                 for n, s in enumerate(facts, 1))},
        schema=_Article,
        max_tokens=_MAX_TOKENS,
        prompt_version=PROMPT_VERSION,
    )  # fmt: skip
    return _render(article, case, facts, model.model)


def _again(failed: Sequence[Sequence[str]]) -> str:
    if not failed:
        return ""
    return "\n\nYour last draft was refused for these reasons, correct them all:\n" + "\n".join(
        f"- {r}" for r in failed[-1]
    )


def _facts(case: Case) -> list[Statement]:
    """The facts the author sees: usable ones, as many as fit."""
    out: list[Statement] = []
    size = 0
    for s in select.usable(case.base, case.pool, case.sources):
        size += len(s.whole) + len(s.code) + 24
        if size > _MAX_FACTS_CHARS:
            break
        out.append(s)
    return out


def _render(article: _Article, case: Case, facts: Sequence[Statement], name: str) -> Draft:
    pool = case.pool
    names = phrases.HEADINGS[pool.language]
    text = "\n\n".join(_clean(line.text) for line in article.problem)
    if case.kind == "troubleshooting" and article.symptoms:
        text += f"\n\n{phrases.SYMPTOMS[pool.language]}\n" + _bullets(article.symptoms)
    parts: list[str] = []

    def section(key: str, lines: Sequence[_Line]) -> None:
        if lines:
            parts.append(f"## {names[key]}\n{_bullets(lines)}")

    if case.kind in ("troubleshooting", "how_to"):
        if article.steps:
            parts.append("\n".join(f"{n}. {_clean(line.text)}" for n, line in enumerate(article.steps, 1)))
        section("prerequisite", article.prerequisites)
        section("validation", article.validation)
        section("error_handling", article.error_handling)
        section("fact", article.statements)
    elif case.kind == "decision_guide":
        section("options", article.options)
        section("criteria", article.criteria)
    else:
        section("classification", article.classification)
        section("statements", article.statements)
        section("delimitation", article.delimitation)
    answer = "\n\n".join(parts)
    # What bears the article is found in its words; which facts the model says it used is not evidence.
    _, used = borne.weigh(f"{text}\n\n{answer}", facts, [article.title], pool.language, case.similar)
    return Draft(
        title=article.title.strip(),
        text=text,
        answer=answer,
        categories=author.categories(pool, case.sources),
        keywords=tuple(dict.fromkeys(k.strip() for k in article.keywords if k.strip()))[:8]
        or author.keywords(case.sources),
        author=name,
        used=tuple(used),
    )


def _bullets(lines: Sequence[_Line]) -> str:
    return "\n".join(f"- {_clean(line.text)}" for line in lines)


def _clean(text: str) -> str:
    """One line without a list mark of the model's own and without its fact numbers."""
    text = re.sub(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+", "", text.strip())
    return re.sub(r"\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\]", "", text).strip()
