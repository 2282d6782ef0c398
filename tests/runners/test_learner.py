"""A learner's files are loaded from bytes, and their exceptions become plain data."""

from __future__ import annotations

import errno
import importlib.util
import inspect
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.child import protocol
from grader.child.learner import (
    Finder,
    LearnerFiles,
    Loader,
    defined,
    entry_point,
    failure,
    load,
    syntax_failure,
)

NAME = "class/solutions/some_task.py"


@pytest.fixture(autouse=True)
def _imports_kept() -> Iterator[None]:
    """Leave no module of a submission to the other tests."""
    modules, finders = dict(sys.modules), list(sys.meta_path)
    yield
    sys.meta_path[:] = finders
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


def files(source: str | bytes, name: str = NAME, **helpers: str | bytes) -> LearnerFiles:
    return LearnerFiles(name, as_bytes(source), {n: as_bytes(t) for n, t in helpers.items()})


def as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def refusal(given: LearnerFiles, name: str = "f") -> dict[str, Any]:
    function, facts = entry_point(given, name)
    assert function is None
    return facts


def error_of(given: LearnerFiles) -> BaseException:
    """Return the exception of loading a submission."""
    try:
        load(given)
    except BaseException as error:
        return error
    raise AssertionError("it was loaded")


# Files


@pytest.mark.parametrize(("name", "folder"), [(NAME, "class/solutions/"), ("it.py", "")])
def test_files_are_numbered_with_the_submission_first(name: str, folder: str) -> None:
    given = files("x", name, one="y", two="z")
    assert given.name == name
    assert given.numbers == {name: 0, f"{folder}one.py": 1, f"{folder}two.py": 2}
    assert given.sources == {name: b"x", f"{folder}one.py": b"y", f"{folder}two.py": b"z"}
    assert given.helpers == {"one": f"{folder}one.py", "two": f"{folder}two.py"}


def test_a_submission_is_a_module_with_name_file_and_text() -> None:
    module = load(files("# coding: latin-1\ndef f():\n    return 'ü'\n".encode("latin-1")))
    assert sys.modules["some_task"] is module
    assert module.__name__ == "some_task"
    assert module.__file__ == str(Path.cwd() / "some_task.py")
    assert module.__spec__ is not None
    assert module.__spec__.origin == NAME
    assert module.f() == "ü"
    assert module.f.__code__.co_filename == NAME
    loader = module.__spec__.loader
    assert isinstance(loader, Loader)
    assert loader.get_source("") == "# coding: latin-1\ndef f():\n    return 'ü'\n"
    assert inspect.getsource(module.f) == "def f():\n    return 'ü'\n"


def test_the_imports_of_this_module_do_not_change_how_a_file_is_compiled() -> None:
    """`from __future__ import annotations` is in force here and in the loader's own module."""
    assert load(files("def f(x: int): ...\n")).f.__annotations__ == {"x": int}


@pytest.mark.parametrize(
    "name", ["solutions/json.py", "solutions/antigravity.py", "a-b.py", "solutions/helper.py"]
)
def test_a_file_whose_name_is_taken_or_none_is_the_module_submission(name: str) -> None:
    module = load(files("", name, helper="x = 1"))
    assert module.__name__ == "submission"
    assert sys.modules["submission"] is module


def test_a_file_does_not_take_the_name_of_a_loaded_module() -> None:
    sys.modules["some_task"] = taken = types.ModuleType("some_task")
    assert load(files("")).__name__ == "submission"
    assert sys.modules["some_task"] is taken


def test_a_helper_is_imported_but_hides_no_other_module() -> None:
    given = files("import one, json\n", one="x = 1\n", json="x = 2\n")
    module = load(given)
    assert module.one.x == 1
    assert module.one.__spec__.origin == "class/solutions/one.py"
    assert module.one.__file__ == str(Path.cwd() / "one.py")
    assert inspect.getsource(module.one) == "x = 1\n"
    assert not hasattr(module.json, "x")
    assert importlib.util.find_spec("nothing_like_it") is None
    spec = Finder(given).find_spec("one", None)
    assert spec is not None
    assert (spec.name, spec.origin) == ("one", "class/solutions/one.py")


# The entry point


def test_the_entry_point_is_the_function_of_that_name() -> None:
    function, facts = entry_point(files("def g(): return 1\ndef f(): return 2\n"), "f")
    assert function is not None
    assert (function(), facts) == (2, {})


def test_a_file_without_the_entry_point_tells_its_own_callables() -> None:
    source = (
        "from json import loads\nimport os\ndef g(): ...\nclass H: ...\n_i = lambda: 0\nx = 1\n"
    )
    assert refusal(files(source)) == {"kind": "missing", "defined": ["g", "H"], "found": ""}


def test_a_callable_without_a_module_is_not_the_files_own() -> None:
    source = """
class H:
    __module__ = property(lambda self: self.nothing)
    __call__ = id
g = H()
"""
    assert refusal(files(source)) == {"kind": "missing", "defined": [], "found": ""}


def test_an_entry_point_that_cannot_be_called_has_its_type() -> None:
    assert refusal(files("f = [1]\n"))["found"] == "list"
    assert refusal(files("f = None\n"))["found"] == "NoneType"


def test_the_names_of_a_file_are_limited() -> None:
    module = types.ModuleType("made")
    count = protocol.DEFINED_LIMIT + 1
    code = "".join(f"def {'n' * protocol.NAME_LIMIT}{i}(): ...\n" for i in range(count))
    exec(code, module.__dict__)
    assert defined(module) == ["n" * protocol.NAME_LIMIT] * protocol.DEFINED_LIMIT


def test_a_syntax_error_has_file_line_and_column() -> None:
    assert refusal(files("x = 1\nif x\n    pass\n")) == {
        "kind": "syntax",
        "type": "SyntaxError",
        "message": "expected ':'",
        "frames": [],
        "errno": 0,
        "memory": False,
        "missing": "",
        "file": 0,
        "line": 2,
        "column": 5,
    }


def test_a_syntax_error_of_a_helper_is_a_failed_import() -> None:
    facts = refusal(files("x = 1\nimport one\n", one="\n\nif\n"))
    assert (facts["kind"], facts["file"], facts["line"]) == ("import", 1, 3)
    assert facts["frames"] == [[0, 2, "<module>"]]


def test_a_syntax_error_of_another_file_is_a_failed_import() -> None:
    facts = refusal(files("exec(compile('if', 'elsewhere.py', 'exec'))\n"))
    assert (facts["kind"], facts["file"], facts["line"]) == ("import", None, 1)


@pytest.mark.parametrize("source", [b"# coding: nonsense\n", b"x = 1\0\n", b"x = '\xff'\n"])
def test_a_file_that_cannot_be_decoded_has_a_syntax_error(source: bytes) -> None:
    facts = refusal(files(source))
    assert (facts["kind"], facts["file"]) == ("syntax", 0)


@pytest.mark.parametrize(
    "raised", ["ValueError('no')", "SystemExit('no')", "KeyboardInterrupt('no')"]
)
def test_any_exception_while_loading_is_a_refusal(raised: str) -> None:
    facts = refusal(files(f"\nraise {raised}\n"))
    assert (facts["kind"], facts["message"]) == ("import", "no")
    assert facts["type"] == raised.partition("(")[0]
    assert facts["frames"] == [[0, 2, "<module>"]]


# Exceptions as data


def facts_of(error: BaseException) -> dict[str, Any]:
    return failure(error, files(""))


def test_an_exception_becomes_facts_of_limited_length() -> None:
    name = "E" * (protocol.NAME_LIMIT + 1)
    error: Exception = type(name, (ValueError,), {})("m" * (protocol.MESSAGE_LIMIT + 1))
    assert facts_of(error) == {
        "type": name[:-1],
        "message": "m" * protocol.MESSAGE_LIMIT,
        "frames": [],
        "errno": 0,
        "memory": False,
        "missing": "",
    }


def test_a_lack_of_memory_is_told() -> None:
    assert facts_of(MemoryError())["memory"] is True


def test_the_name_of_a_missing_module_is_told() -> None:
    name = "m" * (protocol.NAME_LIMIT + 1)
    assert facts_of(ImportError("no", name=name))["missing"] == name[:-1]
    assert facts_of(ImportError("no"))["missing"] == ""
    assert facts_of(NameError("no", name="x"))["missing"] == ""


def test_an_exception_whose_text_fails_says_so() -> None:
    class WorseError(Exception):
        def __str__(self) -> str:
            raise SystemExit

    assert facts_of(WorseError())["message"] == "(its text could not be made: SystemExit)"


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.EROFS, errno.ENETUNREACH])
def test_the_error_number_of_a_refused_call_is_found_in_a_chain(number: int) -> None:
    refused, context, cause = OSError(number, "no"), ValueError(), ValueError()
    context.__context__, cause.__cause__ = refused, refused
    cause.__context__ = OSError(errno.ENOENT, "unrelated")
    assert [facts_of(error)["errno"] for error in (refused, context, cause)] == [number] * 3


def test_other_error_numbers_are_not_told() -> None:
    for error in (OSError(errno.ENOENT, "no"), OSError("no"), ValueError()):
        assert facts_of(error)["errno"] == 0
    other = ValueError()
    other.errno = errno.EPERM  # type: ignore[attr-defined]
    assert facts_of(other)["errno"] == 0


@pytest.mark.parametrize(("links", "found"), [(9, errno.EPERM), (10, 0)])
def test_ten_links_of_a_chain_are_followed(links: int, found: int) -> None:
    error: BaseException = OSError(errno.EPERM, "no")
    for _ in range(links):
        outer = ValueError()
        outer.__cause__ = error
        error = outer
    assert facts_of(error)["errno"] == found


def test_frames_are_the_learners_own_with_their_functions() -> None:
    given = files(
        "import one, functools\ndef f():\n    functools.reduce(one.g, [1, 2])\nf()\n",
        one="\ndef g(a, b):\n    json_like = [].pop()\n",
    )
    facts = failure(error_of(given), given)
    assert facts["frames"] == [[0, 4, "<module>"], [0, 3, "f"], [1, 3, "g"]]


def test_the_name_of_a_function_is_cut() -> None:
    name = "n" * (protocol.NAME_LIMIT + 1)
    given = files(f"def {name}():\n    [].pop()\n{name}()\n")
    assert failure(error_of(given), given)["frames"][1] == [0, 2, name[:-1]]


@pytest.mark.parametrize("depth", [14, 15, 31, 32, 200])
def test_the_outermost_and_innermost_frames_are_kept(depth: int) -> None:
    """Each level of the recursion has a line of its own."""
    lines = [f"def f{i}(): f{i + 1}()\n" for i in range(depth)]
    given = files("".join(lines) + f"def f{depth}(): [].pop()\nf0()\n")
    error = error_of(given)
    every = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == NAME]
    half = protocol.FRAMES_LIMIT // 2
    kept = every if len(every) <= 2 * half else every[:half] + every[-half:]
    assert [line for _, line, _ in failure(error, given)["frames"]] == kept


def syntax_error(*place: Any) -> dict[str, Any]:
    """Return the facts of a syntax error at a file, line and column."""
    name, line, column = place
    return syntax_failure(SyntaxError("m", (name, line, column, "text")), files("", one=""))


@pytest.mark.parametrize(
    ("name", "number"),
    [(NAME, 0), (None, 0), ("class/solutions/one.py", 1), ("elsewhere.py", None)],
)
def test_a_syntax_error_has_the_number_of_its_file(name: str | None, number: int | None) -> None:
    assert syntax_error(name, 1, 1)["file"] == number


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (1, 1),
        (0, None),
        (-1, None),
        (None, None),
        ("1", None),
        (protocol.AXIS_LIMIT - 1, protocol.AXIS_LIMIT - 1),
        (protocol.AXIS_LIMIT, None),
    ],
)
def test_a_place_is_from_1(given: Any, told: int | None) -> None:
    facts = syntax_error(NAME, given, 7)
    assert (facts["line"], facts["column"]) == (told, 7)
    facts = syntax_error(NAME, 7, given)
    assert (facts["line"], facts["column"]) == (7, told)


def test_the_message_of_a_syntax_error_is_cut() -> None:
    error = SyntaxError("m" * (protocol.MESSAGE_LIMIT + 1), (NAME, 1, 1, "text"))
    assert syntax_failure(error, files(""))["message"] == "m" * protocol.MESSAGE_LIMIT
