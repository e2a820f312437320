"""What a person decides about a contradiction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, update

from brain_assets.errors import ConfigurationError
from brain_assets.graph import relations
from brain_assets.operation import views
from brain_assets.store.schema import contradictions


def contradiction(
    connection: Connection, name: str, status: str, *, keep: str | None = None, note: str = ""
) -> dict[str, Any]:
    """Set a contradiction's status, and for `resolved` the side that is right; returns it as listed.

    `name` is its id or a beginning of it that only one has; `keep` is one of its two entries, as id or path, or `a` or
    `b` as they are listed. Without a note the one it had stays. The edge between the two entries follows: a dismissed
    one is no contradiction any more. Raises NotFoundError; ConfigurationError for a side it does not have, and where
    there is nothing to decide: one that closed by itself, `open` for one that is open.
    """
    known = {c["id"]: c for c in views.contradictions(connection)}
    found = known[views.only(name, known, "contradiction")]
    if found["status"] == "closed":
        raise ConfigurationError(
            f"{found['id']} is closed: {found['closed_because'] or 'the texts no longer disagree.'}",
            "There is nothing to decide; it opens again by itself if the conflict comes back.",
        )
    if status == found["status"] == "open":
        raise ConfigurationError(f"{found['id']} is open already.", "")
    decided = {
        "status": status, "keep": None if keep is None else _side(connection, found, keep),
        "note": note.strip() or found["note"],
    }  # fmt: skip
    connection.execute(update(contradictions).where(contradictions.c.id == found["id"]).values(**decided))
    relations.project(connection, (found["a"], found["b"]))
    return found | decided


def _side(connection: Connection, found: dict[str, Any], keep: str) -> str:
    sides: Sequence[str] = (found["a"], found["b"])
    if keep.lower() in ("a", "b"):
        return sides["ab".index(keep.lower())]
    side = keep if keep in sides else views.resolve(connection, keep).id
    if side not in sides:
        raise ConfigurationError(f"{keep} is no side of {found['id']}.", f"Its sides are: {', '.join(sorted(sides))}.")
    return side
