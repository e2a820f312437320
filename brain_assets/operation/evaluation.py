"""How well search works, measured: on labelled queries, and on the brain's own titles."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_assets.errors import ConfigurationError
from brain_assets.model.entry import ID_PREFIXES
from brain_assets.model.search import Mode

if TYPE_CHECKING:
    from brain_assets.retrieval.search import Searcher

TOP = 10
_RESAMPLES = 1000
_TRANSLITERATION = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
_QUESTIONS = {"de": "Was steht über {title}?", "en": "What do we know about {title}?"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A query with its relevant entries: id → grade (1 and up)."""

    id: str
    query: str
    relevant: Mapping[str, float]


def ndcg(ranked: Sequence[str], relevant: Mapping[str, float], k: int = TOP) -> float:
    """Normalised discounted cumulative gain of the first k, gain 2^grade − 1, 0 to 1."""
    gains = [2 ** relevant.get(name, 0.0) - 1 for name in ranked[:k]]
    best = sorted((2**grade - 1 for grade in relevant.values()), reverse=True)[:k]
    ideal = sum(gain / math.log2(place + 2) for place, gain in enumerate(best))
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], relevant: Mapping[str, float], k: int = TOP) -> float:
    """Share of the relevant entries among the first k, 0 to 1."""
    wanted = {name for name, grade in relevant.items() if grade > 0}
    return len(wanted & set(ranked[:k])) / len(wanted) if wanted else 0.0


def reciprocal_rank(ranked: Sequence[str], relevant: Mapping[str, float]) -> float:
    """1 / rank of the first relevant entry, 0 if there is none."""
    return next((1 / place for place, name in enumerate(ranked, 1) if relevant.get(name, 0) > 0), 0.0)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean; the same for the same values."""
    if not values:
        return 0.0, 0.0
    dice = random.Random(20_261_201)  # noqa: S311 - resampling, fixed so that a report can be reproduced
    means = sorted(sum(dice.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]


def read_labels(folder: Path) -> list[Labelled]:
    """The queries of `queries.jsonl` in a folder: `{"id", "query", "relevant": {entry id or vault path: grade}}`.

    Raises ConfigurationError naming the file and line that cannot be used.
    """
    path = folder / "queries.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}).",
            'Write one {"id", "query", "relevant": {"note:PATH": 1}} a line into it.',
        ) from error
    labelled = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            relevant = {_as_id(str(name)): float(grade) for name, grade in value["relevant"].items()}
            labelled.append(Labelled(str(value["id"]), str(value["query"]), relevant))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(
                f"{path}, line {number}: {type(error).__name__}: {error}.", "Each line needs id, query and relevant."
            ) from error
    if not labelled:
        raise ConfigurationError(f"{path} has no query.")
    return labelled


def _as_id(name: str) -> str:
    return name if name.startswith(ID_PREFIXES) else f"note:{name}"


def retrieval(
    searcher: Searcher, labelled: Sequence[Labelled], mode: Mode, against: Mode | None = None
) -> dict[str, Any]:
    """Mean nDCG@10 with its interval, recall@10 and MRR of a search mode; with `against`, the paired difference.

    The difference counts as `significant` when its 95 % interval leaves zero out.
    """
    first = _scores(searcher, labelled, mode)
    out: dict[str, Any] = {"queries": len(labelled), "mode": mode, **_means(first)}
    if against is not None:
        second = _scores(searcher, labelled, against)
        differences = [a[0] - b[0] for a, b in zip(first, second, strict=True)]
        low, high = interval(differences)
        out["against"] = {"mode": against, **_means(second)}
        out["difference"] = {
            "ndcg10": round(sum(differences) / len(differences), 4), "interval": [round(low, 4), round(high, 4)],
            "significant": low > 0 or high < 0,
        }  # fmt: skip
    return out


def _scores(searcher: Searcher, labelled: Sequence[Labelled], mode: Mode) -> list[tuple[float, float, float]]:
    scores = []
    for one in labelled:
        ranked = [hit.id for hit in searcher.search(one.query, top=TOP, mode=mode).hits]
        scores.append((ndcg(ranked, one.relevant), recall(ranked, one.relevant), reciprocal_rank(ranked, one.relevant)))
    return scores


def _means(scores: Sequence[tuple[float, float, float]]) -> dict[str, Any]:
    ndcgs, recalls, ranks = (list(column) for column in zip(*scores, strict=True))
    low, high = interval(ndcgs)
    return {
        "ndcg10": round(sum(ndcgs) / len(ndcgs), 4), "interval": [round(low, 4), round(high, 4)],
        "recall10": round(sum(recalls) / len(recalls), 4), "mrr": round(sum(ranks) / len(ranks), 4),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """An entry that must be found by its own title."""

    id: str
    title: str
    language: str


def sample(items: Sequence[Known], number: int) -> list[Known]:
    """A fixed sample of the entries that have a title: the same for the same brain."""
    titled = [item for item in items if re.search(r"\w", item.title)]
    return sorted(titled, key=lambda item: hashlib.sha256(item.id.encode("utf-8", "replace")).digest())[:number]


def known_items(
    searcher: Searcher, items: Sequence[Known], number: int, mode: Mode = "lexical", forms: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Share of a sample of entries found among the first ten by `title`, `question` and `transliterated` title.

    Entries of one title cannot be told apart by it: any of them counts. `missed` lists those not found.
    """
    asked = sample(items, number)
    titles = {item.id: item.title for item in items}
    out = {}
    for form in forms or ("title", "question", "transliterated"):
        missed, tried = [], 0
        for item in asked:
            query = _query(item, form)
            if query is None:
                continue
            tried += 1
            hits = searcher.search(query, top=TOP, mode=mode).hits
            if not any(hit.id == item.id or titles.get(hit.id) == item.title for hit in hits):
                missed.append(item.id)
        out[form] = {"tried": tried, "found": tried - len(missed), "missed": missed,
                     "rate": round(1 - len(missed) / tried, 4) if tried else None}  # fmt: skip
    return out


def _query(item: Known, form: str) -> str | None:
    if form == "title":
        return item.title
    if form == "question":
        return _QUESTIONS.get(item.language, _QUESTIONS["en"]).format(title=item.title)
    other = item.title.translate(_TRANSLITERATION)
    return other if other != item.title else None
