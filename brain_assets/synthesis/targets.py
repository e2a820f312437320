"""What to do with a pool: create, update or merge an existing article, or skip because nothing is new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain_assets.model.synthesis import PoolDecision
from brain_assets.settings import Settings
from brain_assets.synthesis.growth import closeness
from brain_assets.synthesis.landscape import Landscape, pair
from brain_assets.text import words

_ON_TOPIC = 0.16
_DRAFT = re.compile(r"\b(?:entwurf\w*|draft|rohfassung|vorläufig\w*|preliminary|work in progress|wip)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decision:
    decision: PoolDecision
    target: str | None
    reason: str


def find_target(view: Landscape, members: Sequence[str], settings: Settings) -> str | None:
    """The existing article on the pool's subject.

    An AI entry that most of the pool went into already is its article. Else it is the entry a person wrote, if that
    is about all of the subject, and only then an AI entry made from some of the sources or closest to most of them.
    """
    made_of_it = any(
        3 * len(folded_in(view, name, members)) >= 2 * len(members) and not view.retired(name) and name in view.by_id
        for name in view.lineage
    )
    if not made_of_it and (written := covering(view, members)) is not None:
        return written
    best: tuple[float, str] | None = None
    for candidate in sorted(view.lineage):
        if candidate in members or view.retired(candidate) or candidate not in view.by_id:
            continue
        if any(origin in view.lineage for origin in view.lineage[candidate]):
            # What was made from another article follows that one; it is not brought up to date by itself.
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


def covering(view: Landscape, members: Sequence[str]) -> str | None:
    """The production KB entry whose title says what at least two thirds of the other sources are about.

    One that treats a single case of a wider subject is a source like any other. Related to at least half of them.
    """
    best: tuple[float, str] | None = None
    near = {n for m in members for n in view.neighbours.get(m, ())} | set(members)
    for name in sorted(near):
        entry = view.by_id.get(name)
        if entry is None or entry.kind != "kb" or not view.usable(name):
            continue
        others = [m for m in members if m != name]
        title = _stems(entry.title)
        if len(others) < 2 or len(title) < 2 or 2 * sum(view.confirmed(name, m) for m in others) < len(others):
            continue
        if 3 * sum(_is_about(view, m, title) for m in others) < 2 * len(others):
            continue
        mean = sum(closeness(view, name, m) for m in others) / len(others)
        if best is None or mean > best[0]:
            best = (mean, name)
    return best[1] if best else None


def _is_about(view: Landscape, name: str, title: set[str]) -> bool:
    """Whether an entry has at least half of a title's words, and two of them."""
    entry = view.by_id[name]
    said = len(title & _stems(f"{entry.title}\n{entry.body}"))
    return said >= 2 and 2 * said >= len(title)


def answers_another(view: Landscape, target: str, member: str) -> bool:
    """Whether a member is a support entry on a question of its own, next to the target a person wrote and not about it.

    Read from the words of the target's title, so only where both are in one language; what the judge calls its double,
    a part or a support of it stays.
    """
    entry, other = view.by_id[target], view.by_id[member]
    if not entry.production or other.kind != "kb" or member == target or other.language != entry.language:
        return False
    closer = view.relations.get(pair(target, member), set()) & {"duplicates", "part_of", "supports"}
    return not closer and not _is_about(view, member, _stems(entry.title))


def partial(view: Landscape, target: str, members: Sequence[str]) -> list[str]:
    """Other entries people wrote that hold part of the same: judged the target's double, in its language."""
    entry = view.by_id[target]
    if not entry.production:
        return []
    return [
        m
        for m in members
        if m != target and view.by_id[m].kind == "kb" and view.by_id[m].production
        and view.by_id[m].language == entry.language
        and "duplicates" in view.relations.get(pair(target, m), ())
    ]  # fmt: skip


def _stems(text: str) -> set[str]:
    return words.content_stems(text, "de") | words.content_stems(text, "en")


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
    fresh = [m for m in members if m not in folded and m != target]
    if not fresh:
        return Decision("skip", target, f"already_covered: {target} was made from exactly these sources")
    if parts := partial(view, target, members):
        return Decision("merge", target, f"{', '.join([target, *parts])} each hold a part of this subject")
    entry = view.by_id[target]
    if _DRAFT.search(f"{entry.title}\n{entry.body}") or (entry.status or "").lower() in ("draft", "entwurf"):
        return Decision("merge", target, f"{target} is a draft on this subject; {len(fresh)} sources belong into it")
    return Decision("update", target, f"{target} is on this subject and lacks what {len(fresh)} sources say")
