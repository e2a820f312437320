"""The graph for other tools, and the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import insert

from brain_assets.errors import ConfigurationError
from brain_assets.graph import export, layout, page
from brain_assets.settings import Settings
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue
from brain_assets_tests.graph.brains import fill, kb, note

EVIL = '</script><script>document.body.dataset.evil="yes"</script><img src=x onerror="document.body.dataset.evil=1">'


@pytest.fixture
def built(cat: Catalogue) -> Catalogue:
    found = [
        note("A", f"Eins {EVIL}", title=f"=cmd() {EVIL}"), note("B", "Zwei \x0b mit Steuerzeichen"), kb("KB-1", "Drei", "x", "y"),
        note("C", "Vier"),
    ]  # fmt: skip
    fill(cat, found)
    rows = [
        ("note:A.md", "note:B.md", "contradicts", 0.8, "Eins", "Zwei \x0b"), ("note:B.md", "kb:KB-1", "depends_on", 0.6, "q", "r"),
        ("note:A.md", "note:B.md", "references", 1.0, "[[B]]", ""), ("note:A.md", "note:gone.md", "same_topic", 0.9, "q", "r"),
    ]  # fmt: skip
    names = ("source", "target", "relation", "confidence", "source_quote", "target_quote")
    with cat.begin() as connection:
        more = {"origin": "relations", "judge": "deterministic", "reason": EVIL}
        connection.execute(insert(s.edges), [dict(zip(names, row, strict=True)) | more for row in rows])
        connection.execute(insert(s.topics).values(id="topic-1", label="Eins · Zwei", terms="[]", parent=None))
        members = [{"entry_id": f"note:{n}.md", "topic_id": "topic-1"} for n in "AB"]
        connection.execute(insert(s.topic_members), [*members, {"entry_id": "note:C.md", "topic_id": "outliers"}])
    return cat


def test_the_networkx_graph_has_live_entries_and_their_attributes(built: Catalogue) -> None:
    with built.read() as connection:
        graph = export.networkx(connection)
    assert set(graph) == {"note:A.md", "note:B.md", "note:C.md", "kb:KB-1"}
    assert graph.nodes["note:A.md"]["topic_label"] == "Eins · Zwei"
    assert graph.number_of_edges("note:A.md", "note:B.md") == 2
    assert not graph.has_node("note:gone.md")


@pytest.mark.parametrize("ending", [".graphml", ".json", ".html"])
def test_each_format_is_written_whole(built: Catalogue, settings: Settings, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"graph{ending}"
    counts = export.write(built, settings, target)
    assert counts == {"nodes": 4, "edges": 3}
    assert target.stat().st_size > 100


def test_graphml_reads_back(built: Catalogue, settings: Settings, tmp_path: Path) -> None:
    import networkx as nx

    export.write(built, settings, tmp_path / "g.graphml")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    assert graph.number_of_nodes() == 4
    assert graph.nodes["note:A.md"]["title"].startswith("=cmd()")


def test_csv_cells_are_no_formulas(built: Catalogue, settings: Settings, tmp_path: Path) -> None:
    import pandas as pd

    export.write(built, settings, tmp_path / "g.csv")
    nodes = pd.read_csv(tmp_path / "g.nodes.csv")
    assert len(nodes) == 4
    assert nodes.set_index("id").loc["note:A.md", "title"].startswith("'=cmd()")
    assert len(pd.read_csv(tmp_path / "g.edges.csv")) == 3


def test_an_unknown_ending_is_refused_with_the_known_ones(built: Catalogue, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"\.graphml"):
        export.write(built, settings, tmp_path / "graph.xls")


def test_the_page_is_one_file_that_asks_for_nothing(built: Catalogue, settings: Settings, tmp_path: Path) -> None:
    export.html(built, settings, tmp_path / "g.html")
    text = (tmp_path / "g.html").read_text(encoding="utf-8")
    markup = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert not re.search(r"(?:src|href)=", markup)
    assert "default-src 'none'" in markup
    assert "MIT License" in text and "sigma.js" in text
    assert text.count("</script>") == 6
    assert EVIL not in text
    data = re.search(r'id="data">(.*?)</script>', text, re.S)
    assert data is not None
    assert json.loads(data[1])["nodes"][1]["id"] == "note:A.md"


def test_too_many_entries_are_drawn_as_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_NODES", 10)
    nodes = [
        {
            "id": f"n{i}",
            "title": f"T{i}",
            "kind": "note",
            "path": None,
            "topic": f"t{i % 3}",
            "topic_label": f"L{i % 3}",
        }
        for i in range(30)
    ]
    edges = [
        {"source": f"n{i}", "target": f"n{i + 1}", "relation": "same_topic", "confidence": 0.8, "source_quote": "a",
         "target_quote": "b", "reason": ""}
        for i in range(29)
    ]  # fmt: skip
    view = page.view(nodes, edges)
    assert view["aggregated"] and len(view["nodes"]) == 3
    assert sum(e["count"] for e in view["edges"]) == 29
    assert all(len(n["members"]) == 10 for n in view["nodes"])


def test_places_are_apart_and_always_the_same() -> None:
    groups = {f"t{g}": [f"t{g}-{n}" for n in range(20 + 10 * g)] for g in range(6)}
    ties = {("t0", "t1"): 5.0, ("t2", "t3"): 1.0}
    at = layout.place(groups, ties)
    assert at == layout.place(groups, ties)
    spots = list(at.values())
    assert len(set(spots)) == len(spots)
    nearest = min((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for i, a in enumerate(spots) for b in spots[:i])
    assert nearest > 0.3
    assert layout.place({}, {}) == {}


@pytest.mark.browser
def test_the_page_draws_in_a_browser_and_runs_nothing_from_notes(
    built: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    export.html(built, settings, tmp_path / "g.html")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
               "--enable-unsafe-swiftshader", "--virtual-time-budget=5000", f"--user-data-dir={tmp_path / 'profile'}"]  # fmt: skip
    command = [chromium, *options, "--dump-dom", (tmp_path / "g.html").as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    body = re.search(r"<body[^>]*>", dom)
    assert body is not None
    assert 'data-ready="yes"' in body[0]
    assert "data-evil" not in body[0]
    assert "4 entries; 2 of 3 edges drawn" in dom


def test_parquet_holds_what_the_graph_holds(built: Catalogue, settings: Settings, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    import pandas as pd

    assert export.write(built, settings, tmp_path / "g.parquet") == {"nodes": 4, "edges": 3}
    nodes, edges = (pd.read_parquet(tmp_path / f"g.{name}.parquet") for name in ("nodes", "edges"))
    assert tuple(nodes.columns) == export.NODE and tuple(edges.columns) == export.EDGE
    with built.read() as connection:
        assert edges.to_dict("records") == export.edges(connection)
    assert nodes["title"][nodes["id"] == "note:A.md"].item().startswith("=cmd()")  # data for programs, as it is
    assert edges["confidence"].dtype == "float64"


def test_an_empty_graph_is_a_table_with_its_columns(cat: Catalogue, settings: Settings, tmp_path: Path) -> None:
    import pandas as pd

    assert export.write(cat, settings, tmp_path / "g.csv") == {"nodes": 0, "edges": 0}
    assert tuple(pd.read_csv(tmp_path / "g.edges.csv").columns) == export.EDGE
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    export.write(cat, settings, tmp_path / "g.parquet")
    assert tuple(pd.read_parquet(tmp_path / "g.nodes.parquet").columns) == export.NODE


def test_half_a_character_does_not_stop_parquet() -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    assert export.parquet([{"id": "note:\udce4.md"}], ("id",))


def test_parquet_without_its_package_names_the_extra(
    built: Catalogue, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match="pyarrow") as error:
        export.write(built, settings, tmp_path / "g.parquet")
    assert "brain-assets[parquet]" in str(error.value.remedy)
    assert not list(tmp_path.glob("g.*.parquet"))


def test_what_is_written_reads_back_whole(built: Catalogue, settings: Settings, tmp_path: Path) -> None:
    import networkx as nx
    import pandas as pd

    with built.read() as connection:
        nodes, edges, topics = export.nodes(connection), export.edges(connection), export.topics(connection)
    for ending in (".graphml", ".csv", ".json"):
        export.write(built, settings, tmp_path / f"g{ending}")

    def xml(value: object) -> object:
        return value.replace("\x0b", "") if isinstance(value, str) else value  # XML has no such character

    graph = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert dict(graph.nodes(data=True)) == {
        n["id"]: {k: xml(v) for k, v in n.items() if k != "id" and v is not None} for n in nodes
    }
    read = [{"source": a, "target": b, **data} for a, b, data in graph.edges(data=True)]
    by_ends = sorted(read, key=lambda e: (e["source"], e["target"], e["relation"]))
    assert [{k: e[k] for k in export.EDGE} for e in by_ends] == [{k: xml(v) for k, v in e.items()} for e in edges]

    held = json.loads((tmp_path / "g.json").read_text("utf-8"))
    assert held == {"nodes": nodes, "edges": edges, "topics": topics}

    def cells(name: str) -> list[dict[str, object]]:
        frame = pd.read_csv(tmp_path / f"g.{name}.csv", keep_default_na=False)
        rows: list[dict[str, object]] = frame.to_dict("records")
        return rows

    def cell(value: object) -> object:
        quoted = isinstance(value, str) and value[:1] in ("=", "+", "-", "@")
        return "'" + str(value) if quoted else "" if value is None else value

    assert cells("nodes") == [{k: cell(v) for k, v in n.items()} for n in nodes]
    assert cells("edges") == [{k: cell(v) for k, v in e.items()} for e in edges]
