"""`brain up` for real, on a port of its own: started once, asked over GraphQL, and ended with all it started."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

_MAIN = "import sys; from brain_assets.cli import main; sys.exit(main())"
_START_SECONDS = 120.0
_ENDED = ("SUCCESS", "FAILURE", "CANCELED")
_SECRET_OR_SETTING = ("BRAIN_", "GLPI_", "GEMINI_", "DEEPSEEK_", "OPENAI_", "DAGSTER_")


class Ui:
    """A UI that is starting or running: its address, and what it says over GraphQL."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.url = url
        self._process = process
        self._log = log
        self._client = httpx.Client(base_url=url, timeout=60, trust_env=False)

    def ask(self, query: str, **variables: Any) -> Any:
        """The `data` of a GraphQL reply."""
        reply = self._client.post("/graphql", json={"query": query, "variables": variables}).json()
        assert "errors" not in reply, reply
        return reply["data"]

    def wait_until_ready(self) -> None:
        """Wait until the webserver answers; fails with its log if it ends or takes too long."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            alive = time.monotonic() < deadline and self._process.poll() is None
            assert alive, self._log.read_text("utf-8")[-3000:]
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            return self._client.get("/server_info").status_code == 200
        except httpx.TransportError:
            return False

    def runs_of_a_person(self) -> dict[str, str]:
        """Status of every run that was launched by hand in the UI, by its id."""
        query = "{ runsOrError { ... on Runs { results { runId status tags { key } } } } }"
        results = self.ask(query)["runsOrError"]["results"]
        return {r["runId"]: r["status"] for r in results if any(t["key"] == "dagster/from_ui" for t in r["tags"])}

    def ended(self, job: str) -> bool:
        """Whether the newest run of a job has come to an end."""
        query = (
            "query ($job: String!) { runsOrError(filter: {pipelineName: $job}) { ... on Runs { results { status } } } }"
        )
        results = self.ask(query, job=job)["runsOrError"]["results"]
        return bool(results) and results[0]["status"] in _ENDED

    def finished(self, run_id: str, seconds: float) -> str:
        """The status a run ends with; fails if it has not ended within `seconds`."""
        query = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
        deadline = time.monotonic() + seconds
        while (status := self.ask(query, id=run_id)["runOrError"]["status"]) not in _ENDED:
            assert time.monotonic() < deadline, f"the run is still {status} after {seconds:.0f} s"
            time.sleep(0.5)
        return str(status)


@contextlib.contextmanager
def running(folder: Path, settings: Mapping[str, str]) -> Iterator[Ui]:
    """Start `brain up` in a folder under these settings and nothing of the person's own; do not wait until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    mine = {k: v for k, v in os.environ.items() if not k.startswith(_SECRET_OR_SETTING)}
    log = folder / "up.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, "up", "--port", str(port)],
            env=mine | dict(settings), stdout=out, stderr=out, cwd=folder, start_new_session=True,
        )  # fmt: skip
    try:
        yield Ui(f"http://127.0.0.1:{port}", process, log)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        # Whatever Dagster left behind, in this session of its own only; nothing of its folder is needed any more.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
