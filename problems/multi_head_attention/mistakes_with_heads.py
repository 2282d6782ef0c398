"""Mistakes in cutting, joining and projecting the heads."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import keep, merge, split, variant, with_num_heads

# --- head-columns ---------------------------------------------------------------------------------


def split_in_memory_order(A, at):
    return A.reshape(at.num_heads, at.n, at.d_head)


def merge_in_memory_order(heads, at):
    return heads.reshape(at.n, at.d_model)


def split_interleaved(A, at):
    return A.reshape(at.n, at.d_head, at.num_heads).transpose(2, 0, 1)


def merge_interleaved(heads, at):
    return heads.transpose(1, 2, 0).reshape(at.n, at.d_model)


def split_keeping_tokens_first(A, at):
    return A.reshape(at.n, at.num_heads, at.d_head)


def split_by_true_division(A, at):
    return A.reshape(at.n, at.num_heads, at.d_model / at.num_heads)


def mean_over_heads(weights):
    return np.broadcast_to(weights.mean(axis=0), weights.shape)


HEAD_COLUMNS = [
    Misconception(
        "split-reshape-without-transpose",
        violates="head-columns",
        hint="reshape(num_heads, n, d_head) cuts the array in memory order, so a head gets whole"
        " rows of tokens. Reshape to (n, num_heads, d_head) first and then move the head axis"
        " to the front.",
        implementation=variant(split=split_in_memory_order),
        exposed_by="two heads, two tokens and projections without symmetry",
    ),
    Misconception(
        "split-and-merge-without-transpose",
        violates="head-columns",
        hint="Both reshapes go in memory order: the shapes come out right, but heads get rows of"
        " tokens. Between (n, num_heads, d_head) and (num_heads, n, d_head) axes must be"
        " moved, both ways.",
        implementation=variant(split=split_in_memory_order, merge=merge_in_memory_order),
        exposed_by="two heads, two tokens and projections without symmetry",
    ),
    Misconception(
        "attention-across-heads",
        violates="head-columns",
        hint="The head axis is still in the middle, so Q @ K.T compares the heads of one token"
        " with each other. Move the head axis to the front: each head compares tokens.",
        implementation=variant(split=split_keeping_tokens_first, merge=merge_in_memory_order),
        exposed_by="n unlike num_heads, or heads that differ",
    ),
    Misconception(
        "num-heads-hardcoded-4",
        violates="head-columns",
        hint="Your code always makes 4 heads. Use the argument num_heads; d_head follows from it.",
        implementation=with_num_heads(4),
        exposed_by="num_heads other than 4",
    ),
    Misconception(
        "num-heads-hardcoded-2",
        violates="head-columns",
        hint="Your code always makes 2 heads. Use the argument num_heads; d_head follows from it.",
        implementation=with_num_heads(2),
        exposed_by="num_heads other than 2",
    ),
    Misconception(
        "heads-interleaved-merged-interleaved",
        violates="head-columns",
        hint="Head h got every num_heads-th column, as reshape(n, d_head, num_heads) deals them"
        " out. A head takes neighbouring columns: the head axis comes before the axis of its"
        " columns.",
        implementation=variant(split=split_interleaved, merge=merge_interleaved),
        exposed_by="more than one head with more than one column each, and two tokens",
    ),
    Misconception(
        "heads-interleaved-merged-contiguous",
        violates="head-columns",
        hint="Head h got every num_heads-th column, and its result was put into neighbouring ones."
        " A head takes neighbouring columns: the head axis comes before the axis of its"
        " columns.",
        implementation=variant(split=split_interleaved),
        exposed_by="more than one head with more than one column each",
    ),
    Misconception(
        "first-head-reused",
        violates="head-columns",
        hint="Every head works on the columns of head 0. The slice must move with h: it starts at"
        " h * d_head.",
        implementation=variant(
            split=lambda A, at: np.repeat(split(A, at)[:1], at.num_heads, axis=0)
        ),
        exposed_by="two heads that differ",
    ),
    Misconception(
        "num-heads-ignored",
        violates="head-columns",
        hint="There is one big head over all columns. Cut Q, K and V into num_heads heads before"
        " you compare queries with keys.",
        implementation=with_num_heads(1),
        exposed_by="two heads",
    ),
    Misconception(
        "head-dim-true-division",
        violates="head-columns",
        hint="d_model / num_heads is a float, and a float cannot be a length or the end of a"
        " slice. Divide with // to get a whole number.",
        implementation=variant(split=split_by_true_division),
    ),
    Misconception(
        "returns-mean-weights-broadcast",
        violates="head-columns",
        hint="Every weights[h] holds the average of all heads. Return each head's own attention"
        " matrix, the one that it used.",
        implementation=variant(
            answer=lambda output, weights, at: (output, mean_over_heads(weights))
        ),
        exposed_by="two heads with different weights",
    ),
]

# --- concatenation --------------------------------------------------------------------------------


def merge_into_array_like_x(heads, at):
    concat = np.zeros_like(at.X)
    for h, head in enumerate(heads):
        concat[:, at.columns(h)] = head
    return concat


CONCATENATION = [
    Misconception(
        "merge-reshape-without-transpose",
        violates="concatenation",
        hint="reshape(n, d_model) straight from (num_heads, n, d_head) puts different tokens into"
        " one row. Move the tokens' axis to the front first, then reshape.",
        implementation=variant(merge=merge_in_memory_order),
        exposed_by="two heads and two tokens whose head outputs differ",
    ),
    Misconception(
        "heads-averaged",
        violates="concatenation",
        hint="What meets W_o has only d_head columns: the heads were averaged or added up, laid"
        " under one another, or only one was kept. Join all of them side by side.",
        implementation=variant(merge=lambda heads, at: heads.mean(axis=0)),
    ),
    Misconception(
        "last-head-kept",
        violates="concatenation",
        hint="Only the last head meets W_o, and it has d_head columns. Join all heads side by"
        " side.",
        implementation=variant(merge=lambda heads, at: heads[-1]),
        same_as="heads-averaged",
    ),
    Misconception(
        "heads-under-one-another",
        violates="concatenation",
        hint="The heads were laid under one another, so what meets W_o has d_head columns. Join"
        " them side by side: along the last axis.",
        implementation=variant(merge=lambda heads, at: np.concatenate(heads)),
        same_as="heads-averaged",
    ),
    Misconception(
        "int-buffer-zeros_like",
        violates="concatenation",
        hint="np.zeros_like(X) has whole numbers when X has, and cuts off the decimals of what you"
        " store. Join the heads without such a buffer, or make it with np.zeros.",
        implementation=variant(merge=merge_into_array_like_x),
        exposed_by="an X of whole numbers",
    ),
    Misconception(
        "merge-interleaved",
        violates="concatenation",
        hint="The heads were joined feature by feature, as cards are shuffled. All columns of head"
        " 0 come first, then all of head 1, and so on.",
        implementation=variant(merge=merge_interleaved),
        exposed_by="more than one head with more than one column each",
    ),
    Misconception(
        "merge-heads-reversed",
        violates="concatenation",
        hint="The heads were joined in the opposite order. Head 0 comes first.",
        implementation=variant(merge=lambda heads, at: merge(heads[::-1], at)),
        exposed_by="two heads whose outputs differ",
    ),
]

# --- output-projection ----------------------------------------------------------------------------

OUTPUT_PROJECTION = [
    Misconception(
        "wo-omitted",
        violates="output-projection",
        hint="You returned the joined heads. They must still be multiplied with W_o.",
        implementation=variant(output=keep),
        exposed_by="W_o that is not the identity",
    ),
    Misconception(
        "wo-transposed",
        violates="output-projection",
        hint="The joined heads were multiplied with the transpose of W_o; W_o @ concat.T does that"
        " too. The output is concat @ W_o.",
        implementation=variant(output=lambda concat, at: concat @ at.W_o.T),
        exposed_by="W_o that is not symmetric",
    ),
    Misconception(
        "wo-on-left",
        violates="output-projection",
        hint="W_o stands on the left, which multiplies with its transpose. The output is concat @"
        " W_o.",
        implementation=variant(output=lambda concat, at: (at.W_o @ concat.T).T),
        same_as="wo-transposed",
    ),
    Misconception(
        "residual-added",
        violates="output-projection",
        hint="You added X to the output, as a transformer layer does around this block. The block"
        " itself returns only the projected heads.",
        implementation=variant(output=lambda concat, at: at.X + concat @ at.W_o),
    ),
]
