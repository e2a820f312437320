"""What a person decides about a contradiction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, update

from brain_assets.errors import ConfigurationError
from brain_assets.operation import views
from brain_assets.store.schema import contradictions


def contradiction(
    connection: Connection, name: str, status: str, *, keep: str | None = None, note: str = ""
) -> dict[str, Any]:
    """Set a contradiction's status, and for `resolved` the side that is right; returns it as listed.

    `name` is its id or a beginning of it that only one has; `keep` is one of its two entries, as id or path. Raises
    NotFoundError, ConfigurationError.
    """
    known = {c["id"]: c for c in views.contradictions(connection)}
    found = known[views.only(name, known, "contradiction")]
    if keep is not None:
        sides = {found["a"], found["b"]}
        side = keep if keep in sides else views.resolve(connection, keep).id
        if side not in sides:
            raise ConfigurationError(
                f"{keep} is no side of {found['id']}.", f"Its sides are: {', '.join(sorted(sides))}."
            )
        keep = side
    decided = {"status": status, "keep": keep, "note": note}
    connection.execute(update(contradictions).where(contradictions.c.id == found["id"]).values(**decided))
    return found | decided
