from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_assets.sources import markdown, passages

_pieces = st.sampled_from(
    [
        "# K",
        "## ",
        "text ",
        "`",
        "```",
        "~~~",
        "[[a",
        "]]",
        "[a](b)",
        "![",
        "|",
        "---",
        "===",
        "- [ ] x",
        "> ",
        "#tag ",
        "\n",
        "\n\n",
        "\t",
        "ä",
        "[x]: y",
        "<a>",
        "\\",
        "*",
        "_",
        "😀",
        "    ",
    ]
)
_markdownish = st.lists(_pieces, max_size=60).map("".join)


@given(_markdownish)
@settings(max_examples=400)
def test_blocks_cover_the_text_in_order(text: str) -> None:
    position = 0
    for block in markdown.blocks(text):
        assert position <= block.start < block.end <= len(text)
        assert not text[position : block.start].strip(" \t>\n")
        position = block.end
    assert not text[position:].strip(" \t>\n")
    document = markdown.read(text)
    for passage in passages.split("note:a", "T", text, "de"):
        assert text[passage.start : passage.end] == passage.text
    assert len(document.headings) == sum(block.kind == "heading" for block in document.blocks)


@pytest.mark.parametrize(
    "text",
    [
        "wort " * 400_000,
        "QUJD" * 1_250_000,
        "".join(f"## H {i}\n" for i in range(100_000)),
        "|a|b|\n|-|-|\n" + "|x|y|\n" * 10_000,
        "[[" * 500_000,
        "[" * 1_000_000,
        "[](" * 300_000,
        "`a " * 300_000,
        "`" * 1_000_000,
        "#" * 1_000_000,
        "# " * 400_000,
        " " * 1_000_000,
        ">" * 1_000_000,
        "![" * 400_000,
        "a\n" + "-" * 1_000_000,
        "[a](b " * 200_000,
        "[a](" + "(x)" * 200_000,
        "- [ ] " * 200_000,
        ("`" + "x" * 1999) * 500,
        " #a" * 300_000,
        "a\n=\n" * 200_000,
        "|" * 1_000_000,
        "a|b\n" + "-|" * 400_000,
        "[a]: " * 200_000,
        "\n" * 1_000_000,
        "*a" * 400_000,
        "# " + "*a" * 400,
        "a\n\n" * 200_000,
        "&lt;" * 300_000,
        "```\n" * 200_000,
        "``a" * 300_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_time_is_linear_whatever_the_text(text: str) -> None:
    started = time.process_time()
    document = markdown.read(text)
    passages.split("note:a", "T", text, "de", document.blocks)
    assert time.process_time() - started < 8


def test_code_is_kept_apart() -> None:
    body = (
        "Text [[Eins]] `[[zwei]] #x`\n\n```md\n# Kopf [[drei]] #y\n- [ ] vier\n```\n\n~~~\n[[fünf]]\n~~~\n"
        "> ```\n> [[sechs]]\n> ```\nEnde [[Sieben]] #z"
    )
    document = markdown.read(body)
    assert [link.target for link in document.links] == ["Eins", "Sieben"]
    assert document.tags == ("z",) and not document.headings and not document.tasks
    assert [block.kind for block in document.blocks] == ["text", "code", "code", "code", "text"]
    assert "drei" not in document.prose and "Ende" in document.prose


def test_a_longer_fence_holds_a_shorter_one() -> None:
    kinds = [b.kind for b in markdown.blocks("````\n```\nx\n```\n````\nText\n```a``` kein Zaun")]
    assert kinds == ["code", "text"]


def test_links_of_every_form() -> None:
    body = (
        "[[Ziel]] [[Ziel|Name]] [[Ordner/Ziel#Kopf]] [[Ziel#^block]] [[Ziel#A#B|n]] ![[Ziel]] [[#Hier]] [[Ziel.md]]\n"
        '[n](Andere%20Notiz.md#kopf) [n](<mit Leer.md>) [n](a(b).md) ![n](x.md) [n](../oben.md "Titel")\n'
        "[ref]: def.md\n[^1]: keiner\n| [[Ziel\\|Zelle]] |\n"
        "[web](https://a.b/c) [m](mailto:a@b.c) ![[bild.png]] [p](x.pdf) [o](obsidian://open) [](//a.b) [leer]() [[]]"
    )
    links = markdown.read(body).links
    assert [(k.target, k.heading, k.block, k.label, k.embed, k.syntax) for k in links] == [
        ("Ziel", None, None, None, False, "wikilink"),
        ("Ziel", None, None, "Name", False, "wikilink"),
        ("Ordner/Ziel", "Kopf", None, None, False, "wikilink"),
        ("Ziel", None, "block", None, False, "wikilink"),
        ("Ziel", "A#B", None, "n", False, "wikilink"),
        ("Ziel", None, None, None, True, "wikilink"),
        ("", "Hier", None, None, False, "wikilink"),
        ("Ziel.md", None, None, None, False, "wikilink"),
        ("Andere Notiz.md", "kopf", None, "n", False, "markdown"),
        ("mit Leer.md", None, None, "n", False, "markdown"),
        ("a(b).md", None, None, "n", False, "markdown"),
        ("x.md", None, None, "n", True, "markdown"),
        ("../oben.md", None, None, "n", False, "markdown"),
        ("def.md", None, None, "ref", False, "markdown"),
        ("Ziel", None, None, "Zelle", False, "wikilink"),
    ]


def test_tasks() -> None:
    tasks = markdown.read(
        "- [ ] offen\n* [x] fertig\n1. [X] auch\n  - [/] halb\n> - [-] weg\n- [] keine\n-[ ] keine"
    ).tasks
    assert [(task.text, task.done) for task in tasks] == [
        ("offen", False),
        ("fertig", True),
        ("auch", True),
        ("halb", False),
        ("weg", False),
    ]


def test_headings_as_a_reader_sees_them() -> None:
    body = (
        "# **Fett** mit [[a/b|Link]] und [x](y) ##\n## `code` ==mark==\n Drei\n---\n#nicht\n####### nicht\n- p\n---\n"
    )
    assert [(h.level, h.text) for h in markdown.read(body).headings] == [
        (1, "Fett mit Link und x"),
        (2, "code mark"),
        (2, "Drei"),
    ]


def test_tables_with_and_without_outer_bars() -> None:
    kinds = [b.kind for b in markdown.blocks("Vorher\n\n| a |\n|---|\n| 1 |\n\na | b\n--|--\n1 | 2\n\nkein | Tisch")]
    assert kinds == ["text", "table", "table", "text"]
