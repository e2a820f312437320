"""Runs a command in a world where the labelled web is the internet.

    python -m brain_assets_tests.research_host [--web FOLDER] [--without URL]… -- brain build …

The pages of the folder (default: `../shared/gold/web` beside the checkout, else our own small web) are served over TLS
on loopback; a SearXNG of its own searches only them and is named in SEARXNG_URL. In the command's process, and in
every Python process it starts, the product's transport gets a resolver, a dial function and the test authority through
its constructor: the URLs of the pages reach the local server, every other name does not exist, and all checks of the
product stay in force.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from brain_assets_tests.research.local_web import LocalWeb
from brain_assets_tests.research.peer import OnDemand, PeerMissing

ROOT = Path(__file__).parents[1]
GOLD = ROOT.parent / "shared" / "gold" / "web"
OWN = Path(__file__).parent / "research" / "web"
WORLD = "BRAIN_TESTS_WORLD"

_CUSTOMIZE = '''"""Made for one run of brain_assets_tests/research_host.py: this process sees the web of the tests."""
import importlib.abc
import importlib.util
import sys


class _Hook(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "brain_assets.research.rounds":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            from brain_assets_tests.research_host import enter

            enter(module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _Hook())
'''


def enter(rounds: object) -> None:
    """Give `brain_assets.research.rounds` the network of the world this process was started in."""
    from brain_assets_tests.research.local_web import network

    world = json.loads(Path(os.environ[WORLD]).read_text(encoding="utf-8"))
    names, ports, pem = frozenset(world["names"]), dict(world["ports"]), str(world["authority"])
    rounds.network = lambda: network(names, ports, pem)  # type: ignore[attr-defined]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="research_host", description="Run a command with the labelled web as internet."
    )
    parser.add_argument("--web", type=Path, default=GOLD if GOLD.is_dir() else OWN, help="folder with index.json")
    parser.add_argument("--without", action="append", default=[], metavar="URL", help="leave a page out")
    parser.add_argument("command", nargs="+", help="the command and its arguments, after --")
    chosen = parser.parse_args(arguments)
    web = LocalWeb(chosen.web, without=frozenset(chosen.without))
    try:
        peer = OnDemand(web.index_port)
    except PeerMissing as missing:
        web.close()
        print(f"{missing} (`make searxng` shows the whole message)", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="research-host-") as folder:
        world = Path(folder) / "world.json"
        world.write_text(
            json.dumps(
                {"names": sorted({s.host for s in web.sites}), "ports": web.ports(), "authority": web.authority.pem}
            ),
            encoding="utf-8",
        )
        (Path(folder) / "sitecustomize.py").write_text(_CUSTOMIZE, encoding="utf-8")
        path = os.pathsep.join(filter(None, (folder, str(ROOT), os.environ.get("PYTHONPATH", ""))))
        environment = {**os.environ, "SEARXNG_URL": peer.url, WORLD: str(world), "PYTHONPATH": path}
        try:
            return subprocess.run(_found(chosen.command), env=environment, check=False).returncode
        finally:
            peer.close()
            web.close()


def _found(command: list[str]) -> list[str]:
    """The command, a program of this environment (`brain`) first even when its folder is not on PATH."""
    beside = Path(sys.executable).parent / command[0]
    program = str(beside) if beside.exists() else shutil.which(command[0]) or command[0]
    return [program, *command[1:]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
