"""Material for the bench: an exercise with any number of cases, right and hostile submissions.

The exercise is `multi_head_attention` with the shipped reference and cases of up to 16 tokens, 64
features and 8 heads, drawn from seeds, so that every peer builds the same inputs from the same
YAML.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"

_SIZES = [(3, 8, 2), (5, 12, 3), (8, 16, 4), (4, 24, 8), (16, 64, 8), (6, 6, 1)]

_PROBLEM = """\
title: Multi-head attention
entry_point: multi_head_attention
parameters: [X, W_q, W_k, W_v, W_o, num_heads, mask?]
returns:
  - {name: output, axes: [query, feature]}
  - {name: weights, axes: [head, query, key]}
tolerance: {rtol: 1e-9, atol: 1e-12}
limits: {seconds: 1, total_seconds: 10}
requirements:
  - {id: together, says: Everything together.}
hints: []
"""

RIGHT = """\
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = ((X @ W).reshape(n, num_heads, d_head).transpose(1, 0, 2) for W in (W_q, W_k, W_v))
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights
"""
HANGING = RIGHT.replace("    n, d_model = X.shape\n", "    while len(X) == 16:\n        pass\n    n, d_model = X.shape\n")  # fmt: skip # noqa: E501
CRASHING = RIGHT.replace("    n, d_model = X.shape\n", "    if len(X) == 16:\n        import os\n        os.abort()\n    n, d_model = X.shape\n")  # fmt: skip # noqa: E501


def write_course(root: Path, cases: int, *, small: bool = False, size: int = 0) -> Path:
    """Write a course with `cases` cases below `root` and return it.

    `small` makes every case tiny; `size` is the number of tokens of one large case instead.
    """
    problem = root / "problems" / SLUG
    problem.mkdir(parents=True)
    (problem / "problem.yaml").write_text(_PROBLEM)
    (problem / "statement.md").write_text("# Multi-head attention\n")
    shutil.copy(REPOSITORY / "problems" / SLUG / "reference.py", problem / "reference.py")
    (root / "cases" / SLUG).mkdir(parents=True)
    sizes = [(size, 64, 8)] if size else _SIZES
    entries = [
        _small_case(index) if small else _case(index, *sizes[index % len(sizes)])
        for index in range(cases)
    ]
    text = "requirement: together\ncases:\n" + "".join(entries)
    (root / "cases" / SLUG / "together.yaml").write_text(text)
    (root / "solutions").mkdir()
    (root / "solutions" / f"{SLUG}.py").write_text(RIGHT)
    return root


def write_class(place: Path, sources: Sequence[str]) -> None:
    """Write each source as the submission of a learner; a comment makes each another one."""
    for index, source in enumerate(sources):
        folder = place / f"learner-{index:04}"
        folder.mkdir(parents=True)
        (folder / f"{SLUG}.py").write_text(f"{source}# {index}\n")


def batch_command(course: Path, place: Path) -> list[str]:
    """Return the command that grades a class with two jobs; the results stay beside it."""
    database = f"{place}.db"
    options = ["--root", str(course), "--jobs", "2", "--database", database]
    return [sys.executable, "-m", "grader", "batch", *options, str(place)]


def _small_case(index: int) -> str:
    return (
        f"  - id: case-{index}\n    why: A small input.\n    arguments:\n"
        f"      X: [[{index}.5, 1.0], [0.5, -1.0]]\n"
        "      W_q: {eye: 2}\n      W_k: {eye: 2}\n      W_v: {eye: 2}\n      W_o: {eye: 2}\n"
        "      num_heads: 2\n"
    )


def _case(index: int, n: int, d: int, heads: int) -> str:
    seed = 10 * index

    def normal(shape: str, offset: int) -> str:
        return f"{{normal: {{shape: {shape}, seed: {seed + offset}, scale: 0.5}}}}"

    square = f"[{d}, {d}]"
    weights = "".join(
        f"      {name}: {normal(square, offset)}\n"
        for offset, name in enumerate(("W_q", "W_k", "W_v", "W_o"), 1)
    )
    mask = f"      mask: {{tril: {n}}}\n" if index % 2 else ""
    return (
        f"  - id: case-{index}\n    why: A general input.\n    arguments:\n"
        f"      X: {normal(f'[{n}, {d}]', 0)}\n{weights}      num_heads: {heads}\n{mask}"
    )
