"""The sample in `data/` is the demo: what it promises to show must stay in its texts, word for word."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from brain_assets import settings
from brain_assets.model.entry import Entry, KBRecord
from brain_assets.sources import sync
from brain_assets.store import catalogue, entries
from brain_assets.text import language
from brain_assets.text.words import nfc

DATA = Path(__file__).parents[2] / "data"
VAULT, KB = DATA / "vault", DATA / "kb"

# subject: (file a, quote a), (file b, quote b). Files are vault paths or KB ids.
CONTRADICTIONS = {
    "MTU of the VPN tunnel": (
        ("VPN/WireGuard-Gateway.md", "Die MTU des VPN-Tunnels `wg0` beträgt 1420 Byte."),
        ("VPN/VPN tunnel slow on mobile networks.md", "The MTU of the VPN tunnel `wg0` is 1380 bytes."),
    ),
    "retention of daily backups": (
        ("Backup/Datensicherung mit restic.md", "Tägliche Sicherungen werden 21 Tage aufbewahrt."),
        ("KB-2007", "Daily backups are kept for 14 days."),
    ),
    "port for outgoing mail": (
        ("Mail/Mailserver.md", "Der Postausgang (SMTP) nutzt Port 587 mit STARTTLS."),
        ("KB-2004", "Outgoing mail (SMTP) uses port 465 with TLS"),
    ),
    "host of the Alertmanager": (
        ("Monitoring/Prometheus and Alertmanager.md", "Alertmanager runs on `mon01.quellmoor.example.org`."),
        ("Monitoring/Alarme weiterleiten.md", "Der Alertmanager läuft auf `mon02.quellmoor.example.org`."),
    ),
    "mailbox for external staff": (
        ("Onboarding/Externe Mitarbeitende.md", "Externe Mitarbeitende bekommen kein eigenes Postfach."),
        ("KB-2020", "External staff get their own mailbox"),
    ),
    "date of the core switch swap": (
        ("Netz/Core-Switch tauschen.md", "Der Tausch des Core-Switch `core1` findet am 12. Dezember 2026 statt"),
        ("Status/Team sync 2026-11-26.md", "The swap of the core switch `core1` takes place on 19 December 2026."),
    ),
}
# Look like contradictions and are none: another environment, a plan, another unit, another scope, superseded.
LOOKALIKES = {
    "environment": (
        ("Backup/Datensicherung mit restic.md", "Tägliche Sicherungen werden 21 Tage aufbewahrt."),
        (
            "Backup/Sicherung der Testumgebung.md",
            "In der Testumgebung werden tägliche Sicherungen nur 3 Tage aufbewahrt.",
        ),
    ),
    "planned": (
        ("Server/Cluster Otter.md", "k3s 1.33"),
        ("Server/k3s upgrade plan.md", "We plan to upgrade the cluster Otter to k3s 1.35 in February 2027"),
    ),
    "unit": (
        ("Konten/Keycloak.md", "A session at Keycloak ends after 12 hours"),
        ("Konten/Zweiter Faktor verloren.md", "läuft eine Sitzung bis zu 720 Minuten weiter"),
    ),
    "scope": (
        ("Netz/Gäste-WLAN.md", "Der Code gilt acht Stunden und für zwei Geräte."),
        ("KB-2026", "Er gilt 30 Tage und für fünf Geräte."),
    ),
    "superseded": (
        ("VPN/WireGuard-Gateway.md", "Die MTU des VPN-Tunnels `wg0` beträgt 1420 Byte."),
        ("VPN/OpenVPN einrichten (alt).md", "Die MTU stand auf 1500 Byte"),
    ),
}
SUPERSEDED = {
    "VPN/OpenVPN einrichten (alt).md": ("status: veraltet", "ersetzt durch [[WireGuard einrichten]]"),
    "Backup/Tape rotation (retired).md": ("status: deprecated", "Replaced by [[Offsite copy]]"),
}
# One production source each on one problem: what an article needs must stand in them together.
POOLS = {
    "create": ("Server/Platte voll.md", "Server/Journal begrenzen.md", "Server/Datenträger vergrößern.md",
               "Server/Vorfall volle Platte ERP.md"),
    "update": ("KB-2010", "Drucken/Warteschlange klemmt.md", "Drucken/Störung Halle 4.md", "Drucken/Druckserver.md"),
    "merge": ("KB-2013", "KB-2014", "Netz/Wi-Fi QM-Intern.md", "Netz/Reading the RADIUS log.md",
              "Netz/Renew a device certificate.md"),
}  # fmt: skip
# Asked in the README's demo questions and stated nowhere; one word of it anywhere would end the demonstration.
NOWHERE = ("telefon", "phone", "spf", "lizenz", "licence", "license", "bildungsurlaub")
BROKEN_FRONT_MATTER = "Privat/Idea lending shelf.md"
UNRESOLVED = {("Server/Übersicht.md", "Notfallhandbuch")}
AMBIGUOUS = {("Onboarding/Erster Arbeitstag.md", "Übersicht")}


# Path: date and where it stands, one per way of writing a date.
DATES = {
    "VPN/Standortkopplung Lager.md": ("2025-03-11", "frontmatter date"),
    "VPN/Tunnel wiederherstellen.md": ("2026-10-05", "frontmatter geändert"),
    "VPN/WireGuard einrichten.md": ("2026-11-03", "frontmatter updated"),
    "Monitoring/On-call rota.md": ("2026-08-28", "frontmatter created"),
    "Netz/Übersicht.md": ("2026-03-02", "frontmatter erstellt"),
    "Drucken/Störung Halle 4.md": ("2026-10-29", "frontmatter date"),
    "Privat/Kajaktour Saale.md": ("2026-08-12", "frontmatter date"),
}
UNDATED = {"Inbox/Zettel.md", "Privat/Bienen.md", BROKEN_FRONT_MATTER}
TODAY = "2026-12-01"


def notes() -> dict[str, str]:
    return {nfc(p.relative_to(VAULT).as_posix()): p.read_bytes().decode() for p in sorted(VAULT.rglob("*.md"))}


def records() -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for path in sorted(KB.glob("*.json")):
        loaded = json.loads(path.read_text(encoding="utf-8"))
        out.extend(loaded if isinstance(loaded, list) else [loaded])
    return out


def texts() -> dict[str, str]:
    return notes() | {r["id"]: "\n".join((r["title"], r["text"], r["answer"])) for r in records()}


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entry]:
    """The sample as the product reads it, by vault path or KB id."""
    chosen = settings.load(data_dir=tmp_path_factory.mktemp("brain"), vault_dir=VAULT, kb_dir=KB, now=TODAY)
    cat = catalogue.open(chosen)
    for report in (sync.sync_vault(cat, chosen), sync.sync_kb(cat, chosen)):
        assert report.failed == 0 and report.details["quarantined"] == 0
        assert report.details["live"] == report.details["files_seen"]
    with cat.read() as conn:
        return {e.id.split(":", 1)[1]: e for e in entries.load(conn)}


def test_the_product_reads_every_entry_in_its_language(brain: dict[str, Entry]) -> None:
    assert set(brain) == set(texts())
    assert {k for k, e in brain.items() if e.ai_origin} == {"KB-2024", "KB-2025"}
    for record in records():
        assert brain[record["id"]].language == record["language"][:2], record["id"]


def test_only_the_broken_front_matter_is_a_problem(brain: dict[str, Entry]) -> None:
    assert {where for where, e in brain.items() if e.problems} == {BROKEN_FRONT_MATTER}
    assert "drill" in brain[BROKEN_FRONT_MATTER].body


def test_links_resolve_except_the_two_that_are_meant_not_to(brain: dict[str, Entry]) -> None:
    links = [(where, link) for where, e in brain.items() for link in e.links]
    assert len(links) > 50
    assert {(w, x.target) for w, x in links if x.entry_id is None and not x.candidates} == UNRESOLVED
    assert {(w, x.target) for w, x in links if x.candidates} == AMBIGUOUS
    assert any(x.embed for _, x in links) and any(x.block for _, x in links) and any(x.heading for _, x in links)
    assert any(x.syntax == "markdown" for _, x in links)


def test_dates_are_read_from_where_they_stand(brain: dict[str, Entry]) -> None:
    for path, (day, origin) in DATES.items():
        assert (str(brain[path].date), brain[path].date_origin) == (day, origin), path
    undated = {path for path, e in brain.items() if e.kind == "note" and e.date_origin == "file mtime"}
    assert undated == UNDATED


def test_old_notes_are_old_enough_to_be_reported_in_every_run(brain: dict[str, Entry]) -> None:
    today = date.fromisoformat(TODAY)
    ages = {p: (today - e.date).days for p, e in brain.items() if e.date and p not in UNDATED}
    assert ages["VPN/Standortkopplung Lager.md"] > 365
    assert brain["VPN/Standortkopplung Lager.md"].type == "reference"
    assert brain["VPN/Standortkopplung Lager.md"].status == "aktiv"
    assert sum(age > 90 for age in ages.values()) >= 8


def test_the_sample_is_large_enough_and_bilingual(brain: dict[str, Entry]) -> None:
    spoken = Counter(e.language for e in brain.values() if e.kind == "note")
    written = Counter(e.language for e in brain.values() if e.kind == "kb")
    assert spoken.total() >= 40
    assert written.total() >= 25
    for share in (spoken, written):
        assert set(share) == {"de", "en"}
        assert min(share.values()) >= 0.3 * sum(share.values()), share


def test_every_kb_entry_is_complete_and_says_its_language() -> None:
    found = records()
    assert len({r["id"] for r in found}) == len(found)
    for raw in found:
        record = KBRecord.model_validate(raw)
        assert set(raw) == set(KBRecord.model_fields), record.id
        assert all(raw[name] for name in ("title", "text", "answer", "categories", "keywords", "source", "source_uri"))
        assert record.language in ("de-DE", "en-US") and record.communication_style in ("formal", "informal"), record.id
        assert language.detect(f"{record.text} {record.answer}") == record.language[:2], record.id
    assert sum(isinstance(json.loads(p.read_text(encoding="utf-8")), list) for p in KB.glob("*.json")) == 1
    assert sum(r["categories"][:3] == ["AI-THINK", "AI-Staging", "AI-Synthesis"] for r in found) == 2


@pytest.mark.parametrize("table", [CONTRADICTIONS, LOOKALIKES], ids=["contradictions", "lookalikes"])
def test_planted_facts_stand_verbatim_in_one_line(table: dict[str, tuple[tuple[str, str], ...]]) -> None:
    everything = texts()
    for subject, sides in table.items():
        for where, quote in sides:
            assert any(quote in line for line in everything[where].splitlines()), (subject, where)


def test_contradictions_cross_languages_and_piles() -> None:
    crossing = [
        subject for subject, ((_, a), (_, b)) in CONTRADICTIONS.items() if language.detect(a) != language.detect(b)
    ]
    assert len(CONTRADICTIONS) >= 3 and crossing
    assert any(b.startswith("KB-") and not a.startswith("KB-") for (a, _), (b, _) in CONTRADICTIONS.values())
    for (a, _), (b, _) in CONTRADICTIONS.values():
        assert not {a, b} & set(SUPERSEDED), "a marked supersession would explain the conflict away"


def test_superseded_notes_say_so_in_front_matter_and_text() -> None:
    for path, marks in SUPERSEDED.items():
        for mark in marks:
            assert mark in notes()[path]


def test_what_the_demo_calls_missing_stands_nowhere() -> None:
    for where, text in texts().items():
        for term in NOWHERE:
            assert term not in text.lower(), (term, where)


def test_pools_have_enough_production_sources_and_no_planted_conflict() -> None:
    everything = texts()
    ai = {r["id"] for r in records() if r["categories"][0].startswith("AI-")}
    quoted = {where for sides in CONTRADICTIONS.values() for where, _ in sides}
    for decision, sources in POOLS.items():
        assert 3 <= len(sources) <= 8
        assert not set(sources) & ai
        assert not set(sources) & quoted, decision
        assert sum(len(everything[s]) for s in sources) > 2_500
    assert not any(s.startswith("KB-") for s in POOLS["create"])
    assert [s for s in POOLS["update"] if s.startswith("KB-")] == ["KB-2010"]
    assert [s for s in POOLS["merge"] if s.startswith("KB-")] == ["KB-2013", "KB-2014"]


def test_awkward_files_keep_their_bytes() -> None:
    crlf = (VAULT / "Privat/Kajaktour Saale.md").read_bytes()
    assert crlf.count(b"\r\n") == crlf.count(b"\n") > 10
    for path in VAULT.rglob("*.md"):
        if path.name != "Kajaktour Saale.md":
            assert b"\r" not in path.read_bytes(), path
        assert nfc(path.name) == path.name
    assert not (VAULT / "Privat/Bienen.md").read_bytes().startswith(b"---")


def test_only_reserved_names_and_addresses_are_used() -> None:
    documentation = ("192.0.2.", "198.51.100.", "203.0.113.")
    for where, text in texts().items():
        for address in re.findall(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", text):
            assert address.startswith(documentation), (where, address)
        for host in re.findall(r"\b(?:[a-z0-9-]+\.)+(?:org|com|net|de|eu|io)\b", text):
            assert host == "example.org" or host.endswith(".example.org"), (where, host)
