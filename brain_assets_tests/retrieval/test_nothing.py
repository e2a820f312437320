from __future__ import annotations

import pytest

from brain_assets_tests.retrieval.conftest import Brain


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("tag:netzz tunnel", ["No entry has tag:netzz.", "Did you mean tag:netz?"]),
        ("type:howto", ["Did you mean type:how-to?"]),
        ("type:gedicht tag:nixda", ["type:gedicht", "tag:nixda"]),
        ('path:"Ganz woanders" tunnel', ['No entry has path:"Ganz woanders".']),
        ("title:Kaiserpinguin", ["No entry has title:Kaiserpinguin."]),
        ("after:2027 gateway", ["No entry is dated on or after 2027-01-01."]),
        ("tag:netz type:daily", ["together"]),
        ("tag:netz kaiserpinguin", ["that passes the filters"]),
        ("kaiserpinguin", ["any of these words"]),
        ("?!", ["no word to search for"]),
    ],
)
def test_nothing_found_names_what_stands_in_the_way(small: Brain, query: str, said: list[str]) -> None:
    result = small.searcher().search(query, mode="lexical")
    assert not result.hits and result.coverage == "none"
    for part in said:
        assert part in " ".join(result.notes)


def test_only_excluding_words_is_said_unless_a_filter_says_what_to_list(small: Brain) -> None:
    assert "only excludes" in small.searcher().search("-gateway").notes[0]
    listed = small.searcher().search("-gateway tag:netz")
    assert listed.hits and not listed.notes
