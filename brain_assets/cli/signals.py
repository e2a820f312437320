"""Signals of commands that run until a person stops them."""

from __future__ import annotations

import signal


def interruptible() -> None:
    """Let SIGINT (Ctrl-C, `kill -INT`) and SIGTERM stop this process, also one that was started in the background.

    A shell starts background jobs with SIGINT ignored. Python then keeps ignoring it, and so does every program that
    takes this process's place; Dagster ignores SIGTERM with it, and what it starts inherits that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
