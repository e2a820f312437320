"""robots.txt: RFC 9309's own examples, groups, wildcards, and files nobody should have written."""

from __future__ import annotations

import time

import pytest

from brain_assets.research import robots
from brain_assets.research.fetch import Fetcher
from brain_assets.research.transport import FetchFailed
from brain_assets.settings import load
from brain_assets_tests.research.internet import PUBLIC, answer, internet, redirect, site

PAGE = answer("<html><body><p>page</p></body></html>")


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /a", "/ab/c", False),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/b", "/a/b", True),
        ("User-agent: *\nAllow: /p\nDisallow: /", "/page", True),
        ("User-agent: *\nAllow: /folder\nDisallow: /folder", "/folder/page", True),
        ("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("User-agent: *\nAllow: /$\nDisallow: /", "/", True),
        ("User-agent: *\nAllow: /$\nDisallow: /", "/page", False),
        ("User-agent: *\nDisallow: *.gif$", "/publications/a.gif", False),
        ("User-agent: *\nDisallow: *.gif$", "/a.gif?x", True),
        ("User-agent: *\nDisallow: /*/private/*/x", "/a/private/b/x", False),
        ("User-agent: *\nDisallow: /*/private/*/x", "/a/private/x", True),
        ("User-agent: *\nDisallow: /b%C3%BCro", "/büro", False),
        ("User-agent: *\nDisallow: /büro", "/b%C3%BCro/x", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: Brain-Assets/2.0\nDisallow: /x\n\nUser-agent: *\nDisallow: /", "/a", True),
        ("User-agent: brain-assets\nDisallow: /x", "/x", False),
        ("User-agent: a\nUser-agent: brain-assets\nDisallow: /x", "/x", False),
        ("User-agent: brain-assets\nDisallow: /x\nUser-agent: a\nDisallow: /y", "/y", True),
        ("User-agent: *\nDisallow: /a # comment\n#Disallow: /b", "/b", True),
        ("\ufeffUser-agent: *\r\nDisallow: /a\r\n", "/a", False),
        ("<html><body>not found</body></html>", "/a", True),
        ("Disallow: /a", "/a", True),
        ("user-agent:*\ndisallow:/a", "/a", False),
    ],
)
def test_rules(rules: str, path: str, allowed: bool) -> None:
    assert robots.parse(rules, "brain-assets").allows(path) is allowed


def test_delay_and_hostile_files() -> None:
    assert robots.parse("User-agent: *\nCrawl-delay: 2.5", "x").delay == 2.5
    assert robots.parse("User-agent: *\nCrawl-delay: -1e9", "x").delay == 0
    started = time.monotonic()
    hostile = robots.parse("User-agent: *\n" + "Disallow: " + "/*a" * 2000 + "$\n", "x")
    assert hostile.allows("/" + "a" * 2000)
    many = robots.parse("User-agent: *\n" + "Disallow: /*x*y$\n" * 30_000, "x")
    many.allows("/" + "x" * 2000)
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (answer("User-agent: *\nDisallow: /", content_type="text/plain"), "robots_denied"),
        (answer("", "503 Service Unavailable"), "robots_unreachable"),
        (answer("", "429 Too Many Requests"), "robots_unreachable"),
        (answer("", "403 Forbidden"), None),
        (answer("", "404 Not Found"), None),
        (answer(b"\x89PNG\r\n", content_type="image/png"), None),
        (redirect("/robots.txt"), None),
        (redirect("/moved.txt"), "robots_denied"),
    ],
)
def test_what_a_host_answers_decides(reply: bytes, reason: str | None) -> None:
    moved = answer("User-agent: *\nDisallow: /page", content_type="text/plain")
    with internet() as net:
        net.names["public.example.net"] = [PUBLIC]
        net.handlers[PUBLIC, 80] = site({"/robots.txt": reply, "/page": PAGE, "/moved.txt": moved})
        client = Fetcher(load(article_research_host_spacing=0.001), net.network())
        if reason is None:
            assert client.fetch("http://public.example.net/page").body
        else:
            with pytest.raises(FetchFailed, match=reason):
                client.fetch("http://public.example.net/page")
        assert sum(" /robots.txt " in request for request in net.requests) == 1


def test_robots_txt_is_asked_once_and_requests_are_spaced() -> None:
    with internet() as net:
        net.names |= {"public.example.net": [PUBLIC]}
        net.handlers[PUBLIC, 80] = site({"/page": PAGE, "/other": PAGE})
        # The wait for the turn is not charged to the fetch.
        settings = load(article_research_host_spacing=0.4, article_research_fetch_timeout=0.3)
        client = Fetcher(settings, net.network())
        started = time.monotonic()
        client.fetch("http://public.example.net/page")
        client.fetch("http://public.example.net/other")
        assert time.monotonic() - started >= 0.4
        assert sum(" /robots.txt " in request for request in net.requests) == 1
