"""Where a page answers a question: candidate passages, how much of the question they speak of, and whether they are
the kind of answer that was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from brain_assets.research import concepts, lexicon
from brain_assets.research.concepts import Concept, Text
from brain_assets.text import sentences

Asked = Literal["command", "procedure", "remedy", "meaning", "value", "cause", "statement"]
BlockKind = Literal["heading", "prose", "list", "code", "table"]
MAX_QUOTE = 900
_LONG = 420
_I = re.IGNORECASE

_COMMAND = re.compile(
    r"\b(?:welche[mnrs]?|mit welche[mn]|which|what|the) (?:\w+ )?(?:befehl\w*|kommando\w*|aufruf\w*|command\w*)\b", _I
)
_REMEDY = re.compile(
    r"\bwas (?:tun|hilft|tut man|macht man|kann man|muss man|soll\w* man)\b|\bwas (?:ist|wäre)\b.{0,60}\bzu tun\b|"
    r"\bwie\b.{0,80}\b(?:behoben|"
    r"behebt|beheben|gelöst|löst man|repariert|geholfen)\b|\bwhat (?:to do|helps|can|should|must)\b|\bto be done\b|"
    r"\bhow\b.{0,80}\b(?:fix|fixed|solve|solved|resolve|resolved|repair|repaired|get rid)\b|\bremedy\b|\bworkaround\b",
    _I,
)
_CAUSE = re.compile(
    r"\b(?:warum|weshalb|wieso|woran liegt|woher kommt|wodurch|ursachen?|why|what causes|causes? of|reasons? for)\b", _I
)
_VALUE = re.compile(
    r"\bwie (?:lange?|viele?|groß|hoch|oft|weit|schnell|alt|breit)\b|\bhow (?:long|many|much|often|large|big|high|"
    r"old|fast)\b|"
    r"\b(?:welche[mnrs]?|which|what) (?:\w+ )?(?:ports?|versionen?|versions?|wert\w*|values?|grenz\w+|limits?|größe|"
    r"size|frist\w*|"
    r"adressen?|address(?:es)?|nummer|number|zeit\w*|intervall\w*|interval)\b|\b(?:höchstens|mindestens|maximal|"
    r"at most|at least)\b",
    _I,
)
_MEANING = re.compile(
    r"\bwas (?:bedeute[nt]|heißt|heißen|ist|sind|meint|besagt)\b|\bwozu\b|\bwofür\b|\bwhat (?:is|are|does|do)\b|"
    r"\bmeaning of\b",
    _I,
)
_HOW = re.compile(r"\b(?:wie|womit|how)\b", _I)

_ACTION = re.compile(
    r"\b(?:klicken|wählen|öffnen|setzen|stellen|starten|prüfen|ausschalten|einschalten|abschalten|deaktivieren|"
    r"aktivieren|eintragen|"
    r"anlegen|löschen|entfernen|ausführen|aufrufen|eingeben|ändern|anpassen|erhöhen|senken|verwenden|nutzen|"
    r"neu starten|neustarten|"
    r"freigeben|zurücksetzen|auslösen|anmelden|abmelden|trennen|verbinden|installieren|aktualisieren|hinzufügen|"
    r"umstellen|festlegen|"
    r"ersetzen|tauschen|reinigen|importieren|exportieren|einrichten|konfigurieren|wechseln|warten|speichern|"
    r"bestätigen|kopieren)\b"
    r"|\b\w+(?:en|eln|ern) Sie\b|\bgeben Sie\b|\bman \w+t\b"
    r"|(?:^|[.:;,]\s+|\n|\band |\bor |\bthen |\bto )(?:use|set|run|open|select|click|add|remove|delete|disable|"
    r"enable|restart|check|raise|"
    r"look for|change|configure|try|give|make sure|turn|switch|go to|enter|type|choose|press|start|stop|create|"
    r"replace|install|update|"
    r"upgrade|increase|lower|reduce|verify|export|import|clear|reset|revoke|renew|release|reboot|edit|log in|"
    r"sign in|connect|disconnect)\b",
    _I | re.MULTILINE,
)
_POSSIBLE = re.compile(r"\b(?:lässt|lassen) sich\b|\b(?:kann|können) (?:man|Sie)\b|\b(?:you|one) (?:can|may)\b", _I)
_INFINITIVE = re.compile(r"[a-zäöüß]{2,}(?:en|eln|ern)")
_SUBORDINATORS = frozenset(
    """wenn weil dass die der das welche welcher welches ob bis sobald während damit als wo wie bevor nachdem falls
    da um ohne seit denen deren dessen wer was""".split()
)
_FINITE = re.compile(
    r"\b(?:ist|sind|war|waren|wird|werden|wurde|wurden|kann|können|muss|müssen|soll|sollen|sollte|darf|dürfen|will|"
    r"wollen|möchte\w*|"
    r"lässt|lassen|hat|haben|hatte\w*|braucht|brauchen|wir|ich|sie|er|es|man)\b",
    _I,
)
_CURE = re.compile(
    r"(?:\b)(?:abhilfe|lösung|behebt|behoben|hilft|ausweg|stattdessen|der kürzere weg|fix(?:es|ed)?|workaround|"
    r"solution|solves?|resolves?|resolved|"
    r"ways? out|instead|remedy|cure)\b",
    _I,
)
_DEFINES = re.compile(
    r"\b(?:heißt|heißen|bedeute[nt]|bezeichnet|steht für|ist (?:ein\w*|der|die|das|eine Folge)|sind|meint|gibt an|"
    r"besagt|zeigt an|weist (?:auf|darauf)|"
    r"mean(?:s|ing)?|refers? to|stands? for|indicates?|is (?:an?|the|when|raised|returned|shown|handed)|are|"
    r"describes?|denotes?|tells?)\b|"
    r"\b(?:daher|deshalb|darum|dadurch|folglich|somit|therefore|hence|as a result|so (?:that|every|the|all|any|no)|"
    r"thus)\b"
    r"|\b(?:tritt|kommt|erscheint|wird|occurs?|appears?|happens?|raised|shown|reported|returned)\b[^.]{0,60}"
    r"\b(?:wenn|sobald|weil|when|if|because)\b",
    _I,
)
_BECAUSE = re.compile(
    r"\b(?:weil|da|denn|wegen|durch|ursache|grund|gründe|liegt (?:an|daran)|meist|häufig|often|usually|because|"
    r"due to|caused? by|reason|since|when)\b",
    _I,
)
_MEASURE = re.compile(
    r"\b\d+(?:[.,]\d+)?\s*(?:%|°|[kMGT]i?B\b|bytes?\b|bit\b|ms\b|[smh]\b|sekunden?|minuten?|stunden?|tagen?|tage|"
    r"wochen?|monaten?|monate|jahren?|jahre|"
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|zeichen|characters?|mal|times|prozent|percent|personen|"
    r"users?|benutzer|geräte|devices?|"
    r"connections?|verbindungen|versuchen?|attempts?|watt|volt|grad|euro|mm|cm|m\b|km|hz|mhz|ghz)",
    _I,
)


_DURATION_ASKED = re.compile(
    r"\b(?:wie (?:lange|oft)|how (?:long|often)|frist\w*|dauer\w*|intervall\w*|interval|zeitraum|period|duration|"
    r"deadline)\b",
    _I,
)
_DURATION = re.compile(
    r"\b(?:\d+(?:[.,]\d+)?|ein\w*|zwei|drei|vier|fünf|sechs|sieben|acht|zehn|zwölf|dreißig|one|two|three|four|five|"
    r"six|seven|eight|ten|"
    r"thirty)[ -](?:sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|seconds?|minutes?|hours?|days?|"
    r"weeks?|months?|years?|"
    r"ms|s|h)\b|\b(?:täglich|stündlich|wöchentlich|monatlich|daily|hourly|weekly|monthly|dauerhaft|unbegrenzt|"
    r"forever|indefinitely)\b",
    _I,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list, table, code block or heading of a page text, with offsets and the headings above it."""

    start: int
    end: int
    kind: BlockKind
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may answer: offsets into the page text, the share of the question's concepts in it and around it,
    and how far it is the kind of answer that was asked for."""

    start: int
    end: int
    direct: float
    local: float
    strength: float


def asked(question: str) -> Asked:
    """What kind of answer a question wants."""
    if _COMMAND.search(question):
        return "command"
    if _REMEDY.search(question):
        return "remedy"
    if _CAUSE.search(question):
        return "cause"
    if _VALUE.search(question):
        return "value"
    if _MEANING.search(question):
        return "meaning"
    return "procedure" if _HOW.search(question) else "statement"


def blocks(text: str) -> list[Block]:
    """The blocks of a page text in order; code fences stay whole."""
    out: list[Block] = []
    headings: list[tuple[int, str]] = []
    position = 0
    pieces = re.split(r"(\n\s*\n)", text)
    pending: list[tuple[int, int]] = []
    for piece in pieces:
        start, position = position, position + len(piece)
        if piece.strip():
            pending.append((start, position))
        if not pending or text[pending[0][0] : position].count("```") % 2:
            continue  # a blank line inside a code fence
        begin, end = pending[0][0], pending[-1][1]
        pending = []
        kind = _kind(text[begin:end])
        if kind == "heading":
            level = len(text[begin:end]) - len(text[begin:end].lstrip("#"))
            headings = [(n, h) for n, h in headings if n < level] + [(level, text[begin:end].lstrip("# ").strip())]
        out.append(Block(begin, end, kind, tuple(h for _, h in headings)))
    if pending:
        out.append(Block(pending[0][0], pending[-1][1], "code", tuple(h for _, h in headings)))
    return out


def _kind(text: str) -> BlockKind:
    if text.startswith("```"):
        return "code"
    if text.startswith("#"):
        return "heading"
    if text.startswith("|"):
        return "table"
    return "list" if re.match(r"(?:- |\d+\. )", text) else "prose"


def spans(text: str, found: Sequence[Block]) -> list[tuple[int, int, int, int]]:
    """(start, end, first block, last block) of passages that can stand alone as an answer."""
    out: list[tuple[int, int, int, int]] = []
    for number, block in enumerate(found):
        if block.kind == "heading":
            continue
        following = found[number + 1] if number + 1 < len(found) else None
        before = found[number - 1] if number else None
        if following and following.kind == "code" and block.kind in ("prose", "list"):
            out.append((_last_sentence(text, block), following.end, number, number + 1))
        if following and following.kind == "prose" and _CURE.match(text, following.start) and block.kind == "prose":
            out.append((block.start, following.end, number, number + 1))
        if block.kind == "list" and (end := _end_of_steps(text, found, number)) > number:
            out.append((block.start, found[end].end, number, end))
        if block.kind == "code":
            if following and following.kind == "prose":
                out.append((block.start, _first_sentence(text, following), number, number + 1))
            if before is None or before.kind in ("heading", "code", "table"):
                out.append((block.start, block.end, number, number))
        elif block.kind == "table":
            out.extend((start, end, number, number) for start, end in _lines(text, block))
        elif block.kind == "list":
            out.extend((start, end, number, number) for start, end in _lines(text, block))
            out.append((block.start, block.end, number, number))
        else:
            out.extend((start, end, number, number) for start, end in _windows(text, block))
    # What ends with a colon promises something it does not hold.
    return [s for s in out if 0 < s[1] - s[0] <= MAX_QUOTE and not text[s[0] : s[1]].rstrip().endswith(":")]


def _end_of_steps(text: str, found: Sequence[Block], first: int) -> int:
    """The last block of a numbered list that code blocks interrupt, by number."""
    last, number = first, first + 1
    while number < len(found) and found[number].kind in ("code", "list"):
        if found[number].kind == "list" and not re.match(r"\d+\. ", text[found[number].start : found[number].end]):
            break
        last, number = number, number + 1
    return last


def _lines(text: str, block: Block) -> list[tuple[int, int]]:
    out, position = [], block.start
    for line in text[block.start : block.end].splitlines(keepends=True):
        if line.strip():
            out.append((position, position + len(line.rstrip())))
        position += len(line)
    return out


def _windows(text: str, block: Block) -> list[tuple[int, int]]:
    """One to three neighbouring sentences of a paragraph, and a short paragraph whole."""
    found = sentences.split(text[block.start : block.end])
    out = [(block.start, block.end)] if block.end - block.start <= _LONG else []
    for size in (1, 2, 3):
        for first in range(len(found) - size + 1):
            out.append((block.start + found[first].start, block.start + found[first + size - 1].end))
    return list(dict.fromkeys(out))


def _last_sentence(text: str, block: Block) -> int:
    """Where the words begin that introduce what follows a block: its last item or sentence, all of it when short."""
    if block.end - block.start <= _LONG // 2 and block.kind == "prose":
        return block.start
    if block.kind == "list":
        return _lines(text, block)[-1][0]
    found = sentences.split(text[block.start : block.end])
    return block.start + found[-1].start if found else block.start


def _first_sentence(text: str, block: Block) -> int:
    found = sentences.split(text[block.start : block.end])
    return block.start + found[0].end if found else block.end


def candidates(
    question: str, items: Sequence[Concept], title: str, text: str, forbidden: frozenset[int] = frozenset()
) -> list[Candidate]:
    """Passages of a page that may answer, likeliest first. `forbidden` are numbers of blocks not to be quoted."""
    found = blocks(text)
    kind = asked(question)
    out = []
    for start, end, first, last in spans(text, found):
        if any(number in forbidden for number in range(first, last + 1)):
            continue
        span = text[start:end]
        direct = concepts.coverage(items, Text(span))
        near = [n for n in range(max(first - 1, 0), min(last + 2, len(found))) if n not in forbidden]
        around = " \n".join([title, *found[first].headings, *(text[found[n].start : found[n].end] for n in near)])
        local = concepts.coverage(items, Text(around))
        out.append(Candidate(start, end, direct, local, strength(kind, question, span, direct)))
    return sorted(out, key=lambda c: (-(c.local + c.direct + c.strength), c.end - c.start, c.start))


def _value_given(question: str, span: str) -> bool:
    """Whether a passage gives a value of the sort that was asked for: a duration, a size, or any number."""
    if _DURATION_ASKED.search(question):
        return bool(_DURATION.search(span))
    return bool(_MEASURE.search(span) or re.search(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w.])", span))


def strength(kind: Asked, question: str, span: str, direct: float) -> float:
    """How far a passage is the kind of answer that was asked for, 0..1."""
    if kind == "value":
        return 0.9 if direct >= 0.4 and _value_given(question, span) else 0.0
    code = "```" in span or any(_like_command(c) for c in re.findall(r"`([^`\n]+)`", span))
    steps = len(re.findall(r"^\d+\. ", span, re.MULTILINE)) >= 2
    if kind == "command":
        return 1.0 if code else 0.0
    if kind in ("procedure", "remedy"):
        acts = 0.7 if _ACTION.search(span) or _told_to(span) else 0.5 if _POSSIBLE.search(span) else 0.0
        acts = 0.85 if _orders(span) >= 2 else acts
        cure = 0.8 if _CURE.search(span) else 0.0
        shown = 1.0 if code and steps else 0.97 if code else 0.95 if steps else 0.0
        return max(shown, acts, cure, 0.25)
    if kind == "cause":
        return 0.9 if _BECAUSE.search(span) else 0.5 if _DEFINES.search(span) else 0.3
    if kind == "meaning":
        defined = bool(_DEFINES.search(span)) or span.startswith("|")
        return 0.9 if defined else 0.3
    if "?" in question:
        return 0.6 if direct >= 0.5 else 0.3
    # An open point that is no question wants something to be done or known that it does not name.
    return 0.7 if code or steps else 0.3


def _told_to(span: str) -> bool:
    """Whether a German clause tells what to do by an infinitive at its end ("Beide Tasten drei Sekunden halten")."""
    for clause in re.split(r"[,;:.!\n]", span):
        said = clause.split()
        if len(said) < 3 or said[0].lower().strip("-") in _SUBORDINATORS or not _INFINITIVE.fullmatch(said[-1]):
            continue
        if "zu" not in said[-3:] and not _FINITE.search(clause):
            return True
    return False


def _orders(span: str) -> int:
    """How many English clauses begin with a known verb, as a sequence of steps in prose does."""
    clauses = re.split(r"[.;:,]\s+|\n|\b(?:and|then|or)\b", span)
    return sum(bool(said) and bool(lexicon.actions(said[0], "en")) for said in (c.split() for c in clauses))


def _like_command(code: str) -> bool:
    """Whether inline code is something to type, not just a name: it has an option, an argument, a path or a pipe."""
    return bool(re.search(r"\s|^-|[/\\|=]", code.strip()))
