"""Coverage is honest: on the project's own sample, by words alone and with the fast vectors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brain_assets.operation import pipeline
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import load
from brain_assets_tests.conftest import ROOT

ANSWERED = """Wie lange werden Backups aufgehoben?
How long are backups kept?
Was tue ich, wenn der Druckauftrag in der Warteschlange hängt?
Why does the VPN not connect in a hotel?
Wie richte ich WireGuard auf dem Notebook ein?
On which port does WireGuard listen?
Mein Postfach ist voll
How do I change my password?
Ich habe meinen zweiten Faktor verloren
Wie stelle ich eine gelöschte Datei wieder her?
set up company mail on a phone
Wer hat Bereitschaft und wie werden Alarme weitergeleitet?
guest Wi-Fi access for visitors
Wie vergrößere ich den Datenträger eines Servers?
What happened in the mail outage in September?
Zertifikat eines Geräts erneuern
upgrade plan for the k3s cluster
Was brauche ich am ersten Arbeitstag?""".splitlines()
FOREIGN = """Wie backe ich ein Sauerteigbrot?
best marinade for grilled salmon
Abseitsregel im Fußball erklärt
history of the Roman senate
Ursachen des Dreißigjährigen Krieges
symptoms of appendicitis
Hausmittel gegen Husten
Kündigungsfrist bei Eigenbedarf im Mietrecht
tax deduction for charity donations
how do black holes evaporate
Edelgase im Periodensystem
chords for a blues in E
knitting pattern for socks
Rosen schneiden im Frühjahr
dog training recall command
Sehenswürdigkeiten in Prag
Aufgaben des Bundesrats
inflation and interest rates
Goethes Faust und die Gretchenfrage
Reifendruck beim Wohnmobil
conjugation of French verbs
Dinosaurier der Kreidezeit
wine pairing with lamb
Frisuren für dünnes Haar""".splitlines()


NEARBY = """Wie bringe ich ein Debian-Paket in die Distribution?
Which licences count as free software?
Was ist der Unterschied zwischen stable, testing und unstable?
How do I change the desktop background?
Bildschirmlupe an die Mausposition binden
How do I calibrate a colour profile for my scanner?
Wie ändere ich die Helligkeit der Tastaturbeleuchtung?
Emoji mit der Tastatur eingeben
How do I write a Kafka consumer in Rust?
Indexfragmentierung in Oracle beheben
Which GPU driver does Blender need?
Wie signiere ich eine App für den App Store?
React hooks and stale closures
SAP-Transportauftrag freigeben
Wie partitioniere ich eine ClickHouse-Tabelle?
pair bluetooth headphones""".splitlines()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    settings = load(
        data_dir=tmp_path_factory.mktemp("covered") / "data", vault_dir=ROOT / "data" / "vault",
        kb_dir=ROOT / "data" / "kb", vector_sets="usem3", now="2026-12-01",
    )  # fmt: skip
    with pipeline.writing(settings) as run:
        pipeline.sync(run)
    yield Searcher.open(settings)


@pytest.mark.parametrize(("mode", "answered"), [("lexical", 0.7), ("hybrid", 0.9)])
def test_what_the_brain_knows_is_good_and_what_it_does_not_is_not(sample: Searcher, mode: str, answered: float) -> None:
    def well_covered(queries: list[str]) -> float:
        found = [sample.search(query, mode=mode, top=3).coverage for query in queries]  # type: ignore[arg-type]
        return found.count("good") / len(queries)

    assert well_covered(ANSWERED) >= answered
    assert well_covered(FOREIGN) <= 0.05
    assert well_covered(NEARBY) <= 0.15


def test_a_title_typed_out_is_known(sample: Searcher) -> None:
    titles = [hit.title for hit in sample.search("WireGuard", mode="lexical", top=5).hits]
    assert titles and {sample.search(title).coverage for title in titles} == {"good"}
