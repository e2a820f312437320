"""Addresses, names, redirects and resolvers that want a fetch to connect where it must not.

Every case counts the connections that were dialled: none may go to an address outside the two public ones of the
script, on any but the allowed ports, whatever the reason given in the end.
"""

from __future__ import annotations

import socket
import time

import pytest

from brain_assets.research.fetch import Fetched, Fetcher
from brain_assets.research.transport import FetchFailed
from brain_assets.settings import load
from brain_assets_tests.research.internet import OTHER, PUBLIC, Internet, answer, internet, redirect, site

DEADLINE = 1.0
ALLOWED = {(PUBLIC, 80), (OTHER, 80)}
PAGE = answer("<html><body><p>a public page</p></body></html>")

URLS = {
    "decimal IP": "http://2130706433/",
    "decimal public IP": "http://1572395042/",
    "octal IP": "http://0177.0.0.1/",
    "octal IP long": "http://00000177.0.0.1/",
    "octal one number": "http://017700000001/",
    "hex IP": "http://0x7f000001/",
    "hex IP parts": "http://0x7f.0x0.0x0.0x1/",
    "hex IP upper": "http://0X7F000001/",
    "short IP two parts": "http://127.1/",
    "short IP three parts": "http://127.0.1/",
    "zero": "http://0/",
    "overflowing IP": "http://256.256.256.256/",
    "five parts": "http://1.2.3.4.5/",
    "loopback": "http://127.0.0.1/",
    "loopback elsewhere": "http://127.66.66.66/",
    "unspecified": "http://0.0.0.0/",
    "private 10": "http://10.0.0.1/",
    "private 172": "http://172.16.0.1/",
    "private 172 end": "http://172.31.255.254/",
    "private 192": "http://192.168.1.1/",
    "CGNAT": "http://100.64.0.1/",
    "CGNAT end": "http://100.127.255.254/",
    "link-local": "http://169.254.1.1/",
    "metadata address": "http://169.254.169.254/latest/meta-data/",
    "metadata address of ECS": "http://169.254.170.2/",
    "metadata address of Azure": "http://168.63.129.16/",
    "metadata address of Alibaba": "http://100.100.100.200/",
    "protocol assignment": "http://192.0.0.9/",
    "protocol assignment 192": "http://192.0.0.192/",
    "documentation 1": "http://192.0.2.66/collect",
    "documentation 2": "http://198.51.100.1/",
    "documentation 3": "http://203.0.113.1/",
    "6to4 relay": "http://192.88.99.1/",
    "benchmarking": "http://198.18.0.1/",
    "multicast": "http://224.0.0.1/",
    "multicast end": "http://239.255.255.250/",
    "reserved": "http://240.0.0.1/",
    "broadcast": "http://255.255.255.255/",
    "IPv6 loopback": "http://[::1]/",
    "IPv6 unspecified": "http://[::]/",
    "IPv4-mapped": "http://[::ffff:127.0.0.1]/",
    "IPv4-mapped hex": "http://[::ffff:7f00:1]/",
    "IPv4-mapped long": "http://[0:0:0:0:0:ffff:a00:1]/",
    "IPv4-compatible": "http://[::127.0.0.1]/",
    "IPv4-compatible hex": "http://[::7f00:1]/",
    "IPv4-translated": "http://[::ffff:0:127.0.0.1]/",
    "NAT64": "http://[64:ff9b::7f00:1]/",
    "NAT64 local": "http://[64:ff9b:1::7f00:1]/",
    "6to4": "http://[2002:7f00:1::]/",
    "6to4 private": "http://[2002:c0a8:101::1]/",
    "Teredo": "http://[2001:0:53aa:64c:0:0:f5ff:fffe]/",
    "ORCHID": "http://[2001:10::1]/",
    "IPv6 documentation": "http://[2001:db8::1]/",
    "IPv6 documentation 2": "http://[3fff::1]/",
    "segment routing": "http://[5f00::1]/",
    "ISATAP": "http://[2606:4700::5efe:a00:1]/",
    "ISATAP with universal bit": "http://[2606:4700::200:5efe:a00:1]/",
    "ISATAP link-local": "http://[fe80::5efe:7f00:1]/",
    "IPv6 link-local": "http://[fe80::1]/",
    "IPv6 site-local": "http://[fec0::1]/",
    "IPv6 unique local": "http://[fd00:ec2::254]/",
    "IPv6 multicast": "http://[ff02::1]/",
    "IPv6 discard": "http://[100::1]/",
    "zone id": "http://[fe80::1%25eth0]/",
    "zone id raw": "http://[fe80::1%eth0]/",
    "zone id on public": "http://[2606:4700::1111%25lo]/",
    "user and password": "http://user:secret@public.example.net/",
    "userinfo hides host": "http://public.example.net@127.0.0.1/",
    "userinfo with backslash": "http://public.example.net\\@127.0.0.1/",
    "empty userinfo": "http://@public.example.net/",
    "backslash host": "http:\\\\127.0.0.1\\",
    "tab in host": "http://127.0\t.0.1/",
    "newline in path": "http://public.example.net/a\r\nHost: inner",
    "NUL": "http://public.example.net/\x00",
    "space in host": "http://127.0.0.1 .example.net/",
    "no-break space": "http://public.example.net\u00a0.evil.net/",
    "zero-width in host": "http://127.0.0\u200b.1/",
    "circled digits": "http://①②⑦.⓪.⓪.①/",
    "fullwidth digits": "http://１２７．０．０．１/",
    "fullwidth dot": "http://127。0。0。1/",
    "ideographic stop": "http://localhost。/",
    "fullwidth localhost": "http://ｌｏｃａｌｈｏｓｔ/",
    "percent-encoded host": "http://%6c%6f%63%61%6c%68%6f%73%74/",
    "percent-encoded dot": "http://127%2e0%2e0%2e1/",
    "broken punycode": "http://xn--0.example.net/",
    "localhost": "http://localhost/",
    "localhost dot": "http://localhost./",
    "localhost upper": "http://LOCALHOST/",
    "sub of localhost": "http://app.localhost/",
    "mDNS": "http://printer.local/",
    "internal": "http://vault.internal/",
    "home.arpa": "http://router.home.arpa/",
    "lan": "http://nas.lan/",
    "onion": "http://abcdefghij.onion/",
    "single label": "http://intranet/",
    "metadata host": "http://metadata.google.internal/computeMetadata/v1/",
    "metadata short": "http://metadata/",
    "metadata goog": "http://metadata.goog/",
    "port 22": "http://public.example.net:22/",
    "port 6379": "http://public.example.net:6379/",
    "port 8080": "http://public.example.net:8080/",
    "port out of range": "http://public.example.net:99999/",
    "scheme file": "file:///etc/passwd",
    "scheme ftp": "ftp://public.example.net/",
    "scheme gopher": "gopher://public.example.net:6379/_INFO",
    "scheme javascript": "javascript:alert(1)",
    "scheme data": "data:text/html,<p>x",
    "scheme relative": "//public.example.net/",
    "one slash": "http:/127.0.0.1/",
    "no slash": "http:127.0.0.1",
    "no host": "http:///etc/passwd",
    "only a colon": "http://:80/",
    "empty label": "http://a..example.net/",
    "long URL": "http://public.example.net/" + "a" * 2048,
    "long label": "http://" + "a" * 64 + ".example.net/",
    "unclosed bracket": "http://[::1/",
    "empty": "",
}

NAMES: dict[str, list[str]] = {
    "name on loopback": ["127.0.0.1"],
    "name on private": ["10.1.2.3"],
    "name on metadata": ["169.254.169.254"],
    "name on IPv6 loopback": ["::1"],
    "name on mapped": ["::ffff:192.168.0.1"],
    "name on NAT64": ["64:ff9b::a00:1"],
    "name on 6to4": ["2002:a00:1::"],
    "name on Teredo": ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "name on ISATAP": ["2606:4700::5efe:10.0.0.1"],
    "name on unique local": ["fd12:3456::1"],
    "name on multicast": ["ff0e::1"],
    "name with zone id": ["fe80::1%eth0"],
    "public first, private second": [PUBLIC, "10.0.0.1"],
    "private first, public second": ["10.0.0.1", PUBLIC],
    "public and IPv6 loopback": [PUBLIC, "::1"],
    "hundred addresses": [PUBLIC] * 100,
    "no address": [],
    "not an address": ["localhost"],
    "octal in the answer": ["0177.0.0.1"],
}

LOCATIONS = {
    "to loopback": "http://127.0.0.1/",
    "to metadata": "http://169.254.169.254/latest/meta-data/",
    "to decimal": "http://2130706433/",
    "to mapped": "http://[::ffff:10.0.0.1]/",
    "to inner name": "http://inner.example.net/",
    "to localhost": "http://localhost/",
    "to other port": "http://public.example.net:6379/",
    "to file": "file:///etc/passwd",
    "to gopher": "gopher://127.0.0.1:6379/_x",
    "to userinfo": "http://public.example.net@127.0.0.1/",
    "scheme-relative loopback": "//127.0.0.1/",
    "backslash": "/\\127.0.0.1/",
    "tab in the host": "http://127.0.\t0.1/",
    "encoded newline in the host": "http://public.example.net%0d%0a.inner/",
    "umlaut bytes": "http://l\u00f6calhost.local/",
    "to data": "data:text/html,hello",
    "no location": "",
}


def fetcher(net: Internet, **flags: object) -> Fetcher:
    settings = load(article_research_fetch_timeout=DEADLINE, article_research_host_spacing=0.001, **flags)
    return Fetcher(settings, net.network())


def script(net: Internet) -> None:
    net.names |= {"public.example.net": [PUBLIC], "other.example.net": [OTHER], "inner.example.net": ["10.0.0.1"]}
    net.handlers[PUBLIC, 80] = site({"/": PAGE})
    net.handlers[OTHER, 80] = site({"/": PAGE})


def refused(net: Internet, url: str, *reasons: str, **flags: object) -> FetchFailed:
    """Fetch, which must fail in time, without one forbidden connection."""
    started = time.monotonic()
    with pytest.raises(FetchFailed) as failure:
        fetcher(net, **flags).fetch(url)
    assert time.monotonic() - started < DEADLINE + 1
    assert set(net.connections) <= ALLOWED
    assert failure.value.reason in reasons, failure.value
    return failure.value


@pytest.mark.parametrize("url", URLS.values(), ids=URLS.keys())
def test_a_forbidden_url_is_refused_before_anything_is_dialled(url: str) -> None:
    with internet() as net:
        script(net)
        failure = refused(net, url, "bad_url", "forbidden_address")
        assert net.connections == []
        assert failure.detail
        assert "secret" not in str(failure)


@pytest.mark.parametrize("found", NAMES.values(), ids=NAMES.keys())
def test_a_name_with_one_forbidden_address_is_refused_whole(found: list[str]) -> None:
    with internet() as net:
        net.names["victim.example.net"] = found
        refused(net, "http://victim.example.net/", "forbidden_address", "dns_failed")
        assert net.connections == []


@pytest.mark.parametrize("location", LOCATIONS.values(), ids=LOCATIONS.keys())
@pytest.mark.parametrize("status", ["301 Moved Permanently", "307 Temporary Redirect"])
def test_every_hop_is_checked_as_the_first(location: str, status: str) -> None:
    with internet() as net:
        script(net)
        net.handlers[PUBLIC, 80] = site({"/start": redirect(location, status)})
        refused(
            net, "http://public.example.net/start", "bad_url", "forbidden_address", "bad_redirect", "protocol_error"
        )


def test_rebinding_between_two_lookups_is_harmless() -> None:
    """Resolved once per fetch; the next fetch sees the inner address and is refused."""
    with internet() as net:
        net.names["rebind.example.net"] = lambda number: [PUBLIC] if number == 0 else ["127.0.0.1"]
        net.handlers[PUBLIC, 80] = site({"/": PAGE})
        client = fetcher(net)
        assert "public page" in client.fetch("http://rebind.example.net/").body.decode()
        assert net.lookups == ["rebind.example.net"]
        with pytest.raises(FetchFailed, match="forbidden_address"):
            client.fetch("http://rebind.example.net/")
        assert set(net.connections) <= ALLOWED


def test_rebinding_between_hops_is_harmless() -> None:
    with internet() as net:
        net.names["one.example.net"] = [PUBLIC]
        net.names["two.example.net"] = lambda number: [OTHER] if number % 2 else ["10.0.0.1"]
        net.handlers[PUBLIC, 80] = site({"/": redirect("http://two.example.net/")})
        refused(net, "http://one.example.net/", "forbidden_address")


def test_robots_txt_may_not_lead_inside_either() -> None:
    with internet() as net:
        script(net)
        net.handlers[PUBLIC, 80] = site({"/robots.txt": redirect("http://127.0.0.1/robots.txt"), "/": PAGE})
        refused(net, "http://public.example.net/", "forbidden_address")


def test_redirect_chains_and_loops_end() -> None:
    with internet() as net:
        script(net)
        net.handlers[PUBLIC, 80] = site({f"/{n}": redirect(f"/{n + 1}") for n in range(12)})
        refused(net, "http://public.example.net/0", "too_many_redirects")
    with internet() as net:
        script(net)
        net.handlers[PUBLIC, 80] = site({"/a": redirect("/b"), "/b": redirect("/a"), "/c": redirect("/c#x")})
        refused(net, "http://public.example.net/a", "redirect_loop")
        refused(net, "http://public.example.net/c", "redirect_loop")


def test_proxies_in_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy, internet() as net:
        script(net)
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        assert fetcher(net).fetch("http://public.example.net/").address == PUBLIC
        proxy.settimeout(0.1)
        with pytest.raises(TimeoutError):
            proxy.accept()


def test_allow_private_opens_only_what_it_names() -> None:
    with internet() as net:
        net.names |= {"inner.example.net": ["10.0.0.1"], "other.inner": ["10.0.0.2"], "wiki": ["10.0.0.3"]}
        net.handlers["10.0.0.1", 80] = net.handlers["10.0.0.3", 80] = site({"/": PAGE})
        flags: dict[str, object] = {
            "article_research_allow_private": True,
            "article_research_private_hosts": "inner.example.net:80,wiki:80",
        }
        page = fetcher(net, **flags).fetch("http://inner.example.net/")
        assert page.private
        assert fetcher(net, **flags).fetch("http://wiki/").private
        for url in (
            "http://other.inner/",
            "http://10.0.0.1/",
            "http://inner.example.net:8080/",
            "http://169.254.169.254/",
            "http://[::1]/",
            "ftp://inner.example.net/",
        ):
            with pytest.raises(FetchFailed):
                fetcher(net, **flags).fetch(url)
        assert set(net.connections) == {("10.0.0.1", 80), ("10.0.0.3", 80)}


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "http://[64:ff9b::1]/", "http://224.0.0.1/", "http://0.0.0.0/"]
)
def test_allow_private_for_all_still_refuses_metadata_and_tunnels(url: str) -> None:
    with internet() as net:
        refused(net, url, "forbidden_address", article_research_allow_private=True)


POSITIVE = {
    "plain name": ("http://public.example.net/", [PUBLIC]),
    "public IP": (f"http://{PUBLIC}/", [PUBLIC]),
    "public IPv6": ("http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", None),
    "IPv4-mapped public": (f"http://[::ffff:{PUBLIC}]/", None),
    "umlaut domain": ("http://bücher.example.net/", [PUBLIC]),
    "trailing dot": ("http://public.example.net./", [PUBLIC]),
    "upper case": ("HTTP://PUBLIC.EXAMPLE.NET/", [PUBLIC]),
    "explicit port": ("http://public.example.net:80/", [PUBLIC]),
    "two addresses": ("http://public.example.net/", [PUBLIC, OTHER]),
    "at sign in the query": ("http://public.example.net/?q=a@b", [PUBLIC]),
}


@pytest.mark.parametrize(("url", "found"), POSITIVE.values(), ids=POSITIVE.keys())
def test_public_pages_are_fetched(url: str, found: list[str] | None) -> None:
    with internet() as net:
        for name in ("public.example.net", "xn--bcher-kva.example.net"):
            net.names[name] = found or []
        page_site = site({"/": PAGE, "/?q=a@b": PAGE})
        for address in (
            PUBLIC,
            OTHER,
            "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
            f"::ffff:{PUBLIC}",
            "::ffff:5db8:d822",
        ):
            net.handlers[address, 80] = page_site
        page = fetcher(net).fetch(url)
        assert isinstance(page, Fetched)
        assert b"a public page" in page.body
        assert not page.private


def test_redirects_are_followed_and_recorded() -> None:
    with internet() as net:
        script(net)
        net.handlers[PUBLIC, 80] = site({"/": redirect("//other.example.net/x?y=1")})
        net.handlers[OTHER, 80] = site({"/x?y=1": redirect("../z#top"), "/z": PAGE})
        page = fetcher(net).fetch("http://public.example.net/")
        assert page.final_url == "http://other.example.net/z"
        assert page.hops == ("http://public.example.net/", "http://other.example.net/x?y=1")


def test_a_dead_first_address_does_not_cost_the_page() -> None:
    with internet() as net:
        net.names["public.example.net"] = [OTHER, PUBLIC]
        net.handlers[PUBLIC, 80] = site({"/": PAGE})
        dial = net.dial

        def refusing(address: str, port: int, timeout: float) -> socket.socket:
            if address == OTHER:
                raise ConnectionRefusedError
            return dial(address, port, timeout)

        net.dial = refusing  # type: ignore[method-assign]
        assert fetcher(net).fetch("http://public.example.net/").address == PUBLIC


def test_requests_say_honestly_who_asks_and_carry_nothing_else() -> None:
    with internet() as net:
        script(net)
        net.handlers[PUBLIC, 80] = site(
            {"/": answer("", "302 Found", {"Location": "/next", "Set-Cookie": "a=b"}), "/next": PAGE}
        )
        fetcher(net).fetch("http://public.example.net/")
        names = {line.split(":")[0].lower() for line in net.requests[-1].split("\r\n")[1:] if line}
        assert names == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert "User-Agent: brain-assets/" in net.requests[-1]
        assert "Accept-Encoding: gzip\r\n" in net.requests[-1]
