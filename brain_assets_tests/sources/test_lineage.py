from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain_assets.sources.lineage import depths


def test_depths() -> None:
    assert depths({}) == {}
    assert depths({"a": {"p"}, "b": {"a", "p"}, "c": {"b", "a"}}) == {"a": 1, "b": 2, "c": 3}
    assert depths({"a": {"n"}}, {"n": 1}) == {"a": 2}


def test_circles_share_a_depth() -> None:
    assert depths({"a": {"b"}, "b": {"a", "c"}, "c": set(), "d": {"a"}}) == {"a": 2, "b": 2, "c": 1, "d": 3}
    assert depths({"a": {"a"}}) == {"a": 1}


@given(st.dictionaries(st.sampled_from("abcdefg"), st.sets(st.sampled_from("abcdefgh")), max_size=7))
def test_any_graph_has_depths_that_do_not_depend_on_order(sources: dict[str, set[str]]) -> None:
    found = depths(sources)
    assert found == depths(dict(reversed(sources.items())))
    assert all(1 <= depth <= len(sources) for depth in found.values())


def test_a_long_chain_needs_no_recursion() -> None:
    chain = {f"{i:05}": {f"{i - 1:05}"} for i in range(1, 5_000)}
    assert depths(chain)["04999"] == 4_999
