"""Wake a thread that waits for several connections."""

from __future__ import annotations

import contextlib
import threading
from multiprocessing.connection import Connection, Pipe


class Bell:
    """An event as a connection: `heard` is readable after `ring`, which any thread may call."""

    def __init__(self) -> None:
        self.heard: Connection
        self.heard, self._writer = Pipe(duplex=False)
        self._lock = threading.Lock()
        self._rung = False

    def ring(self) -> None:
        """Make `heard` readable until the next `clear`. Does nothing after `close`."""
        with self._lock, contextlib.suppress(OSError):
            if not self._rung:
                self._writer.send_bytes(b"!")
                self._rung = True

    def clear(self) -> None:
        """Make `heard` unreadable. Call it before looking for the reason of the ring."""
        with self._lock:
            if self._rung:
                self.heard.recv_bytes()
                self._rung = False

    def close(self) -> None:
        """Close the descriptors."""
        with self._lock:
            self.heard.close()
            self._writer.close()
            self._rung = False
