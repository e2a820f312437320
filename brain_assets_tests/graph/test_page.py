"""The page: what it shows of a graph, and that a person can find the way in it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brain_assets.graph import export, page
from brain_assets.settings import Settings
from brain_assets.store.catalogue import Catalogue
from brain_assets_tests.browser import webdriver
from brain_assets_tests.browser.webdriver import Browser
from brain_assets_tests.graph.test_export import built

__all__ = ["built"]


def node(name: str, topic: str | None, kind: str = "note") -> dict[str, Any]:
    return {"id": name, "title": name.upper(), "kind": kind, "path": None, "topic": topic, "topic_label": topic or ""}


def edge(a: str, b: str, relation: str = "same_topic", sure: float = 0.8) -> dict[str, Any]:
    quotes = {"source_quote": f"{a} says", "target_quote": f"{b} says", "reason": "because"}
    return {"source": a, "target": b, "relation": relation, "confidence": sure, **quotes}


def ring(count: int, topics: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    nodes = [node(f"n{i:03}", f"t{i % topics}") for i in range(count)]
    return nodes, [edge(f"n{i:03}", f"n{(i + 1) % count:03}") for i in range(count)]


def test_of_too_many_edges_the_most_telling_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_EDGES", 3)
    nodes = [node("a", "t"), node("b", "t"), node("c", "t")]
    edges = [edge("a", "b", "references", 1.0), edge("a", "c", "same_topic", 0.9), edge("b", "c", "contradicts", 0.6),
             edge("c", "a", "depends_on", 0.5)]  # fmt: skip
    shown = page.view(nodes, edges)
    assert [e["relation"] for e in shown["edges"]] == ["contradicts", "depends_on", "same_topic"]
    assert (shown["entries"], shown["total"]) == (3, 4)


def test_ties_between_topics_are_drawn_on_demand_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [node("a", "t"), node("b", "t"), node("c", "u")]
    edges = [edge("a", "b"), edge("a", "c"), edge("b", "c", "contradicts")]
    weak = {(e["source"], e["target"]): e["weak"] for e in page.view(nodes, edges)["edges"]}
    assert not any(weak.values())
    monkeypatch.setattr(page, "_MANY_EDGES", 2)
    weak = {(e["source"], e["target"]): e["weak"] for e in page.view(nodes, edges)["edges"]}
    assert weak == {("a", "b"): False, ("a", "c"): True, ("b", "c"): False}
    monkeypatch.setattr(page, "_GRAVE_DRAWN", 0)
    assert all(e["weak"] for e in page.view(nodes, edges)["edges"] if e["target"] == "c")


def test_topics_stand_for_entries_with_examples_of_what_lies_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_NODES", 10)
    nodes, edges = ring(30, 3)
    shown = page.view(nodes, [*edges, edge("n000", "n001", "contradicts")])
    [conflict] = [e for e in shown["edges"] if e["relation"] == "contradicts"]
    assert conflict["examples"] == [["N000", "n000 says", "N001", "n001 says"]] and not conflict["weak"]
    assert sum(e["count"] for e in shown["edges"]) == 31
    assert all([m[0] for m in n["members"]] == sorted(m[0] for m in n["members"]) for n in shown["nodes"])
    assert shown["aggregated"] and shown["entries"] == 30


def test_parts_of_a_topic_stand_together_in_one_hue() -> None:
    nodes, edges = ring(60, 6)
    above = [{"id": "big", "label": "Big", "parent": None}]
    parts = [{"id": f"t{n}", "label": f"t{n}", "parent": "big" if n < 3 else None} for n in range(6)]
    shown = page.view(nodes, edges, [*above, *parts])
    assert shown["groups"] == [{"id": "big", "label": "Big"}]
    at = {t["id"]: t for t in shown["topics"]}
    assert [at[f"t{n}"]["parent"] for n in range(6)] == ["big"] * 3 + [None] * 3
    middle = [sum(at[f"t{n}"][k] for n in range(3)) / 3 for k in "xy"]
    far = {n: (at[f"t{n}"]["x"] - middle[0]) ** 2 + (at[f"t{n}"]["y"] - middle[1]) ** 2 for n in range(6)}
    assert max(far[n] for n in range(3)) < min(far[n] for n in range(3, 6))
    assert len({at[f"t{n}"]["color"] for n in range(6)}) == 6


def test_a_contradiction_is_told_with_its_edge() -> None:
    finding = {"id": "c-1", "a": "b", "b": "a", "status": "open", "subject": "Tank", "a_value": "3", "b_value": "2"}
    shown = page.view(
        [node("a", None), node("b", None)], [edge("a", "b", "contradicts"), edge("a", "b")], (), [finding]
    )
    assert [e["findings"] for e in shown["edges"]] == [["c-1 (open) Tank: 3 | 2"], []]


def test_what_the_page_holds_is_the_view_packed() -> None:
    nodes, edges = ring(12, 2)
    shown = page.view(nodes, edges)
    data = re.search(r'id="data">(.*?)</script>', page.render(shown), re.S)
    assert data is not None
    held = json.loads(data[1])
    first, row = shown["edges"][0], held["edges"][0]
    assert (held["nodes"][row[0]]["id"], held["nodes"][row[1]]["id"]) == (first["source"], first["target"])
    assert list(held["relations"])[row[2]] == first["relation"]
    assert [held["texts"][n] for n in row[5:8]] == [first[k] for k in ("source_quote", "target_quote", "reason")]


def test_colours_of_one_lightness() -> None:
    assert page.colour(1.0, 0.0, 0.0) == "#ffffff"
    assert page.colour(0.0, 0.0, 0.0) == "#000000"
    assert page.colour(0.628, 0.2577, 29.23) in ("#ff0000", "#fe0000"), "red, as the source of the formula gives it"


def test_both_languages_say_the_same_things() -> None:
    words = page._read("words.js")
    english, german = (re.findall(r'(?:^|[{,])\s*"?([\w-]+)"?: ', part, re.M) for part in words.split("  de: {"))
    assert english[english.index("map") :] == german
    assert all(words.count(f"{name}: [") == 2 for name in page.RELATIONS)


WEBGL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    if missing := webdriver.missing():
        pytest.skip(f"not installed: {', '.join(missing)}")
    monkeypatch.setattr(webdriver, "_FLAGS", (*webdriver._FLAGS, *WEBGL))
    with webdriver.browser(tmp_path / "profile", tmp_path / "shots") as opened:
        yield opened
    shutil.rmtree(tmp_path / "profile", ignore_errors=True)


@pytest.mark.browser
def test_a_person_finds_the_way_by_keyboard_and_by_mouse(
    built: Catalogue, settings: Settings, tmp_path: Path, window: Browser
) -> None:
    export.html(built, settings, tmp_path / "g.html")
    window.open((tmp_path / "g.html").as_uri())
    window.wait("the page", lambda: window.script("return document.body.dataset.ready"))
    assert "4 entries; 2 of 3 edges drawn" in window.text()

    def key(where: str, name: str) -> None:
        window.script(
            "document.querySelector(arguments[0]).dispatchEvent(new KeyboardEvent('keydown', {key: arguments[1], bubbles: true}))",
            where, name,
        )  # fmt: skip

    key("body", "/")
    assert window.script("return document.activeElement.id") == "search"
    window.paste("kb-1")
    window.wait("a hit", lambda: window.elements("//ul[@id='hits']//button"))
    assert window.script("return document.getElementById('search').getAttribute('aria-expanded')") == "true"
    key("#search", "Enter")
    told = window.wait_text("Drei", "KB entry", "depends on", "0.60 sure")
    assert "“" not in told and window.script("return location.hash") == "#kb%3AKB-1"
    key("body", "Escape")
    assert window.script("return document.getElementById('detail').hidden")
    window.click("//div[@id='relations']//button[.='contradicts']")
    window.wait_text("Both cannot be right", "Eins")
    window.click("//button[@id='language']")
    assert "widerspricht" in window.text() and window.script("return document.documentElement.lang") == "de"
    window.script("const r = document.getElementById('confidence'); r.value = 0.7; r.dispatchEvent(new Event('input'))")
    window.wait_text("1 von 3 Kanten gezeichnet")
    window.click("//div[@id='relations']//input[@aria-label='verweist auf']")
    window.wait_text("2 von 3 Kanten gezeichnet")
    assert window.script("return [...document.querySelectorAll('button, input')].every((b) => b.textContent.trim() || b.getAttribute('aria-label') || b.labels.length)")  # fmt: skip
