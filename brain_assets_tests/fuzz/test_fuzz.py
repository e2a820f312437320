"""No input crashes a reader, and none is lost on the way. The long run: `make fuzz` (FUZZ_EXAMPLES examples each).

Each crash that is found becomes a test of its own in the room it belongs to.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from brain_assets.errors import BrainError
from brain_assets.llm.base import Completion, ModelFailure
from brain_assets.llm.structured import structured
from brain_assets.model.entry import Link
from brain_assets.operation import keeping, pipeline
from brain_assets.research import addresses
from brain_assets.research import urls as web_urls
from brain_assets.research.extract import Extractor
from brain_assets.research.fetch import Fetched
from brain_assets.research.transport import FetchFailed
from brain_assets.retrieval import query as written
from brain_assets.retrieval.search import Searcher
from brain_assets.settings import Settings
from brain_assets.sources import kb, links, passages, vault
from brain_assets.store import catalogue, entries
from brain_assets.text import language, sentences, words
from brain_assets.think import think
from brain_assets_tests.fuzz import strategies as some
from brain_assets_tests.operation import brains

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
settings.register_profile("fuzz", max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES <= 100,
                          suppress_health_check=list(HealthCheck), print_blob=True)  # fmt: skip
fuzzed = settings(settings.get_profile("fuzz"))
slowly = settings(settings.get_profile("fuzz"), max_examples=max(10, EXAMPLES // 10))


@fuzzed
@given(some.encoded(some.notes), st.integers(-(2**62), 2**62))
def test_any_bytes_are_a_note_or_say_why_not(data: bytes, mtime_ns: int) -> None:
    try:
        note = vault.read_note("Ordner/Notiz.md", data, mtime_ns)
    except ValueError as error:
        assert str(error)
        return
    assert note.title
    assert entries_survive(note.model_dump_json())
    for passage in note.passages or passages.split(note.id, note.title, note.body, note.language):
        assert note.body[passage.start : passage.end].strip(), "a passage is a piece of its note"


def entries_survive(text: str) -> bool:
    """Whether a text can be stored as UTF-8 (else this raises)."""
    return len(text.encode("utf-8")) >= 0


@fuzzed
@given(some.encoded(some.kb_files))
def test_any_bytes_are_kb_entries_or_say_why_not(data: bytes) -> None:
    try:
        items = kb.read_file("eintrag.json", data)
    except kb.InvalidFileError as error:
        assert str(error)
        return
    assert items
    for item in items:
        assert (item.entry is None) == bool(item.reason)
        if item.entry is not None:
            assert entries_survive(item.entry.model_dump_json())


@fuzzed
@given(some.texts, st.lists(some.texts, max_size=6), some.texts)
def test_any_link_leads_to_a_file_of_the_vault_or_nowhere(target: str, paths: list[str], source: str) -> None:
    index = links.PathIndex.of([path for path in paths if path])
    for syntax in ("wikilink", "markdown"):
        link = Link(target=target, syntax=syntax)  # type: ignore[arg-type]
        for found in links.resolve([link], source, index, {}):
            for entry_id in (found.entry_id, *found.candidates):
                assert entry_id is None or entry_id.removeprefix("note:") in (*paths, source)


class _Wanted(BaseModel):
    relation: Literal["supports", "contradicts"]
    confidence: float
    quote: str
    parts: list[str] = []


class _Says:
    """A model that always says the same."""

    provider, model = "scripted", "scripted"

    def __init__(self, text: str) -> None:
        self.text = text

    def complete(self, messages: object, **_options: object) -> Completion:
        return Completion(self.text, self.provider, self.model, 1, 1, 1, "stop")


@fuzzed
@given(some.answers(("relation", "confidence", "quote", "parts")), some.texts)
def test_any_answer_of_a_model_is_valid_or_refused(answer: str, data: str) -> None:
    try:
        value = structured(_Says(answer), system="Judge.", data={"text": data}, schema=_Wanted, max_tokens=50,
                           prompt_version="fuzz/1")  # type: ignore[arg-type]  # fmt: skip
    except ModelFailure:
        return
    assert value.relation in ("supports", "contradicts")


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor(max_chars=5000) as found:
        yield found


@slowly
@given(data=some.encoded(some.pages), charset=st.sampled_from(("", "utf-8", "utf-7", "latin-1", "nonsense", "utf-16")))
def test_any_page_is_read_or_refused(extractor: Extractor, data: bytes, charset: str) -> None:
    fetched = Fetched(
        url="https://example.org/", final_url="https://example.org/", address="192.0.2.1", private=False,
        content_type="text/html", charset=charset, body=data, truncated=False, hops=(), wire_bytes=len(data),
    )  # fmt: skip
    try:
        page = extractor.page(fetched, fetched_on="2026-12-01")
    except FetchFailed as failure:
        assert "ended the extracting process" not in str(failure)
        return
    assert page.text.strip() and page.title
    assert all(entries_survive(str(value)) for value in (page.text, page.title, page.site, page.published))


@fuzzed
@given(some.urls)
def test_no_url_leads_inside(url: str) -> None:
    try:
        target = web_urls.parse(url)
    except web_urls.UrlRefused as error:
        assert str(error)
        return
    if target.literal:  # a number is looked at when it is connected to
        inside = ipaddress.ip_address(target.host)
        assert addresses.refusal(target.host) or inside.is_global, target
    assert target.host != "localhost"


@fuzzed
@given(some.lines)
def test_any_text_has_a_language_sentences_and_words(text: str) -> None:
    assert language.detect(text, "de") in ("de", "en")
    for sentence in sentences.split(text):
        assert text[sentence.start : sentence.end] == sentence.text
    for word in words.tokens(text):
        words.stem(word, "de")
        words.stem(word, "en")
        words.fold(word)


@fuzzed
@given(some.texts)
def test_any_term_is_a_file_name_of_the_inbox(term: str) -> None:
    name = keeping.slug(term)
    assert name and len(name) <= 60
    assert Path(name).name == name and name not in (".", "..")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.synced(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def searcher(small: Settings) -> Searcher:
    return Searcher.open(small)


@fuzzed
@given(query=some.queries)
def test_any_query_is_searched(searcher: Searcher, query: str) -> None:
    parsed = written.parse(query)
    assert parsed is not None
    try:
        result = searcher.search(query)
    except BrainError as error:
        assert error.message
        return
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))


@slowly
@given(query=some.queries)
def test_any_question_is_answered(small: Settings, searcher: Searcher, query: str) -> None:
    try:
        answer = think(small, query, no_llm=True, searcher=searcher)
    except BrainError as error:
        assert error.message
        return
    assert entries_survive(answer.to_markdown())


@settings(settings.get_profile("fuzz"), max_examples=max(4, EXAMPLES // 30))
@given(
    contents=st.lists(some.encoded(some.notes), min_size=1, max_size=6),
    records=st.lists(some.encoded(some.kb_files), max_size=4),
)
def test_any_vault_is_taken_in_whole(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes], records: list[bytes]
) -> None:
    """Every file is live or quarantined, the checks hold, and a second sync has nothing to do."""
    place = tmp_path_factory.mktemp("vault")
    own = brains.small(place)
    for number, data in enumerate(contents):
        (own.vault_dir / f"{number}.md").write_bytes(data)
    for number, data in enumerate(records):
        (own.kb_dir / f"{number}.json").write_bytes(data)
    with pipeline.writing(own) as run:
        first = pipeline.sync(run)
        again = pipeline.sync(run)
    details = first["vault_notes"].details
    assert details["files_seen"] == len(contents) + 3 == details["live"] + details["quarantined"]
    assert [report.done for report in again.values()] == [0, 0, 0, 0]
    from brain_assets.operation import checks

    with catalogue.open(own) as cat:
        failed = [r for r in checks.evaluate(cat, own, pipeline.SYNC) if r.blocking and r.measured.state == "failed"]
        with cat.read() as connection:
            assert len(entries.live_ids(connection)) >= details["live"]
    assert failed == []
