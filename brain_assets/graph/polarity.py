"""What a clause affirms or denies: negation, necessity, permission, opposite states, ways of doing (de, en)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from brain_assets.graph.cues import Cues

_NEGATION = (
    r"kein(?:e[nrms]?)?|nicht|nichts|nie|niemals|niemand(?:en|em)?|keinerlei|weder|no|not|never|none|nobody|"
    r"no one|nothing|neither|cannot|(?:do|does|did|is|are|was|were|has|have|can|could|must|should|would|will|"
    r"need)n['’]t"
)
_NOT_NEGATING = (
    r"nicht nur|not only|kein problem|no problem|nicht zuletzt|wenn nicht|if not|falls nicht|noch nicht "
    r"lange|nichts anderes|"
    r"ob nicht|whether or not|no longer than|nicht länger als|not more than|no more than|nicht mehr als|no later than|"
    r"nicht später als|not least"
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
_FORBIDS = (
    r"must not|mustn['’]t|may not|not allowed|not permitted|(?:darf|dürfen|"
    r"durfte)\b[^,;.]{0,60}?\b(?:nicht|kein\w*)"
)
_WHO_NEEDS = r"(?:who|which|that)\s+(?:needs?|requires?)|(?:brauchen|benötigen)(?= sie\b)"
STATES: tuple[str, ...] = tuple(_PAIRS)
"""Names of the concepts a clause can affirm or deny."""
_VIA = (
    r"(?:nur|ausschließlich|lediglich|only|solely|exclusively)\b[^.;]{0,50}?\b(?:über|mit|per|aus|durch|via|"
    r"through|over|with|from|by)"
)
_ALONE = r"selbst|selber|eigenständig|themselves|yourself|yourselves|oneself|himself|herself|on their own"
_EVERYONE = (
    r"every(?:one|body)?|all|any(?:one|body)?|jede[rsnm]?|alle[nr]?|sämtliche\w*|users|employees|anwender|"
    r"beschäftigte|mitarbeitende"
)
_IN_CASE = (
    r"sonst|otherwise|falls|wenn|sofern|unless|anything else|alles andere|alles übrige|everything else|"
    r"any other|anderes|dann|then|danach"
)
_UNASSERTED = (
    r"probably|possibly|perhaps|maybe|might|presumably|sometimes|occasionally|in some cases|wahrscheinlich|"
    r"möglicherweise|vermutlich|vielleicht|eventuell|unter umständen|könnten?|manchmal|gelegentlich|in manchen fällen|"
    r"stell\w* (?:sie )?sicher|sicherstellen|sicherzustellen|vergewisser\w*|achten? (?:sie )?darauf|prüf\w*,? ob|"
    r"make sure|ensur\w+|check (?:that|whether|if)|verify"
)
_SET_APART = (
    r"verhinder\w*|vermeid\w*|prevent\w*|avoid\w*|instead of|rather than|statt|anstatt|anstelle|"
    r"different (?:from|than|to)|differs? from|anders als|unlike|im gegensatz|unterscheide\w*"
)
_CONCESSION = r"aber|jedoch|obwohl|trotzdem|obgleich|but|however|although|though|despite"
_DEGREE = (
    r"(?:nicht|not)\s+(?:so|sehr|ganz|immer|besonders|wirklich|vollständig|genau|alle[nrs]?|"
    r"jede[nrms]?|überall|too|as|very|quite|always|just|all|every\w*|exactly|really|fully|entirely|"
    r"the same|more \w+ than|less)"
)
_RELATIVE = (
    r"(?:that|which|who)\s+(?:(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should|must|may)\s+)?"
    r"(?:not|never)|(?:that|which|who)\s+\w+n['’]t"
)
_CUES = Cues(
    {
        "unasserted": _UNASSERTED, "set apart": _SET_APART, "concession": _CONCESSION, "degree": _DEGREE,
        "relative": _RELATIVE, "rather": r"sondern|but rather", "if": r"if|when|whenever|once|until|bis|solange",
        "not negating": _NOT_NEGATING, "negation": _NEGATION, "forbids": _FORBIDS, "who needs": _WHO_NEEDS,
        "only": r"(?:nur|ausschließlich|lediglich|only|solely|exclusively)\b(?! noch\b| still\b)", "via": _VIA,
        "alone": _ALONE, "everyone": _EVERYONE, "in case": _IN_CASE,
        **{f"+{name}": affirmed for name, (affirmed, _) in _PAIRS.items()},
        **{f"-{name}": denied for name, (_, denied) in _PAIRS.items()},
    },
    open_ended={"rights": _RIGHTS},
)  # fmt: skip
_PREPOSITIONS = frozenset(
    "vom von aus auf in im am an bei beim mit durch über unter für zum zur nach vor from on in at by with through via "
    "for to under over into onto".split()
)
_LEAST = re.compile(
    r"^\W*(?:nicht|not)\s+(?:vom|von|aus|auf|in|im|am|an|bei|beim|mit|durch|über|unter|für|zum|zur|nach|vor|der|die|das|"
    r"den|dem|ein\w*|from|on|in|at|by|with|through|via|for|to|under|over|into|the|an?)\b|"
    r"\(\s*(?:nicht|kein\w*|not|no)\b|"
    r",\s+(?:die|der|das|den|dem|deren|dessen|welche\w*)\s+(?:[\w-]+\s+){0,6}?(?:nicht|kein\w*|nie)\b",
    re.I,
)
_THEN_IF = re.compile(
    r"[\s,–—-]*(?:wenn|falls|sofern|solange|außer|es sei denn|if|when|unless|except|as long as|provided)\b", re.I
)
_WITHOUT = re.compile(r"\b(?:ohne|without)\s+((?:[\w-]+\s*){1,3})", re.I)
_VERB_FIRST = re.compile(
    r"^\W*(?:[A-ZÄÖÜ][a-zäöüß]+(?:t|en)|Ist|Sind|Muss|Soll|Kann|Darf|Will)\s+(?:der|die|das|den|dem|ein\w*|kein\w*|es|"
    r"sie|er|man|sich|dies\w*|Ihr\w*|mein\w*|nichts|niemand)\b[^?]*,|^\W*(?:Should|Had|Were)\s[^?]*,"
)
_CONDITION = re.compile(
    r"^\W*(?:wer|wenn|solange|whoever|those who|while|as long as|falls|sofern|sobald|if|when|unless|once|in "
    r"case|bei|ohne|without|am letzten|sonst|otherwise)\b",
    re.I,
)
_QUESTION = re.compile(r"\?\W*$")
_WORD = re.compile(r"[^\W\d_][\w-]+")
_TARGET = 5


@dataclass(frozen=True, slots=True)
class Polarity:
    """`states`: concept → +1 affirmed, −1 denied; `targets`: the words a plain negation denies.

    `only`: an exclusive claim; `open_to_all`: everyone, or people themselves, do it; `conditional`: holds in a case, or
    is not asserted at all; `question`: asks and states nothing. `aside`: what it denies is a degree, one of two
    alternatives or a detail, so that a clause that says nothing else of it is not the opposite; `of_place`: "nicht"
    stands before a preposition and denies where or how, not that.
    """

    negated: bool
    states: tuple[tuple[str, int], ...]
    targets: tuple[str, ...]
    only: bool
    open_to_all: bool
    conditional: bool
    question: bool
    aside: bool = False
    of_place: bool = False


_CASES, _ASIDES = {"in case", "unasserted", "degree"}, {"set apart", "concession", "relative", "if"}
_NOTHING = Polarity(False, (), (), False, False, False, False)


def of(clause: str) -> Polarity:
    """The polarity of one clause."""
    cues = _CUES.found(clause)
    conditional = bool(cues & _CASES) or _CONDITION.match(clause) is not None
    question = _QUESTION.search(clause) is not None
    if not cues and not conditional and not question:
        return _NOTHING
    text = clause
    if "not negating" in cues:
        text = _CUES.without("not negating", clause)
        cues = _CUES.found(text)
    if "if" in cues and "negation" in cues:
        conditional = True  # "not needed if …" is an exception, "allowed if …" still allows
    plain = _CUES.without("rights", text) if "rights" in cues else text
    plain = _CUES.without("who needs", plain) if "who needs" in cues else plain
    negations = list(_CUES.each("negation", plain)) if "negation" in cues else []
    targets = tuple(t for m in negations for t in _targets(plain, m.start(), m.end()))
    negated = len(negations) % 2 == 1
    alone = "alone" in cues
    states = _states(text, plain, cues, negated)
    if "via" in cues and not negated and "require" not in states:
        states["require"] = 1
    if alone and not negated and "allow" not in states:
        states["allow"] = 1
    return Polarity(
        negated, tuple(states.items()), targets, "only" in cues, alone or "everyone" in cues, conditional, question,
        bool(cues & _ASIDES) or (negated and _LEAST.search(clause) is not None),
        negated and "rather" not in cues and negations[0][0].lower() in ("nicht", "not")
        and targets[:1] != () and targets[0].lower() in _PREPOSITIONS,
    )  # fmt: skip


def _states(text: str, plain: str, cues: set[str], negated: bool) -> dict[str, int]:
    """Concepts a clause affirms (1) or denies (−1). `plain` is the text without negations that belong to a phrase."""
    sign = -1 if negated else 1
    states: dict[str, int] = {}
    if "forbids" in cues:
        states["allow"] = -1
        plain = _CUES.without("forbids", plain)
    for name in STATES:
        if name in states:
            continue
        if f"-{name}" in cues:
            denied = _CUES.first(f"-{name}", text)
            assert denied is not None
            states[name] = -1 if _CUES.first("rights", denied[0]) else -sign
        elif f"+{name}" in cues and (plain is text or _CUES.first(f"+{name}", plain)):
            states[name] = sign
    return states


def says_state(text: str, names: Iterable[str]) -> bool:
    """Whether a word is how one of the concepts is said ("abgeschaltet" of `active`)."""
    return any(_CUES.is_all(sign + name, text) for name in names if name in STATES for sign in "+-")


def condition_follows(sentence: str, end: int) -> bool:
    """Whether what comes after a clause that ends there says when the clause holds."""
    return _THEN_IF.match(sentence, end) is not None


def begins_with_condition(sentence: str) -> bool:
    """Whether a sentence begins with its verb and is no question: "Öffnet sich die Seite nicht, …" says when the rest
    holds."""
    return "," in sentence and _VERB_FIRST.match(sentence) is not None


def lacking(clause: str) -> frozenset[str]:
    """The words, lower-case, that stand under "ohne" or "without"."""
    return frozenset(w.lower() for m in _WITHOUT.finditer(clause) for w in _WORD.findall(m[1]))


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
