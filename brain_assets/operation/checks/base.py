"""What a check is: a limit of an asset that is measured on the catalogue, with the value it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, func, select

from brain_assets.settings import Settings
from brain_assets.store import schema

State = Literal["passed", "failed", "not_measured"]
_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """What a check found. `examples` name offenders (at most ten); `note` says why nothing could be measured."""

    state: State
    value: float | int | str | None
    note: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """What a check may look at: one snapshot of the catalogue, and the settings."""

    connection: Connection
    settings: Settings

    def rows(self, query: Any) -> list[Any]:
        return list(self.connection.execute(query))

    def count(self, table: Any, *where: Any) -> int:
        """Rows of a table that meet all conditions."""
        return int(self.connection.execute(select(func.count()).select_from(table).where(*where)).scalar() or 0)

    def has_run(self, asset: str) -> bool:
        """Whether the stage of an asset has ever run in this brain."""
        return self.count(schema.stage_runs, schema.stage_runs.c.stage == asset) > 0


@dataclass(frozen=True, slots=True)
class Check:
    """One limit of one asset. A failed blocking check stops what depends on the asset.

    `limit` is the limit as shown to people; `measure` reads the catalogue and compares.
    """

    asset: str
    name: str
    blocking: bool
    description: str
    limit: Callable[[Settings], float | int | str]
    measure: Callable[[Look], Measured]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check with what it found, as `brain build --json` and Dagster show it."""

    asset: str
    name: str
    blocking: bool
    description: str
    limit: float | int | str
    measured: Measured

    @property
    def blocks(self) -> bool:
        return self.blocking and self.measured.state == "failed"

    @property
    def word(self) -> str:
        """The state in words for people: what fails without blocking is a warning."""
        if self.measured.state == "failed" and not self.blocking:
            return "warning"
        return self.measured.state.replace("_", " ")

    def to_json(self) -> dict[str, Any]:
        return {
            "asset": self.asset,
            "name": self.name,
            "state": self.measured.state,
            "value": self.measured.value,
            "limit": self.limit,
            "blocking": self.blocking,
            "note": self.measured.note,
            "examples": list(self.measured.examples),
        }


def none_of(offenders: Iterable[str], note: str = "") -> Measured:
    """Passed when there is no offender; the value is how many there are."""
    found = sorted(set(offenders))
    return Measured("failed" if found else "passed", len(found), note, tuple(found[:_EXAMPLES]))


def at_most(value: float, limit: float, note: str = "", examples: Iterable[str] = ()) -> Measured:
    """Passed when the value does not exceed the limit."""
    state: State = "passed" if value <= limit else "failed"
    return Measured(state, round(value, 4), note, tuple(sorted(set(examples))[:_EXAMPLES]))


def at_least(value: float, limit: float, note: str = "", examples: Iterable[str] = ()) -> Measured:
    """Passed when the value reaches the limit."""
    state: State = "passed" if value >= limit else "failed"
    return Measured(state, round(value, 4), note, tuple(sorted(set(examples))[:_EXAMPLES]))


def not_measured(why: str) -> Measured:
    """Nothing to measure, and why: never the same as passed."""
    return Measured("not_measured", None, why)


def fixed(limit: float | int | str) -> Callable[[Settings], float | int | str]:
    """A limit that no setting changes."""
    return lambda _settings: limit
