"""Wrong ideas about batched multi-head attention, each the right pipeline with one step replaced.

The ids are those of a list collected from public solutions and bug reports. `violates` is the
requirement that a learner would name, `exposed_by` the property of an input that betrays the idea.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from grader.model import Misconception

from .steps import (
    Array,
    columns,
    cut,
    flatten,
    given,
    head_by_head,
    merge,
    project,
    returning,
    score,
    softmax,
    split,
    variant,
)

# --- returns ----------------------------------------------------------------------------------


def _true_division(inputs: Any, weights: Any, heads: int) -> Any:
    width = inputs[0].shape[-1] / heads
    return [
        x.reshape(*x.shape[:2], heads, width).swapaxes(1, 2)  # a float is no length: TypeError
        for x in project(*inputs, *weights)
    ]


def _output_and_weights(*arguments: Any) -> tuple[Array, Array]:
    weights: list[Array] = []

    def remembered(scores: Array) -> Array:
        weights.append(softmax(scores))
        return weights[0]

    return variant(softmax=remembered)(*arguments), weights[0]


RETURNS = [
    Misconception(
        "returns-output-and-weights",
        violates="returns",
        hint="You returned the attention weights as well. This exercise asks for the output alone:"
        " one array, not a tuple.",
        implementation=_output_and_weights,
        exposed_by="any input",
    ),
    Misconception(
        "batch-axis-dropped",
        violates="returns",
        hint="You returned one item without the batch axis. The answer keeps the batch axis even"
        " when there is a single item.",
        implementation=returning(lambda out: out[0]),
        exposed_by="any input",
    ),
    Misconception(
        "head-dim-true-division",
        violates="returns",
        hint="The single slash gives a float, and a shape must be made of integers, so nothing is"
        " ever returned. Use integer division for the width of a head.",
        implementation=variant(prepare=_true_division),
        exposed_by="any input",
    ),
]

# --- float64 ----------------------------------------------------------------------------------


def _through_buffer_like_q(merged: Array, W_o: Array, Q: Array, K: Array) -> Array:
    buffer = np.zeros_like(Q)
    buffer[...] = merged
    return buffer @ W_o


def _in_float32(*arguments: Any) -> Array:
    *arrays, num_heads = arguments
    out = variant()(*(a.astype(np.float32) for a in arrays), num_heads)
    return np.asarray(out, dtype=np.float64)


FLOAT64 = [
    Misconception(
        "returns-list",
        violates="float64",
        hint="You returned nested lists. Return the NumPy array itself, without tolist().",
        implementation=returning(lambda out: out.tolist()),
        exposed_by="a check of the returned type",
    ),
    Misconception(
        "returns-rounded-4",
        violates="float64",
        hint="You rounded the result, which throws away most of its digits. The printed examples"
        " are rounded for print only; return full precision.",
        implementation=returning(lambda out: out.round(4)),
        exposed_by="a tolerance below 5e-5",
    ),
    Misconception(
        "float32-internally",
        violates="float64",
        hint="You computed in float32, which keeps about 7 digits, and converting the result back"
        " does not restore the others. Keep float64 from the first step to the last.",
        implementation=_in_float32,
        exposed_by="numbers that float32 cannot hold and a tolerance below 1e-8",
    ),
    Misconception(
        "float32-returned",
        violates="float64",
        hint="You returned float32. The answer is promised as float64, so leave out the"
        " conversion.",
        implementation=returning(lambda out: out.astype(np.float32)),
        exposed_by="a check of the element type",
    ),
    Misconception(
        "int-buffer-zeros_like",
        violates="float64",
        hint="zeros_like takes over the element type of its model, so with whole numbers as input"
        " your buffer holds integers and cuts off every fraction. Give the buffer a float type.",
        implementation=variant(output=_through_buffer_like_q),
        exposed_by="an integer array as Q",
    ),
]

# --- projections ------------------------------------------------------------------------------


def _in_place(Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array) -> Any:
    Q @= W_q
    K @= W_k
    V @= W_v
    return Q, K, V


def _again_for_each_head(inputs: Any, weights: Any, heads: int) -> Any:
    found = []
    for head in range(heads):
        inputs = project(*inputs, *weights)
        part = columns(head, heads, inputs[0].shape[-1])
        found.append([x[..., part] for x in inputs])
    return [np.stack(x, axis=1) for x in zip(*found, strict=True)]


PROJECTIONS = [
    Misconception(
        "qkv-not-projected",
        violates="projections",
        hint="You attended over Q, K and V as they came in (perhaps you computed the projections"
        " and then went on with the old names). Use the projected arrays in every later step.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q, K, V)),
        exposed_by="projections that are not the identity",
    ),
    Misconception(
        "q-k-only-projected",
        violates="projections",
        hint="You projected Q and K, but mixed V as it came in. V has a projection of its own.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_k, V)),
        exposed_by="a W_v that is not the identity",
    ),
    Misconception(
        "key-uses-wq",
        violates="projections",
        hint="K was projected with the matrix of the queries (copy and paste?). K has its own"
        " matrix.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_q, V @ W_v)),
        exposed_by="W_k other than W_q",
    ),
    Misconception(
        "query-uses-wk",
        violates="projections",
        hint="Q was projected with the matrix of the keys (copy and paste?). Q has its own matrix.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_k, K @ W_k, V @ W_v)),
        exposed_by="W_k other than W_q",
    ),
    Misconception(
        "value-uses-wk",
        violates="projections",
        hint="V was projected with the matrix of the keys (copy and paste?). V has its own matrix.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_k, V @ W_k)),
        exposed_by="W_v other than W_k",
    ),
    Misconception(
        "query-uses-wv",
        violates="projections",
        hint="Q was projected with the matrix of the values (copy and paste?). Q has its own"
        " matrix.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_v, K @ W_k, V @ W_v)),
        exposed_by="W_q other than W_v",
    ),
    Misconception(
        "key-uses-wv",
        violates="projections",
        hint="K was projected with the matrix of the values (copy and paste?). K has its own"
        " matrix.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_v, V @ W_v)),
        exposed_by="W_k other than W_v",
    ),
    Misconception(
        "value-uses-wq",
        violates="projections",
        hint="V was projected with the matrix of the queries (copy and paste?). V has its own"
        " matrix.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_k, V @ W_q)),
        exposed_by="W_v other than W_q",
    ),
    Misconception(
        "all-use-wq",
        violates="projections",
        hint="All three inputs were projected with the matrix of the queries. There are three"
        " matrices because queries, keys and values play three roles.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_q, V @ W_q)),
        exposed_by="three different projections",
    ),
    Misconception(
        "value-from-k-input",
        violates="projections",
        hint="The values were made from the argument K. They come from V, which may be another"
        " array.",
        implementation=given(lambda Q, K, V: (Q, K, K)),
        exposed_by="V other than K",
    ),
    Misconception(
        "key-from-q-input",
        violates="projections",
        hint="The keys were made from the argument Q. They come from K, which may be another"
        " array.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, Q @ W_k, V @ W_v)),
        exposed_by="K other than Q",
    ),
    Misconception(
        "self-attention-only-q",
        violates="projections",
        hint="You used Q for all three, as in self-attention. Here K and V are arguments of their"
        " own.",
        implementation=given(lambda Q, K, V: (Q, Q, Q)),
        exposed_by="Q, K and V that differ",
    ),
    Misconception(
        "weights-transposed-qkv",
        violates="projections",
        hint="You multiplied by transposed matrices, as linear layers of some libraries do. Here"
        " rows of the input meet columns of the matrix as it is.",
        implementation=variant(
            project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q.T, K @ W_k.T, V @ W_v.T)
        ),
        exposed_by="projections that are not symmetric",
    ),
    Misconception(
        "weights-transposed-all",
        violates="projections",
        hint="You multiplied by transposed matrices throughout, as linear layers of some libraries"
        " do. Here all four matrices are used as they are.",
        implementation=variant(
            project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q.T, K @ W_k.T, V @ W_v.T),
            output=lambda merged, W_o, Q, K: merged @ W_o.T,
        ),
        exposed_by="matrices that are not symmetric",
    ),
    Misconception(
        "head-takes-rows-of-w",
        violates="projections",
        hint="You gave each head some rows of the matrix, which projects with the transposed"
        " matrix. The columns of the projected array belong to a head, so cut the columns.",
        implementation=variant(prepare=head_by_head(lambda x, W, part: x @ W[part].T)),
        same_as="weights-transposed-qkv",
        exposed_by="projections that are not symmetric",
    ),
    Misconception(
        "split-before-projection",
        violates="projections",
        hint="You cut the inputs into heads and projected the pieces, so a head sees only its own"
        " columns of the input. Project the full width first, then split.",
        implementation=variant(
            prepare=head_by_head(lambda x, W, part: x[..., part] @ W[part, part])
        ),
        exposed_by="two heads and projections with entries off the diagonal blocks",
    ),
    Misconception(
        "rebinds-projection-in-loop",
        violates="projections",
        hint="The loop over heads assigns the projected array to the old name, so the second head"
        " projects what is already projected. Every head starts from the original inputs.",
        implementation=variant(prepare=_again_for_each_head),
        exposed_by="two heads and projections that change what they projected",
    ),
    Misconception(
        "mutates-qkv-inplace-matmul",
        violates="projections",
        hint="The projection is written into the argument itself, so when one array is passed as"
        " Q, K and V it is projected three times. Store the result under a new name.",
        implementation=variant(project=_in_place),
        exposed_by="the same array object as Q, K and V",
    ),
]

# --- head-split -------------------------------------------------------------------------------


def _with_row_of_w(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    heads = []
    for head in range(num_heads):
        q, k, v = Q @ W_q[head], K @ W_k[head], V @ W_v[head]
        scores = q @ k.transpose(0, 2, 1) / sqrt(Q.shape[-1] // num_heads)
        heads.append(softmax(scores) @ v)
    return np.concatenate(heads, axis=-1) @ W_o


def _chunks_of_memory(x: Array, heads: int) -> Array:
    batch, length, model = x.shape
    return x.reshape(batch, heads, length, model // heads)


def _chunks_of_memory_back(context: Array) -> Array:
    batch, heads, length, width = context.shape
    return context.reshape(batch, length, heads * width)


def _every_hth_column(x: Array, heads: int) -> Array:
    batch, length, model = x.shape
    return x.reshape(batch, length, model // heads, heads).transpose(0, 3, 1, 2)


def _feature_by_feature(context: Array) -> Array:
    return flatten(context.transpose(0, 2, 3, 1))


HEAD_SPLIT = [
    Misconception(
        "split-reshape-without-transpose",
        violates="head-split",
        hint="Reshaping straight to (batch, heads, length, width) cuts the numbers in memory"
        " order, so a head gets whole tokens. First cut the last axis only, then move the axis.",
        implementation=variant(split=_chunks_of_memory),
        exposed_by="two heads and two tokens",
    ),
    Misconception(
        "split-and-merge-without-transpose",
        violates="head-split",
        hint="Both reshapes skip the move of the head axis: the shapes fit, but a head gets whole"
        " tokens instead of columns. Cut the last axis, then move the head axis, and undo both.",
        implementation=variant(split=_chunks_of_memory, merge=_chunks_of_memory_back),
        exposed_by="two heads and two tokens",
    ),
    Misconception(
        "attention-across-heads",
        violates="head-split",
        hint="The head axis stayed behind the length, so the product compares the heads of one"
        " token with each other. Move the head axis in front of the length before the scores.",
        implementation=variant(split=cut, merge=flatten),
        exposed_by="any input; other lengths of Q and K make it crash",
    ),
    Misconception(
        "split-transposed-0321",
        violates="head-split",
        hint="transpose(0, 3, 2, 1) also moves the width to the front, so heads are compared with"
        " each other, feature by feature. Only length and head axis change places.",
        implementation=variant(
            split=lambda x, heads: cut(x, heads).transpose(0, 3, 2, 1),
            merge=lambda context: flatten(context.transpose(0, 3, 2, 1)),
        ),
        exposed_by="any input",
    ),
    Misconception(
        "w-indexed-by-head",
        violates="head-split",
        hint="Indexing a matrix with the number of the head gives one row of it. A head owns some"
        " columns, next to each other, of the projected array.",
        implementation=_with_row_of_w,
        exposed_by="any input: it crashes",
    ),
    Misconception(
        "num-heads-hardcoded-4",
        violates="head-split",
        hint="The number of heads is fixed at 4 in your code. Use the argument num_heads.",
        implementation=variant(count=lambda num_heads: 4),
        exposed_by="num_heads other than 4",
    ),
    Misconception(
        "num-heads-hardcoded-2",
        violates="head-split",
        hint="The number of heads is fixed at 2 in your code. Use the argument num_heads.",
        implementation=variant(count=lambda num_heads: 2),
        exposed_by="num_heads other than 2",
    ),
    Misconception(
        "num-heads-ignored",
        violates="head-split",
        hint="You computed one big head of the full width. Split the width among num_heads heads,"
        " each with its own weights.",
        implementation=variant(count=lambda num_heads: 1),
        exposed_by="two heads",
    ),
    Misconception(
        "first-head-reused",
        violates="head-split",
        hint="Every head got the columns of the first one. The next head starts where the one"
        " before it ends.",
        implementation=variant(
            split=lambda x, heads: np.repeat(split(x, heads)[:, :1], heads, axis=1)
        ),
        exposed_by="two heads",
    ),
    Misconception(
        "heads-interleaved-merged-interleaved",
        violates="head-split",
        hint="Your heads take every num_heads-th column. A head takes columns that are next to"
        " each other: in the reshape the head axis comes before the width.",
        implementation=variant(split=_every_hth_column, merge=_feature_by_feature),
        exposed_by="more than one head and heads wider than one column",
    ),
    Misconception(
        "heads-interleaved-merged-contiguous",
        violates="head-split",
        hint="Your heads take every num_heads-th column and are then joined block by block. A head"
        " takes columns that are next to each other: the head axis comes before the width.",
        implementation=variant(split=_every_hth_column),
        exposed_by="more than one head and heads wider than one column",
    ),
]

# --- scale ------------------------------------------------------------------------------------

SCALE = [
    Misconception(
        "scale-missing",
        violates="scale",
        hint="The scores are not divided at all, so wide heads get weights that are too sharp."
        " Divide them by the square root of a head's width.",
        implementation=variant(scale=lambda scores, sizes: scores),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-by-d-model",
        violates="scale",
        hint="You divided by the square root of d_model, the width of all heads together. A score"
        " is a sum over one head's columns, so that head's width counts.",
        implementation=variant(scale=lambda scores, sizes: scores / sqrt(sizes.model)),
        exposed_by="two heads and scores of order one",
    ),
    Misconception(
        "scale-d-model-squared",
        violates="scale",
        hint="You divided by the square of d_model. The divisor is a square root, and of one"
        " head's width.",
        implementation=variant(scale=lambda scores, sizes: scores / sizes.model**2),
        exposed_by="scores of order one",
    ),
    Misconception(
        "scale-by-dk-no-sqrt",
        violates="scale",
        hint="You divided by the width of a head itself. The divisor is its square root.",
        implementation=variant(scale=lambda scores, sizes: scores / sizes.width),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-double-sqrt",
        violates="scale",
        hint="The square root was taken twice, so the divisor is too small. Take it once.",
        implementation=variant(scale=lambda scores, sizes: scores / sqrt(sqrt(sizes.width))),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-multiplied-not-divided",
        violates="scale",
        hint="The scores were multiplied by the square root (dividing by a negative power also"
        " multiplies). They must become smaller: divide.",
        implementation=variant(scale=lambda scores, sizes: scores * sqrt(sizes.width)),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-by-sqrt-heads",
        violates="scale",
        hint="You divided by the square root of the number of heads. The width of a head counts,"
        " not how many there are.",
        implementation=variant(scale=lambda scores, sizes: scores / sqrt(sizes.heads)),
        exposed_by="a number of heads other than their width",
    ),
    Misconception(
        "scale-by-sqrt-seqlen",
        violates="scale",
        hint="You divided by the square root of the number of keys. The width of a head counts,"
        " not the length.",
        implementation=variant(scale=lambda scores, sizes: scores / sqrt(sizes.keys)),
        exposed_by="a number of keys other than the width of a head",
    ),
    Misconception(
        "scale-floor-division",
        violates="scale",
        hint="The double slash rounds every score down to a whole number. Divide with a single"
        " slash.",
        implementation=variant(scale=lambda scores, sizes: scores // sqrt(sizes.width)),
        exposed_by="scaled scores that are not whole numbers",
    ),
    Misconception(
        "scale-after-softmax",
        violates="scale",
        hint="You divided the weights, whose rows then no longer add up to 1. Divide the scores,"
        " before softmax sees them.",
        implementation=variant(
            scale=lambda scores, sizes: scores,
            mix=lambda weights, values: weights / sqrt(values.shape[-1]) @ values,
        ),
        exposed_by="heads wider than one column",
    ),
]

# --- softmax ----------------------------------------------------------------------------------

SOFTMAX = [
    Misconception(
        "softmax-missing",
        violates="softmax",
        hint="The raw scores were multiplied with the values (perhaps softmax was computed and not"
        " used). The weights that mix the values are the result of softmax.",
        implementation=variant(softmax=lambda scores: scores),
        exposed_by="any input",
    ),
    Misconception(
        "softmax-after-values",
        violates="softmax",
        hint="Softmax was applied after the product with the values. It turns scores into weights,"
        " so it comes before.",
        implementation=variant(
            softmax=lambda scores: scores, mix=lambda scores, values: softmax(scores @ values)
        ),
        exposed_by="any input",
    ),
    Misconception(
        "softmax-over-queries",
        violates="softmax",
        hint="Softmax runs over the queries, so the weights of one query do not add up to 1. It"
        " runs over the keys, the last axis of the scores.",
        implementation=variant(softmax=lambda scores: softmax(scores, axis=-2)),
        exposed_by="two queries and scores that are not symmetric",
    ),
    Misconception(
        "softmax-over-heads",
        violates="softmax",
        hint="Softmax runs over the heads, which mixes them. It runs over the keys, the last axis"
        " of the scores.",
        implementation=variant(softmax=lambda scores: softmax(scores, axis=1)),
        exposed_by="any input with two keys",
    ),
    Misconception(
        "softmax-over-batch",
        violates="softmax",
        hint="Softmax runs over the batch, which mixes its items. It runs over the keys, the last"
        " axis of the scores.",
        implementation=variant(softmax=lambda scores: softmax(scores, axis=0)),
        exposed_by="any input with two keys",
    ),
    Misconception(
        "softmax-over-everything",
        violates="softmax",
        hint="One softmax was taken over the whole array of scores. Every query of every head and"
        " item has a softmax of its own, over the keys.",
        implementation=variant(softmax=lambda scores: softmax(scores, axis=(0, 1, 2, 3))),
        exposed_by="two queries",
    ),
    Misconception(
        "softmax-twice",
        violates="softmax",
        hint="Softmax was applied to weights that had been through softmax already, which makes"
        " them almost equal. Apply it once.",
        implementation=variant(softmax=lambda scores: softmax(softmax(scores))),
        exposed_by="weights that are not equal",
    ),
    Misconception(
        "causal-mask-added",
        violates="softmax",
        hint="Later keys were hidden from earlier queries, as in a decoder. This exercise has no"
        " mask: every query sees all keys.",
        implementation=variant(
            softmax=lambda scores: softmax(
                np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
            )
        ),
        exposed_by="two queries",
    ),
    Misconception(
        "q-and-k-swapped",
        violates="softmax",
        hint="The scores are transposed: keys ask and queries answer. Rows of the scores belong to"
        " queries, columns to keys.",
        implementation=variant(score=lambda queries, keys: score(keys, queries)),
        exposed_by="scores that are not symmetric",
    ),
    Misconception(
        "einsum-ij-swapped",
        violates="softmax",
        hint="The output letters of your einsum are in the wrong order, so the scores are"
        " transposed. The query's letter comes before the key's.",
        implementation=variant(
            score=lambda queries, keys: np.einsum("bhid,bhjd->bhji", queries, keys)
        ),
        same_as="q-and-k-swapped",
        exposed_by="scores that are not symmetric",
    ),
    Misconception(
        "scores-q-q",
        violates="softmax",
        hint="The queries were compared with themselves. A score compares a query with a key.",
        implementation=variant(score=lambda queries, keys: score(queries, queries)),
        exposed_by="keys other than the queries",
    ),
    Misconception(
        "k-dot-T-all-axes",
        violates="softmax",
        hint=".T reverses all four axes of the keys, batch and heads included. Only the last two"
        " axes change places.",
        implementation=variant(score=lambda queries, keys: queries @ keys.T),
        exposed_by="any input; it crashes unless batch, heads, length and width are equal",
    ),
    Misconception(
        "weights-times-keys",
        violates="softmax",
        hint="The weights were multiplied with the keys. Keys decide how much to take, the values"
        " are what is taken.",
        implementation=variant(project=lambda Q, K, V, W_q, W_k, W_v: (Q @ W_q, K @ W_k, K @ W_k)),
        exposed_by="projected values other than the projected keys",
    ),
    Misconception(
        "weights-transposed-times-values",
        violates="softmax",
        hint="The weights were transposed before the product with the values. Row i of the weights"
        " already says what query i takes from every key.",
        implementation=variant(
            mix=lambda weights, values: weights.swapaxes(-1, -2) @ values,
        ),
        exposed_by="weights that are not symmetric",
    ),
]

# --- concatenation ----------------------------------------------------------------------------

CONCATENATION = [
    Misconception(
        "merge-reshape-without-transpose",
        violates="concatenation",
        hint="Flattening straight from (batch, heads, length, width) puts numbers of different"
        " tokens into one row. Move the head axis back behind the length first.",
        implementation=variant(merge=_chunks_of_memory_back),
        exposed_by="two heads and two queries",
    ),
    Misconception(
        "merge-interleaved",
        violates="concatenation",
        hint="The heads were joined feature by feature: the first of each head, then the second of"
        " each. Join them head by head: before you flatten, the head axis precedes the width.",
        implementation=variant(merge=_feature_by_feature),
        exposed_by="more than one head and heads wider than one column",
    ),
    Misconception(
        "merge-heads-reversed",
        violates="concatenation",
        hint="The heads were joined from last to first. The first head comes first.",
        implementation=variant(merge=lambda context: merge(context[:, ::-1])),
        exposed_by="two heads",
    ),
    Misconception(
        "heads-averaged",
        violates="concatenation",
        hint="What meets W_o is as narrow as one head: the heads were averaged or added up, laid"
        " under one another, or only one was kept. Lay all of them side by side.",
        implementation=variant(merge=lambda context: context.mean(axis=1)),
        exposed_by="two heads",
    ),
    Misconception(
        "last-head-kept",
        violates="concatenation",
        hint="Only the last head meets W_o, and it is as narrow as one head. Lay all heads side by"
        " side.",
        implementation=variant(merge=lambda context: context[:, -1]),
        same_as="heads-averaged",
        exposed_by="two heads",
    ),
    Misconception(
        "heads-under-one-another",
        violates="concatenation",
        hint="The heads were laid under one another, so what meets W_o is as narrow as one head."
        " Lay them side by side: along the last axis.",
        implementation=variant(merge=lambda context: np.concatenate([*context.swapaxes(0, 1)], 1)),
        same_as="heads-averaged",
        exposed_by="two heads",
    ),
]

# --- output-projection ------------------------------------------------------------------------

OUTPUT_PROJECTION = [
    Misconception(
        "wo-omitted",
        violates="output-projection",
        hint="You returned the joined heads. They still have to be multiplied by W_o, which mixes"
        " what the heads found.",
        implementation=variant(output=lambda merged, W_o, Q, K: merged),
        exposed_by="a W_o that is not the identity",
    ),
    Misconception(
        "wo-transposed",
        violates="output-projection",
        hint="You multiplied by the transpose of W_o. The joined heads meet W_o as it is.",
        implementation=variant(output=lambda merged, W_o, Q, K: merged @ W_o.T),
        exposed_by="a W_o that is not symmetric",
    ),
    Misconception(
        "wo-elementwise",
        violates="output-projection",
        hint="The star multiplies element by element. The joined heads and W_o meet in a matrix"
        " product.",
        implementation=variant(output=lambda merged, W_o, Q, K: merged * W_o),
        exposed_by="any input",
    ),
    Misconception(
        "residual-added",
        violates="output-projection",
        hint="You added Q to the result, as a transformer block does around attention. This"
        " exercise asks for the attention alone.",
        implementation=variant(output=lambda merged, W_o, Q, K: merged @ W_o + Q),
        exposed_by="a Q that is not zero",
    ),
]

# --- lengths ----------------------------------------------------------------------------------


def _all_with_query_length(inputs: Any, weights: Any, heads: int) -> Any:
    batch, length, model = inputs[0].shape
    return [
        x.reshape(batch, length, heads, model // heads).swapaxes(1, 2)
        for x in project(*inputs, *weights)
    ]


def _equal_shapes_only(Q: Array, K: Array, V: Array) -> tuple[Array, Array, Array]:
    assert Q.shape == K.shape == V.shape
    return Q, K, V


def _padded_to_query_length(Q: Array, K: Array, V: Array) -> Any:
    missing = max(0, Q.shape[1] - K.shape[1])
    return Q, *(np.pad(x, ((0, 0), (0, missing), (0, 0))) for x in (K, V))


def _through_buffer_of_key_length(merged: Array, W_o: Array, Q: Array, K: Array) -> Array:
    buffer = np.zeros(K.shape)
    buffer[...] = merged @ W_o
    return buffer


LENGTHS = [
    Misconception(
        "kv-reshaped-with-query-length",
        violates="lengths",
        hint="K and V are reshaped with the length of Q, which fails as soon as there are more or"
        " fewer keys than queries. Take each array's length from that array.",
        implementation=variant(prepare=_all_with_query_length),
        exposed_by="a query length other than the key length",
    ),
    Misconception(
        "asserts-equal-shapes",
        violates="lengths",
        hint="Your code insists that Q, K and V have the same shape. Only K and V have the same"
        " length; Q may have more or fewer rows.",
        implementation=given(_equal_shapes_only),
        exposed_by="a query length other than the key length",
    ),
    Misconception(
        "output-reshaped-with-key-length",
        violates="lengths",
        hint="The result is reshaped with the number of keys. It has one row for each query.",
        implementation=variant(output=lambda merged, W_o, Q, K: (merged @ W_o).reshape(K.shape)),
        exposed_by="a query length other than the key length",
    ),
    Misconception(
        "output-buffer-key-length",
        violates="lengths",
        hint="The array for the result was made with the number of keys. It has one row for each"
        " query.",
        implementation=variant(output=_through_buffer_of_key_length),
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
        implementation=given(_padded_to_query_length),
        exposed_by="fewer keys than queries",
    ),
]

# --- batch ------------------------------------------------------------------------------------


def _as_one_long_sequence(*arguments: Any) -> Array:
    Q, K, V, *others = arguments
    flat = (x.reshape(1, -1, x.shape[-1]) for x in (Q, K, V))
    return np.reshape(variant()(*flat, *others), Q.shape)


def _as_sequence_first(*arguments: Any) -> Array:
    Q, K, V, *others = arguments
    swapped = (x.swapaxes(0, 1) for x in (Q, K, V))
    return np.swapaxes(variant()(*swapped, *others), 0, 1)


def _unfolded_heads_first(context: Array) -> Array:
    batch, heads, length, width = context.shape
    return merge(context.reshape(heads, batch, length, width).swapaxes(0, 1))


def _folded_heads_first(context: Array) -> Array:
    return merge(context.swapaxes(0, 1).reshape(context.shape))


BATCH = [
    Misconception(
        "batch-head-order-mixed",
        violates="batch",
        hint="Batch and heads were folded into one axis in one order and unfolded in the other, so"
        " heads land in the wrong item. Unfold in the order in which you folded.",
        implementation=variant(merge=_unfolded_heads_first),
        exposed_by="two different items and two heads",
    ),
    Misconception(
        "batch-head-order-mixed-heads-first",
        violates="batch",
        hint="Batch and heads were folded into one axis in one order and unfolded in the other, so"
        " heads land in the wrong item. Unfold in the order in which you folded.",
        implementation=variant(merge=_folded_heads_first),
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
        implementation=_as_one_long_sequence,
        exposed_by="two different items",
    ),
    Misconception(
        "sequence-first-convention",
        violates="batch",
        hint="You took the first axis for the sequence, as some libraries do, so tokens at the"
        " same place of different items attend to each other. The first axis is the batch.",
        implementation=_as_sequence_first,
        exposed_by="two different items",
    ),
]

# --- stability --------------------------------------------------------------------------------


def _exponentials_over_sum(exponentials: Array) -> Array:
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


STABILITY = [
    Misconception(
        "softmax-no-max-shift",
        violates="stability",
        hint="The exponential of a score above 709 is infinite, and infinity divided by infinity"
        " is NaN. Subtract each row's greatest score before the exponential.",
        implementation=variant(softmax=lambda s: _exponentials_over_sum(np.exp(s))),
        exposed_by="a score above 710",
    ),
    Misconception(
        "softmax-global-max-shift",
        violates="stability",
        hint="One maximum was subtracted from all rows, so a row far below it becomes all zeros"
        " and 0 / 0 is NaN. Every row needs its own maximum.",
        implementation=variant(softmax=lambda s: _exponentials_over_sum(np.exp(s - s.max()))),
        exposed_by="two rows of scores whose maxima are more than 745 apart",
    ),
    Misconception(
        "softmax-shift-clipped-at-zero",
        violates="stability",
        hint="The number you subtract is never below zero, so a row of very negative scores becomes"
        " all zeros and 0 / 0 is NaN. Subtract the row's maximum whatever its sign.",
        implementation=variant(
            softmax=lambda s: _exponentials_over_sum(
                np.exp(s - np.maximum(0, s.max(axis=-1, keepdims=True)))
            )
        ),
        exposed_by="a row of scores all below -745",
    ),
]

MISCONCEPTIONS = [
    *RETURNS,
    *FLOAT64,
    *PROJECTIONS,
    *HEAD_SPLIT,
    *SCALE,
    *SOFTMAX,
    *CONCATENATION,
    *OUTPUT_PROJECTION,
    *LENGTHS,
    *BATCH,
    *STABILITY,
]
