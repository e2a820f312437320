#!/usr/bin/env python3
"""From save to search: how long after a file was saved does `brain search` find it?

    python benchmarks/saved.py --vault DIR --kb DIR --brain DIR [--saves 36] [--sets usem3]
    python benchmarks/saved.py --vault DIR --kb DIR --brain DIR --sensor

The first starts `brain watch` as a process of its own and saves notes as editors and sync tools do: in place, by a
temporary file that takes the note's place, with a backup beside it, as a new note, renamed, moved to another folder,
and twice in a row. The second starts `brain up`, saves each time no run is under way, at an instant of the sensor's
interval that is drawn, and leaves the rest to the sensor. Then `brain search` is called again and again, each call a
process of its own, until one has found the word that was saved; the time counts from the end of the save to the end of
that call. DIRs are copied first unless --in-place. With --sensor the sensor `automation` is switched off: what is saved
while a stage is writing is read after it, and how long that takes is another question.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

BRAIN = (sys.executable, "-m", "brain_assets")
_GIVE_UP = 120.0
_SENSOR_SECONDS = 30.0
_SENSORS = "{ repositoriesOrError { ... on RepositoryConnection { nodes { sensors { name sensorState { id } } } } } }"
_QUIET = 5
"""Looks, a second apart, at which no run is under way before it is believed."""
_ACTIVE = "{ runsOrError(filter: {statuses: [QUEUED, NOT_STARTED, STARTING, STARTED]}) { ... on Runs { count } } }"
_PAUSE = 1.5
"""Seconds between saves: what follows a save (vectors) is mostly done by then."""
_SOON = 0.4
"""Seconds between the two saves in a row: what follows the first is under way."""


def in_place(note: Path, text: str) -> Path:
    note.write_text(text, encoding="utf-8")
    return note


def by_temporary(note: Path, text: str) -> Path:
    """Most editors, and this product: a hidden file beside it takes its place."""
    beside = note.with_name(f".{note.name}.tmp")
    beside.write_text(text, encoding="utf-8")
    beside.replace(note)
    return note


def with_backup(note: Path, text: str) -> Path:
    """Vim and Emacs: the old one becomes a backup, the new one is written, the backup goes."""
    backup = note.with_name(f"{note.name}~")
    note.replace(backup)
    note.write_text(text, encoding="utf-8")
    backup.unlink()
    return note


def by_sync_tool(note: Path, text: str) -> Path:
    """Syncthing and the like: a temporary name that ends as a note's does, written in pieces."""
    beside = note.with_name(f"~syncthing~{note.name}.tmp")
    with beside.open("w", encoding="utf-8") as out:
        for start in range(0, len(text), 200):
            out.write(text[start : start + 200])
            out.flush()
    beside.replace(note)
    return note


def as_new(note: Path, text: str) -> Path:
    return in_place(note.with_name(f"{note.stem} neu {time.monotonic_ns()}.md"), text)


def renamed(note: Path, text: str) -> Path:
    """The file gets another name and then, as Obsidian does when links follow, another text."""
    other = note.with_name(f"{note.stem[:40]} umbenannt {time.monotonic_ns()}.md")
    note.rename(other)
    return in_place(other, text)


def moved(note: Path, text: str) -> Path:
    """Into a folder that was not there before."""
    folder = note.parent / f"Ordner {time.monotonic_ns()}"
    folder.mkdir()
    other = folder / note.name
    note.rename(other)
    return in_place(other, text)


def twice(note: Path, text: str) -> Path:
    """Saved, and once more while what follows the first save is under way; the second is what counts."""
    in_place(note, text.rpartition("\n\n")[0] + "\n")
    time.sleep(_SOON)
    return in_place(note, text)


PATTERNS: tuple[Callable[[Path, str], Path], ...] = (
    in_place, by_temporary, with_backup, by_sync_tool, as_new, renamed, moved, twice,
)  # fmt: skip


def search(word: str) -> bool:
    """Whether a `brain search` of its own finds the word."""
    told = subprocess.run([*BRAIN, "search", word, "--json"], capture_output=True, text=True, check=True).stdout
    return any(word in hit["matched"] for hit in json.loads(told)["hits"])


def wait_until_found(word: str) -> float:
    """Seconds until a search has found the word."""
    started = time.monotonic()
    while not search(word):
        if time.monotonic() - started > _GIVE_UP:
            raise SystemExit(f"{word} was not found within {_GIVE_UP:.0f} s")
    return time.monotonic() - started


def measure(saves: int, pause: Callable[[], None]) -> dict[str, list[float]]:
    """Seconds from save to search, by the way of saving; each note is saved once, after a pause."""
    notes = sorted(Path(os.environ["BRAIN_VAULT_DIR"]).rglob("*.md"))
    step = max(1, len(notes) // saves)
    found: dict[str, list[float]] = {}
    for number in range(saves):
        pause()
        pattern = PATTERNS[number % len(PATTERNS)]
        note = notes[number * step]
        word = f"QM{time.monotonic_ns()}"
        text = f"{note.read_text('utf-8').rstrip()}\n\nDie Seriennummer ist {word}.\n"
        pattern(note, text)
        found.setdefault(pattern.__name__, []).append(wait_until_found(word))
    return found


@contextlib.contextmanager
def running(*command: str, ready: str, log: Path) -> Iterator[None]:
    """A command of the product, from when its output holds `ready`; ended with all that it started."""
    with log.open("w") as out:
        process = subprocess.Popen([*BRAIN, *command], stdout=out, stderr=out, start_new_session=True)
    try:
        started = time.monotonic()
        while ready not in log.read_text("utf-8"):
            if process.poll() is not None or time.monotonic() - started > _GIVE_UP:
                raise SystemExit(log.read_text("utf-8")[-3000:])
            time.sleep(0.1)
        time.sleep(1.0)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def stop_automation(url: str) -> None:
    """Switch the sensor off that brings vectors, relations and topics up to date."""
    nodes = ask(url, _SENSORS)["repositoriesOrError"]["nodes"][0]["sensors"]
    (state,) = [sensor["sensorState"]["id"] for sensor in nodes if sensor["name"] == "automation"]
    ask(url, "mutation ($id: String) { stopSensor(id: $id) { __typename } }", id=state)


def ask(url: str, query: str, **variables: str) -> Any:
    """The `data` of a GraphQL reply."""
    body = {"query": query, "variables": variables}
    return httpx.post(f"{url}/graphql", json=body, timeout=60, trust_env=False).json()["data"]


def wait_until_idle(url: str) -> None:
    """Until no run is queued or running, and then some instant of the sensor's interval."""
    quiet = 0
    while quiet < _QUIET:
        quiet = quiet + 1 if ask(url, _ACTIVE)["runsOrError"]["count"] == 0 else 0
        time.sleep(1.0)
    time.sleep(random.uniform(0, _SENSOR_SECONDS))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def prepare(args: argparse.Namespace, work: Path) -> None:
    """Copies of vault, KB and brain, named by the environment of all that is started."""
    for name in ("vault", "kb", "brain"):
        place = getattr(args, name).absolute()
        if not args.in_place:
            place = shutil.copytree(place, work / name, symlinks=True)
        os.environ["BRAIN_DATA_DIR" if name == "brain" else f"BRAIN_{name.upper()}_DIR"] = str(place)
    os.environ |= {"BRAIN_VECTOR_SETS": args.sets, "OLLAMA_HOST": "http://127.0.0.1:9"}
    subprocess.run([*BRAIN, "sync"], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("vault", "kb", "brain"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--saves", type=int, default=0, help="how many (default 36; with --sensor 4)")
    parser.add_argument("--sets", default="usem3", help="BRAIN_VECTOR_SETS (default usem3)")
    parser.add_argument("--sensor", action="store_true", help="through `brain up` instead of `brain watch`")
    parser.add_argument("--in-place", action="store_true", help="change the folders themselves")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended too
    saves = args.saves or (4 if args.sensor else 36)
    with tempfile.TemporaryDirectory() as folder:
        prepare(args, Path(folder))
        log = Path(folder) / "log"
        if args.sensor:
            port = free_port()
            with running("up", "--port", str(port), ready="Serving dagster-webserver", log=log):
                stop_automation(f"http://127.0.0.1:{port}")
                found = measure(saves, lambda: wait_until_idle(f"http://127.0.0.1:{port}"))
        else:
            with running("watch", ready="waiting for changes", log=log):
                found = measure(saves, lambda: time.sleep(_PAUSE))
    show(found, args)


def show(found: dict[str, list[float]], args: argparse.Namespace) -> None:
    rows: dict[str, Any] = {
        name: {"n": len(v), "median": statistics.median(v), "max": max(v)} for name, v in found.items()
    }
    every = [seconds for values in found.values() for seconds in values]
    rows["all"] = {"n": len(every), "median": statistics.median(every), "max": max(every)}
    if args.json:
        print(json.dumps(rows))
        return
    print(f"{'seconds from save to search':<28} {'n':>4} {'median':>7} {'max':>7}")
    for name, row in rows.items():
        print(f"{name.replace('_', ' '):<28} {row['n']:>4} {row['median']:>7.2f} {row['max']:>7.2f}")


if __name__ == "__main__":
    main()
