"""Turns of phrase, German and English, that tell what kind of text a page is. Words only; `suspicion` judges."""

from __future__ import annotations

import re


def _any(*turns: str) -> re.Pattern[str]:
    return re.compile(r"(?:" + "|".join(turns) + r")", re.IGNORECASE)


_MACHINE = (
    r"(?:ki|ai|llms?|gpt|chatgpt|claude|gemini|copilot|sprachmodelle?n?|language models?|assistants?|assistent(?:en)?|"
    r"chatbots?|bots?|crawlers?|agents?|agenten)"
)
INSTRUCTION = _any(
    # "ignore all previous instructions"
    r"\b(?:ignor(?:e|iere|iert|ieren sie)|disregard|forget|vergiss|vergessen sie|missachte\w*|override|bypass)\b"
    r"(?! (?:nicht|not)\b)"
    r"[^.!?\n]{0,60}?\b(?:previous|prior|above|all|earlier|your|bisherig\w*|vorherig\w*|obig\w*|alle[nr]?|deine?|"
    r"ihre?)\b"
    r"[^.!?\n]{0,30}?\b(?:instructions?|prompts?|rules?|directions?|questions?|anweisung(?:en)?|vorgaben?|regeln?|"
    r"fragen?)\b",
    # "note to AI systems"
    r"\b(?:hinweis|anweisung(?:en)?|nachricht|note|notice|message|instructions?|attention|achtung)[ ](?:an|für|to|"
    r"for)[ ]"
    rf"(?:den[ ]|die[ ]|das[ ]|alle[ ]|all[ ]|any[ ]|the[ ]|every[ ])?{_MACHINE}\b",
    rf"\b{_MACHINE}[- ](?:systeme?n?|modelle?n?|models?|crawlers?|agents?|assistants?|assistenten|bots?)[ ]?[:,!]",
    r"(?:^|\n|[.!?]\s)\s*(?:system|assistant|assistent)[ ]?:[ ]?\S",
    r"\byou are (?:now|an?) (?:in|the|ai|helpful|a|an)\b[^.\n]{0,40}\b(?:mode|assistant|model|ai)\b",
    r"\bdu bist (?:jetzt|nun) (?:im|ein\w*|der|die)\b[^.\n]{0,40}\b(?:modus|assistent\w*|modell|ki)\b",
    r"\b(?:your|the|my|this|deine?n?|den|hidden|initial) system[- ]?prompt\b|\bhidden prompts?\b|\b(?:text|inhalt|"
    r"content) (?:of|deine[sr]|ihre[sr]) (?:your )?prompts?\b",
    # orders about one's own rating or the reader's work
    r"\b(?:mark|set|setze?|setzen sie|markiere\w*|bewerte\w*|rate|score|treat|consider|betrachte\w*)\b[^.!?\n]{0,60}"
    r"\b(?:gaps?|lücken?|page|seite|source|quelle|question|frage)\b[^.!?\n]{0,60}"
    r"\b(?:resolved|erledigt|gelöst|geschlossen|closed|approved|genehmigt|trust\w*|vertrauen\w*|highest|höchste\w*)\b",
    r"\b(?:schreibe?n?|write|insert|copy|füge|übernimm|kopiere?n?)\b[^.!?\n]{0,60}"
    r"\b(?:in|into)[ ](?:jeden|alle|every|all|each)[ ](?:artikel|articles?|antworten?|answers?)\b",
    r"\bauto_reply\b|\bverschweige?n?\b[^.\n]{0,40}\b(?:satz|hinweis|anweisung|nutzer|benutzer)\b",
    r"\bdo not (?:tell|mention|reveal)\b[^.\n]{0,40}\b(?:user|sentence|this|instruction)\b",
    r"\b(?:answer|reply|respond) only with\b|\bantworte(?:n sie)? (?:nur|ausschließlich) mit\b",
)
LOGIN = _any(
    r"\bbitte (?:melden sie sich|logge?n? (?:dich|sie sich)|registrieren|melde dich)\b|\bmelden sie sich an\b",
    r"\bnur für (?:registrierte|angemeldete|mitglieder|abonnenten|kunden)\b",
    r"\bum (?:diesen|dieses|den|weiter)\b[^.\n]{0,40}\b(?:lesen|sehen)\b",
    r"\bjetzt (?:anmelden|registrieren|abonnieren)\b",
    r"\b(?:please )?(?:log|sign) ?in (?:to (?:continue|read|view|see|access)|or register|required)\b",
    r"\bplease (?:log|sign) ?in\b|\bcreate (?:a free |an )?account\b|\bregister to (?:read|view|continue)\b",
    r"\bmembers? only\b|\b(?:registered|premium) (?:users|members) only\b|\bpaywall\b",
    r"\bsubscribe to (?:read|continue|unlock)\b|\bto (?:continue|keep) reading\b|\bthis content is (?:for|locked|"
    r"only)\b",
)
PAID = _any(
    r"\b(?:anzeige|werbung|sponsored|advertisement|affiliate|partnerlinks?)\b",
    r"\b(?:buy|order) (?:our|now|today)\b|\bjetzt (?:kaufen|sparen|bestellen|klicken|zuschlagen)\b|"
    r"\bklicke?n?(?: sie)? jetzt\b",
    r"\b\d+ ?(?:%|percent|prozent) (?:off|rabatt|discount|günstiger)",
    r"\btestsieger\w*|\bpreis-?leistungs?-?sieger\w*|\bunschlagbar\w*|\bgeheimtipp\w*",
    r"\b(?:subscribe|sign up) (?:to|for) our\b|\bnewsletter abonnieren\b",
    r"\b(?:lesen|sehen) sie auch\b|\b(?:das könnte|auch interessant)\b|\b(?:read|see) also:|\byou (?:may|"
    r"might) also like\b",
    r"\bdie (?:\d+|zehn|fünf|sieben|zwölf) besten\b|\bthe (?:\d+|ten|five|seven) best\b|\btop[ -]?(?:10|ten|5|7)\b",
    r"\bweiter auf seite \d|\b(?:continue|continued) on page\b|\bpage \d+ of \d+\b|\bseite \d+ von \d+\b",
    r"\b(?:viele|immer mehr) (?:nutzer|leute|menschen|anwender) (?:suchen|fragen)\b|\bmany (?:users|"
    r"people) (?:are )?(?:search|ask)",
    r"\bmost searched\b|\bmeistgesucht\w*|\b(?:amazing|incredible|unglaublich\w*|verblüffend\w*) (?:ways?|tricks?|"
    r"tipps?|tips?)\b",
    r"\bin diesem (?:beitrag|artikel|blog) (?:lösen|zeigen|erklären|erfahren|lernen)\b|\bhat es geholfen\b|"
    r"\bdid (?:this|it) help\b",
)
OLD = _any(
    r"\bpflege (?:beendet|eingestellt)\b|\bwird nicht mehr (?:gepflegt|unterstützt|weiterentwickelt)\b|\babgekündigt\b",
    r"\bnicht mehr unterstützt\b|\bende (?:der|des) (?:wartung|unterstützung|supports?|lebenszyklus)\b",
    r"\bend[- ]of[- ](?:life|support)\b|\bno longer (?:supported|maintained|updated)\b|\bunsupported version\b",
    r"\b(?:this|diese[rs]?) (?:page|article|document|version|guide|seite|artikel|anleitung)[^.\n]{0,30}"
    r"\b(?:outdated|obsolete|archived|deprecated|veraltet|überholt)\b",
    r"\bveraltete version\b|\barchived (?:page|content|documentation)\b|\bsuperseded by\b|\breached end\b",
)
NOT_HERE = _any(
    r"\b(?:does|do) not (?:apply|exist|affect)\b|\bdoesn't (?:apply|exist)\b",
    r"\bnot (?:available|applicable|supported|affected|valid|used|known) (?:in|for|to|on|by|with)\b",
    r"\bis not part of\b|\bgilt nicht (?:für|bei|in)\b|\bnicht für\b|\bbetrifft (?:\w+ )?nicht\b",
    r"\bgibt es (?:hier |dort |in [^.\n]{1,40} )?nicht\b|\bexistiert (?:hier |dort |in [^.\n]{1,40} )?nicht\b",
    r"\bnicht (?:verfügbar|anwendbar|enthalten|betroffen|unterstützt|bekannt) (?:in|für|bei|von)\b|"
    r"\bkein bestandteil\b",
)
DESTRUCTIVE = _any(
    r"\brm[ ]+-\w*[rf]|\bpurge\b|\bwipe\b|\bformat[ ]+[a-z]:|\bmkfs|\bdd[ ]+if=|\bdestroy\b|\bdel[ ]+/|\bshred\b",
    r"(?<!\w)--(?:force|purge|delete|destroy|all|no-preserve-root|hard|nuke|wipe|skip-verify|insecure)\b",
    r"\bdrop[ ]+(?:table|database|schema)|\btruncate\b|\bdelete[ ]+(?:from|namespace|pvc?|--)|\breset[ ]+--hard",
    r"\bfactory[- ]?reset|\bremove-item\b[^\n]*-recurse|\bchmod[ ]+-?r?[ ]*777|--disable-(?:ssl|tls|verif)",
    r"\bcurl\b[^|\n]*\|[ ]*(?:sudo[ ]+)?(?:ba|z)?sh\b|\bset-executionpolicy[ ]+(?:unrestricted|bypass)",
)
DO_NOT = _any(
    r"\b(?:bitte )?nicht (?:nachmachen|so machen)\b|\b(?:das|die antwort) (?:ist|stimmt) (?:so |leider )?(?:falsch|"
    r"nicht)\b",
    r"\bstimmt (?:so |leider )?nicht\b|\b(?:bloß|auf keinen fall|keinesfalls) (?:so )?(?:machen|tun|nachmachen)\b",
    r"\bfalscher (?:rat|tipp|hinweis)\b|\b(?:ist|wäre) (?:gar |dafür )?(?:unnötig|nicht nötig|überflüssig|"
    r"gefährlich)\b|\bkorrektur:",
    r"\b(?:please )?(?:do not|don't) (?:try|do) (?:that|this|it)\b|\bplease don't\b|\bbad advice\b|\bcorrection:",
    r"\b(?:that|this|the answer above)(?:'s| is) (?:wrong|incorrect|not (?:true|correct|necessary)|dangerous)\b",
    r"\b(?:a|the) \w+ is (?:not necessary|unnecessary)\b|\bno need to\b",
)
WAS_WRONG = _any(
    r"\bmein\w* (?:antwort|beitrag|tipp|rat|aussage|hinweis)\w* (?:war|ist) (?:falsch|unsinn|veraltet|nicht richtig)\b",
    r"\bich (?:lag|hatte) (?:da )?(?:falsch|unrecht)\b|\bmein fehler\b",
    r"\bmy (?:\w+ )?(?:answer|post|advice|suggestion|reply) (?:was|is) (?:wrong|incorrect|outdated)\b",
    r"\bi was wrong\b|\bi stand corrected\b|\bmy mistake\b|\bmy bad\b",
)
