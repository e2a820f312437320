"""Signals of commands that run until a person stops them."""

from __future__ import annotations

import signal


def interruptible() -> None:
    """Let SIGINT (Ctrl-C, `kill -INT`) stop this process, also one that was started in the background.

    A shell starts background jobs with SIGINT ignored. Python then keeps ignoring it, and so does every program that
    takes this process's place: Dagster would ignore SIGTERM with it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
