"""The process that turns hostile HTML into text: started by `extract.Extractor`, killed when it takes too long.

It limits its own memory, writes no file, gets no secret in its environment, and speaks length-prefixed JSON over
stdin and stdout.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from typing import Any, BinaryIO

from brain_assets.research import blocks, cues, decode, visible

READY = b"ok"
MAX_ELEMENTS = 60_000
MEMORY = 805_306_368
MIN_CHARS = 400
MIN_SHARE = 0.7
MIN_GAIN = 1.1
MIN_LEFT = 0.3
_HIDDEN_CHARS = 50_000
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_PUBLISHED = ("article:published_time", "article:modified_time", "date", "dc.date", "dc.date.issued", "dcterms.date",
              "dcterms.created", "publish-date", "pubdate", "datepublished", "last-modified")  # fmt: skip
_SPACE = re.compile(r"\s+")


def limit_memory() -> None:
    """Bound address space, and forbid writing files; where the system has no such limits, only time bounds us."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def extract(text: str) -> dict[str, Any]:
    """Title, text and origin of an HTML page, or `{"error": reason}`.

    readability-lxml first; trafilatura when that finds less than 400 characters or less than 70 % of what stands in
    paragraphs, and trafilatura at least 10 % more that is no link; the whole visible body when both lose most of it.
    """
    if len(re.findall(r"<[a-zA-Z]", text)) > MAX_ELEMENTS:
        return {"error": f"more than {MAX_ELEMENTS} elements"}
    import lxml.html

    root = lxml.html.document_fromstring(_without_declaration(text))
    found = _origin(root)
    hidden = "\n".join([*visible.strip_hidden(root), *found.pop("unseen")])
    body = root.find("body")
    if body is None:
        return {"text": "", "extractor": "plain"}
    baseline = sum(len(_SPACE.sub(" ", p.text_content()).strip()) for p in body.iter("p"))
    linked = {_SPACE.sub(" ", a.text_content()).strip() for a in body.iter("a")}
    whole = decode.clean(visible.to_text(body))
    kept = blocks.protect(root)
    markup = lxml.html.tostring(root, encoding="unicode")
    content, extractor = blocks.restore(_readability(markup), kept), "readability"
    if len(content) < MIN_CHARS or len(content) < MIN_SHARE * baseline:
        other = blocks.restore(_trafilatura(markup), kept)
        own = _own_length(other, linked)
        if own >= MIN_GAIN * len(content) and own > len(other) / 2:
            content, extractor = other, "trafilatura"
    if len(content) < MIN_LEFT * _own_length(whole, linked):
        content, extractor = whole, "plain"
    instructed = bool(cues.INSTRUCTION.search(decode.clean(hidden)[:_HIDDEN_CHARS]))
    return {**found, "text": content, "extractor": extractor, "hidden_instructions": instructed}


def _own_length(text: str, linked: set[str]) -> int:
    """Characters of a text without the words of its links: menus and lists of other pages are not its own."""
    flat = _SPACE.sub(" ", text)
    return len(flat) - sum(len(words) for words in linked if words and words in flat)


def _without_declaration(text: str) -> str:
    # lxml refuses text that declares an encoding; the text is decoded already.
    return re.sub(r"\A\s*<\?xml[^>]*\?>", "", text) or "<html></html>"


def _readability(markup: str) -> str:
    from readability import Document
    from readability.readability import Unparseable

    try:
        return _text_of(Document(markup).summary(html_partial=True))
    except Unparseable:
        return ""


def _trafilatura(markup: str) -> str:
    import trafilatura

    found = trafilatura.extract(
        markup, output_format="html", include_tables=True, include_comments=False, include_formatting=True
    )
    # It writes inline code as blocks; the real blocks are carried past it (see `blocks`).
    return _text_of(re.sub(r"<(/?)pre\b", r"<\1code", found)) if found else ""


def _text_of(markup: str) -> str:
    import lxml.html

    if not markup.strip():
        return ""
    return decode.clean(visible.to_text(lxml.html.document_fromstring(markup)))


def _origin(root: Any) -> dict[str, Any]:
    """Title, site, published date and organisation as the page states them; nothing here is checked."""
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
        metas.setdefault(name, (meta.get("content") or "")[:300])
    unseen = [text for name, text in metas.items() if "description" in name or "keywords" in name]
    unseen += [(image.get("alt") or "")[:300] for image in list(root.iter("img"))[:200]]
    linked = _linked_data(root)
    heading = next((h.text_content() for h in root.iter("h1")), "")
    titles = (next((t.text or "" for t in root.iter("title")), ""), metas.get("og:title", ""), heading)
    title = next((cleaned for t in titles if (cleaned := _line(t))), "")
    dates = [linked.get("datePublished", ""), *(metas.get(name, "") for name in _PUBLISHED)]
    dates += [t.get("datetime") or "" for t in list(root.iter("time"))[:3]]
    published = next((match[0] for date in dates if (match := _DATE.match(date.strip()))), None)
    organisation = _line(linked.get("publisher", "") or linked.get("author", "") or metas.get("author", ""))
    return {
        "title": title,
        "site": _line(metas.get("og:site_name", "")),
        "published": published,
        "organisation": organisation or None,
        "unseen": unseen,
        "login_form": any((i.get("type") or "").lower() == "password" for i in root.iter("input")),
    }


def _linked_data(root: Any) -> dict[str, str]:
    """Date, publisher and author of the first JSON-LD object that has them."""
    out: dict[str, str] = {}
    for script in list(root.iter("script"))[:50]:
        if (script.get("type") or "").lower() != "application/ld+json" or len(script.text or "") > 100_000:
            continue
        try:
            data = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        items = data.get("@graph", [data]) if isinstance(data, dict) else data if isinstance(data, list) else []
        for item in items if isinstance(items, list) else []:
            if not isinstance(item, dict):
                continue
            if isinstance(item.get("datePublished"), str):
                out.setdefault("datePublished", item["datePublished"])
            for role in ("publisher", "author"):
                who = item.get(role)
                who = who[0] if isinstance(who, list) and who else who
                name = who.get("name") if isinstance(who, dict) else who
                if isinstance(name, str):
                    out.setdefault(role, name)
    return out


def _line(text: str) -> str:
    return _SPACE.sub(" ", decode.clean(text)).strip()[:300]


def main(inlet: BinaryIO, outlet: BinaryIO) -> None:
    """Say that it is ready, then answer requests until the other side closes."""
    import lxml.html  # noqa: F401 - loaded before the clock of the first page runs
    import readability  # noqa: F401
    import trafilatura  # noqa: F401

    limit_memory()
    outlet.write(READY)
    outlet.flush()
    while True:
        size = inlet.read(4)
        if len(size) < 4:
            return
        text = inlet.read(struct.unpack(">I", size)[0]).decode("utf-8")
        try:
            result = extract(text)
        except MemoryError:
            result = {"error": "the page needs too much memory"}
        except Exception as error:  # noqa: BLE001 - whatever a parser does with a hostile page fails that page only
            result = {"error": f"the page cannot be parsed ({type(error).__name__})"}
        reply = json.dumps(result).encode()
        outlet.write(struct.pack(">I", len(reply)) + reply)
        outlet.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
