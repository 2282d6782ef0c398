"""Honest, broken and hostile files of learners under every runner."""

from __future__ import annotations

import sys
import sysconfig
from typing import Any

import numpy as np
import pytest

from grader import exception_hints, explain
from grader.child import protocol
from grader.model import Call, Job, Limits, Outcome, Remark, Run, Warned
from grader.runners import RUNNERS, Runner

from .conftest import HONEST, ONE, PATIENT, TWO, UNTRUSTED, RunSource, calls, submission


def outcomes(run: Run) -> list[str]:
    assert run.refusal is None, run.refusal
    return [execution.outcome.value for execution in run.executions.values()]


def arrays(run: Run) -> list[Any]:
    return [e.answer.values[0].array for e in run.executions.values() if e.answer]


# --- honest files that must return their arrays -----------------------------------------------

HONEST_FILES = {
    "plain": HONEST,
    "prints everywhere": "print('at import')\ndef f(X):\n    print('in f', X)\n    return X * 2\n",
    "raw bytes on stdout": """
        import os, sys
        sys.stdout.buffer.write(b'\\xff\\xfe no line end')
        def f(X):
            os.write(1, b'\\x80\\x00raw')
            return X * 2
        """,
    "a main block": HONEST + "if __name__ == '__main__':\n    raise SystemExit\n",
    "self tests at import": HONEST + "assert f(1) == 2\n",
    "seeds at import": "import numpy as np\nnp.random.seed(1)\n" + HONEST,
    "slow import": "import time\ntime.sleep(0.5)\n" + HONEST,
    "warnings": """
        import warnings
        import numpy as np
        def f(X):
            warnings.warn('careful')
            np.log(np.zeros(2)) / 0
            return X * 2
        """,
    "in place": "def f(X):\n    X *= 2\n    return X\n",
    "a list": "def f(X):\n    return (X * 2).tolist()\n",
    "a view": "def f(X):\n    return (X.T * 2).T\n",
    "negative strides": "def f(X):\n    return (X * 2)[::-1][::-1]\n",
    "Fortran order": "import numpy as np\ndef f(X):\n    return np.asfortranarray(X * 2)\n",
    "a masked array": "import numpy as np\ndef f(X):\n    return np.ma.array(X * 2)\n",
    "a matrix": "import numpy as np\ndef f(X):\n    return np.asmatrix(X * 2)\n",
    "longdouble": "def f(X):\n    return X.astype('longdouble') * 2\n",
    "big-endian": "def f(X):\n    return (X * 2).astype('>f8')\n",
    "Windows line ends": HONEST.replace("\n", "\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + HONEST.encode(),
    "Latin-1": b"# -*- coding: latin-1 -*-\nS = '\xe9'\nassert len(S) == 1\n" + HONEST.encode(),
    "dataclass with postponed annotations": """
        from __future__ import annotations
        from dataclasses import dataclass
        @dataclass
        class Scale:
            by: float = 2.0
        def f(X):
            return X * Scale().by
        """,
    "a callable object": """
        class Doubles:
            def __call__(self, X):
                return X * 2
        f = Doubles()
        """,
    "a partial": "import functools, operator\nf = functools.partial(operator.mul, 2)\n",
    "renamed parameters": "def f(matrix, /):\n    return matrix * 2\n",
    "a thread that never ends": """
        import threading, time
        threading.Thread(target=time.sleep, args=(1000,)).start()
        def f(X):
            return X * 2
        """,
    "an exit handler that never ends": """
        import atexit, time
        atexit.register(time.sleep, 1000)
        def f(X):
            return X * 2
        """,
    "closes its output": "import sys\nsys.stdout.close()\nsys.stderr.close()\n" + HONEST,
    "closes the descriptors": "import os\nos.close(1)\nos.close(2)\n" + HONEST,
    "shadows builtins": "from numpy import *\n" + HONEST,
    "replaces builtins": """
        import builtins
        def f(X):
            builtins.len = builtins.isinstance = builtins.str = lambda *a: True
            return X * 2
        """,
    "recursion": """
        import sys
        sys.setrecursionlimit(20000)
        def depth(n):
            return 0 if n == 0 else 1 + depth(n - 1)
        def f(X):
            return X * (depth(5000) - 4998)
        """,
    "emoji": "def f(X):\n    print('\\N{SNAKE}')\n    return X * 2\n",
    "uses __file__": """
        import os
        HERE = os.path.dirname(os.path.abspath(__file__))
        assert os.path.basename(__file__) == 'it.py'
        def f(X):
            return X * 2
        """,
    "interpreter knobs": """
        import gc, sys
        gc.disable()
        sys.setswitchinterval(10)
        def f(X):
            return X * 2
        """,
    "lazy imports": """
        def f(X):
            import numpy.fft, numpy.linalg, numpy.random, decimal, collections, fractions, csv
            return numpy.linalg.inv(numpy.eye(3) / 2) @ X
        """,
    "a few threads": """
        from concurrent.futures import ThreadPoolExecutor
        import numpy as np
        def f(X):
            with ThreadPoolExecutor(3) as pool:
                return np.stack(list(pool.map(lambda row: row * 2, X)))
        """,
    "raises numpy's errors": "import numpy as np\nnp.seterr(all='raise')\n" + HONEST,
    "inspects itself": """
        import inspect
        def f(X):
            assert inspect.getsource(f).startswith('def f')
            return X * 2
        """,
    "asks for its arguments": "import sys\nassert len(sys.argv) == 1\n" + HONEST,
}


@pytest.mark.parametrize("source", HONEST_FILES.values(), ids=HONEST_FILES)
def test_an_honest_file_returns_its_arrays(run: RunSource, source: str | bytes) -> None:
    result = run(source)
    assert outcomes(result) == ["returned"] * 3
    for array, call in zip(arrays(result), calls(), strict=True):
        assert type(array) is np.ndarray
        np.testing.assert_array_equal(array, call.arguments[0] * 2)


def test_a_helper_module_is_found_and_its_frames_are_shown(run: RunSource) -> None:
    source = "from helping import scale\ndef f(X):\n    return scale(X)\n"
    good = run(source, helping="def scale(X):\n    return X * 2\n")
    assert outcomes(good) == ["returned"] * 3
    bad = run(source, count=1, helping="def scale(X):\n    return X / nothing\n")
    failure = bad.executions["case-0"].failure
    assert failure is not None
    assert [(f.path, f.line, f.text) for f in failure.frames] == [
        ("solutions/it.py", 3, "return scale(X)"),
        ("solutions/helping.py", 2, "return X / nothing"),
    ]


def test_helpers_do_not_shadow_installed_modules(run: RunSource) -> None:
    wrong = "raise RuntimeError('shadowed')\n"
    source = "import numpy, random, json\nimport numpy.random\n" + HONEST
    assert outcomes(run(source, numpy=wrong, random=wrong, json=wrong)) == ["returned"] * 3


@pytest.mark.parametrize("name", ["my solution-2.py", "numpy.py", "random.py", "ünï.py", "a.b.py"])
def test_a_submission_may_have_any_file_name(run: RunSource, name: str) -> None:
    source = "import random, numpy\nnumpy.ones(1); random.random()\n" + HONEST
    assert outcomes(run(source, name=f"solutions/{name}")) == ["returned"] * 3


def test_arguments_keep_object_identity(runner: Runner) -> None:
    array = np.ones(2)
    source = submission("def f(a, b, c):\n    return float((a is b) + 2 * (a is c))\n")
    call = Call("c", "r", (array, array, array.copy()))
    (value,) = arrays(runner.run(Job(source, "f", ONE, [call], PATIENT)))
    assert value == 1.0


def test_a_job_without_calls_has_no_executions(runner: Runner) -> None:
    run = runner.run(Job(submission(HONEST), "f", ONE, [], PATIENT))
    assert (dict(run.executions), run.refusal) == ({}, None)


def test_an_array_of_8_mib_is_returned(runner: Runner) -> None:
    big = np.arange(2.0**20).reshape(1024, 1024)
    run = runner.run(Job(submission(HONEST), "f", ONE, [Call("c", "r", (big,))] * 1, Limits()))
    np.testing.assert_array_equal(arrays(run)[0], big * 2)


def test_an_array_over_the_budget_is_not_array_like_with_a_reason(run: RunSource) -> None:
    source = "import numpy as np\ndef f(X):\n    return np.zeros(2**23 + 1)\n"
    (execution,) = run(source, count=1).executions.values()
    assert execution.answer is not None
    assert execution.answer.values[0].why_not == Remark("too_large", 64)


# --- output, warnings and exceptions -------------------------------------------------------------


def test_output_belongs_to_the_call_that_printed_it(run: RunSource) -> None:
    source = """
        import os, sys
        print('import')
        count = 0
        def f(X):
            global count
            count += 1
            print('call', count)
            os.write(2, b'raw\\n')
            return X
        """
    result = run(source)
    assert [e.output for e in result.executions.values()] == [f"call {i}\nraw\n" for i in (1, 2, 3)]


def test_long_output_is_cut_and_counted(run: RunSource) -> None:
    (execution,) = run(
        "def f(X):\n    print('x' * 10000)\n    return X\n", count=1
    ).executions.values()
    assert execution.output == "x" * 4096 + "\n... 5905 more bytes"


def test_output_has_no_control_characters(run: RunSource) -> None:
    source = "def f(X):\n    print('a\\x1b[31mb\\x00c\\rd\\u202e')\n    return X\n"
    (execution,) = run(source, count=1).executions.values()
    assert execution.output == "abcd\n"


def test_warnings_and_changed_arguments_are_recorded(run: RunSource) -> None:
    source = """
        import numpy as np
        def f(X):
            X += 1
            np.sqrt(np.array([-1.0]))
            return X
        """
    first = run(source).executions["case-0"]
    assert first.warnings == (
        Warned("RuntimeWarning", "invalid value encountered in sqrt", line=5),
    )
    assert first.changed == (0,)


def test_an_exception_shows_only_the_learners_frames(run: RunSource) -> None:
    source = "import numpy as np\ndef f(X):\n    return np.linalg.inv(X)\n"
    execution = run(source, count=1).executions["case-0"]
    assert execution.outcome is Outcome.RAISED
    assert execution.failure is not None
    assert execution.failure.type_name == "LinAlgError"
    assert [(f.path, f.line, f.function, f.text) for f in execution.failure.frames] == [
        ("solutions/it.py", 3, "f", "return np.linalg.inv(X)")
    ]


WIDE = chr(0x20000)
"""a letter that takes twelve bytes in a frame"""


def test_an_exception_with_long_names_and_text_fits_its_frame(run: RunSource) -> None:
    name = WIDE * 80
    source = f"""
        def {name}(n):
            if n:
                {name}(n - 1)
            raise ValueError({WIDE!r} * 2000)
        def f(X):
            {name}(30)
        """
    execution = run(source, count=1).executions["case-0"]
    assert execution.outcome is Outcome.RAISED
    assert execution.failure is not None
    assert execution.failure.message == WIDE * protocol.MESSAGE_LIMIT
    assert len(execution.failure.frames) == protocol.FRAMES_LIMIT


RAISING = {
    "SystemExit": ("import sys\ndef f(X):\n    sys.exit(0)\n", "Return the answer instead."),
    "KeyboardInterrupt": ("def f(X):\n    raise KeyboardInterrupt\n", ""),
    "GeneratorExit": ("def f(X):\n    raise GeneratorExit\n", ""),
    "EOFError": ("def f(X):\n    input()\n", "keyboard"),
    "NotImplementedError": ("def f(X):\n    raise NotImplementedError\n", "not written yet"),
    "RecursionError": ("def f(X):\n    return f(X)\n", "calls itself"),
    "Unspeakable": (
        "class Unspeakable(Exception):\n    def __str__(self):\n        raise self\n"
        "def f(X):\n    raise Unspeakable\n",
        "",
    ),
    "TypeError": ("def f(X, Y):\n    return X\n", ""),
}


@pytest.mark.parametrize(("name", "case"), RAISING.items(), ids=RAISING)
def test_any_exception_is_recorded_and_the_other_calls_run(
    run: RunSource, name: str, case: tuple[str, str]
) -> None:
    source, hint = case
    result = run(source)
    assert outcomes(result) == ["raised"] * 3
    failure = result.executions["case-2"].failure
    assert failure is not None
    assert failure.type_name == name
    assert hint in exception_hints.hint(failure)


# --- files that cannot be called -----------------------------------------------------------------

REFUSED = {
    "a syntax error": ("def f(X)\n    return X\n", "syntax", 1, "expected ':'"),
    "mixed tabs and spaces": ("def f(X):\n\tif X:\n        return X\n", "syntax", 3, "TabError"),
    "exit at import": ("import sys\nsys.exit(main() if 0 else 0)\n", "import", 2, "SystemExit"),
    "quit at import": ("quit()\n", "import", 1, "SystemExit"),
    "input at import": ("n = input()\n", "import", 1, "EOFError"),
    "a missing module": ("x = 1\nimport pandas_of_mine\n", "import", 2, "pandas_of_mine"),
    "a removed numpy alias": ("import numpy as np\nnp.float(1)\n", "import", 2, "numpy"),
    "a failing assert": ("assert 1 == 2\n", "import", 1, "AssertionError"),
    "a syntax error in eval": ("eval('1 +')\n", "import", 1, "SyntaxError"),
    "another function": ("def g(X):\n    return X\n", "missing", None, "it defines g"),
    "nothing": ("# nothing yet\n", "missing", None, "does not define f"),
    "no function": ("f = [1]\n", "missing", None, "an object of type list"),
    "deep brackets": ("x = " + "[" * 5000, "syntax", 1, "nested"),
    "an early exit": ("import os\nos._exit(0)\n", "crash", None, "exit status 0"),
    "a module that has every attribute": (
        "def __getattr__(name):\n    return abs\n",
        "missing",
        None,
        "does not define f",
    ),
    "a flood at import": ("while True:\n    print('x' * 99)\n", "output", None, "1 MiB"),
    "a crash at import": ("import ctypes\nctypes.string_at(0)\n", "crash", 2, "SIGSEGV"),
    "no memory at import": ("x = [0] * 10**9\n", "memory", 1, "MemoryError"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_called_is_refused_with_kind_and_line(
    run: RunSource, case: tuple[str, str, int | None, str]
) -> None:
    source, kind, line, words = case
    result = run(source)
    assert result.refusal is not None
    assert not result.executions
    assert (result.refusal.kind, result.refusal.line) == (kind, line)
    assert words in explain.refusal_message(result.refusal)


def test_a_file_that_never_finishes_loading_is_refused_with_its_line(run: RunSource) -> None:
    refusal = run("while True: pass\n", limits=Limits(import_seconds=1.0)).refusal
    assert refusal is not None
    assert (refusal.kind, refusal.line) == ("timeout", 1)
    assert "did not finish within 1 s" in explain.refusal_message(refusal)


def test_a_syntax_error_has_column_and_source_line(run: RunSource) -> None:
    refusal = run("def f(X)\n    return X\n").refusal
    assert refusal is not None
    assert (refusal.column, refusal.text) == (9, "def f(X)")


def test_output_before_a_refusal_is_kept(run: RunSource) -> None:
    refusal = run("print('so far')\nraise ValueError('no')\n").refusal
    assert refusal is not None
    assert refusal.output == "so far\n"


# --- limits and separation -----------------------------------------------------------------------


def test_a_submission_has_a_total_time_limit(runner: Runner) -> None:
    limits = Limits(seconds=0.5, import_seconds=30.0, total_seconds=1.2, memory_mb=300)
    source = submission("while_ = True\ndef f(X):\n    while while_: pass\n")
    run = runner.run(Job(source, "f", ONE, calls(10), limits))
    assert outcomes(run)[0] == "timed_out"
    assert set(outcomes(run)[3:]) == {"not_run"}
    failure = run.executions["case-9"].failure
    assert failure is not None
    assert (failure.kind, failure.facts) == ("used_up", {"seconds": 1.2})


@pytest.mark.parametrize("name", UNTRUSTED)
def test_a_child_sees_no_trace_of_the_grader_or_the_users_environment(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The virtual environment may be in a folder of any name.
    source = f"""
        import os, sys
        HOMES = {(sysconfig.get_path("purelib"), sys.prefix)!r}
        def f(X):
            words = [*os.environ, *os.environ.values(), *sys.argv, *sys.orig_argv, *sys.path]
            words += [name for name in sys.modules if 'grader' in name or '_learner' in name]
            words += [getattr(m, '__file__', '') or '' for m in list(sys.modules.values())]
            words += sys.path_importer_cache
            # The process runner's temporary folder and variable have these names.
            here = os.getcwd()
            for known in (*HOMES, here, os.path.basename(here), 'GRADER_CHILD'):
                words = [w.replace(known, "") for w in words]
            told = [w for w in words if 'SECRET' in w or 'runners' in w or 'grader' in w]
            assert not told, told
            return X
        """
    monkeypatch.setenv("SECRET_OF_MINE", "SECRET")
    with RUNNERS[name]()() as fresh:
        run = fresh.run(Job(submission(source), "f", ONE, calls(1), Limits()))
    assert outcomes(run) == ["returned"], run.executions["case-0"].failure


def test_two_submissions_draw_different_random_numbers(runner: Runner) -> None:
    """`random` and NumPy's global generator do not inherit the seed of the forking process."""
    source = submission("""
        import random
        import numpy as np
        def f(X):
            return [random.random(), np.random.random(), float(np.random.default_rng().random())]
        """)
    job = Job(source, "f", ONE, calls(1), Limits())
    drawn = [arrays(runner.run(job))[0] for _ in range(2)]
    assert (drawn[0] != drawn[1]).all()


def test_bytes_written_to_any_descriptor_do_not_forge_an_answer(run: RunSource) -> None:
    source = """
        import os
        def f(X):
            for descriptor in range(3, 64):
                try:
                    os.write(descriptor, b'garbage' * 10)
                except OSError:
                    pass
            return X
        """
    result = run(source, requirement="all")
    assert set(outcomes(result)) <= {"returned", "crashed", "not_run"}
    for array, call in zip(arrays(result), calls(), strict=False):
        np.testing.assert_array_equal(array, call.arguments[0])


def test_a_returned_pair_has_two_values(run: RunSource) -> None:
    source = "import numpy as np\ndef f(X):\n    return X, np.float32(1)\n"
    (execution,) = run(source, count=1, returns=TWO).executions.values()
    assert execution.answer is not None
    assert execution.answer.container == "tuple"
    assert [v.dtype for v in execution.answer.values] == ["float64", "float32"]


def test_an_answer_with_the_most_allowed_values_is_read(run: RunSource) -> None:
    """The limits agree: the longest answer with the longest names is read."""
    source = f"""
        def f(X):
            names = [f"{{n:0{protocol.NAME_LIMIT}}}" for n in range({protocol.VALUES_LIMIT})]
            return {{name: X for name in names}}
        """
    (execution,) = run(source, count=1, returns=TWO).executions.values()
    assert execution.answer is not None
    assert len(execution.answer.values) == protocol.VALUES_LIMIT
    assert all(value.array is not None for value in execution.answer.values)


def test_long_warnings_fit_beside_a_long_answer(run: RunSource) -> None:
    source = f"""
        import warnings
        def f(X):
            for number in range({protocol.WARNINGS_LIMIT}):
                warnings.warn(f"{{number}} {WIDE * protocol.WARNING_LIMIT}")
            names = [f"{{n:0{protocol.NAME_LIMIT}}}" for n in range({protocol.VALUES_LIMIT})]
            return {{name: X for name in names}}
        """
    execution = run(source, count=1, returns=TWO).executions["case-0"]
    assert execution.answer is not None
    assert len(execution.answer.values) == protocol.VALUES_LIMIT
    assert len(execution.warnings) == protocol.WARNINGS_LIMIT


def test_a_syntax_error_in_a_file_with_a_long_path_has_its_line(run: RunSource) -> None:
    name = f"{'a-long-folder/' * 30}it.py"
    refusal = run("def f(X):\n    return X +\n", name=name).refusal
    assert refusal is not None
    assert (refusal.kind, refusal.line, refusal.text) == ("syntax", 2, "    return X +")


def test_an_exception_in_a_file_with_a_long_path_has_its_frames(run: RunSource) -> None:
    name = f"{'a-long-folder/' * 30}it.py"
    (execution,) = run("def f(X):\n    return X / none\n", 1, name=name).executions.values()
    assert execution.failure is not None
    assert [(f.path, f.line) for f in execution.failure.frames] == [(name, 2)]


def test_the_longest_names_of_the_most_values_fit_a_frame(run: RunSource) -> None:
    """JSON writes a character outside the basic plane as twelve bytes."""
    source = f"""
        def f(X):
            Odd = type("\\U0001d4d0" * {protocol.NAME_LIMIT}, (), {{}})
            stem = "\\U0001d4d0" * {protocol.NAME_LIMIT - 2}
            return {{f"{{stem}}{{n:02}}": Odd() for n in range({protocol.VALUES_LIMIT})}}
        """
    (execution,) = run(source, count=1, returns=TWO).executions.values()
    assert execution.answer is not None, execution.failure
    assert len(execution.answer.values) == protocol.VALUES_LIMIT


@pytest.mark.parametrize("line", ["-1", "2**31 - 1", "True"])
def test_a_warning_with_an_impossible_line_does_not_end_the_submission(
    run: RunSource, line: str
) -> None:
    source = f"""
        import warnings
        def f(X):
            warnings.warn_explicit("odd", UserWarning, __name__ and "solutions/it.py", {line})
            return X
        """
    (execution,) = run(source, count=1).executions.values()
    assert execution.answer is not None, execution.failure


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_flood_is_a_flood_when_a_descendant_keeps_the_pipes_open(run: RunSource) -> None:
    source = """
        import os, time
        def f(X):
            try:
                escapes = os.fork() == 0
            except OSError:  # confined
                escapes = False
            if escapes:
                os.setsid()
                time.sleep(30)
                os._exit(0)
            while True:
                print("x" * 10_000)
        """
    (execution,) = run(source, count=1, limits=PATIENT).executions.values()
    assert execution.outcome is Outcome.OUTPUT_LIMIT


@pytest.mark.parametrize("coding", ["idna", "punycode", "undefined", "utf9"])
def test_a_helper_in_an_odd_encoding_is_run_or_fails_and_never_a_protocol_error(
    run: RunSource, coding: str
) -> None:
    helper = f"# coding: {coding}\ndef g(X):\n    raise ValueError(X)\n"
    result = run("from odd import g as f\n", count=1, odd=helper)
    if result.refusal is None:
        assert result.executions["case-0"].outcome is Outcome.RAISED
    else:
        assert result.refusal.kind in ("syntax", "import")


def test_a_column_beyond_the_line_draws_no_caret(run: RunSource) -> None:
    source = """
        class Error(SyntaxError):
            __traceback__ = None
        error = Error("oops")
        error.filename, error.lineno, error.offset = None, 1, 300_000_000
        raise error
        """
    refusal = run(source).refusal
    assert refusal is not None
    assert sum(map(len, explain.refusal_lines(refusal))) < 1000


def test_a_name_with_line_feeds_is_one_line(run: RunSource) -> None:
    source = """
        import warnings
        Forged = type("x\\n\\n::error::10 of 10 points", (UserWarning,), {})
        def f(X):
            warnings.warn("", Forged)
            return X
        """
    (execution,) = run(source, count=1).executions.values()
    assert [w.category for w in execution.warnings] == ["x ::error::10 of 10 points"]
