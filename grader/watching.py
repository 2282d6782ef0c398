"""What changed: files between two looks, and requirements between two reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.model import Report, Verdict

Stamp = tuple[int, int, int] | None
"""What identifies one saved state of a file: inode, size, modification time; None if missing."""


def stamp(path: Path) -> Stamp:
    """Return the stamp of a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(slots=True)
class FileWatch:
    """Tells which files were saved, once each save has settled.

    Editors write in pieces or replace the file: a change counts when two looks in a row see the
    same state, and a missing file is waited for.
    """

    seen: dict[Path, Stamp]
    settled: dict[Path, Stamp]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> FileWatch:
        """Return a watch that takes the present state as known."""
        now = {path: stamp(path) for path in paths}
        return cls(dict(now), dict(now))

    def changed(self, paths: Iterable[Path]) -> list[Path]:
        """Look once more; return the files with a new state that has settled."""
        changed = []
        for path in paths:
            now = stamp(path)
            if now is not None and now == self.seen.get(path) and now != self.settled.get(path):
                self.settled[path] = now
                changed.append(path)
            self.seen[path] = now
        return changed


@dataclass(frozen=True, slots=True)
class News:
    """What is different since the report before: ids of requirements."""

    newly_met: tuple[str, ...] = ()
    newly_broken: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = []
        if self.newly_met:
            parts.append(f"newly met: {', '.join(self.newly_met)}")
        if self.newly_broken:
            parts.append(f"newly broken: {', '.join(self.newly_broken)}")
        return "; ".join(parts)


def news(before: Report | None, after: Report) -> News:
    """Return which requirements are met now and were not, and the other way round."""
    if before is None:
        return News()
    old, new = _met(before), _met(after)
    ids = [result.requirement.id for result in after.requirements]
    return News(
        newly_met=tuple(id for id in ids if new[id] and not old.get(id, False)),
        newly_broken=tuple(id for id in ids if old.get(id, False) and not new[id]),
    )


def _met(report: Report) -> Mapping[str, bool]:
    return {r.requirement.id: r.verdict is Verdict.PASSED for r in report.requirements}
