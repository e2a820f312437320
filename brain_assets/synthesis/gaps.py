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
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import GapQuestion, Pool, Statement
from brain_assets.synthesis import roles, structure, titles, unsaid
from brain_assets.text import sentences, words

if TYPE_CHECKING:
    from brain_assets.synthesis.consolidate import SourceUnits

CODE = unsaid.CODE
_OPEN = re.compile(
    r"\b(?:offene frage|offener punkt|offene punkte|unklar|fraglich (?:ist|bleibt)|ungeklärt|unerklärt|"
    r"offen (?:ist|blieb|bleibt|sind)|(?:ob|wer|wann|wie|was|warum)\b[^.]*\b(?:ist|bleibt|blieb|noch)(?: noch)? offen|"
    r"(?:noch )?zu klären|muss (?:noch )?geklärt|nicht dokumentiert|noch nicht (?:beschrieben|bekannt|geklärt|untersucht|getestet)|"
    r"(?:ist|sind|war) (?:uns |bisher |bislang |noch )*(?:nicht bekannt|unbekannt)|wird noch (?:geklärt|geprüft|untersucht)|steht noch nicht fest|"
    r"wissen wir (?:noch )?nicht|weiß (?:niemand|keiner)|keiner weiß|niemand weiß|"
    r"todo|tbd|tbc|fixme|open questions?|open points?|still open|unclear|unresolved|unexplained|"
    r"to be (?:clarified|determined|decided|documented|confirmed|found out)|"
    r"has to be clarified|needs (?:clarification|to be clarified)|not (?:yet )?(?:documented|understood|clarified)|"
    r"(?:is|are|was) (?:not |still un|un)known(?: yet| so far)?|remains to be seen|"
    r"we do(?: not|n't) know|nobody knows|no one knows|not sure (?:why|how|what|whether|which))\b|\?\?\?",
    re.IGNORECASE,
)
REPORTS = unsaid.REPORTS
_OPEN_HEADING = re.compile(
    r"^(?:offen\w*|offene (?:punkte|fragen)|todo|to do|unklar\w*|open\b.*|questions?|fragen)$", re.IGNORECASE
)
_INTERNAL_ONLY = re.compile(
    r"\b(?:wer (?:ist|entscheidet|zahlt|übernimmt|kümmert)|zuständig\w*|verantwortlich\w*|ansprechpartner\w*|eigentümer\w*|inhaber\w*|"
    r"telefonnummer\w*|telefonliste\w*|telefonisch|durchwahl\w*|rufnummer\w*|budget\w*|kosten\b|preise?\b|angebote?\b|vertrag\w*|rechnung\w*|"
    r"(?:ersatz)?termine?[ns]?\b|wann\b|"
    r"entscheid(?:et|en|ung\w*)|genehmig\w+|freigabe (?:durch|von|des|der)|personal(?:abteilung|wesen|rat)?\b(?! \w+box)|urlaub\w*|besprechung|"
    r"abstimm\w+|herstelleranfrage|nur intern|interne[rsnm]? (?:regel|vorgabe|absprache|abstimmung|vereinbarung)\w*|"
    r"who (?:owns|is|decides|pays|approves)|owners?|responsible|phone (?:number|list)s?|extension (?:number )?(?:of|for)|budget|costs?|prices?|"
    r"quotes?|contracts?|invoices?|when (?:will|do|does|is)|(?<!to )(?<!of )date|decisions?|decide[ds]?|approv\w+|staff|holidays?|meetings?|"
    r"internal(?:ly)? (?:rule|policy|agreement|arrangement|decision)s?|"
    r"darf\b[^?]*höchstens|how long may|wie lange darf)\b",
    re.IGNORECASE,
)
_MEANS_THAT = re.compile(
    r"\b(?:bedeutet|heißt|meint|steht für|tritt\b.*\bauf|erscheint|kommt,? wenn|means|stands for|appears when|is shown when|"
    r"indicates)\b|[:→–]",
    re.IGNORECASE,
)
_CODE_QUESTION = {"de": "Was bedeutet {0} und was ist dann zu tun?", "en": "What does {0} mean and what is to be done?"}
_NO_STEPS = {"de": "Was ist bei dieser Störung zu tun: {0}?", "en": "What is to be done about this fault: {0}?"}
_NO_CHECK = {
    "de": "Woran erkennt man, dass die Störung behoben ist, und was hilft sonst: {0}?",
    "en": "How does one see that the fault is gone, and what else helps: {0}?",
}
CONTRADICTION = "contradiction "
"""Opens the reason of a gap that asks which side of a contradiction is right; the contradiction's id follows."""
_DECIDABLE = frozenset(("number", "version", "negation", "procedure"))
_WHICH = {"de": "Was gilt für {0}: {1} oder {2}?", "en": "Which holds for {0}: {1} or {2}?"}
_ESCALATED = {"de": "Wie wird {0} behoben: {1}?", "en": "How is {0} fixed: {1}?"}


def find(
    pool: Pool, sources: Sequence[SourceUnits], statements: Sequence[Statement], neighbours: Sequence[Entry] = ()
) -> list[GapQuestion]:
    """The gaps of a fact base, critical ones first, then in order of their sources."""
    near = [*neighbours, *(source.entry for source in sources)]
    wished = [_gap(pool, u.question, False, u.reason, u.term) for u in unsaid.find(sources, statements)]
    found = [*_open_points(pool, sources), *_codes(pool, statements, near), *_faults(pool, statements), *wished]
    unique = {gap.id: gap for gap in found}
    return sorted(unique.values(), key=lambda gap: not gap.critical)


def contradicted(pool: Pool, found: Sequence[Contradiction]) -> list[GapQuestion]:
    """Critical contradictions as questions, where others than the team can know which side is right."""
    return [
        _gap(pool, _WHICH[pool.language].format(c.subject, c.a_value, c.b_value), True, f"{CONTRADICTION}{c.id}")
        for c in found
        if c.kind in _DECIDABLE and c.subject and c.a_value and c.b_value
    ]


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
            question = asked(unit.text)
            touches = bool(words.content_stems(_apart(question), source.entry.language) & subject)
            critical = touches and not roles.is_plan(unit.text) and not _is_work(source.entry, question)
            out.append(_gap(pool, question, critical, f"called open in {source.entry.title}"))
    return out


def is_open(text: str) -> bool:
    """Whether a piece does nothing but call something open, in each of its sentences."""
    return all(_OPEN.search(sentence.text) for sentence in sentences.split(text)) and bool(text)


def asked(text: str) -> str:
    """What an open point asks: without its label, and of "It is unclear, with which command one sees …" the clause."""
    text = _OPEN_PREFIX.sub("", text)
    inner = _OPEN_CLAUSE.search(text)
    return titles.capital(inner["clause"]) if inner else text


def _is_work(entry: Entry, text: str) -> bool:
    """Whether what is open is work to be done (an open ticket; in a report all that is no question), not knowledge."""
    if text.rstrip().endswith("?"):
        return False
    return bool(_OPEN_WORK.search(text)) or (entry.type or "").strip().lower() in REPORTS


_OPEN_WORK = re.compile(
    r"\b(?:ticket|antrag|auftrag|bestellung|vorgang|aufgabe|anfrage|request|order|task|issue|change)\b[^.;]{0,30}\b(?:offen|open|unresolved)\b|"
    r"\b(?:offene[rsnm]?|open|unresolved) (?:ticket|antrag|auftrag|bestellung|vorgang|aufgabe|request|order|task|issue|change)s?\b",
    re.IGNORECASE,
)
_OPEN_CLAUSE = re.compile(
    r"^(?:unklar|offen|ungeklärt|fraglich|nicht (?:dokumentiert|bekannt)|unclear|unknown|open|it is (?:unclear|unknown|open|not known)|we (?:do not|don't) know|"
    r"nobody knows|wir wissen (?:noch )?nicht)\b[^,.;:]{0,60}?,?\s+(?P<clause>(?:(?:mit|in|auf|bei|nach|zu|with|in|on|at|by) )?"
    r"(?:welche\w*|wie|was|wo|wann|wodurch|womit|warum|which|how|what|where|when|why)\b.{10,}?)\.?$",
    re.IGNORECASE,
)
_OPEN_PREFIX = re.compile(
    r"^(?:offene frage|offen(?:er punkt)?|todo|tbd|open question|open point|open)\s*:\s*", re.IGNORECASE
)


def _subject_stems(pool: Pool) -> set[str]:
    title = _apart(pool.title)
    return words.content_stems(title, "de") | words.content_stems(title, "en")


def _apart(text: str) -> str:
    """A text with the parts of hyphenated words beside them: `VPN-Client` speaks of VPN."""
    return f"{text} {text.replace('-', ' ')}" if "-" in text else text


def _codes(pool: Pool, statements: Sequence[Statement], neighbours: Sequence[Entry]) -> list[GapQuestion]:
    """Error codes that are named and never explained, and codes whose only remedy is to tell somebody."""
    out = []
    text = {code: [s for s in statements if code in CODE.findall(s.whole)] for code in _all_codes(statements)}
    known = {code for entry in neighbours for code in CODE.findall(entry.title) if _named(code, entry.title)}
    known |= {code for entry in neighbours for unit in structure.units(entry.body) for code in CODE.findall(unit.label)}
    for code, said in sorted(text.items()):
        explained = [s for s in said if _explains(code, s)]
        if not explained and code in known:
            continue
        if not explained:
            critical = code in CODE.findall(pool.title)
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


def _named(code: str, title: str) -> bool:
    """Whether a title says what a code is about ("VPN error 0x8A12: user certificate expired")."""
    return len(words.content_words(title.replace(code, ""))) >= 3


def _explains(code: str, s: Statement) -> bool:
    """Whether a statement says something of a code: under it as its label, or in a sentence that defines or is long."""
    if code in s.subject and s.labelled:
        return len(words.content_words(s.text)) >= 2
    return bool(_MEANS_THAT.search(s.text)) or len(words.content_words(s.text)) >= 7 or bool(s.code)


def _all_codes(statements: Sequence[Statement]) -> list[str]:
    return sorted({code for s in statements for code in CODE.findall(s.whole)})


def _faults(pool: Pool, statements: Sequence[Statement]) -> list[GapQuestion]:
    """A pool about faults without anything to do, or without a way to see that it helped."""
    if not any(s.role == "symptom" for s in statements):
        return []
    out = []
    if not any(s.role in ("step", "error_handling") for s in statements):
        out.append(
            _gap(pool, _NO_STEPS[pool.language].format(pool.title), True, "a fault and no source says what to do")
        )
    elif not any(s.role in ("validation", "error_handling") for s in statements):
        out.append(_gap(pool, _NO_CHECK[pool.language].format(pool.title), False, "no check of the result, no way on"))
    return out


def researchable(gap: GapQuestion) -> bool:
    """Whether the web may know: every critical gap, and the optional ones about a named code or a missing means."""
    return not internal_only(gap.question) and (gap.critical or bool(gap.term))
