"""Wake a thread that waits for more than one thing."""

from __future__ import annotations

import contextlib
import threading
from multiprocessing.connection import Connection, Pipe


class Bell:
    """Any thread may `ring`; the one that waits watches `heard`, which can then be read."""

    def __init__(self) -> None:
        self.heard: Connection
        self.heard, self._string = Pipe(duplex=False)
        self._lock = threading.Lock()
        self._rung = False

    def ring(self) -> None:
        """Make `heard` readable until the next `clear`; nothing happens after `close`."""
        with self._lock, contextlib.suppress(OSError):
            if not self._rung:
                self._string.send_bytes(b"!")
                self._rung = True

    def clear(self) -> None:
        """Make `heard` silent. Look for what was rung for after this, not before."""
        with self._lock:
            if self._rung:
                self.heard.recv_bytes()
                self._rung = False

    def close(self) -> None:
        """Give the descriptors back."""
        with self._lock:
            self.heard.close()
            self._string.close()
            self._rung = False
