"""What to do with a pool: create, update or merge an existing article, or skip because nothing is new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.synthesis import PoolDecision
from brain_assets.settings import Settings
from brain_assets.synthesis.growth import closeness
from brain_assets.synthesis.landscape import Landscape

_ON_TOPIC = 0.16
_DRAFT = re.compile(r"\b(?:entwurf\w*|draft|rohfassung|vorläufig\w*|preliminary|work in progress|wip)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decision:
    decision: PoolDecision
    target: str | None
    reason: str


def find_target(view: Landscape, members: Sequence[str], settings: Settings) -> str | None:
    """The existing article on the pool's subject: made from its sources, or closest to most of them."""
    best: tuple[float, str] | None = None
    for candidate in sorted(view.lineage):
        if candidate in members or view.retired(candidate) or candidate not in view.by_id:
            continue
        folded = view.lineage[candidate] & set(members)
        near = [closeness(view, candidate, m) for m in members]
        related = sum(view.confirmed(candidate, m) for m in members)
        mean = sum(near) / len(near)
        fits = len(folded) >= 2 or (mean >= _ON_TOPIC and (related >= 2 or len(folded) == 1))
        if fits:
            score = mean + len(folded) / len(members)
            if best is None or score > best[0]:
                best = (score, candidate)
    return best[1] if best else None


def folded_in(view: Landscape, target: str, members: Sequence[str]) -> list[str]:
    """Members the target was already made from and that still say what they said then."""
    return sorted((view.lineage.get(target, frozenset()) & set(members)) - view.changed.get(target, frozenset()))


def outgrown(view: Landscape, target: str, members: Sequence[str]) -> bool:
    """Whether a pool is what an approved article was made from, and a source of it says something else now."""
    changed = view.changed.get(target, frozenset())
    return bool(changed & set(members)) and set(members) <= view.lineage.get(target, frozenset())


def decide(view: Landscape, members: Sequence[str], target: str | None) -> Decision:
    """create without an existing article; skip when it holds all of it; merge into a draft; update otherwise."""
    if target is None:
        return Decision("create", None, "no existing article is on this subject")
    folded = folded_in(view, target, members)
    fresh = [m for m in members if m not in folded]
    if not fresh:
        return Decision("skip", target, f"already_covered: {target} was made from exactly these sources")
    entry = view.by_id[target]
    if _DRAFT.search(f"{entry.title}\n{entry.body}") or (entry.status or "").lower() in ("draft", "entwurf"):
        return Decision("merge", target, f"{target} is a draft on this subject; {len(fresh)} sources belong into it")
    return Decision("update", target, f"{target} is on this subject and lacks what {len(fresh)} sources say")
