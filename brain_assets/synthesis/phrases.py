"""The fixed sentences of assembled articles, German (formal and informal) and English. Everything else is quoted."""

from __future__ import annotations

from typing import Literal

Style = Literal["formal", "informal"]

HEADINGS: dict[str, dict[str, str]] = {
    "de": {
        "prerequisites": "Voraussetzungen",
        "steps": "Vorgehen",
        "background": "Gut zu wissen",
        "validation": "Ergebnis prüfen",
        "error_handling": "Wenn das nicht hilft",
        "classification": "Einordnung",
        "statements": "Das Wichtigste",
        "delimitation": "Abgrenzung",
        "criteria": "Entscheidungskriterien",
        "options": "Möglichkeiten",
        "other_language": "Ergänzend auf Englisch",
    },
    "en": {
        "prerequisites": "Prerequisites",
        "steps": "Steps",
        "background": "Good to know",
        "validation": "Check the result",
        "error_handling": "If this does not help",
        "classification": "Classification",
        "statements": "Key facts",
        "delimitation": "Delimitation",
        "criteria": "Decision criteria",
        "options": "Options",
        "other_language": "Further details in German",
    },
}

INTRO: dict[tuple[str, str], str] = {
    ("de", "troubleshooting"): "Dieser Artikel hilft bei Störungen zum Thema {title}.",
    ("de", "how_to"): "Diese Anleitung beschreibt die Schritte zum Thema {title}.",
    ("de", "reference"): "Diese Übersicht fasst die geltenden Angaben zum Thema {title} zusammen.",
    ("de", "concept"): "Dieser Artikel erklärt die Grundlagen zum Thema {title}.",
    ("de", "decision_guide"): "Dieser Artikel hilft bei der Wahl zum Thema {title}.",
    ("en", "troubleshooting"): "This article helps with faults on the subject of {title}.",
    ("en", "how_to"): "This guide describes the steps on the subject of {title}.",
    ("en", "reference"): "This overview gives the current facts on the subject of {title}.",
    ("en", "concept"): "This article explains the basics on the subject of {title}.",
    ("en", "decision_guide"): "This article helps to choose on the subject of {title}.",
}
SCOPE: dict[str, str] = {"de": "Behandelt werden: {subjects}.", "en": "It covers: {subjects}."}
SYMPTOMS: dict[str, str] = {"de": "Typische Anzeichen:", "en": "Typical signs:"}
CASES: dict[str, str] = {
    "de": "Die Schritte sind nach Fehlerbild geordnet.",
    "en": "The steps are grouped by what you see.",
}
BELONGS: dict[str, str] = {"de": "Das Thema gehört zu: {terms}.", "en": "The subject belongs to: {terms}."}
NOT_COVERED: dict[str, str] = {"de": "Nicht behandelt werden: {terms}.", "en": "Not covered here: {terms}."}
CHOOSE: dict[str, str] = {
    "de": "Welche Möglichkeit passt, hängt von den folgenden Punkten ab:",
    "en": "Which option fits depends on the following points:",
}


def fixed(language: str) -> frozenset[str]:
    """Every fixed sentence of a language with its slots removed: what an article may say without a source."""
    texts = [text for (lang, _), text in INTRO.items() if lang == language]
    for table in (SCOPE, SYMPTOMS, CASES, BELONGS, NOT_COVERED, CHOOSE):
        texts.append(table[language])
    return frozenset([*texts, *HEADINGS[language].values()])
