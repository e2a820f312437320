"""Batch mode: one JSON object a line in, one result a line out, in order, from one warm process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from brain_assets.cli.options import Call
from brain_assets.errors import BrainError, ConfigurationError

Answer = Callable[[Mapping[str, Any]], dict[str, Any]]


def run(call: Call, source: str, defaults: Mapping[str, Any], answer: Answer) -> int:
    """Answer each line of a file (`-` is stdin) and print one JSON line for each.

    `defaults` are the flags of the command line; a line's own keys win. A line that cannot be answered gives
    `{"id", "error"}`; the rest goes on and the exit code is 1 at the end. Raises ConfigurationError if the file
    cannot be read.
    """
    failed = False
    with ExitStack() as stack:
        if source == "-":
            lines = sys.stdin.buffer
        else:
            try:
                lines = stack.enter_context(Path(source).open("rb"))
            except OSError as error:
                raise ConfigurationError(
                    f"The batch file {source} cannot be read ({error.strerror}).", "Name a file, or - for stdin."
                ) from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            result = _one(line, number, defaults, answer)
            failed = failed or "error" in result
            call.emit(result)
            sys.stdout.flush()
    return call.finish(failed=failed)


def _one(line: bytes, number: int, defaults: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    name: Any = None
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise ConfigurationError(f"Line {number} is no JSON object.")
        name = value.pop("id", None)
        return {"id": name, **answer({**defaults, **value})}
    except (ValueError, RecursionError) as error:
        reason = f"Line {number} is not valid JSON ({type(error).__name__})."
        return {"id": name, "error": reason}
    except BrainError as error:
        return {"id": name, "error": str(error)}
