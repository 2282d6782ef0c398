"""Mistakes with the mask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.model import Misconception

from .steps import block, keep, scale, softmax, variant


def with_mask(step):
    """Return a step that calls `step` with the mask; without a mask it returns the scores."""

    def blocked(scores, at):
        return scores if at.mask is None else step(scores, np.asarray(at.mask), at)

    return blocked


def fill(value):
    """Return a step that sets blocked scores to `value`."""
    return with_mask(lambda scores, mask, at: np.where(mask, scores, value))


def triangle(at):
    return np.tril(np.ones((at.n, at.n), dtype=bool))


def as_column(mask):
    return mask[:, None] if mask.ndim == 1 else mask


def mask_in_the_middle(scores, mask, at):
    return np.where(np.broadcast_to(mask, (at.n, at.n))[:, None, :], scores, -np.inf)


def mask_first_head(scores, mask, at):
    masked = scores.copy()
    masked[0] = np.where(mask, masked[0], -np.inf)
    return masked


def mask_with_two_axes(scores, mask, at):
    n_queries, n_keys = mask.shape
    return np.where(mask.reshape(1, n_queries, n_keys), scores, -np.inf)


def mask_by_index(scores, mask, at):
    masked = scores.copy()
    masked[:, ~mask] = -np.inf
    return masked


def mask_if_truthy(scores, at):
    if at.mask:
        scores = np.where(at.mask, scores, -np.inf)
    return scores


MASK = [
    Misconception(
        "mask-inverted",
        violates="mask",
        hint="You blocked where the mask is True. False blocks, True lets through.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(mask, -np.inf, scores))
        ),
    ),
    Misconception(
        "mask-ignored",
        violates="mask",
        hint="The mask changes nothing: it was not used, or the array with the blocked scores was"
        " not kept (np.where returns a new one). Block scores before the softmax and go on"
        " with the result.",
        implementation=variant(block=keep),
    ),
    Misconception(
        "mask-result-discarded",
        violates="mask",
        hint="np.where returns a new array, and you did not keep it, so nothing was blocked."
        " Assign the result and go on with it.",
        implementation=variant(block=keep),
        same_as="mask-ignored",
    ),
    Misconception(
        "mask-after-softmax-no-renorm",
        violates="mask",
        hint="You set weights to 0 after the softmax, so the rows add up to less than 1. Block the"
        " scores before the softmax, and the other keys share everything.",
        implementation=variant(
            block=keep,
            softmax=lambda scores, at: softmax(scores) * (True if at.mask is None else at.mask),
        ),
    ),
    Misconception(
        "mask-multiplies-scores",
        violates="mask",
        hint="Blocked scores ended up at 0, by multiplying with the mask or filling with (almost)"
        " 0, and a score of 0 still gets weight, since exp(0) is 1. Give them minus infinity"
        " instead.",
        implementation=variant(block=with_mask(lambda scores, mask, at: scores * mask)),
    ),
    Misconception(
        "mask-fills-zero",
        violates="mask",
        hint="Blocked scores were set to 0, and a score of 0 still gets weight, since exp(0) is 1."
        " Give them minus infinity instead.",
        implementation=variant(block=fill(0.0)),
        same_as="mask-multiplies-scores",
    ),
    Misconception(
        "mask-added-as-number",
        violates="mask",
        hint="You added the mask to the scores, where True counts as 1 and False as 0. A blocked"
        " score must become minus infinity, and the others must stay as they are.",
        implementation=variant(block=with_mask(lambda scores, mask, at: scores + mask)),
    ),
    Misconception(
        "mask-fill-1e-9-typo",
        violates="mask",
        hint="-1e-9 is practically 0, so blocked keys still get weight. You meant -1e9, or minus"
        " infinity.",
        implementation=variant(block=fill(-1e-9)),
        same_as="mask-multiplies-scores",
    ),
    Misconception(
        "mask-fill-too-small-minus-10",
        violates="mask",
        hint="Blocked scores were set to -10, which leaves them a weight that can be seen. Use"
        " minus infinity, so that the weight is exactly 0.",
        implementation=variant(block=fill(-10.0)),
        exposed_by="a blocked key among scores that are not large",
    ),
    Misconception(
        "mask-fill-minus-100",
        violates="mask",
        hint="Blocked scores were set to a number such as -100, and scores can be lower than that."
        " Use minus infinity, so that the weight is exactly 0.",
        implementation=variant(block=fill(-100.0)),
        exposed_by="a blocked key among scores below -100",
    ),
    Misconception(
        "mask-1d-on-query-axis",
        violates="mask",
        hint="A mask of shape (n,) was turned into a column, so it blocks whole queries."
        " Broadcasting to (n, n) makes it a row, the same for every query: it blocks keys.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(as_column(mask), scores, -np.inf))
        ),
        exposed_by="a mask of shape (n,)",
    ),
    Misconception(
        "mask-transposed",
        violates="mask",
        hint="The mask was transposed. mask[i, j] already says whether query i may use key j.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(mask.T, scores, -np.inf))
        ),
        exposed_by="a mask that is not symmetric",
    ),
    Misconception(
        "mask-times-minus-inf-nan",
        violates="mask",
        hint="With a mask everything becomes NaN, as 0 times infinity does, or a softmax whose keys"
        " are all blocked. Do not calculate with the mask: np.where takes one value where it is"
        " True and another where it is False.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: scores + (1 - mask) * -np.inf)
        ),
        exposed_by="a mask with a True",
    ),
    Misconception(
        "mask-broadcast-over-head-axis",
        violates="mask",
        hint="The mask got a new axis in the middle, so its row h went to head h. A mask of shape"
        " (n, n) fits (num_heads, n, n) as it is: the new axis belongs in front.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(mask[:, None, :], scores, -np.inf))
        ),
        exposed_by="a mask of shape (n, n) whose rows differ",
    ),
    Misconception(
        "mask-broadcast-over-head-axis-any-shape",
        violates="mask",
        hint="The mask got a new axis in the middle, so its row h went to head h. A mask of shape"
        " (n, n) fits (num_heads, n, n) as it is: the new axis belongs in front.",
        implementation=variant(block=with_mask(mask_in_the_middle)),
        same_as="mask-broadcast-over-head-axis",
        exposed_by="a mask of shape (n, n) whose rows differ",
    ),
    Misconception(
        "mask-first-head-only",
        violates="mask",
        hint="Only head 0 obeys the mask. It holds in every head alike.",
        implementation=variant(block=with_mask(mask_first_head)),
        exposed_by="two heads and a blocked key",
    ),
    Misconception(
        "mask-assumed-causal",
        violates="mask",
        hint="Whatever mask is given, you block the keys after the query. Use the mask that is"
        " given.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(triangle(at), scores, -np.inf))
        ),
        exposed_by="a mask that is no triangle",
    ),
    Misconception(
        "causal-always",
        violates="mask",
        hint="Without a mask you block the keys after the query. None blocks nothing: every query"
        " sees every key.",
        implementation=variant(
            block=lambda scores, at: np.where(
                triangle(at) if at.mask is None else at.mask, scores, -np.inf
            )
        ),
        exposed_by="no mask and two tokens",
    ),
    Misconception(
        "mask-assumed-2d",
        violates="mask",
        hint="You unpacked two lengths from mask.shape, but a mask may have one axis or none."
        " Anything that broadcasts to (n, n) is allowed: leave its shape to NumPy.",
        implementation=variant(block=with_mask(mask_with_two_axes)),
        exposed_by="a mask of shape (n,) or a single boolean",
    ),
    Misconception(
        "mask-boolean-index-needs-full-nn",
        violates="mask",
        hint="scores[:, ~mask] works only for a mask of shape (n, n). Smaller masks broadcast:"
        " np.where(mask, scores, ...) accepts them all.",
        implementation=variant(block=with_mask(mask_by_index)),
        exposed_by="a mask of shape (n,) or (1, n)",
    ),
    Misconception(
        "mask-if-truthy",
        violates="mask",
        hint="'if mask:' asks an array for one truth, which it does not have. Ask 'if mask is not"
        " None:'.",
        implementation=variant(block=mask_if_truthy),
        exposed_by="a mask with more than one element",
    ),
    Misconception(
        "mask-int-invert",
        violates="mask",
        hint="~ on the whole numbers 0 and 1 gives -1 and -2, which both count as true, so"
        " everything was blocked. Keep the mask boolean, where ~ exchanges True and False.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(~mask.astype(int), -1e9, scores))
        ),
    ),
    Misconception(
        "mask-int-invert-with-infinity",
        violates="mask",
        hint="~ on the whole numbers 0 and 1 gives -1 and -2, which both count as true, so"
        " everything was blocked. Keep the mask boolean, where ~ exchanges True and False.",
        implementation=variant(
            block=with_mask(lambda scores, mask, at: np.where(~mask.astype(int), -np.inf, scores))
        ),
        same_as="mask-times-minus-inf-nan",
    ),
    Misconception(
        "mask-fill-before-scaling-minus-20",
        violates="mask",
        hint="Blocked scores were set to -20 before the division, which makes the fill smaller"
        " still. Use minus infinity: no division changes it.",
        implementation=variant(
            scale=lambda scores, at: scale(fill(-20.0)(scores, at), at), block=keep
        ),
        exposed_by="a blocked key among scores that are not large",
    ),
    Misconception(
        "returned-weights-unmasked",
        violates="mask",
        hint="The output obeys the mask, but the weights that you returned do not. Return the"
        " weights that were used.",
        implementation=variant(
            block=keep,
            softmax=keep,
            mix=lambda scores, V, at: softmax(block(scores, at)) @ V,
            answer=lambda output, scores, at: (output, softmax(scores)),
        ),
    ),
]

# --- the same mistakes with another fill ----------------------------------------------------------
# These block every key of some queries. The weights of such a row depend on the fill: NaN for
# minus infinity, equal weights for scores set to -1e9, the weights without a mask for -1e9 added.

BLOCKS_WHOLE_ROWS = {
    "mask-inverted": np.logical_not,
    "mask-1d-on-query-axis": as_column,
    "mask-transposed": np.transpose,
}


def set_to_fill(seen):
    return with_mask(lambda scores, mask, at: np.where(seen(mask), scores, -1e9))


def add_fill(seen):
    return with_mask(lambda scores, mask, at: scores + np.where(seen(mask), 0.0, -1e9))


MASK += [
    replace(
        idea,
        id=f"{idea.id}-{how}",
        implementation=variant(block=step(BLOCKS_WHOLE_ROWS[idea.id])),
        same_as=idea.id,
    )
    for idea in MASK
    if idea.id in BLOCKS_WHOLE_ROWS
    for how, step in (("with-1e9", set_to_fill), ("with-1e9-added", add_fill))
]
