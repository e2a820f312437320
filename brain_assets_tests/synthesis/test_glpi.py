"""GLPI's articles come in whole or not at all, and approved articles go out as drafts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brain_assets.errors import ConfigurationError
from brain_assets.model.entry import KBRecord
from brain_assets.operation import checks, pipeline
from brain_assets.settings import Settings
from brain_assets.sources import glpi, glpi_sync
from brain_assets.sources.glpi import GlpiError
from brain_assets.store import entries
from brain_assets.store.catalogue import Catalogue
from brain_assets.synthesis import articles, consolidations, glpi_drafts, review
from brain_assets_tests.synthesis import brains, glpi_fake
from brain_assets_tests.synthesis.glpi_fake import Glpi

ANSWER = (
    "<p>Öffnen Sie das Portal &amp; melden Sie sich an.</p><ul><li>Menü <b>Drucken</b></li><li>Port 631</li></ul>"
    "<pre><code>lpstat -p</code></pre><table><tr><th>Code</th><th>Rat</th></tr><tr><td>E1</td><td>Papier</td></tr></table>"
)


@pytest.fixture
def fake() -> Iterator[Glpi]:
    state = Glpi()
    state.add(1, "Drucker druckt nicht", ANSWER)
    state.add(2, "Neues Kennwort", "<p>Im Portal setzen.</p>", "2026-10-01 08:00:00")
    state.categories = {7: "Service > Drucken", 8: "Konten"}
    state.links = [(1, 7), (1, 8)]
    with glpi_fake.serve(state):
        yield state


def settings_for(fake: Glpi, tmp_path: Path, high_level: bool = False, **changes: Any) -> Settings:
    if high_level:
        tokens = (f"{glpi_fake.CLIENT}:{glpi_fake.SECRET}", f"{glpi_fake.NAME}:{glpi_fake.PASSWORD}")
        values = {"glpi_url": f"{fake.url}/api.php/v2.2", "glpi_app_token": tokens[0], "glpi_user_token": tokens[1]}
    else:
        values = {"glpi_url": fake.url, "glpi_app_token": glpi_fake.APP, "glpi_user_token": glpi_fake.USER}
    return brains.settings(tmp_path, **{**values, **changes})


def kb_ids(cat: Catalogue) -> list[str]:
    with cat.read() as connection:
        return entries.live_ids(connection, ("kb",))


def test_entries_of_glpi_are_accounted_for_without_a_file(fake: Glpi, tmp_path: Path) -> None:
    settings = settings_for(fake, tmp_path)
    with pipeline.writing(settings) as run:
        pipeline.run_stage("kb_entries", run)
        results = checks.evaluate(run.cat, settings, ["kb_entries"])
    assert {"kb:GLPI-1", "kb:GLPI-2"} <= set(kb_ids(run.cat))
    assert [r.to_json() for r in results if r.blocks] == []


@pytest.mark.parametrize("high_level", [False, True])
def test_articles_become_kb_entries(fake: Glpi, tmp_path: Path, high_level: bool) -> None:
    settings = settings_for(fake, tmp_path, high_level)
    cat = brains.open_brain(settings)
    report = glpi_sync.sync(cat, settings)
    assert report.details == {
        "added": 2,
        "changed": 0,
        "deleted": 0,
        "unchanged": 0,
        "quarantined": 0,
        "seen": 2,
        "full": True,
    }
    with cat.read() as connection:
        entry = entries.get(connection, "kb:GLPI-1")
    assert entry is not None and entry.record is not None and entry.production
    assert entry.record.categories == (("Drucken", "Konten"))
    body = entry.body
    assert "Portal & melden" in body and "- Port 631" in body and "lpstat -p" in body and "E1 | Papier" in body
    assert "<" not in body.replace("`", "")
    assert entry.date == (None if high_level else dt.date(2026, 11, 1))
    assert entry.record.source_uri.endswith("/front/knowbaseitem.form.php?id=1")
    assert fake.sessions_open == 0


@pytest.mark.parametrize("high_level", [False, True])
@pytest.mark.parametrize("count", [0, 1, glpi.PAGE - 1, glpi.PAGE, glpi.PAGE + 1, 2 * glpi.PAGE, 2 * glpi.PAGE + 5])
def test_every_page_is_read_once(fake: Glpi, tmp_path: Path, high_level: bool, count: int) -> None:
    fake.items.clear()
    for number in range(1, count + 1):
        fake.add(number, f"Artikel {number}", f"<p>Antwort {number}.</p>")
    fake.links = [(n, 7) for n in range(1, count + 1)]
    settings = settings_for(fake, tmp_path, high_level)
    cat = brains.open_brain(settings)
    assert glpi_sync.sync(cat, settings).details["added"] == count
    assert len(kb_ids(cat)) == count


def test_encoded_html_is_decoded_once(fake: Glpi, tmp_path: Path) -> None:
    fake.add(3, "Kodiert", "&#60;p&#62;Wert a &#38;lt; b.&#60;/p&#62;")
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    glpi_sync.sync(cat, settings)
    with cat.read() as connection:
        entry = entries.get(connection, "kb:GLPI-3")
    assert entry is not None and entry.body.strip() == "Wert a < b."


def test_only_what_changed_is_read_again_and_deletions_wait_for_the_full_pass(fake: Glpi, tmp_path: Path) -> None:
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    glpi_sync.sync(cat, settings)
    fake.add(1, "Drucker druckt nicht", "<p>Neu starten.</p>", "2026-11-20 08:00:00")
    fake.add(9, "Neu", "<p>Etwas Neues.</p>", "2026-11-21 08:00:00")
    del fake.items[2]
    details = glpi_sync.sync(cat, settings).details
    assert (details["added"], details["changed"], details["deleted"], details["full"]) == (1, 1, 0, False)
    later = settings_for(fake, tmp_path, now=dt.date(2026, 12, 9))
    details = glpi_sync.sync(cat, later).details
    assert (details["deleted"], details["full"]) == (1, True)
    assert kb_ids(cat) == ["kb:GLPI-1", "kb:GLPI-9"]


def test_a_server_that_does_not_sort_is_read_whole(fake: Glpi, tmp_path: Path) -> None:
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    fake.ignores_sort = True
    fake.items = dict(sorted(fake.items.items(), key=lambda i: i[1]["date_mod"]))
    glpi_sync.sync(cat, settings)
    fake.add(9, "Neu", "<p>Etwas Neues.</p>", "2026-11-21 08:00:00")
    assert glpi_sync.sync(cat, settings).details["added"] in (0, 1)
    assert glpi_sync.sync(cat, settings, full=True).details["seen"] == 3
    assert "kb:GLPI-9" in kb_ids(cat)


def test_articles_outside_their_dates_are_not_there(fake: Glpi, tmp_path: Path) -> None:
    fake.add(3, "Noch nicht", "<p>x</p>", begin_date="2027-01-01 00:00:00")
    fake.add(4, "Nicht mehr", "<p>x</p>", end_date="2026-01-01 00:00:00")
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    glpi_sync.sync(cat, settings)
    assert kb_ids(cat) == ["kb:GLPI-1", "kb:GLPI-2"]


def test_an_article_without_a_name_is_quarantined(fake: Glpi, tmp_path: Path) -> None:
    fake.add(3, "", "<p>x</p>")
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    assert glpi_sync.sync(cat, settings).details["quarantined"] == 1
    with cat.read() as connection:
        rows = connection.exec_driver_sql("select path, reason from problems where source = 'glpi'").all()
    assert rows[0].path == "glpi/3" and "title" in rows[0].reason


@pytest.mark.parametrize("high_level", [False, True])
@pytest.mark.parametrize(
    ("fault", "message"),
    [({"html_login": True}, "HTML"), ({"busy": 3}, "429"), ({"busy": 1}, ""), ({"notices": True}, "")],
)
def test_faults_of_the_server_are_named_or_survived(
    fake: Glpi, tmp_path: Path, high_level: bool, fault: dict[str, Any], message: str
) -> None:
    settings = settings_for(fake, tmp_path, high_level)
    cat = brains.open_brain(settings)
    for name, value in fault.items():
        setattr(fake, name, value)
    if not message:
        assert glpi_sync.sync(cat, settings).details["added"] == 2
        return
    with pytest.raises(GlpiError, match=message) as failure:
        glpi_sync.sync(cat, settings)
    assert glpi_fake.USER not in str(failure.value) and glpi_fake.PASSWORD not in str(failure.value)
    assert kb_ids(cat) == []


def test_a_server_that_dies_midway_loses_nothing(fake: Glpi, tmp_path: Path) -> None:
    for number in range(10, 10 + 2 * glpi.PAGE):
        fake.add(number, f"Artikel {number}", "<p>x y z.</p>")
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    glpi_sync.sync(cat, settings)
    before = kb_ids(cat)
    fake.items.pop(10)
    fake.die_on_page = 1
    with pytest.raises(GlpiError, match="broke off"):
        glpi_sync.sync(cat, settings, full=True)
    assert kb_ids(cat) == before


def test_wrong_tokens_and_an_unpinned_url_name_the_remedy(fake: Glpi, tmp_path: Path) -> None:
    for changes in ({"glpi_user_token": "wrong"}, {"glpi_app_token": "wrong"}):
        settings = settings_for(fake, tmp_path, **changes)
        with pytest.raises(GlpiError, match="refuses the tokens") as failure:
            glpi_sync.sync(brains.open_brain(settings), settings)
        assert "GLPI_APP_TOKEN" in failure.value.remedy and "wrong" not in str(failure.value)
    settings = settings_for(fake, tmp_path, glpi_url=f"{fake.url}/api.php")
    with pytest.raises(ConfigurationError, match="no version"), glpi.connect(settings):
        pass


def article(**fields: Any) -> KBRecord:
    values = {"id": "KB-AI-THINK-ARTICLE-20261201-00000001", "title": "Drucker druckt nicht",
              "text": "Der Drucker druckt <script>alert(1)</script> nicht.",
              "answer": "1. Den Dienst neu starten: `systemctl restart cups`.\n2. Warten."}  # fmt: skip
    return KBRecord.model_validate({**values, **fields})


@pytest.mark.parametrize("high_level", [False, True])
def test_a_draft_is_neither_faq_nor_visible_and_written_once(fake: Glpi, tmp_path: Path, high_level: bool) -> None:
    settings = settings_for(fake, tmp_path, high_level)
    cat = brains.open_brain(settings)
    found = glpi_drafts.write(cat, settings, article())
    assert found == {"id": 3, "draft": True, "problems": []}
    kept = fake.items[3]
    assert kept["is_faq"] == 0 and "<ol>" in kept["answer"] and "<script>" not in kept["answer"]
    assert glpi_drafts.write(cat, settings, article())["id"] == 3 and len(fake.items) == 3


@pytest.mark.parametrize("full", [False, True])
def test_a_draft_is_not_read_back_as_what_people_wrote(fake: Glpi, tmp_path: Path, full: bool) -> None:
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    glpi_sync.sync(cat, settings)
    written = glpi_drafts.write(cat, settings, article())
    fake.items[written["id"]]["is_faq"] = 1  # published since, by a person
    glpi_sync.sync(cat, settings, full=full)
    assert kb_ids(cat) == ["kb:GLPI-1", "kb:GLPI-2"]


def test_a_faq_that_was_forced_and_a_target_are_told(fake: Glpi, tmp_path: Path) -> None:
    fake.forces_faq, fake.targets = True, {3: 2}
    settings = settings_for(fake, tmp_path)
    found = glpi_drafts.write(brains.open_brain(settings), settings, article())
    assert found["draft"] is False
    assert any("FAQ" in p for p in found["problems"]) and any("2 targets" in p for p in found["problems"])


def test_an_approval_stands_whatever_glpi_answers(fake: Glpi, tmp_path: Path) -> None:
    settings = settings_for(fake, tmp_path)
    cat = brains.open_brain(settings)
    brains.fill(cat, brains.queue_sources(), brains.QUEUE_EDGES)
    consolidations.update(cat, settings)
    articles.update(cat, settings)
    fake.html_login = True
    article_id = review.list_articles(cat, settings)["articles"][0]["id"]
    found = review.approve(cat, settings, article_id)
    assert found["state"] == "approved" and "HTML" in found["glpi"]["error"]
    assert (settings.kb_dir / f"{article_id}.json").exists()


def test_an_independent_client_agrees_with_the_fake(fake: Glpi) -> None:
    glpi_api = pytest.importorskip("glpi_api", reason="the client glpi-api is not installed")
    with glpi_api.connect(f"{fake.url}/apirest.php", glpi_fake.APP, glpi_fake.USER) as client:
        rows = client.get_all_items("KnowbaseItem", range="0-9")
        assert [r["id"] for r in rows] == [1, 2]
        assert client.get_item("KnowbaseItem", 1)["name"] == "Drucker druckt nicht"
        made = client.add("KnowbaseItem", {"name": "Neu", "answer": "<p>x</p>", "is_faq": 0})
        assert made[0]["id"] == 3 if isinstance(made, list) else made["id"] == 3
