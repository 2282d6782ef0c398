"""The files of a new exercise: a small, valid example to start from."""

from __future__ import annotations

import keyword
from pathlib import Path

from grader import files
from grader.catalog import Course
from grader.errors import UsageError

_FILES = {
    "problems/{slug}/problem.yaml": """\
title: {title}
entry_point: {slug}
parameters: [x]
returns:
  - {{name: doubled, axes: [position]}}
tolerance: {{rtol: 1.0e-9, atol: 1.0e-12}}
requirements:
  - {{id: returns, says: "Returns an array of the shape of x.", checks: structure}}
  - {{id: doubles, says: "Every element is doubled.", needs: [returns]}}
hints:
  - NumPy multiplies every element of an array at once.
""",
    "problems/{slug}/statement.md": """\
# {title}

Write `{slug}(x)`: given an array `x` of shape (n,), return an array of the same shape with
every element doubled.
""",
    "problems/{slug}/reference.py": """\
\"\"\"The reference implementation, which is trusted.\"\"\"

import numpy as np


def {slug}(x: np.ndarray) -> np.ndarray:
    \"\"\"Return `x`, shape (n,), with every element doubled.\"\"\"
    return 2 * x
""",
    "problems/{slug}/misconceptions.py": """\
\"\"\"Misconceptions, each with the requirement that it violates.\"\"\"

from grader.model import Misconception

MISCONCEPTIONS = [
    Misconception(
        "squared",
        violates="doubles",
        hint="You squared every element. Doubling adds an element to itself.",
        implementation=lambda x: x**2,
        exposed_by="an element other than 0 and 2",
    ),
]
""",
    "problems/{slug}/alternatives.py": """\
\"\"\"Alternative right implementations; all of them must pass.\"\"\"

from grader.model import Alternative

ALTERNATIVES = [
    Alternative("sum", lambda x: x + x),
    Alternative("list", lambda x: [2 * element for element in x]),
]
""",
    "cases/{slug}/returns.yaml": """\
requirement: returns
cases:
  - id: three-numbers
    why: The result has as many numbers as x, here three.
    arguments: {{x: [1.0, 2.0, 3.0]}}
  - id: one-number
    why: The result for one number is also an array.
    arguments: {{x: [5.0]}}
""",
    "cases/{slug}/doubles.yaml": """\
requirement: doubles
cases:
  - id: small-numbers
    why: Small numbers of both signs, and a fraction.
    arguments: {{x: [3.0, -1.0, 0.5]}}
  - id: drawn-numbers
    why: Random numbers, so that memorised answers fail.
    arguments: {{x: {{normal: {{shape: [6], seed: 1, decimals: 2}}}}}}
""",
    "solutions/{slug}.py": """\
import numpy as np


def {slug}(x: np.ndarray) -> np.ndarray:
    \"\"\"Return x, shape (n,), with every element doubled.\"\"\"
    raise NotImplementedError
""",
}


def write(course: Course, slug: str) -> list[Path]:
    """Write the files of a new exercise and return their paths.

    Raises UsageError when the slug is not a Python module name, or when a file exists.
    """
    if not (slug.isidentifier() and slug.isascii() and slug == slug.lower()):
        raise UsageError(
            f"{slug!r} cannot name an exercise: use lower-case letters, digits and underscores"
        )
    if keyword.iskeyword(slug):
        raise UsageError(f"{slug!r} cannot name an exercise: it is a Python keyword")
    title = slug.replace("_", " ").capitalize()
    texts = {course.root / p.format(slug=slug): t.format(slug=slug, title=title)
             for p, t in _FILES.items()}  # fmt: skip
    taken = [course.shown(path) for path in texts if path.exists()]
    if taken:
        raise UsageError(f"these files exist: {', '.join(taken)}")
    for path, text in texts.items():
        files.make_folder(path.parent)
        files.write(path, text)
    return list(texts)
