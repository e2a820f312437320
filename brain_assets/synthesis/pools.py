"""Source pools: from a confirmed relation outward, within the limits of an article, each with its decision."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Pool, PoolDecision
from brain_assets.settings import Settings
from brain_assets.synthesis.landscape import CONFIRMED, Landscape, pair
from brain_assets.text import words

_OVERLAP = 0.5
_MIN_AFFINITY = 0.22
_GENERIC_TITLE = re.compile(
    r"^(?:übersicht|overview|readme|index|notizen|notes|faq|checkliste|checklist|handbuch|handbook|protokoll|minutes)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A pool that leads to no article, and why."""

    pool_id: str
    sources: tuple[str, ...]
    decision: PoolDecision
    reason: str
    target: str | None = None
    title: str = ""
    checks: dict[str, object] = field(default_factory=dict)


def source_key(sources: Iterable[str]) -> str:
    """SHA-256 hex over the sorted source ids: what a pool and its article are named by."""
    return hashlib.sha256("\n".join(sorted(sources)).encode()).hexdigest()


def propose(view: Landscape, settings: Settings) -> tuple[list[Pool], list[Refusal]]:
    """All pools of a snapshot, and the refused ones. Deterministic; no two pools share a subject."""
    candidates = sorted(_candidates(view, settings), key=lambda c: (-c.score, c.members))
    pools: list[Pool] = []
    refused: list[Refusal] = []
    taken: list[frozenset[str]] = []
    for candidate in candidates:
        members = frozenset(candidate.members)
        if any(len(members & other) / min(len(members), len(other)) >= _OVERLAP for other in taken):
            continue
        taken.append(members)
        reason = refuse(view, candidate.members, settings)
        if reason:
            refused.append(Refusal(f"pool-{source_key(candidate.members)[:16]}", candidate.members, "skip", reason))
        else:
            pools.append(build(view, candidate.members))
    return pools, refused


@dataclass(frozen=True, slots=True)
class _Candidate:
    members: tuple[str, ...]
    score: float


def _candidates(view: Landscape, settings: Settings) -> Iterable[_Candidate]:
    seen: set[tuple[str, ...]] = set()
    for (a, b), weight in sorted(view.edges.items(), key=lambda item: (-item[1], item[0])):
        if not view.relations[a, b] & CONFIRMED:
            continue
        seed = {view.newest(a), view.newest(b)}
        if any(view.retired(m) or view.planned(m) for m in seed):
            continue
        members = _grow(view, seed, settings)
        if members not in seen:
            seen.add(members)
            yield _Candidate(members, weight + _cohesion(view, members))


def _grow(view: Landscape, seed: set[str], settings: Settings) -> tuple[str, ...]:
    members = set(seed)
    while len(members) < settings.article_max_sources:
        near = {n for m in members for n in view.neighbours.get(m, ())}
        topics = {view.topic.get(m) for m in members} - {None}
        near |= {i for i, t in view.topic.items() if t in topics and i in view.by_id}
        best = max(
            (
                (affinity(view, c, members), c)
                for c in sorted({view.newest(n) for n in near} - members)
                if not view.retired(c) and not view.planned(c) and not view.by_id[c].ai_origin
            ),
            default=(0.0, ""),
            key=lambda x: (x[0], x[1]),
        )
        if best[0] < _MIN_AFFINITY:
            break
        members.add(best[1])
    return tuple(sorted(members))


def affinity(view: Landscape, entry_id: str, members: Iterable[str]) -> float:
    """How well an entry belongs to a pool: its strongest edge to a member, and its mean text similarity to all."""
    others = [m for m in members if m != entry_id]
    if not others:
        return 0.0
    near = sum(view.similarity(entry_id, m) for m in others) / len(others)
    return 0.4 * max(view.edge(entry_id, m) for m in others) + 0.6 * near


def _cohesion(view: Landscape, members: Sequence[str]) -> float:
    return sum(affinity(view, m, members) for m in members) / len(members)


def refuse(view: Landscape, members: Sequence[str], settings: Settings) -> str | None:
    """The limit a pool misses, None when it keeps them all."""
    sources = [view.by_id[m] for m in members]
    production = count_production(view, members)
    if not any(e.production for e in sources):
        return "only_ai_sources: nothing in it was written by people"
    if production < settings.article_min_sources:
        return f"too_few_sources: {production} production sources, at least {settings.article_min_sources} needed"
    share = production / len(_distinct(view, members))
    if share < settings.article_min_production_ratio:
        return f"production_share: {share:.2f}, at least {settings.article_min_production_ratio:.2f} needed"
    depth = 1 + max(e.generation_depth for e in sources)
    if depth > settings.article_max_generation_depth:
        return f"generation_depth: {depth}, at most {settings.article_max_generation_depth} allowed"
    return None


def _distinct(view: Landscape, members: Sequence[str]) -> list[str]:
    """Members with duplicates counted once."""
    kept: list[str] = []
    for member in members:
        if not any(member in view.twins.get(k, ()) for k in kept):
            kept.append(member)
    return kept


def count_production(view: Landscape, members: Sequence[str]) -> int:
    return sum(view.by_id[m].production for m in _distinct(view, members))


def build(view: Landscape, members: Sequence[str]) -> Pool:
    """The pool of some members, with its decision."""
    sources = [view.by_id[m] for m in members]
    decision, target, reason = decide(view, members)
    distinct = _distinct(view, members)
    return Pool(
        id=f"pool-{source_key(members)[:16]}",
        title=view.by_id[target].title if target else pool_title(view, members),
        sources=tuple(sorted(members)),
        source_digests={e.id: e.text_digest for e in sources},
        production_share=round(count_production(view, members) / len(distinct), 4),
        depth=1 + max(e.generation_depth for e in sources),
        decision=decision,
        target=target,
        reason=reason,
        topic=_topic(view, members),
        language=majority_language(sources),
        style=majority_style(sources),
    )


def decide(view: Landscape, members: Sequence[str]) -> tuple[PoolDecision, str | None, str]:
    """create, update, merge or skip, with the target and the reason."""
    return "create", None, "no existing entry covers the subject"


def pool_title(view: Landscape, members: Sequence[str]) -> str:
    """The title of the member closest to all others; a generic one gives way to the next."""
    language = majority_language([view.by_id[m] for m in members])
    ranked = sorted(
        members,
        key=lambda m: (
            view.by_id[m].language != language,
            bool(_GENERIC_TITLE.match(view.by_id[m].title.strip())),
            -affinity(view, m, members),
            m,
        ),
    )
    return view.by_id[ranked[0]].title


def _topic(view: Landscape, members: Sequence[str]) -> str | None:
    counted = Counter(view.topic[m] for m in members if m in view.topic)
    if not counted:
        return None
    return view.topic_label[sorted(counted, key=lambda t: (-counted[t], t))[0]]


def majority_language(sources: Sequence[Entry]) -> str:
    """The language most of the sources' words are written in."""
    size: Counter[str] = Counter()
    for entry in sources:
        size[entry.language] += 1
    length = {lang: sum(len(words.tokens(e.body)) for e in sources if e.language == lang) for lang in size}
    return sorted(size, key=lambda lang: (-size[lang], -length[lang], lang))[0]


def majority_style(sources: Sequence[Entry]) -> str:
    """`informal` when more support entries of the pool are informal than formal."""
    styles = Counter(e.record.communication_style for e in sources if e.record and e.record.communication_style)
    return "informal" if styles["informal"] > styles["formal"] else "formal"


__all__ = ["Refusal", "affinity", "build", "decide", "pair", "propose", "refuse", "source_key"]
