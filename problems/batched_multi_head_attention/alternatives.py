"""Right implementations, each written in a way of its own; none may ever be failed."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from grader.model import Alternative

from .steps import Array, columns, cut, flatten, merge, mix, score, softmax, split, variant


def loops_over_everything(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Plain loops down to single rows, as the formulas read."""
    batch, queries, model = Q.shape
    width = model // num_heads
    joined = np.zeros((batch, queries, model))
    for item in range(batch):
        q, k, v = Q[item] @ W_q, K[item] @ W_k, V[item] @ W_v
        for head in range(num_heads):
            part = columns(head, num_heads, model)
            for query in range(queries):
                scores = np.array([q[query, part] @ row[part] / np.sqrt(width) for row in k])
                shares = np.exp(scores - max(scores))
                shares /= sum(shares)
                for share, row in zip(shares, v, strict=True):
                    joined[item, query, part] += share * row[part]
    return joined @ W_o


def loop_over_items(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """One item at a time, its heads at once; the items are stacked."""
    outputs = []
    for q, k, v in zip(Q @ W_q, K @ W_k, V @ W_v, strict=True):
        q, k, v = (x.reshape(len(x), num_heads, -1).transpose(1, 0, 2) for x in (q, k, v))
        context = softmax(q @ k.transpose(0, 2, 1) / sqrt(q.shape[-1])) @ v
        outputs.append(np.concatenate(list(context), axis=-1) @ W_o)
    return np.stack(outputs)


def slices_per_head(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Projected columns cut out per head, the heads concatenated."""
    q, k, v = Q @ W_q, K @ W_k, V @ W_v
    heads = []
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        weights = softmax(q[..., part] @ k[..., part].swapaxes(1, 2) / sqrt(part.stop - part.start))
        heads.append(weights @ v[..., part])
    return np.concatenate(heads, axis=2) @ W_o


def matrix_columns_per_head(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Columns of the matrices cut out per head, as the formula writes them."""
    heads = []
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        q, k, v = Q @ W_q[:, part], K @ W_k[:, part], V @ W_v[:, part]
        heads.append(softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])) @ v)
    return np.concatenate(heads, axis=-1) @ W_o


def sum_over_heads(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Every head meets its own rows of W_o and the products are added."""
    total = np.zeros(Q.shape)
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        q, k, v = Q @ W_q[:, part], K @ W_k[:, part], V @ W_v[:, part]
        total += softmax(q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1])) @ v @ W_o[part]
    return total


def einsum_throughout(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Every product as an einsum over matrices reshaped to (model, head, width)."""
    model = Q.shape[-1]
    w_q, w_k, w_v = (W.reshape(model, num_heads, -1) for W in (W_q, W_k, W_v))
    q = np.einsum("bnm,mhd->bhnd", Q, w_q)
    k = np.einsum("bnm,mhd->bhnd", K, w_k)
    v = np.einsum("bnm,mhd->bhnd", V, w_v)
    weights = softmax(np.einsum("bhqd,bhkd->bhqk", q, k) / sqrt(q.shape[-1]))
    return np.einsum("bhqk,bhkd,hdm->bqm", weights, v, W_o.reshape(num_heads, -1, model))


def einsum_without_moving_heads(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """The head axis stays where the reshape put it; einsum pairs the right axes."""
    q, k, v = (cut(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    weights = softmax(np.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5)
    return flatten(np.einsum("bhqk,bkhd->bqhd", weights, v)) @ W_o


def tensordot_projections(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Projections by tensordot, heads by moveaxis."""
    q, k, v = (
        np.moveaxis(cut(np.tensordot(x, W, axes=1), num_heads), 2, 1)
        for x, W in ((Q, W_q), (K, W_k), (V, W_v))
    )
    context = softmax(np.matmul(q, np.moveaxis(k, -1, -2)) / sqrt(q.shape[-1])) @ v
    return np.tensordot(flatten(np.moveaxis(context, 1, 2)), W_o, axes=([2], [0]))


def np_split_and_stack(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Heads by np.split and np.stack, joined again by np.concatenate."""
    q, k, v = (
        np.stack(np.split(x, num_heads, axis=-1), axis=1) for x in (Q @ W_q, K @ W_k, V @ W_v)
    )
    context = softmax(score(q, k) / sqrt(q.shape[-1])) @ v
    return np.concatenate([context[:, head] for head in range(num_heads)], axis=-1) @ W_o


def folded_batch_and_heads(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Batch and heads folded into one axis and unfolded in the same order."""
    q, k, v = (
        split(x, num_heads).reshape(-1, x.shape[1], x.shape[2] // num_heads)
        for x in (Q @ W_q, K @ W_k, V @ W_v)
    )
    context = softmax(np.matmul(q, k.transpose(0, 2, 1)) / sqrt(q.shape[-1])) @ v
    return merge(context.reshape(len(Q), num_heads, *context.shape[1:])) @ W_o


def heads_first(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Arrays of shape (head, batch, length, width)."""
    q, k, v = (np.moveaxis(cut(x, num_heads), 2, 0) for x in (Q @ W_q, K @ W_k, V @ W_v))
    context = softmax(score(q, k) / sqrt(q.shape[-1])) @ v
    return flatten(np.moveaxis(context, 0, 2)) @ W_o


def transposed_scores(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Scores with keys as rows: softmax over axis -2, weights transposed back."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    weights = softmax(score(k, q) / sqrt(q.shape[-1]), axis=-2)
    return merge(weights.swapaxes(-1, -2) @ v) @ W_o


def matrices_multiplied_beforehand(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """W_q W_k^T and W_v W_o of each head as one matrix each."""
    total = np.zeros(Q.shape)
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        compared = W_q[:, part] @ W_k[:, part].T / sqrt(part.stop - part.start)
        total += softmax(Q @ compared @ K.swapaxes(1, 2)) @ (V @ (W_v[:, part] @ W_o[part]))
    return total


def numerators_divided_late(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Exponentials are mixed with the values first, their sum divides the context."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    scores = score(q, k) / sqrt(q.shape[-1])
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return merge(exponentials @ v / exponentials.sum(-1, keepdims=True)) @ W_o


def log_sum_exp(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Weights as exp(scores - logsumexp(scores))."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    scores = score(q, k) / sqrt(q.shape[-1])
    return merge(np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)) @ v) @ W_o


def in_place_on_copies(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Everything in place, but in arrays of its own."""
    Q, K, V = (np.array(x, dtype=np.float64) for x in (Q, K, V))
    Q[...] = Q @ W_q
    K[...] = K @ W_k
    V[...] = V @ W_v
    scores = score(split(Q, num_heads), split(K, num_heads))
    scores /= np.sqrt(Q.shape[-1] // num_heads)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    Q[...] = merge(scores @ split(V, num_heads)) @ W_o
    return Q


def longdouble_inside(*arguments: Any) -> Array:
    """Computed in extended precision, returned as float64."""
    *arrays, num_heads = arguments
    out = variant()(*(a.astype(np.longdouble) for a in arrays), num_heads)
    return np.asarray(out, dtype=np.float64)


def fortran_order(*arguments: Any) -> Array:
    """An array whose memory runs along the columns."""
    return np.asfortranarray(variant()(*arguments))


def view_with_a_negative_stride(*arguments: Any) -> Array:
    """The right numbers as a reversed view of reversed ones."""
    return np.ascontiguousarray(variant()(*arguments)[::-1])[::-1]


def read_only_answer(*arguments: Any) -> Array:
    """An array that refuses to be written to."""
    out = variant()(*arguments)
    out.flags.writeable = False
    return out


def with_masked_arrays(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """Masked arrays without a masked entry on the way, a plain array at the end."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    scores = np.ma.masked_invalid(score(q, k) / sqrt(q.shape[-1]))
    exponentials = np.ma.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return merge(weights.filled(0.0) @ v) @ W_o


def vectorised_over_items(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """np.vectorize with a signature runs one item at a time."""
    one_item = np.vectorize(
        lambda q, k, v: variant()(q[None], k[None], v[None], W_q, W_k, W_v, W_o, num_heads)[0],
        signature="(q,m),(k,m),(k,m)->(q,m)",
        otypes=[np.float64],
    )
    return np.asarray(one_item(Q, K, V))


def head_objects(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, num_heads: int
) -> Array:
    """A class per head; the width comes from np.array_split."""

    class Head:
        def __init__(self, *matrices: Array) -> None:
            self.w_q, self.w_k, self.w_v = matrices

        def __call__(self) -> Array:
            q, k, v = Q @ self.w_q, K @ self.w_k, V @ self.w_v
            return mix(softmax(score(q, k) / sqrt(self.w_q.shape[1])), v)

    parts = (np.array_split(W, num_heads, axis=1) for W in (W_q, W_k, W_v))
    return np.concatenate([Head(*p)() for p in zip(*parts, strict=True)], axis=-1) @ W_o


ALTERNATIVES = [
    Alternative("steps", variant()),
    Alternative(
        "scale-queries-first",
        variant(
            prepare=lambda inputs, weights, heads: tuple(
                split(x @ W, heads) / (sqrt(x.shape[-1] // heads) if first else 1.0)
                for first, x, W in zip((True, False, False), inputs, weights, strict=True)
            ),
            scale=lambda scores, sizes: scores,
        ),
    ),
    Alternative(
        "scale-both-by-fourth-root",
        variant(
            score=lambda q, k: score(q / q.shape[-1] ** 0.25, k / k.shape[-1] ** 0.25),
            scale=lambda scores, sizes: scores,
        ),
    ),
    Alternative(
        "scale-multiplies-by-negative-power",
        variant(
            scale=lambda scores, sizes: scores * sizes.width**-0.5,
        ),
    ),
    Alternative(
        "softmax-with-power-of-e",
        variant(
            softmax=lambda s: (
                (p := np.e ** (s - s.max(-1, keepdims=True))) / p.sum(-1, keepdims=True)
            ),
        ),
    ),
    *(
        Alternative(function.__name__.replace("_", "-"), function)
        for function in (
            loops_over_everything,
            loop_over_items,
            slices_per_head,
            matrix_columns_per_head,
            sum_over_heads,
            einsum_throughout,
            einsum_without_moving_heads,
            tensordot_projections,
            np_split_and_stack,
            folded_batch_and_heads,
            heads_first,
            transposed_scores,
            matrices_multiplied_beforehand,
            numerators_divided_late,
            log_sum_exp,
            in_place_on_copies,
            longdouble_inside,
            fortran_order,
            view_with_a_negative_stride,
            read_only_answer,
            with_masked_arrays,
            vectorised_over_items,
            head_objects,
        )
    ),
]
