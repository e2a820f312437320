"""The MCP server, asked by the mcp package's own client: in process, over stdio, over loopback HTTP."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from brain_assets import mcp_server
from brain_assets.settings import Settings
from brain_assets_tests.operation import brains

TOOLS = {"brain_think", "brain_search", "brain_get", "brain_related", "brain_gaps", "brain_status"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return brains.synced(tmp_path_factory.mktemp("mcp"))


def _with(target: Any, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(target) as client:
            return await ask(client)

    return asyncio.run(run())


def _call(settings: Settings, tool: str, arguments: dict[str, Any]) -> Any:
    return _with(mcp_server.server(settings), lambda client: client.call_tool(tool, arguments))


def _text(result: Any) -> str:
    return "".join(part.text for part in result.content)


async def _ask_everything(client: Client) -> dict[str, Any]:
    listed = await client.list_tools()
    assert {tool.name for tool in listed.tools} == TOOLS
    assert all(tool.description for tool in listed.tools)
    calls: dict[str, dict[str, Any]] = {
        "brain_think": {"query": "Wie heißt der Druckserver?", "no_llm": True},
        "brain_search": {"query": "Druckserver", "top": 2},
        "brain_get": {"entry": "Druck.md"},
        "brain_related": {"entry": "note:VPN/Gateway.md"},
        "brain_gaps": {},
        "brain_status": {},
    }
    return {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}


def _check_everything(results: dict[str, Any]) -> None:
    assert not [name for name, result in results.items() if result.is_error]
    answer = _text(results["brain_think"])
    assert "papyrus" in answer
    assert "[1]" in answer
    assert "Druck.md" in answer
    found = results["brain_search"].structured_content
    assert found["hits"][0]["id"] == "note:Druck.md"
    entry = results["brain_get"].structured_content
    assert (entry["id"], entry["next_offset"]) == ("note:Druck.md", None)
    assert "papyrus" in entry["text"]
    assert results["brain_related"].structured_content["id"] == "note:VPN/Gateway.md"
    assert [g["kind"] for g in results["brain_gaps"].structured_content["gaps"]] == ["stale"]
    assert results["brain_status"].structured_content["healthy"] is True


def test_every_tool_answers_in_process(settings: Settings) -> None:
    _check_everything(_with(mcp_server.server(settings), _ask_everything))


def test_think_has_the_documented_signature(settings: Settings) -> None:
    listed = _with(mcp_server.server(settings), lambda client: client.list_tools())
    schema = next(tool for tool in listed.tools if tool.name == "brain_think").input_schema
    assert schema["required"] == ["query"]
    assert {name: value.get("default") for name, value in schema["properties"].items()} == {
        "query": None, "top_n": 7, "no_llm": False, "stale_days": 90,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("brain_get", {"entry": "note:nowhere.md"}, "nowhere.md"),
        ("brain_get", {"entry": "../../etc/passwd"}, "no entry"),
        ("brain_related", {"entry": "nowhere"}, "no entry"),
        ("brain_think", {"query": "  "}, "empty"),
        ("brain_think", {"query": "x", "top_n": 0}, "top_n"),
        ("brain_search", {"query": "x", "after": "yesterday"}, "after"),
        ("brain_search", {"query": "x", "kind": ["poem"]}, "kind"),
        ("brain_gaps", {"state": "eaten"}, "state"),
    ],
)
def test_failures_are_typed_errors_that_say_why(
    settings: Settings, tool: str, arguments: dict[str, Any], told: str
) -> None:
    result = _call(settings, tool, arguments)
    assert result.is_error
    assert told in _text(result)
    assert "Traceback" not in _text(result)


def test_without_a_brain_the_remedy_is_told(tmp_path: Path) -> None:
    result = _call(brains.small(tmp_path), "brain_search", {"query": "x"})
    assert result.is_error
    assert "brain sync" in _text(result)


def test_a_long_entry_is_read_in_parts(tmp_path: Path) -> None:
    settings = brains.small(tmp_path)
    brains.write(settings.vault_dir, {"Long.md": "Satz mit Wörtern. " * 2000})
    from brain_assets.operation import pipeline

    with pipeline.writing(settings) as run:
        pipeline.sync(run)
    first = _call(settings, "brain_get", {"entry": "Long.md"}).structured_content
    second = _call(settings, "brain_get", {"entry": "Long.md", "offset": first["next_offset"]}).structured_content
    assert second["next_offset"] is None
    assert len(first["text"] + second["text"]) == first["characters"]


def test_a_new_generation_is_seen_without_a_restart(tmp_path: Path) -> None:
    settings = brains.synced(tmp_path)
    server = mcp_server.server(settings)

    def hits(query: str) -> list[str]:
        found = _with(server, lambda client: client.call_tool("brain_search", {"query": query, "mode": "lexical"}))
        return [hit["id"] for hit in found.structured_content["hits"]]

    assert hits("Zeppelin") == []
    brains.write(settings.vault_dir, {"Zeppelin.md": "Der Zeppelin landet um acht.\n"})
    brains.synced(tmp_path)
    assert hits("Zeppelin") == ["note:Zeppelin.md"]


def _environment(settings: Settings) -> dict[str, str]:
    return dict(
        os.environ, BRAIN_DATA_DIR=str(settings.data_dir), BRAIN_VAULT_DIR=str(settings.vault_dir),
        BRAIN_KB_DIR=str(settings.kb_dir), BRAIN_NOW="2026-12-01", BRAIN_VECTOR_SETS="none",
    )  # fmt: skip


_MAIN = "import sys; from brain_assets.cli import main; sys.exit(main())"


def test_every_tool_answers_over_stdio(settings: Settings) -> None:
    target = StdioServerParameters(command=sys.executable, args=["-c", _MAIN, "mcp"], env=_environment(settings))
    _check_everything(_with(target, _ask_everything))


@pytest.fixture(scope="module")
def port(settings: Settings) -> Iterator[int]:
    """A running HTTP server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = int(probe.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN, "mcp", "--http", "--port", str(number)], env=_environment(settings),
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", number)) == 0:
                    break
            time.sleep(0.05)
        yield number
    finally:
        process.terminate()
        process.wait(20)


def test_every_tool_answers_over_http(port: int) -> None:
    _check_everything(_with(f"http://127.0.0.1:{port}/mcp", _ask_everything))


def _post(port: int, **headers: str) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    with httpx.Client(trust_env=False) as client:
        return client.post(f"http://127.0.0.1:{port}/mcp", json=body, headers={**accept, **headers}).status_code


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1", "0.0.0.0"])
def test_a_foreign_host_is_refused(port: int, host: str) -> None:
    assert _post(port, host=host) == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_refused(port: int, origin: str) -> None:
    assert _post(port, origin=origin) == 403


def test_its_own_origin_is_not_refused(port: int) -> None:
    assert _post(port, origin=f"http://127.0.0.1:{port}") not in (403, 421)


def test_it_listens_on_this_machine_only(port: int) -> None:
    listening = Path("/proc/net/tcp").read_text("ascii")
    hexadecimal = f":{port:04X} "
    places = {line.split()[1] for line in listening.splitlines()[1:] if hexadecimal in line and line.split()[3] == "0A"}
    assert places == {f"0100007F:{port:04X}"}


def test_a_taken_port_is_told(settings: Settings, port: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MAIN, "mcp", "--http", "--port", str(port)], env=_environment(settings),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert f"Port {port}" in done.stderr
