"""What questions ask of a thing (its price, port, version, date, owner …), and what in a text would state it.

An attribute is asked by its question words or its nouns, in German or English, and stated by a value of the right
kind near the thing: "Kostenstelle" is no price, "two people" is no name. Only attributes whose statements can be told
apart from mere talk are reported as missing; a "why" or "how" never is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain_assets.graph import quantities


@dataclass(frozen=True, slots=True)
class Attribute:
    """One kind of fact. `asked` finds it in a query; `dimensions` (prefixes) and `stated` find it in a statement.

    `vague` finds what looks like a statement and is none. `label` names it per language. Attributes that are not
    `strict` only steer the choice of sentences.
    """

    name: str
    label: dict[str, str]
    asked: re.Pattern[str]
    dimensions: tuple[str, ...] = ()
    stated: re.Pattern[str] | None = None
    vague: re.Pattern[str] | None = None
    strict: bool = True

    def is_stated(self, text: str) -> bool:
        """Whether a statement's text holds a value of this attribute."""
        if self.vague is not None:
            text = self.vague.sub(" ", text)
        if self.stated is not None and self.stated.search(text):
            return True
        if not self.dimensions:
            return False
        return any(value.dimension.startswith(self.dimensions) for value in quantities.find(text))


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


_GERMAN_UNITS = r"sekunden|minuten|stunden|tagen?|arbeitstagen?|werktagen?|wochen|monaten?|jahren?"
_ENGLISH_UNITS = r"seconds|minutes|hours|(?:working |business )?days|weeks|months|years"
_GERMAN_ROLES = (
    r"\w*team|\w*desk|\w*leit(?:er|erin|ung)|\w*führungskr(?:aft|äfte)|\w*vorgesetzte\w*|\w*abteilung\w*",
    r"fachbereich\w*|\w*administrator\w*|\w*verantwortliche\w*|\w*beauftragte\w*|\w*dienstleister\w*|lieferant\w*",
    r"\w*händler\w*|hersteller\w*|vertrieb|einkauf|buchhaltung|personal(?:abteilung|wesen)?|geschäftsführung|vorstand",
    r"betriebsrat|empfang|pförtner\w*|hausmeister\w*|\w*bereitschaft\w*|\w*datenschutz\w*|\w*sicherheit|\w*betrieb",
    r"mitarbeite\w+|kolleg\w+|\w*vertretung|stellvertret\w+|techniker\w*|\w*entwickler\w*|alle|jede[rmn]?|niemand",
    r"\w*ärzt\w+|\w*arzt|lehrer\w*|schulleitung|sekretariat|eltern|pflege\w*|küche|werkstatt",
)
_ENGLISH_ROLES = (
    r"\w*support|\w*sponsor\w*|\w*owners?|\w*managers?|leads?|heads? of|departments?|\w*officers?|vendors?|suppliers?",
    r"contractors?|on-?call|\w*management|admins?|hr|(?-i:IT)|finance|accounting|purchasing|sales|legal|security|reception",
    r"facilit(?:y|ies)|board|works council|operators?|engineers?|developers?|technicians?|deput(?:y|ies)|everyone",
    r"anyone|nobody|no one|staff|doctors?|nurses?|teachers?|parents?|principal|kitchen|workshop|users?|requesters?",
)
_TITLED = r"(?:frau|herr|mrs?|ms|dr|prof)\.? [A-ZÄÖÜ]\w+"
_FULL_NAME = r"(?-i:(?<![.!?:] )(?<!^)\b[A-ZÄÖÜ][a-zäöüß]+ [A-ZÄÖÜ]\.? ?[a-zäöüß]+\b)"

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "payer",
        {"de": "wer bezahlt", "en": "who pays"},
        _words(
            r"we[rm] (?:\w+ ){0,2}(?:be)?zahlt|wer (?:trägt|übernimmt) (?:\w+ ){0,3}kosten|auf wessen kosten",
            r"kostenträger|who (?:\w+ ){0,2}(?:pays?|covers? the costs?|is (?:charged|billed))|paid by whom",
            r"whose budget",
        ),
        stated=_words(
            r"(?:be)?zahl(?:t|en)|(?:trägt|tragen|übernimmt|übernehmen) (?:\w+ ){0,3}kosten|kostenstelle|verrechne\w*",
            r"\w*budget|in rechnung|kostenlos|kostenfrei|pays?|paid (?:by|from)|charged to|billed to",
            r"cost cent(?:re|er)",
            r"free of charge",
        ),
    ),
    Attribute(
        "cost",
        {"de": "Kosten oder Preis", "en": "cost or price"},
        _words(
            r"koste[nt]|\w*kosten(?! ?stelle)|\w*preise?s?|wie teuer|\w*gebühr(?:en)?|entgelt|\w*tarif",
            r"how much (?:is|are|was|were|for)(?! \w+ (?:memory|space|storage|ram))|how much (?:\w+ )*pay|costs?",
            r"prices?|pricing",
            r"fees?|how expensive|charges? for",
        ),
        ("money",),
        _words(
            r"kostenlos|kostenfrei|gratis|umsonst|unentgeltlich|gebührenfrei|kostet nichts|pauschale|(?:cent|ct)s?",
            r"ohne (?:kosten|aufpreis|gebühr)|nicht (?:berechnet|verrechnet)|free of charge|for free",
            r"no (?:extra )?(?:charge|cost|fee)|costs? nothing|without charge|not charged",
        ),
    ),
    Attribute(
        "interval",
        {"de": "Häufigkeit", "en": "frequency"},
        _words(
            r"wie (?:oft|häufig)|in welche[mn] abst[aä]nd(?:en)?|\w*turnus|\w*intervall|rhythmus",
            r"how (?:often|frequently)|frequency|at what interval|\w*interval|cadence",
        ),
        ("interval", "duration", "weekday", "workdays"),
        _words(
            r"(?:täglich|wöchentlich|monatlich|jährlich|stündlich|laufend|ständig|kontinuierlich|nächtlich)\w*",
            r"(?:bei|nach|vor) jede[rm]|jede[nrs]? (?:nacht|morgen|abend|quartal|frühjahr|herbst)",
            r"(?:ein|zwei|drei|vier)mal",
            r"continuous(?:ly)?|constantly|every \w+|each \w+|once|twice|daily|weekly|monthly|quarterly|yearly|nightly",
            r"hourly|never|nie",
        ),
    ),
    Attribute(
        "duration",
        {"de": "Dauer", "en": "duration"},
        _words(
            r"wie lang(?:e)?|\w*dauer|\w*frist(?:en)?|\w*laufzeit(?:en)?|\w*gültigkeit\w*|\w*wartezeit(?:en)?",
            r"\w*timeout",
            r"\w*(?:liefer|verfalls?|reaktions|bearbeitungs|antwort|speicher)zeit(?:en)?|\w*zeitraum",
            rf"(?:nach )?wie vielen? (?:{_GERMAN_UNITS})|(?:after )?how many (?:{_ENGLISH_UNITS})|how long",
            r"duration|validity|retention(?: (?:period|time))?",
            r"(?:lead|delivery|waiting|response|reaction|expiry) times?",
        ),
        ("duration", "workdays", "interval", "date", "clock", "weekday"),
        _words(
            r"bis auf widerruf|unbegrenzt|unbefristet|dauerhaft|für immer|sofort|umgehend|solange|bis (?:zu[rm]?|ende)",
            r"nie(?:mals)?|(?:viertel|halbe|dreiviertel)\w*stunde|täglich|indefinitely|unlimited",
            r"permanent(?:ly)?|forever",
            # A column of a table that is headed by its unit.
            rf"(?:{_GERMAN_UNITS}|{_ENGLISH_UNITS}): \d+",
            r"immediately|instantly|until|as long as|never|daily",
        ),
    ),
    Attribute(
        "clock",
        {"de": "Uhrzeit", "en": "time of day"},
        _words(r"\w*uhrzeit(?:en)?|um wie ?viel uhr|(?:at )?what time(?: of (?:the )?day)?"),
        ("clock",),
        _words(
            r"morgens|mittags|abends|nachts|vormittags|nachmittags|ganztägig|rund um die uhr|jederzeit|mitternacht",
            r"\d{1,2} uhr|at (?:noon|midnight|night)|in the (?:morning|afternoon|evening)|all day|any ?time",
        ),
    ),
    Attribute(
        "date",
        {"de": "Termin", "en": "date"},
        _words(
            r"(?:ab |bis |seit )?wann|\w*datum|\w*termine?|stichtag|wochentag",
            r"öffnungszeit(?:en)?",
            r"(?:an|zu) welche[mrn] (?:wochen)?tag|in welche[mrn] (?:monat|jahr|woche)|^(?:since )?when",
            r"\w*dates?|deadline",
            r"(?<=and )when|(?<=, )when|(?:which|what) (?:week)?day|what month|opening hours",
        ),
        ("date", "weekday", "clock", "interval", "duration", "workdays"),
        _words(
            r"sobald|wenn|falls|jederzeit|sofort|immer|nie(?:mals)?|morgens|mittags|abends|nachts|vormittags",
            r"nachmittags",
            r"(?:anfang|mitte|ende) \w+|quartal\w*|q[1-4]|frühjahr|sommer|herbst|winter",
            r"(?:vor|nach) (?:dem|der)|täglich",
            r"heute|gestern|morgen|as soon as|when|once|if|any ?time|always|never|before|after|at night|quarter|spring",
            r"in the (?:morning|evening)|summer|autumn|fall|daily|weekly|monthly|yearly|today|yesterday|tomorrow",
            r"(?:19|20)\d\d",
        ),
    ),
    Attribute(
        "port",
        {"de": "Port", "en": "port"},
        _words(
            r"(?:welche[mnrs]?|which|what) (?:\w+[- ])?ports?|portnummer|port number",
            r"ports?(?= (?:von|für|des|der|of|for))",
        ),
        ("port",),
        re.compile(
            r"\bports?\b\D{0,25}\d|[a-z\]]:\d{2,5}\b|\d:\d{4,5}\b|\bport\s*=|\d{2,5}/(?:tcp|udp)", re.IGNORECASE
        ),
    ),
    Attribute(
        "version",
        {"de": "Version", "en": "version"},
        _words(
            r"welche[mnrs]? (?:[\w-]+ )?(?:\w*-)?(?:version|firmware|release)\w*|versionsnummer|\w*versionsstand",
            r"[\w.+]+-(?:version|release)",
            r"(?:which|what) (?:[\w-]+ ){0,2}(?:version|firmware|release)|version number",
        ),
        ("version",),
        re.compile(
            r"\b(?:version|release|firmware|v)\W{0,3}\d|(?<![\d.])\d+\.\d+(?:\.\d+)?(?![.\d]*\d|\.\s?\d|\. [A-Z]\w+ \d{4})",
            re.IGNORECASE,
        ),
    ),
    Attribute(
        "phone",
        {"de": "Telefonnummer", "en": "phone number"},
        _words(
            r"\w*telefonnummer|\w*rufnummer|\w*durchwahl|nebenstelle|faxnummer|handynummer|\w*hotline",
            r"(?:tele)?phone numbers?|(?:phone )?extension|fax number|mobile number",
        ),
        # A number alone is no telephone number ("100 Mbit/s"): it has a prefix, or a word for telephoning before it.
        stated=re.compile(
            r"(?<![\w.])\+\d{1,3}[ /-]?\(?\d|(?<![\w.])\(?0\d{2,5}\)?[ /-]\d{3,}"
            r"|\b(?:tel\w*|\w*telefon\w*|\w*rufnummer|durchwahl|nebenstelle|\w*hotline|mobil\w*|handy\w*|fax\w*|phone"
            r"|ext|extension|dial|call|anrufen|anruf|ruft|wähl\w*)\b\W*(?:[^\W\d]\w*\W+){0,5}?\(?\d{2,}",
            re.IGNORECASE,
        ),
    ),
    Attribute(
        "email",
        {"de": "E-Mail-Adresse", "en": "email address"},
        _words(r"(?:e-?)?mail-?adresse|(?:e-?)?mail address"),
        ("email",),
        re.compile(r"[\w.+-]+@[\w-]+|\badresse\s+`|\baddress\s+`", re.IGNORECASE),
    ),
    Attribute(
        "address",
        {"de": "Server oder Adresse", "en": "server or address"},
        _words(
            r"welche[mnrs]? (?:server|host|rechner|url|ip-adresse|webadresse|domain)|hostname\w*|ip-?adressen?",
            r"webadresse",
            r"(?:which|what) (?:server|host|machine|url|ip|domain)|host ?names?|ip address(?:es)?|url",
        ),
        ("host", "address", "email"),
        re.compile(r"://|\b[a-z]+-?[a-z]*\d+\b|\b\d+\.\d+\.\d+\.\d+|\\\\\w|`[\w.-]+`", re.IGNORECASE),
    ),
    Attribute(
        "temperature",
        {"de": "Temperatur", "en": "temperature"},
        _words(r"\w*temperatur(?:en)?|wie (?:heiß|warm|kalt)|wie viel grad|temperatures?|how (?:hot|warm|cold)"),
        ("temperature",),
        re.compile(r"\d\s*(?:°|grad|degrees?)|°\s?[CF]", re.IGNORECASE),
    ),
    Attribute(
        "amount",
        {"de": "Menge oder Grenze", "en": "amount or limit"},
        _words(
            r"wie ?viele?[rn]?|wie (?:groß|hoch|schnell|weit|schwer|breit|tief)",
            r"\w*(?:größe|anzahl|menge|grenzwert|grenze)",
            r"\w*(?:höchst|mindest)(?:zahl|größe|länge|menge|wert)|\w*begrenzung|maximum|minimum|(?:max|min)imal\w*",
            r"\w*(?:traglast|nutzlast|gewicht|kapazität|geschwindigkeit|durchmesser)|weight|capacity|speed|diameter",
            r"how (?:many|large|big|high|fast|far|heavy|wide|deep|strong)|\w*limits?",
            r"how much|(?:size|number|amount|capacity) of",
        ),
        stated=re.compile(
            r"\d|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|kein\w*|"
            r"unbegrenzt|beliebig\w*|doppelt\w*|halb\w*|beide|two|three|four|five|six|seven|eight|nine|ten|eleven|"
            r"twelve|twenty|thirty|hundred|no|none|unlimited|any|double|half|single|both)\b",
            re.IGNORECASE,
        ),
    ),
    Attribute(
        "who",
        {"de": "Name oder Rolle", "en": "name or role"},
        _words(
            r"we[rmn]|wessen|welche (?:personen?|leute|kolleg\w+|team)|\w*ansprechpartner\w*|who(?:m|se)?",
            r"(?:which|what) (?:people|persons?|team|department)|contact person",
        ),
        ("email", "port"),
        _words(*_GERMAN_ROLES, *_ENGLISH_ROLES, _TITLED, _FULL_NAME),
        _words(
            r"(?:\d+|zwei|drei|vier|fünf|mehrere|einige|wenige|two|three|four|five|several|some|a few) "
            r"(?:\w+ ){0,2}(?:personen|leute|menschen|people|persons|individuals|beschäftigte)"
        ),
    ),
    Attribute(
        "threshold",
        {"de": "Schwelle", "en": "threshold"},
        _words(
            r"(?:ab|bis(?: zu)?|bei|unter|über) welche[mnrs]?(?= [a-zäöü-]*[A-ZÄÖÜ])",
            r"(?:from|at|above|below|up to|over|under) (?:what|which)",
        ),
        stated=re.compile(r"\d"),
        strict=False,
    ),
    Attribute(
        "place",
        {"de": "Ort", "en": "place"},
        _words(
            r"wo|wohin|woher|in welche[mrn] (?:raum|gebäude|etage|stock\w*|halle|ordner|schrank)|raumnummer",
            r"where|(?:which|what) (?:room|building|floor|hall|folder)|room number",
        ),
        strict=False,
    ),
    Attribute(
        "reason",
        {"de": "Grund", "en": "reason"},
        _words(r"warum|weshalb|wieso|why|how come|what (?:causes|caused)"),
        strict=False,
    ),
)

PROCEDURE = _words(
    r"wie (?:\w+ ){0,4}(?:ich|man|wir|sie)|wie (?:kann|muss|soll|wird|werden)\w*|anleitung|vorgehen|schritte?",
    r"was (?:\w+ ){0,3}(?:tun|machen)|womit (?:\w+ )?anfangen|how (?:do|can|to|should|could)|steps?|instructions",
    r"what (?:should|do|must|can) (?:i|we|you) (?:\w+ )*do",
)
"""Whether a query asks for a way to do something: the answer is then rather a list of steps than single sentences."""


def asked(text: str) -> list[tuple[Attribute, re.Match[str]]]:
    """Attributes a piece of a query asks for, with the words that ask, in order of the table.

    Words already taken by an attribute further up do not ask for another ("wer bezahlt" is no "who").
    """
    found: list[tuple[Attribute, re.Match[str]]] = []
    for attribute in ATTRIBUTES:
        for match in attribute.asked.finditer(text):
            if all(match.end() <= m.start() or match.start() >= m.end() for _, m in found):
                found.append((attribute, match))
                break
    return found
