"""An article assembled from its fact base: verbatim statements under the headings of its type, nothing added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import ArticleType, Consolidation, Pool, Statement
from brain_assets.settings import Settings
from brain_assets.synthesis import phrases, roles, select, style, titles, wording
from brain_assets.text import words

_MAX_BULLETS = 12
_MAX_SYMPTOMS = 5
_MAX_FOREIGN = 4


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


@dataclass
class _Page:
    """An article in the making; `used` grows with every statement that is written down."""

    language: str
    title: str = ""
    used: list[Statement] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def heading(self, key: str) -> str:
        return phrases.HEADINGS[self.language][key]

    def section(self, title: str, body: str) -> None:
        if body:
            self.parts.append(f"## {title}\n{body}" if title else body)

    def bullets(self, statements: Sequence[Statement], most: int = _MAX_BULLETS, named: bool = True) -> str:
        """A list in which what has one subject stands together."""
        groups: dict[str, list[Statement]] = {}
        for s in statements[:most]:
            groups.setdefault(s.subject if named and self.names(s) else s.text, []).append(s)
        lines = [line for group in groups.values() for line in self.paragraphs(group, named)]
        return "\n".join("- " + line.replace("\n", "\n  ") for line in lines)

    def paragraphs(self, group: Sequence[Statement], named: bool = True) -> list[str]:
        """Statements with one subject, one after another; code ends a paragraph."""
        out: list[str] = []
        for i, s in enumerate(group):
            line = self.line(s, named and i == 0)
            if out and not group[i - 1].code:
                out[-1] += " " + line
            else:
                out.append(line)
        return out

    def numbered(self, lines: Sequence[str]) -> str:
        return "\n".join(f"{n}. " + line.replace("\n", "\n   ") for n, line in enumerate(lines, 1))

    def names(self, s: Statement) -> bool:
        """Whether a statement's subject has to be said: it has one, and the article's title is not it."""
        title = words.content_stems(self.title, self.language)
        return bool(s.subject) and (s.labelled or not words.content_stems(s.subject, s.language) <= title)

    def line(self, s: Statement, named: bool = True) -> str:
        """One statement as a sentence, with its subject before it where its words need it."""
        self.used.append(s)
        text = titles.capital(s.text)
        text = text if text.rstrip("*_)\"'”“»").endswith((".", "!", "?", ":")) else text + "."
        if named and self.names(s):
            mark = "" if s.subject.endswith(("?", "!")) else ":"
            text = f"**{s.subject.rstrip(':')}{mark}** {text}"
        return f"{text}\n\n```\n{s.code}\n```" if s.code else text


def write(pool: Pool, base: Consolidation, kind: ArticleType, sources: Sequence[Entry], settings: Settings) -> Draft:
    """Assemble the article of a fact base in the pool's language and style."""
    language = pool.language
    usable = select.usable(base, pool, sources)
    title = titles.of_article(pool.title)
    central = {e.id for e in sources if titles.shown(e) == pool.title}
    own = sorted((s for s in usable if s.language == language), key=lambda s: not central & set(s.source_refs))
    page = _Page(language, title)
    text, rest = _text(page, pool, kind, title, own, sources, settings.article_min_text_chars)
    _ANSWERS[kind](page, rest)
    _foreign(page, usable, select.key_stems(pool, sources), kind in ("troubleshooting", "how_to"), pool.twins)
    return Draft(
        title=title,
        text=text,
        answer="\n\n".join(page.parts),
        categories=categories(pool, sources),
        keywords=keywords(sources),
        used=tuple(page.used),
    )


def _text(
    page: _Page,
    pool: Pool,
    kind: ArticleType,
    title: str,
    own: Sequence[Statement],
    sources: Sequence[Entry],
    least: int,
) -> tuple[str, list[Statement]]:
    """(problem, scope and symptoms; the statements that are left for the answer)."""
    language = pool.language
    parts = [phrases.INTRO[language, kind].format(title=titles.quotable(title))]
    subjects = [titles.shown(e) for e in sources if e.language == language and e.title != pool.title]
    subjects = [t for t in subjects if t != title]
    subjects = [titles.quotable(t) for t in dict.fromkeys(subjects) if not wording.internal(t)]
    if subjects:
        parts[0] += " " + phrases.SCOPE[language].format(subjects="; ".join(subjects[:5]))
    rest = list(own)
    symptoms = [s for s in own if s.role == "symptom"]
    if kind == "troubleshooting" and symptoms:
        parts.append(phrases.SYMPTOMS[language] + "\n" + page.bullets(symptoms, _MAX_SYMPTOMS, named=False))
        rest = [s for s in own if s not in symptoms[:_MAX_SYMPTOMS]]
    opening = [s for s in rest if s.role in ("symptom", "fact") and s.kind == "sentence" and not s.labelled]
    said = None
    for s in opening:
        if len("\n\n".join(parts)) >= least and (kind == "troubleshooting" or len(parts) > 2):
            break
        parts.append(page.line(s, named=s.subject != said))
        said = s.subject
        rest.remove(s)
    return "\n\n".join(parts), rest


def _procedure(page: _Page, own: Sequence[Statement]) -> None:
    """Numbered procedures of the sources, then single cases, then what belongs around them."""
    lists = _grouped([s for s in own if s.kind == "step"], lambda s: s.group)
    cases = _grouped([s for s in own if s.kind == "case"], lambda s: s.subject)
    loose = [s for s in own if s.role == "step" and s.kind not in ("step", "case")]
    if not lists and not cases and len(loose) < 2:
        loose += [s for s in own if s.role in ("error_handling", "validation") and s not in loose]
    lead = page.heading("steps") if len(lists) + bool(cases) + bool(loose) > 1 else ""
    for group in lists:
        title = lead if len(lists) == 1 else _heading_of(group[0]) or lead
        ordered = sorted(group, key=lambda s: s.order)
        page.section(title, page.numbered([page.line(s, named=s.labelled) for s in ordered]))
    if cases:
        page.section(page.heading("cases"), page.numbered(["\n\n".join(page.paragraphs(group)) for group in cases]))
    if loose:
        title = page.heading("more_steps") if lists or cases else lead
        fresh = [i == 0 or s.subject != loose[i - 1].subject for i, s in enumerate(loose)]
        page.section(title, page.numbered([page.line(s, named=new) for s, new in zip(loose, fresh, strict=True)]))
    done = {id(s) for s in (*[s for g in lists for s in g], *[s for g in cases for s in g], *loose)}
    for role in ("prerequisite", "validation", "error_handling", "fact"):
        rest = [s for s in own if s.role == role and id(s) not in done]
        page.section(page.heading(role), page.bullets(rest))


def _grouped(statements: Sequence[Statement], key: Callable[[Statement], str]) -> list[list[Statement]]:
    out: dict[str, list[Statement]] = {}
    for s in statements:
        out.setdefault(key(s), []).append(s)
    return list(out.values())


def _heading_of(s: Statement) -> str:
    """What a list is about: the last heading above it that does not merely name a part of the text."""
    parts = s.group.split("#")
    path = [h for h in parts[1].split("/") if h and not roles.is_part_heading(h)] if len(parts) > 1 else []
    return path[-1] if path else s.subject


def _statements(page: _Page, own: Sequence[Statement]) -> None:
    """Key statements with what they belong to and where they end. Procedures are no statements."""
    stated = [s for s in own if s.kind != "step"]
    own = stated if len(stated) >= 4 else own
    limits = [s for s in own if style.delimits(s.text)]
    facts = [s for s in own if s not in limits]
    if len(facts) < 3:
        facts, limits = list(own[: max(3, len(own) - 1)]), list(own[max(3, len(own) - 1) :])
    first = [s for s in facts if s.kind == "sentence" and not s.labelled and not s.code][:2] or facts[:2]
    fresh = [i == 0 or s.subject != first[i - 1].subject for i, s in enumerate(first)]
    lines = [page.line(s, named=new) for s, new in zip(first, fresh, strict=True)]
    page.section(page.heading("classification"), "\n".join(lines))
    page.section(page.heading("statements"), page.bullets([s for s in facts if s not in first], 2 * _MAX_BULLETS))
    page.section(page.heading("delimitation"), page.bullets(limits))


def _guide(page: _Page, own: Sequence[Statement]) -> None:
    """The options, then what decides between them. Procedures are neither."""
    stated = [s for s in own if s.kind != "step"]
    own = stated if len(stated) >= 4 else own
    deciding = [s for s in own if style.delimits(s.text) or s.role in ("prerequisite", "error_handling")]
    options = [s for s in own if s not in deciding]
    if not options:
        options, deciding = deciding[::2], deciding[1::2]
    page.section(page.heading("options"), page.bullets(options, 2 * _MAX_BULLETS))
    if deciding:
        page.section(page.heading("criteria"), phrases.CHOOSE[page.language] + "\n" + page.bullets(deciding))


_ANSWERS: dict[str, Callable[[_Page, Sequence[Statement]], None]] = {
    "troubleshooting": _procedure,
    "how_to": _procedure,
    "reference": _statements,
    "concept": _statements,
    "decision_guide": _guide,
}


def _foreign(
    page: _Page, usable: Sequence[Statement], key: set[str], procedure: bool, twins: Sequence[tuple[str, str]]
) -> None:
    """What sources say that say nothing in the article's language: as it is, the best on the subject, lists whole."""
    heard = {ref for s in page.used for ref in s.source_refs}
    heard |= {b for a, b in twins if a in heard} | {a for a, b in twins if b in heard}
    waiting = [s for s in usable if s.language != page.language and not heard & set(s.source_refs)]
    parts = []
    for own in _grouped(waiting, lambda s: s.source_refs[0]):
        steps = [s for s in own if s.kind == "step"] if procedure else []
        loose = [s for s in own if s not in steps]
        best = sorted(loose, key=lambda s: (-select.relevance(s, key), loose.index(s)))[: _MAX_FOREIGN - bool(steps)]
        if steps:
            parts.append(page.numbered([page.line(s, named=s.labelled) for s in steps[:_MAX_BULLETS]]))
        parts.append(page.bullets([s for s in loose if s in best]))
    page.section(page.heading("other_language"), "\n\n".join(p for p in parts if p))


def categories(pool: Pool, sources: Sequence[Entry]) -> tuple[str, ...]:
    """The three fixed categories, then the commonest of the sources' own, else the topic's name."""
    topics: Counter[str] = Counter()
    for entry in sources:
        if entry.record is not None:
            topics.update(c for c in entry.record.categories if not c.startswith("AI-"))
    named = [c for c, _ in sorted(topics.items(), key=lambda x: (-x[1], x[0])) if not wording.internal(c)]
    if not named and pool.topic:
        named = [t for t in pool.topic.split(" · ") if not wording.internal(t)]
    return ("AI-THINK", "AI-Staging", "AI-Synthesis", *named[:2])


def keywords(sources: Sequence[Entry]) -> tuple[str, ...]:
    """Up to eight keywords and tags of the sources, the commonest first, each spelling once."""
    weight: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for entry in sources:
        for word in (*(entry.record.keywords if entry.record else ()), *entry.tags):
            shown.setdefault(words.fold(word), word)
            weight[words.fold(word)] += 1
    best = sorted(weight, key=lambda k: (-weight[k], k))
    return tuple(shown[k] for k in best if not wording.internal(shown[k]))[:8]
