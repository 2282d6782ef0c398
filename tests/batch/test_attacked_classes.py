"""Classes with attackers among honest learners: `tests/data/attacks/*.class`.

`expected.txt` in such a folder has a header, as an attack has, and the verdict of each learner. The
header's keys: `source` (the name of the ZIP; a folder without it), `zeros: PATH MB`,
`member: ZIP PATH` (a member that no folder can contain), `link: PATH -> TARGET`. A file whose text
is `@NAME` is a copy of that attack. What is in a folder `*.zip` is handed in as a ZIP.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from attack_range import ATTACKS, SLUG
from conftest import run_in
from test_harmless_text import check

if sys.platform != "linux":
    pytest.skip("the attacks are written for Linux", allow_module_level=True)

CLASSES = sorted(ATTACKS.glob("*.class"))


@dataclass(frozen=True)
class Expected:
    """What `expected.txt` says."""

    header: list[tuple[str, str]]
    verdicts: dict[str, str]

    @staticmethod
    def read(folder: Path) -> Expected:
        lines = (folder / "expected.txt").read_text("utf-8").splitlines()
        header = [line[2:].partition(": ")[::2] for line in lines if line.startswith("# ")]
        verdicts = [line.rpartition(": ")[::2] for line in lines if not line.startswith("# ")]
        return Expected(header, dict(verdicts))

    def said(self, key: str) -> list[str]:
        return [text for name, text in self.header if name == key]


def handed_in(folder: Path, expected: Expected, place: Path) -> Path:
    """Write the class below `place`; return the path that the batch gets."""
    files: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != "expected.txt":
            files[name] = _content(path)
    for line in expected.said("zeros"):
        name, _, size = line.rpartition(" ")
        files[name] = bytes(int(size) * 2**20)
    root = place / "class"
    zips: dict[str, dict[str, bytes]] = {}
    for name, data in files.items():
        outside, inner, inside = name.partition(".zip/")
        if inner:
            zips.setdefault(f"{outside}.zip", {})[inside] = data
        else:
            _write(root / name, data)
    for line in expected.said("member"):
        name, _, inside = line.partition(" ")
        zips.setdefault(name, {})[inside] = b"x = 1\n"
    for name, members in zips.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        _pack(root / name, members)
    for line in expected.said("link"):
        name, _, target = line.partition(" -> ")
        (root / name).symlink_to(target)
    for source in expected.said("source"):
        packed = {p.relative_to(root).as_posix(): p for p in root.rglob("*") if p.is_file()}
        _pack(place / source, {name: path.read_bytes() for name, path in packed.items()})
        return place / source
    return root


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    copied = re.fullmatch(rb"@(\S+)\n", data)
    return (ATTACKS / f"{copied[1].decode()}.py").read_bytes() if copied else data


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _pack(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name, data)


@pytest.mark.parametrize("folder", CLASSES, ids=lambda folder: folder.stem)
def test_every_learner_of_an_attacked_class_gets_the_right_verdict(
    folder: Path, tmp_path: Path
) -> None:
    expected = Expected.read(folder)
    course = tmp_path / "course"
    shutil.copytree(ATTACKS / "course", course, ignore=shutil.ignore_patterns("__pycache__"))
    path = handed_in(folder, expected, tmp_path)
    table = tmp_path / "class.csv"
    ran = run_in(
        course,
        *("batch", str(path), "--problem", SLUG, "--output", f"csv={table}"),
        GITHUB_ACTIONS="true",
    )
    assert ran.code == 1, ran.err
    check(ran.out + ran.err, in_actions=True)
    with table.open(encoding="utf-8-sig", newline="") as file:
        verdicts = {row["learner"].lstrip("'"): row["verdict"] for row in csv.DictReader(file)}
    assert verdicts == expected.verdicts


def test_each_attacked_class_says_what_is_attempted_and_has_an_honest_learner() -> None:
    assert len(CLASSES) >= 10
    for folder in CLASSES:
        expected = Expected.read(folder)
        (kind,) = expected.said("kind")
        assert len(kind.split()) >= 4
        assert "passed" in expected.verdicts.values()
