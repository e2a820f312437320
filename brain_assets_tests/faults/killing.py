"""Run a command, kill it at an instant, and say in what state it left the brain."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select

from brain_assets.settings import Settings, load
from brain_assets.store import catalogue, manifest, schema
from brain_assets_tests.conftest import ROOT

# Rows that tell of the way and not of the result: run times, the number of transactions, calls of models.
_OF_THE_WAY = {"stage_runs", "llm_calls", "meta", "dead_letters"}


def standing(settings: Settings) -> dict[str, object]:
    """What a brain holds: a digest per asset, rows per table, and every staged file."""
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        assets = {asset: manifest.digest(connection, asset) for asset in manifest.ASSETS}
        rows = {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in schema.metadata.tables.items()
            if name not in _OF_THE_WAY
        }
    staged = {
        str(path.relative_to(settings.data_dir)): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in (settings.staging_dir, settings.metadata_dir)
        for path in sorted(folder.glob("*"))
    }
    return {"assets": assets, "rows": rows, "staged": staged}


@dataclass(frozen=True)
class Brain:
    """A copy of the sample vault and KB with a data directory of its own."""

    home: Path

    @classmethod
    def of_the_sample(cls, home: Path) -> Brain:
        for name in ("vault", "kb"):
            shutil.copytree(ROOT / "data" / name, home / name)
        return cls(home)

    def fresh(self) -> None:
        shutil.rmtree(self.home / "data", ignore_errors=True)

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        places = ("--vault", str(self.home / "vault"), "--kb", str(self.home / "kb"))
        arguments = [sys.executable, "-m", "brain_assets", *command, *places, "--data-dir", str(self.home / "data")]
        environment = {**os.environ, "BRAIN_NOW": "2026-12-01", "OMP_NUM_THREADS": "1"}
        with (self.home / "output.txt").open("wb") as output:
            return subprocess.Popen(
                arguments, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )

    def run(self, *command: str, timeout: float = 280) -> float:
        """Run to the end; returns seconds. Fails with the output when the command does."""
        started = time.monotonic()
        code = self.start(*command).wait(timeout)
        assert code == 0, (self.home / "output.txt").read_text(errors="replace")[-4000:]
        return time.monotonic() - started

    def kill_after(self, seconds: float, *command: str) -> bool:
        """Start and SIGKILL the whole process group; False when it had ended before."""
        process = self.start(*command)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
        return False

    def state(self) -> dict[str, object]:
        """What the brain holds."""
        return standing(load(data_dir=self.home / "data", vault_dir=self.home / "vault", kb_dir=self.home / "kb"))

    def source_hashes(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.home)): hashlib.sha256(path.read_bytes()).hexdigest()
            for folder in ("vault", "kb")
            for path in sorted((self.home / folder).rglob("*"))
            if path.is_file()
        }
