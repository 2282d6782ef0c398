"""Mistakes in cutting, joining and projecting the heads."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import cut, flatten, keep, merge, softmax, split, variant, with_num_heads

# --- head-split -----------------------------------------------------------------------------------


def split_in_memory_order(A, at):
    batch, length, _ = A.shape
    return A.reshape(batch, at.num_heads, length, at.d_head)


def merge_in_memory_order(heads, at):
    batch, num_heads, length, d_head = heads.shape
    return heads.reshape(batch, length, num_heads * d_head)


def split_interleaved(A, at):
    batch, length, _ = A.shape
    return A.reshape(batch, length, at.d_head, at.num_heads).transpose(0, 3, 1, 2)


def merge_interleaved(heads, at):
    return flatten(heads.transpose(0, 2, 3, 1))


def split_keeping_tokens_first(A, at):
    return cut(A, at.num_heads)


def merge_keeping_tokens_first(heads, at):
    return flatten(heads)


def one_row_of_w_for_each_head(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d_head = Q.shape[-1] // num_heads
    heads = []
    for h in range(num_heads):
        q, k, v = Q @ W_q[h], K @ W_k[h], V @ W_v[h]
        heads.append(softmax(q @ k.transpose(0, 2, 1) / np.sqrt(d_head)) @ v)
    return np.concatenate(heads, axis=-1) @ W_o


HEAD_SPLIT = [
    Misconception(
        "split-reshape-without-transpose",
        violates="head-split",
        hint="Reshaping straight to (batch, heads, length, width) cuts the numbers in memory"
        " order, so a head gets whole tokens. First cut the last axis only, then move the axis.",
        implementation=variant(split=split_in_memory_order),
        exposed_by="two heads and two tokens",
    ),
    Misconception(
        "split-and-merge-without-transpose",
        violates="head-split",
        hint="Both reshapes skip the move of the head axis: the shapes fit, but a head gets whole"
        " tokens instead of columns. Cut the last axis, then move the head axis, and undo both.",
        implementation=variant(split=split_in_memory_order, merge=merge_in_memory_order),
        exposed_by="two heads and two tokens",
    ),
    Misconception(
        "attention-across-heads",
        violates="head-split",
        hint="The head axis stayed behind the length, so the product compares the heads of one"
        " token with each other. Move the head axis in front of the length before the scores.",
        implementation=variant(split=split_keeping_tokens_first, merge=merge_keeping_tokens_first),
        exposed_by="any input; other lengths of Q and K make it crash",
    ),
    Misconception(
        "split-transposed-0321",
        violates="head-split",
        hint="transpose(0, 3, 2, 1) also moves the width to the front, so heads are compared with"
        " each other, feature by feature. Only length and head axis change places.",
        implementation=variant(
            split=lambda A, at: cut(A, at.num_heads).transpose(0, 3, 2, 1),
            merge=lambda heads, at: flatten(heads.transpose(0, 3, 2, 1)),
        ),
        exposed_by="any input",
    ),
    Misconception(
        "w-indexed-by-head",
        violates="head-split",
        hint="Indexing a matrix with the number of the head gives one row of it. A head owns some"
        " columns, next to each other, of the projected array.",
        implementation=one_row_of_w_for_each_head,
        exposed_by="any input: it crashes",
    ),
    Misconception(
        "num-heads-hardcoded-4",
        violates="head-split",
        hint="The number of heads is fixed at 4 in your code. Use the argument num_heads.",
        implementation=with_num_heads(4),
        exposed_by="num_heads other than 4",
    ),
    Misconception(
        "num-heads-hardcoded-2",
        violates="head-split",
        hint="The number of heads is fixed at 2 in your code. Use the argument num_heads.",
        implementation=with_num_heads(2),
        exposed_by="num_heads other than 2",
    ),
    Misconception(
        "num-heads-ignored",
        violates="head-split",
        hint="You computed one big head of the full width. Split the width among num_heads heads,"
        " each with its own weights.",
        implementation=with_num_heads(1),
        exposed_by="two heads",
    ),
    Misconception(
        "first-head-reused",
        violates="head-split",
        hint="Every head got the columns of the first one. The next head starts where the one"
        " before it ends.",
        implementation=variant(
            split=lambda A, at: np.repeat(split(A, at)[:, :1], at.num_heads, axis=1)
        ),
        exposed_by="two heads",
    ),
    Misconception(
        "heads-interleaved-merged-interleaved",
        violates="head-split",
        hint="Your heads take every num_heads-th column. A head takes columns that are next to"
        " each other: in the reshape the head axis comes before the width.",
        implementation=variant(split=split_interleaved, merge=merge_interleaved),
        exposed_by="more than one head and heads wider than one column",
    ),
    Misconception(
        "heads-interleaved-merged-contiguous",
        violates="head-split",
        hint="Your heads take every num_heads-th column and are then joined block by block. A head"
        " takes columns that are next to each other: the head axis comes before the width.",
        implementation=variant(split=split_interleaved),
        exposed_by="more than one head and heads wider than one column",
    ),
]

# --- concatenation --------------------------------------------------------------------------------

CONCATENATION = [
    Misconception(
        "merge-reshape-without-transpose",
        violates="concatenation",
        hint="Flattening straight from (batch, heads, length, width) puts numbers of different"
        " tokens into one row. Move the head axis back behind the length first.",
        implementation=variant(merge=merge_in_memory_order),
        exposed_by="two heads and two queries",
    ),
    Misconception(
        "merge-interleaved",
        violates="concatenation",
        hint="The heads were joined feature by feature: the first of each head, then the second of"
        " each. Join them head by head: before you flatten, the head axis precedes the width.",
        implementation=variant(merge=merge_interleaved),
        exposed_by="more than one head and heads wider than one column",
    ),
    Misconception(
        "merge-heads-reversed",
        violates="concatenation",
        hint="The heads were joined from last to first. The first head comes first.",
        implementation=variant(merge=lambda heads, at: merge(heads[:, ::-1], at)),
        exposed_by="two heads",
    ),
    Misconception(
        "heads-averaged",
        violates="concatenation",
        hint="What meets W_o is as narrow as one head: the heads were averaged or added up, laid"
        " under one another, or only one was kept. Lay all of them side by side.",
        implementation=variant(merge=lambda heads, at: heads.mean(axis=1)),
        exposed_by="two heads",
    ),
    Misconception(
        "last-head-kept",
        violates="concatenation",
        hint="Only the last head meets W_o, and it is as narrow as one head. Lay all heads side by"
        " side.",
        implementation=variant(merge=lambda heads, at: heads[:, -1]),
        same_as="heads-averaged",
        exposed_by="two heads",
    ),
    Misconception(
        "heads-under-one-another",
        violates="concatenation",
        hint="The heads were laid under one another, so what meets W_o is as narrow as one head."
        " Lay them side by side: along the last axis.",
        implementation=variant(merge=lambda heads, at: np.concatenate([*heads.swapaxes(0, 1)], 1)),
        same_as="heads-averaged",
        exposed_by="two heads",
    ),
]

# --- output-projection ----------------------------------------------------------------------------

OUTPUT_PROJECTION = [
    Misconception(
        "wo-omitted",
        violates="output-projection",
        hint="You returned the joined heads. They still have to be multiplied by W_o, which mixes"
        " what the heads found.",
        implementation=variant(output=keep),
        exposed_by="a W_o that is not the identity",
    ),
    Misconception(
        "wo-transposed",
        violates="output-projection",
        hint="You multiplied by the transpose of W_o. The joined heads meet W_o as it is.",
        implementation=variant(output=lambda concat, at: concat @ at.W_o.T),
        exposed_by="a W_o that is not symmetric",
    ),
    Misconception(
        "wo-elementwise",
        violates="output-projection",
        hint="The star multiplies element by element. The joined heads and W_o meet in a matrix"
        " product.",
        implementation=variant(output=lambda concat, at: concat * at.W_o),
        exposed_by="any input",
    ),
    Misconception(
        "residual-added",
        violates="output-projection",
        hint="You added Q to the result, as a transformer block does around attention. This"
        " exercise asks for the attention alone.",
        implementation=variant(output=lambda concat, at: concat @ at.W_o + at.Q),
        exposed_by="a Q that is not zero",
    ),
]
