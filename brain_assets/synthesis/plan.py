"""Which type of article a fact base carries, decided by what its sources and statements do, one readable rule a type."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import ArticleType, Consolidation, Pool, Statement
from brain_assets.synthesis import roles, structure, titles

_OVERVIEW = re.compile(
    r"\b(?:übersicht|überblick|aufbau|aufgebaut|architektur|konzept\w*|grundlagen|funktionsweise|entscheidung|overview|"
    r"architecture|concept|introduction|einführung|decision|how \w+ works)\b",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:besteht aus|bestehen aus|sammelt|stellt\b.{0,60}\bbereit|dient|dienen|weil|deshalb|daher|grund(?:e|en)?|gründe|"
    r"schichten|läuft (?:auf|über|mit)|laufen (?:auf|über)|verbund|steuert|gesteuert|bedeutet|"
    r"consists? of|collects|provides|serves|because|therefore|reasons?|layers?|runs on|built|is made of|means|so that)\b",
    re.IGNORECASE,
)
_AUDIENCE = (
    r"(?:firmen|dienst|privat)?(?:geräte\w*|besucher\w*|gäste\w*|kund\w+|mitarbeit\w+|extern\w*|dienstleister\w*|partner\w*|firmen|"
    r"kolleg\w+|beschäftigt\w+|lieferant\w+|visitors?|guests?|partners?|contractors?|employees|externals?|staff|suppliers?|"
    r"customers?|(?:company|private) (?:laptops?|devices?|phones?))"
)
_CHOICE = re.compile(
    rf"\b(?:für|for|only for|nur für|nicht für|not for)\s+(?:\w+\s+){{0,2}}{_AUDIENCE}\b|"
    r"\b(?:bekommen|bekommt|erhalten|erhält|nutzen|nutzt)\s+(?:\w+\s+)?kein\w*|,\s*sondern\b|\b(?:statt|anstelle|anstatt)\b|"
    r"\bkein ersatz\b|\bje nachdem\b|\bfür wen\b|\bentweder\b|\b(?:do|does) not get\b|\bdo not use \S+ as\b|\binstead(?: of)?\b|"
    r"\brather than\b|\bdepending on\b|\beither\b|\bworkaround\b|\buse \S+ (?:if|when)\b|"
    r"\b(?:nur|ausschließlich) (?:mit|für|an|in|auf|von|vom|intern|extern)\b|\bonly (?:with|for|at|on|in|by|from)\b|\bopens? \w+ \w+ only\b|"
    r"\b(?:genügt|reicht|is enough|suffices)\b|\b(?:wer|who)\b[^.?]{0,60}\b(?:braucht|benötigt|bekommt|nutzt|needs|gets|uses|may)\b",
    re.IGNORECASE,
)
_AUDIENCE_COLUMN = re.compile(
    r"^(?:wer|für wen|zielgruppe|nutzergruppe|rolle|berechtigt\w*|who|for whom|audience|role|users?)$", re.IGNORECASE
)
_INSTRUCTS = re.compile(
    r"\b[a-zäöüß]+(?:en|ern|eln)$|^(?:how (?:to|do)|request|register|set up|install|import|create|write|configure|change|replace|add|"
    r"move|order|book|reset|restore|[a-z]+ing)\b|\b(?:anleitung|schritt|ablauf|workflow|guide|how-?to|checklist\w*|checkliste|einrichtung|"
    r"processing|wie \w+ (?:ich|man|wir))\b",
    re.IGNORECASE,
)
_PROCEDURE = 4
_HOW_TO = frozenset("how-to howto how_to runbook anleitung checklist".split())
_MEASURE = re.compile(r"\d")


def decide(base: Consolidation, sources: Sequence[Entry], pool: Pool) -> ArticleType:
    """The article type.

    troubleshooting: at least half of the sources describe something that goes wrong; or a quarter of them, and no fewer
    than two or the article to be renewed is on a fault. decision_guide: at least half weigh alternatives or
    say who gets what. concept: sources explain how something is built or why. how_to: instructions make up a good
    part. reference: what remains, statements of values and rules.
    """
    if is_trouble(sources, pool.title if pool.target else None):
        return "troubleshooting"
    scores = score(base, sources, pool.title)
    order: tuple[ArticleType, ...] = ("how_to", "decision_guide", "concept", "reference")
    return max(order, key=lambda name: scores[name])


def is_trouble(sources: Sequence[Entry], renewed: str | None = None) -> bool:
    """Whether a reader comes to an article because something fails; `renewed` is the title of the one it renews."""
    faults = sum(problem_source(e) for e in sources)
    if 2 * faults >= len(sources):
        return True
    if renewed is not None:
        return 4 * faults >= len(sources) and roles.is_problem(renewed)
    return faults >= 2 and 4 * faults >= len(sources)


def score(base: Consolidation, sources: Sequence[Entry], title: str = "") -> dict[ArticleType, float]:
    """What speaks for each type that is not troubleshooting, 0 to about 1.

    The source the article is called by counts once more when it is a procedure.
    """
    named = {e.id for e in sources if titles.shown(e) == title}
    procedure = sum(s.kind == "step" and bool(named & set(s.source_refs)) for s in base.statements) >= _PROCEDURE
    # The type follows what the team's own sources do; what the web adds to them does not turn it.
    own = [s for s in base.statements if not all(ref.startswith("web:") for ref in s.source_refs)]
    said = [s for s in own if s.role != "symptom"]
    count = max(1, len(said))
    steps = sum(s.role in ("step", "validation", "error_handling") for s in said) / count
    measured = sum(s.role in ("fact", "prerequisite") and bool(_MEASURE.search(s.text)) for s in said) / count
    explains = sum(bool(_EXPLAINS.search(s.text)) for s in said) / count
    weighing = sum(bool(_CHOICE.search(s.text)) for s in said) / count
    choosing = share(sources, lambda e: _weighs(e, own))
    overview = share(
        sources, lambda e: bool(_OVERVIEW.search(e.title)) or (e.type or "") in ("decision", "concept", "moc")
    )
    instructing = share(sources, lambda e: (e.type or "").lower() in _HOW_TO or bool(_INSTRUCTS.search(e.title)))
    return {
        "how_to": 0.9 * steps + 0.2 * instructing + 0.1 * procedure,
        "decision_guide": 0.8 * choosing if choosing >= 0.5 and (weighing >= 0.1 or _tabled(sources)) else 0.0,
        "concept": 0.9 * overview + 0.6 * explains,
        "reference": 0.5 * measured + 0.25 * (1 - steps),
    }


def share(sources: Sequence[Entry], test: object) -> float:
    """Share of the sources for which `test` holds."""
    assert callable(test)
    return sum(bool(test(e)) for e in sources) / max(1, len(sources))


def problem_source(entry: Entry) -> bool:
    """Whether a source is about something that goes wrong, by its title, tags or problem description."""
    if roles.is_problem(entry.title) or any(roles.is_problem(tag) for tag in entry.tags):
        return True
    if {t.lower() for t in entry.tags} & {"troubleshooting", "incident", "runbook"}:
        return True
    if any(roles.names_symptoms(h.text) for h in entry.headings) or (entry.type or "").lower() in (
        "runbook",
        "postmortem",
    ):
        return True
    return entry.record is not None and roles.is_problem(entry.record.text)


def _weighs(entry: Entry, statements: Sequence[Statement]) -> bool:
    own = [s for s in statements if entry.id in s.source_refs]
    return _tabled([entry]) or any(_CHOICE.search(s.whole) for s in own)


def _tabled(sources: Sequence[Entry]) -> bool:
    """Whether a table says who gets what."""
    columns = (name for e in sources for unit in structure.units(e.body) for name, _ in unit.columns)
    return any(_AUDIENCE_COLUMN.match(name.strip()) for name in columns)
