"""Mistakes between the scores and the mixed values."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import keep, softmax, variant

# --- scale ----------------------------------------------------------------------------------------


def divide_by(divisor):
    return lambda scores, at: scores / divisor(at)


SCALE = [
    Misconception(
        "scale-by-d-model",
        violates="scale",
        hint="You divided by sqrt(d_model), the width of all heads together. A score is a sum over"
        " the d_head columns of one head, so divide by sqrt(d_head).",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(at.d_model))),
        exposed_by="two heads, and scores that are neither tiny nor saturated",
    ),
    Misconception(
        "scale-floor-division",
        violates="scale",
        hint="// rounds every score down to a whole number. Divide with / instead.",
        implementation=variant(scale=lambda scores, at: scores // np.sqrt(at.d_head)),
        exposed_by="scaled scores that are not whole numbers",
    ),
    Misconception(
        "scale-missing",
        violates="scale",
        hint="The scores were not divided by anything. Divide them by sqrt(d_head) before the"
        " softmax.",
        implementation=variant(scale=keep),
        exposed_by="d_head of 2 or more",
    ),
    Misconception(
        "scale-by-dk-no-sqrt",
        violates="scale",
        hint="You divided by d_head itself. Divide by its square root.",
        implementation=variant(scale=divide_by(lambda at: at.d_head)),
        exposed_by="d_head of 2 or more",
    ),
    Misconception(
        "scale-double-sqrt",
        violates="scale",
        hint="The square root of d_head was taken twice before dividing. Once is enough: perhaps a"
        " variable already holds sqrt(d_head).",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(np.sqrt(at.d_head)))),
        exposed_by="d_head of 2 or more",
    ),
    Misconception(
        "scale-multiplied-not-divided",
        violates="scale",
        hint="The scores were multiplied by sqrt(d_head); dividing by d_head ** -0.5 does that"
        " too. Divide by sqrt(d_head), or multiply by d_head ** -0.5.",
        implementation=variant(scale=lambda scores, at: scores * np.sqrt(at.d_head)),
        exposed_by="d_head of 2 or more",
    ),
    Misconception(
        "scale-after-softmax",
        violates="scale",
        hint="You divided the weights, whose rows then no longer add up to 1. Divide the scores,"
        " before the softmax.",
        implementation=variant(
            scale=keep, softmax=lambda scores, at: softmax(scores) / np.sqrt(at.d_head)
        ),
        exposed_by="d_head of 2 or more",
    ),
    Misconception(
        "scale-by-sqrt-heads",
        violates="scale",
        hint="You divided by the square root of the number of heads. Divide by the square root of"
        " d_head, the number of columns that one head has.",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(at.num_heads))),
        exposed_by="num_heads unlike d_head",
    ),
    Misconception(
        "scale-by-sqrt-seqlen",
        violates="scale",
        hint="You divided by the square root of the number of tokens. Divide by the square root of"
        " d_head, the number of columns that one head has.",
        implementation=variant(scale=divide_by(lambda at: np.sqrt(at.n))),
        exposed_by="n unlike d_head",
    ),
]

# --- softmax --------------------------------------------------------------------------------------


def softmax_without_shift(scores, at):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def softmax_with_epsilon(scores, at):
    return np.exp(scores) / (np.exp(scores).sum(axis=-1, keepdims=True) + 1e-6)


def softmax_over_everything(scores, at):
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


SOFTMAX = [
    Misconception(
        "attention-left-out",
        violates="softmax",
        hint="Your output is made of the values alone: the weights were computed, but not used."
        " Multiply the weights with V, so that each query takes something of every key.",
        implementation=variant(mix=lambda weights, V, at: V),
        exposed_by="two tokens whose values differ, with weights that are not the identity",
    ),
    Misconception(
        "softmax-computed-but-raw-used",
        violates="softmax",
        hint="The softmax was computed, but the scores themselves were multiplied with V. Multiply"
        " V with the softmax's result, the weights.",
        implementation=variant(
            softmax=keep, answer=lambda output, scores, at: (output, softmax(scores))
        ),
    ),
    Misconception(
        "softmax-after-values",
        violates="softmax",
        hint="You multiplied the scores with V and took the softmax of the result. The softmax"
        " comes first, over the scores of each query; its weights then mix V.",
        implementation=variant(softmax=keep, mix=lambda scores, V, at: softmax(scores @ V)),
    ),
    Misconception(
        "softmax-after-values-and-of-scores",
        violates="softmax",
        hint="You multiplied the scores with V and took the softmax of the result. The softmax"
        " comes first, over the scores of each query; its weights then mix V.",
        implementation=variant(
            softmax=keep,
            mix=lambda scores, V, at: softmax(scores @ V),
            answer=lambda output, scores, at: (output, softmax(scores)),
        ),
        same_as="softmax-after-values",
    ),
    Misconception(
        "softmax-over-queries",
        violates="softmax",
        hint="Your softmax runs over the queries: the columns of the weights add up to 1, the rows"
        " do not. Take it along the last axis, over the keys of one query.",
        implementation=variant(softmax=lambda scores, at: softmax(scores, axis=-2)),
        exposed_by="scores that are not symmetric",
    ),
    Misconception(
        "softmax-over-heads",
        violates="softmax",
        hint="Your softmax runs over axis 0, so the heads compete with each other. Take it along"
        " the last axis, over the keys, in each head for itself.",
        implementation=variant(softmax=lambda scores, at: softmax(scores, axis=0)),
    ),
    Misconception(
        "q-and-k-swapped",
        violates="softmax",
        hint="Q and K have changed places: row i of the weights tells how the tokens look at token"
        " i. The rows belong to the queries, the columns to the keys: scores[i, j] is q_i"
        " times k_j.",
        implementation=variant(score=lambda Q, K, at: K @ Q.transpose(0, 2, 1)),
        exposed_by="scores that are not symmetric",
    ),
    Misconception(
        "weights-transposed-times-values",
        violates="softmax",
        hint="The weights were transposed before they met V. Row i of the weights belongs to query"
        " i and mixes V as it stands.",
        implementation=variant(mix=lambda weights, V, at: weights.transpose(0, 2, 1) @ V),
        exposed_by="weights that are not symmetric",
    ),
    Misconception(
        "softmax-over-everything",
        violates="softmax",
        hint="One softmax ran over the whole array, so all weights together add up to 1. Each row"
        " needs its own: give max and sum axis=-1 and keepdims=True.",
        implementation=variant(softmax=softmax_over_everything),
    ),
    Misconception(
        "softmax-twice",
        violates="softmax",
        hint="The softmax was applied to weights that were already a softmax, which evens them"
        " out. Apply it once.",
        implementation=variant(softmax=lambda scores, at: softmax(softmax(scores))),
    ),
    Misconception(
        "softmax-eps-1e-6-no-shift",
        violates="softmax",
        hint="Your softmax adds a small number to the sum, so rows whose scores are all negative"
        " add up to less than 1. Subtract the row's maximum before exp instead; the sum is"
        " then at least 1.",
        implementation=variant(softmax=softmax_with_epsilon),
        exposed_by="a row whose scores are all far below 0",
    ),
    Misconception(
        "returns-scores-not-weights",
        violates="softmax",
        hint="You returned the scores as they are before the softmax. Return the weights: what the"
        " softmax makes of them.",
        implementation=variant(softmax=keep, mix=lambda scores, V, at: softmax(scores) @ V),
    ),
    Misconception(
        "returns-weights-transposed",
        violates="softmax",
        hint="The weights that you returned have queries and keys exchanged. weights[h, i, j] is"
        " what query i takes from key j, so each row adds up to 1.",
        implementation=variant(
            answer=lambda output, weights, at: (output, weights.transpose(0, 2, 1))
        ),
        exposed_by="weights that are not symmetric",
    ),
]

# --- stability ------------------------------------------------------------------------------------

STABILITY = [
    Misconception(
        "softmax-no-max-shift",
        violates="stability",
        hint="exp of a score above 709 is infinity, and infinity divided by infinity is NaN."
        " Subtract each row's maximum before exp: the weights stay the same.",
        implementation=variant(softmax=softmax_without_shift),
        exposed_by="a score above 709",
    ),
    Misconception(
        "softmax-global-max-shift",
        violates="stability",
        hint="You subtracted one maximum for all rows, so a row far below it becomes 0 / 0."
        " Subtract each row's own maximum: axis=-1, keepdims=True.",
        implementation=variant(
            softmax=lambda scores, at: softmax_without_shift(scores - scores.max(), at)
        ),
        exposed_by="two rows whose largest scores are more than 745 apart",
    ),
    Misconception(
        "softmax-shift-clipped-at-zero",
        violates="stability",
        hint="You subtracted the row's maximum only when it is above 0, so a row of very low"
        " scores becomes 0 / 0. Subtract the maximum whatever its sign.",
        implementation=variant(
            softmax=lambda scores, at: softmax_without_shift(
                scores - np.maximum(0, scores.max(axis=-1, keepdims=True)), at
            )
        ),
        exposed_by="a row whose scores are all below -745",
    ),
]
