"""How the first pass over relations, contradictions and topics grows with the number of notes.

    python benchmarks/graph.py BRAIN... [--edit]

BRAIN is a data folder that is synced and embedded (`brain sync`); it is copied, never changed. Per brain: entries, CPU
seconds of the first pass, of the word vectors in it, of topics, memory; at the end the exponent of growth between the
smallest and the largest. `--edit` also measures one edited note and a run without a change.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def measure(folder: Path, edit: bool) -> dict[str, Any]:
    """Figures of one brain, in this process."""
    from brain_assets.graph import relations, topics, wordvectors
    from brain_assets.settings import load
    from brain_assets.store import catalogue

    encoding = [0.0]
    plain = wordvectors.WordVectors.prepare

    def timed(self: Any, words: Any) -> None:
        words = list(words)
        start = time.process_time()
        plain(self, words)
        encoding[0] += time.process_time() - start

    wordvectors.WordVectors.prepare = timed  # type: ignore[method-assign]
    settings = load(data_dir=folder, vector_sets="usem3")
    with catalogue.open(settings) as cat:
        start = time.process_time()
        report = relations.update(cat, settings)
        spent = time.process_time() - start
        start = time.process_time()
        found = topics.update(cat, settings)
        figures: dict[str, Any] = {
            "entries": report.done, "relations": spent, "words": encoding[0], "topics": time.process_time() - start,
            "found": found.details["topics"], "edges": sum(report.details["edges"].values()),
            "contradictions": sum(report.details["contradictions"].values()),
        }  # fmt: skip
        if edit:
            figures |= _edited(cat, settings)
    return figures | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def _edited(cat: Any, settings: Any) -> dict[str, Any]:
    """CPU seconds of a run without a change, and after one note was given another sentence, its vectors made before."""
    from sqlalchemy import select

    from brain_assets.graph import relations, topics
    from brain_assets.retrieval import vectors
    from brain_assets.sources import passages
    from brain_assets.store import entries, stages
    from brain_assets.store import schema as s

    start = time.process_time()
    unchanged = relations.update(cat, settings)
    out: dict[str, Any] = {
        "unchanged": time.process_time() - start,
        "decided_unchanged": unchanged.details["decisions"],
    }
    with cat.begin() as connection:
        some = connection.execute(
            select(s.entries.c.id).where(s.entries.c.kind == "note", s.entries.c.deleted_on.is_(None)).order_by(s.entries.c.id)
        ).scalars().all()  # fmt: skip
        [entry] = entries.load(connection, ids=[some[len(some) // 2]])
        body = entry.body + "\n\nThe backup of the edited note is kept for 77 days.\n"
        digest = stages.digest_of(entry.title, body)
        parts = passages.split(entry.id, entry.title, body, entry.language)
        changed = {"body": body, "text_digest": digest, "content_digest": digest, "passages": parts}
        entries.put(connection, [entry.model_copy(update=changed)])
    vectors.update(cat, settings)
    start = time.process_time()
    report = relations.update(cat, settings)
    out |= {
        "edit": time.process_time() - start,
        "edit_entries": report.done,
        "edit_decided": report.details["decisions"],
    }
    before = _members(cat)
    start = time.process_time()
    topics.update(cat, settings)
    after = _members(cat)
    kept = sum(after.get(i) == t for i, t in before.items()) / max(1, len(before))
    return out | {"edit_topics": time.process_time() - start, "topics_kept": kept}


def _members(cat: Any) -> dict[str, str]:
    from sqlalchemy import select

    from brain_assets.store import schema as s

    with cat.read() as connection:
        return {r.entry_id: r.topic_id for r in connection.execute(select(s.topic_members))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("brains", nargs="+", type=Path)
    parser.add_argument("--edit", action="store_true", help="also one edited note and a run without a change")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.brains[0], args.edit)))
        return
    curve = []
    for brain in args.brains:
        with tempfile.TemporaryDirectory(prefix="graph-") as work:
            copy = shutil.copytree(brain, Path(work, "data"))
            command = [sys.executable, __file__, str(copy), "--one", *(["--edit"] if args.edit else [])]
            text = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
        row = json.loads(text.splitlines()[-1])
        curve.append((row["entries"], row["relations"] - row["words"]))
        each = curve[-1][1] / max(1, row["entries"]) * 1000
        print(
            f"{row['entries']:>7} entries: relations {row['relations']:.1f} CPU-s, {row['words']:.1f} of them word vectors "
            f"({each:.1f} ms an entry without), topics {row['topics']:.1f} CPU-s, {row['edges']} edges, "
            f"{row['contradictions']} contradictions, {row['found']} topics, {row['memory']} MB", flush=True,
        )  # fmt: skip
        if args.edit:
            print(
                f"        no change {row['unchanged']:.2f} CPU-s, {row['decided_unchanged']} decisions; one edited note "
                f"{row['edit']:.2f} CPU-s, {row['edit_entries']} entry, {row['edit_decided']} decisions; topics "
                f"{row['edit_topics']:.1f} CPU-s, {row['topics_kept']:.1%} of the members keep their topic", flush=True,
            )  # fmt: skip
    if len(curve) > 1:
        (small, first), (large, last) = curve[0], curve[-1]
        print(
            f"growth exponent {math.log(last / first) / math.log(large / small):.2f} between {small} and {large} entries"
        )


if __name__ == "__main__":
    main()
