"""Small hand-made brains for the tests: notes and KB entries with the edges a judge would confirm."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from brain_assets.model.entry import Entry, KBRecord
from brain_assets.model.graph import Contradiction
from brain_assets.settings import Settings, load
from brain_assets.sources import passages
from brain_assets.store import catalogue, entries, schema
from brain_assets.store.catalogue import Catalogue
from brain_assets.text import language as languages

TODAY = dt.date(2026, 12, 1)


def settings(tmp_path: Path, **changes: Any) -> Settings:
    (tmp_path / "kb").mkdir(parents=True, exist_ok=True)
    values = {
        "data_dir": tmp_path / "brain", "kb_dir": tmp_path / "kb", "vault_dir": tmp_path / "vault", "now": TODAY,
        "research_enabled": False,
    }  # fmt: skip
    return load(**{**values, **changes})


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def note(path: str, title: str, body: str, **fields: Any) -> Entry:
    lang = languages.detect(body)
    entry_id = f"note:{path}"
    return Entry(
        id=entry_id, kind="note", path=path, title=title, body=body, language=lang, date=dt.date(2026, 11, 1),
        date_origin="frontmatter date", content_digest=digest(body), text_digest=digest(f"{title}\n{body}"),
        passages=passages.split(entry_id, title, body, lang), **fields,
    )  # fmt: skip


def kb(number: str, title: str, text: str, answer: str, *, categories: tuple[str, ...] = ("Drucken",),
       style: str = "formal", keywords: tuple[str, ...] = (), ai: bool = False, depth: int = 0) -> Entry:  # fmt: skip
    body = f"{text}\n\n{answer}"
    lang = languages.detect(body)
    entry_id = f"kb:{number}"
    record = KBRecord(
        id=number, title=title, text=text, answer=answer, categories=categories, keywords=keywords,
        source="Helpdesk", source_uri=f"https://wiki.example.org/{number}",
        language="de-DE" if lang == "de" else "en-US", communication_style=style,
    )  # fmt: skip
    return Entry(
        id=entry_id, kind="kb", path=f"{number}.json", title=title, body=body, language=lang, record=record,
        content_digest=digest(body), text_digest=digest(f"{title}\n{body}"), ai_origin=ai, generation_depth=depth,
        passages=passages.split(entry_id, title, body, lang),
    )  # fmt: skip


def queue_sources() -> list[Entry]:
    """A German troubleshooting subject: a stuck print queue, told by two notes and two KB entries on single cases."""
    return [
        note(
            "Drucken/Warteschlange klemmt.md",
            "Warteschlange klemmt",
            "# Warteschlange klemmt\n\n## Symptome\n\nDer Druckauftrag steht in der Warteschlange auf »angehalten« und "
            "kommt nicht aus dem Drucker. Alle weiteren Aufträge stauen sich dahinter.\n\n## Voraussetzungen\n\n"
            "Für den Eingriff wird ein Konto in der Gruppe `lpadmin` auf dem Druckserver benötigt.\n\n## Vorgehen\n\n"
            "1. Zustand der Warteschlange anzeigen: `lpstat -p halle4-a4 -l`.\n"
            "2. Den hängenden Druckauftrag abbrechen: `cancel -a halle4-a4`.\n"
            "3. Die Warteschlange wieder freigeben: `cupsenable halle4-a4`.\n\n## Ergebnis prüfen\n\n"
            "- Eine Testseite drucken: `lp -d halle4-a4 testprint`.\n\n## Wenn es nicht hilft\n\n"
            "Antwortet der Drucker nicht auf `ping`, Netzwerkkabel und Patchdose prüfen.\n",
            type="runbook",
            tags=("drucken", "cups"),
        ),
        note(
            "Drucken/Störung Halle 4.md",
            "Druckstörung Halle 4",
            "# Druckstörung Halle 4\n\nIn der Warteschlange `halle4-a4` standen am Ende 74 Aufträge. Ursache war ein PDF "
            "mit eingebetteten Schriften, an dem der Filter abbrach. Der Neustart des Druckers änderte daran nichts, "
            "weil der Druckauftrag auf dem Server lag.\n\nIm Fehlerprotokoll `/var/log/cups/error_log` darf danach kein "
            "*filter failed* mehr stehen.\n",
            type="postmortem",
            tags=("drucken", "cups"),
        ),
        kb(
            "KB-1",
            "Gelbes Zeichen in der Druckerverwaltung",
            "Der Drucker nimmt Aufträge an, druckt sie aber nicht. Betroffen sind alle Drucker in Halle 4.",
            "1. Öffnen Sie die Druckerverwaltung und wählen Sie die Warteschlange aus.\n"
            "2. Löschen Sie den ersten Auftrag.\n3. Klicken Sie auf *Fortsetzen*.\n\n"
            "Bleibt die Warteschlange angehalten, melden Sie sich beim Helpdesk.",
            keywords=("drucker", "warteschlange"),
        ),
        kb(
            "KB-2",
            "Druckauftrag lässt sich nicht löschen",
            "Ein Druckauftrag bleibt in der Warteschlange stehen, obwohl er gelöscht wurde.",
            "Starten Sie den Dienst *Druckwarteschlange* neu. Prüfen Sie danach, ob der Druckauftrag verschwunden ist.",
            keywords=("druckauftrag", "löschen"),
        ),
    ]


def off_topic() -> list[Entry]:
    return [
        note(
            "Privat/Bienen.md", "Bienen", "# Bienen\n\nZweites Volk ist durchgekommen, Gewicht Mitte Oktober 31 kg.\n"
        ),
        note("Mail/Relay.md", "Outgoing relay", "# Outgoing relay\n\nThe relay listens on port 25 for the scanners.\n"),
    ]


def edge(a: str, b: str, relation: str, confidence: float = 0.9) -> dict[str, Any]:
    return {
        "source": a, "target": b, "relation": relation, "origin": "relations", "confidence": confidence,
        "judge": "test", "source_quote": "q", "target_quote": "q", "reason": "test",
    }  # fmt: skip


QUEUE_EDGES = [
    edge("note:Drucken/Störung Halle 4.md", "note:Drucken/Warteschlange klemmt.md", "part_of"),
    edge("kb:KB-1", "note:Drucken/Warteschlange klemmt.md", "supports"),
    edge("kb:KB-2", "kb:KB-1", "same_topic", 0.8),
    edge("kb:KB-2", "note:Drucken/Warteschlange klemmt.md", "same_topic", 0.8),
]


def fill(cat: Catalogue, sources: list[Entry], edges: list[dict[str, Any]],
         found: tuple[Contradiction, ...] = ()) -> None:  # fmt: skip
    with cat.begin() as connection:
        entries.put(connection, sources)
        if edges:
            connection.execute(insert(schema.edges), edges)
        for c in found:
            connection.execute(
                insert(schema.contradictions).values(
                    id=c.id, a=c.a, b=c.b, subject=c.subject, kind=c.kind, confidence=c.confidence, status=c.status,
                    finding=json.dumps(c.model_dump(mode="json"), ensure_ascii=False),
                )
            )  # fmt: skip


def open_brain(config: Settings) -> Catalogue:
    return catalogue.open(config)
