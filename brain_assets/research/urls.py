"""URLs: parsed once, vetted before anything is resolved, and normalised so that one page is one page."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode

import httpx
import idna

MAX_LENGTH = 2048
FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC_LABEL = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_SPECIAL_NAMES = frozenset(
    """localhost localdomain local internal intranet private corp home lan onion alt test invalid example
    arpa i2p""".split()
)
_METADATA_NAMES = frozenset(
    """metadata.google.internal metadata.goog metadata.azure.com instance-data.ec2.internal
    metadata.platformequinix.com metadata.tencentyun.com""".split()
)
_TRACKING = re.compile(
    r"(?:utm_.+|mtm_.+|pk_.+|hsa_.+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|srsltid|ref_src|"
    r"wt\.mc_id|trk|cmpid|icid|at_medium|at_campaign)",
    re.IGNORECASE,
)


class UrlRefused(ValueError):
    """A URL that is never fetched; the message is the reason in words and holds nothing of the URL."""


@dataclass(frozen=True, slots=True)
class Target:
    """A vetted URL: what to resolve, where to connect, what to ask for. `host` is lower-case ASCII."""

    url: str
    scheme: str
    host: str
    port: int
    path: bytes
    literal: bool

    @property
    def origin(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        default = 443 if self.scheme == "https" else 80
        return f"{self.scheme}://{shown}" + ("" if self.port == default else f":{self.port}")


def parse(url: str, *, ports: frozenset[int] = frozenset(), private_hosts: frozenset[str] | None = None) -> Target:
    """Parse a URL once and vet all that can be seen before resolving. Raises UrlRefused with the reason.

    Allowed are http and https on ports 80, 443 and `ports`. `private_hosts` None: special names and single-label
    hosts are refused. A set (of `host:port`; empty for all) lets such names through, for
    BRAIN_ARTICLE_RESEARCH_ALLOW_PRIVATE; every other rule stays.
    """
    if len(url) > MAX_LENGTH:
        raise UrlRefused(f"longer than {MAX_LENGTH} characters")
    if FORBIDDEN.search(url):
        raise UrlRefused("control character, space or backslash in the URL")
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise UrlRefused("not a valid URL") from None
    if parsed.scheme not in ("http", "https"):
        raise UrlRefused("scheme other than http and https")
    if not url.lower().startswith(f"{parsed.scheme}://"):
        raise UrlRefused("not an absolute URL")
    if parsed.userinfo or "@" in url.split("//", 1)[1].split("/", 1)[0].split("?", 1)[0].split("#", 1)[0]:
        raise UrlRefused("user name or password in the URL")
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    if port not in (80, 443) and port not in ports:
        raise UrlRefused(f"port {port} is not allowed")
    host, literal = _host(parsed.raw_host.decode("ascii", "replace").lower())
    named = private_hosts is not None and (not private_hosts or f"{host}:{port}" in private_hosts)
    if not literal and not named and (reason := special_name(host)):
        raise UrlRefused(reason)
    clean = str(parsed.copy_with(fragment=None))
    return Target(clean, parsed.scheme, host, port, parsed.raw_path, literal)


def _host(host: str) -> tuple[str, bool]:
    """The host as it is resolved, and whether it is an IP address already. IDNA first, then every check."""
    if not host:
        raise UrlRefused("no host")
    if host.startswith("[") or ":" in host:
        inner = host.strip("[]")
        if "%" in unquote(inner) or "%" in inner:
            raise UrlRefused("IPv6 address with a zone id")
        try:
            return str(ipaddress.IPv6Address(inner)), True
        except ValueError:
            raise UrlRefused("not a valid IPv6 address") from None
    if "%" in host:
        raise UrlRefused("percent sign in the host name")
    if host.endswith("."):
        host = host[:-1]
    try:
        ascii_host = host if host.isascii() else idna.encode(host, uts46=True).decode("ascii").lower()
        if "xn--" in ascii_host:
            idna.decode(ascii_host)
    except (idna.IDNAError, UnicodeError):
        raise UrlRefused("host name that IDNA does not allow") from None
    labels = ascii_host.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        # The last label decides for every resolver whether a host is read as a number.
        try:
            return str(ipaddress.IPv4Address(ascii_host)), True
        except ValueError:
            raise UrlRefused("numeric host that is not a canonical IP address") from None
    if len(ascii_host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused("not a valid host name")
    return ascii_host, False


def special_name(host: str) -> str | None:
    """Why a name can only mean something inside a network, or None."""
    labels = host.split(".")
    if len(labels) == 1:
        return "host name without a domain"
    if host in _METADATA_NAMES or labels[-1] in _SPECIAL_NAMES:
        return "name of an inner network"
    return None


def normalise(url: str) -> str:
    """One spelling for all addresses of one page, to find duplicates with (not to fetch).

    Drops scheme, `www.`, default port, fragment, tracking parameters and the trailing slash; sorts nothing: the order
    of the other parameters may matter. Text that is no URL comes back as it is.
    """
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError, ValueError):
        return url.strip()
    if not parsed.host:
        return url.strip()
    host = parsed.raw_host.decode("ascii", "replace").lower().rstrip(".")
    host = host.removeprefix("www.")
    pairs = parse_qsl(parsed.query.decode("utf-8", "replace"), keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
    port = f":{parsed.port}" if parsed.port and parsed.port not in (80, 443) else ""
    path = parsed.raw_path.split(b"?", 1)[0].decode("ascii", "replace").rstrip("/")
    return f"{host}{port}{path}" + (f"?{urlencode(kept)}" if kept else "")
