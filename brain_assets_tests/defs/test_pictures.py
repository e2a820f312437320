"""The small pictures: right to the number, terse enough to be shown at once, and harmless whatever a label holds."""

from __future__ import annotations

import datetime as dt
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from sqlalchemy import insert

from brain_assets.defs import figures, pictures
from brain_assets.operation import pipeline
from brain_assets.store import schema
from brain_assets.store.catalogue import Catalogue

_SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "](http://203.0.113.1/x.png) ![y](http://203.0.113.1/y.png)", "<script>alert(1)</script>", "a & b ' \" > c",
    "back\\slash`code`", "zwei\nZeilen\x00\x1b[31m", "%3Cimg%20src=x%3E", "größte Übersicht 日本語", "\ud800 allein", "",
]  # fmt: skip


def _read(markdown: str) -> tuple[str, ElementTree.Element]:
    """(alternative text, drawing) of Markdown that holds one image and nothing else, as a reader of Markdown sees it."""
    reader = MarkdownIt("gfm-like", {"linkify": False})
    reader.validateLink = lambda url: True  # type: ignore[method-assign]
    (_, inline, _) = reader.parse(markdown)
    (image,) = inline.children or []
    assert image.type == "image"
    head, _, drawing = str(image.attrs["src"]).partition(",")
    assert head == "data:image/svg+xml"
    return image.content, ElementTree.fromstring(unquote(drawing))


def _texts(drawing: ElementTree.Element) -> list[str]:
    return [part.text or "" for part in drawing.iter(f"{_SVG}tspan")]


def _lengths(drawing: ElementTree.Element) -> list[int]:
    (path,) = drawing.iter(f"{_SVG}path")
    return [int(stroke.partition("h")[2]) for stroke in path.attrib["d"].split("M")[1:]]


def test_bars_are_as_long_as_their_numbers() -> None:
    said, drawing = _read(pictures.bars("Edges by type", {"references": 200, "supports": 100, "part_of": 1, "x": 0}))
    assert said.replace("\\", "") == "Edges by type: references: 200; supports: 100; part_of: 1; x: 0"
    assert _texts(drawing) == ["references: 200", "supports: 100", "part_of: 1", "x: 0"]
    whole, half, least, none = _lengths(drawing)
    assert (whole, none) == (2 * half, 0) and 0 < least < half


def test_a_funnel_is_centred() -> None:
    _, drawing = _read(pictures.funnel("Funnel", {"pools": 4, "staged": 2}))
    (path,) = drawing.iter(f"{_SVG}path")
    (first, _), (second, _) = (stroke.split(" ") for stroke in path.attrib["d"].split("M")[1:])
    long, short = _lengths(drawing)
    assert int(second) - int(first) == (long - short) // 2


@pytest.mark.parametrize("label", HOSTILE)
def test_no_label_leaves_its_picture(label: str) -> None:
    markdown = pictures.bars(label, {label: 3, "sauber": 1})
    said, drawing = _read(markdown)
    shown = pictures._short(label)
    assert _texts(drawing) == [f"{shown}: 3", "sauber: 1"]
    assert {element.tag for element in drawing.iter()} == {_SVG + t for t in ("svg", "path", "text", "tspan")}
    assert "\n" not in said and "\x1b" not in markdown


def test_the_funnel_and_common_pictures_are_shown_without_a_click() -> None:
    funnel = {"pools": 1244, "consolidated": 944, "researched": 744, "drafted": 645, "staged": 455, "approved": 255}
    assert len(pictures.funnel("From pools to articles", funnel)) < pictures.INLINE
    kinds = ("references", "same_topic", "supports", "depends_on", "contradicts", "duplicates", "supersedes", "part_of")
    edges = pictures.bars("Edges by type", {kind: 1000 - n for n, kind in enumerate(kinds)})
    assert len(edges) < pictures.INLINE


def test_what_is_cut_is_counted() -> None:
    said, drawing = _read(pictures.bars("Topics", {f"Thema {n}": 100 - n for n in range(40)}))
    drawn = len(_lengths(drawing))
    assert 5 <= drawn <= 12
    assert said.endswith(f"; {40 - drawn} more") and _texts(drawing)[-1] == f"… {40 - drawn} more"
    said, drawing = _read(pictures.bars("Topics", {f"{n} " + "Ä&B" * 9: 1 for n in range(40)}, most=8))
    assert len(_lengths(drawing)) == 8, "long names do not fit into the row: all that are wanted, behind a click"


def test_nothing_to_draw_is_said(cat: Catalogue) -> None:
    assert pictures.bars("x", {}) == "" == pictures.funnel("x", {"a": 0})
    with cat.read() as connection:
        for asset in pipeline.STAGES:
            assert figures.metadata(connection, asset)["picture"].value == "Nothing to draw yet."


def test_the_figures_are_those_of_the_catalogue(cat: Catalogue) -> None:
    def edge(number: int, relation: str, origin: str = "relations") -> dict[str, object]:
        return {"source": f"note:{number}", "target": "note:0", "relation": relation, "origin": origin,
                "confidence": 0.9, "judge": "rules"}  # fmt: skip

    edges = [edge(1, "supports"), edge(2, "supports"), edge(3, "references"), edge(4, "proposes_update", "articles")]
    members = [
        {"entry_id": f"note:{n}", "topic_id": "outliers" if n == 9 else "a" if n < 2 else "b"} for n in range(10)
    ]
    topics = [{"id": topic, "label": "VPN", "terms": "[]"} for topic in "ab"]
    with cat.begin() as connection:
        connection.execute(insert(schema.edges), edges)
        connection.execute(insert(schema.topics), topics)
        connection.execute(insert(schema.topic_members), members)
    with cat.read() as connection:
        found = figures.metadata(connection, "relation_edges")
        assert found["figures"].value == {
            "Edges by type": {"supports": 2, "references": 1},
            "Contradictions by kind": {},
        }
        assert str(found["picture"].value).startswith("![Edges by type: supports: 2; references: 1](")
        assert figures.metadata(connection, "topic_clusters")["figures"].value == {
            "Topics by size": {"VPN": 7, "VPN (a)": 2}
        }


def test_notes_by_year_begin_with_the_newest(cat: Catalogue) -> None:
    def note(name: str, day: dt.date | None) -> dict[str, object]:
        return {"id": f"note:{name}", "kind": "note", "title": name, "language": "de", "date": day, "ai_origin": False,
                "generation_depth": 0, "content_digest": name, "text_digest": name, "document_digest": name, "body": "",
                "document": "{}"}  # fmt: skip

    days = [None, dt.date(2024, 1, 1), dt.date(2026, 5, 1), dt.date(2026, 12, 31)]
    with cat.begin() as connection:
        connection.execute(insert(schema.entries), [note(str(n), day) for n, day in enumerate(days)])
    with cat.read() as connection:
        found = figures.metadata(connection, "vault_notes")["figures"].value
    assert found == {"Notes by year": {"2026": 2, "2024": 1, "no date": 1}}
    assert list(found["Notes by year"]) == ["2026", "2024", "no date"]
