"""Stop the program on Ctrl-C, SIGTERM and SIGHUP.

While the program starts and after it has finished, nothing needs to be cleaned up: it exits at
once. Between `begin` and `finish` a signal raises `Stopped`, so that children end and temporary
folders are removed.
"""

from __future__ import annotations

import os
import signal
from typing import Any

INTERRUPTED = 128 + signal.SIGINT
"""the exit code after Ctrl-C, as shells report it"""
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_is_running = False


class Stopped(KeyboardInterrupt):
    """A signal that ends the program; `code` is its exit code, as shells report it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


def listen() -> None:
    """Handle the signals in this process, except those that it was started to ignore."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def begin() -> None:
    """From now on raise `Stopped`, if `listen` was called."""
    global _is_running
    _is_running = True


def finish() -> None:
    """From now on exit at once."""
    global _is_running
    _is_running = False


def _stop(number: int, _frame: Any) -> None:
    if not _is_running:
        os.write(2, b"interrupted\n")
        os._exit(128 + number)
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # a second one must not end the clean-up
    raise Stopped(number)
