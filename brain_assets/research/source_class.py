"""Who speaks on a page, by its address and title: the class a source belongs to, and what its word is worth."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from brain_assets.settings import Settings
from brain_assets.text import words

QUALITY: dict[str, float] = {
    "standard": 0.95,
    "vendor_doc": 0.95,
    "official_support": 0.9,
    "authority": 0.9,
    "technical_doc": 0.75,
    "encyclopedia": 0.7,
    "issue_tracker": 0.65,
    "q_and_a": 0.65,
    "forum": 0.55,
    "blog": 0.55,
    "unknown": 0.55,
    "news": 0.45,
    "social": 0.35,
    "marketing": 0.2,
}
"""Quality 0..1 per class; BRAIN_ARTICLE_RESEARCH_CLASS_QUALITY changes entries."""

_DOMAINS: dict[str, str] = {
    "rfc-editor.org": "standard", "ietf.org": "standard", "w3.org": "standard", "iso.org": "standard",
    "whatwg.org": "standard", "ecma-international.org": "standard", "din.de": "standard", "nist.gov": "standard",
    "bund.de": "authority", "cisa.gov": "authority", "cert.org": "authority", "enisa.europa.eu": "authority",
    "stackoverflow.com": "q_and_a", "serverfault.com": "q_and_a", "superuser.com": "q_and_a",
    "askubuntu.com": "q_and_a", "stackexchange.com": "q_and_a", "gutefrage.net": "social",
    "administrator.de": "forum", "wikipedia.org": "encyclopedia", "wikibooks.org": "encyclopedia",
    "archlinux.org": "technical_doc", "ubuntuusers.de": "technical_doc", "developer.mozilla.org": "vendor_doc",
    "learn.microsoft.com": "vendor_doc", "support.microsoft.com": "official_support",
    "support.apple.com": "official_support", "support.google.com": "official_support", "kubernetes.io": "vendor_doc",
    "postgresql.org": "vendor_doc", "docs.python.org": "vendor_doc", "redhat.com": "vendor_doc",
    "ubuntu.com": "vendor_doc", "debian.org": "vendor_doc", "readthedocs.io": "vendor_doc",
    "github.com": "issue_tracker", "gitlab.com": "issue_tracker", "bugzilla.mozilla.org": "issue_tracker",
    "reddit.com": "social", "quora.com": "social", "facebook.com": "social", "x.com": "social",
    "pinterest.com": "social",
    "linkedin.com": "social", "youtube.com": "social", "tiktok.com": "social", "medium.com": "blog", "dev.to": "blog",
    "heise.de": "news", "golem.de": "news", "zdnet.com": "news", "theregister.com": "news", "wordpress.com": "blog",
}  # fmt: skip
_HOST_LABELS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"forums?|community|communities|discuss|discourse|board|talk", "forum"),
        (
            r"docs?|documentation|manuals?|handbuch|handbook|dokumentation|hilfe|reference|man|learn|developers?|"
            r"wiki|api",
            "doc",
        ),
        (r"support|help|helpcenter|kb|knowledge|knowledgebase|wissen|service|faq|sd", "support"),
        (r"issues?|bugs?|bugzilla|jira|tracker", "issue_tracker"),
        (r"blogs?|weblog", "blog"),
        (r"news|nachrichten|magazin|magazine|press|presse", "news"),
        (r"shop|store|buy|deals|angebote|kaufen", "marketing"),
    )
)
_NAME_PARTS = re.compile(r"handbook|handbuch|docs|manual|kompendium|reference|leitfaden")
_PAID = re.compile(
    r"(?:^|[-./])(?:top-?\d+|besten?-[a-z]+|best-[a-z]+|\d+-(?:best|besten?|amazing|easy|ways|tricks|tipps|tips)|vergleich|"
    r"testsieger|deals|coupons?|gutscheine?|amazing|ultimate)(?=[-./]|$)"
)
_PAID_TITLE = re.compile(
    r"\b(?:top[ -]?\d+|die (?:\d+|zehn|fünf|sieben) besten|testsieger|im vergleich|you won.t believe|"
    r"best .{3,30} (?:of|in) 20\d\d|"
    r"\d+ (?:amazing|best|easy|simple|quick) (?:ways|tricks|tips|tools)|\d+ (?:tipps|tricks|wege|gründe)|rabatt|% off|"
    r"jetzt (?:kaufen|sparen|bestellen)|buy now|kostenlos testen|free trial)\b",
    re.IGNORECASE,
)


def classify(url: str, title: str, names: Iterable[str], settings: Settings) -> str:
    """The class of a page's source. `names` are the product names in question: on its maker's own site a page is
    vendor documentation. BRAIN_ARTICLE_RESEARCH_DOMAIN_CLASSES decides before everything else.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower().removeprefix("www.")
    for table in (settings.article_research_domain_classes, _DOMAINS):
        found = [domain for domain in table if host == domain or host.endswith("." + domain)]
        if found:
            return table[max(found, key=len)]
    path = f"{parts.path}/".lower()
    if _PAID.search(host) or _PAID.search(path) or _PAID_TITLE.search(title):
        return "marketing"
    labels = host.split(".")
    own = any(words.fold(name) in (words.fold(label) for label in labels) for name in names if len(name) > 2)
    kind = _kind([*labels[:-2], *path.strip("/").split("/")[:1]] if len(labels) > 2 else path.strip("/").split("/")[:1])
    if kind == "doc":
        return "vendor_doc" if own else "technical_doc"
    if kind == "support":
        return "official_support" if own else "technical_doc"
    if kind:
        return kind
    if re.search(r"\b(?:forum|thread)\b", title.lower()) or re.search(r"/(?:t|topic|thread|viewtopic)[/.]", path):
        return "forum"
    if own:
        return "vendor_doc"
    return "technical_doc" if _NAME_PARTS.search(host) else "unknown"


def _kind(labels: Iterable[str]) -> str | None:
    for label in labels:
        for pattern, kind in _HOST_LABELS:
            if pattern.fullmatch(label):
                return kind
    return None


def quality(kind: str, settings: Settings) -> float:
    """Base quality of a class, 0..1."""
    return settings.article_research_class_quality.get(kind, QUALITY.get(kind, QUALITY["unknown"]))
