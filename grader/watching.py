"""Detect changes: saved files between two looks, met requirements between two reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.model import Report, Verdict

Stamp = tuple[int, int, int] | None
"""Identifies one saved state of a file: inode, size in bytes, modification time in nanoseconds.

None for a missing file.
"""


def stamp(path: Path) -> Stamp:
    """Return the stamp of a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(slots=True)
class FileWatch:
    """Detects saved files.

    Editors write in pieces or replace the file. A change therefore counts only if two consecutive
    looks see the same state; a missing file does not count until it exists again.
    """

    seen: dict[Path, Stamp]
    settled: dict[Path, Stamp]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> FileWatch:
        """Return a watch for which the present state is not a change."""
        now = {path: stamp(path) for path in paths}
        return cls(dict(now), dict(now))

    def changed(self, paths: Iterable[Path]) -> list[Path]:
        """Look at the files; return those whose new state did not change since the last look."""
        changed = []
        for path in paths:
            now = stamp(path)
            if now is not None and now == self.seen.get(path) and now != self.settled.get(path):
                self.settled[path] = now
                changed.append(path)
            self.seen[path] = now
        return changed


@dataclass(frozen=True, slots=True)
class Changes:
    """The requirements (ids) whose verdict changed since the previous report."""

    newly_met: tuple[str, ...] = ()
    newly_broken: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = []
        if self.newly_met:
            parts.append(f"newly met: {', '.join(self.newly_met)}")
        if self.newly_broken:
            parts.append(f"newly broken: {', '.join(self.newly_broken)}")
        return "; ".join(parts)


def changes(before: Report | None, after: Report) -> Changes:
    """Return the requirements that became met and those that became unmet.

    There are none without a previous report.
    """
    if before is None:
        return Changes()
    old, new = _met(before), _met(after)
    ids = [result.requirement.id for result in after.requirements]
    return Changes(
        newly_met=tuple(id for id in ids if new[id] and not old.get(id, False)),
        newly_broken=tuple(id for id in ids if old.get(id, False) and not new[id]),
    )


def _met(report: Report) -> Mapping[str, bool]:
    return {r.requirement.id: r.verdict is Verdict.PASSED for r in report.requirements}
