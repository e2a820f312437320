"""For whom, where and when a statement holds: statements of different scope do not contradict each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_ENVIRONMENTS = {
    "staging": re.compile(r"\b(staging|vorproduktion|pre-?prod(?:uction)?|abnahme(?:umgebung)?|uat)\b|-stg\b", re.I),
    "test": re.compile(r"\b(test(?:umgebung|system|cluster|server|mandant)|test (?:environment|system|tenant|"
                       r"cluster)|labor?umgebung|sandbox|restore-lab)\b", re.I),
    "development": re.compile(r"\b(entwicklungs(?:umgebung|system)|development (?:environment|system)|dev(?:-| "
                              r")(?:umgebung|cluster|system|environment))\b", re.I),
    "production": re.compile(r"\b(produktion|produktiv\w*|production|prod(?:-cluster|system)?|live(?:system|"
                             r"-system))\b", re.I),
}  # fmt: skip
_AUDIENCES = {
    "privileged": re.compile(r"\b(privilegiert\w*|administrator\w*|admin(?:s|konten|konto|-\w+)?|"
                             r"verwaltungskont\w+|domain admins?|privileged|adm-)\b", re.I),
    "service": re.compile(r"\b(dienstkont\w+|technische\w* (?:kont\w+|benutzer)|service accounts?|"
                          r"funktionskont\w+|svc-)", re.I),
    "guest": re.compile(r"\b(g[aä]st\w*|besuch\w*|guests?|visit(?:ors?|ing|s)?)\b", re.I),
    "external": re.compile(r"\b(extern\w{0,2}|dienstleister\w*|fremdfirm\w+|auftragnehmer\w*|contractors?|"
                           r"external (?:partners?|staff|people)|wartungsfirm\w+|partners?)\b", re.I),
    "student": re.compile(r"\b(studierende\w*|werkstudent\w*|praktikant\w*|studentische\w*|auszubildende\w*|"
                          r"azubis?|interns?|trainees?|students?|apprentices?)\b", re.I),
    "shared": re.compile(r"\b(gemeinsame\w*|geteilte\w*|funktionspostf\w+|sammelpostf\w+|teampostf\w+|shared)\b", re.I),
    "child": re.compile(r"\b(kinder\w*|children|jugendliche\w*|minors?)\b", re.I),
}  # fmt: skip
_PLANNED = re.compile(
    r"\b(geplant\w*|vorgesehen|soll(?:en|te|ten)? (?!nicht\b).{0,60}\b(?:werden|umgestellt|gehoben|ersetzt|"
    r"eingeführt|umziehen|wechseln)\b|"
    r"künftig|zukünftig|demnächst|vorauss?ichtlich|angedacht|beabsichtigt|vorschlag|planned|the plan is|is to "
    r"be|are to be|"
    r"going to|will be|intend\w*|proposal|proposed|scheduled to move|upcoming|draft)\b|\(plan\)",
    re.I,
)
_PAST = re.compile(
    r"\b(damals|früher|ehemals|vormals|zur zeit dieser fassung|bis dahin|bisher galt|galt|galten|seinerzeit|einst|"
    r"until then|used to|formerly|previously|at that time|in those days|back then|in the past|historically|was|were|"
    r"war|waren|wurde|wurden|hatte|hatten|blieb|blieben|dauerte|lief|liefen|lag|lagen|kam|kamen|ging|gingen|"
    r"fiel|fielen|gab|gaben|"
    r"did|had|took|ran|finished|lasted|stayed|happened|came|went)\b",
    re.I,
)
_OWN_RULES = re.compile(
    r"\b(eigene\w* (?:regel\w*|frist\w*|vorgabe\w*|verfahren|werte?)|abweichung\w*|abweichend\w*|"
    r"unterschied\w* zu\w*|anders als|im unterschied zu|"
    r"sonderregel\w*|sonderfäll\w*|own(?:,? \w+)? (?:rules?|policy|limits?)|differs? from|different from|"
    r"differences? (?:to|from)|"
    r"unlike|deviat\w+|exceptions? (?:to|from))\b",
    re.I,
)
_SEPARATE = re.compile(
    r"\b(nichts zu tun|nicht zu verwechseln|nothing to do with|not to be confused)\b",
    re.I,
)
_HERE = re.compile(r"\b(hier|dort|here|there)\b", re.I)
_SEASONS = {
    "summer": re.compile(r"\b(sommer|summer)\w*\b", re.I),
    "winter": re.compile(r"\b(winter)\w*\b", re.I),
    "weekend": re.compile(r"\b(wochenende\w*|weekend\w*)\b", re.I),
    "night": re.compile(r"\b(nachts|at night)\b", re.I),
}
_LEVEL = re.compile(
    r"\b(?:P|Prio(?:rität)?|Priority|Stufe|Level|Tier|Klasse|Class|Severity|SLA|Phase|Stage|Q)[ -]?(\d)\b"
)
_HALL = re.compile(
    r"\b(?:Halle|hall|Werk|plant|Standort|site|Filiale|branch|Gebäude|building|Etage|floor|"
    r"Stock)\s+([A-ZÄÖÜ][\wäöüß]*|\d+)"
)
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


@lru_cache(maxsize=20_000)
def of_text(text: str) -> Scope:
    """The scope a sentence, heading or title names."""
    conditions = {name for name, pattern in _SEASONS.items() if pattern.search(text)}
    conditions |= {"level " + m[1] for m in _LEVEL.finditer(text)}
    conditions |= {"place " + m[1].lower() for m in _HALL.finditer(text)}
    return Scope(
        frozenset(n for n, p in _ENVIRONMENTS.items() if p.search(text)),
        frozenset(n for n, p in _AUDIENCES.items() if p.search(text)),
        frozenset(conditions),
        bool(_PLANNED.search(text)),
        bool(_PAST.search(text)),
        bool(_HERE.search(text)),
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


def compatible(a: Scope, b: Scope) -> bool:
    """Whether two statements speak of the same circumstances, so that they could contradict each other."""
    if not _environments_meet(a.environments, b.environments):
        return False
    if not _audiences_meet(a.audiences, b.audiences):
        return False
    levels_a, levels_b = a.conditions, b.conditions
    return not (levels_a and levels_b and not levels_a & levels_b)


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
    return bool(_OWN_RULES.search(text))


def separate(text: str) -> bool:
    """Whether a sentence sets its subject apart from another one it names."""
    return bool(_SEPARATE.search(text))
