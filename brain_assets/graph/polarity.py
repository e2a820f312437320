"""What a clause affirms or denies: negation, necessity, permission, opposite states, ways of doing (de, en)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NEGATION = re.compile(
    r"\b(kein(?:e[nrms]?)?|nicht|nichts|nie|niemals|niemand(?:en|em)?|keinerlei|weder|ohne|no|not|never|none|nobody|"
    r"no one|nothing|neither|without|cannot|n't|(?:do|does|did|is|are|was|were|has|have|can|could|must|should|would|will|need)n['’]t)\b",
    re.I,
)
_NOT_NEGATING = re.compile(
    r"\b(nicht nur|not only|kein problem|no problem|nicht zuletzt|wenn nicht|if not|falls nicht|noch nicht lange|"
    r"nichts anderes|ob nicht|whether or not|no longer than|nicht länger als|not more than|nicht mehr als|no later than|"
    r"nicht später als)\b",
    re.I,
)
_PAIRS: dict[str, tuple[str, str]] = {
    "accept": (r"akzeptier\w*|angenommen|zugelassen|anerkannt|accept(?:s|ed)?|honou?red", r"abgewiesen|abgelehnt|lehnt \w+ ab|reject(?:s|ed)?|refused?|declined"),
    "allow": (
        r"erlaubt|gestattet|zulässig|d[aü]rf(?:en|t)?|berechtigt|allowed|permitted|may|free to|can\b(?! not)",
        r"verboten|untersagt|unzulässig|gesperrt|blockiert|keine rechte|forbidden|prohibited|blocked|banned|disallowed",
    ),
    "require": (
        r"erforderlich|nötig|notwendig|benötig\w+|braucht|brauchen|muss|müssen|pflicht|verpflichtend|zwingend|vorgeschrieben|"
        r"beantrag\w+|requires?|required|needs?|needed|necessary|must|has to|have to|mandatory|compulsory|obligatory",
        r"entfällt|entfallen|überflüssig|freiwillig|unnötig|optional|unnecessary|voluntary|obsolete",
    ),
    "active": (
        r"aktiviert|eingeschaltet|eingerichtet|in betrieb|aktiv\b|freigeschaltet|umgesetzt|im einsatz|in place|set up|enabled|"
        r"switched on|turned on|active|live|configured|deployed|in operation|in use",
        r"deaktiviert|abgeschaltet|ausgeschaltet|abgestellt|stillgelegt|außer betrieb|eingestellt|disabled|switched off|turned off|"
        r"deactivated|decommissioned|shut down|retired|discontinued",
    ),
    "automatic": (
        r"automatisch\w*|selbsttätig|von selbst|von allein|automatic(?:ally)?|by itself|on its own",
        r"von hand|händisch|manuell\w*|by hand|manual(?:ly)?",
    ),
    "reachable": (r"erreichbar|zugänglich|verfügbar|reachable|accessible|available", r"unerreichbar|unreachable|inaccessible|unavailable"),
    "support": (r"unterstützt|supported|supports", r"unsupported"),
    "possible": (r"möglich|possible", r"unmöglich|impossible"),
    "encrypted": (r"verschlüsselt|encrypted", r"unverschlüsselt|im klartext|unencrypted|plain ?text|in the clear"),
    "done": (r"abgeschlossen|erledigt|fertig|beendet|completed?|finished|done|closed", r"noch offen|ausstehend|steht noch aus|pending|outstanding|still open"),
    "public": (r"öffentlich|public(?:ly)?", r"nur intern|vertraulich|confidential|internal only"),
    "open": (r"geöffnet|offen|open", r"geschlossen|closed"),
    "included": (r"inbegriffen|enthalten|einschließlich|inklusive|included|inclusive", r"ausgenommen|ausgeschlossen|excluded|exempt"),
    "free": (r"kostenlos|kostenfrei|gratis|unentgeltlich|free of charge|at no cost", r"kostenpflichtig|gebührenpflichtig|chargeable|paid"),
    "safe": (r"geeignet|sicher|suitable|safe", r"ungeeignet|unsuitable|unsafe"),
}  # fmt: skip
_STATES = {name: (re.compile(rf"\b(?:{p})\b", re.I), re.compile(rf"\b(?:{n})\b", re.I)) for name, (p, n) in _PAIRS.items()}
_ONLY = re.compile(r"\b(nur|ausschließlich|lediglich|allein|only|solely|exclusively)\b", re.I)
_VIA = re.compile(
    r"\b(?:nur|ausschließlich|lediglich|only|solely|exclusively)\b[^.;]{0,50}?\b(?:über|mit|per|aus|durch|via|through|over|with|from|by)\b", re.I
)
_SELF = re.compile(r"\b(selbst|eigenständig|themselves|yourself|yourselves|oneself|on their own|self-service)\b", re.I)
_NOT_YET = re.compile(r"\b(noch nicht|not yet|noch kein(?:e[nrm]?)?|nicht mehr|no longer|not any ?more|kein(?:e[nrm]?)? \w+(?:-\w+)* mehr)\b", re.I)


@dataclass(frozen=True, slots=True)
class Polarity:
    """`negated`: an odd number of negations; `states`: concept → +1 affirmed, −1 denied; `only`: an exclusive claim."""

    negated: bool
    states: tuple[tuple[str, int], ...]
    only: bool
    alone: bool
    no_longer: bool


def of(clause: str) -> Polarity:
    """The polarity of one clause."""
    text = _NOT_NEGATING.sub(" ", clause)
    negations = len(_NEGATION.findall(text))
    negated = negations % 2 == 1
    sign = -1 if negated else 1
    states = []
    for name, (positive, negative) in _STATES.items():
        down, up = negative.search(text), positive.search(text)
        if down and not (up and up.start() < down.start() and up.end() > down.start()):
            states.append((name, -sign))
        elif up:
            states.append((name, sign))
    if _VIA.search(text) and not any(n == "require" for n, _ in states):
        states.append(("require", sign))
    return Polarity(negated, tuple(states), bool(_ONLY.search(text)), bool(_SELF.search(text)), bool(_NOT_YET.search(text)))


def opposed(a: Polarity, b: Polarity) -> list[str]:
    """Concepts one clause affirms and the other denies."""
    first = dict(a.states)
    return [name for name, sign in b.states if name in first and first[name] != sign]
