"""The limits of every asset, measured on the catalogue, for Dagster, `brain build` and `brain status`."""

from __future__ import annotations

from collections.abc import Iterable

from brain_assets.errors import BrainError
from brain_assets.operation.checks import graph, retrieval, sources, synthesis
from brain_assets.operation.checks.base import Check, CheckResult, Look, Measured, State, not_measured
from brain_assets.settings import Settings
from brain_assets.store.catalogue import Catalogue

__all__ = ["CHECKS", "Check", "CheckResult", "Measured", "State", "evaluate", "of_asset"]

CHECKS: tuple[Check, ...] = (*sources.CHECKS, *retrieval.CHECKS, *graph.CHECKS, *synthesis.CHECKS)


def of_asset(asset: str) -> tuple[Check, ...]:
    """The checks of one asset, in their order."""
    return tuple(check for check in CHECKS if check.asset == asset)


def evaluate(cat: Catalogue, settings: Settings, assets: Iterable[str] | None = None) -> list[CheckResult]:
    """Measure the checks of the given assets (all by default) on one snapshot.

    An asset whose stage never ran in this brain is not measured. A check that meets a failure of its own room (a
    missing index, say) says so as `failed` with that room's message.
    """
    wanted = None if assets is None else set(assets)
    results = []
    with cat.read() as connection:
        look = Look(connection, settings)
        ran = {check.asset: look.has_run(check.asset) for check in CHECKS}
        for check in CHECKS:
            if wanted is not None and check.asset not in wanted:
                continue
            measured = _measure(check, look) if ran[check.asset] else not_measured("This asset was never built.")
            limit = check.limit(settings)
            results.append(CheckResult(check.asset, check.name, check.blocking, check.description, limit, measured))
    return results


def unreached(asset: str, settings: Settings) -> list[CheckResult]:
    """The checks of an asset that a run did not reach: not measured."""
    nothing = not_measured("The run did not reach this asset.")
    return [
        CheckResult(c.asset, c.name, c.blocking, c.description, c.limit(settings), nothing) for c in of_asset(asset)
    ]


def _measure(check: Check, look: Look) -> Measured:
    try:
        return check.measure(look)
    except BrainError as error:
        return Measured("failed", None, str(error))
