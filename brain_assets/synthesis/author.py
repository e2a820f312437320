"""An article assembled from its fact base: verbatim statements under the headings of its type, nothing added."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import ArticleType, Consolidation, Pool, Statement
from brain_assets.synthesis import phrases, style, wording
from brain_assets.text import words

_MAX_PER_SECTION = 12
_MAX_SYMPTOMS = 6


@dataclass(frozen=True, slots=True)
class Draft:
    """What an author hands to the quality gate. `used` are the statements the draft stands on."""

    title: str
    text: str
    answer: str
    categories: tuple[str, ...]
    keywords: tuple[str, ...]
    author: str = "deterministic"
    used: tuple[Statement, ...] = field(default=(), compare=False)


def write(pool: Pool, base: Consolidation, kind: ArticleType, sources: Sequence[Entry]) -> Draft:
    """Assemble the article of a fact base in the pool's language and style."""
    language = pool.language
    usable = select(base, pool, sources)
    own = [s for s in usable if s.language == language]
    title = make_title(pool, kind)
    text = _text(pool, kind, title, own, sources)
    body = _ANSWERS[kind](pool, own)
    foreign = _foreign(usable, language)
    if foreign:
        body.append(_section(phrases.HEADINGS[language]["other_language"], _bullets(foreign)))
    return Draft(
        title=title,
        text=text,
        answer="\n\n".join(part for part in body if part),
        categories=_categories(pool, sources),
        keywords=_keywords(pool, usable, sources),
        used=tuple(usable),
    )


def select(base: Consolidation, pool: Pool, sources: Sequence[Entry]) -> list[Statement]:
    """The statements an article may use: undisputed, without workshop words, in the pool's style, on its subject."""
    key = key_stems(pool, sources)
    out = []
    for s in base.statements:
        if s.disputed or wording.internal(s.whole) or not style.fits(s.text, s.language, pool.style):
            continue
        if s.language == pool.language or s.language in ("de", "en"):
            stems = words.content_stems(s.whole, "de") | words.content_stems(s.whole, "en")
            if stems & key or len(set(s.source_refs)) > 1:
                out.append(s)
    return out


def key_stems(pool: Pool, sources: Sequence[Entry]) -> set[str]:
    """Stems that several sources share or that name them (titles, tags): what belongs to the subject."""
    seen: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for entry in sources:
        seen.update(
            words.content_stems(f"{entry.title}\n{entry.body}", "de")
            | words.content_stems(f"{entry.title}\n{entry.body}", "en")
        )
        name = " ".join([entry.title, *entry.tags, *(entry.record.keywords if entry.record else ())])
        named.update(words.content_stems(name, "de") | words.content_stems(name, "en"))
    several = {stem for stem, n in seen.items() if n >= 2 and len(stem) > 3}
    return {stem for stem in named if named[stem] >= 2 or stem in several} | several


def make_title(pool: Pool, kind: ArticleType) -> str:
    """The pool's title as a support article is called."""
    title = re.sub(r"^(?:decision|entscheidung|faq|how ?to)\s*[:\u2013-]\s*", "", pool.title, flags=re.IGNORECASE)
    title = re.sub(r"\s*\((?:alt|neu|old|new|draft|entwurf|plan)\)$", "", title, flags=re.IGNORECASE).strip()
    return title[:1].upper() + title[1:]


def _text(pool: Pool, kind: ArticleType, title: str, own: Sequence[Statement], sources: Sequence[Entry]) -> str:
    language = pool.language
    parts = [phrases.INTRO[language, kind].format(title=title)]
    subjects = list(dict.fromkeys(e.title for e in sources if e.language == language and e.title != title))
    if subjects:
        parts[0] += " " + phrases.SCOPE[language].format(subjects="; ".join(subjects[:5]))
    if kind == "troubleshooting":
        symptoms = [s for s in own if s.role == "symptom"][:_MAX_SYMPTOMS]
        if symptoms:
            parts.append(phrases.SYMPTOMS[language] + "\n" + _bullets(symptoms))
    else:
        opening = [s for s in own if s.role in ("symptom", "fact")][:2]
        parts.extend(_sentence(s) for s in opening)
    return "\n\n".join(parts)


def _procedure(pool: Pool, own: Sequence[Statement]) -> list[str]:
    names = phrases.HEADINGS[pool.language]
    steps = [s for s in own if s.role == "step"] or [s for s in own if s.role == "error_handling"]
    rest = [s for s in own if s not in steps and s.role != "symptom"]
    parts = [_numbered(steps)]
    for role, heading in (
        ("prerequisite", "prerequisites"),
        ("validation", "validation"),
        ("error_handling", "error_handling"),
        ("fact", "background"),
    ):
        parts.append(_section(names[heading], _bullets([s for s in rest if s.role == role])))
    return parts


def _statements(pool: Pool, own: Sequence[Statement]) -> list[str]:
    names = phrases.HEADINGS[pool.language]
    limits = [s for s in own if style.delimits(s.text, s.language)]
    facts = [s for s in own if s not in limits]
    first, rest = facts[:2], facts[2:]
    return [
        _section(names["classification"], "\n".join(_sentence(s) for s in first)),
        _section(names["statements"], _bullets(rest, 2 * _MAX_PER_SECTION)),
        _section(names["delimitation"], _bullets(limits)),
    ]


def _guide(pool: Pool, own: Sequence[Statement]) -> list[str]:
    names = phrases.HEADINGS[pool.language]
    criteria = [s for s in own if style.delimits(s.text, s.language) or s.role in ("prerequisite", "error_handling")]
    options = [s for s in own if s not in criteria]
    return [
        _section(names["options"], _bullets(options, 2 * _MAX_PER_SECTION)),
        _section(names["criteria"], phrases.CHOOSE[pool.language] + "\n" + _bullets(criteria)) if criteria else "",
    ]


_ANSWERS = {
    "troubleshooting": _procedure,
    "how_to": _procedure,
    "reference": _statements,
    "concept": _statements,
    "decision_guide": _guide,
}


def _section(heading: str, body: str) -> str:
    return f"## {heading}\n{body}" if body else ""


def _sentence(s: Statement) -> str:
    text = f"**{s.subject}:** {s.text}" if s.subject else s.text
    text = text if text.endswith((".", "!", "?", "”", ")", "*")) else text + "."
    return f"{text}\n\n```\n{s.code}\n```" if s.code else text


def _bullets(statements: Sequence[Statement], most: int = _MAX_PER_SECTION) -> str:
    return "\n".join("- " + _sentence(s).replace("\n", "\n  ") for s in statements[:most])


def _numbered(statements: Iterable[Statement]) -> str:
    return "\n".join(f"{n}. " + _sentence(s).replace("\n", "\n   ") for n, s in enumerate(statements, 1))


def _foreign(usable: Sequence[Statement], language: str) -> list[Statement]:
    """Statements of sources that say nothing in the article's language."""
    heard = {ref for s in usable if s.language == language for ref in s.source_refs}
    out: list[Statement] = []
    spoken: Counter[str] = Counter()
    for s in usable:
        refs = [r for r in s.source_refs if r not in heard]
        if s.language != language and refs and spoken[refs[0]] < 4:
            spoken[refs[0]] += 1
            out.append(s)
    return out


def _categories(pool: Pool, sources: Sequence[Entry]) -> tuple[str, ...]:
    topics: Counter[str] = Counter()
    for entry in sources:
        if entry.record is not None:
            topics.update(c for c in entry.record.categories if not c.startswith("AI-"))
    named = [c for c, _ in sorted(topics.items(), key=lambda x: (-x[1], x[0])) if not wording.internal(c)]
    if not named and pool.topic and not wording.internal(pool.topic):
        named = [pool.topic]
    return ("AI-THINK", "AI-Staging", "AI-Synthesis", *named[:2])


def _keywords(pool: Pool, usable: Sequence[Statement], sources: Sequence[Entry]) -> tuple[str, ...]:
    weight: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for entry in sources:
        for word in (*(entry.record.keywords if entry.record else ()), *entry.tags):
            key = words.fold(word)
            shown.setdefault(key, word)
            weight[key] += 1
    best = sorted(weight, key=lambda k: (-weight[k], k))
    return tuple(shown[k] for k in best if not wording.internal(shown[k]))[:8]
