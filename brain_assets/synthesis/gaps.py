"""What a fact base lacks, by rules a person can read, each gap with the rule that found it.

Critical is what makes an article on this subject wrong or useless: an open question of the sources about the subject
itself, an error code that is named and never explained, a fault for which no source says what to do. Everything else
is optional. What only the team can know (who owns it, phone numbers, budgets, dates, decisions) is optional, is
never asked of the web, and stays open.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import GapQuestion, Pool, Statement
from brain_assets.synthesis import roles
from brain_assets.text import words

if TYPE_CHECKING:
    from brain_assets.synthesis.consolidate import SourceUnits

CODE = re.compile(r"(?<![\w./-])(?:0x[0-9A-Fa-f]{2,8}|[A-Z]{1,5}-\d{2,5}|[A-Z]{2,5}\d{3,5})(?![\w/-])")
_OPEN = re.compile(
    r"\b(?:offene frage|offener punkt|offene punkte|(?:ist|sind|bleibt|blieb|noch) unklar|ungeklärt|"
    r"offen (?:ist|blieb|bleibt|sind)|(?:ob|wer|wann|wie|was|warum)\b[^.]*\b(?:ist|bleibt|blieb|noch)(?: noch)? offen|"
    r"(?:noch )?zu klären|muss (?:noch )?geklärt|nicht dokumentiert|noch nicht beschrieben|wissen wir (?:noch )?nicht|weiß niemand|"
    r"todo|tbd|fixme|open questions?|open points?|still open|unclear|unresolved|to be (?:clarified|determined|decided|documented)|"
    r"has to be clarified|needs clarification|not (?:yet )?documented|we do(?: not|n't) know|nobody knows)\b|\?\?\?",
    re.IGNORECASE,
)
_OPEN_HEADING = re.compile(
    r"^(?:offen\w*|offene (?:punkte|fragen)|todo|to do|unklar\w*|open\b.*|questions?|fragen)$", re.IGNORECASE
)
_INTERNAL_ONLY = re.compile(
    r"\b(?:wer (?:ist|entscheidet|zahlt|übernimmt|kümmert)|zuständig\w*|verantwortlich\w*|ansprechpartner\w*|eigentümer\w*|inhaber\w*|"
    r"telefon\w*|durchwahl|rufnummer\w*|budget\w*|kosten\w*|preis\w*|angebot\w*|vertrag\w*|rechnung\w*|termin\w*|ersatztermin|wann\b|"
    r"entscheid\w+|genehmig\w+|freigabe|personal\w*|urlaub\w*|besprechung|abstimm\w+|herstelleranfrage|intern\w*|"
    r"who (?:owns|is|decides|pays|approves)|owners?|responsible|phone|extension|budget|costs?|price|quote|contract|invoice|"
    r"when (?:will|do|does|is)|date|decision|decide[ds]?|approv\w+|staff|holiday|meeting|internal(?:ly)?|"
    r"darf\b[^?]*höchstens|how long may|wie lange darf)\b",
    re.IGNORECASE,
)
_MEANS_THAT = re.compile(
    r"\b(?:bedeutet|heißt|meint|steht für|tritt\b.*\bauf|erscheint|kommt,? wenn|means|stands for|appears when|is shown when|"
    r"indicates)\b|[:→–]",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"`[^`]+`|\*[^*]+\*|https?://|→|»|„|\"|\b(?:ticket|formular|form|helpdesk|menü|menu|taste|button|app)\b",
    re.IGNORECASE,
)
_HOW = {"de": "Wie geht im Einzelnen: {0}", "en": "How exactly is this done: {0}"}
_CODE_QUESTION = {"de": "Was bedeutet {0} und was ist dann zu tun?", "en": "What does {0} mean and what is to be done?"}
_NO_STEPS = {"de": "Was ist bei dieser Störung zu tun: {0}?", "en": "What is to be done about this fault: {0}?"}
_NO_CHECK = {
    "de": "Woran erkennt man, dass die Störung behoben ist, und was hilft sonst: {0}?",
    "en": "How does one see that the fault is gone, and what else helps: {0}?",
}
_ESCALATED = {"de": "Wie wird {0} behoben: {1}?", "en": "How is {0} fixed: {1}?"}


def find(
    pool: Pool, sources: Sequence[SourceUnits], statements: Sequence[Statement], neighbours: Sequence[Entry] = ()
) -> list[GapQuestion]:
    """The gaps of a fact base, critical ones first, then in order of their sources."""
    found = [*_open_points(pool, sources), *_codes(pool, statements, neighbours), *_faults(pool, statements)]
    unique = {gap.id: gap for gap in found}
    return sorted(unique.values(), key=lambda gap: not gap.critical)


def internal_only(question: str) -> bool:
    """Whether only the team itself can answer: owners, phones, money, dates, decisions."""
    return bool(_INTERNAL_ONLY.search(question))


def stated(pool: Pool, question: str, critical: bool, reason: str) -> GapQuestion:
    """A gap somebody else saw, held to the same rule: what only the team can know is never critical."""
    return _gap(pool, question, critical, reason)


def _gap(pool: Pool, question: str, critical: bool, reason: str, term: str = "") -> GapQuestion:
    question = " ".join(question.split())
    if critical and internal_only(question):
        critical, reason = False, f"{reason}; internal only"
    digest = hashlib.sha256(f"{pool.id}\0{question}".encode()).hexdigest()[:12]
    return GapQuestion(id=f"gap-{digest}", question=question, critical=critical, reason=reason, term=term)


def _open_points(pool: Pool, sources: Sequence[SourceUnits]) -> list[GapQuestion]:
    """What the sources themselves call open."""
    out = []
    subject = _subject_stems(pool)
    for source in sources:
        for unit in source.units:
            heading = unit.headings[-1] if unit.headings else ""
            listed = bool(_OPEN_HEADING.match(heading) or _OPEN_HEADING.match(unit.lead.rstrip(":")) or
                          _OPEN_HEADING.match(unit.label))  # fmt: skip
            if unit.kind == "task":
                if not unit.done and listed:
                    out.append(_gap(pool, unit.text, False, f"open task in {source.entry.title}"))
                continue
            if not listed and not _OPEN.search(unit.text):
                continue
            question = _OPEN_PREFIX.sub("", unit.text)
            touches = bool(words.content_stems(question, source.entry.language) & subject)
            reason = f"called open in {source.entry.title}"
            out.append(_gap(pool, question, touches and not roles.is_plan(unit.text), reason))
    return out


_OPEN_PREFIX = re.compile(
    r"^(?:offene frage|offen(?:er punkt)?|todo|tbd|open question|open point|open)\s*:\s*", re.IGNORECASE
)


def _subject_stems(pool: Pool) -> set[str]:
    return words.content_stems(pool.title, "de") | words.content_stems(pool.title, "en")


def _codes(pool: Pool, statements: Sequence[Statement], neighbours: Sequence[Entry]) -> list[GapQuestion]:
    """Error codes that are named and never explained, and codes whose only remedy is to tell somebody."""
    out = []
    text = {code: [s for s in statements if code in CODE.findall(s.whole)] for code in _all_codes(statements)}
    known = {code for entry in neighbours for code in CODE.findall(f"{entry.title}\n{entry.body}")}
    for code, said in sorted(text.items()):
        explained = [s for s in said if _explains(code, s)]
        if not explained:
            critical = code in CODE.findall(pool.title) and code not in known
            out.append(
                _gap(pool, _CODE_QUESTION[pool.language].format(code), critical, "code named, never explained", code)
            )
        elif all(s.role in ("symptom", "error_handling", "fact") for s in said) and any(
            s.role == "error_handling" for s in said
        ):
            words_said = explained[0].text.split(";")[0].rstrip(".")
            question = _ESCALATED[pool.language].format(code, words_said)
            out.append(_gap(pool, question, False, "code whose only remedy is to tell somebody", code))
    return out


def _explains(code: str, s: Statement) -> bool:
    """Whether a statement says something of a code: under it as its label, or in a sentence that defines or is long."""
    if code in s.subject and s.labelled:
        return len(words.content_words(s.text)) >= 2
    return bool(_MEANS_THAT.search(s.text)) or len(words.content_words(s.text)) >= 7 or bool(s.code)


def _all_codes(statements: Sequence[Statement]) -> list[str]:
    return sorted({code for s in statements for code in CODE.findall(s.whole)})


def _faults(pool: Pool, statements: Sequence[Statement]) -> list[GapQuestion]:
    """A pool about faults without anything to do, or without a way to see that it helped; actions without means."""
    if not any(s.role == "symptom" for s in statements):
        return []
    out = []
    if not any(s.role in ("step", "error_handling") for s in statements):
        out.append(
            _gap(pool, _NO_STEPS[pool.language].format(pool.title), True, "a fault and no source says what to do")
        )
    elif not any(s.role in ("validation", "error_handling") for s in statements):
        out.append(_gap(pool, _NO_CHECK[pool.language].format(pool.title), False, "no check of the result, no way on"))
    for s in statements:
        if s.role == "step" and s.subject and CODE.search(s.subject) and not s.code and not _MEANS.search(s.text):
            question = _HOW[pool.language].format(f"{s.subject}: {s.text}")
            out.append(_gap(pool, question, False, "action named without its means", CODE.findall(s.subject)[0]))
    return out


def researchable(gap: GapQuestion) -> bool:
    """Whether the web may know: every critical gap, and the optional ones about a named code or a missing means."""
    return not internal_only(gap.question) and (gap.critical or bool(gap.term))
