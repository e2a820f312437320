"""Edges, contradictions and topics (DESIGN §7)."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from brain_assets.model.entry import Frozen

Relation = Literal[
    "supports", "depends_on", "contradicts", "same_topic", "duplicates", "supersedes", "part_of", "references",
    "synthesized_from", "grounded_by", "proposes_update", "proposes_merge",
]  # fmt: skip
ContradictionKind = Literal["negation", "number", "date", "version", "host", "procedure", "status"]
ContradictionStatus = Literal["open", "confirmed", "resolved", "dismissed", "closed"]


class Edge(Frozen):
    """A typed, justified edge, read source → target ("source depends on target").

    A judged edge carries one verbatim quote from each side; a `references` edge carries the link as written.
    """

    source: str
    target: str
    relation: Relation
    confidence: float
    judge: str
    source_quote: str = ""
    target_quote: str = ""
    reason: str = ""


class Decision(Frozen):
    """What the judge said of one pair, kept also when negative, valid while both text digests are unchanged."""

    source: str
    target: str
    source_digest: str
    target_digest: str
    judge: str
    prompt_version: str
    related: bool
    relation: Relation | None = None
    confidence: float = 0.0
    source_quote: str = ""
    target_quote: str = ""
    reason: str = ""
    missing_evidence: str = ""


class Contradiction(Frozen):
    """Two entries that cannot both be right. `newer` names the side with the later date, if both have one.

    `closed_on` and `closed_because` are set on a finding that closed by itself.
    """

    id: str
    a: str
    b: str
    subject: str
    kind: ContradictionKind
    a_quote: str
    b_quote: str
    a_value: str
    b_value: str
    confidence: float
    strength: Literal["weak", "strong"] = "strong"
    status: ContradictionStatus = "open"
    newer: str | None = None
    closed_on: dt.date | None = None
    closed_because: str = ""


class Topic(Frozen):
    """A community of the weighted graph; `id` stays the same when its members change a little."""

    id: str
    label: str
    terms: tuple[str, ...]
    members: tuple[str, ...]
    parent: str | None = None
