"""What a sentence does in a support text (symptom, step, check …), read from its form and its cue words, de and en."""

from __future__ import annotations

import re

from brain_assets.model.synthesis import StatementRole

_EN_VERBS = """accept acknowledge activate add adjust answer apply approve ask assign attach avoid back boot bring call
    cancel change check choose clean clear click close compare configure confirm connect contact convert copy create
    decide delete describe detach disable disconnect do don't download drain edit enable enrol enter escalate exclude
    explain export extend fill find follow free get give go grant hand hold identify ignore import include increase
    inform insert inspect install investigate invite keep label lease leave let limit list load lock log look lower make
    mark measure mitigate monitor mount move name never note notify obtain open order pay paste pick place plug post
    press print proceed provide pull push put raise read rebuild reboot receive reconnect record recreate refresh
    register reinstall release reload remove rename repair repeat replace reply report request reset resolve restart
    restore resync retry return revert review revoke roll rotate run save scan schedule search see select send set share
    shut sign start stop store submit swap switch sync take tap tell test tick toggle trigger try turn type unblock
    uninstall unlock unplug update upgrade upload use validate verify visit wait walk watch wipe work write""".split()
_DU_VERBS = """mach mache schau nimm öffne klick klicke starte prüf prüfe gib geh gehe melde trag trage wähle entferne komm
    ruf rufe leg lege setz setze warte lade installiere schreib schreibe bring bringe zieh ziehe steck stecke drück
    drücke halt halte schalte bestätige tippe tipp achte verbinde trenne lösche kopiere such suche frag frage schick
    schicke sende richte registriere scanne lies sieh hol hole füge stell stelle sichere speichere kontrolliere wechsle
    beende deinstalliere aktualisiere ändere notiere reiche benutze nutze verwende lass vergiss denk""".split()
_SUBJECTS = frozenset("der die das wir sie er es man ich alle viele einige manche beide diese jene wer".split())
_DE_FINITE = re.compile(
    r"\b(?:ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|hatte|hatten|kann|können|konnte|muss|müssen|soll|sollen|"
    r"sollte|sollten|darf|dürfen|will|wollen|möchte|lässt|lassen|bleibt|bleiben|gibt|geht|gilt|gelten|heißt|liegt|liegen|"
    r"steht|stehen|läuft|laufen|kommt|kommen|braucht|bekommt|bekommen)\b",
    re.IGNORECASE,
)
_SIE = re.compile(r"(?:Bitte\s+)?(?P<verb>[A-ZÄÖÜ][a-zäöüß]+(?:en|ern|eln))\s+Sie\b")
_MID_SIE = re.compile(r"\b(?!(?:können|müssen|dürfen|sollten|sollen|haben|erhalten|sehen|finden|werden|wollen|sind)\b)"
                      r"[a-zäöüß]+(?:en|ern|eln)\s+Sie\b")  # fmt: skip
_ONE_THING = re.compile(r"(?:Das [A-ZÄÖÜ]|Die [A-ZÄÖÜ][\wäöüß-]*(?:ung|heit|keit|schaft|ion|tät|ur)\b)")
_PARTICIPLE = re.compile(r"(?!\w*(?:geben|gehen|gelangen|genehmigen|gewähren|gestatten|gestalten)$)(?:ab|an|auf|aus|bei|ein|fest|frei|her|hin|los|nach|um|"
                         r"vor|weg|zu|zurück|zusammen)?ge[a-zäöüß]{4,}en")  # fmt: skip
_CONDITION = re.compile(
    r"(?:If|When|Once|As soon as|Unless|In case|Until|Before|After|Wenn|Falls|Sobald|Solange|Bevor|Nachdem|Sofern|Ist|"
    r"Sind|Bleibt|Bleiben|Hat|Haben|Hilft|Funktioniert|Tritt|Erscheint|Fehlt|Fehlen|Kommt|Steht|Lässt|Klappt|Wird|"
    r"Schlägt|Geht|Startet|Zeigt)\b[^.!?]*?[,:;?]\s*(?:then\s+|dann\s+|so\s+|bitte\s+|please\s+)?",
)
_NEGATED_COMMAND = re.compile(
    r"(?:Never|Do not|Don['’]t|Avoid|Please do not)\b|(?:Nie|Niemals|Nicht|Nichts|Kein(?:e|en)?)\b[^.!?]*\b\w+(?:en|ern|eln)\s*[.!]"
)

_SYMPTOM = re.compile(
    r"\b(?:fehler\w*|\w*störung\w*|\w*ausfall|\w*ausfälle|outages?|verspätet\w*|verzögert\w*|warnung\w*|fehlermeldung\w*|meldung|scheiter\w*|schlägt\b.*\bfehl|fehlgeschlagen\w*|bricht\b.*\bab|"
    r"brechen\b.*\bab|abgebrochen|hängt|hängen|stürzt|reagiert nicht|startet nicht|geht nicht|funktioniert nicht|lädt nicht|"
    r"verbindet nicht|erscheint|abgewiesen|abgelehnt|gesperrt|unbekannt|nicht erkannt|nicht erreichbar|nicht gefunden|"
    r"voll(?!-)|full(?![ -](?:name|backup|time|text|path|load|access|version|moon))|klemmt|hakt|stockt|stockend|angehalten|kaputt|defekt\w*|lässt sich(?: \w+){0,2} nicht|\w{2,}t(?: sich)? nicht(?! (?:nur|mehr als))|"
    r"won't|no longer|broken|langsam|fehlt|fehlen|leer|schwarz|stumm|verschoben|kommt nicht|bleibt\b|steht bei|tritt\b.*\bauf|betroffen|betrifft|"
    r"errors?|fails?|failed|failing|failure|cannot|can't|could not|unable|does not|do not|doesn't|refused|rejected|denied|"
    r"times? out|timed out|timeout|stuck|hangs?|crash\w*|stops?|missing|slow|blank|black|expired|unknown|not found|"
    r"unauthori[sz]ed|shows|warning|symptoms?|symptome?|affected|late|delayed|almost full|red)\b",
    re.IGNORECASE,
)
_PREREQUISITE = re.compile(
    r"\b(?:voraussetzung\w*|vorausgesetzt|benötig\w+|brauch(?:st|t|en)|erforderlich|notwendig|nur mit|muss vorliegen|zuvor|"
    r"vorher|bevor\b|antrag|genehmig\w+|freigabe|berechtig\w+|"
    r"prerequisites?|requires?|required|requirements?|needs? (?:a|an|the|to be)|before you|you need|must be|only with|"
    r"permission|approval|request(?:s|ed)? access)\b",
    re.IGNORECASE,
)
_VALIDATION = re.compile(
    r"\b(?:ergebnis prüfen|zur kontrolle|kontrollier\w+|kontrollwert|überprüf\w+|vergewisser\w+|probeweise|erfolgreich|sollte nun|sollten nun|"
    r"muss (?:nun|jetzt|danach)|danach (?:ist|sind|steht|zeigt|erscheint)|ob\b[^.!?]*\b(?:funktioniert|läuft|ankommt|durchkommen|"
    r"gelaufen ist|grün ist|klappt|erlaubt sind|vorliegt)|beweist|nachweis|grün|warten, bis|"
    r"verify|verifies|confirm (?:that|with)|make sure|check (?:that|whether|if)|should now|ought to|success(?:ful(?:ly)?)?|"
    r"wait for|until it|to test|test (?:with|it|that)|is green|are green|proves|you should see)\b",
    re.IGNORECASE,
)
_ERROR_HANDLING = re.compile(
    r"(?:\b(?:hilft das nicht|hilft (?:das|dies) nichts|bleibt es dabei|bleibt der|bleibt die|falls (?:das|dies|es) nicht|wenn (?:das|dies|es) nicht|"
    r"andernfalls|ansonsten|sonst\b|im zweifel|zur not|eskalier\w+|(?:melde|wende|meld)\w*\b[^.!?]*\b(?:helpdesk|support|team|hotline|service)|"
    r"(?:an den|beim|zum|im|den) (?:helpdesk|support)\b|ticket\b|informier\w+|team \w+ (?:informieren|verständigen|fragen)|"
    r"if (?:that|this|it) (?:does not|doesn't|fails|is missing|still)|if (?:you cannot|not|the \w+ (?:still|persists))|otherwise|as a last resort|"
    r"(?:call|contact|tell|ask|inform|page|notify) (?:the |your )?(?:helpdesk|support|\w+ team|team|on-call|erp operations)|"
    r"open a (?:ticket|p1)|escalat\w+|roll ?back|rückgängig|zurückrollen|wiederherstell\w+))",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:geplant|planen|vorgesehen|soll(?:en)? (?:\w+ ){0,4}(?:werden|kommen)|demnächst|künftig|nächste[ns]? (?:jahr|quartal|monat|woche)|"
    r"planned|plan to|we intend|will be (?:replaced|moved|migrated|upgraded)|upcoming|next (?:year|quarter|month|week)|scheduled for)\b",
    re.IGNORECASE,
)
_HEADING_ROLES: tuple[tuple[StatementRole, re.Pattern[str]], ...] = (
    ("prerequisite", re.compile(r"voraussetzung|vorbereitung|bevor|prerequisite|requirement|before you|what you need", re.I)),
    ("validation", re.compile(r"ergebnis|kontrolle|prüfung|nachweis|erfolg|verif|validat|check(?:ing)? the result|result|test", re.I)),
    ("error_handling", re.compile(r"wenn (?:es|das) nicht|fehlerbehandlung|notfall|eskalation|rollback|if (?:it|this|that) fails|trouble|escalation|fallback", re.I)),
    ("symptom", re.compile(r"symptom|fehlerbild|problem|anzeichen", re.I)),
)  # fmt: skip


def is_instruction(text: str, language: str) -> bool:
    """Whether a sentence tells the reader to do something: imperative, bare infinitive, or that after a condition."""
    body = text.strip().lstrip("*_\"'„“(")
    if _starts_command(body, language):
        return True
    if (match := _CONDITION.match(body)) and _starts_command(body[match.end() :].lstrip("*_\"'„“("), language):
        return True
    return language == "de" and bool(_MID_SIE.search(body))


def is_prohibition(text: str) -> bool:
    """Whether a sentence says what must not be done."""
    return bool(_NEGATED_COMMAND.match(text.strip()))


def opens_condition(text: str) -> bool:
    """Whether a sentence opens with a condition ("If …,", "Bleibt …,")."""
    return bool(_CONDITION.match(text.strip()))


def _starts_command(text: str, language: str) -> bool:
    first = re.match(r"(?:Please\s+|Bitte\s+|First[,:]?\s+|Then\s+|Zuerst\s+|Dann\s+|Erst\s+)?([\w'’äöüß]+)", text)
    if not first:
        return False
    word = first[1].lower().replace("’", "'")
    if language == "en":
        # "Requests count" is a statement, "Request access" is not; nouns with articles do not start commands.
        return word in _EN_VERBS and not re.match(
            rf"{re.escape(first[0])}\s+(?:is|are|was|were|has|have|will|can|must)\b", text
        )
    if _SIE.match(text):
        return not re.match(
            r"(?:Bitte\s+)?(?:Können|Müssen|Dürfen|Haben|Sollten|Wollen|Sind|Werden|Erhalten|Finden)\s+Sie", text
        )
    if word in _DU_VERBS:
        return True
    return _bare_infinitive(text)


def _bare_infinitive(text: str) -> bool:
    """ "Dienst neu starten, Auftrag wiederholen." - ends in an infinitive and has no finite verb."""
    clause = re.split(r"[.;:!?](?:\s|$)", text.strip(), maxsplit=1)[0]
    clause = re.split(
        r",\s+(?:bis|damit|wenn|falls|sobald|weil|da|dass|die|der|das|den|um|was|wo)\b", clause, maxsplit=1
    )[0]
    words = re.findall(r"[\w'-]+", re.sub(r"`[^`]*`|\([^)]*\)", "", clause))
    if len(words) < 2 or _DE_FINITE.search(clause):
        return False
    last = words[-1]
    if _PARTICIPLE.fullmatch(last):
        return False
    # "Die Geräte arbeiten" states, "Das Gerät öffnen" and "Die Sicherung wechseln" instruct: one thing does not "öffnen".
    subject = words[0].lower() in _SUBJECTS and not _ONE_THING.match(text.strip())
    return last[0].islower() and len(last) > 4 and last.endswith(("en", "ern", "eln")) and not subject


def is_problem(text: str) -> bool:
    """Whether a text names something that goes wrong."""
    return bool(_SYMPTOM.search(text)) or bool(re.search(r"\b0x[0-9A-Fa-f]{2,}\b|\b(?!KB-)[A-Z]{1,4}-\d{2,5}\b", text))


_PART = re.compile(
    r"^(?:symptome?|anzeichen|woran man es merkt|fehlerbild|voraussetzung(?:en)?|vorbereitung|vorgehen|schritte|ablauf|anleitung|lösung|"
    r"ergebnis(?: prüfen)?|prüfung|kontrolle|wenn (?:es|das) nicht hilft|hinweise?|gut zu wissen|hintergrund|ursache|folgen|einordnung|"
    r"überblick|allgemeines|sonstiges|details|beispiele?|wer macht was|"
    r"symptoms?|signs|prerequisites?|requirements?|before you (?:start|begin)|steps|procedure|instructions|solution|fix|"
    r"check(?:ing)? the result|verification|result|if (?:it|this|that) (?:does not help|fails)|notes?|good to know|background|cause|"
    r"consequences|overview|general|misc|examples?)$",
    re.IGNORECASE,
)


def names_symptoms(heading: str) -> bool:
    """Whether a heading opens the description of what goes wrong."""
    return bool(
        re.match(
            r"(?:symptome?|anzeichen|woran man es merkt|fehlerbild\w*|symptoms?|signs)\b",
            heading.strip(),
            re.IGNORECASE,
        )
    )


def is_part_heading(heading: str) -> bool:
    """Whether a heading names a part that every support text has, and so says nothing of the subject."""
    return bool(_PART.match(heading.strip().rstrip(":")))


def is_plan(text: str) -> bool:
    """Whether a sentence says what is planned rather than what is."""
    return bool(_PLAN.search(text))


def role(text: str, language: str, *, kind: str, headings: tuple[str, ...], problem_text: bool) -> StatementRole:
    """The role of one statement.

    `kind` is its unit's kind, `headings` those above it; `problem_text` says that it stands where a support entry
    describes the problem.
    """
    if problem_text:
        return "symptom" if is_problem(text) else "fact"
    for name, pattern in _HEADING_ROLES:
        if headings and pattern.search(headings[-1]):
            return name
    instruction = is_instruction(text, language)
    if _ERROR_HANDLING.search(text) and (instruction or kind != "step"):
        return "error_handling"
    if kind == "step":
        return "validation" if _VALIDATION.search(text) and not instruction else "step"
    if _VALIDATION.search(text):
        return "validation"
    if instruction or _NEGATED_COMMAND.match(text):
        return "step"
    if _PREREQUISITE.search(text):
        return "prerequisite"
    return "fact"
