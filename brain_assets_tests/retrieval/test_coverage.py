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
