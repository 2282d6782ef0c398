"""Shared by the tests of runners: calls, promised values, functions that run a source text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from grader.model import Call, Job, Limits, ReturnedValue, Returns, Run, Submission
from grader.runners import RUNNERS, Runner

ONE = Returns("single", (ReturnedValue("output", ("row", "column")),))
TWO = Returns("tuple", (*ONE.values, ReturnedValue("weights", ("row",))))
PATIENT = Limits(seconds=30.0, import_seconds=30.0, total_seconds=60.0, memory_mb=300)
"""for code that ends by itself, also on a busy machine"""
QUICK = Limits(seconds=0.5, import_seconds=30.0, total_seconds=60.0, memory_mb=300)
"""for a call that never ends, beside very short calls"""
HONEST = "def f(X, scale=2.0):\n    return X * scale\n"

UNTRUSTED = [name for name in RUNNERS if name != "inprocess"]
"""runners for learners' code"""

RunSource = Callable[..., Run]


def calls(count: int = 3, requirement: str = "") -> list[Call]:
    """Return `count` calls with a (3, 4) array each; every call its own requirement by default."""
    draw = np.random.RandomState(5)
    return [
        Call(f"case-{i}", requirement or f"requirement-{i}", (draw.normal(size=(3, 4)),))
        for i in range(count)
    ]


def submission(source: str | bytes, name: str = "solutions/it.py", **helpers: str) -> Submission:
    """Return a submission of a text, dedented; keyword arguments are helper modules."""
    data = source if isinstance(source, bytes) else textwrap.dedent(source).encode()
    texts = {helper: textwrap.dedent(text).encode() for helper, text in helpers.items()}
    return Submission(name, data, texts)


@pytest.fixture(scope="module", params=UNTRUSTED)
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """Every runner for learners' code that this machine has."""
    with RUNNERS[request.param]()() as made:
        yield made


@pytest.fixture
def run(runner: Runner) -> RunSource:
    """Run a source text: `run(source, count=3, returns=ONE, limits=PATIENT, **helpers)`."""

    def run_source(
        source: str | bytes,
        count: int = 3,
        returns: Returns = ONE,
        limits: Limits = PATIENT,
        requirement: str = "",
        name: str = "solutions/it.py",
        **helpers: str,
    ) -> Run:
        return runner.run(
            Job(
                submission(source, name, **helpers), "f", returns, calls(count, requirement), limits
            )
        )

    return run_source
