#!/usr/bin/env python3
"""Measure `brain think --no-llm` on a brain of known notes: warm in one process, cold from the command line, as a job.

    python benchmarks/think.py --brain DIR --items known_items.jsonl [--queries 100] [--warm 60] [--job] [--json]

DIR is the data directory of a synced brain, and is copied before use; FILE has one {"query": …} a line, as
benchmarks/search.py and its makers write it. The warm figures are the CPU milliseconds of one answer without those that
embed the query, which stand beside them; so many questions are asked first as fill the word caches. The cold figure is
the median CPU seconds of three `brain think` processes; the job's overhead is a run of the Dagster job `think` in this
process less the answer itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def share(values: list[float], part: float) -> float:
    """The value below which `part` of all values lie."""
    return round(sorted(values)[min(len(values) - 1, int(part * len(values)))], 1)


def warm(settings: Any, queries: list[str], before: int) -> dict[str, float]:
    """CPU milliseconds of each answer in a process that has answered others."""
    from brain_assets.operation import asking
    from brain_assets.retrieval.embedders import Usem3
    from brain_assets.retrieval.search import Searcher
    from brain_assets.think import think

    spent = [0.0]
    embed = Usem3.query

    def timed(self: Usem3, text: str) -> Any:
        started = time.process_time()
        vector = embed(self, text)
        spent[0] += time.process_time() - started
        return vector

    Usem3.query = timed  # type: ignore[method-assign]
    searcher = Searcher.open(settings)
    asking.settle()
    every, embedding = [], []
    for n, query in enumerate(queries):
        spent[0], started = 0.0, time.process_time()
        think(settings, query, no_llm=True, searcher=searcher)
        if n >= before:
            every.append((time.process_time() - started - spent[0]) * 1000)
            embedding.append(spent[0] * 1000)
    return {"p50_ms": share(every, 0.5), "p95_ms": share(every, 0.95), "embedding_ms": share(embedding, 0.5)}


def cold(settings: Any, query: str) -> float:
    """Median CPU seconds of the command in a process of its own."""
    code = "import sys; from brain_assets.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "think", query, "--no-llm", "--json", "--data-dir", str(settings.data_dir)]
    runs = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(statistics.median(runs), 2)


def job(settings: Any, query: str) -> dict[str, float]:
    """CPU seconds of a run of the job in process, beyond the answer itself."""
    os.environ["BRAIN_DATA_DIR"] = str(settings.data_dir)
    from brain_assets.definitions import defs
    from brain_assets.think import think

    config = {"ops": {"answer": {"config": {"query": query, "no_llm": True}}}}
    made = defs.get_job_def("think") if hasattr(defs, "get_job_def") else defs.resolve_job_def("think")
    runs, answers = [], []
    for _ in range(4):
        started = time.process_time()
        assert made.execute_in_process(run_config=config).success
        runs.append(time.process_time() - started)
        started = time.process_time()
        think(settings, query, no_llm=True)
        answers.append(time.process_time() - started)
    overhead = statistics.median(runs[1:]) - statistics.median(answers[1:])
    return {"run_s": round(statistics.median(runs[1:]), 3), "overhead_s": round(overhead, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brain", type=Path, required=True)
    parser.add_argument("--items", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--warm", type=int, default=60)
    parser.add_argument("--job", action="store_true", help="also the Dagster job")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    from brain_assets.settings import load

    lines = args.items.read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line)["query"] for line in lines if line.strip()]
    random.Random(3).shuffle(queries)
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(args.brain, Path(work) / "brain")
        settings = load(data_dir=Path(work) / "brain", vector_sets=os.environ.get("BRAIN_VECTOR_SETS", "usem3"))
        found: dict[str, Any] = {"cold_cpu_s": cold(settings, queries[0])}
        found |= warm(settings, queries[: args.warm + args.queries], args.warm)
        if args.job:
            found |= job(settings, queries[0])
    print(json.dumps(found) if args.json else "\n".join(f"{name:14} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
