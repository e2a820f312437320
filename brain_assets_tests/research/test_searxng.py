"""The SearXNG client against scripted answers: everything such a server was seen to answer besides results."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import parse_qs, urlsplit

import pytest

from brain_assets.errors import ConfigurationError
from brain_assets.research.searxng import MAX_QUERY_CHARS, SearchFailed, SearXNG, quoted
from brain_assets.settings import load
from brain_assets_tests.research.internet import Internet, answer, internet, path_of

SERVER = "10.9.8.7"
Script = Callable[[dict[str, str]], bytes]


def results(asked: dict[str, str], hits: Sequence[dict[str, object]] = (), **more: object) -> bytes:
    body = {"query": asked["q"], "results": list(hits), "unresponsive_engines": [], **more}
    return answer(json.dumps(body), content_type="application/json")


def hit(url: str, title: str = "Title", content: str = "text", **more: object) -> dict[str, object]:
    return {"url": url, "title": title, "content": content, "engine": "x", "engines": ["x"], **more}


class Server:
    """A scripted SearXNG in a private network; `asked` has the parameters of each search."""

    def __init__(self, net: Internet) -> None:
        self.asked: list[dict[str, str]] = []
        self.script: list[Script] = []
        self.waits: list[float] = []
        net.names["searxng"] = [SERVER]
        net.handlers[SERVER, 8080] = self._handle
        self._net = net

    def _handle(self, connection: socket.socket, request: str) -> None:
        parts = urlsplit(path_of(request))
        if parts.path == "/healthz":
            connection.sendall(answer("OK"))
            return
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append(asked)
        script = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        connection.sendall(script(asked))

    def client(self, **flags: object) -> SearXNG:
        settings = load(searxng_url="http://searxng:8080", **{"article_research_search_timeout": 1.0, **flags})
        return SearXNG(settings, self._net.network(), sleep=self.waits.append)


@pytest.fixture
def server() -> Iterator[Server]:
    with internet() as net:
        yield Server(net)


def html(status: str) -> Script:
    return lambda asked: answer("<html><title>no</title></html>", status)


def test_hits_are_plain_vetted_and_each_page_once(server: Server) -> None:
    found = [
        hit("https://docs.example.net/a?utm_source=x", "Restore <b>guide</b> &amp; more", "In <em>3</em>&nbsp;steps"),
        hit("http://www.docs.example.net/a/#part"),
        hit("javascript:alert(1)"),
        hit("http://169.254.169.254/latest"),
        hit("http://2130706433/"),
        hit("http://inner/"),
        hit("https://docs.example.net:8443/b"),
        hit("https://other.example.net/b", publishedDate="2025-03-04T00:00:00", unknown={"a": 1}),
        {"title": "no url"},
        "nonsense",
    ]
    server.script = [lambda asked: results(asked, found)]
    got = server.client().search("restore guide", "de", 8)
    assert [h.url for h in got.hits] == ["https://docs.example.net/a?utm_source=x", "https://other.example.net/b"]
    assert got.hits[0].title == "Restore guide & more" and got.hits[0].snippet == "In 3 steps"
    assert got.hits[-1].published == "2025-03-04" and got.hits[-1].rank == len(got.hits)
    assert got.dropped == 7


@pytest.mark.parametrize(("language", "sent"), [("de", "de"), ("en", "en"), ("fr", "all")])
def test_the_language_is_passed_and_hits_are_limited(server: Server, language: str, sent: str) -> None:
    server.script = [lambda asked: results(asked, [hit(f"https://a.example.net/{n}") for n in range(20)])]
    assert len(server.client().search("x y", language, 8).hits) == 8
    assert server.asked[0] == {"q": "x y", "format": "json", "language": sent, "safesearch": "0"}


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("!!g secret word", '"!!g" secret word'),
        ("fix !images :de <3 error", 'fix "!images" ":de" "<3" error'),
        ("exit -1 ?x", 'exit "-1" "?x"'),
        ('say "hello !x"', 'say hello "!x"'),
        (" a\tb\nc\u200b ", "a b c"),
        ('""" !', '"!"'),
    ],
)
def test_no_word_of_a_query_is_a_command(server: Server, query: str, sent: str) -> None:
    server.script = [lambda asked: results(asked)]
    server.client().search(query, "de", 8)
    assert server.asked[0]["q"] == sent == quoted(query)


def test_long_queries_are_cut_between_words() -> None:
    cut = quoted("wort " * 100)
    assert len(cut) <= MAX_QUERY_CHARS and cut.endswith("wort")
    assert len(quoted("w" * 500)) == MAX_QUERY_CHARS
    with pytest.raises(SearchFailed, match="no words"), internet() as net:
        Server(net).client().search('""', "de", 8)


def test_an_empty_answer_is_no_failure(server: Server) -> None:
    server.script = [lambda asked: results(asked)]
    assert server.client().search("x", "de", 8).hits == ()
    assert len(server.asked) == 1


def test_only_results_are_needed_of_an_answer(server: Server) -> None:
    body = json.dumps({"results": [hit("https://a.example.net/")], "number_of_results": 0})
    server.script = [lambda asked: answer(body, content_type="application/json; charset=utf-8")]
    assert len(server.client().search("x", "de", 8).hits) == 1


FAILURES: dict[str, tuple[Script, str, int, bool]] = {
    "JSON not enabled": (html("403 Forbidden"), "search.formats", 1, True),
    "HTML with 200": (html("200 OK"), "search.formats", 1, True),
    "limiter": (html("429 Too Many Requests"), "limiter", 3, True),
    "bad parameter": (
        lambda a: answer('{"error": "x"}', "400 Bad Request", content_type="application/json"), "400", 1, False,
    ),
    "server error": (html("500 Internal Server Error"), "500", 3, False),
    "bad gateway": (html("502 Bad Gateway"), "502", 3, False),
    "not SearXNG": (html("404 Not Found"), "404", 1, True),
    "redirect": (lambda a: answer("", "302 Found", {"Location": "https://x.example/?q=x"}), "redirects", 1, True),
    "redirect to search": (lambda a: answer("", "308 Permanent", {"Location": "/search?q=x"}), "redirects", 1, True),
    "broken JSON": (lambda a: answer('{"results": [', content_type="application/json"), "broken JSON", 3, False),
    "no results list": (lambda a: answer('{"x": 1}', content_type="application/json"), "no results", 1, False),
    "JSON list": (lambda a: answer("[]", content_type="application/json"), "no results", 1, False),
    "too large": (
        lambda a: answer(b" " * 5_000_000, content_type="application/json"), "bytes", 1, False,
    ),
    "another query echoed": (
        lambda a: answer('{"query": "word", "results": []}', content_type="application/json"), "command", 1, False,
    ),
    "engines timed out": (
        lambda a: results(a, unresponsive_engines=[["google", "timeout"], ["bing", "Suspended: x"]]),
        "bing (Suspended: x), google (timeout)", 3, False,
    ),
    "long retry": (
        lambda a: answer("no", "429 Too Many Requests", {"Retry-After": "3600"}), "3600 seconds", 1, True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("script", "says", "calls", "lasting"), FAILURES.values(), ids=FAILURES.keys())
def test_failures_are_failures_and_no_missing_evidence(
    server: Server, script: Script, says: str, calls: int, lasting: bool
) -> None:
    server.script = [script]
    client = server.client()
    with pytest.raises(SearchFailed) as failure:
        client.search("some words", "de", 8)
    assert says in failure.value.reason
    assert len(server.asked) == calls
    assert failure.value.lasting is lasting
    with pytest.raises(SearchFailed):
        client.search("other words", "en", 8)
    assert len(server.asked) == (calls if lasting else 2 * calls)


def test_a_passing_failure_is_asked_again(server: Server) -> None:
    good: Script = lambda asked: results(asked, [hit("https://a.example.net/")])  # noqa: E731
    server.script = [html("503 Unavailable"), lambda a: answer("", "429 Slow", {"Retry-After": "2"}), good]
    assert len(server.client().search("x", "de", 8).hits) == 1
    assert server.waits == [0.5, 2.0]


def test_some_silent_engines_beside_results_are_noted(server: Server) -> None:
    server.script = [
        lambda a: results(a, [hit("https://a.example.net/")], unresponsive_engines=[["bing", "timeout"], "odd", [], 7])
    ]
    got = server.client().search("x", "de", 8)
    assert len(got.hits) == 1 and got.partial == ("7", "bing (timeout)", "odd")


def test_a_slow_or_absent_server_ends_in_time(server: Server) -> None:
    def slow(asked: dict[str, str]) -> bytes:
        time.sleep(3)
        return b""

    server.script = [slow]
    started = time.monotonic()
    with pytest.raises(SearchFailed, match=r"no answer within 0\.2 seconds"):
        server.client(article_research_search_timeout=0.2).search("x", "de", 8)
    assert time.monotonic() - started < 3
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    absent = SearXNG(load(searxng_url=f"http://127.0.0.1:{port}"), sleep=lambda s: None)
    assert "not reachable: no connection" in str(absent.ready())
    with pytest.raises(SearchFailed, match="no connection") as failure:
        absent.search("x", "de", 8)
    assert failure.value.lasting


def test_a_name_that_does_not_exist_is_said(server: Server) -> None:
    unknown = SearXNG(load(searxng_url="http://nowhere:8080"), server._net.network(), sleep=lambda s: None)
    assert unknown.ready() == "SearXNG at http://nowhere:8080 is not reachable: its name cannot be resolved."


def test_ready_is_asked_once_a_minute(server: Server) -> None:
    client = server.client()
    assert client.ready() is None and client.ready() is None
    assert sum("/healthz" in request for request in server._net.requests) == 1


@pytest.mark.parametrize("url", ["searxng:8080", "ftp://searxng", "", "http://", "not a url"])
def test_an_address_that_is_none_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigurationError, match="SEARXNG_URL"):
        SearXNG(load(searxng_url=url))


def test_credentials_of_the_address_are_sent_and_never_shown(server: Server) -> None:
    server.script = [html("500 Error")]
    settings = load(searxng_url="http://user:pa%20ss@searxng:8080/")
    client = SearXNG(settings, server._net.network(), sleep=lambda s: None)
    with pytest.raises(SearchFailed) as failure:
        client.search("x", "de", 8)
    assert "Authorization: Basic dXNlcjpwYSBzcw==" in server._net.requests[-1]
    assert "pa" not in failure.value.reason and "user" not in client._server.url
