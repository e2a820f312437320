"""Which IP addresses a fetch may connect to: our own table, because `ipaddress.is_global` lets too much through.

Python 3.11 calls 6to4, local NAT64, multicast, IPv4-compatible, site-local and new documentation ranges global. So
IPv4 is refused by list, and IPv6 is allowed by list: only 2000::/3, minus what tunnels or documents inside it.
"""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

_NOT_PUBLIC_V4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (ipaddress.IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignment"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112"),
        ("192.52.193.0/24", "AMT"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "AS112"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
_NOT_PUBLIC_V6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (ipaddress.IPv6Network(network), kind)
    for network, kind in (
        ("2001::/23", "protocol assignment, Teredo among them"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "AS112"),
        ("3fff::/20", "documentation"),
    )
)
_MAPPED = IPv6Network("::ffff:0:0/96")
_ISATAP = (0x00005EFE, 0x02005EFE)
# What BRAIN_ARTICLE_RESEARCH_ALLOW_PRIVATE opens: hosts of one's own network, and no tunnel, multicast or metadata.
_PRIVATE_V4 = tuple(IPv4Network(n) for n in ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_PRIVATE_V6 = tuple(IPv6Network(n) for n in ("::1/128", "fc00::/7"))


def refusal(address: str, *, allow_private: bool = False) -> str | None:
    """Why nothing may connect to this address, in words; None when it is allowed.

    `address` is what a resolver gave, in canonical form. With `allow_private` loopback and private networks pass
    too; link-local (cloud metadata), multicast, tunnels and the rest never do.
    """
    if "%" in address:
        return "address with a zone id"
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an IP address"
    if isinstance(parsed, IPv6Address) and parsed in _MAPPED:
        parsed = IPv4Address(int(parsed) & 0xFFFFFFFF)
    if isinstance(parsed, IPv4Address):
        return _refusal_v4(parsed, allow_private)
    return _refusal_v6(parsed, allow_private)


def is_private(address: str) -> bool:
    """Whether an address is one that only `allow_private` opens."""
    return refusal(address) is not None and refusal(address, allow_private=True) is None


def _refusal_v4(address: IPv4Address, allow_private: bool) -> str | None:
    if allow_private and any(address in network for network in _PRIVATE_V4):
        return None
    return next((kind for network, kind in _NOT_PUBLIC_V4 if address in network), None)


def _refusal_v6(address: IPv6Address, allow_private: bool) -> str | None:
    if allow_private and any(address in network for network in _PRIVATE_V6):
        return None
    if address not in _PUBLIC_V6:
        return "not in the public IPv6 range"
    for network, kind in _NOT_PUBLIC_V6:
        if address in network:
            return kind
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "ISATAP tunnel"
    return None
