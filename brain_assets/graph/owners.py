"""Who is in charge of what: the holder and the object of a clause about responsibility, in German and English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain_assets.graph.cues import Cues
from brain_assets.graph.wording import Term, WordSimilarity, similarity, terms

_CARES = (
    r"pfleg(?:t|en)|betreu(?:t|en)|verantworte[nt]|verwalte[nt]|betreib(?:t|en)|administrier(?:t|en)|koordinier(?:t|en)|"
    r"warte[nt]|kümmer(?:t|n) sich um|"
    r"maintains?|manages?|runs|owns|operates?|looks? after|takes? care of|administers?|coordinates?|"
    r"(?:is|are) (?:responsible|accountable) for|(?:is|are) in charge of|(?:ist|sind) (?:zuständig|verantwortlich) für"
)
_CARED = (
    r"gepflegt|betreut|verantwortet|verwaltet|betrieben|administriert|koordiniert|gewartet|"
    r"maintained|managed|run|owned|operated|looked after|taken care of|administered|coordinated"
)
_ROLE = (
    r"zuständig(?:e[rn]?|keit)?|verantwortlich(?:e[rn]?|keit)?|ansprechpartner(?:in)?|ansprechperson|eigentümer(?:in)?|"
    r"inhaber(?:in)?|besitzer(?:in)?|produktverantwortliche[r]?|betreuer(?:in)?|betreiber(?:in)?|federführung|federführend|"
    r"owner|service owner|product owner|system owner|responsible|accountable|contact person|contact|maintainer|"
    r"person in charge|point of contact|in charge"
)
_CUES = Cues({"cares": _CARES, "cared": _CARED, "role": _ROLE,
              "belongs": r"gehör(?:t|en)|belongs? to|obliegt|untersteht|unterstehen|liegt bei|liegen bei|"
                         r"(?:ist|sind) sache|(?:is|are) the (?:responsibility|job|task)"})  # fmt: skip
_NO_HOLDER = re.compile(
    r"\b(?:vertret\w*|stellvertret\w*|deputy|deputies|stand-?in|substitute|backup|gemeinsam mit|zusammen mit|together with|"
    r"jointly|sowohl|teils|partly|früher|ehemals|formerly|until|bis \w+ (?:war|waren)|künftig|from \w+ on|nicht|kein\w*|"
    r"not|no longer|neither|if|wenn|falls|should|sollte\w*|wer|who|welche\w*|which|außerhalb|nachts|wochenend\w*|weekends?|"
    r"at night|out of hours)\b",
    re.I,
)
_VON = r"(?:von|vom|durch|by)"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"^(?P<object>.+?)\s+(?:wird|werden|is|are)\b(?:\s+\w+)?\s+{_VON}\s+(?P<holder>.+?)\s+(?:{_CARED})\b",
        rf"^(?P<object>.+?)\s+(?:is|are)\s+(?:\w+\s+)?(?:{_CARED})\s+by\s+(?P<holder>.+)$",
        r"^(?:für|for)\s+(?P<object>.+?)\s+(?:ist|sind|is|are)\s+(?P<holder>.+?)\s+(?:zuständig|verantwortlich|federführend|"
        r"responsible|in charge)\b",
        rf"^(?:{_ROLE})\s+(?:für|of|for|des|der)\s+(?P<object>.+?)\s+(?:ist|sind|is|are)\s+(?P<holder>.+)$",
        rf"^(?:{_ROLE})\s+(?:ist|sind|is|are)\s+(?P<holder>.+?)(?:\s+(?:für|for)\s+(?P<object>.+))?$",
        r"^(?P<object>.+?)\s+(?:gehör(?:t|en)|belongs?|obliegt|untersteht|unterstehen|lieg(?:t|en) bei|(?:ist|sind) sache|"
        r"(?:is|are) the (?:responsibility|job|task))\s+(?:(?:zu[mr]?|to|of|der|dem|des)\s+)?(?P<holder>.+)$",
        rf"^\W*(?:{_ROLE})\W*(?:\s(?:für|of|for)\s+(?P<object>[^:]+))?:\W*(?P<holder>.+)$",
        r"^(?P<holder>.+?)\s+(?:ist|sind|is|are)\s+(?:für|for)\s+(?P<object>.+?)\s+(?:zuständig|verantwortlich)\b",
        r"^(?P<holder>.+?)\s+(?:ist|sind|is|are)\s+(?:the\s+|der\s+|die\s+)?(?:owner|contact|contact person|ansprechpartner(?:in)?|"
        r"eigentümer(?:in)?)\s+(?:für|of|for|des|der)\s+(?P<object>.+)$",
        rf"^(?P<first>.+?)\s+(?:{_CARES})\s+(?P<second>.+)$",
    )
)  # fmt: skip
_ACCUSATIVE = re.compile(r"^\W*(?:den|einen|diesen|jeden|für)\b", re.I)
_LABEL = re.compile(rf"^\W*(?:{_ROLE})\W*$", re.I)
_END = re.compile(
    r"[.;:,()\n|–—]|\s(?:und|and|die|der|which|who|that|seit|since|ab|from|per|via|at|über|im|in|auf|on)\s", re.I
)
_PERSON = re.compile(
    r"\b(?i:herrn?|frau|mr|mrs|ms|dr|prof)\b\.?\s+[A-ZÄÖÜ]\w+|^(?:[A-ZÄÖÜ][a-zäöüß]+(?:-[A-ZÄÖÜ]\w+)?)\s+(?:[A-ZÄÖÜ]\w*\.\s+)?"
    r"[A-ZÄÖÜ][a-zäöüß]+(?:-[A-ZÄÖÜ]\w+)?$"
)
_GROUP = re.compile(
    r"(?:teams?|abteilung|referat|amt|stelle|gruppe|dienste?|technik|verwaltung|büro|leitung|desk|firma|bereich|dezernat|"
    r"sekretariat|werkstatt|zentrale|hausmeister(?:ei)?|redaktion|vorstand|agentur|kanzlei|betrieb|service|pforte|empfang|"
    r"einkauf|vertrieb|buchhaltung|personal|produktion|entwicklung|lager|versand|liegenschaften|marketing|controlling|"
    r"office|department|group|unit|company|management|staff|agency|division|board|committee|vendor|supplier|provider|"
    r"administrators?|administration|operations|workshop|purchasing|accounting|sales|security|secretary|reception|"
    r"support|caretakers?|facilities|owners?|crew|centre|center)$|^(?-i:IT|EDV|HR|QM|GmbH|AG|Ltd|Inc|Haus-IT)$",
    re.I,
)
_DEPARTMENTS = tuple(
    frozenset(line.split())
    for line in """
    haustechnik gebäudetechnik gebäudemanagement hausverwaltung liegenschaften hausmeister hausmeisterei facility facilities building caretaker caretakers property estates janitor
    it edv informatik it-abteilung rechenzentrum computing
    personal personalabteilung personalwesen personalstelle hr human personnel people
    einkauf beschaffung purchasing procurement buying
    buchhaltung rechnungswesen finanzen finanzbuchhaltung accounting accounts finance bookkeeping
    vertrieb verkauf sales
    empfang pforte reception gatehouse porter porters
    servicedesk helpdesk benutzerservice anwenderbetreuung hotline
    netz netzwerk netzteam network networks networking
    telefonie telefon telephony phone voice
    datenbank datenbanken database databases dba
    marketing kommunikation öffentlichkeitsarbeit presse communications press
    recht rechtsabteilung justiziariat legal
    lager versand logistik warehouse shipping logistics dispatch
    sekretariat secretary secretariat secretaries
    vorstand geschäftsführung geschäftsleitung board executive
    sicherheit informationssicherheit security
    entwicklung softwareentwicklung development developers
    medientechnik medien media av
    qualität qualitätsmanagement qm quality
    """.strip().split("\n")
)  # fmt: skip
_BARE = frozenset(
    "team abteilung department group gruppe unit the our unser unsere bereich firma company staff leute kollegen colleagues "
    "external externe extern".split()
)
_SAME, _WORD = 0.55, re.compile(r"[\wäöüÄÖÜß-]+")


@dataclass(frozen=True, slots=True)
class Charge:
    """`holder` is in charge of what `object_` names, of the entry's subject where that is empty; `person` or a group."""

    holder: str
    object_: tuple[Term, ...]
    person: bool


@lru_cache(maxsize=50_000)
def charge(clause: str, label: str = "") -> Charge | None:
    """Who is in charge of what by a clause, if it says so."""
    if label and _LABEL.match(label):
        clause = f"{label.strip(' *:')}: {clause}"
    elif not _CUES.found(clause):
        return None
    if _NO_HOLDER.search(clause):
        return None
    text = re.sub(r"[*_`\[\]]", "", clause).strip(" .\t")
    for form in _FORMS:
        match = form.match(text)
        if match is None:
            continue
        found = match.groupdict()
        if "first" in found:
            holder, what = _sides(found["first"], found["second"])
        else:
            holder, what = _name(found["holder"]), found["object"] or ""
        if holder and (kind := _kind(holder)) is not None:
            return Charge(holder, tuple(t for t in terms(what) if not t.light), kind)
    return None


def _sides(first: str, second: str) -> tuple[str, str]:
    """Holder and object of a verb of caring; German puts either first."""
    one, other = _name(first), _name(second)
    if not _ACCUSATIVE.match(first) and _kind(one) is not None:
        return one, second
    return (other, first) if _kind(other) is not None else ("", "")


def _name(text: str) -> str:
    """The beginning of a stretch that may name a holder, without its article."""
    text = _END.split(text.strip(), maxsplit=1)[0]
    return re.sub(r"^(?:de[rmns]|die|das|the|our|unser\w*|ein\w*|an?)\s+", "", text.strip(), flags=re.I).strip()


def _kind(holder: str) -> bool | None:
    """Whether a holder is a person (True) or a group (False); None if it is neither."""
    words = _WORD.findall(holder)
    if not words or len(words) > 6:
        return None
    if any(_GROUP.search(w) for w in words):
        return False
    return True if _PERSON.search(holder) else None


def differ(a: Charge, b: Charge, words: WordSimilarity | None) -> bool:
    """Whether two holders are clearly not the same: two persons, or two groups, in whatever language they are named."""
    if a.person != b.person:
        return False
    if a.person:
        return a.holder.split()[-1].lower() != b.holder.split()[-1].lower()
    x, y = _said(a.holder), _said(b.holder)
    if not x or not y:
        return False
    mine, theirs = _departments(x), _departments(y)
    if mine and theirs:
        return not (mine & theirs)
    if x & y:
        return False
    if words is None or words(a.holder, b.holder) >= _SAME:
        return False
    return all(similarity(t, u, words) < _SAME for t in terms(" ".join(sorted(x))) for u in terms(" ".join(sorted(y))))


def _said(holder: str) -> frozenset[str]:
    """The words of a holder that tell it from others."""
    low = holder.lower().replace("service desk", "servicedesk").replace("help desk", "helpdesk")
    return frozenset(part for w in _WORD.findall(low) for part in w.split("-") if part) - _BARE


def _departments(said: Sequence[str] | frozenset[str]) -> frozenset[int]:
    return frozenset(n for n, known in enumerate(_DEPARTMENTS) if not known.isdisjoint(said))
