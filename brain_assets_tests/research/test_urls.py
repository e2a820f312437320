"""Normalising for duplicates, and the address table against an independent list of ranges."""

from __future__ import annotations

import ipaddress
import random

import pytest

from brain_assets.research import addresses, urls


@pytest.mark.parametrize(
    "same",
    [
        ["https://www.example.com/a", "http://example.com/a/", "https://EXAMPLE.com:443/a#part"],
        ["https://example.com/a?id=7", "https://example.com/a?utm_source=x&id=7&gclid=1", "http://example.com/a/?id=7"],
        ["https://example.com", "http://www.example.com/", "https://example.com/?fbclid=2"],
        ["https://bücher.example/x", "https://xn--bcher-kva.example/x"],
    ],
)
def test_spellings_of_one_page_are_one(same: list[str]) -> None:
    assert len({urls.normalise(url) for url in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/a", "https://example.com/A"),
        ("https://example.com/a?id=7", "https://example.com/a?id=8"),
        ("https://example.com/a", "https://docs.example.com/a"),
        ("https://example.com/a", "https://example.com:8443/a"),
        ("https://example.com/?a=&b=1", "https://example.com/?b=1"),
    ],
)
def test_different_pages_stay_different(one: str, other: str) -> None:
    assert urls.normalise(one) != urls.normalise(other)


def test_what_is_no_url_comes_back() -> None:
    assert urls.normalise(" not a url ") == "not a url"


def test_no_address_that_the_standard_library_calls_private_passes() -> None:
    """A random sample; our table may refuse more than the library, never less."""
    source = random.Random(7)
    sample = [str(ipaddress.IPv4Address(source.getrandbits(32))) for _ in range(20_000)]
    sample += [
        str(ipaddress.IPv6Address((source.choice((1, 2, 3)) << 124) | source.getrandbits(124))) for _ in range(5_000)
    ]
    sample += [str(ipaddress.IPv6Address(source.getrandbits(128))) for _ in range(5_000)]
    allowed = [address for address in sample if addresses.refusal(address) is None]
    assert len(allowed) > 15_000
    for address in allowed:
        parsed = ipaddress.ip_address(address)
        assert parsed.is_global and not parsed.is_multicast


def test_private_is_what_only_the_setting_opens() -> None:
    assert addresses.is_private("127.0.0.1") and addresses.is_private("fd00::1") and addresses.is_private("10.0.0.1")
    assert not addresses.is_private("8.8.8.8")
    assert not addresses.is_private("169.254.169.254")
    assert addresses.refusal("169.254.169.254", allow_private=True) == "link-local"
