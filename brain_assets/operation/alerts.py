"""Telling someone: one POST to a webhook, bounded in time, without ever naming its URL (it may hold a token)."""

from __future__ import annotations

from brain_assets.errors import BrainError

_TIMEOUT = 10.0


def post(url: str, body: str) -> None:
    """POST a JSON text. Raises BrainError if the webhook does not take it."""
    import httpx

    try:
        reply = httpx.post(
            url, content=body.encode(), headers={"content-type": "application/json"}, timeout=_TIMEOUT,
            follow_redirects=False,
        )  # fmt: skip
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BrainError(
            f"The failure webhook could not be reached ({type(error).__name__}).", "Check BRAIN_FAILURE_WEBHOOK."
        ) from None
    if reply.status_code >= 300:
        raise BrainError(
            f"The failure webhook answered with status {reply.status_code}.", "Check BRAIN_FAILURE_WEBHOOK."
        )
