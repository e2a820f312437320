"""Why a query found nothing, in one sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from brain_assets.model.search import Filters
from brain_assets.retrieval.analysis import units
from brain_assets.retrieval.lexical import Lexical
from brain_assets.retrieval.query import Query
from brain_assets.text.words import fold

_NAMES = {"kinds": "kind", "types": "type", "tags": "tag", "paths": "path", "languages": "language"}
_LISTED = ("type", "tag")


def reason(lexical: Lexical, query: Query) -> str:
    """What stands in the way: no brain, a filter that nothing passes, filters that exclude each other, or the words."""
    if lexical.entries == 0:
        return "The brain is empty. Check the vault and KB folders, then run `brain sync`."
    if not query.restricted:
        return "The query has no word to search for." if query.empty else "No entry has any of these words."
    unmet = [_told(lexical, name, value) for name, value, only in _parts(query) if not lexical.passes(only)]
    if unmet:
        return " ".join(unmet)
    if not lexical.passes(replace(query, text="")):
        return "No entry passes all of these filters together."
    return "No entry that passes the filters has these words."


def _parts(query: Query) -> Iterator[tuple[str, str, Query]]:
    """Each single restriction: its name, its value, and a query of nothing but it."""
    for filters in query.filters:
        for each in fields(filters):
            value = getattr(filters, each.name)
            if each.name in _NAMES:
                for one in value:
                    yield _NAMES[each.name], one, Query("", filters=(_only(each.name, (one,)),))
            elif value is not None:
                yield each.name, value.isoformat(), Query("", filters=(_only(each.name, value),))
    for title in query.titles:
        if units(title):
            yield "title", title, Query("", titles=(title,))


def _only(name: str, value: Any) -> Filters:
    return replace(Filters(), **{name: value})


def _told(lexical: Lexical, name: str, value: str) -> str:
    shown = f'"{value}"' if " " in value else value
    said = f"No entry has {name}:{shown}."
    if name in ("after", "before"):
        return f"No entry is dated on or {name} {value}."
    if name in _LISTED:
        near = difflib.get_close_matches(fold(value.lstrip("#")), lexical.values(name), n=1, cutoff=0.7)
        said += f" Did you mean {name}:{near[0]}?" if near else ""
    return said
