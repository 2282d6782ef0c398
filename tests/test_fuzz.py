"""Altered bytes of every kind that the grader parses: never a traceback, never a pass, no delay.

Valid documents are altered by a few edits each. `make test` tries `FEW` of each kind, always the
same; `make fuzz` tries as many others as GRADER_FUZZ says. Hypothesis prints a small failing
example; turn it into a test of the module that reads it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conftest import SMALL_COURSE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runners.test_protocol import END, HELLO, READY
from runners.test_words import FRAMES, report_of

from grader import formats, notebook, runners, submission
from grader.batch import gradescope
from grader.batch.archive import Archive, DamagedError
from grader.batch.assign import assign
from grader.batch.handed_in import Wish
from grader.batch.sources import UnreadableError, open_trees
from grader.catalog import Course
from grader.child import protocol
from grader.errors import AuthorError, UsageError
from grader.model import Outlook, Refusal, Submission
from grader.pipeline import ProblemGrader
from grader.runners import Runner

FEW = 100
"""altered documents of one kind in `make test`"""
LONGEST = 3.0
"""seconds of CPU time for one document; a submission that hangs has limits of its own"""
MEMORY = 6 * 2**30
"""bytes of address space while authors' files are read: an array may be as large as its recipe"""
SCRAPS = (
    *(b"", b"\0", b"\n", b"\r", b"\xff", b"\xff\xff\xff\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf"),
    *(b"-1", b"0", b"1e999", b"99999999999999999999", b"nan", b"null", b"true", b"~"),
    *(b"{", b"}", b"[", b"]", b'"', b"'", b":", b": ", b"- ", b",", b"#", b"*a", b"&a ", b"!!x "),
    *(b"<<: ", b"? ", b"|\n", b"\t", b"---\n", b"...", b"../", b"/", b"PK\x05\x06", b"PK\x01\x02"),
    *(b"# coding: punycode\n", b"\\u0000", b"\\ud800", b"x" * 300, b"[" * 300, b"{a: " * 300),
)

fuzzed = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=int(os.environ.get("GRADER_FUZZ", FEW)),
    derandomize="GRADER_FUZZ" not in os.environ,
)


@st.composite
def altered(draw: st.DrawFn, documents: Sequence[bytes]) -> bytes:
    """Draw one of the documents and alter it by up to six edits."""
    data = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 30)))
        edit = draw(st.sampled_from(("replace", "insert", "delete", "repeat", "flip", "cut")))
        scrap = draw(st.sampled_from(SCRAPS) | st.binary(max_size=8))
        if edit == "replace":
            data = data[:at] + scrap + data[at + len(scrap) :]
        elif edit == "insert":
            data = data[:at] + scrap + data[at:]
        elif edit == "delete":
            data = data[:at] + data[end:]
        elif edit == "repeat":
            data = data[:end] + data[at:end] * draw(st.integers(1, 20)) + data[end:]
        elif edit == "flip" and data:
            place = min(at, len(data) - 1)
            bit = bytes([data[place] ^ (1 << draw(st.integers(0, 7)))])
            data = data[:place] + bit + data[place + 1 :]
        elif edit == "cut" and draw(st.booleans()):
            data = data[:at]
    return data


@contextlib.contextmanager
def quickly() -> Iterator[None]:
    """Check that the block takes little CPU time."""
    began = time.thread_time()
    yield
    assert time.thread_time() - began < LONGEST


# --- what a child sends -----------------------------------------------------------------------


def frame(name: str) -> bytes:
    kind, meta, payload = FRAMES[name]
    return protocol.encode_frame(kind, 0, meta, [payload])


STREAMS = [
    READY + frame("wrong numbers") + END,
    READY + frame("no arrays") + END,
    READY + frame("an exception") + END,
    frame("a refusal"),
    frame("warnings while loading") + frame("wrong numbers") + END,
]


@given(stream=altered(STREAMS))
@fuzzed
def test_altered_frames_never_pass(stream: bytes) -> None:
    with quickly():
        report = report_of([HELLO, stream])
        assert report.verdict in (Outlook.FAILED, Outlook.ERRORED)
        for name in formats.FORMATS:
            formats.render(name, [report])


# --- what learners hand in --------------------------------------------------------------------

WRONG = """\
# -*- coding: utf-8 -*-
import numpy as np
from helper import product as multiply  # beside it


def project(X, W, bias=None):
    '''A text with "quotes", \\\\ and é.'''
    print("é", X.shape)
    if bias is not None:
        raise ValueError(f"no bias {bias!r}")
    return [row for row in (2 * (X @ W))]
"""
SOURCES = [
    WRONG.encode(),
    WRONG.replace("utf-8", "latin-1").encode("latin-1"),
    ("\ufeff" + WRONG).replace("\n", "\r\n").encode(),
    WRONG.replace("from helper", "# from helper").encode(),
    b"class project:\n    def __call__(self, X, W, bias=None): return X\nproject = project()\n",
]


def cells(*texts: str) -> bytes:
    listed = [
        {"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": []}
        for text in texts
    ]
    document = {
        "cells": [{"cell_type": "markdown", "source": "# T"}, *listed],
        "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
        "nbformat": 4,
    }
    return json.dumps(document).encode()


NOTEBOOKS = [
    cells("%matplotlib inline\nimport numpy as np\n", "!ls\nx = %time 1\n", WRONG, "project(1)"),
    cells("%%time\ndef project(X, W, bias=None):\n    return (X\n  @ W) * 2\n", "?x\n'''\n%a\n'''"),
]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with runners.choose()[0] as made:
        yield made


@pytest.fixture(scope="module")
def grader() -> ProblemGrader:
    return ProblemGrader(Course(SMALL_COURSE), "projection")


def check_submission(data: bytes, name: str, grader: ProblemGrader, runner: Runner) -> None:
    with quickly():
        is_notebook = name.endswith(".ipynb")
        helpers = {"helper": b"x = 1\n"}
        read = submission.check(data, name, helpers.get, "project", is_notebook=is_notebook)
        assert isinstance(read, Submission | Refusal)
        report = grader.grade_read(read, name, runner)
        assert report.verdict is not Outlook.PASSED
        for output in formats.FORMATS:
            formats.render(output, [report])


@given(data=altered(SOURCES))
@fuzzed
def test_altered_sources_never_pass(data: bytes, grader: ProblemGrader, runner: Runner) -> None:
    check_submission(data, "projection.py", grader, runner)


@given(data=altered(NOTEBOOKS))
@fuzzed
def test_altered_notebooks_never_pass(data: bytes, grader: ProblemGrader, runner: Runner) -> None:
    check_submission(data, "projection.ipynb", grader, runner)


@given(data=altered(NOTEBOOKS))
@fuzzed
def test_an_altered_notebook_keeps_one_place_for_each_line(data: bytes) -> None:
    with quickly():
        script = notebook.read(data, "project")
    if not isinstance(script, Refusal):
        assert len(script.line_map) == script.source.count("\n")


# --- archives and what platforms write --------------------------------------------------------


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as out:
        for name, data in members:
            out.writestr(name, data)
    return buffer.getvalue()


INNER = archive(("projection.py", b"x = 1\n"), ("src/helper.py", b"y = 1\n"))
ARCHIVES = [
    archive(("ada/projection.py", b"x = 1\n"), ("bob/work.zip", INNER), ("eve/a.txt", b"")),
    archive(("ada.py", b"x = 1\n"), ("b\xf6b.py", b""), method=zipfile.ZIP_STORED),
    archive(
        ("submission_metadata.yml", b"submission_1:\n  :submitters:\n  - :name: Ada\n"),
        ("submission_1/projection.py", b"x = 1\n"),
    ),
    archive(("lindqvistada_10421_880311_projection.py", b"x = 1\n")),
]


@given(data=altered(ARCHIVES))
@fuzzed
def test_an_altered_zip_is_assigned_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, quickly():
        path = Path(folder, "class.zip")
        path.write_bytes(data)
        with contextlib.suppress(UsageError):
            (tree,) = open_trees([path])
            people = gradescope.people_of(tree)
            wish = Wish(("projection",), ("projection",), skip_ambiguous=True)
            for row in assign(tree.name, tree.entries, wish, people).rows:
                if row.path:
                    with contextlib.suppress(UnreadableError):
                        assert len(tree.read(row.path)) <= submission.most_bytes(True) + 1


@given(data=altered([INNER, *ARCHIVES]))
@fuzzed
def test_an_altered_zip_of_a_learner_is_listed_or_refused(data: bytes) -> None:
    with quickly(), contextlib.suppress(DamagedError):
        opened = Archive.of_bytes(data)
        for member in opened.members:
            with contextlib.suppress(DamagedError):
                opened.read(member.path, 1000)


METADATA = b"""\
submission_1:
  :submitters:
  - :name: Ada Lindqvist
    :sid: '10421'
    :email: ada@uni.example
  - {":name": B, ":sid": null}
  :results: &r {score: 1.0, tests: [{output: "x"}]}
  :history: [*r, *r]
submission_2:
  :submitters:
  - :sid: "2"
"""


@given(data=altered([METADATA]))
@fuzzed
def test_altered_metadata_is_read_or_refused(data: bytes) -> None:
    with quickly(), contextlib.suppress(UsageError):
        for learners in gradescope.people(data, "submission_metadata.yml").values():
            assert learners
            assert all(learner.key for learner in learners)


# --- what authors write -----------------------------------------------------------------------

AUTHORED = [
    path.relative_to(SMALL_COURSE)
    for place in ("problems", "cases")
    for path in sorted((SMALL_COURSE / place).rglob("*.yaml"))
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fuzz") / "course"
    shutil.copytree(SMALL_COURSE, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("name", AUTHORED, ids=str)
@given(data=st.data())
@fuzzed
def test_altered_files_of_an_exercise_are_read_or_refused_and_the_starter_never_passes(
    name: Path, data: st.DataObject, course: Path, runner: Runner
) -> None:
    right = (SMALL_COURSE / name).read_bytes()
    (course / name).write_bytes(data.draw(altered([right])))
    try:
        with little_memory(), quickly(), contextlib.suppress(AuthorError, UsageError):
            made = ProblemGrader(Course(course), "projection")
            report = made.grade(course / "solutions/projection.py", runner)
            assert report.verdict is not Outlook.PASSED
    finally:
        (course / name).write_bytes(right)
