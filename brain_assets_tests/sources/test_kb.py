from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_assets.sources import kb
from brain_assets.sources.markup import readable
from brain_assets_tests.sources.vaults import kb_item


def one(**fields: Any) -> kb.KBItem:
    (item,) = kb.read_file("x.json", json.dumps(kb_item("KB-1") | fields).encode())
    return item


def entry(**fields: Any) -> Any:
    item = one(**fields)
    assert item.entry is not None, item.reason
    return item.entry


def test_defaults_and_unknown_fields() -> None:
    found = entry(
        owner={"team": "Netz"}, status="aktiv", date_mod="2026-05-04 10:00:00", keywords=None, language="de-DE"
    )
    record = found.record
    assert (record.auto_reply, record.min_score, record.categories, record.keywords) == (False, 0.82, (), ())
    assert found.fields == {"owner": {"team": "Netz"}, "status": "aktiv", "date_mod": "2026-05-04 10:00:00"}
    assert (found.id, found.kind, found.status, found.language) == ("kb:KB-1", "kb", "aktiv", "de")
    assert (found.date, found.date_origin) == (dt.date(2026, 5, 4), "glpi date_mod")
    assert found.body == "Frage\n\nAntwort KB-1"
    assert entry().date is None and entry().date_origin is None


def test_tags_are_categories_and_keywords() -> None:
    assert entry(categories=["VPN", "Netz"], keywords=["vpn", "Code 7"]).tags == ("VPN", "Netz", "Code 7")


@pytest.mark.parametrize(
    ("fields", "ai"),
    [
        ({"categories": ["VPN", "AI-THINK"]}, True),
        ({"categories": ["ai-staging"]}, True),
        ({"categories": ["AIRPORT", "Ki"]}, False),
        ({"source": "Neural Brain / qwen3:8b (Knowledge Synthesis)"}, True),
        ({"source": "Team Brain"}, False),
        ({"source_uri": "brain://article/x"}, True),
        ({}, False),
    ],
)
def test_ai_origin(fields: dict[str, Any], ai: bool) -> None:
    found = entry(**fields)
    assert found.ai_origin is ai and found.generation_depth == int(ai) and found.production is not ai


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer": None}, "answer"),
        ({"id": ""}, "id is empty"),
        ({"id": "  "}, "id is empty"),
        ({"title": " "}, "title is empty"),
        ({"id": 7}, "id"),
        ({"text": ["x"]}, "text"),
        ({"categories": "VPN"}, "categories"),
        ({"min_score": "hoch"}, "min_score"),
        ({"min_score": 2}, "min_score"),
        ({"auto_reply": "vielleicht"}, "auto_reply"),
        ({"keywords": [1]}, "keywords"),
        ({"id": "a\nb"}, "id"),
        ({"title": {}}, "title"),
    ],
)
def test_what_breaks_the_schema(change: dict[str, Any], reason: str) -> None:
    item = one(**change)
    assert item.entry is None and reason in item.reason


@pytest.mark.parametrize("field", ["id", "title", "text", "answer"])
def test_required_fields(field: str) -> None:
    item = kb_item("KB-1")
    del item[field]
    (found,) = kb.read_file("x.json", json.dumps(item).encode())
    assert found.entry is None and found.reason == f"missing required field {field}"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"{", "malformed"),
        (b'{"id": "a",}', "malformed"),
        (b"[]", "empty list"),
        (b"7", "neither"),
        (b'"x"', "neither"),
        (b"null", "neither"),
        (b"[" * 100_000, "malformed"),
        (b'{"min_score": NaN}', "malformed"),
        (b"\0" * 400, "not text"),
        (b'{"a": ' + b"9" * 5000 + b"}", "malformed"),
        (b"// x\n{}", "malformed"),
    ],
)
def test_files_that_give_nothing(data: bytes, reason: str) -> None:
    with pytest.raises(kb.InvalidFileError, match=reason):
        kb.read_file("x.json", data)


def test_lists_are_read_item_by_item() -> None:
    items = kb.read_file("x.json", json.dumps([kb_item("A"), 7, {"id": "B"}, kb_item("C")]).encode("utf-8-sig"))
    assert [(i.place, i.entry.id if i.entry else None) for i in items] == [
        ("#0", "kb:A"),
        ("#1", None),
        ("#2", None),
        ("#3", "kb:C"),
    ]
    assert items[1].reason == "it is no JSON object" and "title" in items[2].reason


def test_texts_are_clean() -> None:
    found = entry(text="a\r\nb\u0000\ud800", answer="u\u0308", title="  A\n B ")
    assert found.record.answer == "ü" and found.title == "A B"
    found.model_dump_json().encode()
    assert found.record.text.startswith("a\nb") and "\0" not in found.body


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["id", "title", "text", "answer", "keywords", "x"]), inner, max_size=6)
        ),
        max_leaves=20,
    )
)
def test_any_json_is_read_or_refused(value: object) -> None:
    try:
        items = kb.read_file("x.json", json.dumps(value).encode("utf-8", "surrogatepass"))
    except kb.InvalidFileError:
        return
    for item in items:
        assert (item.entry is None) == bool(item.reason)
        if item.entry:
            item.entry.model_dump_json().encode()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain", "plain"),
        ("AT&amp;T, M&uuml;ller &#8211; gut", "AT&T, Müller – gut"),
        ("&amp;lt;b&amp;gt; bleibt eine Entit&auml;t", "&lt;b&gt; bleibt eine Entität"),
        ("Code `a&nbsp;b`, Text a&nbsp;b", "Code `a&nbsp;b`, Text a\xa0b"),
        ("```\n&lt;p&gt;\n```\n&lt;p&gt;", "```\n&lt;p&gt;\n```\n<p>"),
        ("<p>Gr&uuml;&szlig;e</p><p>zwei</p>", "Grüße\n\nzwei"),
        ("&lt;p&gt;Gr&uuml;&szlig;e&lt;/p&gt;", "Grüße"),
        ("&#60;p&#62;Gr&#38;uuml;&#38;szlig;e&#60;/p&#62;", "Grüße"),
        ("&lt;p&gt;Tag &amp;lt;br&amp;gt; heißt Umbruch&lt;/p&gt;", "Tag <br> heißt Umbruch"),
        ("Mit &lt;br&gt; wird umgebrochen", "Mit <br> wird umgebrochen"),
        ("<p>1 &lt; 2 &amp;amp; 3</p>", "1 < 2 &amp; 3"),
        ("<ol><li>eins</li><li>zwei<ul><li>a</li></ul></li></ol>", "1. eins\n2. zwei\n  - a"),
        ("Hallo,<br>bitte<br/><br>neu starten", "Hallo,\nbitte\n\nneu starten"),
        ("<h2>Kopf</h2><p>Text <strong>fett</strong> <code>ls -l</code></p>", "## Kopf\n\nText fett ls -l"),
        ("<pre>a\n  b &lt;c&gt;</pre>", "```\na\n  b <c>\n```"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"),
        (
            '<p>Siehe <a href="https://a.b/?x=1&amp;y=2">Wiki</a>, <a href="javascript:x">nicht</a></p>',
            "Siehe [Wiki](https://a.b/?x=1&y=2), nicht",
        ),
        ("<p>a</p><script>alert('x')</script><style>p{}</style><p>b</p>", "a\n\nb"),
        ("Taste <kbd>F1</kbd>\n\n1. List<String> & x < y", "Taste <kbd>F1</kbd>\n\n1. List<String> & x < y"),
        ("<p>nicht zu <b", "nicht zu <b"),
        ("&unbekannt; &#xD800; &", "&unbekannt; \ufffd &"),
    ],
)
def test_markup_is_read_as_people_see_it(raw: str, text: str) -> None:
    assert readable(raw) == text


@given(st.text(st.sampled_from("<>&;/pblia=\"' \n`#x3c")))
def test_markup_never_raises(raw: str) -> None:
    readable(raw)
