"""Questions as data: one validation and one JSON shape for flags, batch lines and MCP calls. Cheap to import."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from brain_assets.errors import ConfigurationError
from brain_assets.model.search import Filters, Hit, Mode, SearchResult

MODES = ("hybrid", "lexical", "dense")
LANGUAGES = ("auto", "de", "en")
KINDS = ("note", "kb", "article", "web")
MAX_TOP = 1000
_FILTER_KEYS = {
    "kind": "kinds", "type": "types", "tag": "tags", "path": "paths", "language": "languages", "after": "after",
    "before": "before",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. Keys of a batch line are the flags' names with `_` for `-`."""

    query: str
    top: int = 10
    mode: Mode = "hybrid"
    explain: bool = False
    all: bool = False
    no_boosts: bool = False
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class ThinkRequest:
    """One question to `think`."""

    query: str
    top: int = 7
    no_llm: bool = False
    stale_days: int | None = None
    lang: str = "auto"
    filters: Filters = field(default_factory=Filters)


def _wrong(key: str, expected: str) -> ConfigurationError:
    return ConfigurationError(f"{key} must be {expected}.")


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    def parse(key: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise _wrong(key, f"a whole number from {low} to {high}")
        return value

    return parse


def _one_of(*choices: str) -> Callable[[str, Any], str]:
    def parse(key: str, value: Any) -> str:
        if value not in choices:
            raise _wrong(key, "one of " + ", ".join(choices))
        return str(value)

    return parse


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(key, "true or false")
    return value


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(key, "a text")
    return value


def _day(key: str, value: Any) -> date | None:
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise _wrong(key, f"a date like 2026-05-01, not {value!r}") from None


def _texts(key: str, value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise _wrong(key, "a text or a list of texts")
    return tuple(values)


_PARSERS: dict[str, Callable[[str, Any], Any]] = {
    "query": _text,
    "mode": _one_of(*MODES),
    "explain": _flag,
    "all": _flag,
    "no_boosts": _flag,
    "no_llm": _flag,
    "stale_days": _whole(0, 36_500),
    "lang": _one_of(*LANGUAGES),
    "top": _whole(1, MAX_TOP),
}


def filters(values: Mapping[str, Any]) -> Filters:
    """Restrictions from flags or keys (`kind`, `type`, `tag`, `path`, `language`, `after`, `before`).

    Raises ConfigurationError naming what is wrong.
    """
    parsed: dict[str, Any] = {}
    for key, name in _FILTER_KEYS.items():
        if key not in values:
            continue
        parsed[name] = _day(key, values[key]) if key in ("after", "before") else _texts(key, values[key])
    if unknown := sorted(set(parsed.get("kinds", ())) - set(KINDS)):
        raise _wrong("kind", f"one of {', '.join(KINDS)}, not {', '.join(unknown)}")
    return Filters(**parsed)


def search_request(values: Mapping[str, Any]) -> SearchRequest:
    """A search from flags or a batch line. Raises ConfigurationError naming each key that is unknown or wrong."""
    return SearchRequest(**_parse(values, SearchRequest))


def think_request(values: Mapping[str, Any]) -> ThinkRequest:
    """A question from flags or a batch line. Raises ConfigurationError naming each key that is unknown or wrong."""
    return ThinkRequest(**_parse(values, ThinkRequest))


def _parse(values: Mapping[str, Any], request: type) -> dict[str, Any]:
    own = {f.name for f in dataclasses.fields(request)} - {"filters"}
    if unknown := sorted(values.keys() - own - _FILTER_KEYS.keys()):
        allowed = sorted(own | _FILTER_KEYS.keys())
        raise ConfigurationError(f"Unknown key {', '.join(unknown)}.", f"The keys are: {', '.join(allowed)}.")
    if values.get("query") is None:
        raise ConfigurationError("There is no query.")
    parsed = {key: _PARSERS[key](key, values[key]) for key in own if values.get(key) is not None}
    parsed["filters"] = filters({key: values[key] for key in _FILTER_KEYS if values.get(key) is not None})
    return parsed


def hit_json(hit: Hit, explain: bool = False) -> dict[str, Any]:
    """A hit as `brain search --json` prints it."""
    value: dict[str, Any] = {
        "rank": hit.rank, "id": hit.id, "kind": hit.kind, "title": hit.title, "path": hit.path,
        "date": hit.date.isoformat() if hit.date else None, "language": hit.language, "type": hit.type,
        "status": hit.status, "score": hit.score, "preview": hit.preview, "matched": list(hit.matched),
        "reasons": list(hit.reasons),
    }  # fmt: skip
    return value | ({"explain": hit.explain} if explain else {})


def search_json(result: SearchResult, explain: bool = False) -> dict[str, Any]:
    """A search as `brain search --json` prints it."""
    return {
        "query": result.query, "language": result.language, "coverage": result.coverage, "mode": result.mode,
        "hits": [hit_json(hit, explain) for hit in result.hits], "generation": result.generation,
        "notes": list(result.notes), "took_ms": round(result.took_ms, 2),
    }  # fmt: skip


_COLLECTS = (50_000, 20, 1_000)
"""Container objects more than freed, and passes of the generation below, before the garbage collector looks at a
generation: an answer makes some ten thousand, nearly all of which its end frees without being looked for."""


def settle() -> None:
    """Take all that is loaded out of the garbage collector's sight, and let it look seldom: a process that answers
    many questions would look through all its caches again and again, some of its answers for a tenth of a second.

    Called again it also frees what has become garbage in between.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTS)
