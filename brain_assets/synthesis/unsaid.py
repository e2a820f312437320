"""What sources name and leave unsaid: questions an article is better for, none without which it would be wrong.

Four rules, each read from the words of one source and held against what all of them say: a code whose remedy is an
action nobody describes; a fault with its cause and no remedy; a restriction that points at something nobody names; a
remedy for one case and no word on what to do when it does not help.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_assets.model.synthesis import Statement
from brain_assets.synthesis import roles, titles
from brain_assets.synthesis.structure import Unit
from brain_assets.text import language as languages
from brain_assets.text import sentences, words

if TYPE_CHECKING:
    from brain_assets.synthesis.consolidate import SourceUnits

CODE = re.compile(r"(?<![\w./-])(?:0x[0-9A-Fa-f]{2,8}|[A-Z]{1,5}-\d{2,5}|[A-Z]{2,5}\d{3,5})(?![\w/-])")
REPORTS = frozenset("postmortem incident vorfall status report bericht log weekly changelog protokoll".split())
"""Types of notes that tell what happened rather than what holds."""
_MEANS = re.compile(
    r"`[^`]+`|\*[^*]+\*|https?://|→|»|„|\"|\b(?:ticket|formular|form|helpdesk|menü|menu|taste|button|app|portal)\b",
    re.IGNORECASE,
)
_PLAIN_ACTION = re.compile(
    r"\b(?:bring\w*|steck\w*|anstecken|einstecken|anschließen|anmelden|abmelden|einloggen|melde\w*|warte\w*|abwarten|neu ?starten|neustarten|"
    r"starten sie|wiederhol\w+|prüf\w+|informier\w+|frag\w*|ruf\w*|anrufen|such\w+|schau\w*|sehen sie|öffne\w*|schließe\w*|klick\w*|wähle\w*|"
    r"plug|log (?:in|out|on|off)|sign (?:in|out)|wait|restart|reboot|retry|repeat|check|verify|look|ask|call|tell|inform|open|close|"
    r"click|choose|select|visit|carry|lock|unlock|try|note)\b",
    re.IGNORECASE,
)
"""What everybody knows how to do: such a step needs no means beside it."""
_CAUSE = re.compile(
    r"\b(?:meist\w*|oft|häufig|in der regel|fast immer|liegt (?:\w+ ){0,2}(?:an|am|daran)|weil|ursache\w*|grund|"
    r"usually|mostly|most often|often|almost always|because|caused by|due to|the reason|probably|typically)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:meist(?:ens)?|oft|häufig|fast immer|usually|mostly|most often|often|probably|typically)\s+", re.IGNORECASE
)
_RESTRICTION = re.compile(
    r"\b(?:(?:do|does|will|did) not work|don't work|doesn't work|(?:is|are) not (?:supported|possible|available)|cannot be used|"
    r"funktionier\w+\b[^.]*\bnicht|geh(?:t|en)\b[^.]*\bnicht|nicht unterstützt|nicht möglich|nicht verfügbar|nicht nutzbar|wirk\w+\b[^.]*\bnicht)\b",
    re.IGNORECASE,
)
_POINTS_AT = re.compile(
    r"\b(?:in|with|under|on|bei|mit|unter|auf) (?:this|these|such an?|dies(?:em|er|en)) "
    r"(?P<noun>mode|setup|configuration|setting|edition|variant|plan|scheme|modus|betriebsart|konfiguration|einstellung|ausgabe|variante|"
    r"verfahren|aufbau|fassung|lizenz|license|licence)\b",
    re.IGNORECASE,
)
_SENSE = {
    "mode": "mode modus betriebsart", "modus": "mode modus betriebsart", "betriebsart": "mode modus betriebsart",
}  # fmt: skip
_VERB_FIRST = re.compile(
    r"^(?:(?P<verb>Ist|Sind|Wird|Werden|Hat|Haben|Bleibt|Bleiben|Fehlt|Fehlen|Kommt|Steht|Erscheint|Startet|Zeigt|Lässt)\s+"
    r"(?P<rest>[^,.?!:;]{8,90}?)|(?P<joined>Wenn|Falls|Sobald|If|When)\s+(?P<clause>[^,.?!:;]{8,90}?))\s*[,?:]\s",
)
_VAGUE = re.compile(
    r"(?:(?:es|er|sie|man|keine?r?|niemand|jemand|alles|nichts|it|they|there|nobody|somebody|you|nothing)\b|"
    r"(?:das|dies\w*) (?-i:(?=[a-zäöü]))|(?:this|that) (?:is|does|has|fails?|happens?|was)\b)",
    re.IGNORECASE,
)
_NO_HELP = re.compile(
    r"\b(?:hilft (?:das|dies|es) nicht|hilft (?:das|dies) nichts|bleibt es dabei|andernfalls|ansonsten|sonst|notfalls|wenn (?:das|es) nicht|"
    r"if (?:that|this|it) (?:does not|doesn't|fails)|otherwise|still not|as a last resort)\b",
    re.IGNORECASE,
)
_HELP = re.compile(r"\b(?:helpdesk|support|hotline|ticket|team \w+|on-call|bereitschaft)\b", re.IGNORECASE)
_QUESTIONS: dict[str, dict[str, str]] = {
    "means": {"de": "Wie geht im Einzelnen: {0}", "en": "How exactly is this done: {0}"},
    "cause": {"de": "Wie behebt man das: {0}?", "en": "How is this fixed: {0}?"},
    "restriction": {"de": "Was bedeutet das: {0}?", "en": "What does this mean: {0}?"},
    "case": {"de": "{0}: Was hilft, wenn {1}?", "en": "{0}: what helps if {1}?"},
}
_MOST_CASES = 1
_SHARED = 2


@dataclass(frozen=True, slots=True)
class Unsaid:
    """One question with the rule that raised it and the words of it that say what it is about."""

    question: str
    reason: str
    term: str


def find(sources: Sequence[SourceUnits], statements: Sequence[Statement]) -> list[Unsaid]:
    """What is left unsaid, the surest rule first, each in order of the sources."""
    remedies = [words.content_stems(s.text, s.language) for s in statements if s.role in ("step", "error_handling")]
    return [
        *_means(statements),
        *(found for source in sources for found in _causes(source, remedies)),
        *(found for source in sources for found in _restrictions(source, sources)),
        *(found for source in sources for found in _cases(source)),
    ]


def _means(statements: Sequence[Statement]) -> Iterator[Unsaid]:
    """Under a code, an action of the product that is named and described nowhere."""
    for s in statements:
        codes = CODE.findall(s.subject)
        if not codes or s.code:
            continue
        for part in _parts(s.text):
            acts = roles.is_instruction(part, s.language) and not roles.is_prohibition(part)
            if acts and not _MEANS.search(part) and not _PLAIN_ACTION.search(part):
                question = _QUESTIONS["means"][s.language].format(f"{s.subject}: {part.rstrip('.;,')}?")
                yield Unsaid(question, "action named without its means", codes[0])


def _parts(text: str) -> list[str]:
    """Sentences of a statement, cut at semicolons; a named column ("Was tun: …") opens a part of its own."""
    found = [p.strip() for s in sentences.split(text) for p in s.text.split(";")]
    return [re.sub(r"^[A-ZÄÖÜ][\w ]{2,20}:\s+", "", part) for part in found if part]


def _causes(source: SourceUnits, remedies: Sequence[set[str]]) -> Iterator[Unsaid]:
    """A fault with its likely cause, and neither here nor elsewhere what to do about it.

    Decisions and reports tell of faults that are over.
    """
    if (source.entry.type or "").strip().lower() in ("decision", *REPORTS):
        return
    for place, unit in enumerate(source.units):
        if unit.kind not in ("sentence", "item") or unit.position < source.problem_chars:
            continue
        told = unit.text
        language = languages.detect(told, default=source.entry.language)
        if not (_CAUSE.search(told) and _wrong(told)) or _acts(told, language):
            continue
        after = _following(source.units, place)
        if after and _acts(after, language):
            continue
        stems = words.content_stems(told, language)
        if any(len(stems & remedy) >= _SHARED for remedy in remedies):
            continue
        main = _from_cause(told) if roles.opens_condition(told) else told
        question = "; ".join(_HEDGE.sub("", part).strip(" .") for part in (titles.capital(main), after) if part)
        yield Unsaid(_QUESTIONS["cause"][language].format(question), "cause named without remedy", question)


def _from_cause(text: str) -> str:
    """What follows the condition a sentence opens with, from the clause on that names the cause."""
    clauses = text.split(",")
    first = next((i for i, clause in enumerate(clauses) if i and _CAUSE.search(clause)), 0)
    return ",".join(clauses[first:]).strip()


def _wrong(text: str) -> bool:
    """Whether a sentence tells of a fault in running text, where a lone "leer" or "missing" is none."""
    return (roles.is_problem(text) or roles.opens_condition(text)) and bool(re.search(r"\b(?:nicht|kein\w*|not|cannot|can't|fails?|refused|rejected|abgewiesen|abgelehnt|"
                                                     r"bricht|brechen|hängt|abgelaufen|expired|gesperrt|locked)\b", text, re.I))  # fmt: skip


def _acts(text: str, language: str) -> bool:
    """Whether some sentence of a text says what to do or whom to tell."""
    return bool(_HELP.search(text)) or any(
        roles.is_instruction(part, language) or re.search(r"`[^`]+`", part) for part in _parts(text)
    )


def _following(units: Sequence[Unit], place: int) -> str:
    """The sentence after a piece, if it stands under the same heading."""
    if place + 1 >= len(units):
        return ""
    after = units[place + 1]
    same = after.headings == units[place].headings and after.kind in ("sentence", "item") and not after.label
    return after.text if same else ""


def _restrictions(source: SourceUnits, sources: Sequence[SourceUnits]) -> Iterator[Unsaid]:
    """ "… does not work in this mode", and no source says which mode that is."""
    for unit in source.units:
        for sentence in sentences.split(unit.text):
            told = sentence.text
            points = _POINTS_AT.search(told)
            if points is None or not _RESTRICTION.search(told):
                continue
            noun = points["noun"].lower()
            names = re.compile(rf"\b(?:{'|'.join(_SENSE.get(noun, noun).split())})\b", re.IGNORECASE)
            said = sum(len(names.findall(f"{s.entry.title}\n{s.entry.body}")) for s in sources)
            if said > 1:
                continue
            language = languages.detect(told, default=source.entry.language)
            clause = re.split(r",\s+(?=[a-zäöü]+ )", told, maxsplit=1)[0].rstrip(".")
            yield Unsaid(_QUESTIONS["restriction"][language].format(clause), "restriction without its reason", noun)


def _cases(source: SourceUnits) -> Iterator[Unsaid]:
    """A step for one case of a procedure, and no word in the source on what to do when it does not help."""
    text = source.entry.body
    steps = [u for u in source.units if u.kind == "step"]
    if not steps or _NO_HELP.search(text):
        return
    found = 0
    for unit in steps:
        language = languages.detect(unit.text, default=source.entry.language)
        clause = _condition(unit.text)
        if clause and not _HELP.search(unit.text) and found < _MOST_CASES:
            found += 1
            question = _QUESTIONS["case"][language].format(titles.shown(source.entry), clause)
            yield Unsaid(question, "remedy for a case and no way on", clause)


def _condition(text: str) -> str:
    """The condition a sentence opens with, as a subordinate clause; empty without one."""
    match = _VERB_FIRST.match(text)
    if match is None:
        return ""
    clause = match["clause"].strip() if match["joined"] else f"{match['rest'].strip()} {match['verb'].lower()}"
    # "… if it is not there" asks nothing that can be asked of others.
    vague = _VAGUE.match(clause) or len(words.content_words(clause)) < 2
    return "" if vague else clause
