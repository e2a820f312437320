"""Form of address and kind of statement, from the words alone."""

from __future__ import annotations

import re

_DU = re.compile(
    r"\b(?:du|dich|dir|dein(?:e[rsnm]?)?|euch|euer|eure[rsnm]?)\b|(?:^|[.!?:]\s+)(?:Mach|Schau|Nimm|Öffne|Klick|Starte|Prüfe?|Gib|Geh|Melde|Trag|Wähle|"
    r"Entferne|Komm|Warte|Lade|Schreib|Drück|Halte|Bestätige|Tippe?|Lösche|Sieh|Hol|Lass)\b",
    re.IGNORECASE,
)
_SIE = re.compile(
    r"\b(?:[A-ZÄÖÜa-zäöüß]+(?:en|ern|eln) Sie|Sie (?:können|müssen|dürfen|sollten|haben|erhalten)|Ihr(?:e[rsnm]?)|Ihnen)\b"
)
_LIMITS = re.compile(
    r"\b(?:nicht|nie|niemals|kein(?:e[rsnm]?)?|nur|ausgenommen|außer|höchstens|ausschließlich|gesperrt|statt|"
    r"not|never|no|only|except|at most|unless|blocked|instead|cannot|do not|without)\b",
    re.IGNORECASE,
)


def address(text: str, language: str) -> str | None:
    """`formal`, `informal`, or None for a sentence that addresses nobody (English never tells)."""
    if language != "de":
        return None
    text = re.sub(r"`[^`\n]*`", "`", text)
    if _DU.search(text):
        return "informal"
    return "formal" if _SIE.search(text) else None


def fits(text: str, language: str, style: str) -> bool:
    """Whether a sentence can stand in an article of this style."""
    return address(text, language) in (None, style)


def delimits(text: str) -> bool:
    """Whether a sentence says what does not hold, or where something ends."""
    return bool(_LIMITS.search(text))
