"""What one run of a stage did."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any


@dataclass
class StageReport:
    """Counts of one run. `pending` counts what there was to do, `parked` items that failed too often."""

    stage: str
    pending: int = 0
    done: int = 0
    reused: int = 0
    failed: int = 0
    parked: int = 0
    seconds: float = 0.0
    stopped: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)
