"""A pytest plugin that measures `grader/child` where it runs: in the learner's process.

coverage.py cannot do this. The child starts without site-packages, closes the descriptors that it
inherits, and must not open or write a file once it is confined. A shared memory mapping that was
made before works all the same. So

- the plugin makes a file with one byte per line of the child's code, and puts this file in front
  of the child's script in `grader.runners.launch.command`;
- started so, this file maps that file, traces the lines of the child's code into it, and runs the
  script;
- at the end, the plugin adds the marked lines to the data of the coverage.py that measures the
  tests (`make coverage`; without one, the plugin does nothing).

Children of other processes (of the batch's workers, of commands that a test starts) are not
measured. A submission that sets a trace function of its own ends the tracing.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

CHILD = Path(__file__).resolve().parents[1] / "grader" / "child"
SCRIPT = str(CHILD / "__main__.py")
MOST_LINES = 512
"""of a file in `grader/child`"""
MOST_CALLS = 500
"""of a function that are traced, so that a flood of calls stays within its time limit"""

Tracer = Callable[[FrameType, str, Any], Any]


def starts() -> dict[str, int]:
    """Return the offset of the first mark of each file in `grader/child`."""
    files = sorted(str(path) for path in CHILD.rglob("*.py"))
    return {file: number * MOST_LINES for number, file in enumerate(files)}


# --- in the grader's process ------------------------------------------------------------------


class Marks:
    """The marks of all children of one process of pytest."""

    def __init__(self, file: Path) -> None:
        from grader.runners import launch

        file.write_bytes(bytes(len(starts()) * MOST_LINES))
        self._file = file
        self._command = launch.command
        launch.command = self._traced_command

    def _traced_command(self, mode: str, word: str = "-") -> list[str]:
        words = self._command(mode, word)
        at = words.index(SCRIPT)
        return [*words[:at], __file__, str(self._file), *words[at:]]

    def pytest_unconfigure(self) -> None:
        """Add the marked lines to the data of this process and remove the file."""
        import coverage

        measuring = coverage.Coverage.current()
        assert measuring is not None
        marks = self._file.read_bytes()
        self._file.unlink()
        lines = {
            file: [line for line in range(MOST_LINES) if marks[start + line]]
            for file, start in starts().items()
        }
        measuring.get_data().add_lines(lines)


def pytest_configure(config: Any) -> None:
    """Register the marks of this process where coverage.py measures it."""
    import tempfile

    import coverage

    if coverage.Coverage.current() is not None:
        descriptor, name = tempfile.mkstemp(prefix="marks-")
        os.close(descriptor)
        config.pluginmanager.register(Marks(Path(name)))


# --- in the learner's process -----------------------------------------------------------------


def map_marks(file: str) -> mmap.mmap:
    """Map the file and leave no descriptor of it open."""
    descriptor = os.open(file, os.O_RDWR)
    copy = os.dup(descriptor)  # the lowest free number, which the mapping's own copy gets next
    os.close(copy)
    marks = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    os.close(copy)
    return marks


def tracer(marks: mmap.mmap, start: int) -> Tracer:
    """Return a local trace function that marks the lines of one file."""

    def mark(frame: FrameType, _event: str, _argument: Any) -> Tracer:
        marks[start + frame.f_lineno] = 1
        return mark

    return mark


def main() -> None:
    """Run the script that follows the file of marks, and trace it."""
    marks = map_marks(sys.argv[1])
    del sys.argv[:2]
    sys.path_importer_cache.pop(__file__, None)  # as if the child had been started alone
    tracers = {file: tracer(marks, start) for file, start in starts().items()}
    tracers |= {  # as `interpreter.forget_the_course` names them
        f"grader/child{file[len(str(CHILD)) :]}": local for file, local in tracers.items()
    }
    calls: Counter[CodeType] = Counter()

    def trace(frame: FrameType, _event: str, _argument: Any) -> Tracer | None:
        local = tracers.get(frame.f_code.co_filename)
        if local:
            calls[frame.f_code] += 1
            return local if calls[frame.f_code] <= MOST_CALLS else None
        return None

    code = compile(Path(SCRIPT).read_bytes(), SCRIPT, "exec")
    sys.settrace(trace)
    exec(code, {"__name__": "__main__", "__file__": SCRIPT})


if __name__ == "__main__":
    main()
