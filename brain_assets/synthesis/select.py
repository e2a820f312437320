"""What of a fact base an article uses: undisputed, on its subject, in its style, each thing said once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Consolidation, Pool, Statement
from brain_assets.synthesis import form, style, wording
from brain_assets.synthesis.consolidate import numbers
from brain_assets.text import words

_CONTAINED = 0.75
_MOST_A_SOURCE = 14
_SHORTEST_STEM = 4


def usable(base: Consolidation, pool: Pool, sources: Sequence[Entry]) -> list[Statement]:
    """The statements an article may use, in the fact base's order, a bounded number from each source.

    A numbered list comes whole or not at all: a procedure with a step left out misleads.
    """
    key = key_stems(pool, sources)
    core = _core_sources(sources, key)
    named = {e.id for e in sources if _stems(e.title.replace("-", " ")) & _stems(pool.title.replace("-", " "))}
    barred = {s.group for s in base.statements if s.kind == "step" and not _allowed(s, pool)}
    lists: Counter[str] = Counter(s.group for s in base.statements if s.kind == "step")
    fitting = Counter(s.group for s in base.statements if s.kind == "step" and _stems(s.whole) & key)
    out: list[Statement] = []
    spoken: Counter[str] = Counter()
    for s in base.statements:
        if not _allowed(s, pool):
            continue
        if s.kind == "step":
            on_subject = s.group not in barred and (
                2 * fitting[s.group] >= lists[s.group] or bool(set(s.source_refs) & core)
            )
        else:
            on_subject = bool(_stems(s.whole) & key) or s.source_refs[0].startswith("web:")
            # The single cases of a source belong here when the source is named like the article, not just near it.
            on_subject = on_subject or bool(set(s.source_refs) & (named if s.kind == "case" else core))
            on_subject = on_subject and spoken[s.source_refs[0]] < _MOST_A_SOURCE
        if on_subject:
            spoken[s.source_refs[0]] += 1
            out.append(s)
    return once(out)


def _allowed(s: Statement, pool: Pool) -> bool:
    """Undisputed, whole, for the reader and not for a machine, without workshop words, in the form of address."""
    if s.disputed or wording.internal(s.whole) or not style.fits(s.text, s.language, pool.style):
        return False
    return not (form.orders(s.whole) or form.html(s.whole) or form.placeholders(s.whole) or form.unbalanced(s.whole))


def once(statements: Sequence[Statement]) -> list[Statement]:
    """Without what a longer statement of the same language says already, numbers included."""
    stems = [(s.language, words.content_stems(s.whole, s.language), numbers(s.text)) for s in statements]

    def contained(i: int) -> bool:
        language, own, figures = stems[i]
        if statements[i].kind == "step":
            return False
        for k, (other_language, other, other_figures) in enumerate(stems):
            if k == i or other_language != language or not figures <= other_figures or not own:
                continue
            longer = len(other) > len(own) or (len(other) == len(own) and k < i)
            if longer and len(own & other) >= _CONTAINED * len(own) and not statements[i].code:
                return True
        return False

    return _without_repeated_lists([s for i, s in enumerate(statements) if not contained(i)])


def _without_repeated_lists(statements: Sequence[Statement]) -> list[Statement]:
    """A numbered list goes as a whole, when a longer one of the same language has most of its steps."""
    lists: dict[str, list[set[str]]] = {}
    for s in statements:
        if s.kind == "step":
            lists.setdefault(f"{s.language} {s.group}", []).append(words.content_stems(s.text, s.language))
    repeated = set()
    for name, steps in lists.items():
        for other, others in lists.items():
            longer = len(others) > len(steps) or (len(others) == len(steps) and other < name)
            if other != name and other[:2] == name[:2] and longer and other not in repeated:
                same = sum(any(len(a & b) >= _CONTAINED * max(1, len(a)) for b in others) for a in steps)
                if same >= _CONTAINED * len(steps):
                    repeated.add(name)
    return [s for s in statements if s.kind != "step" or f"{s.language} {s.group}" not in repeated]


def relevance(s: Statement, key: set[str]) -> float:
    """How much a statement says on the subject: its subject stems, and figures."""
    return len(_stems(s.whole) & key) + 0.5 * len(numbers(s.text))


def key_stems(pool: Pool, sources: Sequence[Entry]) -> set[str]:
    """Stems of the subject: in the pool's title, in the names of two sources, or in the texts of most of them."""
    seen: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for entry in sources:
        seen.update(_stems(f"{entry.title}\n{entry.body}"))
        named.update(_stems(" ".join([entry.title, *entry.tags, *(entry.record.keywords if entry.record else ())])))
    several = {s for s, n in seen.items() if n >= max(2, (len(sources) + 1) // 2) and len(s) >= _SHORTEST_STEM}
    return _stems(pool.title) | {s for s, n in named.items() if n >= 2 or seen[s] >= 2} | several


def _core_sources(sources: Sequence[Entry], key: set[str]) -> set[str]:
    """Sources that are on the subject as a whole: short ones, and those whose title names it."""
    return {e.id for e in sources if _stems(e.title) & key or len(words.tokens(e.body)) < 60}


def _stems(text: str) -> set[str]:
    return words.content_stems(text, "de") | words.content_stems(text, "en")
