from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest

from brain_assets.model.entry import Entry
from brain_assets.think.stale import replacement, stale

TODAY = dt.date(2026, 12, 1)


def entry(**values: Any) -> Entry:
    given = {"kind": "note", "path": "a.md", "title": "A", "body": "Text.", "language": "de"} | values
    return Entry(id="note:a.md", content_digest="", text_digest="", **given)


def found(item: Entry, days: int = 90, **values: Any) -> list[Any]:
    limits = {"status": 30, "reference": 365, "*": 180}
    source: Any = SimpleNamespace(entry=item, n=1)
    return list(stale([source], today=TODAY, stale_days=days, limits=limits, replaced=values.get("replaced", {})))


@pytest.mark.parametrize(
    ("age", "kind", "severity"),
    [
        (90, "status", None),
        (91, "status", "due"),
        (91, "reference", "aging"),
        (364, "reference", "aging"),
        (366, "reference", "due"),
        (120, None, "aging"),
        (181, None, "due"),
    ],
)
def test_severity_is_by_the_limit_of_the_type(age: int, kind: str | None, severity: str | None) -> None:
    got = found(entry(date=TODAY - dt.timedelta(days=age), date_origin="frontmatter date", type=kind))
    assert [g.severity for g in got] == ([severity] if severity else [])


def test_the_reason_tells_where_the_date_comes_from() -> None:
    day = dt.date(2026, 5, 1)
    assert found(entry(date=day, date_origin="frontmatter updated"))[0].reason == "frontmatter updated 2026-05-01"
    assert found(entry(date=day, date_origin="file mtime"))[0].reason == "file mtime 214d ago"


def test_what_has_no_date_is_never_stale() -> None:
    assert found(entry(kind="kb", status="veraltet")) == []


@pytest.mark.parametrize(
    ("values", "by"),
    [
        ({"status": "veraltet"}, "superseded: status veraltet"),
        ({"body": "> [!danger] Nicht mehr verwenden\n> Ersetzt durch [[Neu|das Neue]]."}, "superseded by Neu"),
        ({"body": "**Superseded by [the new page](neu.md).**"}, "superseded by the new page"),
        ({"body": "This guide was replaced by [[New]] in May."}, "superseded by New"),
        ({"body": "Achtung: Diese Notiz ist veraltet."}, "superseded: “Diese Notiz ist veraltet”"),
        ({"body": "**Deprecated.** Replaced by [[Offsite copy]] in May."}, "superseded by Offsite copy"),
        ({"body": "> **Diese Anleitung ist veraltet und ersetzt durch [[Neu]].**"}, "superseded by Neu"),
        ({"fields": {"superseded_by": "[[Neu]]"}}, "superseded by Neu"),
        ({"body": "Der alte Server wurde ersetzt durch [[fjord]]."}, None),
        ({"body": "Das Regal wurde ersetzt durch ein neues."}, None),
        ({"body": "Ersetzt [[Alt]]."}, None),
    ],
)
def test_explicit_words_say_what_replaces_an_entry(values: dict[str, Any], by: str | None) -> None:
    assert replacement(entry(**values), None) == by


def test_a_younger_entry_that_is_replaced_is_superseded() -> None:
    young = entry(date=TODAY - dt.timedelta(days=3), date_origin="frontmatter date")
    assert found(young) == []
    (gap,) = found(young, replaced={"note:a.md": "Neue Fassung"})
    assert (gap.severity, gap.reason) == ("superseded", "superseded by Neue Fassung")
    (old,) = found(entry(date=dt.date(2025, 1, 1), date_origin="frontmatter date", status="deprecated"))
    assert (old.severity, old.reason) == ("due", "frontmatter date 2025-01-01; superseded: status deprecated")
