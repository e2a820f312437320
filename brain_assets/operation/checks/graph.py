"""Limits of relation_edges and topic_clusters."""

from __future__ import annotations

import re
from collections import Counter

from sqlalchemy import select

from brain_assets.operation.checks.base import Check, Look, Measured, at_most, fixed, none_of, not_measured
from brain_assets.store.schema import contradictions, edges, entries, topic_members, topics

MAX_ORPHAN_SHARE = 0.5
MAX_TOPIC_SHARE = 0.5
MAX_OUTLIER_SHARE = 0.5
_OUTLIERS = "outliers"
_live = entries.c.deleted_on.is_(None)
_relations = edges.c.origin == "relations"


def squash(text: str) -> str:
    """Text with its white space made single: quotes are compared so."""
    return re.sub(r"\s+", " ", text).strip()


def texts(look: Look, ids: set[str]) -> dict[str, str]:
    """Live entry id → squashed title and body, of the given ids."""
    wanted = sorted(ids)
    out: dict[str, str] = {}
    for start in range(0, len(wanted), 500):
        query = select(entries.c.id, entries.c.title, entries.c.body).where(
            _live, entries.c.id.in_(wanted[start : start + 500])
        )
        out |= {row.id: squash(f"{row.title}\n{row.body}") for row in look.rows(query)}
    return out


def _ends_exist(look: Look) -> Measured:
    live = {row.id for row in look.rows(select(entries.c.id).where(_live))}
    found = look.rows(select(edges.c.source, edges.c.target, edges.c.relation).where(_relations))
    return none_of(f"{e.source} {e.relation} {e.target}" for e in found if e.source not in live or e.target not in live)


def _evidence(look: Look) -> Measured:
    judged = look.rows(select(edges).where(_relations, edges.c.relation != "references"))
    body = texts(look, {e.source for e in judged} | {e.target for e in judged})

    def borne(entry_id: str, quote: str) -> bool:
        return bool(quote.strip()) and squash(quote) in body.get(entry_id, "")

    return none_of(
        f"{e.source} {e.relation} {e.target}"
        for e in judged
        if not borne(e.source, e.source_quote) or not borne(e.target, e.target_quote)
    )


def _orphans(look: Look) -> Measured:
    live = {row.id for row in look.rows(select(entries.c.id).where(_live, entries.c.kind.in_(("note", "kb"))))}
    if not live:
        return not_measured("There is no entry yet.")
    linked = {end for e in look.rows(select(edges.c.source, edges.c.target).where(_relations)) for end in e}
    alone = live - linked
    return at_most(len(alone) / len(live), MAX_ORPHAN_SHARE, f"{len(alone)} of {len(live)} have no edge.", alone)


def _open_contradictions(look: Look) -> Measured:
    found = look.rows(
        select(contradictions.c.a, contradictions.c.b, contradictions.c.subject).where(
            contradictions.c.status.in_(("open", "confirmed"))
        )
    )
    return none_of((f"{c.a} | {c.b}: {c.subject}" for c in found), "Settle them with `brain contradictions`.")


def _members(look: Look) -> Measured:
    live = {row.id for row in look.rows(select(entries.c.id).where(_live, entries.c.kind.in_(("note", "kb"))))}
    known = {row.id for row in look.rows(select(topics.c.id))} | {_OUTLIERS}
    rows = look.rows(select(topic_members.c.entry_id, topic_members.c.topic_id))
    alive = {row.id for row in look.rows(select(entries.c.id).where(_live))}
    members = {row.entry_id for row in rows}
    wrong = [f"{m} is a member and not alive" for m in members - alive]
    wrong += [f"{r.entry_id} is in {r.topic_id}, which does not exist" for r in rows if r.topic_id not in known]
    wrong += [f"{i} is in no topic and no outlier" for i in live - members]
    return none_of(wrong)


def _skew(look: Look) -> Measured:
    sizes = Counter(
        row.topic_id for row in look.rows(select(topic_members.c.topic_id).where(topic_members.c.topic_id != _OUTLIERS))
    )
    if len(sizes) < 2:
        return not_measured(f"There are {len(sizes)} topics; skew needs two.")
    (largest, size), total = sizes.most_common(1)[0], sum(sizes.values())
    return at_most(size / total, MAX_TOPIC_SHARE, f"The largest topic has {size} of {total} members.", (largest,))


def _outlier_share(look: Look) -> Measured:
    total = look.count(topic_members)
    if not total:
        return not_measured("There is no entry yet.")
    outside = look.count(topic_members, topic_members.c.topic_id == _OUTLIERS)
    return at_most(outside / total, MAX_OUTLIER_SHARE, f"{outside} of {total} entries are in no topic.")


CHECKS = (
    Check("relation_edges", "ends_exist", True, "Both ends of every edge are live entries.", fixed(0), _ends_exist),
    Check(
        "relation_edges", "edges_have_evidence", True,
        "Every judged edge carries one verbatim quote from each side.", fixed(0), _evidence,
    ),
    Check(
        "relation_edges", "orphan_share", False, "Share of notes and KB entries without any edge.",
        fixed(MAX_ORPHAN_SHARE), _orphans,
    ),
    Check(
        "relation_edges", "open_contradictions", False, "Contradictions that a person has not settled yet.",
        fixed(0), _open_contradictions,
    ),
    Check(
        "topic_clusters", "members_exist_once", True,
        "Every live note and KB entry stands in exactly one topic or among the outliers.", fixed(0), _members,
    ),
    Check(
        "topic_clusters", "size_skew", False, "Share of the largest topic among all members.",
        fixed(MAX_TOPIC_SHARE), _skew,
    ),
    Check(
        "topic_clusters", "outlier_share", False, "Share of entries in no topic.", fixed(MAX_OUTLIER_SHARE),
        _outlier_share,
    ),
)  # fmt: skip
