"""What sources name and leave unsaid becomes a question of its own; what they do say raises none."""

from __future__ import annotations

import pytest

from brain_assets.model.entry import Entry
from brain_assets.model.graph import Contradiction
from brain_assets.model.synthesis import Evidence, GapQuestion
from brain_assets.research.rounds import RoundsResult
from brain_assets.synthesis import consolidate, gaps, pools, rounds, unsaid
from brain_assets.synthesis.landscape import Landscape
from brain_assets.synthesis.targets import Decision
from brain_assets_tests.synthesis import brains


def asked(*sources: Entry) -> list[tuple[str, str]]:
    """(rule, question) of everything the sources leave unsaid."""
    cut = [consolidate.read(e) for e in sources]
    said = [s for c in cut for s in consolidate._statements(c, ())[0]]
    return [(u.reason, u.question) for u in unsaid.find(cut, said)]


CODES = (
    "# Ofensteuerung\n\n**Fehler B-117 \"Regler blockiert\".** Der Regler folgt nicht. Den Regler entriegeln.\n\n"
    "**Fehler B-118 \"Fühler offen\".** Der Fühler ist abgefallen. Stecker prüfen, danach neu starten.\n"
)  # fmt: skip


def test_an_action_nobody_describes_is_asked_for_and_an_everyday_one_is_not() -> None:
    assert asked(brains.note("Ofen.md", "Ofensteuerung", CODES)) == [
        (
            "action named without its means",
            'Wie geht im Einzelnen: Fehler B-117 "Regler blockiert": Den Regler entriegeln?',
        )
    ]


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            "# Waage\n\nZeigt die Waage nach dem Einschalten nicht null an, ist meist die Federplatte verspannt. "
            "Neuere Modelle melden das nicht von selbst.\n",
            "Wie behebt man das: Ist die Federplatte verspannt; Neuere Modelle melden das nicht von selbst?",
        ),
        (
            "# Scale\n\nThe scale cannot be zeroed, usually because the spring plate is under tension.\n",
            "How is this fixed: The scale cannot be zeroed, because the spring plate is under tension?",
        ),
    ],
)
def test_a_fault_with_its_cause_and_no_remedy_is_asked_for(body: str, question: str) -> None:
    assert asked(brains.note("Waage.md", "Waage", body)) == [("cause named without remedy", question)]


@pytest.mark.parametrize(
    "body",
    [
        "# Waage\n\nZeigt die Waage nicht null an, ist meist die Federplatte verspannt. Das Blech lösen und neu setzen.\n",
        "# Waage\n\nZeigt die Waage nicht null an, ist meist die Federplatte verspannt. Dafür ist der Helpdesk da.\n",
        "# Waage\n\nDie Waage steht meist im Lager und ist nicht geeicht für den Verkauf: `eichen --neu` hilft.\n",
    ],
)
def test_a_fault_with_a_remedy_or_somebody_to_tell_is_not(body: str) -> None:
    assert asked(brains.note("Waage.md", "Waage", body)) == []


def test_a_remedy_another_source_gives_counts() -> None:
    fault = "# Waage\n\nZeigt die Waage nicht null an, ist meist die Federplatte verspannt.\n"
    remedy = "# Federplatte\n\n1. Die verspannte Federplatte der Waage lösen.\n2. Die Waage neu setzen.\n"
    assert asked(brains.note("a.md", "Waage", fault), brains.note("b.md", "Federplatte", remedy)) == []


def test_a_restriction_that_points_at_something_nobody_names_is_asked_for() -> None:
    body = "# Relay\n\nLarge attachments are not possible in this mode, split them in your client.\n"
    assert asked(brains.note("Relay.md", "Relay", body)) == [
        ("restriction without its reason", "What does this mean: Large attachments are not possible in this mode?")
    ]
    named = body + "\nThe relay runs in bulk mode.\n"
    assert asked(brains.note("Relay.md", "Relay", named)) == []


def test_a_remedy_for_one_case_without_a_way_on_is_asked_for() -> None:
    body = (
        "# Etiketten drucken\n\n1. Vorlage im Programm wählen.\n2. Bleibt das Etikett blass, die Druckstärke erhöhen.\n"
    )
    question = "Etiketten drucken: Was hilft, wenn das Etikett blass bleibt?"
    assert asked(brains.note("Etiketten.md", "Etiketten drucken", body)) == [
        ("remedy for a case and no way on", question)
    ]
    assert asked(brains.note("E.md", "Etiketten drucken", body + "\nHilft das nicht, zum Helpdesk gehen.\n")) == []


def find(*sources: Entry) -> list[GapQuestion]:
    view = Landscape({e.id: e for e in sources})
    pool = pools.build(view, [e.id for e in sources], Decision("create", None, "test"))
    cut = [consolidate.read(e) for e in sources]
    return gaps.find(pool, cut, [s for c in cut for s in consolidate._statements(c, ())[0]])


@pytest.mark.parametrize(
    "line",
    [
        "Warum der Taktgeber nach dem Umschalten nachgeht, ist bisher nicht bekannt.",
        "Ob der Taktgeber das verträgt, steht noch nicht fest.",
        "Die Grenze des Taktgebers: TBD.",
        "Niemand weiß, warum der Taktgeber nachgeht.",
        "It is not known yet why the Taktgeber runs slow.",
        "Not sure why the Taktgeber runs slow.",
    ],
)
def test_what_a_source_calls_open_about_the_subject_is_critical(line: str) -> None:
    body = f"# Taktgeber\n\nDer Taktgeber steuert das Band.\n\n{line}\n"
    assert [g.critical for g in find(brains.note("Taktgeber.md", "Taktgeber", body))] == [True]


@pytest.mark.parametrize(
    "line",
    [
        "The ticket on the Taktgeber is still open.",
        "Offen ist, wer für den Taktgeber zuständig ist.",
        "Unklar ist, ob das Budget für den Taktgeber reicht.",
    ],
)
def test_open_work_and_internal_matters_are_not(line: str) -> None:
    body = f"# Taktgeber\n\nDer Taktgeber steuert das Band.\n\n{line}\n"
    assert [g.critical for g in find(brains.note("Taktgeber.md", "Taktgeber", body))] == [False]


@pytest.mark.parametrize(
    ("question", "internal"),
    [
        ("Warum meldet sich das Telefon nicht an?", False),
        ("Welche Durchwahl hat der Leitstand?", True),
        ("Why is the browser extension blocked?", False),
        ("Why is the client out of date?", False),
        ("Who approves the order?", True),
        ("Was hilft im Terminal gegen hängende Sitzungen?", False),
    ],
)
def test_only_the_team_knows_owners_numbers_and_money(question: str, internal: bool) -> None:
    assert gaps.internal_only(question) is internal


def test_a_critical_contradiction_is_asked_and_settled_by_evidence() -> None:
    sources = [
        brains.note(f"{n}.md", f"Bandgeschwindigkeit {n}", f"# Band {n}\n\nDas Band läuft mit {v} Metern je Minute.\n")
        for n, v in (("A", 12), ("B", 14), ("C", 12))
    ]
    view = Landscape({e.id: e for e in sources})
    pool = pools.build(view, [e.id for e in sources], Decision("create", None, "test"))
    dispute = Contradiction(
        id="c1", a="note:A.md", b="note:B.md", subject="Bandgeschwindigkeit", kind="number", a_quote="12", b_quote="14",
        a_value="12", b_value="14", confidence=0.9,
    )  # fmt: skip
    base = consolidate.consolidate(pool, sources, [dispute])
    assert base.critical_contradictions == ("c1",)
    gap = base.critical_gaps[0]
    assert gap.question == "Was gilt für Bandgeschwindigkeit: 12 oder 14?"
    proof = Evidence(
        source="web:1", url="https://x.example", quote="Es gelten 12.", start=0, end=13, relevance=0.9, quality=0.9,
        gap_id=gap.id, digest="1",
    )  # fmt: skip
    after = rounds.with_evidence(base, RoundsResult((), {gap.id: (proof,)}))
    assert after.critical_contradictions == () and after.critical_gaps == ()


def test_a_code_of_a_page_reads_as_code() -> None:
    assert rounds._said("```\nnx> pool release --stale 30m\n```") == ("`nx> pool release --stale 30m`", "")
    assert rounds._said("```bash\na\nb\n```") == ("`a`", "a\nb")
    assert rounds._said("2. Neu anstoßen:\n\n```\nkx run --all\n```") == ("Neu anstoßen: `kx run --all`", "")
    assert rounds._said("Erst:\n\n```\na\nb\n```") == ("Erst:", "a\nb")
    assert rounds._said("Ein Satz\nmit Umbruch.") == ("Ein Satz mit Umbruch.", "")


def test_the_labelled_items_of_a_fault_are_its_cases() -> None:
    items = "- **no such device:** Das Kabel sitzt nicht.\n- **busy:** Ein anderer Lauf hält die Waage.\n"
    fault = brains.note("Waage.md", "Waage antwortet nicht", f"# Waage antwortet nicht\n\nDie Waage bleibt stumm.\n\n{items}")  # fmt: skip
    plain = brains.note("Wägeraum.md", "Wägeraum", f"# Wägeraum\n\n{items}")
    kinds = [{s.subject: s.kind for s in consolidate._statements(consolidate.read(e), ())[0]} for e in (fault, plain)]
    assert kinds[0]["no such device"] == kinds[0]["busy"] == "case"
    assert kinds[1]["busy"] == "item"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Unklar ist uns bis heute, mit welchem Befehl man die ganze Kette sieht.",
            "Mit welchem Befehl man die ganze Kette sieht",
        ),
        ("We do not know how the antenna is tuned again.", "How the antenna is tuned again"),
        ("Offene Frage: Wie stellt man das ab?", "Wie stellt man das ab?"),
        ("Die Ursache ist noch nicht bekannt.", "Die Ursache ist noch nicht bekannt."),
    ],
)
def test_an_open_point_is_asked_without_the_words_that_call_it_open(text: str, question: str) -> None:
    assert gaps.asked(text) == question
