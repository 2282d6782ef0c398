"""The CSV table and the file names of reports, made from untrusted names."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.batch import export
from grader.batch.database import ClassRow
from grader.errors import UsageError


def _row(**facts: Any) -> ClassRow:
    row: dict[str, Any] = {
        "learner": "ada",
        "problem": "projection",
        "id": "",
        "name": "",
        "email": "",
        "file": "ada/projection.py",
        "note": "",
        "edition": "",
        "verdict": "failed",
        "earned": "5/3",
        "possible": "3",
        "requirements": (("product", "failed", "elementwise"), ("bias", "skipped", "")),
        "result": "key",
    }
    return ClassRow(**(row | facts))


def _read(*rows: ClassRow) -> list[dict[str, str]]:
    file = io.StringIO(newline="")
    export.write_csv(rows, file)
    file.seek(0)
    return list(csv.DictReader(file))


def test_a_csv_line_has_points_unmet_requirements_and_misconceptions() -> None:
    (line,) = _read(_row())
    assert (line["points"], line["possible"]) == ("1.67", "3")
    assert (line["unmet"], line["misconceptions"]) == ("product bias", "elementwise")


def test_missing_work_gets_0_points_and_ungraded_work_an_empty_cell() -> None:
    facts = {"earned": "0", "possible": "0", "requirements": (), "result": None}
    missing, waiting = _read(_row(verdict="missing", **facts), _row(verdict="waiting", **facts))
    assert missing["points"] == "0"
    assert waiting["points"] == ""


def test_save_csv_writes_a_byte_order_mark_and_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "grades.csv")
    export.save_csv([_row(learner="Zoë")], tmp_path / "link.csv")
    data = (tmp_path / "grades.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbflearner,")
    assert data.endswith(b"\r\n")
    assert "Zoë" in data.decode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grades.csv", "link.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a path")
def test_save_csv_writes_to_a_named_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        export.save_csv([_row()], tmp_path / "pipe")
        assert b"ada,,,,projection" in os.read(reader, 4096)
    finally:
        os.close(reader)


def test_the_error_for_an_unwritable_csv_file_names_its_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"cannot write {tmp_path}/none/grades.csv: No such file"):
        export.save_csv([_row()], tmp_path / "none" / "grades.csv")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝"])
def test_a_name_that_starts_like_a_formula_is_written_as_text(start: str) -> None:
    (line,) = _read(_row(learner=f"{start}cmd|' /C calc'!A0"))
    assert not line["learner"].lstrip("\t\r\n ").startswith(("=", "+", "-", "@", "＝"))
    assert "calc" in line["learner"]


def test_commas_quotes_and_line_ends_stay_in_their_cell() -> None:
    (line,) = _read(_row(note='a,"b"\nc'))
    assert line["note"] == 'a,"b"\nc'


@given(st.lists(st.text(st.characters(codec="utf-8")), unique=True, max_size=20))
def test_file_names_are_unique_and_valid_on_every_system(learners: list[str]) -> None:
    names = export.file_names(learners)
    assert set(names) == set(learners)
    assert len({name.casefold() for name in names.values()}) == len(learners)
    for name in names.values():
        assert name
        assert not set(name) & set('/\\:*?"<>|\0\n\r\t')
        assert name.strip(" .") == name
        assert not name.startswith(("-", "."))
        assert len(f"{name}.json".encode()) <= 255
        assert name.partition(".")[0].lower() not in ("con", "nul", "aux", "prn", "com1", "lpt9")


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        ("ada", "ada"),
        ("Mary O'Connor_s10423", "Mary O_Connor_s10423-"),
        ("王小明_10425", "王小明_10425"),
        ("../../etc/passwd", "_.._etc_passwd-"),
        ("CON", "_CON-"),
        ("nul.py", "_nul.py-"),
        ("-rf", "_-rf-"),
        ("..", "_-"),
    ],
)
def test_file_names_keep_the_valid_characters_of_a_learners_name(learner: str, name: str) -> None:
    assert export.file_names([learner])[learner].startswith(name)


def test_names_that_differ_only_in_case_get_different_file_names() -> None:
    names = export.file_names(["ada", "Ada", "bob"])
    assert len({name.casefold() for name in names.values()}) == 3
    assert names["bob"] == "bob"


def test_a_learner_named_like_a_generated_file_name_gets_a_different_one() -> None:
    taken = export.file_names(["a/b"])["a/b"]
    names = export.file_names(["a/b", taken])
    assert names["a/b"] != names[taken]


def test_a_file_name_does_not_depend_on_the_other_learners() -> None:
    alone = export.file_names(["a/b"])["a/b"]
    assert export.file_names(["a/b", "x", "a_b"])["a/b"] == alone
