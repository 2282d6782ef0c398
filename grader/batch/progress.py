"""Progress of a run: a bar with rate and time left in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text

_LINE_SECONDS = 5.0
_WINDOW_SECONDS = 15.0
"""period over which the rate is averaged; hanging submissions make it uneven"""


class Display(Protocol):
    """Shows the progress of a run; a context manager."""

    def show(self, done: int) -> None:
        """Show that `done` submissions are graded."""

    def __enter__(self) -> Display: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Bar:
    """A bar in a terminal."""

    def __init__(self, console: Console, total: int) -> None:
        self._progress = Progress(
            TextColumn("grading"),
            BarColumn(),
            MofNCompleteColumn(),
            _RateColumn(),
            console=console,
            speed_estimate_period=_WINDOW_SECONDS,
        )
        self._task = self._progress.add_task("", total=total)

    def show(self, done: int) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=done)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


class Lines:
    """A line every 5 seconds and at the end. `get_time` is a clock in seconds."""

    def __init__(
        self,
        tell: Callable[[str], None],
        total: int,
        get_time: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._get_time = get_time
        # Only computes the rate: it is never started, so it displays nothing.
        self._progress = Progress(get_time=get_time, speed_estimate_period=_WINDOW_SECONDS)
        self._id = self._progress.add_task("", total=total)
        self._last = get_time()
        self._has_ended = False

    def show(self, done: int) -> None:
        """Print a line when 5 seconds have passed since the last one, and at the end."""
        self._progress.update(self._id, completed=done)
        (task,) = self._progress.tasks
        now = self._get_time()
        if self._has_ended or (now - self._last < _LINE_SECONDS and not task.finished):
            return
        self._last, self._has_ended = now, task.finished
        self._tell(f"graded {done} of {task.total:.0f} ({_rate(task)})")

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class _RateColumn(ProgressColumn):
    """The rate and the time left of a task."""

    def render(self, task: Task) -> Text:
        return Text(_rate(task))


def _rate(task: Task) -> str:
    """Return for example `95/s, 20 s left`, or `...` before the first submission is graded."""
    # rich computes a speed from the second update on.
    speed = task.speed or (task.completed / task.elapsed if task.elapsed else 0)
    if not speed:
        return "..."
    says = f"{speed:.0f}/s" if speed >= 10 else f"{speed:.1f}/s"
    return f"{says}, {_duration(task.remaining / speed)} left" if task.remaining else says


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"
