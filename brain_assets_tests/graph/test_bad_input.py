"""Entries that are too big, too many, alike, in circles or at odds with themselves: handled, and bounded."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from sqlalchemy import func, select

from brain_assets.graph import candidates, relations, salience, topics
from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue
from brain_assets_tests.graph.brains import edges, fill, judged, note

Compare = Callable[[Iterable[Entry]], Any]


@pytest.fixture
def compare(cat: Catalogue, settings: Settings) -> Compare:
    """Put entries in, compare them without vectors, make topics; CPU seconds and growth of memory are bounded."""

    def run(found: Iterable[Entry]) -> Any:
        fill(cat, found)
        before, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        report = relations.update(cat, settings.model_copy(update={"vector_sets": ()}))
        topics.update(cat, settings)
        seconds, grown = time.process_time() - cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{seconds:.1f} CPU s, {grown // 1024} MB more")  # shown with pytest -s
        assert report.failed == 0
        assert seconds < 40
        assert grown < 600_000
        return report

    return run


def test_a_note_of_five_megabytes(compare: Compare, cat: Catalogue) -> None:
    sentence = "Der Lüfter im Schrank {} dreht mit {} Umdrehungen. "
    long = "".join(sentence.format(n, 900 + n % 7) for n in range(100_000))
    assert len(long) > 5_000_000
    compare([note("long", long), note("b", "Der Lüfter im Schrank 1 dreht mit 700 Umdrehungen.\n")])
    with cat.read() as connection:
        assert max(len(r.terms) for r in connection.execute(select(s.entry_terms))) <= 4 * salience.MAX_TERMS
        assert connection.execute(select(func.count()).select_from(s.contradictions)).scalar_one() < 200
    assert len(judged(cat)) <= 1


def test_a_table_of_ten_thousand_rows(compare: Compare, cat: Catalogue) -> None:
    rows = "\n".join(f"| srv{n:05} | 10.0.{n // 256}.{n % 256} | {n % 64} GB | {'ja' if n % 2 else 'nein'} |" for n in range(10_000))  # fmt: skip
    table = "| Host | Adresse | Speicher | Backup |\n|---|---|---|---|\n" + rows
    compare(
        [note("Server", table), note("srv00007", "Der Server srv00007 hat 8 GB Speicher.\n"), note("c", "Anderes.")]
    )
    assert len(judged(cat)) <= 3
    with cat.read() as connection:
        assert connection.execute(select(func.count()).select_from(s.contradictions)).scalar_one() < 200


def test_three_thousand_identical_notes(compare: Compare, cat: Catalogue) -> None:
    text = "Die Pumpe steht im Keller und läuft nachts.\n"
    report = compare(note(f"c{n:04d}", text, title="Pumpe") for n in range(3000))
    assert report.details["edges"] == {"duplicates": 2999}
    assert report.details["decisions"] == 0, "copies are not compared"
    assert {source for source, _, _ in edges(cat)} == {"note:c0000.md"}


@pytest.mark.parametrize("count", [2000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_an_entry_that_thousands_of_others_link_to(compare: Compare, cat: Catalogue, count: int) -> None:
    linkers = (note(f"n{n:05d}", f"Eintrag w{n}x. Zurück zu [[Start]].\n", title=f"w{n}x") for n in range(count))
    report = compare([note("Start", "Willkommen.\n"), *linkers])
    assert report.details["edges"]["references"] == count
    assert sum("note:Start.md" in pair for pair in judged(cat)) < candidates.HUB


def test_a_circle_of_embeds(compare: Compare, cat: Catalogue) -> None:
    ring = [note(f"r{n}", f"Teil {n} des Ringes: ![[r{(n + 1) % 5}]] ![[r{n}]]\n") for n in range(5)]
    compare(ring)
    found = {(a, b) for a, b, relation in edges(cat) if relation == "references"}
    assert found == {(f"note:r{n}.md", f"note:r{(n + 1) % 5}.md") for n in range(5)}


def test_front_matter_that_contradicts_itself_and_the_text(compare: Compare, cat: Catalogue) -> None:
    old = note("Tank alt", "Gültig ab heute. Der Tank im Hof fasst 3.000 Liter.\n", status="veraltet", tags=("aktuell",), type="veraltet")  # fmt: skip
    compare([old, note("Tank", "Der Tank im Hof fasst 2.500 Liter.\n", tags=("veraltet", "aktuell"))])
    with cat.read() as connection:
        assert connection.execute(select(func.count()).select_from(s.contradictions)).scalar_one() == 0, (
            "the status counts"
        )


def test_both_directions_at_once(compare: Compare, cat: Catalogue) -> None:
    a = note("Regel A", "Ersetzt durch [[Regel B]]. Der Hof ist um 22 Uhr zu schließen.\n")
    b = note("Regel B", "Ersetzt durch [[Regel A]]. Der Hof ist um 22 Uhr zu schließen.\n")
    compare([a, b])
    pair = [(x, y, r) for x, y, r in edges(cat) if r != "references"]
    assert len(pair) <= 1, "one edge of a pair, in one direction"
    assert len([r for *_, r in edges(cat) if r == "references"]) == 2
