"""A query as its aspects: the things it names and what it asks of each, not bare tokens.

"Was kostet ein Namespace im Monat und wer bezahlt ihn?" asks the cost and the payer of one thing, "Namespace".
Function words, question words, polite padding and units are no aspects; names of several words are one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from brain_assets.graph import quantities
from brain_assets.graph.wording import NUMBER_WORDS, keys_of
from brain_assets.text.words import STOP, fold, nfc, stem
from brain_assets.think.attributes import PROCEDURE, Attribute, asked

WordClass = Literal["name", "noun", "other"]

_TOKEN = re.compile(r"[\w\\]+(?:[-./:@\\_&'’+#]+\w+)*\+*", re.UNICODE)
_BREAK = re.compile(
    r"[?!;]+|:(?=\s)|,(?!(?<=\d,)\d)|(?<!\b\d)(?<!\b\d\d)\.(?=\s)|\s[–—]\s|"
    r"\b(?:und|sowie|and|oder|or)\b(?=\s+(?:(?:ab|bis|seit|nach|in|an|auf|mit|bei|für|von|zu|at|in|for|by|on)\s+)?"
    r"(?:w(?:as|er|en|em|ie|ann|o|arum|elche[mnrs]?|omit|ozu)|what|who|whom|how|when|where|why|which|is|are|do|does|can)\b)",
    re.IGNORECASE,
)
_DIGRAPH = {"ae": "ä", "oe": "ö", "ue": "ü"}
_UMLAUT_SPELLING = re.compile(r"(?<![aeoqu])ue(?!ll|rst)|ae|oe", re.IGNORECASE)
_UMLAUTS = re.compile(r"[äöüß]", re.IGNORECASE)
_NAME = re.compile(r"\d|[a-zäöüß][A-ZÄÖÜ]|^[A-ZÄÖÜ]{2,}|\w[_.:/\\@]\w")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_FIGURE = re.compile(r"\d+|\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d{1,2})?")
"""A bare number, also with its thousands set apart: it measures something and is no name."""
_HEAD = re.compile(
    r"(?:(?P<thing>\w{4,}?)(?:s|n|en|es)?|(?P<named>[\w.+-]{3,}?)-)(?P<head>dauer|frist|laufzeit|gültigkeit|wartezeit|verfalls?zeit|zeit|datum|termin|"
    r"kosten|preis|gebühr|nummer|größe|anzahl|menge|grenze|grenzwert|begrenzung|limit|version|temperatur|intervall|adresse)"
    r"(?:en|e|n|s|es)?",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    """frage fragen problem probleme thema information informationen info infos hilfe möglichkeit art weise sache ding
    beispiel grund fall zeit uhr stand mal moment unterschied details detail überblick liste punkt stelle teil leute
    person personen firma unternehmen kollege kollegin kollegen sekunde sekunden minute minuten stunde stunden tag tage
    tagen woche wochen monat monate monaten jahr jahre jahren heute gestern morgen abend nacht mittag brauche brauchen
    braucht benötige benötigen möchte will gibt geht funktioniert bekomme bekommen bekommt finde finden findet zeige
    zeigen mache machen macht tun tue wissen weiß kennt nutze nutzen verwende verwenden erreiche erreichen stelle
    stellen hebe heben setze setzen nehme nehmen lasse lassen bedeutet heißt heißen steht stehen liegt gilt gelten
    kommt kommen bleibt passiert erlaubt darf eigentlich bitte danke genau aktuell aktuelle aktueller aktuellen neu
    neue neuen neues neuer alt alte alten altes alter gut schlecht schnell groß klein viel viele wenig mehr weniger
    viele vielen vieler hoch hohe hoher höher höhere höherer höheren niedriger länger kürzer größer größere kleiner früher
    später schneller langsamer besser schlechter ab los weg zurück
    geld betrag richtig falsch möglich nötig wichtig getrennt jeweils vorher nachher danach zuerst meines meiner unseres
    question problem issue topic information info help possibility way kind sort thing things example reason case time
    times moment difference details detail overview list point part people person persons company colleague colleagues
    second seconds minute minutes hour hours day days week weeks month months year years today yesterday tomorrow
    morning evening night need needs want wants wanted get gets got getting give gives find finds show shows make makes
    do does doing done know tell use uses used using work works working happen happens mean means explain describe
    choose chose set sets put take takes go goes come comes keep keeps let allowed possible necessary required able new
    old good bad fast big small many much more less right wrong still currently current actually please thanks exactly
    main best first last next own myself yourself instead without during per via regarding concerning side look like
    must may might ever else someone somebody anyone something anything call called start have start starts runs run
    whole single send sent see seen say says ask asks asked try tries tried change changes hold holds""".split()
)
_CLASSES = frozenset(
    """server servers dienst service system gerät device software programm program anwendung application app tool
    werkzeug host rechner maschine plattform platform""".split()
)
"""Words for what sort of thing a name is, which texts leave out."""
_EDITIONS = frozenset("version versionen release releases firmware ausgabe edition update stand".split())
"""Words before a version number, of which a text may have another ("Firmware 3.9" for "Version 3.9")."""
_CHANNELS = frozenset("mail e-mail email mac web".split())
"""First parts of words for an address that are no thing of their own ("E-Mail-Adresse")."""
_VERB_BEFORE = frozenset(
    """to i you we they he she it one who that can could should would must may might will shall do does did not don't
    please let""".split()
)
_SKIP_BEFORE = frozenset("still also now only just already never always ever really often usually".split())
_VERB_AFTER = frozenset("never always ever usually".split())
_BE = frozenset("be is are was were been being get gets got am".split())
_PARTICIPLE = re.compile(
    r".*(?:ed|en|ing)|gone|lost|done|sent|sold|kept|left|held|paid|made|built|cut|shut|stuck|found|set|out|due|down|hung|torn"
)
_ADJECTIVE = re.compile(r".{2,}(?:able|ible|ful|less|ous|ive|ical|ish|ed|ing|ly|ary|est)$")
_GERMAN_ADJECTIVE = re.compile(
    r".*(?:ig|lich|isch|bar|los|sam|haft|end|iert|mäßig|schlecht|gut|neu|alt|groß|klein|lang|kurz|hoh|best|erst|letzt|nächst|"
    r"defekt|kaputt|leer|voll|laut|fremd|lose)(?:e|es|er|en|em)",
    re.IGNORECASE,
)
_SUBJECTS = frozenset("ich du er sie es wir ihr man sich der die das den dem ein eine einen".split())
_NOMINALISER = frozenset("beim zum vom das dem ins".split())


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a term: `keys` as concepts and stems (several for a compound, all of which count), `stems` its own
    spellings, any of which will do."""

    keys: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def of(cls, word: str) -> Word:
        return cls(keys_of(word), frozenset((fold(word), stem(word, "de"), stem(word, "en"))))


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query names; it is stated where all its words are.

    `name`: an identifier or proper name, which has no synonym. `noun`: a thing that can be missing. `other` (verbs,
    adjectives) helps to find the right sentence and is never reported. `asking`: the word also asks
    ("Kündigungsfrist").
    """

    text: str
    kind: WordClass
    words: tuple[Word, ...]
    asking: bool = False
    keys: frozenset[str] = field(init=False, compare=False)
    """Those of all its words."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", frozenset().union(*(w.keys for w in self.words)))


@dataclass(frozen=True, slots=True)
class Segment:
    """One clause of a query: its things, and what it asks of them. `subject` are the things it is about, its own or,
    when it has none ("was kostet er?"), those of the clause before it. `head` are those before a colon, which all that
    follows is about."""

    text: str
    terms: tuple[Term, ...]
    subject: tuple[Term, ...]
    attributes: tuple[Attribute, ...]
    head: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    language: str
    segments: tuple[Segment, ...]
    procedure: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        """All things named, each once."""
        seen: dict[frozenset[str], Term] = {}
        for segment in self.segments:
            for term in segment.terms:
                seen.setdefault(term.keys, term)
        return tuple(seen.values())

    @property
    def keys(self) -> frozenset[str]:
        return frozenset().union(*(t.keys for t in self.terms))


def parse(query: str, language: str) -> Question:
    """Split a query into clauses, things and attributes. Never raises; a query of stop words has no terms."""
    text = " ".join(nfc(query)[:2000].split())
    if language == "de" and not _UMLAUTS.search(text):
        text = _UMLAUT_SPELLING.sub(_umlaut, text)
    cased = any(c.isupper() for c in text[1:])
    segments: list[Segment] = []
    head: tuple[Term, ...] = ()
    named = False
    for piece, closer in _pieces(text):
        # "We have no telephone number. How do I order?" asks nothing in its first sentence.
        found = [] if closer == "." and "?" in text else asked(piece)
        asks = closer.startswith("?") and not found
        terms = _terms(piece, language, cased, [m.span() for _, m in found], first=not segments, verb_first=asks)
        things = tuple(t for t in terms if t.kind != "other")
        own = tuple(t for t in things if not t.asking)
        named_things = tuple(dict.fromkeys((*head, *own))) if named else own or head or things
        segments.append(Segment(piece, terms, named_things, tuple(a for a, _ in found), head if named else ()))
        # "Gateway-Zertifikat: Ablaufdatum, Tausch?" is about the certificate throughout.
        if things and not named:
            head, named = things, closer == ":"
    return Question(text, language, tuple(segments), bool(PROCEDURE.search(text)))


def _umlaut(match: re.Match[str]) -> str:
    letter = _DIGRAPH[match[0].lower()]
    return letter.upper() if match[0][0].isupper() else letter


def _pieces(text: str) -> list[tuple[str, str]]:
    """The clauses of a text, each with the mark that ended it."""
    out, position = [], 0
    for match in _BREAK.finditer(text):
        if text[position : match.start()].strip():
            out.append((text[position : match.start()].strip(), match[0].strip()))
        position = match.end()
    if text[position:].strip():
        out.append((text[position:].strip(), ""))
    return out


def _terms(
    piece: str, language: str, cased: bool, taken: list[tuple[int, int]], *, first: bool, verb_first: bool
) -> tuple[Term, ...]:
    words = list(_TOKEN.finditer(piece))
    out: list[Term] = []
    run: list[str] = []
    named = False

    def close() -> None:
        nonlocal named
        if run:
            out.append(_term(run, "name" if named or len(run) > 1 else "noun"))
            run.clear()
        named = False

    for i, match in enumerate(words):
        word = match[0]
        compound = _asking_compound(match, taken)
        if compound == "":
            close()
            continue
        kind = _classify(words, i, language, cased, start=first and i == 0) if compound is None else "noun"
        if kind == "noun" and (
            _is_unit(word) or (i == 0 and verb_first and language == "de" and _is_german_verb(words))
        ):
            kind = "other"
        joined = bool(run) and piece[words[i - 1].end() : match.start()] == " "
        if kind is None:
            close()
        elif kind == "other":
            close()
            out.append(_term([word], "other"))
        elif compound is not None:
            close()
            # "Lindwurm-Version" asks the version of Lindwurm, which is a thing by itself; a "Lieferfrist" is none.
            whole = word.startswith(f"{compound}-")
            out.append(Term(compound if whole else word, "noun", _asking_words(word, compound), asking=not whole))
        elif joined and _continues_name(run, word, language):
            run.append(word)
        else:
            close()
            run.append(word)
            named = kind == "name"
    close()
    return tuple(out)


def _asking_compound(match: re.Match[str], taken: list[tuple[int, int]]) -> str | None:
    """None: not part of asking words. "": asks only. Else the thing inside an asking compound ("Kündigungsfrist")."""
    word, low = match[0], match[0].lower()
    for start, end in taken:
        if not (start < match.end() and match.start() < end):
            continue
        inside = start < match.start() and match.end() < end
        if inside and low not in STOP and low not in _GENERIC:
            # "which Kubernetes version": what stands between is the thing.
            return None
        if (head := _HEAD.fullmatch(word)) and fold(
            thing := head["thing"] or head["named"]
        ) not in _GENERIC | _CHANNELS:
            return thing
        return ""
    return None


def _continues_name(run: list[str], word: str, language: str) -> bool:
    """Whether a capitalised word or version goes on with the name before it ("Argo CD", "Nordwall Connect 5")."""
    if _VERSION.fullmatch(word):
        return run[-1][0].isupper()
    both_capital = word[0].isupper() and run[-1][0].isupper()
    if language == "de":
        # German capitalises every noun: only foreign-looking or marked words make a name of two, and a word that has a
        # concept ("Warteschlange TW-Follow") is not part of the name beside it, nor is a noun after an acronym.
        marked = word.isupper() or bool(_NAME.search(word))
        return both_capital and marked and not any(k.startswith("=") for k in keys_of(run[-1]))
    return both_capital


def _classify(words: list[re.Match[str]], i: int, language: str, cased: bool, *, start: bool) -> WordClass | None:
    """The class of a word of a query; None for what carries no meaning."""
    word = words[i][0]
    low = word.lower()
    if low in STOP or (len(word) < 2 and not word.isdigit()):
        return None
    if _FIGURE.fullmatch(word):
        return "other"
    if _NAME.search(word):
        return "name"
    if low in NUMBER_WORDS:
        return "other"
    if low in _GENERIC:
        return None if language == "en" or not (cased and word[0].isupper()) else "other"
    before = words[i - 1][0].lower() if i else ""
    if language == "de":
        return _german(word, before, words[i + 1][0] if i + 1 < len(words) else "", cased, start)
    return _english(words, i, start)


def _german(word: str, before: str, after: str, cased: bool, start: bool) -> WordClass:
    if not cased:
        return "noun"
    if not word[0].isupper():
        return "other"
    if start and after[:1].isupper() and _GERMAN_ADJECTIVE.fullmatch(word):
        return "other"
    if before in _NOMINALISER and word.endswith("en"):
        return "other"
    return "noun"


def _is_german_verb(words: list[re.Match[str]]) -> bool:
    """Whether the first word of a question that needs a yes or no is its verb ("Lässt sich das ändern?")."""
    after = words[1][0] if len(words) > 1 else ""
    if not after[:1].islower():
        return False
    return words[0][0].endswith("t") or (words[0][0].endswith(("en", "e")) and after in _SUBJECTS)


def _english(words: list[re.Match[str]], i: int, start: bool) -> WordClass:
    word = words[i][0]
    if word[0].isupper() and not start:
        return "name"
    j = i - 1
    while j >= 0 and words[j][0].lower() in _SKIP_BEFORE:
        j -= 1
    before = words[j][0].lower() if j >= 0 else ""
    if word.lower() in _SKIP_BEFORE or (i and words[i - 1][0].lower() in _VERB_AFTER):
        return "other"
    if before in _VERB_BEFORE or (before in _BE and _PARTICIPLE.fullmatch(word)):
        return "other"
    if _ADJECTIVE.fullmatch(word.lower()):
        return "other"
    return "noun"


def _is_unit(word: str) -> bool:
    """Whether a word only says in what something is measured ("wie viel Watt")."""
    return any(v.dimension not in ("count", "version") for v in quantities.find(f"5 {word}"))


def _term(words: list[str], kind: WordClass) -> Term:
    if len(words) == 2 and words[0].lower() in _EDITIONS and _VERSION.fullmatch(words[1]):
        return Term(" ".join(words), kind, (Word.of(words[1]),))
    made = tuple(Word.of(p) for word in words for p in _specific(pieces(word)) if p.lower() not in STOP)
    return Term(" ".join(words), kind, made or (Word.of(words[0]),))


def _specific(parts: list[str]) -> list[str]:
    """The words of a hyphenated name without the class it only names: "DNS does `ns1`" is about the DNS server."""
    if len(parts) > 1 and parts[-1].lower() in _CLASSES and all(_NAME.search(p) for p in parts[:-1]):
        return parts[:-1]
    return parts


def _asking_words(word: str, thing: str) -> tuple[Word, ...]:
    """The words of what an asking compound is about; the compound itself, or its concept, will do as well."""
    whole = Word.of(word)
    also = whole.stems | (whole.keys if len(whole.keys) == 1 else frozenset())
    return tuple(Word(w.keys, w.stems | also) for w in (Word.of(p) for p in pieces(thing)))


def is_identifier(word: str) -> bool:
    """Whether a word is spelled as a code, host, version or the like."""
    return bool(_NAME.search(word))


def pieces(word: str) -> list[str]:
    """The words a hyphenated word is made of ("Kelbra-Lizenz"); identifiers and "E-Mail" stay whole."""
    parts = re.split(r"[-/]", word)
    if any(len(p) < 2 or any(c.isdigit() for c in p) for p in parts):
        return [word]
    return parts
