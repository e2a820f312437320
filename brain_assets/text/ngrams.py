"""Letter statistics that tell German from English words: what decides when there are no stop words to count.

`ngrams.json` holds log(P(n-gram | German) / P(n-gram | English)) for sequences of two to four letters, word ends
marked by a blank, estimated on the distinct words of the project's own sample. Make it with

    python -m brain_assets.text.ngrams data/vault data/kb
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("ngrams.json")
_WORDS = re.compile(r"[^\W\d_]+")
_LENGTHS = (2, 3, 4)
_LEAST_SEEN, _LEAST_WEIGHT = 3, 0.3
_LONGEST_WORD = 30


def german_weight(words: Iterable[str]) -> float:
    """Summed evidence of lower-case words: above 0 for German, below for English, near 0 undecided."""
    weights = _weights()
    return sum(weights.get(gram, 0.0) for word in words for gram in _grams(word[:_LONGEST_WORD]))


def _grams(word: str) -> Iterator[str]:
    marked = f" {word} "
    for length in _LENGTHS:
        for start in range(len(marked) - length + 1):
            yield marked[start : start + length]


@cache
def _weights() -> dict[str, float]:
    loaded: dict[str, float] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return loaded


def estimate(texts: dict[str, list[str]]) -> dict[str, float]:
    """n-gram → weight, from texts by language (`de`, `en`); each word of a text counts once."""
    counts: dict[str, Counter[str]] = {code: Counter() for code in texts}
    totals: dict[str, Counter[int]] = {code: Counter() for code in texts}
    for code, several in texts.items():
        for text in several:
            for word in set(_WORDS.findall(text.lower())):
                counts[code].update(_grams(word))
        for gram, number in counts[code].items():
            totals[code][len(gram)] += number

    def share(code: str, gram: str) -> float:
        return math.log((counts[code][gram] + 0.5) / (totals[code][len(gram)] + 500))

    grams = sorted(g for g in counts["de"] | counts["en"] if counts["de"][g] + counts["en"][g] >= _LEAST_SEEN)
    weights = {gram: round(share("de", gram) - share("en", gram), 2) for gram in grams}
    return {gram: weight for gram, weight in weights.items() if abs(weight) > _LEAST_WEIGHT}


def main(folders: list[str]) -> None:
    """Estimate the table on the notes and KB entries of a sample and write `ngrams.json`."""
    texts: dict[str, list[str]] = {"de": [], "en": []}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            texts[_by_stop_words(text)].append(text)
        for path in sorted(Path(folder).rglob("*.json")):
            loaded = json.loads(path.read_text(encoding="utf-8"))
            for record in loaded if isinstance(loaded, list) else [loaded]:
                text = f"{record['title']}\n{record['text']}\n{record['answer']}"
                texts[_by_stop_words(text)].append(text)
    table = json.dumps(estimate(texts), ensure_ascii=False, indent=0, sort_keys=True)
    _TABLE.write_text(table + "\n", encoding="utf-8")


def _by_stop_words(text: str) -> str:
    from brain_assets.text.words import ENGLISH_STOP, GERMAN_STOP

    words = _WORDS.findall(text.lower())
    german, english = (sum(w in stop for w in words) for stop in (GERMAN_STOP, ENGLISH_STOP))
    return "de" if german > english else "en"


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
