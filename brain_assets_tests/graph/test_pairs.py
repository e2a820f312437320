"""Two bare texts, judged as entries would be."""

from __future__ import annotations

import pytest

from brain_assets.graph import pairs


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("The cat is on the sofa.", "The cat is not on the sofa.", "negation"),
        ("Er war mit der Arbeit zufrieden.", "Er war mit der Arbeit nicht zufrieden.", "negation"),
        ("Sie hat nie in Paris gelebt.", "Sie lebte in Paris.", "negation"),
        ("Das Museum wurde 1901 gegründet.", "The museum was founded in 1911.", "date"),
        ("Two men are playing chess.", "Three men are playing chess.", "number"),
        ("The drug increases blood pressure in mice.", "The drug decreases blood pressure in mice.", "status"),
    ],
)
def test_contradictions(a: str, b: str, kind: str) -> None:
    verdict = pairs.judge(a, b)
    assert verdict["relation"] == "contradicts"
    assert verdict["contradiction"]["kind"] == kind
    assert not verdict["duplicate"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("In 1975 the company moved from Bonn to Berlin.", "In 1975 the company relocated from Bonn to Berlin."),
        ("Das Museum wurde 1901 gegründet.", "The museum was founded in 1901."),
        ("Der Kurs dauert zwei Wochen.", "Der Kurs dauert 14 Tage."),
    ],
)
def test_duplicates(a: str, b: str) -> None:
    verdict = pairs.judge(a, b)
    assert verdict["duplicate"] and verdict["contradiction"] is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The company moved from Bonn to Berlin in 1975.", "The company moved from Berlin to Bonn in 1975."),
        ("Anna besiegte Berta im Finale.", "Berta besiegte Anna im Finale."),
        ("Das Auto ist rot.", "Das Haus ist nicht blau."),
        ("The new rights are nice enough.", "Everyone really likes the newest benefits."),
        ("Der Kurs dauert zwei Wochen.", "Der Kurs ist gut besucht."),
    ],
)
def test_neither(a: str, b: str) -> None:
    verdict = pairs.judge(a, b)
    assert not verdict["duplicate"] and verdict["contradiction"] is None


@pytest.mark.parametrize(("a", "b"), [("", ""), ("x", ""), ("  \n", "Ein Satz."), ("😀", "🎉"), ("\x00", "\x00")])
def test_odd_texts_get_a_verdict(a: str, b: str) -> None:
    verdict = pairs.judge(a, b)
    assert set(verdict) == {"relation", "direction", "contradiction", "duplicate", "confidence"}
    assert 0 <= verdict["confidence"] <= 1
