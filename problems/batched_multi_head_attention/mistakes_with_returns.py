"""Mistakes with what is returned: its structure, element type and precision."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import variant

# --- returns --------------------------------------------------------------------------------------


def split_by_true_division(A, at):
    batch, length, _ = A.shape
    return A.reshape(batch, length, at.num_heads, at.d_model / at.num_heads)


RETURNS = [
    Misconception(
        "returns-output-and-weights",
        violates="returns",
        hint="You returned the attention weights as well. This exercise asks for the output alone:"
        " one array, not a tuple.",
        implementation=variant(answer=lambda output, weights, at: (output, weights)),
        exposed_by="any input",
    ),
    Misconception(
        "batch-axis-dropped",
        violates="returns",
        hint="You returned one item without the batch axis. The answer keeps the batch axis even"
        " when there is a single item.",
        implementation=variant(answer=lambda output, weights, at: output[0]),
        exposed_by="any input",
    ),
    Misconception(
        "head-dim-true-division",
        violates="returns",
        hint="The single slash gives a float, and a shape must be made of integers, so nothing is"
        " ever returned. Use integer division for the width of a head.",
        implementation=variant(split=split_by_true_division),
        exposed_by="any input",
    ),
]

# --- float64 --------------------------------------------------------------------------------------


def in_float32(*arguments):
    *arrays, num_heads = arguments
    output = variant()(*(A.astype(np.float32) for A in arrays), num_heads)
    return output.astype(np.float64)


def output_through_array_like_q(concat, at):
    buffer = np.zeros_like(at.Q)
    buffer[...] = concat
    return buffer @ at.W_o


FLOAT64 = [
    Misconception(
        "returns-list",
        violates="float64",
        hint="You returned nested lists. Return the NumPy array itself, without tolist().",
        implementation=variant(answer=lambda output, weights, at: output.tolist()),
        exposed_by="a check of the returned type",
    ),
    Misconception(
        "returns-rounded-4",
        violates="float64",
        hint="You rounded the result, which throws away most of its digits. The printed examples"
        " are rounded for print only; return full precision.",
        implementation=variant(answer=lambda output, weights, at: output.round(4)),
        exposed_by="a tolerance below 5e-5",
    ),
    Misconception(
        "float32-internally",
        violates="float64",
        hint="You computed in float32, which keeps about 7 digits, and converting the result back"
        " does not restore the others. Keep float64 from the first step to the last.",
        implementation=in_float32,
        exposed_by="numbers that float32 cannot hold and a tolerance below 1e-8",
    ),
    Misconception(
        "float32-returned",
        violates="float64",
        hint="You returned float32. The answer is promised as float64, so leave out the"
        " conversion.",
        implementation=variant(answer=lambda output, weights, at: output.astype(np.float32)),
        exposed_by="a check of the element type",
    ),
    Misconception(
        "int-buffer-zeros_like",
        violates="float64",
        hint="zeros_like takes over the element type of its model, so with whole numbers as input"
        " your buffer holds integers and cuts off every fraction. Give the buffer a float type.",
        implementation=variant(output=output_through_array_like_q),
        exposed_by="an integer array as Q",
    ),
]
