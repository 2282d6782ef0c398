"""Right implementations, written differently. None of them may ever be failed."""

from __future__ import annotations

import math

import numpy as np

from grader.model import Alternative

from .steps import keep, merge, softmax, variant

ALTERNATIVES: list[Alternative] = []


def right(id, implementation=None, **steps):
    """Add an alternative: an implementation, or the reference with `steps` written differently."""
    ALTERNATIVES.append(Alternative(id, implementation or variant(**steps)))


def implementation_of(id):
    """Add the decorated function as an alternative."""

    def add(function):
        right(id, function)
        return function

    return add


# --- whole implementations ------------------------------------------------------------------------


@implementation_of("loop-over-heads")
def loop_over_heads(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """One head at a time, on columns of the projected arrays."""
    d_head = X.shape[1] // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    outputs, weights = [], []
    for h in range(num_heads):
        cols = slice(h * d_head, (h + 1) * d_head)
        scores = Q[:, cols] @ K[:, cols].T / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        weights.append(softmax(scores))
        outputs.append(weights[-1] @ V[:, cols])
    return np.concatenate(outputs, axis=1) @ W_o, np.stack(weights)


@implementation_of("columns-of-w-for-each-head")
def columns_of_w(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """One head at a time, on columns of the matrices; the outputs are added."""
    d_head = X.shape[1] // num_heads
    output, weights = 0, []
    for h in range(num_heads):
        own = slice(h * d_head, (h + 1) * d_head)
        q, k, v = X @ W_q[:, own], X @ W_k[:, own], X @ W_v[:, own]
        s = (q @ k.T) * d_head**-0.5
        a = softmax(s if mask is None else np.where(mask, s, -1e9))
        weights.append(a)
        output = output + a @ v @ W_o[own]
    return output, np.array(weights)


@implementation_of("np-split")
def with_np_split(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Heads by np.split, joined by np.hstack."""
    Q, K, V = (np.split(X @ W, num_heads, axis=1) for W in (W_q, W_k, W_v))
    allowed = (
        np.ones((len(X), len(X)), bool) if mask is None else np.broadcast_to(mask, [len(X)] * 2)
    )
    weights = [
        softmax(np.where(allowed, q @ k.T / math.sqrt(q.shape[1]), -np.inf))
        for q, k in zip(Q, K, strict=True)
    ]
    return np.hstack([w @ v for w, v in zip(weights, V, strict=True)]) @ W_o, np.array(weights)


@implementation_of("einsum-throughout")
def with_einsum(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Every product as an einsum over matrices reshaped to (d_model, num_heads, d_head)."""
    d_model = X.shape[1]
    cut = (d_model, num_heads, d_model // num_heads)
    q, k, v = (np.einsum("nd,dhc->hnc", X, W.reshape(cut)) for W in (W_q, W_k, W_v))
    scores = np.einsum("hic,hjc->hij", q, k) / np.sqrt(cut[2])
    if mask is not None:
        scores = scores + np.where(mask, 0.0, -np.inf)
    weights = softmax(scores)
    rows = W_o.reshape(num_heads, cut[2], d_model)
    return np.einsum("hij,hjc,hcd->id", weights, v, rows), weights


@implementation_of("python-loops-only")
def with_python_loops(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Lists and loops, without a NumPy product."""
    n, d = X.shape
    d_head = d // num_heads
    allowed = np.broadcast_to(True if mask is None else mask, (n, n)).tolist()

    def product(A, B):
        columns = list(zip(*B, strict=True))
        return [[math.fsum(map(float.__mul__, row, c)) for c in columns] for row in A]

    def floats(A):
        return np.asarray(A, float).tolist()

    x = floats(X)
    q, k, v = (product(x, floats(W)) for W in (W_q, W_k, W_v))
    weights = [[[0.0] * n for _ in range(n)] for _ in range(num_heads)]
    concat = [[0.0] * d for _ in range(n)]
    for h in range(num_heads):
        own = range(h * d_head, (h + 1) * d_head)
        for i in range(n):
            keys = [j for j in range(n) if allowed[i][j]]
            scores = [sum(q[i][c] * k[j][c] for c in own) / d_head**0.5 for j in keys]
            exps = [math.exp(s - max(scores)) for s in scores]
            for j, e in zip(keys, exps, strict=True):
                weights[h][i][j] = e / sum(exps)
            for c in own:
                concat[i][c] = sum(weights[h][i][j] * v[j][c] for j in range(n))
    return product(concat, floats(W_o)), weights


@implementation_of("query-by-query")
def query_by_query(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """One query of one head at a time, on the keys that it may use."""
    n, d = X.shape
    d_head = d // num_heads
    output, weights = np.zeros((n, d)), np.zeros((num_heads, n, n))
    allowed = np.ones((n, n), bool) & (True if mask is None else np.asarray(mask))
    for i in range(n):
        keys = np.flatnonzero(allowed[i])
        for h in range(num_heads):
            own = slice(h * d_head, (h + 1) * d_head)
            scores = X[keys] @ W_k[:, own] @ (X[i] @ W_q[:, own]) / np.sqrt(d_head)
            weights[h, i, keys] = softmax(scores)
            output[i] += weights[h, i, keys] @ (X[keys] @ W_v[:, own]) @ W_o[own]
    return output, weights


@implementation_of("attention-class")
def attention_class(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """One object for each head; np.array_split cuts the projected arrays."""

    class Head:
        def __init__(self, *projected):
            self.q, self.k, self.v = projected

        def weights(self):
            s = self.q.dot(self.k.T) / np.sqrt(self.k.shape[-1])
            if mask is not None:
                s[~np.broadcast_to(mask, s.shape)] = -np.inf
            return softmax(s)

    heads = [
        Head(*parts)
        for parts in zip(
            *(np.array_split(X.dot(W), num_heads, 1) for W in (W_q, W_k, W_v)), strict=True
        )
    ]
    weights = [head.weights() for head in heads]
    joined = np.c_[tuple(w.dot(head.v) for w, head in zip(weights, heads, strict=True))]
    return joined.dot(W_o), np.stack(weights, axis=0)


# --- one step written differently -----------------------------------------------------------------


def fill_after(value):
    """Return a step that sets blocked scores to `value` after scaling."""
    return lambda s, at: s if at.mask is None else np.where(at.mask, s, value)


def fill_before_scaling(scores, at):
    if at.mask is not None:
        scores = np.where(at.mask, scores, -1e9)
    return scores / np.sqrt(at.d_head)


def add_before_scaling(scores, at):
    if at.mask is not None:
        scores = scores + np.where(at.mask, 0, -1e9)
    return scores / np.sqrt(at.d_head)


def add_log_of_mask(scores, at):
    return scores if at.mask is None else scores + np.log(np.asarray(at.mask, float))


def add_one_minus_mask(scores, at):
    return scores if at.mask is None else scores + (1.0 - np.asarray(at.mask)) * -1e9


def softmax_then_mask(scores, at):
    weights = softmax(scores) * (1.0 if at.mask is None else at.mask)
    return weights / weights.sum(axis=-1, keepdims=True)


def log_sum_exp(scores, at):
    top = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - top - np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))


def fused_projection(at):
    return np.split(at.X @ np.hstack([at.W_q, at.W_k, at.W_v]), 3, axis=1)


def scaled_queries(at):
    return at.X @ at.W_q / np.sqrt(at.d_head), at.X @ at.W_k, at.X @ at.W_v


def fourth_root_on_both(at):
    root = at.d_head**0.25
    return at.X @ at.W_q / root, at.X @ at.W_k / root, at.X @ at.W_v


def in_lists(output, weights, at):
    return [output.tolist(), weights.tolist()]


def at_its_columns(head, h, at):
    wide = np.zeros((at.n, at.d_model))
    wide[:, at.columns(h)] = head
    return wide


def computed_in(dtype):
    """Return multi-head attention computed in `dtype`; the answer keeps that element type."""

    def implementation(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
        arrays = (np.asarray(A, dtype) for A in (X, W_q, W_k, W_v, W_o))
        steps = variant(scale=lambda s, at: s / np.sqrt(dtype(at.d_head)))
        return steps(*arrays, num_heads, mask)

    return implementation


right("fill-minus-1e9", block=fill_after(-1e9))
right("fill-lowest-float", block=fill_after(np.finfo(float).min))
right("fill-minus-1e9-before-scaling", scale=fill_before_scaling, block=keep)
right("add-minus-1e9-before-scaling", scale=add_before_scaling, block=keep)
right("add-log-of-mask", block=add_log_of_mask)
right("add-one-minus-mask-times-minus-1e9", block=add_one_minus_mask)
right("mask-after-softmax-renormalised", block=keep, softmax=softmax_then_mask)
right("log-sum-exp", softmax=log_sum_exp)
right("fused-projection", project=fused_projection)
right("queries-scaled-first", project=scaled_queries, scale=keep)
right("fourth-root-on-queries-and-keys", project=fourth_root_on_both, scale=keep)
right("scale-by-power", scale=lambda s, at: s * at.d_head**-0.5)
right(
    "split-by-swapaxes",
    split=lambda A, at: A.reshape(at.n, at.num_heads, -1).swapaxes(0, 1),
    merge=lambda heads, at: heads.swapaxes(0, 1).reshape(at.n, -1),
)
right(
    "split-by-moveaxis",
    split=lambda A, at: np.moveaxis(A.reshape(at.n, at.num_heads, -1), 1, 0),
    merge=lambda heads, at: np.moveaxis(heads, 0, 1).reshape(at.n, -1),
)
right(
    "split-of-the-transpose",
    split=lambda A, at: A.T.reshape(at.num_heads, at.d_head, at.n).transpose(0, 2, 1),
    merge=lambda heads, at: heads.transpose(0, 2, 1).reshape(at.d_model, at.n).T,
)
right("heads-unpacked-into-hstack", merge=lambda heads, at: np.hstack([*heads]))
right("output-by-tensordot", output=lambda concat, at: np.tensordot(concat, at.W_o, axes=1))
right("output-through-transposes", output=lambda concat, at: (at.W_o.T @ concat.T).T)
right("float32", computed_in(np.float32))
right("longdouble", computed_in(np.longdouble))
right(
    "float32-answers",
    answer=lambda output, weights, at: (output.astype("f4"), weights.astype("f4")),
)
right("lists", answer=in_lists)
right("list-of-weights", answer=lambda output, weights, at: (output, list(weights)))
right(
    "fortran-order",
    answer=lambda output, weights, at: (np.asfortranarray(output), np.asfortranarray(weights)),
)
right("output-as-matrix", answer=lambda output, weights, at: (np.asmatrix(output), weights))
right(
    "masked-arrays-without-masked-entries",
    answer=lambda output, weights, at: (np.ma.masked_array(output), np.ma.masked_array(weights)),
)
right(
    "strided-views",
    answer=lambda output, weights, at: (
        np.repeat(output, 2, axis=0)[::2],
        np.repeat(weights, 2, axis=2)[..., ::2],
    ),
)
right(
    "merged-through-an-array-of-zeros",
    merge=lambda heads, at: sum(at_its_columns(head, h, at) for h, head in enumerate(heads)),
)
right(
    "split-cut-by-cut",
    split=lambda A, at: np.array([A[:, at.columns(h)] for h in range(at.num_heads)]),
    merge=merge,
)
