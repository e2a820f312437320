"""`brain mcp`: the brain as tools for MCP clients."""

from __future__ import annotations

import click

from brain_assets.cli.options import Call, common


@click.command("mcp")
@click.option("--http", is_flag=True, help="Serve HTTP on 127.0.0.1 instead of stdin and stdout.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8765, show_default=True, help="Port for --http.")
@common
def mcp_command(call: Call, http: bool, port: int) -> int:
    """Serve the brain to an MCP client: think, search, get, related, gaps, status.

    \b
    brain mcp                        for a client that starts its servers itself
    brain mcp --http --port 8765     then http://127.0.0.1:8765/mcp

    Works without any key. The HTTP server listens on this machine only and refuses foreign Host and Origin headers.
    """
    from brain_assets import mcp_server

    mcp_server.serve(call.settings, http_port=port if http else None)
    return call.finish()
