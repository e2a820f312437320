"""Source pools: from a confirmed relation outward, within the limits of an article, each with its decision."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Pool, PoolDecision
from brain_assets.settings import Settings
from brain_assets.synthesis import growth, packing, plan, structure, targets, titles
from brain_assets.synthesis.growth import Grown, closeness
from brain_assets.synthesis.landscape import Landscape
from brain_assets.synthesis.targets import Decision
from brain_assets.text import language as languages
from brain_assets.text import words


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
    """All pools of a snapshot, and the refused ones. Deterministic; no two pools share a subject or a target."""
    outcomes = [_outcome(view, grown, target, settings) for grown, target in packing.choose(view, settings, refuse)]
    return _named_apart(view, [o for o in outcomes if isinstance(o, Pool)]), [
        o for o in outcomes if isinstance(o, Refusal)
    ]


def _named_apart(view: Landscape, made: Sequence[Pool]) -> list[Pool]:
    """Pools no two of which have one title: an existing article keeps its own, others take their next best."""
    taken = {words.fold(p.title) for p in made if p.target}
    out = []
    for pool in made:
        if pool.target is None:
            title = pool_title(view, pool.sources, taken)
            taken.add(words.fold(title))
            pool = pool.model_copy(update={"title": title})
        out.append(pool)
    return out


def _outcome(view: Landscape, grown: Grown, target: str | None, settings: Settings) -> Pool | Refusal:
    """The pool with its decision, or why there is none."""
    members = grown.members if target is None else _for_target(view, grown.members, target, settings)
    decision = targets.decide(view, grown.members if target else members, target)
    written = target is not None and view.by_id[target].production
    if target is not None and (
        written or decision.decision == "merge" or targets.outgrown(view, target, grown.members)
    ):
        members = _with_article(view, members, target, settings)
    reason = decision.reason if decision.decision == "skip" else refuse(view, members, settings)
    if reason is None:
        return build(view, members, decision)
    if grown.set_aside and reason.startswith("too_few"):
        ids = ", ".join(sorted({c for _, c in grown.set_aside}))
        reason = f"contradicting_sources: {ids} undecided; {reason}"
    name = f"pool-{source_key(members)[:16]}"
    return Refusal(name, tuple(members), "skip", reason, target, pool_title(view, members))


def _for_target(view: Landscape, members: Sequence[str], target: str, settings: Settings) -> tuple[str, ...]:
    """The sources of an update: what is new to the target, and of what it already holds only the closest one.

    A support entry on another question stays out of an update of what a person wrote. What the judge related to the
    target itself belongs to it too. The rest of what the target was made from is counted
    through the target; joined pools keep what is closest to it.
    """
    folded = targets.folded_in(view, target, members)
    if targets.outgrown(view, target, members):
        folded = []
    elif not view.by_id[target].production:
        members = (*members, *_beside(view, target, members))
    fresh = [m for m in members if m not in folded and not targets.answers_another(view, target, m)]
    kept = [max(folded, key=lambda f: (sum(closeness(view, f, m) for m in fresh), f))] if folded and fresh else folded
    ranked = sorted(fresh, key=lambda m: (-closeness(view, target, m) - _belonging(view, m, members), m))
    free_of_dispute: list[str] = list(kept)
    apart = growth.kept_apart(view)
    for member in ranked:
        if not (view.disputes.get(member, {}).keys() | apart.get(member, set())) & set(free_of_dispute):
            free_of_dispute.append(member)
    return tuple(sorted(free_of_dispute[: settings.article_max_sources]))


def _beside(view: Landscape, target: str, members: Sequence[str]) -> list[str]:
    """Entries close to the target that the pool did not meet: on its topic, or related to what is new in the pool."""
    held = view.lineage.get(target, frozenset()) | set(members)
    fresh = [m for m in members if m not in view.lineage.get(target, frozenset())]
    return sorted(
        other
        for other in view.neighbours.get(target, set()) - held - {target}
        if view.confirmed(target, other) and view.usable(other) and closeness(view, target, other) >= growth.LEAST
        and (view.topic.get(other, other) == view.topic.get(target) or any(view.confirmed(other, m) for m in fresh))
    )  # fmt: skip


def _belonging(view: Landscape, entry_id: str, members: Sequence[str]) -> float:
    near = [closeness(view, entry_id, m) for m in members if m != entry_id]
    return sum(near) / len(near) if near else 0.0


def _with_article(view: Landscape, members: tuple[str, ...], target: str, settings: Settings) -> tuple[str, ...]:
    """What a person wrote, a draft that is merged, and an approved article that its sources outgrew are sources too
    where limits allow: the new article has to hold what they hold, but for what its sources dispute."""
    if view.disputes.get(target, {}).keys() & set(members):
        return members
    together = tuple(sorted({*members, target}))
    return together if refuse(view, together, settings) is None else members


def refuse(view: Landscape, members: Sequence[str], settings: Settings) -> str | None:
    """The limit a pool misses, None when it keeps them all."""
    sources = [view.by_id[m] for m in members]
    if not any(e.production for e in sources):
        return "only_ai_sources: nothing in it was written by people"
    distinct = distinct_sources(sources)
    production = sum(e.production for e in distinct)
    if production < settings.article_min_sources:
        return f"too_few_sources: {production} production sources, at least {settings.article_min_sources} needed"
    if len(members) > settings.article_max_sources:
        return f"too_many_sources: {len(members)}, at most {settings.article_max_sources} allowed"
    share = production / len(distinct)
    if share < settings.article_min_production_ratio:
        return f"production_share: {share:.2f}, at least {settings.article_min_production_ratio:.2f} needed"
    depth = 1 + max(e.generation_depth for e in sources)
    if depth > settings.article_max_generation_depth:
        return f"generation_depth: {depth}, at most {settings.article_max_generation_depth} allowed"
    if not any(view.confirmed(a, b) for a in members for b in members if a < b):
        return "incoherent_sources: no confirmed relation among them"
    return None


def distinct_sources(sources: Sequence[Entry]) -> list[Entry]:
    """Sources with duplicates counted once: one that says nothing of its own is not counted."""
    kept: list[Entry] = []
    said: list[set[frozenset[str]]] = []
    for entry in sorted(sources, key=lambda e: (not e.production, -len(e.body), e.id)):
        own = {_said(u.text, entry.language) for u in structure.units(entry.body)} - {frozenset()}
        repeated = any(own and sum(_repeats(o, other) for o in own) >= 0.8 * len(own) for other in said)
        if not repeated:
            kept.append(entry)
            said.append(own)
    return kept


def _said(text: str, language: str) -> frozenset[str]:
    return frozenset(words.content_stems(text, language) | set(re.findall(r"\d+", text)))


def _repeats(stems: frozenset[str], others: set[frozenset[str]]) -> bool:
    return any(len(stems & other) >= 0.8 * len(stems | other) for other in others)


def build(view: Landscape, members: Sequence[str], decision: Decision) -> Pool:
    """The pool of some members and its decision."""
    sources = [view.by_id[m] for m in members]
    distinct = distinct_sources(sources)
    return Pool(
        id=f"pool-{source_key(members)[:16]}",
        title=view.by_id[decision.target].title if decision.target else pool_title(view, members),
        sources=tuple(sorted(members)),
        source_digests={e.id: e.text_digest for e in sources},
        production_share=round(sum(e.production for e in distinct) / len(distinct), 4),
        depth=1 + max(e.generation_depth for e in sources),
        decision=decision.decision,
        target=decision.target,
        reason=decision.reason,
        topic=_topic(view, members),
        language=view.by_id[decision.target].language if decision.target else majority_language(sources),
        style=majority_style(sources),
        twins=tuple(sorted(k for k, said in view.relations.items() if "duplicates" in said and set(k) <= set(members))),
    )


def pool_title(view: Landscape, members: Sequence[str], taken: Collection[str] = ()) -> str:
    """The title of the member closest to all others, in the pool's language; a generic one gives way to the next, and
    so does one that is taken (folded titles). What is mostly about faults is called by one of them."""
    sources = [view.by_id[m] for m in members]
    language = majority_language(sources)
    trouble = plan.is_trouble(sources)

    def rank(member: str) -> tuple[bool, bool, bool, bool, float, str]:
        entry = view.by_id[member]
        used = words.fold(titles.shown(entry)) in taken
        near = sum(closeness(view, member, m) for m in members if m != member)
        weak = titles.is_weak(titles.shown(entry))
        return used, entry.language != language, weak, trouble and not plan.problem_source(entry), -near, member

    return titles.shown(view.by_id[min(members, key=rank)])


def _topic(view: Landscape, members: Sequence[str]) -> str | None:
    counted = Counter(view.topic[m] for m in members if m in view.topic)
    if not counted:
        return None
    return view.topic_label[sorted(counted, key=lambda t: (-counted[t], t))[0]]


def majority_language(sources: Sequence[Entry]) -> str:
    """The language in which the sources say most, counted in sentences, list items and table rows."""
    said: Counter[str] = Counter()
    for entry in sources:
        for unit in structure.units(entry.body):
            said[languages.detect(unit.text, default=entry.language)] += 1
    first = sorted(sources, key=lambda e: e.id)
    return sorted(said, key=lambda lang: (-said[lang], lang))[0] if said else first[0].language


def majority_style(sources: Sequence[Entry]) -> str:
    """`informal` when more support entries of the pool are informal than formal."""
    styles = Counter(e.record.communication_style for e in sources if e.record and e.record.communication_style)
    return "informal" if styles["informal"] > styles["formal"] else "formal"
