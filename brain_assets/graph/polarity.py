"""What a clause affirms or denies: negation, necessity, permission, opposite states, ways of doing (de, en)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NEGATION = re.compile(
    r"\b(kein(?:e[nrms]?)?|nicht|nichts|nie|niemals|niemand(?:en|em)?|keinerlei|weder|no|not|never|none|nobody|"
    r"no one|nothing|neither|cannot|(?:do|does|did|is|are|was|were|has|have|can|could|must|should|would|will|"
    r"need)n['’]t)\b",
    re.I,
)
_NOT_NEGATING = re.compile(
    r"\b(nicht nur|not only|kein problem|no problem|nicht zuletzt|wenn nicht|if not|falls nicht|noch nicht "
    r"lange|nichts anderes|"
    r"ob nicht|whether or not|no longer than|nicht länger als|not more than|no more than|nicht mehr als|no later than|"
    r"nicht später als|not least)\b",
    re.I,
)
_RIGHTS = (
    r"keine(?:rlei)? (?:rechte|berechtigung\w*|erlaubnis)|keinen (?:zugriff|zugang|zutritt)|kein (?:zugriff|"
    r"zugang|zutritt|recht)|"
    r"no (?:rights|permission|access|right)"
)
_PAIRS: dict[str, tuple[str, str]] = {
    "accept": (
        r"akzeptier\w*|angenommen|zugelassen|anerkannt|accept(?:s|ed)?|honou?red",
        r"abgewiesen|abgelehnt|lehnt \w+ ab|rejects|(?:is|are|be|gets?) (?:rejected|refused|declined)",
    ),
    "allow": (
        r"erlaubt|gestattet|zulässig|d[aü]rf(?:en|t)?|berechtigt|allowed|permitted|may|free to|welcome",
        rf"verboten|untersagt|unzulässig|{_RIGHTS}|forbidden|prohibited|banned|disallowed",
    ),
    "require": (
        r"erforderlich|nötig|notwendig|benötig\w+|braucht|brauchen|muss|müssen|pflicht|verpflichtend|zwingend|"
        r"vorgeschrieben|beantragt|requires?|required|needs?|needed|necessary|must|has to|have to|mandatory|"
        r"compulsory|obligatory",
        r"entfällt|entfallen|überflüssig|freiwillig|unnötig|optional|unnecessary|voluntary",
    ),
    "active": (
        r"aktiviert|eingeschaltet|eingerichtet|in betrieb|freigeschaltet|umgesetzt|im einsatz|in place|set up|enabled|"
        r"switched on|turned on|configured|deployed|in operation|in use",
        r"deaktiviert|abgeschaltet|ausgeschaltet|abgestellt|stillgelegt|außer betrieb|disabled|switched off|turned off|"
        r"deactivated|decommissioned|shut down|retired|discontinued",
    ),
    "automatic": (
        r"automatisch\w*|selbsttätig|von selbst|von allein|automatic(?:ally)?|by itself|on its own",
        r"von hand|händisch|manuell\w*|by hand|manual(?:ly)?",
    ),
    "reachable": (r"erreichbar|zugänglich|reachable|accessible", r"unerreichbar|unreachable|inaccessible"),
    "support": (r"unterstützt|supported|supports", r"unsupported"),
    "possible": (r"möglich|possible", r"unmöglich|impossible"),
    "encrypted": (r"verschlüsselt|encrypted", r"unverschlüsselt|im klartext|unencrypted|plain ?text|in the clear"),
    "done": (r"abgeschlossen|erledigt|completed", r"ausstehend|steht noch aus|noch offen|pending|outstanding|"
                                                  r"still open"),
    "open": (r"geöffnet", r"geschlossen"),
    "included": (r"inbegriffen|enthalten|inklusive|included", r"ausgenommen|ausgeschlossen|excluded|exempt"),
    "rise": (
        r"steig(?:t|en|ert)|gestiegen|erhöht|wächst|zunimmt|nimmt zu|increases?|increased|rises?|risen|grows?|raised",
        r"sink(?:t|en)|gesunken|senkt|gesenkt|verringert|abnimmt|nimmt ab|decreases?|decreased|falls|fallen|"
        r"shrinks?|lowered|reduces?|reduced",
    ),
    "good": (r"verbessert|besser|improves?|improved|better", r"verschlechtert|schlechter|worsens?|worsened|worse"),
    "present": (r"anwesend|present", r"abwesend|absent"),
    "free": (r"kostenlos|kostenfrei|gratis|unentgeltlich|free of charge|at no "
             r"cost", r"kostenpflichtig|gebührenpflichtig|chargeable"),
}  # fmt: skip
_STATES = {n: (re.compile(rf"\b(?:{p})\b", re.I), re.compile(rf"\b(?:{q})\b", re.I)) for n, (p, q) in _PAIRS.items()}
_FORBIDS = re.compile(
    r"\b(?:must not|mustn['’]t|may not|not allowed|not permitted|(?:darf|dürfen|"
    r"durfte)\b[^,;.]{0,60}?\b(?:nicht|kein\w*))\b",
    re.I,
)
_WHO_NEEDS = re.compile(r"\b(?:who|which|that)\s+(?:needs?|requires?)\b|\b(?:brauchen|benötigen)(?= sie\b)", re.I)
STATES: tuple[str, ...] = tuple(_PAIRS)
"""Names of the concepts a clause can affirm or deny."""
_ANY_STATE = re.compile("|".join(rf"\b(?:{p})\b" for pair in _PAIRS.values() for p in pair), re.I)
_ONLY = re.compile(r"\b(nur|ausschließlich|lediglich|only|solely|exclusively)\b(?! noch\b| still\b)", re.I)
_VIA = re.compile(
    r"\b(?:nur|ausschließlich|lediglich|only|solely|exclusively)\b[^.;]{0,50}?\b(?:über|mit|per|aus|durch|via|"
    r"through|over|with|from|by)\b",
    re.I,
)
_ALONE = re.compile(
    r"\b(selbst|selber|eigenständig|themselves|yourself|yourselves|oneself|himself|herself|on their own)\b", re.I
)
_EVERYONE = re.compile(
    r"\b(every(?:one|body)?|all|any(?:one|body)?|jede[rsnm]?|alle[nr]?|sämtliche\w*|users|employees|anwender|"
    r"beschäftigte|mitarbeitende)\b",
    re.I,
)
_CONDITION = re.compile(
    r"^\W*(?:wer|wenn|solange|whoever|those who|while|as long as|falls|sofern|sobald|if|when|unless|once|in "
    r"case|bei|ohne|without|am letzten|sonst|otherwise)\b|"
    r"\b(?:sonst|otherwise|falls|wenn|sofern|unless|anything else|alles andere|alles übrige|everything else|"
    r"any other|anderes|dann|then|danach)\b",
    re.I,
)
_QUESTION = re.compile(r"\?\W*$")
_WORD = re.compile(r"[^\W\d_][\w-]+")
_TARGET = 5


@dataclass(frozen=True, slots=True)
class Polarity:
    """`states`: concept → +1 affirmed, −1 denied; `targets`: the words a plain negation denies.

    `only`: an exclusive claim; `open_to_all`: everyone, or people themselves, do it; `conditional`: holds in a case;
    `question`: asks and states nothing.
    """

    negated: bool
    states: tuple[tuple[str, int], ...]
    targets: tuple[str, ...]
    only: bool
    open_to_all: bool
    conditional: bool
    question: bool


def of(clause: str) -> Polarity:
    """The polarity of one clause."""
    text = _NOT_NEGATING.sub(" ", clause)
    plain = _WHO_NEEDS.sub(" ", re.sub(_RIGHTS, " ", text, flags=re.I))
    negations = list(_NEGATION.finditer(plain))
    negated = len(negations) % 2 == 1
    sign = -1 if negated else 1
    states = []
    if _FORBIDS.search(text):
        states.append(("allow", -1))
        plain = _FORBIDS.sub(" ", plain)
    for name, (positive, negative) in _STATES.items() if _ANY_STATE.search(text) else ():
        if name in dict(states):
            continue
        if down := negative.search(text):
            states.append((name, -1 if re.match(_RIGHTS, down[0], re.I) else -sign))
        elif positive.search(plain):
            states.append((name, sign))
    if _VIA.search(text) and not negated and "require" not in dict(states):
        states.append(("require", 1))
    alone = bool(_ALONE.search(text))
    if alone and not negated and "allow" not in dict(states):
        states.append(("allow", 1))
    return Polarity(
        negated, tuple(states), tuple(t for m in negations for t in _targets(plain, m.start(), m.end())),
        bool(_ONLY.search(text)), alone or bool(_EVERYONE.search(text)), bool(_CONDITION.search(clause)),
        bool(_QUESTION.search(clause)),
    )  # fmt: skip


def says_state(text: str, names: Iterable[str]) -> bool:
    """Whether a word is how one of the concepts is said ("abgeschaltet" of `active`)."""
    return any(pattern.fullmatch(text) for name in names if name in _STATES for pattern in _STATES[name])


def _targets(text: str, start: int, end: int) -> list[str]:
    """The words next to a negation that it denies: those after it, or the last one before it."""
    after = _WORD.findall(re.split(r"[,;:.()]", text[end : end + 80])[0])[:_TARGET]
    before = _WORD.findall(text[:start])
    return after or before[-6:]


def opposed(a: Polarity, b: Polarity) -> list[str]:
    """Concepts one clause affirms and the other denies; `exclusive` when one reserves what the other gives to all."""
    first = dict(a.states)
    found = [name for name, sign in b.states if name in first and first[name] != sign]
    for one, other in ((a, b), (b, a)):
        given = dict(other.states).get("allow") == 1
        if one.only and not other.only and given and other.open_to_all and dict(one.states).get("allow") != 1:
            found.append("exclusive")
    return found
