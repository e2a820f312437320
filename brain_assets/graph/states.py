"""Opposite states in German and English office and IT language: how each side of a pair is said.

One entry is one concept with the wordings that affirm and those that deny it. A wording is a regular expression that
begins with a letter at the beginning of a word; where a stem bears many endings it is given with `\\w*`. A word that
commonly means something else as well stands here only in the company that settles its meaning.
"""

from __future__ import annotations

from typing import Final

RIGHTS: Final = (
    r"keine(?:rlei)? (?:rechte|berechtigung\w*|erlaubnis)|keinen (?:zugriff|zugang|zutritt)|kein (?:zugriff|"
    r"zugang|zutritt|recht)|"
    r"no (?:rights|permission|access|right)"
)
_STAFF: Final = (
    r"helpdesk|service ?desk|help ?desk|support(?:-?team)?|hotline|pforte|empfang|theke|schalter|sekretariat|verwaltung|"
    r"personal(?:abteilung)?|hausmeister\w*|haustechnik|administrator\w*|admins?|it|edv|technik|betriebsteam|"
    r"techniker\w*|technicians?|reception|front desk|counter|porter|staff|office|secretary|caretaker|"
    r"[\w-]*(?:abteilung|team|dienst|desk|stelle|büro|leitung|verwaltung|amt|werkstatt|technik|department|office)"
)

PAIRS: Final[dict[str, tuple[str, str]]] = {
    "accept": (
        r"akzeptier\w*|angenommen|nehmen wir\b[^,;.]{0,40}\b(?:an|entgegen)|nimmt\b[^,;.]{0,40}\b(?:an|entgegen)|"
        r"entgegengenommen|zugelassen|anerkannt|accept(?:s|ed)?|honou?red|recogni[sz]ed",
        r"abgewiesen|abgelehnt|zurückgewiesen|lehnt \w+ ab|rejects|(?:is|are|be|gets?) (?:rejected|refused|declined|turned "
        r"(?:away|down))|refuses",
    ),
    "allow": (
        r"erlaubt|gestattet|zulässig|d[aü]rf(?:en|t|st)?|berechtigt|steht \w+ frei|freigestellt|bewilligt|möglich|machbar|"
        r"kann|können|könnt|lässt sich|lassen sich|nutzbar|verwendbar|benutzbar|allowed|permitted|may|can(?! be found)|"
        r"free to|welcome|permissible|entitled|authori[sz]ed|possible|usable|feasible|able to",
        rf"verboten|untersagt|unzulässig|unerlaubt|tabu|verbietet|{RIGHTS}|forbidden|prohibited|prohibits|forbids|banned|"
        r"disallowed|off limits|not entitled|against the rules|unmöglich|ausgeschlossen|excluded from|not eligible|ineligible|unbrauchbar|geht nicht|"
        r"impossible|unusable",
    ),
    "require": (
        r"erforderlich|nötig|notwendig|benötig\w+|braucht|brauchen|muss|müssen|pflicht|verpflichtend|verpflichtet|"
        r"zwingend|vorgeschrieben|verbindlich|obligatorisch|unerlässlich|unabdingbar|voraussetzung|beantragt|"
        r"(?:anmelde|genehmigungs|melde|zustimmungs|antrags|nachweis|melde|ticket|helm|masken|buchungs|kennzeichnungs|"
        r"ausweis|voranmelde|unterschrifts)pflicht(?:ig\w*)?|"
        r"requires?|required|needs?|needed|necessary|must|has to|have to|mandatory|compulsory|obligatory|"
        r"prerequisite|essential",
        r"entfällt|entfallen|überflüssig|freiwillig|unnötig|optional|entbehrlich|genehmigungsfrei|verzichtbar|"
        r"verzichte[nt]|erübrigt|unnecessary|voluntary|voluntarily|superfluous|dispensable",
    ),
    "active": (
        r"aktiviert|aktiv|eingeschaltet|angeschaltet|eingerichtet|in betrieb(?! nehmen)|freigeschaltet|umgesetzt|"
        r"im einsatz|scharf ?geschaltet|in gebrauch|produktiv|ausgerollt|eingeführt|montiert|eingebaut|angeschlossen|"
        r"in betrieb genommen|läuft (?:bereits|schon|seit|jetzt|wieder|weiter(?:hin)?|noch)|online gegangen|live gegangen|"
        r"(?:bereits|schon|inzwischen|jetzt) (?:da|vorhanden|nutzbar|installiert|geliefert)|verfügbar|erhältlich|vorrätig|"
        r"in place|set up|enabled|switched on|turned on|configured|deployed|in operation|in use|operational|up and "
        r"running|in service|went live|gone live|(?:is|are|been) live|rolled out|mounted|fitted|put into (?:operation|"
        r"service)|commissioned|activated|in production use|(?:is|are) (?:already |now |still )?(?:running|active)|"
        r"available|obtainable|in stock|back in operation",
        r"deaktiviert|inaktiv|abgeschaltet|ausgeschaltet|abgestellt|stillgelegt|außer betrieb|abgebaut|"
        r"abmontiert|demontiert|ausgebaut|abgeklemmt|abgekündigt|vom netz genommen|eingestellt worden|wurde[n]? "
        r"[^,;]{0,40}\beingestellt|gibt es nicht mehr|existier\w+ nicht mehr|abgeschafft|eingemottet|"
        r"disabled|switched off|turned off|deactivated|decommissioned|shut down|retired|discontinued|taken (?:out of "
        r"service|offline|down)|out of service|out of operation|dismantled|phased out|withdrawn|scrapped|abolished|"
        r"powered down|unplugged|ceased|no longer exists?|sunset|unavailable|vergriffen|ausverkauft|sold out|out of stock",
    ),
    "renewed": (
        r"verlängert|erneuert|fortgeführt|fortgesetzt|weitergeführt|weiterlaufen|läuft weiter|"
        r"unbefristet|renewed|extended|prolonged|continued|runs on",
        r"gekündigt|kündigung|läuft (?:\w+ ){0,5}aus|ausgelaufen|auslaufen(?:d)?|nicht verlängert|beendet|endet ersatzlos|"
        r"aufgelöst|cancell?ed|terminated|expires|expired|expiring|not (?:been |be )?renewed|lapses|lapsed|"
        r"runs out|ran out|given notice|notice (?:was|has been) given|wound up",
    ),
    "automatic": (
        r"automatisch\w*|automatisiert\w*|vollautomatisch\w*|selbsttätig\w*|von selbst|von allein\w*|ohne zutun|"
        r"skriptgesteuert|zeitgesteuert|automatic(?:ally)?|automated|by itself|by themselves|on its own|unattended|"
        r"without (?:any )?(?:manual|human) \w+|scripted|hands-?off",
        r"von hand|per hand|händisch\w*|manuell\w*|handarbeit|handschriftlich|by hand|manual(?:ly)?|hand-?written",
    ),
    "paper": (
        r"auf papier|in papierform|papier(?:form|formular|antr[aä]g|akte|bogen|bögen|liste|zettel|rechnung|beleg|ausdruck|"
        r"vordruck|kalender|exemplar)\w*|ausgedruckt(?:e[nrms]?)?|per (?:post|fax)|on paper|paper(?= (?:is|are|no))|paper "
        r"(?:forms?|copy|copies|slips?|applications?|records?|lists?|sheets?|invoices?|receipts?|files?|tickets?|"
        r"calendars?|trail)|in hard ?copy|printed out|by (?:post|fax)",
        r"papierlos\w*|nur (?:noch )?(?:digital|elektronisch|online)|(?:ausschließlich|rein|only|solely|exclusively) "
        r"(?:digital|elektronisch|online|electronic)\w*|(?:digital|online|electronic)\w* only|paperless",
    ),
    "self": (
        r"selbst(?! wenn| bei| dann| nach| in| im| für| ohne| mit)|selber|eigenständig|selbstständig|selbständig|eigenhändig|"
        r"selbstbedienung\w*|self[- ]service|yourself|yourselves|themselves|oneself|on (?:your|their) own|"
        r"without (?:asking|calling) (?:anyone|anybody|the \w+)|ohne rückfrage",
        rf"(?:nur|ausschließlich|allein(?:ig)?|einzig|lediglich) (?:noch )?(?:(?:über|durch|vom|von|bei|beim|an|am|per|die|der|"
        rf"das|den|dem|unser\w*|team) ){{0,3}}(?:{_STAFF})|"
        rf"(?:only|solely|exclusively) (?:(?:be )?\w+(?:ed|en) )?(?:(?:by|through|via|at|from|with|the|our|team) ){{0,3}}(?:[\w-]+ )?(?:{_STAFF})",
    ),
    "reachable": (
        r"erreichbar|zugänglich|reachable|accessible|reached",
        r"unerreichbar|unzugänglich|unreachable|inaccessible|cut off",
    ),
    "support": (r"unterstützt|supported|supports", r"unsupported|end of life|abgekündigt"),
    "encrypted": (
        r"verschlüssel(?:t|n)\w*|encrypted|encrypts?",
        r"unverschlüsselt\w*|im klartext|unencrypted|plain ?text|in the clear|clear ?text",
    ),
    "kept": (
        r"aufbewahrt|aufgehoben|behalten|vorgehalten|archiviert|kept|retained|preserved|stored|archived",
        r"gelöscht|vernichtet|entsorgt|weggeworfen|geschreddert|überschrieben|deleted|erased|destroyed|shredded|purged|"
        r"discarded|thrown away|disposed of",
    ),
    "recorded": (
        r"aufgezeichnet|protokolliert|mitgeschnitten|recorded|logged",
        r"ohne aufzeichnung|unrecorded|unlogged",
    ),
    "done": (
        r"abgeschlossen|erledigt|fertig(?:gestellt)?|behoben|beendet|durchgeführt|gelöst|completed|finished|resolved|fixed|"
        r"done|concluded|closed out",
        r"ausstehend|aussteht|steht (?:noch )?aus|stehen (?:noch )?aus|noch offen|ungelöst|unerledigt|"
        r"in arbeit|lässt auf sich warten|pending|outstanding|still open|unresolved|unfinished|"
        r"incomplete|in progress|under way|overdue|überfällig",
    ),
    "open": (
        r"geöffnet|offen(?! für)|durchgehend auf|(?:is|are|stays?|remains?) open|opens",
        r"geschlossen|bleibt zu|verschlossen|abgeschlossen|(?:is|are|stays?|remains?) (?:closed|locked|shut)",
    ),
    "included": (
        r"inbegriffen|enthalten|inklusive|eingeschlossen|mitgesichert|einbezogen|gehör\w+ dazu|included|covered|part of "
        r"the",
        r"ausgenommen|außen vor|ausgelassen|excluded|exempt(?:ed)?|left out|skipped|not part of",
    ),
    "rise": (
        r"steig(?:t|en|ert)|gestiegen|erhöht|wächst|zunimmt|nimmt zu|increases?|increased|rises?|risen|grows?|raised",
        r"sink(?:t|en)|gesunken|senkt|gesenkt|verringert|abnimmt|nimmt ab|decreases?|decreased|falls|fallen|"
        r"shrinks?|lowered|reduces?|reduced",
    ),
    "good": (r"verbessert|besser|improves?|improved|better", r"verschlechtert|schlechter|worsens?|worsened|worse"),
    "present": (r"anwesend|present", r"abwesend|absent"),
    "free": (
        r"kostenlos\w*|kostenfrei\w*|gratis|unentgeltlich|gebührenfrei|free of charge|at no (?:extra )?cost|for free|free to "
        r"use|complimentary",
        r"kostenpflichtig|gebührenpflichtig|in rechnung gestellt|berechnet wird|chargeable|(?:is|are|be) charged|billed|"
        r"subject to a fee|for a fee",
    ),
    "shared": (
        r"gemeinsam(?:e[nrms]?)? (?:genutzt|verwendet)|geteilt|shared (?:by|between|among)",
        r"nicht geteilt|eigene[nrs]? für jede\w*|dedicated|exclusive to|one per (?:person|user|team)",
    ),
    "permanent": (
        r"dauerhaft|unbefristet|unbegrenzt|permanent(?:ly)?|indefinitely|for good|without limit",
        r"befristet|vorübergehend|zeitlich begrenzt|temporary|temporarily|time-?limited|for a limited time",
    ),
    "public": (
        r"öffentlich (?:zugänglich|erreichbar|sichtbar|einsehbar)|aus dem internet (?:erreichbar|zugänglich)|für alle "
        r"(?:sichtbar|einsehbar)|public(?:ly)?(?: (?:reachable|visible|available))?|from (?:the internet|anywhere)|"
        r"von überall|visible to everyone",
        r"nur intern\w*|nur (?:aus dem|im) (?:firmennetz|hausnetz|internen netz)|internal only|only internal(?:ly)?|"
        r"only (?:from|inside|within) the (?:company|office|internal|corporate) network|nicht öffentlich",
    ),
    "working": (
        r"funktioniert|funktionieren|einwandfrei|fehlerfrei|arbeitet wieder|works (?:again|fine)|working again|"
        r"back up|repariert|instand ?gesetzt|repaired|healthy",
        r"defekt|kaputt|ausgefallen|gestört|funktionsunfähig|broken|out of order|faulty|defective|failed permanently|"
        r"down since",
    ),
}  # fmt: skip
"""Concept → how it is affirmed, how it is denied."""
