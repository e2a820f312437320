"""What a clause affirms or denies: negation, necessity, permission, opposite states, ways of doing (de, en)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from brain_assets.graph.cues import Cues
from brain_assets.graph.states import PAIRS, RIGHTS

_NEGATION = (
    r"kein(?:e[nrms]?)?|nicht|nichts|nie|niemals|niemand(?:en|em)?|keinerlei|weder|no|not|never|none|nobody|"
    r"no one|nothing|neither|cannot|(?:do|does|did|is|are|was|were|has|have|can|could|must|should|would|will|"
    r"need)n['’]t"
)
_NOT_NEGATING = (
    r"nicht nur|not only|kein problem|no problem|nicht zuletzt|wenn nicht|if not|falls nicht|noch nicht "
    r"lange|nichts anderes|"
    r"ob nicht|whether or not|no longer than|nicht länger als|not more than|no more than|nicht mehr als|no later than|"
    r"nicht später als|not least|(?:like|as) (?:any|every) other|wie jede\w* andere\w*"
)
_FORBIDS = (
    r"must not|mustn['’]t|may not|cannot|can['’]t|can not|not allowed|not permitted|(?:darf|dürfen|"
    r"durfte|kann|können)\b[^,;.]{0,60}?\b(?:nicht|kein\w*)"
)
_WHO_NEEDS = r"(?:who|which|that)\s+(?:needs?|requires?)|(?:brauchen|benötigen)(?= sie\b)"
STATES: tuple[str, ...] = tuple(PAIRS)
"""Names of the concepts a clause can affirm or deny."""
_VIA = (
    r"(?:nur|ausschließlich|lediglich|ausnahmslos|zwingend|grundsätzlich|stets|immer|only|solely|exclusively|always|"
    r"without exception)\b[^.;]{0,50}?\b(?:über|mit|per|aus|durch|via|through|over|with|from|by)"
)
_ALONE = r"selbst|selber|eigenständig|themselves|yourself|yourselves|oneself|himself|herself|on their own"
_EVERYONE = (
    r"every(?:one|body)?|all|any(?:one|body)?|jede[rsnm]?|alle[nr]?|sämtliche\w*|users|employees|anwender|"
    r"beschäftigte|mitarbeitende"
)
_IN_CASE = (
    r"sonst|otherwise|falls|wenn|sofern|unless|anything else|alles andere|alles übrige|everything else|"
    r"any other|anderes"
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
_STILL = (
    r"weiterhin|nach wie vor|immer noch|noch immer|unverändert (?:gültig|nutzbar|möglich)|"
    r"still(?! (?:open|pending|outstanding|missing|to be|unclear|not|no|waiting|under))|continues? to|"
    r"as before|to this day"
)
_GONE = (
    r"nicht (?:[\w-]+ ){0,4}?mehr(?! als)|kein(?:e[nrms]?)? (?:[\w-]+ ){1,4}?mehr(?! als)|no longer(?! than)|"
    r"not (?:[\w-]+ ){1,6}?any ?more|noch (?:immer )?(?:nicht|kein\w*)(?! lange)|not yet|"
    r"not (?:[\w-]+ ){1,5}?yet|yet to be|nie umgesetzt|never (?:went live|rolled out|put into)"
)
_BECAME = (
    r"(?:wurden?|worden|was|were|been|got|ist|sind|is|are)\b[^,;]{0,80}?\b(?:abgeschaltet|stillgelegt|eingestellt|abgeschafft|abgebaut|"
    r"demontiert|ausgebaut|außer betrieb genommen|in betrieb genommen|eingeführt|montiert|eingebaut|eingerichtet|"
    r"freigeschaltet|aktiviert|deaktiviert|ausgerollt|gekündigt|verlängert|erneuert|verboten|erlaubt|beendet|aufgelöst|"
    r"switched o(?:ff|n)|turned o(?:ff|n)|shut down|decommissioned|retired|discontinued|dismantled|phased out|withdrawn|"
    r"abolished|scrapped|disabled|enabled|deactivated|activated|introduced|installed|mounted|set up|rolled out|"
    r"commissioned|cancell?ed|terminated|renewed|extended|prolonged|banned|lifted)|"
    r"went live|ging\w* (?:\w+ ){0,4}(?:live|online|in betrieb|vom netz)"
)
_FOR_A_WHILE = (
    r"vorübergehend|kurz(?:zeitig)?|zeitweise|versehentlich|testweise|temporarily|briefly|for (?:a|an) (?:hour|day|while)|"
    r"by mistake|bis dahin|damals|früher|seinerzeit|until then|at that time|back then|ehemals|vormals|einst|formerly|previously|used to|in the past"
)
_CUES = Cues(
    {
        "unasserted": _UNASSERTED, "set apart": _SET_APART, "concession": _CONCESSION, "degree": _DEGREE,
        "relative": _RELATIVE, "rather": r"sondern|but rather", "then": r"dann|then|danach", "if": r"if|when|whenever|once|until|bis|solange",
        "not negating": _NOT_NEGATING, "negation": _NEGATION, "forbids": _FORBIDS, "who needs": _WHO_NEEDS,
        "only": r"(?:nur|ausschließlich|lediglich|only|solely|exclusively)\b(?! noch\b| still\b)", "via": _VIA,
        "still": _STILL, "gone": _GONE, "became": _BECAME, "for a while": _FOR_A_WHILE,
        "again": r"auch nicht|auch kein\w*|nicht einmal|not even|nor|noch (?=\w+ (?:nicht|kein))", "alone": _ALONE, "reflexive": r"sich|itself", "everyone": _EVERYONE, "in case": _IN_CASE,
        **{f"+{name}": affirmed for name, (affirmed, _) in PAIRS.items()},
        **{f"-{name}": denied for name, (_, denied) in PAIRS.items()},
    },
    open_ended={"rights": RIGHTS},
)  # fmt: skip
_PREPOSITIONS = frozenset(
    "vom von aus auf in im am an bei beim mit durch über unter für zum zur nach vor from on in at by with through via "
    "for to under over into onto".split()
)
_PARTICLES = frozenset(
    "ab an auf aus bei ein fest fort frei her hin mit nach um unter vor weg weiter wieder zu zurück zusammen heraus "
    "herein hinzu mehr worden werden".split()
)
_REFUSAL = re.compile(
    r"\b(?:wird|werden)\b[^,;]*\b(?:nicht|kein\w*)\b[^,;]*?\w(?:t|en)\b|\b(?:nicht|kein\w*)\b[^,;]*\w(?:t|en) (?:wird|werden)\b|"
    r"\bwir\b[^,;]*\b(?:nicht|kein\w*)\b|\b(?:is|are) (?:not|never) \w+(?:ed|en)\b|\b(?:isn|aren)['’]t \w+(?:ed|en)\b|"
    r"\bwe (?:do not|don['’]t|never)\b|^\W*no \w+(?: \w+){0,2} (?:is|are) \w+(?:ed|en)\b",
    re.I,
)
"""What is not done as a rule is not granted: "werden nicht zurückgenommen"."""
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
_SEGMENT = re.compile(r"[,;()]\s")
_TARGET = 5


@dataclass(frozen=True, slots=True)
class Polarity:
    """`states`: concept → +1 affirmed, −1 denied; `targets`: the words a plain negation denies.

    `only`: an exclusive claim; `open_to_all`: everyone, or people themselves, do it; `conditional`: holds in a case, or
    is not asserted at all; `question`: asks and states nothing. `aside`: what it denies is a degree, one of two
    alternatives or a detail, so that a clause that says nothing else of it is not the opposite; `of_place`: "nicht"
    stands before a preposition and denies where or how, not that. `settled`: tells of a change whose result lasts ("was
    switched off").
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
    settled: bool = False


_PHASES = {"still", "gone"}
_SIDES = {sign + name for name in STATES for sign in "+-"} | _PHASES
_CASES, _ASIDES = {"in case", "unasserted", "degree"}, {"set apart", "concession", "relative", "if"}
_NOTHING = Polarity(False, (), (), False, False, False, False)


def of(clause: str) -> Polarity:
    """The polarity of one clause."""
    cues, text = _CUES.found(clause), clause
    if "not negating" in cues:
        text = _CUES.without("not negating", clause)
        cues = _CUES.found(text)
    conditional = bool(cues & _CASES) or _CONDITION.match(text) is not None
    if "then" in cues:
        conditional = conditional or "then" in _CUES.found(_SEGMENT.split(text, maxsplit=1)[0])
    question = _QUESTION.search(clause) is not None
    if not cues and not conditional and not question:
        return _NOTHING
    targets: tuple[str, ...]
    states: dict[str, int]
    if "if" in cues and "negation" in cues:
        conditional = True  # "not needed if …" is an exception, "allowed if …" still allows
    text = _CUES.without("again", text) if "again" in cues else text
    negated, targets, states = False, (), {}
    first_negation = ""
    parts = _SEGMENT.split(text) if "negation" in cues and _SEGMENT.search(text) else [text]
    for part in parts:
        here = cues if len(parts) == 1 else _CUES.found(part)
        plain = _CUES.without("rights", part) if "rights" in here else part
        plain = _CUES.without("who needs", plain) if "who needs" in here else plain
        negations = list(_CUES.each("negation", plain)) if "negation" in here else []
        targets += tuple(t for m in negations for t in _targets(plain, m.start(), m.end()))
        denies = len(negations) % 2 == 1
        first_negation = first_negation or (negations[0][0].lower() if denies else "")
        negated = negated or denies
        for name, sign in _states(part, plain, here, denies).items():
            states.setdefault(name, sign)
    if negated and not states and _REFUSAL.search(text):
        states["allow"] = -1
    if "gone" in cues:
        states.setdefault("active", -1)
    elif "still" in cues and not negated and all(sign > 0 for sign in states.values()):
        states.setdefault("active", 1)
    alone = "alone" in cues and not ("reflexive" in cues and states.pop("self", 0))
    if "via" in cues and not negated and "require" not in states:
        states["require"] = 1
    return Polarity(
        negated, tuple(states.items()), targets, "only" in cues, alone or "everyone" in cues, conditional, question,
        bool(cues & _ASIDES) or (negated and _LEAST.search(clause) is not None),
        negated and "rather" not in cues and first_negation in ("nicht", "not")
        and targets[:1] != () and targets[0].lower() in _PREPOSITIONS,
        "became" in cues and "for a while" not in cues,
    )  # fmt: skip


def _states(text: str, plain: str, cues: set[str], negated: bool) -> dict[str, int]:
    """Concepts a stretch without commas affirms (1) or denies (−1). `plain` is the text without negations that belong
    to a phrase."""
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
            inner = _CUES.first("rights", denied[0]) or _CUES.first("negation", denied[0])
            states[name] = -1 if inner else -sign
        elif f"+{name}" in cues and (plain is text or _CUES.first(f"+{name}", plain)):
            states[name] = sign
    return states


def says_state(text: str, names: Iterable[str]) -> bool:
    """Whether a word is how one of the concepts is said ("abgeschaltet" of `active`)."""
    return any(_CUES.is_all(sign + name, text) for name in names if name in STATES for sign in "+-")


def once(text: str) -> bool:
    """Whether a text speaks of a time that is over, or of a while."""
    return "for a while" in _CUES.found(text)


def takes_a_side(text: str) -> bool:
    """Whether a text affirms or denies one of the concepts."""
    return not _SIDES.isdisjoint(_CUES.found(text))


def says(text: str, names: Iterable[str]) -> bool:
    """Whether one of the concepts is affirmed or denied in a text."""
    found = _CUES.found(text)
    return any(sign + name in found for name in names for sign in "+-") or (
        "active" in names and not found.isdisjoint(_PHASES)
    )


def denies(text: str) -> bool:
    """Whether there is a negation in a text."""
    return "negation" in _CUES.found(text)


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
    if all(w.lower() in _PARTICLES for w in after):  # "Schuhe tauschen wir nicht um"
        return _WORD.findall(text[:start])[-6:] + after
    return after


def opposed(a: Polarity, b: Polarity) -> list[str]:
    """Concepts one clause affirms and the other denies; `exclusive` when one reserves what the other gives to all."""
    first = dict(a.states)
    found = [name for name, sign in b.states if name in first and first[name] != sign]
    for one, other in ((a, b), (b, a)):
        said = dict(other.states)
        given = said.get("allow") == 1 or said.get("self") == 1
        if one.only and not other.only and given and other.open_to_all and dict(one.states).get("allow") != 1:
            found.append("exclusive")
    return found
