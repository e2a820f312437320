"""The fixed sentences of assembled articles, German and English. Everything else in an article is quoted."""

from __future__ import annotations

HEADINGS: dict[str, dict[str, str]] = {
    "de": {
        "prerequisite": "Voraussetzungen",
        "steps": "Vorgehen",
        "more_steps": "Weitere Schritte",
        "cases": "Einzelne Fehlerbilder",
        "fact": "Gut zu wissen",
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
        "prerequisite": "Prerequisites",
        "steps": "Steps",
        "more_steps": "Further steps",
        "cases": "Case by case",
        "fact": "Good to know",
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
    (
        "de",
        "troubleshooting",
    ): "Dieser Artikel zeigt zum Thema „{title}“, wie sich die Störung eingrenzen und beheben lässt.",
    ("de", "how_to"): "Diese Anleitung führt zum Thema „{title}“ Schritt für Schritt durch das Vorgehen.",
    ("de", "reference"): "Diese Übersicht enthält die geltenden Angaben zum Thema „{title}“.",
    ("de", "concept"): "Dieser Artikel erklärt Aufbau und Zusammenhänge zum Thema „{title}“.",
    ("de", "decision_guide"): "Dieser Artikel hilft bei der Entscheidung zum Thema „{title}“.",
    ("en", "troubleshooting"): "This article shows how to narrow down and fix the fault on the subject “{title}”.",
    ("en", "how_to"): "This guide leads step by step through the subject “{title}”.",
    ("en", "reference"): "This overview gives the current facts on the subject “{title}”.",
    ("en", "concept"): "This article explains the parts of the subject “{title}” and how they belong together.",
    ("en", "decision_guide"): "This article helps to decide on the subject “{title}”.",
}
SCOPE: dict[str, str] = {"de": "Behandelt werden: {subjects}.", "en": "It covers: {subjects}."}
SYMPTOMS: dict[str, str] = {"de": "Typische Anzeichen:", "en": "Typical signs:"}
CHOOSE: dict[str, str] = {
    "de": "Welche Möglichkeit passt, hängt von diesen Punkten ab:",
    "en": "Which option fits depends on these points:",
}


def fixed(language: str) -> tuple[str, ...]:
    """Every fixed sentence of a language, slots as `{name}`: what an article may say without a source."""
    texts = [text for (lang, _), text in INTRO.items() if lang == language]
    return (*texts, SCOPE[language], SYMPTOMS[language], CHOOSE[language])
