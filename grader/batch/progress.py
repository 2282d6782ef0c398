"""How far a run is: a bar with rate and time left in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

_LINE_SECONDS = 5.0
_WINDOW_SECONDS = 15.0
"""the rate is that of the last seconds, since hangs make it uneven"""


class Display(Protocol):
    """Shows how far a run is; a context manager."""

    def show(self, done: int) -> None:
        """Say that so many submissions are graded."""

    def __enter__(self) -> Display: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Rate:
    """Submissions per second, and how long the rest will take."""

    def __init__(self, total: int, now: float) -> None:
        self._total = total
        self._marks = deque([(now, 0)])

    def text(self, done: int, now: float) -> str:
        """Return `95/s, 20 s left`."""
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW_SECONDS:
            self._marks.popleft()
        began, before = self._marks[0]
        rate = (done - before) / (now - began) if now > began else 0.0
        if rate <= 0:
            return "..."
        rest = (self._total - done) / rate
        speed = f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
        return f"{speed}, {_duration(rest)} left" if rest else speed


class Bar:
    """A bar in a terminal."""

    def __init__(self, console: Console, total: int) -> None:
        self._rate = Rate(total, time.monotonic())
        self._total = total
        self._shown = 0.0
        self._progress = Progress(
            TextColumn("grading"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            console=console,
        )
        self._task = self._progress.add_task("", total=total, rate="...")

    def show(self, done: int) -> None:
        """Move the bar."""
        now = time.monotonic()
        if now - self._shown > 0.1 or done == self._total:
            self._shown = now
            self._progress.update(self._task, completed=done, rate=self._rate.text(done, now))
        else:
            self._progress.update(self._task, completed=done)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


class Lines:
    """A line every few seconds."""

    def __init__(self, tell: Callable[[str], None], total: int) -> None:
        self._tell = tell
        self._total = total
        self._rate = Rate(total, time.monotonic())
        self._last = time.monotonic()
        self._done = -1

    def show(self, done: int) -> None:
        """Tell when it is time, and at the end."""
        now = time.monotonic()
        ended = done == self._total != self._done
        if ended or now - self._last >= _LINE_SECONDS:
            self._last, self._done = now, done
            self._tell(f"graded {done} of {self._total} ({self._rate.text(done, now)})")

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"
