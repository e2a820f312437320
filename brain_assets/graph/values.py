"""A value as normalised, and when two values of one thing agree or conflict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from brain_assets.model.graph import ContradictionKind

Bound = Literal["exact", "min", "max", "about"]

_NOT_THIS = re.compile(
    r"\b(nicht|not|statt|anstatt|anstelle(?: von)?|instead of|rather than|keine[nrms]?|no longer|früher|formerly|"
    r"previously|bisher|vorher|until then|bis dahin|damals)\W+(?:the\W+|die\W+|der\W+|den\W+|nur\W+|bei\W+|"
    r"auf\W+|mit\W+)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value as normalised, with where it stands.

    `dimension` is what it measures: duration (s), workdays, interval (s), bytes, bitrate, percent, money:CUR, watt …,
    count (of `noun`), date (year, month, day; year 0 where none is written), weekday, clock (minutes of the day; a
    time in UTC is `clock:utc`), version (of `label`), host, address, port, email. `amount` is a number or a tuple.
    """

    dimension: str
    amount: float | tuple[int, ...] | str
    text: str
    start: int
    end: int
    bound: Bound = "exact"
    label: str = ""
    change: Literal["", "from", "to"] = ""

    @property
    def kind(self) -> ContradictionKind:
        """The kind of contradiction a conflict in this value makes."""
        if self.dimension in ("date", "weekday"):
            return "date"
        if self.dimension == "version":
            return "version"
        return "host" if self.dimension in ("host", "address", "email") else "number"


def contrasted(text: str, value: Value) -> bool:
    """Whether the value is only named to be set aside ("not the 20 GB", "statt 30 Tage")."""
    return bool(_NOT_THIS.search(text[: value.start]))


def conflicting(a: Value, b: Value) -> bool:
    """Whether two values of the same thing can't both hold. Different dimensions never conflict."""
    if a.dimension != b.dimension:
        return False
    if a.dimension == "version":
        return not _prefix(str(a.amount), str(b.amount))
    if a.dimension == "date":
        return _dates_differ(a.amount, b.amount)
    if isinstance(a.amount, float) and isinstance(b.amount, float):
        return _amounts_differ(a, b)
    if a.dimension in ("clock", "clock:utc") and isinstance(a.amount, tuple) and isinstance(b.amount, tuple):
        return _clocks_differ(a.amount, b.amount)
    if a.dimension == "host":
        return not _same_host(str(a.amount), str(b.amount))
    return a.amount != b.amount


def loosely_conflicting(a: Value, b: Value) -> bool:
    """Whether two values differ although both can hold, because one is an upper bound ("up to 25" and 10)."""
    if a.dimension != b.dimension or not isinstance(a.amount, float) or not isinstance(b.amount, float):
        return False
    bounds = {a.bound, b.bound}
    return a.amount != b.amount and bounds == {"exact", "max"}


def equal(a: Value, b: Value) -> bool:
    """Whether two values say the same, in whatever unit or spelling."""
    if a.dimension != b.dimension or conflicting(a, b) or loosely_conflicting(a, b):
        return False
    return not _opposite_bounds(a, b)


def _opposite_bounds(a: Value, b: Value) -> bool:
    return {a.bound, b.bound} == {"min", "max"}


def _amounts_differ(a: Value, b: Value) -> bool:
    assert isinstance(a.amount, float) and isinstance(b.amount, float)
    if _opposite_bounds(a, b):
        return False
    high = max(abs(a.amount), abs(b.amount))
    if "about" in (a.bound, b.bound):
        tolerance = 0.15
    else:  # 1 GB and 1 GiB, 30 days and a month are meant alike; two figures in one unit are not
        tolerance = 0.001 if _unit_of(a) == _unit_of(b) else 0.05
    if abs(a.amount - b.amount) <= tolerance * high:
        return False
    for one, other in ((a, b), (b, a)):
        if one.bound == "max" and other.bound in ("exact", "about"):
            return other.amount > one.amount  # type: ignore[operator]
        if one.bound == "min" and other.bound in ("exact", "about"):
            return other.amount < one.amount  # type: ignore[operator]
    return True


def _unit_of(value: Value) -> str:
    return re.sub(r"[^a-zäöü%]", "", value.text.lower())[:3]


def _prefix(a: str, b: str) -> bool:
    x, y = a.split("."), b.split(".")
    n = min(len(x), len(y))
    return x[:n] == y[:n]


def _dates_differ(a: object, b: object) -> bool:
    assert isinstance(a, tuple) and isinstance(b, tuple)
    return any(x and y and x != y for x, y in zip(a, b, strict=True))


def _clocks_differ(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    if len(a) == len(b):
        return a != b
    point, span = (a, b) if len(a) == 1 else (b, a)
    return not span[0] <= point[0] <= span[1]


def _same_host(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    return long == short or long.startswith(short + ".")
