"""The same work done by other programs; `run` times them."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from material import SLUG

_SHARED = """\
import importlib.util
import pathlib
import sys

import numpy as np
import yaml

ROOT = pathlib.Path(__file__).parent


def load(path):
    spec = importlib.util.spec_from_file_location("loaded_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.multi_head_attention


def build(recipe):
    if not isinstance(recipe, dict):
        return recipe
    if "tril" in recipe:
        return np.tril(np.ones((recipe["tril"],) * 2, dtype=bool))
    draw = recipe["normal"]
    return np.random.RandomState(draw["seed"]).standard_normal(draw["shape"]) * draw["scale"]


text = (ROOT / "cases/{slug}/together.yaml").read_text()
cases = yaml.load(text, yaml.CSafeLoader)["cases"]
reference = load(ROOT / "problems/{slug}/reference.py")
submission = load(pathlib.Path({submission}))


def is_right(case):
    inputs = {{name: build(recipe) for name, recipe in case["arguments"].items()}}
    got = submission(**inputs)
    for actual, expected in zip(got, reference(**inputs), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)
"""

_PYTEST = """

import pytest


@pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])
def test_case(case):
    is_right(case)
"""

_XDIST = """

import pytest

FILES = sorted(pathlib.Path({folder!r}).glob("*.py"))
NAMES = {{path: load(path) for path in FILES}}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])
def test_case(path, case):
    global submission
    submission = NAMES[path]
    is_right(case)
"""

_NAIVE = """

wrong = 0
for case in cases:
    try:
        is_right(case)
    except Exception as error:
        wrong += 1
        print(case["id"], "wrong", error)
    else:
        print(case["id"], "ok")
sys.exit(bool(wrong))
"""


def write_scripts(course: Path) -> tuple[Path, Path]:
    """Write a pytest file and a naive script that grade `$SUBMISSION` in the course."""
    submission = f'__import__("os").environ.get("SUBMISSION", str(ROOT / "solutions/{SLUG}.py"))'
    shared = _SHARED.format(slug=SLUG, submission=submission)
    tests, naive = course / "test_submission.py", course / "naive.py"
    tests.write_text(shared + _PYTEST)
    naive.write_text(shared + _NAIVE)
    return tests, naive


def xdist(course: Path, folder: Path) -> float:
    """Run every file of a folder as tests of one pytest with two workers; return seconds."""
    tests = course / "test_many.py"
    shared = _SHARED.format(slug=SLUG, submission='ROOT / "solutions" / "' + SLUG + '.py"')
    tests.write_text(shared + _XDIST.format(folder=str(folder)))
    started = time.perf_counter()
    command = python("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", str(tests))
    subprocess.run(command, cwd=course, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def run_each(commands: Sequence[Sequence[str]], files: Sequence[Path], limit: float) -> float:
    """Run one process for each file, two at a time; return seconds."""
    started = time.perf_counter()
    waiting = list(files)
    running: list[tuple[subprocess.Popen[bytes], float]] = []
    while waiting or running:
        while waiting and len(running) < 2:
            environment = os.environ | {"SUBMISSION": str(waiting.pop())}
            process = subprocess.Popen(
                commands[0], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            running.append((process, time.perf_counter()))
        time.sleep(0.002)
        for process, since in list(running):
            if process.poll() is not None or time.perf_counter() - since > limit:
                process.kill()
                process.wait()
                running.remove((process, since))
    return time.perf_counter() - started


def evalplus() -> ModuleType | None:
    """Return EvalPlus' core where it is installed."""
    try:
        import evalplus.eval
    except ImportError:
        return None
    core: ModuleType = evalplus.eval
    return core


def evalplus_work(inputs: list[Any], expected: list[Any]) -> Callable[[str], str]:
    """Return a check of one source text. EvalPlus compares lists, so answers become lists."""
    core = evalplus()
    assert core
    tail = (
        "\n_inner = multi_head_attention\n"
        "def multi_head_attention(*a):\n"
        "    return tuple(v.tolist() for v in _inner(*a))\n"
    )

    def check(source: str) -> str:
        verdict, _ = core.untrusted_check(
            "own",
            source + tail,
            inputs,
            SLUG,
            expected,
            1e-9,
            [0.05] * len(inputs),
            min_time_limit=1.0,
        )
        return str(verdict)

    return check


def evalplus_batch(
    sources: Sequence[str], inputs: list[Any], expected: list[Any], workers: int = 2
) -> float:
    """Check all sources in `workers` threads, as EvalPlus' own evaluation does; return seconds."""
    from concurrent.futures import ThreadPoolExecutor

    multiprocessing.set_start_method("fork", force=True)
    check = evalplus_work(inputs, expected)
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(check, sources))
    return time.perf_counter() - started


def bare_forks(code: bytes, calls: Sequence[tuple[Any, ...]], repeat: int) -> float:
    """Return seconds for one fork of this process that compiles, makes the calls, and ends."""
    started = time.perf_counter()
    for _ in range(repeat):
        child = os.fork()
        if not child:
            try:
                scope: dict[str, Any] = {"__name__": "submission"}
                exec(compile(code, "submission.py", "exec"), scope)
                for arguments in calls:
                    scope[SLUG](*arguments)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    return (time.perf_counter() - started) / repeat


def python(*arguments: str) -> list[str]:
    """Return the command of this interpreter."""
    return [sys.executable, *arguments]
