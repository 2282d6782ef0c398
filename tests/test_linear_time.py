"""The grader's time for a text that a learner controls grows linearly with the text.

Each hostile text is built in two sizes, the second `GROWTH` times the first, and the CPU time of
the function that reads it is compared. Quadratic time would grow `GROWTH` squared.
"""

from __future__ import annotations

import contextlib
import io
import json
import statistics
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader import explain, formats, notebook, source_text, submission
from grader.batch import run
from grader.batch.archive import Archive, DamagedError
from grader.batch.assign import assign
from grader.batch.handed_in import Assigned, Learner, Wish
from grader.batch.sources import Entry, open_trees
from grader.child import protocol
from grader.errors import UsageError
from grader.model import Failure, Frame, Refusal, Submission
from grader.runners import Reached
from grader.runners.endings import Sources, refusal_of_facts
from grader.runners.frames import ProtocolError, Reception, read_facts, read_warnings
from grader.runners.output import Output
from grader.text import clean, decode, one_line

GROWTH = 8
MOST = 16
"""times as much CPU time as for the small text, at most"""
NEGLIGIBLE = 0.004
"""seconds: less is taken for this much, since the clock and the caches decide about less"""
LONGEST = 10.0
"""seconds of CPU time for the largest text that a learner can hand in or print, on a slow machine

On the machine of 2026-12-01 none took more than 0.6 s.
"""
MARKER = "0123456789abcdef"


def seconds(use: Callable[[Any], object], text: Any, times: int = 3) -> float:
    taken = []
    for _ in range(times):
        began = time.thread_time()
        use(text)
        taken.append(time.thread_time() - began)
    return statistics.median(taken)


def check(use: Callable[[Any], object], make: Callable[[int], Any], largest: int) -> None:
    """Check that `use(make(size))` takes linear time, and little for the `largest` size."""
    small, large = make(largest // GROWTH), make(largest)
    use(small)
    before, after = seconds(use, small), seconds(use, large)
    assert after < MOST * max(before, NEGLIGIBLE)
    assert after < LONGEST


def repeated(*parts: bytes) -> Callable[[int], bytes]:
    """Return a function that makes a text of a size: a start, a repeated part and an end."""
    start, part, end = {1: (b"", *parts, b""), 2: (*parts, b""), 3: parts}[len(parts)]
    return lambda size: start + part * ((size - len(start) - len(end)) // len(part)) + end


def numbered(template: str, start: str = "") -> Callable[[int], bytes]:
    """Return a function that makes a text of numbered parts, each of about 12 bytes."""
    return lambda size: (start + "".join(template.format(n) for n in range(size // 12))).encode()


OUTPUTS = {
    "Stack(": repeated(b"Stack("),
    "Timeout (": repeated(b"Timeout ("),
    "Thread 0x": repeated(b"Thread 0x"),
    "headers of traces": repeated(b"Stack (most recent call first):\n"),
    "headers after one long line": repeated(
        b"x" * 30_000 + b"\n", b"Stack (most recent call first):\n"
    ),
    "introductions": repeated(b"Timeout (\n\nStack (most recent call first):\n"),
    "frames": repeated(b"Stack (most recent call first):\n", b'  File "", line 1 in f\n'),
    "one frame": repeated(b'Stack (most recent call first):\n  File "', b'", line 1 in ', b"\n"),
    "frames with long numbers": repeated(
        b"Stack (most recent call first):\n", b'  File "", line ' + b"1" * 900 + b" in f\n"
    ),
    "empty lines": repeated(b"\n"),
    "markers": repeated(f"\0{MARKER}\0".encode()),
    "signs of life": repeated(f"\0{MARKER}+\0".encode()),
    "half markers": repeated(b"\0" + MARKER.encode()),
    "escapes": repeated(b"\x1b]"),
    "no UTF-8": repeated(b"\xf0\x9f"),
}


@pytest.mark.parametrize("make", OUTPUTS.values(), ids=OUTPUTS)
def test_output_is_split_and_searched_for_traces_in_linear_time(
    make: Callable[[int], bytes],
) -> None:
    check(lambda data: Output(data, MARKER).of(0), make, protocol.OUTPUT_LIMIT)


SOURCES = {
    "one long import": numbered("a{:09},", "import "),
    "an import of blanks": repeated(b"import ", b"a "),
    "an import of commas": repeated(b"import ", b","),
    "many imports": numbered("import a{}\n"),
    "import without names": repeated(b"import "),
    "from without names": repeated(b"from\t"),
    "blanks": repeated(b" "),
    "empty lines": repeated(b"\n"),
    "carriage returns": repeated(b"\r"),
    "a comment of coding": repeated(b"#", b"coding"),
    "a coding of blanks": repeated(b"#coding:", b" ", b"!"),
    "a coding with a long name": repeated(b"#coding:", b"a"),
    "a first line of blanks": repeated(b" ", b"\n# coding: latin-1"),
    "half a notebook": repeated(b'{"cells" "nbformat"'),
    "Latin-1": repeated(b"# coding: latin-1\n", b"\xe9"),
}
CODECS = ("punycode", "idna", "utf_7", "unicode_escape", "raw_unicode_escape", "hex", "base64")


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_a_source_is_checked_and_its_lines_are_found_in_linear_time(
    make: Callable[[int], bytes],
) -> None:
    def use(data: bytes) -> None:
        read = submission.check(data, "it.py", lambda _: None, "f", is_notebook=False)
        whole = read if isinstance(read, Submission) else Submission("it.py", data)
        Sources(whole).frames([(0, 1, "f"), (0, 2, "f")])

    check(use, make, submission.MOST_BYTES)


@pytest.mark.parametrize("codec", CODECS)
def test_a_source_in_a_codec_that_is_slow_or_changes_the_text_is_refused(codec: str) -> None:
    data = f"# coding: {codec}\n".encode() + b"-a" * 2**19
    data = data[: submission.MOST_BYTES]
    read = submission.check(data, "it.py", lambda _: None, "f", is_notebook=False)
    assert isinstance(read, Refusal)
    assert (read.kind, read.line) == ("encoding", 1)
    assert explain.refusal_lines(read) == [
        f"the file declares the encoding {codec}, which is not supported",
        "  line 1",
        "Save the file as UTF-8 and delete this line.",
    ]
    assert seconds(lambda _: Sources(Submission("it.py", data)).line("it.py", 2), None) < LONGEST


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"# coding: punycode", ("punycode", 1)),
        (b"\r# coding: punycode", ("punycode", 2)),
        (b"#!/usr/bin/python\r\n# vim: set fileencoding=idna :", ("idna", 2)),
        (b"\xef\xbb\xbf# coding: utf-8", None),
        (b"#\r#\r# coding: punycode", None),
        (b"x = 1\n# coding: punycode", None),
        (b"x = '# coding: punycode'", None),
    ],
)
def test_the_declared_encoding_is_found_where_the_compiler_finds_it(
    head: bytes, found: tuple[str, int] | None
) -> None:
    assert source_text.declared(head + b"\nx = 1\n") == found
    try:
        compile(head.replace(b"idna", b"no_codec") + b"\nx = 1\n", "it.py", "exec")
    except SyntaxError:
        assert found
    else:
        assert found is None or found[0] == "punycode"


@pytest.mark.parametrize(
    "name",
    [
        *("utf-8", "UTF8", "utf-8-unix", "u8", "latin-1", "latin-1-dos", "iso-8859-15"),
        *("ISO8859-1", "ascii", "us-ascii", "cp1252", "windows-1250", "koi8-r", "KOI8_U"),
    ],
)
def test_utf_8_and_single_byte_encodings_are_supported_as_the_compiler_reads_them(
    name: str,
) -> None:
    data = f"# coding: {name}\nS = 'text'\n".encode()
    compile(data, "it.py", "exec")
    assert isinstance(
        submission.check(data, "it.py", lambda _: None, "f", is_notebook=False), Submission
    )


TEXTS = {
    "escapes": repeated(b"\x1b]"),
    "half escapes": repeated(b"\x1b[0"),
    "one long escape": repeated(b"\x1b[", b"0"),
    "blanks": repeated(b" "),
    "line feeds": repeated(b"\n"),
    "marks": repeated("\u202e".encode()),
    "joined emoji": repeated("\U0001f469\u200d".encode()),
    "combining marks": repeated(b"a", "\u0301".encode()),
    "selectors": repeated(b"a", "\ufe0f".encode()),
}


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_text_is_cleaned_in_linear_time(make: Callable[[int], bytes]) -> None:
    check(lambda data: one_line(decode(data, len(data))), make, protocol.OUTPUT_LIMIT)


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_a_message_is_read_and_explained_in_linear_time(make: Callable[[int], bytes]) -> None:
    def use(text: str) -> None:
        facts = read_facts({"kind": "syntax", "type": text, "message": text, "line": 1, "file": 0})
        sources = Sources(Submission("it.py", text.encode("utf-8", "replace")))
        refusal = refusal_of_facts(facts, sources, "f", confined=True, output=clean(text))
        explain.refusal_lines(refusal)
        failure = Failure("exception", text, text, (Frame("it.py", 1, text, text),) * 16)
        explain.refusal_lines(Refusal("import", failure))

    check(use, lambda size: make(size).decode(), protocol.META_LIMIT)


METAS: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "frames": lambda size: {"frames": [[0, 1, "f"]] * (size // 10)},
    "nested lists": lambda size: {"frames": [[[]] * (size // 4)]},
    "defined names": lambda size: {"kind": "missing", "defined": ["a" * 70] * (size // 74)},
    "long names": lambda size: {"kind": "missing", "defined": ["_" * size] * 2},
}


@pytest.mark.parametrize("make", METAS.values(), ids=METAS)
def test_facts_of_a_refusal_are_read_in_linear_time(make: Callable[[int], dict[str, Any]]) -> None:
    def use(meta: dict[str, Any]) -> None:
        try:
            facts = read_facts(meta)
        except ProtocolError:
            return
        refusal_of_facts(facts, Sources(Submission("it.py", b"")), "f", confined=True, output="")

    check(use, make, protocol.META_LIMIT)


def test_warnings_are_read_in_linear_time() -> None:
    def make(size: int) -> list[Any]:
        return [["W", "x" * 50, 0, 1]] * (size // 70)

    sources = Sources(Submission("it.py", b"\n" * 100))
    check(lambda found: sources.warnings(read_warnings(found)), make, protocol.META_LIMIT)


def test_frames_are_received_in_linear_time_in_pieces_of_any_size() -> None:
    def use(data: bytes) -> None:
        reception = Reception(10**6)
        for at in range(0, len(data), 4096):
            list(reception.feed(data[at : at + 4096]))

    def make(size: int) -> bytes:
        hello = protocol.encode_frame(protocol.HELLO, 0, None)
        ready = protocol.encode_frame(protocol.READY, 0, {"warnings": []})
        one = protocol.encode_frame(protocol.RAISED, 0, {"message": "", "seconds": 0.0})
        raised = [
            protocol.encode_frame(protocol.RAISED, n, {"message": "", "seconds": 0.0})
            for n in range(size // len(one))
        ]
        return b"".join([hello, ready, *raised])

    check(use, make, 2**20)


def cells(*texts: str) -> bytes:
    listed = [{"cell_type": "code", "source": text} for text in texts]
    return json.dumps({"metadata": {}, "nbformat": 4, "cells": listed}).encode()


NOTEBOOKS: Mapping[str, Callable[[int], bytes]] = {
    "magics": lambda size: cells("%a\n" * (size // 4)),
    "a line of question marks": lambda size: cells("?" * size),
    "a line of dots and blanks": lambda size: cells("a." * (size // 4) + " " * (size // 2) + "x"),
    "an assignment of blanks": lambda size: cells("a=" + " " * size),
    "half strings": lambda size: cells("'" * size, "\"'" * (size // 4)),
    "backslashes": lambda size: cells("'" + "\\" * size),
    "an open string": lambda size: cells('"""' + "\\\n'" * (size // 6)),
    "open brackets": lambda size: cells("(" * size),
    "definitions": lambda size: cells(*["def f(x): pass"] * (size // 60)),
    "async blanks": lambda size: cells("async" + " " * size),
    "empty cells": lambda size: cells(*[""] * (size // 50)),
    "carriage returns": lambda size: cells("\r" * (size // 2)),
    "a list of characters": lambda size: json.dumps(
        {"cells": [{"cell_type": "code", "source": ["x"] * (size // 5)}]}
    ).encode(),
    "nested lists": lambda size: b'{"cells":' + b"[" * size,
    "a long number": lambda size: b'{"cells":' + b"1" * size,
    "a long fraction": lambda size: b'{"cells":0.' + b"1" * size,
}


@pytest.mark.parametrize("make", NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_a_notebook_is_read_in_linear_time(make: Callable[[int], bytes]) -> None:
    check(lambda data: notebook.read(data, "f"), make, notebook.MOST_CODE)


NAMES = {
    "dashes": "-",
    "underscores": "_",
    "numbers": "_1",
    "copies": "-1(1)",
    "attempts": "_attempt_",
    "submissions": "-submissions",
    "dots": ".",
    "slugs": "softmax-",
}


@pytest.mark.parametrize("layout", ["", "canvas", "moodle", "blackboard", "github", "files"])
@pytest.mark.parametrize("part", NAMES.values(), ids=NAMES)
def test_long_file_names_are_assigned_in_bounded_time(
    part: str, layout: str, tmp_path: Path
) -> None:
    """Patterns may take quadratic time in a path, so a path has at most 1000 characters."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as out:
        for who in range(20):
            out.writestr(f"{who}{part * 65_000}"[:65_000] + ".py", "x = 1\n")
            out.writestr(f"{who}{part * 1000}"[:990] + ".py", "x = 1\n")
    wish = Wish(("softmax",), ("softmax",), layout=layout, skip_ambiguous=True)

    def use(path: Path) -> None:
        (tree,) = open_trees([path])
        with contextlib.suppress(UsageError):
            assign(tree.name, tree.entries, wish, {})

    assert seconds(use, tmp_path / "class.zip", 1) < LONGEST


def test_the_files_of_one_learner_are_assigned_in_linear_time() -> None:
    wish = Wish(("softmax",), ("softmax",), layout="folders")

    def use(entries: list[Entry]) -> None:
        assign("class", entries, wish, {})

    def make(size: int) -> list[Entry]:
        return [Entry("ada/softmax.py"), *(Entry(f"ada/f{n}.py") for n in range(size))]

    check(use, make, 50_000)


def test_the_helpers_of_one_learner_are_collected_in_linear_time(tmp_path: Path) -> None:
    def make(count: int) -> tuple[run.Reader, Assigned]:
        names = [f"a{n}" for n in range(count)]
        path = tmp_path / f"{count}.zip"
        with zipfile.ZipFile(path, "w") as out:
            for name in ["softmax", *names]:
                out.writestr(f"ada/{name}.py", " ".join(names))
        siblings = tuple((f"{name}.py", f"ada/{name}.py") for name in names)
        reader = run.Reader(open_trees([path]), {"softmax": ""}, Reached("process", ()))
        return reader, Assigned(Learner("ada"), "softmax", "ada/softmax.py", siblings=siblings)

    check(lambda made: made[0].task(made[1]), make, 2_000)


def test_the_list_of_a_learners_zip_is_read_in_bounded_time() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for number in range(40_000):
            out.writestr(f"{number:05}.py", b"")

    def use(data: bytes) -> None:
        with contextlib.suppress(DamagedError):
            Archive.of_bytes(data)

    assert seconds(use, buffer.getvalue(), 1) < LONGEST
    (empty,) = (b"PK\x01\x02" + bytes(42),)
    directory = empty * 600_000
    end = b"PK\x05\x06" + bytes(8) + len(directory).to_bytes(4, "little") + bytes(6)
    assert seconds(use, directory + end, 1) < LONGEST


@pytest.mark.parametrize("name", formats.FORMATS)
def test_reports_of_long_texts_are_rendered_quickly(name: str, small_course: Path) -> None:
    from grader.catalog import Course
    from grader.pipeline import ProblemGrader
    from grader.runners import choose

    path = small_course / "solutions/projection.py"
    path.write_text(
        "def project(X, W, bias=None):\n"
        "    print('`|<&\\x1b[0' * 20_000)\n"
        "    raise ValueError('`|<&~*_[]' * 20_000)\n"
    )
    course = Course(small_course)
    with choose("process")[0] as runner:
        report = ProblemGrader(course, "projection").grade(path, runner)
    assert seconds(lambda _: formats.render(name, [report] * 10), None, 1) < LONGEST
