"""Words of the workshop that no reader of an article may meet, in German and English, with their technical exceptions."""

from __future__ import annotations

import re

# Each line: what must not be said, inflections included. `(?-i:…)` marks what counts only as written.
_INTERNAL = (
    # who or what made it
    r"(?-i:KI)(?:-\w+)*", r"(?-i:AI)(?:-\w+)*", r"künstliche[rn]? intelligenz\w*", r"artificial intelligence",
    r"LLMs?", r"(?:large )?language models?", r"sprachmodell\w*", r"chatbot\w*", r"neural brain", r"neuronale\w* netz\w*",
    r"gpt(?:[- ]?\w+)?", r"chatgpt", r"qwen\w*", r"gemini\w*", r"deepseek\w*", r"claude\w*", r"llama\w*", r"mistral\w*", r"ollama\w*",
    r"prompt(?:s|e|en|ing)?(?= (?:text|template|engineering|injection|version|vorlage)\b)",
    r"(?:system|user|system[- ]?)prompts?", r"(?:der|dieser|the|this|your|my|mein|per|im|in the) prompts?\b(?! (?:appears|erscheint|for|nach))",
    r"(?:as|als) (?:an? |ein |eine )?(?:assistant|assistent\w*|language model)",
    r"(?:automatisch|maschinell|machine|automatically|auto)[- ]?(?:erstellt\w*|erzeugt\w*|generiert\w*|generated|created|written|made)",
    r"generiert(?:e[rsnm]?)?", r"generated (?:by|from|automatically)", r"erzeugt aus", r"synthese\b", r"synthetisiert\w*", r"synthesi[sz]ed?\w*",
    r"zusammengeführt aus", r"abgeleitet aus", r"derived from (?:the )?(?:sources?|articles?|notes?|entries)", r"ableitungsstufe\w*",
    # how it was rated
    r"confidence(?: score| value| level)?s?", r"konfidenz\w*", r"relevanz(?:wert|bewertung|score)\w*", r"relevance (?:score|rating|value)s?",
    r"quellen(?:bewertung|lage|angabe|qualität|güte|vergleich|analyse)\w*", r"source (?:rating|quality|assessment|evaluation|analysis)s?",
    r"(?:die|diese|alle|mehrere|einige|vorliegende\w*|genannte\w*|beide|according to the|the|these|all|several|both|given|provided) (?:quellen|sources)\b(?! (?:of|code))",
    r"laut (?:den |der |dieser )?quellen?", r"according to (?:the )?sources?", r"mehrwert\w*", r"added value", r"additional value",
    r"ähnlichkeit\w*", r"similarity(?: score)?", r"similarities", r"cosine", r"kosinus\w*", r"embeddings?", r"vektor(?:suche|raum|datenbank)\w*",
    # the graph
    r"wissens(?:graph|netz)\w*", r"knowledge graphs?", r"(?:beziehungs|relations)graph\w*", r"graph(?:en)?(?:kanten?|knoten\w*)",
    r"graph (?:edges?|nodes?)", r"(?:quell|nachbar|artikel|wissens)knoten\w*", r"(?:source|article|knowledge|neighbou?r) nodes?",
    r"(?:der|dieser|die|den|einen?|this|the|an?) (?:kanten?|edges?) (?:zwischen|between|from|von)", r"relations? (?:between|to) (?:the )?(?:sources?|entries|articles?|notes?)",
    r"beziehung\w* zwischen (?:den |diesen )?(?:quellen|einträgen|artikeln|notizen|dokumenten)", r"related (?:entries|notes|articles)", r"verwandte (?:einträge|notizen|artikel)",
    # how it got here
    r"staging(?:-?\w+)*", r"(?-i:AI-Staging|AI-THINK|AI-Synthesis)", r"konsolidier\w+", r"consolidat(?:ion|ed|es|ing)\b",
    r"(?:quell|source )pools?", r"quellenpool\w*", r"generation depth", r"fact base", r"faktenbasis", r"wissenslücke\w*", r"knowledge gaps?",
    r"critical gaps?", r"kritische lücken?", r"forschungs(?:runde|frage)\w*", r"research rounds?", r"(?:this|dieser) (?:draft|entwurf)", r"entwurf", r"waiting for review",
    r"brain://\S+", r"(?:quellen?|sources?):", r"KB-\d{2,}", r"(?:note|kb|article|web):\S+", r"source_refs?", r"zusammenfassung der (?:quellen|einträge|notizen|häufigsten)", r"summary of (?:the )?(?:sources|entries|notes)",
)  # fmt: skip
_PATTERN = re.compile(r"(?<![\w/.-])(?:" + "|".join(_INTERNAL) + r")(?![\w-])", re.IGNORECASE)


def internal(text: str) -> list[str]:
    """Every internal wording in a text, as written; empty when it is clean.

    Code (in backticks) is exempt: `ollama serve` is a command, and so is a path that holds one of the words.
    """
    return [match[0] for match in _PATTERN.finditer(re.sub(r"`[^`\n]*`", "` `", text))]
