"""Rounds against a real SearXNG whose only engine searches our own small web, and pages served over TLS on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_assets.model.synthesis import GapQuestion
from brain_assets.research import rounds
from brain_assets.research.extract import Extractor
from brain_assets.research.fetch import Fetcher
from brain_assets.research.pages import Pages
from brain_assets.research.rounds import Context, Environment
from brain_assets.research.searxng import SearchFailed, SearXNG
from brain_assets.settings import Settings, load
from brain_assets_tests.research import folder
from brain_assets_tests.research.local_web import LocalWeb
from brain_assets_tests.research.peer import Peer, PeerMissing, install, running

pytestmark = [pytest.mark.searxng, pytest.mark.xdist_group("searxng"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    try:
        install()
    except PeerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def web() -> Iterator[LocalWeb]:
    made = LocalWeb(folder.OWN)
    yield made
    made.close()


@pytest.fixture(scope="module")
def peer(web: LocalWeb) -> Iterator[Peer]:
    with running(web.index_port) as made:
        yield made


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor(max_chars=14_000) as made:
        yield made


def world(settings: Settings, web: LocalWeb, extractor: Extractor) -> Environment:
    pages = Pages(settings, Fetcher(settings, web.network()), extractor)
    return Environment(provider=SearXNG(settings), pages=pages)


def settings_of(folder_: Path, url: str, **more: object) -> Settings:
    return load(data_dir=folder_, now="2026-12-01", searxng_url=url, article_research_host_spacing=0.001, **more)


def test_our_own_web_is_researched(tmp_path: Path, web: LocalWeb, peer: Peer, extractor: Extractor) -> None:
    """Searched, fetched over TLS, extracted, judged: what a page answers is closed, nothing else."""
    settings = settings_of(tmp_path, peer.url)
    environment = world(settings, web, extractor)
    labels = {p.url: p.answers for p in folder.pages()}
    answerable = {gap for answers in labels.values() for gap in answers}
    closed: set[str] = set()
    for subject in folder.subjects():
        result = rounds.run_rounds(settings, subject.gaps, subject.context(), environment=environment)
        for gap, evidence in result.evidence_by_gap.items():
            assert all(gap in labels[e.url] for e in evidence), (gap, [e.url for e in evidence])
            closed.add(gap)
        assert not closed & subject.unanswerable
        before = len(web.queries), len(web.fetched)
        again = rounds.run_rounds(
            settings, subject.gaps, subject.context(), earlier=result.rounds, environment=environment
        )
        assert again.evidence_by_gap == result.evidence_by_gap
        if len(result.rounds) == settings.article_research_rounds:
            assert (len(web.queries), len(web.fetched)) == before
    assert len(closed) / len(answerable) >= 0.9, sorted(answerable - closed)


def test_the_shared_web_is_researched(tmp_path: Path, shared: Path, extractor: Extractor) -> None:
    gold = shared / "gold"
    index = json.loads((gold / "web" / "index.json").read_text(encoding="utf-8"))
    right = {e["url"]: e["resolves_gap"] if isinstance(e["resolves_gap"], list) else [] for e in index}
    web = LocalWeb(gold / "web")
    closed, answerable = set(), set()
    with running(web.index_port) as peer:
        settings = settings_of(tmp_path, peer.url)
        environment = world(settings, web, extractor)
        for line in (gold / "labels" / "pools.jsonl").read_text(encoding="utf-8").splitlines():
            pool = json.loads(line)
            wanted = [*pool["critical_gaps"], *pool.get("optional_gaps", [])]
            answerable |= {g["gap_id"] for g in wanted if g["resolved_by"]}
            gaps = [GapQuestion(id=g["gap_id"], question=g["question"], critical=True) for g in wanted]
            sources = (
                {f"note:{n}": folder.gold_source(gold, ref) for n, ref in enumerate(pool["sources"])} if gaps else {}
            )
            context = Context(pool["title"], source_texts=sources, pool_id=pool["id"])
            result = rounds.run_rounds(settings, gaps, context, environment=environment)
            for gap, evidence in result.evidence_by_gap.items():
                assert all(gap in right[e.url] for e in evidence), (gap, [e.url for e in evidence])
                closed.add(gap)
    web.close()
    assert closed == answerable


def test_commands_in_a_query_reach_the_engine_as_words(web: LocalWeb, peer: Peer) -> None:
    client = SearXNG(load(searxng_url=peer.url))
    client.search("!!g write :fr <1 buffer", "en", 8)
    assert web.queries[-1] == ("en", '"!!g" write ":fr" "<1" buffer')


def test_engines_that_fail_are_a_failed_search(peer: Peer) -> None:
    client = SearXNG(load(searxng_url=peer.url), sleep=lambda seconds: None)
    with pytest.raises(SearchFailed, match=r"no engine answered: local index \(HTTP error"):
        client.search("err500 buffer", "en", 8)
    assert client.search("write buffer", "en", 8).hits


def test_a_suspended_engine_is_a_failed_search(web: LocalWeb) -> None:
    with running(web.index_port, ban_seconds=60) as strict:
        client = SearXNG(load(searxng_url=strict.url), sleep=lambda seconds: None)
        with pytest.raises(SearchFailed, match="no engine answered"):
            client.search("err403 buffer", "en", 8)
        with pytest.raises(SearchFailed, match="Suspended"):
            client.search("write buffer", "en", 8)


def test_a_server_without_json_is_said_in_the_round(tmp_path: Path, web: LocalWeb, extractor: Extractor) -> None:
    with running(web.index_port, json_enabled=False) as html_only:
        settings = settings_of(tmp_path, html_only.url)
        subject = folder.subjects()[0]
        result = rounds.run_rounds(
            settings, subject.gaps, subject.context(), environment=world(settings, web, extractor)
        )
    assert [r.outcome for r in result.rounds] == ["search_failed"]
    assert "search.formats" in result.rounds[0].reason
    assert result.rounds[0].gaps_after == result.rounds[0].gaps_before


def test_a_server_that_dies_between_rounds_ends_them_cleanly(
    tmp_path: Path, web: LocalWeb, extractor: Extractor
) -> None:
    subject = next(s for s in folder.subjects() if s.unanswerable)
    made = Peer(web.index_port)
    settings = settings_of(tmp_path, made.url, article_research_search_timeout=2.0)
    environment = world(settings, web, extractor)
    first = rounds.run_rounds(settings, subject.gaps, subject.context(), environment=environment, max_rounds=1)
    made.close()
    second = rounds.run_rounds(settings, subject.gaps, subject.context(), earlier=first.rounds, environment=environment)
    assert [r.outcome for r in first.rounds] == ["searched"]
    assert [(r.outcome, r.round) for r in second.rounds] == [("search_failed", 2)]
    assert "no connection" in second.rounds[0].reason
    assert second.evidence_by_gap == first.evidence_by_gap


_PROGRAM = """
import json, sys
from brain_assets.research import rounds
from brain_assets.settings import load
settings = load(data_dir=sys.argv[1])
made = rounds.environment(settings)
page = made.pages.read("https://docs.falkwerk.example.com/nas/5/write-cache").page
outcomes = {}
for url in ("https://elsewhere.example.com/", "http://127.0.0.1:8080/", "http://169.254.169.254/"):
    try:
        made.pages.read(url)
        outcomes[url] = "read"
    except Exception as failure:
        outcomes[url] = failure.reason
hits = made.provider.search("FW-118 write buffer", "en", 8).hits
print(json.dumps({"unavailable": made.unavailable, "title": page.title, "outcomes": outcomes, "hits": len(hits)}))
"""


def test_the_research_host_gives_any_command_the_local_web(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "brain_assets_tests.research_host", "--web", str(folder.OWN), "--",
         sys.executable, str(program), str(tmp_path / "data")],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["unavailable"] == "" and found["hits"] > 0 and "FW-118" in found["title"]
    assert found["outcomes"] == {
        "https://elsewhere.example.com/": "dns_failed",
        "http://127.0.0.1:8080/": "bad_url",
        "http://169.254.169.254/": "forbidden_address",
    }
