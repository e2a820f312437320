"""A language model that answers what the test says: by purpose, from the schema it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from brain_assets.llm.base import Completion


class Scripted:
    """`author` and `consolidate` are called with the messages and give the answer (a dict, or raw text)."""

    provider = "ollama"
    model = "qwen3:8b"

    def __init__(
        self, author: Callable[[list[dict[str, str]]], Any], consolidate: Callable[..., Any] | None = None
    ) -> None:
        self.author = author
        self.consolidate = consolidate or (lambda messages: {"statements": [], "open_questions": []})
        self.calls: list[str] = []

    def complete(
        self, messages: list[dict[str, str]], *, max_tokens: int, schema: dict[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:  # fmt: skip
        fields = (schema or {}).get("properties", {})
        purpose = "author" if "title" in fields else "consolidate"  # type: ignore[operator]
        self.calls.append(purpose)
        answer = getattr(self, purpose)(messages)
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Completion(text, self.provider, self.model, 100, 100, 1.0, "stop")


def line(text: str, *facts: int) -> dict[str, Any]:
    return {"text": text, "facts": list(facts) or [1]}


def good_article() -> dict[str, Any]:
    """A draft on the print queue that everything in the fact base bears."""
    return {
        "title": "Druckauftrag bleibt in der Warteschlange stehen",
        "problem": [
            line("Der Druckauftrag steht in der Warteschlange auf »angehalten« und kommt nicht aus dem Drucker."),
            line("Der Drucker nimmt Aufträge an, druckt sie aber nicht. Betroffen sind alle Drucker in Halle 4."),
        ],
        "symptoms": [line("Alle weiteren Aufträge stauen sich dahinter.")],
        "prerequisites": [
            line("Für den Eingriff wird ein Konto in der Gruppe `lpadmin` auf dem Druckserver benötigt.")
        ],
        "steps": [
            line("Zustand der Warteschlange anzeigen: `lpstat -p halle4-a4 -l`."),
            line("Den hängenden Druckauftrag abbrechen: `cancel -a halle4-a4`."),
            line("Die Warteschlange wieder freigeben: `cupsenable halle4-a4`."),
        ],
        "validation": [
            line("Eine Testseite drucken: `lp -d halle4-a4 testprint`."),
            line("Im Fehlerprotokoll `/var/log/cups/error_log` darf danach kein *filter failed* mehr stehen."),
        ],
        "error_handling": [line("Antwortet der Drucker nicht auf `ping`, Netzwerkkabel und Patchdose prüfen.")],
        "statements": [
            line("Ursache war ein PDF mit eingebetteten Schriften, an dem der Filter abbrach."),
            line("Der Neustart des Druckers änderte daran nichts, weil der Druckauftrag auf dem Server lag."),
        ],
        "keywords": ["drucken", "warteschlange"],
    }
