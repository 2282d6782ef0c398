"""Mistakes with what is returned: its structure and precision."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import variant

# --- example --------------------------------------------------------------------------------------

EXAMPLE = [
    Misconception(
        "returns-rounded-4",
        violates="example",
        hint="Your numbers are rounded to four decimals, and the example shows eight. Return the"
        " numbers as they are.",
        implementation=variant(
            answer=lambda output, weights, at: (np.round(output, 4), np.round(weights, 4))
        ),
        exposed_by="weights with more than four decimals, such as 1/3",
    ),
]

# --- returns --------------------------------------------------------------------------------------

RETURNS = [
    Misconception(
        "returns-mean-weights",
        violates="returns",
        hint="You returned the average of the heads' weights, of shape (n, n). Return one matrix"
        " for each head: (num_heads, n, n).",
        implementation=variant(answer=lambda output, weights, at: (output, weights.mean(axis=0))),
    ),
    Misconception(
        "returns-weights-heads-middle",
        violates="returns",
        hint="Your weights have the shape (n, num_heads, n). The head axis comes first:"
        " (num_heads, n, n).",
        implementation=variant(
            answer=lambda output, weights, at: (output, weights.transpose(1, 0, 2))
        ),
        exposed_by="n unlike num_heads",
    ),
    Misconception(
        "returns-weights-heads-last",
        violates="returns",
        hint="Your weights have the shape (n, n, num_heads). The head axis comes first:"
        " (num_heads, n, n).",
        implementation=variant(
            answer=lambda output, weights, at: (output, weights.transpose(1, 2, 0))
        ),
        exposed_by="n unlike num_heads",
    ),
    Misconception(
        "returns-last-head-weights",
        violates="returns",
        hint="You returned the weights of the last head only, of shape (n, n). Collect the"
        " matrices of all heads: (num_heads, n, n).",
        implementation=variant(answer=lambda output, weights, at: (output, weights[-1])),
    ),
    Misconception(
        "returns-only-output",
        violates="returns",
        hint="You returned the output alone. Return two values: return output, weights.",
        implementation=variant(answer=lambda output, weights, at: output),
    ),
]
