"""Mistakes between the scores and the mixed values."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import keep, score, softmax, variant

# --- scale ----------------------------------------------------------------------------------------


def divide_by(divisor):
    return lambda scores, at: scores / divisor(at)


SCALE = [
    Misconception(
        "scale-missing",
        violates="scale",
        hint="The scores are not divided at all, so wide heads get weights that are too sharp."
        " Divide them by the square root of a head's width.",
        implementation=variant(scale=keep),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-by-d-model",
        violates="scale",
        hint="You divided by the square root of d_model, the width of all heads together. A score"
        " is a sum over one head's columns, so that head's width counts.",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(at.d_model))),
        exposed_by="two heads and scores of order one",
    ),
    Misconception(
        "scale-d-model-squared",
        violates="scale",
        hint="You divided by the square of d_model. The divisor is a square root, and of one"
        " head's width.",
        implementation=variant(scale=divide_by(lambda at: at.d_model**2)),
        exposed_by="scores of order one",
    ),
    Misconception(
        "scale-by-dk-no-sqrt",
        violates="scale",
        hint="You divided by the width of a head itself. The divisor is its square root.",
        implementation=variant(scale=divide_by(lambda at: at.d_head)),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-double-sqrt",
        violates="scale",
        hint="The square root was taken twice, so the divisor is too small. Take it once.",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(np.sqrt(at.d_head)))),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-multiplied-not-divided",
        violates="scale",
        hint="The scores were multiplied by the square root (dividing by a negative power also"
        " multiplies). They must become smaller: divide.",
        implementation=variant(scale=lambda scores, at: scores * np.sqrt(at.d_head)),
        exposed_by="heads wider than one column",
    ),
    Misconception(
        "scale-by-sqrt-heads",
        violates="scale",
        hint="You divided by the square root of the number of heads. The width of a head counts,"
        " not how many there are.",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(at.num_heads))),
        exposed_by="a number of heads other than their width",
    ),
    Misconception(
        "scale-by-sqrt-seqlen",
        violates="scale",
        hint="You divided by the square root of the number of keys. The width of a head counts,"
        " not the length.",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(at.K.shape[1]))),
        exposed_by="a number of keys other than the width of a head",
    ),
    Misconception(
        "scale-floor-division",
        violates="scale",
        hint="The double slash rounds every score down to a whole number. Divide with a single"
        " slash.",
        implementation=variant(scale=lambda scores, at: scores // np.sqrt(at.d_head)),
        exposed_by="scaled scores that are not whole numbers",
    ),
    Misconception(
        "scale-after-softmax",
        violates="scale",
        hint="You divided the weights, whose rows then no longer add up to 1. Divide the scores,"
        " before softmax sees them.",
        implementation=variant(
            scale=keep, softmax=lambda scores, at: softmax(scores) / np.sqrt(at.d_head)
        ),
        exposed_by="heads wider than one column",
    ),
]

# --- softmax --------------------------------------------------------------------------------------


def softmax_without_shift(scores, at):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


SOFTMAX = [
    Misconception(
        "attention-left-out",
        violates="softmax",
        hint="Your answer is made of the values alone; the weights (if you computed them) are not"
        " used. Multiply the weights with the values: each query takes something of every key.",
        implementation=variant(mix=lambda weights, V, at: V),
        exposed_by="two tokens whose values differ, with weights that are not the identity",
    ),
    Misconception(
        "softmax-missing",
        violates="softmax",
        hint="The raw scores were multiplied with the values (perhaps softmax was computed and not"
        " used). The weights that mix the values are the result of softmax.",
        implementation=variant(softmax=keep),
        exposed_by="any input",
    ),
    Misconception(
        "softmax-after-values",
        violates="softmax",
        hint="Softmax was applied after the product with the values. It turns scores into weights,"
        " so it comes before.",
        implementation=variant(softmax=keep, mix=lambda scores, V, at: softmax(scores @ V)),
        exposed_by="any input",
    ),
    Misconception(
        "softmax-over-queries",
        violates="softmax",
        hint="Softmax runs over the queries, so the weights of one query do not add up to 1. It"
        " runs over the keys, the last axis of the scores.",
        implementation=variant(softmax=lambda scores, at: softmax(scores, axis=-2)),
        exposed_by="two queries and scores that are not symmetric",
    ),
    Misconception(
        "softmax-over-heads",
        violates="softmax",
        hint="Softmax runs over the heads, which mixes them. It runs over the keys, the last axis"
        " of the scores.",
        implementation=variant(softmax=lambda scores, at: softmax(scores, axis=1)),
        exposed_by="any input with two keys",
    ),
    Misconception(
        "softmax-over-batch",
        violates="softmax",
        hint="Softmax runs over the batch, which mixes its items. It runs over the keys, the last"
        " axis of the scores.",
        implementation=variant(softmax=lambda scores, at: softmax(scores, axis=0)),
        exposed_by="any input with two keys",
    ),
    Misconception(
        "softmax-over-everything",
        violates="softmax",
        hint="One softmax was taken over the whole array of scores. Every query of every head and"
        " item has a softmax of its own, over the keys.",
        implementation=variant(softmax=lambda scores, at: softmax(scores, axis=(0, 1, 2, 3))),
        exposed_by="two queries",
    ),
    Misconception(
        "softmax-twice",
        violates="softmax",
        hint="Softmax was applied to weights that had been through softmax already, which makes"
        " them almost equal. Apply it once.",
        implementation=variant(softmax=lambda scores, at: softmax(softmax(scores))),
        exposed_by="weights that are not equal",
    ),
    Misconception(
        "causal-mask-added",
        violates="softmax",
        hint="Later keys were hidden from earlier queries, as in a decoder. This exercise has no"
        " mask: every query sees all keys.",
        implementation=variant(
            softmax=lambda scores, at: softmax(
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
        implementation=variant(score=lambda Q, K, at: score(K, Q, at)),
        exposed_by="scores that are not symmetric",
    ),
    Misconception(
        "einsum-ij-swapped",
        violates="softmax",
        hint="The output letters of your einsum are in the wrong order, so the scores are"
        " transposed. The query's letter comes before the key's.",
        implementation=variant(score=lambda Q, K, at: np.einsum("bhid,bhjd->bhji", Q, K)),
        same_as="q-and-k-swapped",
        exposed_by="scores that are not symmetric",
    ),
    Misconception(
        "scores-q-q",
        violates="softmax",
        hint="The queries were compared with themselves. A score compares a query with a key.",
        implementation=variant(score=lambda Q, K, at: score(Q, Q, at)),
        exposed_by="keys other than the queries",
    ),
    Misconception(
        "k-dot-T-all-axes",
        violates="softmax",
        hint=".T reverses all four axes of the keys, batch and heads included. Only the last two"
        " axes change places.",
        implementation=variant(score=lambda Q, K, at: Q @ K.T),
        exposed_by="any input; it crashes unless batch, heads, length and width are equal",
    ),
    Misconception(
        "weights-times-keys",
        violates="softmax",
        hint="The weights were multiplied with the keys. Keys decide how much to take, the values"
        " are what is taken.",
        implementation=variant(project=lambda at: (at.Q @ at.W_q, at.K @ at.W_k, at.K @ at.W_k)),
        exposed_by="projected values other than the projected keys",
    ),
    Misconception(
        "weights-transposed-times-values",
        violates="softmax",
        hint="The weights were transposed before the product with the values. Row i of the weights"
        " already says what query i takes from every key.",
        implementation=variant(
            mix=lambda weights, V, at: weights.swapaxes(-1, -2) @ V,
        ),
        exposed_by="weights that are not symmetric",
    ),
]

# --- stability ------------------------------------------------------------------------------------

STABILITY = [
    Misconception(
        "softmax-no-max-shift",
        violates="stability",
        hint="The exponential of a score above 709 is infinite, and infinity divided by infinity"
        " is NaN. Subtract each row's greatest score before the exponential.",
        implementation=variant(softmax=softmax_without_shift),
        exposed_by="a score above 710",
    ),
    Misconception(
        "softmax-global-max-shift",
        violates="stability",
        hint="One maximum was subtracted from all rows, so a row far below it becomes all zeros"
        " and 0 / 0 is NaN. Every row needs its own maximum.",
        implementation=variant(
            softmax=lambda scores, at: softmax_without_shift(scores - scores.max(), at)
        ),
        exposed_by="two rows of scores whose maxima are more than 745 apart",
    ),
    Misconception(
        "softmax-shift-clipped-at-zero",
        violates="stability",
        hint="The number you subtract is never below zero, so a row of very negative scores becomes"
        " all zeros and 0 / 0 is NaN. Subtract the row's maximum whatever its sign.",
        implementation=variant(
            softmax=lambda scores, at: softmax_without_shift(
                scores - np.maximum(0, scores.max(axis=-1, keepdims=True)), at
            )
        ),
        exposed_by="a row of scores all below -745",
    ),
]
