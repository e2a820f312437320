"""What a hostile or careless world may hand over: text that is nearly what the readers expect, and text that is not."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

HARD = (
    "", " ", "\t", "\n", "\r\n", "\r", "\u2028", "\u00a0", "\u200b", "\ufeff", "\u00ad", "\x00", "\x1b[31m", "\x7f",
    "ä", "a\u0308", "ß", "ẞ", "İ", "ı", "ﬀ", "Ω", "🧠", "👩\u200d💻", "日本", "ع", "\u202e", "\ud7ff", "𝔘", "\u0301" * 30,
)  # fmt: skip
MARKS = (
    "---", "...", "---\n", "# ", "###### ", "- ", "- [ ] ", "- [x] ", "1. ", "> ", "| a | b |\n|---|---|\n", "```", "~~~",
    "```python\n", "[[", "]]", "![[", "|", "#", "^", "[", "](", ")", "![", "<", ">", "<!--", "-->", "%%", "$$", "`", "``",
    "**", "__", "==", "\\", "&amp;", "&#0;", ":", ": ", "::", "#tag", "#1", "http://x", "[^1]", "===\n", "    ", "\t\t",
)  # fmt: skip
WORDS = (
    "VPN", "Gateway", "der", "die", "nicht", "kein", "never", "not", "Port", "51820", "MTU 1420", "2026-12-01",
    "01.12.2026", "10.0.0.1", "Druckserver", "Übergrößenträger", "backup", "restore", "1.2.3", "3,5 %", "€ 12",
)  # fmt: skip

pieces = st.one_of(
    st.sampled_from(HARD), st.sampled_from(MARKS), st.sampled_from(WORDS), st.text(max_size=12), st.just(" ")
)
texts = st.lists(pieces, max_size=40).map("".join)
lines = st.lists(texts, max_size=12).map("\n".join)

keys = st.sampled_from(
    ("title", "Titel", "date", "Datum", "updated", "created", "aliases", "alias", "tags", "tag", "type", "status",
     "language", "lang", "id", "up", "?", "", "null", "1", "<<", "ä")
)  # fmt: skip
scalars = st.one_of(
    texts, st.integers(), st.floats(), st.booleans(), st.none(), st.dates().map(str),
    st.sampled_from(("2026-13-45", "0000-00-00", "9999-12-31", "yes", "&a *a", "!!python/object:os.system", "!x y", "{", "[",
                     "- - -", "'", '"', "|\n  x", ">\n  y", "*nowhere", "&a [*a]", "0x7f", "1e400", "12:30:45")),
)  # fmt: skip
front_matter = st.lists(
    st.one_of(
        st.tuples(keys, scalars).map(lambda pair: f"{pair[0]}: {pair[1]}"),
        st.tuples(keys, st.lists(scalars, max_size=4)).map(lambda pair: f"{pair[0]}: {pair[1]}"),
        texts,
    ),
    max_size=10,
).map("\n".join)
notes = st.one_of(
    lines,
    st.tuples(front_matter, lines, st.sampled_from(("---", "...", "--- ", "----", ""))).map(
        lambda parts: f"---\n{parts[0]}\n{parts[2]}\n{parts[1]}"
    ),
)


def encoded(text: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Bytes of a text in some encoding, now and then cut or with a byte of another."""
    names = st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1", "utf-32"))
    return st.one_of(
        st.tuples(text, names).map(lambda pair: pair[0].encode(pair[1], "replace")),
        st.tuples(text, st.binary(max_size=4), st.integers(0, 500)).map(
            lambda parts: (data := parts[0].encode("utf-8", "replace"))[: parts[2]] + parts[1] + data[parts[2] :]
        ),
        st.binary(max_size=300),
    )


json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
_RECORD = ("id", "title", "text", "answer", "auto_reply", "min_score", "categories", "keywords", "source", "source_uri",
           "language", "communication_style")  # fmt: skip
records = st.dictionaries(st.one_of(st.sampled_from(_RECORD), texts), st.one_of(texts, json_values), max_size=14)
kb_files = st.one_of(
    st.one_of(records, st.lists(records, max_size=4), json_values).map(lambda v: json.dumps(v, ensure_ascii=False)),
    texts,
)


def answers(fields: tuple[str, ...]) -> st.SearchStrategy[str]:
    """What a language model may say instead of an object with these fields."""
    objects = st.dictionaries(st.one_of(st.sampled_from(fields), texts), json_values, max_size=8)
    dumped = objects.map(lambda value: json.dumps(value, ensure_ascii=False))
    around = st.sampled_from(("{}", "```json\n{}\n```", "<think>{}</think>", "Sure! {} Anything else?", "{}{}", "[{}]"))
    return st.one_of(
        texts,
        st.tuples(dumped, around, st.integers(0, 400)).map(
            lambda parts: parts[1].replace("{}", parts[0])[: parts[2] or None]
        ),
    )


_TAGS = ("html", "head", "body", "p", "div", "table", "tr", "td", "script", "style", "a", "img", "pre", "code", "li", "ul",
         "h1", "title", "meta", "svg", "math", "template", "noscript", "iframe", "form", "br", "frameset", "x-y")  # fmt: skip
_tag = st.tuples(st.sampled_from(("<{}>", "</{}>", "<{} ", "<{}/>", '<{} href="', "<{} style='display:none'>")),
                 st.sampled_from(_TAGS)).map(lambda pair: pair[0].format(pair[1]))  # fmt: skip
pages = st.lists(
    st.one_of(
        _tag, texts, st.sampled_from(("<!DOCTYPE html>", "<![CDATA[", "]]>", "<!--", "-->", "<?xml version='1.0'?>",
                                      '<meta charset="utf-7">', "&#xD800;", "&#1114112;", "&bogus;",
                                      '<script type="application/ld+json">{"datePublished": [1]}</script>')),
    ),
    max_size=40,
).map("".join)  # fmt: skip
queries = st.lists(
    st.one_of(
        pieces, st.sampled_from(('"', "tag:", "path:", "kind:note", "type:", "after:2026", "before:x", "-", "AND", "OR",
                                 "NOT", "(", ")", "*", "?", "~2", "^3", "/re/", "title:", "lang:de", "after:", "+")),
    ),
    max_size=15,
).map("".join)  # fmt: skip
urls = st.one_of(
    texts,
    st.tuples(
        st.sampled_from(("http://", "https://", "file:///", "javascript:", "//", "HTTP:\\\\", "http:/", "")),
        st.sampled_from(("example.org", "127.0.0.1", "[::1]", "0x7f.1", "user:pw@host", "ä.de", "xn--a", "a" * 300, "",
                         "169.254.169.254", "localhost", "[::ffff:127.0.0.1]", "1.1.1.1:99999", "１２７.0.0.1")),
        texts,
    ).map("".join),
)  # fmt: skip
