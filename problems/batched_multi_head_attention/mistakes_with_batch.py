"""Mistakes with the lengths of queries and keys and with the items of a batch."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import given, merge, variant

# --- lengths --------------------------------------------------------------------------------------


def split_with_query_length(A, at):
    batch, length, _ = at.Q.shape
    return A.reshape(batch, length, at.num_heads, at.d_head).swapaxes(1, 2)


def equal_shapes_only(Q, K, V):
    assert Q.shape == K.shape == V.shape
    return Q, K, V


def padded_to_query_length(Q, K, V):
    missing = max(0, Q.shape[1] - K.shape[1])
    return Q, *(np.pad(A, ((0, 0), (0, missing), (0, 0))) for A in (K, V))


def output_through_array_of_key_length(concat, at):
    buffer = np.zeros(at.K.shape)
    buffer[...] = concat @ at.W_o
    return buffer


LENGTHS = [
    Misconception(
        "kv-reshaped-with-query-length",
        violates="lengths",
        hint="K and V are reshaped with the length of Q, which fails as soon as there are more or"
        " fewer keys than queries. Take each array's length from that array.",
        implementation=variant(split=split_with_query_length),
        exposed_by="a query length other than the key length",
    ),
    Misconception(
        "asserts-equal-shapes",
        violates="lengths",
        hint="Your code insists that Q, K and V have the same shape. Only K and V have the same"
        " length; Q may have more or fewer rows.",
        implementation=given(equal_shapes_only),
        exposed_by="a query length other than the key length",
    ),
    Misconception(
        "output-reshaped-with-key-length",
        violates="lengths",
        hint="The result is reshaped with the number of keys. It has one row for each query.",
        implementation=variant(output=lambda concat, at: (concat @ at.W_o).reshape(at.K.shape)),
        exposed_by="a query length other than the key length",
    ),
    Misconception(
        "output-buffer-key-length",
        violates="lengths",
        hint="The array for the result was made with the number of keys. It has one row for each"
        " query.",
        implementation=variant(output=output_through_array_of_key_length),
        exposed_by="a query length other than the key length, 1 among them",
    ),
    Misconception(
        "truncates-kv-to-query-length",
        violates="lengths",
        hint="Keys and values beyond the number of queries were dropped. Every query sees all keys,"
        " however many there are.",
        implementation=given(lambda Q, K, V: (Q, K[:, : Q.shape[1]], V[:, : Q.shape[1]])),
        exposed_by="more keys than queries",
    ),
    Misconception(
        "zero-pads-kv-to-query-length",
        violates="lengths",
        hint="Rows of zeros were added to K and V to match Q; a zero score still gets weight. Use"
        " the keys as they are, fewer than the queries.",
        implementation=given(padded_to_query_length),
        exposed_by="fewer keys than queries",
    ),
]

# --- batch ----------------------------------------------------------------------------------------


def as_one_long_sequence(Q, K, V, *others):
    flat = (A.reshape(1, -1, A.shape[-1]) for A in (Q, K, V))
    return np.reshape(variant()(*flat, *others), Q.shape)


def as_sequence_first(Q, K, V, *others):
    swapped = (A.swapaxes(0, 1) for A in (Q, K, V))
    return np.swapaxes(variant()(*swapped, *others), 0, 1)


def merge_unfolded_heads_first(heads, at):
    batch, num_heads, length, d_head = heads.shape
    return merge(heads.reshape(num_heads, batch, length, d_head).swapaxes(0, 1), at)


def merge_folded_heads_first(heads, at):
    return merge(heads.swapaxes(0, 1).reshape(heads.shape), at)


BATCH = [
    Misconception(
        "batch-head-order-mixed",
        violates="batch",
        hint="Batch and heads were folded into one axis in one order and unfolded in the other, so"
        " heads land in the wrong item. Unfold in the order in which you folded.",
        implementation=variant(merge=merge_unfolded_heads_first),
        exposed_by="two different items and two heads",
    ),
    Misconception(
        "batch-head-order-mixed-heads-first",
        violates="batch",
        hint="Batch and heads were folded into one axis in one order and unfolded in the other, so"
        " heads land in the wrong item. Unfold in the order in which you folded.",
        implementation=variant(merge=merge_folded_heads_first),
        same_as="batch-head-order-mixed",
        exposed_by="two different items and two heads, not as many items as heads",
    ),
    Misconception(
        "first-batch-kv-for-all",
        violates="batch",
        hint="The keys and values of the first item serve all items. Every item attends to its own"
        " keys and values.",
        implementation=given(
            lambda Q, K, V: (Q, *(np.repeat(x[:1], len(x), axis=0) for x in (K, V)))
        ),
        exposed_by="two different items",
    ),
    Misconception(
        "batch-flattened-into-sequence",
        violates="batch",
        hint="All items were joined into one long sequence, so they attend to each other. Keep the"
        " batch axis through every step.",
        implementation=as_one_long_sequence,
        exposed_by="two different items",
    ),
    Misconception(
        "sequence-first-convention",
        violates="batch",
        hint="You took the first axis for the sequence, as some libraries do, so tokens at the"
        " same place of different items attend to each other. The first axis is the batch.",
        implementation=as_sequence_first,
        exposed_by="two different items",
    ),
]
