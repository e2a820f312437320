from __future__ import annotations

import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_assets.sources import frontmatter
from brain_assets.sources.decode import clean
from brain_assets.sources.vault import read_note

_line = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
_yamlish = st.lists(
    st.one_of(
        _line,
        st.builds("{}: {}".format, st.sampled_from(["title", "tags", "date", "a", "type"]), _line),
        st.sampled_from(
            [
                "- x",
                "  - y",
                "tags: [a, b",
                "title: 'x",
                "&a *b",
                "? k",
                "{{x}}",
                "---",
                "...",
                "\t- z",
                "<<: *a",
                "a: |",
            ]
        ),
    ),
    max_size=8,
).map("\n".join)


@given(_yamlish)
@settings(max_examples=300)
def test_no_block_raises_or_costs_the_body(block: str) -> None:
    text = f"---\n{block}\n---\nDer Rumpf."
    found = frontmatter.read(text)
    assert "Der Rumpf." in text[found.body_start :]
    entry = read_note("a.md", text.encode(), 0)
    assert "Der Rumpf." in entry.body
    entry.model_dump_json().encode()


@given(_yamlish)
@settings(max_examples=200)
def test_unclosed_blocks_lose_no_line(block: str) -> None:
    text = f"---\n{block}"
    found = frontmatter.read(text)
    kept = text[found.body_start :] + found.rest + repr(found.fields)
    for word in block.split():
        if word.isalnum() and not found.present:
            assert word in kept


_scalars = st.one_of(
    st.sampled_from(
        ["no", "on", "1.10", "0123", "2026-01-01", "null", "12:30", "a: b", "#x", "@x", "*x", "'", '"', "-", "yes"]
    ),
    st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=20),
)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.one_of(_scalars, st.lists(_scalars, max_size=4)), max_size=5
    )
)
def test_what_yaml_writes_is_read_as_the_strings_that_went_in(fields: dict[str, Any]) -> None:
    block = clean(yaml.safe_dump(fields, allow_unicode=True, sort_keys=False))
    found = frontmatter.read(f"---\n{block}---\nx")
    if fields:
        assert found.valid and not found.problems
        assert found.fields == {
            k: [clean(x) for x in v] if isinstance(v, list) else clean(v) for k, v in fields.items()
        }


_plain = st.text(st.sampled_from("ab1 no~-:#,\"'[]{}.&*@`?!|>%ä\u00a0\u2028\t"), max_size=9)
_simple_line = st.one_of(
    st.builds(
        "{}:{}{}".format,
        st.sampled_from(["a", "Typ", "a b", "no", "null", "x-1", "1", " b"]),
        st.sampled_from([" ", "  ", ""]),
        _plain,
    ),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "    "]), _plain),
    st.builds("k{}: [{}]".format, st.integers(0, 9), st.lists(_plain, max_size=3).map(", ".join)),
)


@given(st.lists(_simple_line, max_size=5).map("\n".join))
@settings(max_examples=600)
def test_the_short_way_reads_what_yaml_reads(block: str) -> None:
    fields = frontmatter._plain_fields(block)
    if fields is None or not block.strip():
        return
    assert frontmatter._parse(block) == (fields, [])


def test_the_short_way_is_the_usual_one() -> None:
    block = (
        'title: "VPN: Gateway (alt)"\ntags: [vpn, "a b"]\nquelle: Team Netz, Büro\ndate: 2026-10-01T08:15:00+02:00\n'
        'x:\naliases:\n  - Eins\n  - "Zwei"\n'
    )
    assert frontmatter._plain_fields(block) == frontmatter._parse(block)[0]


@pytest.mark.parametrize(
    "block",
    [
        "[" * 100_000,
        "{" * 100_000,
        "a: " * 50_000,
        "- " * 100_000,
        "\t" * 200_000,
        "a:\n" * 60_000,
        "x: 'y\n" * 40_000,
        "?" * 200_000,
        "&a " * 80_000,
        "a: [1,\n" * 30_000,
        "a b c d" * 30_000,
        '"a' * 80_000,
        ": " * 100_000,
        "k: v\n" * 50_000,
        "<% " * 60_000,
    ],
    ids=lambda block: repr(block[:8]),
)
def test_hostile_blocks_take_no_time(block: str) -> None:
    started = time.process_time()
    found = frontmatter.read(f"---\n{block}\n---\nRumpf")
    assert time.process_time() - started < 3
    assert found.body_start <= len(block) + 10


def test_unread_lines_stay_in_the_text() -> None:
    found = frontmatter.read("---\ntitle: A\nlose Zeile\n}}} noch eine\ntags: [x\n---\nRumpf")
    assert found.fields["title"] == "A" and "lose Zeile" in found.rest
    assert not found.valid and "tags" in found.problems[0]


def test_fields_beyond_the_limit_stay_in_the_text() -> None:
    block = "bad: [\n" + "\n".join(f"f{i}: {i}" for i in range(2_500))
    found = frontmatter.read(f"---\n{block}\n---\nRumpf")
    assert found.fields["f100"] == "100" and "f2499: 2499" in found.rest
