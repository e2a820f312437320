"""For whom, where and when a statement holds: statements of different scope do not contradict each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from brain_assets.graph.cues import Cues

_ENVIRONMENTS = {
    "staging": r"staging|vorproduktion|pre-?prod(?:uction)?|abnahme(?:umgebung)?|uat",
    "test": r"test-?(?:umgebung|system\w*|cluster|server\w*|mandant\w*|datenbank\w*|instan\w+|rechner|installation|betrieb)|"
            r"test (?:environment|system|tenant|cluster|server|database|instance|installation)|labor?umgebung|"
            r"(?:schulungs|übungs|probe|demo)(?:umgebung|system|mandant|datenbank|server)|"
            r"(?:training|demo) (?:environment|system|tenant|database|server)|sandbox|restore-lab|beta|release candidate|"
            r"vorabversion|preview (?:version|release)",
    "development": r"entwicklungs(?:umgebung|system)|development (?:environment|system)|dev(?:-| )(?:umgebung|cluster|"
                   r"system|environment)",
    "production": r"produktion|produktiv\w*|production|prod(?:-cluster|system)?|live(?:system|-system)",
}  # fmt: skip
_AUDIENCES = {
    "privileged": r"privilegiert\w*|administrator\w*|admin(?:s|konten|konto|-\w+)?|verwaltungskont\w+|domain admins?|"
                  r"privileged|adm-",
    "guest": r"g(?:a|ä)st\w*|besuch\w*|guests?|visit(?:ors?|ing|s)?",
    "external": r"extern\w{0,2}|dienstleister\w*|fremdfirm\w+|auftragnehmer\w*|contractors?|"
                r"external (?:partners?|staff|people)|wartungsfirm\w+|partners?",
    "student": r"studierende\w*|werkstudent\w*|praktikant\w*|studentische\w*|auszubildende\w*|azubis?|interns?|"
               r"trainees?|students?|apprentices?",
    "shared": r"gemeinsame\w*|geteilte\w*|funktionspostf\w+|sammelpostf\w+|teampostf\w+|shared",
    "child": r"kinder\w*|children|jugendliche\w*|minderjährige\w*|minors?",
}  # fmt: skip
_SERVICE = r"dienstkont\w+|technische\w* (?:kont\w+|benutzer)|service accounts?|funktionskont\w+|svc-"
_PLANNED = (
    r"geplant\w*|vorgesehen|foreseen|envisaged|soll(?:en|te|ten)? (?!nicht\b).{0,60}\b(?:werden|umgestellt|gehoben|ersetzt|"
    r"eingeführt|umziehen|wechseln)\b|"
    r"künftig|zukünftig|demnächst|vorauss?ichtlich|angedacht|beabsichtigt|vorschlag|planned|the plan is|is to "
    r"be|are to be|"
    r"going to|will be|intend\w*|proposal|proposed|scheduled to move|upcoming|draft"
)
_PAST = (
    r"damals|früher|ehemals|vormals|zur zeit dieser fassung|bis dahin|bisher galt|galt|galten|seinerzeit|einst|"
    r"until then|used to|formerly|previously|at that time|in those days|back then|in the past|historically|was|were|"
    r"war|waren|wurde|wurden|hatte|hatten|blieb|blieben|dauerte|lief|liefen|lag|lagen|kam|kamen|ging|gingen|"
    r"fiel|fielen|gab|gaben|"
    r"back in \d{4}|anno \d{4}|zahlten|zahlte|kostete|kosteten|paid|cost us|"
    r"did|had|took|ran|finished|lasted|stayed|happened|came|went"
)
_OWN_RULES = (
    r"eigene\w* (?:regel\w*|frist\w*|vorgabe\w*|verfahren|werte?)|abweichung\w*|abweichend\w*|"
    r"unterschied\w* zu\w*|anders als|im unterschied zu|"
    r"sonderregel\w*|sonderfäll\w*|own(?:,? \w+)? (?:rules?|policy|limits?)|differs? from|different from|"
    r"differences? (?:to|from)|"
    r"unlike|deviat\w+|exceptions? (?:to|from)"
)
_SEPARATE = r"nichts zu tun|nicht zu verwechseln|nothing to do with|not to be confused"
_CONDITIONS = {
    "season summer": r"(?:sommer|summer)\w*", "season winter": r"winter\w*",
    "season weekend": r"(?:wochenende|weekend)\w*", "season night": r"nachts|at night",
    "sphere private": r"privat(?:e[nrms]?)?|private(?:ly)?|personally",
    "sphere business": r"geschäftlich\w*|dienstlich\w*|business",
}  # fmt: skip
_CUES = Cues(
    {
        **_ENVIRONMENTS, **_AUDIENCES, **_CONDITIONS, "planned": _PLANNED, "past": _PAST, "here": r"hier|dort|here|there",
    },
    open_ended={"service": _SERVICE},
)  # fmt: skip
_STAGING = re.compile(r"-stg\b", re.I)
_APART = Cues({"own rules": _OWN_RULES, "separate": _SEPARATE})
_NUMBERED = Cues(
    {"level": r"(?:P|Prio(?:rität)?|Priority|Stufe|Level|Tier|Klasse|Class|Severity|SLA|Phase|Stage|Q)[ -]?(\d)"},
    open_ended={
        "place": r"(?:Halle|hall|Werk|plant|Standort|site|Filiale|branch|Gebäude|building|Haus|house|Etage|floor|Stock)\s+"
                 r"([A-ZÄÖÜ][\wäöüß]*|\d+)",
    },
    flags=re.NOFLAG,
)  # fmt: skip
_DEPRECATED = frozenset(
    "veraltet deprecated superseded obsolete ersetzt abgelöst überholt archiviert archived outdated historisch "
    "retired".split()
)
_DRAFT = frozenset("geplant planned entwurf draft idee idea vorschlag proposal proposed".split())


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement holds. An empty set means: said of no one in particular."""

    environments: frozenset[str] = frozenset()
    audiences: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    planned: bool = False
    past: bool = False
    here: bool = False


_ANYWHERE = Scope()


@lru_cache(maxsize=20_000)
def of_text(text: str) -> Scope:
    """The scope a sentence, heading or title names."""
    found = _CUES.found(text)
    conditions = found & _CONDITIONS.keys()
    for name in _NUMBERED.found(text):
        conditions |= {f"{name} {m[1].lower()}" for m in _NUMBERED.each(name, text)}
    if "-stg" in text.lower() and _STAGING.search(text):
        found.add("staging")
    if not found and not conditions and "(" not in text:
        return _ANYWHERE
    return Scope(
        frozenset(found & _ENVIRONMENTS.keys()),
        frozenset(found & (_AUDIENCES.keys() | {"service"})),
        frozenset(conditions),
        "planned" in found or "(plan)" in text.lower(),
        "past" in found,
        "here" in found,
    )


def within(inner: Scope, outer: Scope) -> Scope:
    """The scope of a sentence inside a section: what it says itself wins, the rest is inherited."""
    return Scope(
        inner.environments or outer.environments,
        inner.audiences or outer.audiences,
        inner.conditions or outer.conditions,
        inner.planned or outer.planned,
        inner.past,
        inner.here,
    )


def overlap(a: Scope, b: Scope) -> bool:
    """Whether two statements may speak of the same circumstances: one that names no people may mean the other's."""
    if bool(a.audiences) == bool(b.audiences):
        return compatible(a, b)
    return compatible(replace(a, audiences=frozenset()), replace(b, audiences=frozenset()))


def compatible(a: Scope, b: Scope) -> bool:
    """Whether two statements speak of the same circumstances, so that they could contradict each other."""
    if not _environments_meet(a.environments, b.environments):
        return False
    if not _audiences_meet(a.audiences, b.audiences):
        return False
    return not (a.conditions and b.conditions) or _conditions_meet(a.conditions, b.conditions)


def _conditions_meet(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether no sort of condition (season, level, place, sphere) is named on both sides with nothing in common."""
    if a & b == a | b:
        return True
    sorts = {c.split()[0] for c in a} & {c.split()[0] for c in b}
    return all(any(c.startswith(sort) for c in a & b) for sort in sorts)


def _environments_meet(a: frozenset[str], b: frozenset[str]) -> bool:
    if a and b:
        return bool(a & b)
    return not (a or b) or "production" in (a or b)


def _audiences_meet(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a & b) or not (a or b)


def deprecated(status: str | None) -> bool:
    """Whether a front-matter status says that the entry no longer holds."""
    return (status or "").strip().lower() in _DEPRECATED


def draft(status: str | None) -> bool:
    """Whether a front-matter status says that the entry is not in force yet."""
    return (status or "").strip().lower() in _DRAFT


def own_rules(text: str) -> bool:
    """Whether a sentence says that other rules hold here than elsewhere."""
    return "own rules" in _APART.found(text)


def separate(text: str) -> bool:
    """Whether a sentence sets its subject apart from another one it names."""
    return "separate" in _APART.found(text)
