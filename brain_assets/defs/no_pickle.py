"""Assets write to the catalogue and hand nothing to each other in memory; whatever tries is told so."""

from __future__ import annotations

from typing import Any

from dagster import DagsterInvariantViolationError, InputContext, IOManager, OutputContext


class RefusingIOManager(IOManager):
    """The default IO manager: accepts "nothing", refuses every value, so that no pickle is ever written."""

    def handle_output(self, context: OutputContext, obj: Any) -> None:
        if obj is not None:
            raise DagsterInvariantViolationError(
                f"{context.step_key} returned a {type(obj).__name__}; assets write to the catalogue instead."
            )

    def load_input(self, context: InputContext) -> Any:
        raise DagsterInvariantViolationError(
            f"{context.asset_key.to_user_string()} is not loaded through Dagster; read it from the catalogue."
        )
