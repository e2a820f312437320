"""Markdown made of other people's texts makes no reader fetch or run anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from brain_assets.operation import pipeline
from brain_assets.settings import load
from brain_assets.text.printable import inert
from brain_assets.think import think

HOSTILE = [
    "![x](http://203.0.113.1/x.png)", "![x][ref]\n\n[ref]: http://203.0.113.1/r.png", "![[http://203.0.113.1/x.png]]",
    '<img src="http://203.0.113.1/i.png">', "<IMG\nsrc=http://203.0.113.1/i.png>", "<script>fetch('//203.0.113.1')</script>",
    '<svg onload="x()">', '<link rel=stylesheet href="http://203.0.113.1/s.css">', "<iframe src=//203.0.113.1></iframe>",
    "[![x](http://203.0.113.1/x.png)](http://203.0.113.1/)", "<video poster=http://203.0.113.1/p.png>",
    "\\![x](http://203.0.113.1/x.png)",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_fetched(text: str) -> None:
    html = MarkdownIt("commonmark", {"html": True}).render(inert(f"Vorher {text} nachher.")).casefold()
    assert not [tag for tag in ("<img", "<script", "<svg", "<link", "<iframe", "<video") if tag in html]


@pytest.mark.parametrize(
    "text", ["a < b", "<https://example.org>", "[Handbuch](https://example.org)", "`x<y`", "Achtung!"]
)
def test_what_fetches_nothing_stays(text: str) -> None:
    assert inert(text) == text


def test_an_answer_is_inert(tmp_path: Path) -> None:
    for name in ("vault", "kb"):
        (tmp_path / name).mkdir()
    note = (
        "Der Zebrafink ![x](http://203.0.113.1/b.png) singt. "
        '<img src="http://203.0.113.1/q.png"> Der Zebrafink frisst Körner.\n'
    )
    (tmp_path / "vault" / "Zebra.md").write_text(note, encoding="utf-8")
    settings = load(
        data_dir=tmp_path / "data", vault_dir=tmp_path / "vault", kb_dir=tmp_path / "kb", vector_sets="none"
    )
    with pipeline.writing(settings) as run:
        pipeline.sync(run)
    told = think(settings, "Was frisst der Zebrafink?", no_llm=True).to_markdown()
    assert "Zebrafink" in told
    assert "![" not in told and "<img" not in told
