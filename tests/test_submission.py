"""A submission is checked before it runs, given as a file or as bytes."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from grader import submission
from grader.model import Refusal, Submission

NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": "def f(x):\n    pass\n"},
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": "f(1)\n"},
        ],
    }
).encode()
CONTENTS = {
    "a module": ("f.py", b"def f(x):\n    return x\n"),
    "a notebook": ("f.ipynb", NOTEBOOK),
    "a notebook that is called .py": ("f.py", NOTEBOOK),
    "a NUL byte": ("f.py", b"x = 1\n\0"),
    "UTF-16": ("f.py", "x = 1".encode("utf-16")),
    "Latin-1": ("f.py", b"x = '\xe9'\n"),
    "a large file": ("f.py", b"#" * (submission.MOST_BYTES + 1)),
    "a large notebook": ("f.ipynb", b" " * (submission.MOST_NOTEBOOK_BYTES + 1)),
}


def check(data: bytes, name: str = "f.py", **siblings: bytes) -> Submission | Refusal:
    is_notebook = name.endswith(".ipynb")
    return submission.check(data, name, siblings.get, "f", is_notebook=is_notebook)


@pytest.mark.parametrize(("name", "data"), CONTENTS.values(), ids=CONTENTS)
def test_checking_bytes_and_a_file_with_these_bytes_gives_equal_results(
    name: str, data: bytes, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    read = submission.read(path, name, entry_point="f")
    assert asdict(check(data, name)) == asdict(read)


def test_a_file_that_is_not_python_source_is_refused_with_a_kind() -> None:
    kinds = {}
    for what, (name, data) in CONTENTS.items():
        checked = check(data, name)
        kinds[what] = checked.kind if isinstance(checked, Refusal) else "submission"
    assert kinds == {
        "a module": "submission",
        "a notebook": "submission",
        "a notebook that is called .py": "notebook",
        "a NUL byte": "encoding",
        "UTF-16": "encoding",
        "Latin-1": "encoding",
        "a large file": "too_large",
        "a large notebook": "too_large",
    }


def test_siblings_are_helpers_when_the_source_or_another_helper_imports_them() -> None:
    checked = check(b"import near\n", near=b"from far import x\n", far=b"x = 1\n", other=b"y = 1\n")
    assert isinstance(checked, Submission)
    assert checked.helpers == {"near": b"from far import x\n", "far": b"x = 1\n"}


def test_a_helper_that_exceeds_the_limit_is_left_out() -> None:
    checked = check(b"import near\n", near=b"#" * (submission.MOST_BYTES + 1))
    assert isinstance(checked, Submission)
    assert checked.helpers == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_is_refused_and_its_target_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the token of the class")
    (tmp_path / "it.py").symlink_to(tmp_path / "secret.txt")
    read = submission.read(tmp_path / "it.py", "it.py")
    assert isinstance(read, Refusal)
    assert (read.kind, read.failure.kind) == ("unreadable", "link")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_helper_that_is_a_link_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("token = 1")
    (tmp_path / "beside.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "it.py").write_text("import beside\n")
    assert submission.own_helpers(tmp_path / "it.py") == {"secret": tmp_path / "secret.py"}
    read = submission.read(tmp_path / "it.py", "it.py", {"beside": tmp_path / "beside.py"})
    assert isinstance(read, Submission)
    assert (read.helpers, read.beside) == ({}, frozenset())
