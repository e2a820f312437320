#!/usr/bin/env python3
"""Recall and speed of approximate search against the exact scan, on the vectors of a brain that is there.

    python benchmarks/approximate.py DATA_DIR KNOWN_ITEMS.jsonl [--set usem3] [--queries 300] [--json]

Makes the index for approximate search beside the brain, as BRAIN_APPROXIMATE_FROM=1 would, and removes it afterwards.
The right answer is the exact scan's: which of its ten (and hundred) best entries approximate search finds too. Times are
CPU milliseconds of finding the hundred best entries, with their exact scores.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from brain_assets.retrieval import approximate, embedders, pointer, snapshots
from brain_assets.retrieval.dense import OpenSet, score
from brain_assets.retrieval.vector_files import VectorFiles
from brain_assets.settings import load


def measure(data: Path, known: Path, name: str, queries: int) -> dict[str, Any]:
    settings = load(data_dir=data, approximate_from=1)
    published = pointer.read(settings)
    if published is None:
        raise SystemExit(f"There is no brain in {data}.")
    exact = next(each for each in published.vectors if each.id == name)
    exact = replace(exact, approximate=None, approximate_bytes=0, covered=0)
    snapshots.quantise(settings, exact)
    started = time.process_time()
    made = approximate.updated(settings, exact)
    out: dict[str, Any] = {"passages": exact.passages, "build_cpu_s": time.process_time() - started}
    out["file_mb"] = made.approximate_bytes / 2**20
    items = [json.loads(line)["query"] for line in known.read_text(encoding="utf-8").splitlines()]
    items = items[:: max(1, len(items) // queries)][:queries]
    embedder = embedders.embedded(name)
    vectors = [embedder.query(item) for item in items]
    found: dict[str, list[list[int]]] = {}
    for kind, each in (("exact", exact), ("approximate", made)):
        opened = OpenSet(VectorFiles(settings, replace(published, vectors=(each,))), each)
        times, found[kind] = [], []
        for number, vector in enumerate([*vectors[:5], *vectors]):  # the first ones fill the caches
            started = time.process_time()
            top = score({name: opened}, {name: 1.0}, {name: vector}).top(100)
            if number >= 5:
                times.append((time.process_time() - started) * 1000)
                found[kind].append([key for key, _ in top])
        times.sort()
        out[f"{kind}_p50"], out[f"{kind}_p95"] = times[len(times) // 2], times[int(len(times) * 0.95)]
    for depth in (10, 100):
        pairs = zip(found["exact"], found["approximate"], strict=True)
        shares = [len(set(right[:depth]) & set(got[:depth])) / min(depth, len(right)) for right, got in pairs]
        out[f"recall_at_{depth}"] = sum(shares) / len(shares)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("known", type=Path)
    parser.add_argument("--set", default="usem3")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as copy:
        data = Path(copy) / "data"
        for folder in ("index", "vectors"):
            shutil.copytree(args.data / folder, data / folder)
        out = measure(data, args.known, args.set, args.queries)
    if args.json:
        print(json.dumps(out))
        return
    for what, value in out.items():
        print(f"{what:24}{value:12,.3f}")


if __name__ == "__main__":
    main()
