"""Right implementations, written differently. None of them may ever be failed."""

from __future__ import annotations

import numpy as np

from grader.model import Alternative

from .steps import cut, flatten, keep, merge, score, softmax, variant

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


def split(A, num_heads):
    """(batch, length, d_model) to (batch, num_heads, length, d_head)."""
    return cut(A, num_heads).swapaxes(1, 2)


def columns(head, num_heads, d_model):
    """Return the columns of one head."""
    d_head = d_model // num_heads
    return slice(head * d_head, (head + 1) * d_head)


@implementation_of("loops-over-everything")
def loops_over_everything(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Plain loops over items, heads, queries and keys."""
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


@implementation_of("loop-over-items")
def loop_over_items(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """One item at a time, its heads at once; the items are stacked."""
    outputs = []
    for q, k, v in zip(Q @ W_q, K @ W_k, V @ W_v, strict=True):
        q, k, v = (x.reshape(len(x), num_heads, -1).transpose(1, 0, 2) for x in (q, k, v))
        context = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])) @ v
        outputs.append(np.concatenate(list(context), axis=-1) @ W_o)
    return np.stack(outputs)


@implementation_of("slices-per-head")
def slices_per_head(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """The columns of each head sliced from the projected arrays."""
    q, k, v = Q @ W_q, K @ W_k, V @ W_v
    heads = []
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        scores = q[..., part] @ k[..., part].swapaxes(1, 2)
        weights = softmax(scores / np.sqrt(part.stop - part.start))
        heads.append(weights @ v[..., part])
    return np.concatenate(heads, axis=2) @ W_o


@implementation_of("matrix-columns-per-head")
def matrix_columns_per_head(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """The columns of each head sliced from the matrices, as in the formula."""
    heads = []
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        q, k, v = Q @ W_q[:, part], K @ W_k[:, part], V @ W_v[:, part]
        heads.append(softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])) @ v)
    return np.concatenate(heads, axis=-1) @ W_o


@implementation_of("sum-over-heads")
def sum_over_heads(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Each head is multiplied with its own rows of W_o; the products are added."""
    total = np.zeros(Q.shape)
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        q, k, v = Q @ W_q[:, part], K @ W_k[:, part], V @ W_v[:, part]
        total += softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v @ W_o[part]
    return total


@implementation_of("einsum-throughout")
def einsum_throughout(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Every product as an einsum over matrices reshaped to (d_model, num_heads, d_head)."""
    model = Q.shape[-1]
    w_q, w_k, w_v = (W.reshape(model, num_heads, -1) for W in (W_q, W_k, W_v))
    q = np.einsum("bnm,mhd->bhnd", Q, w_q)
    k = np.einsum("bnm,mhd->bhnd", K, w_k)
    v = np.einsum("bnm,mhd->bhnd", V, w_v)
    weights = softmax(np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1]))
    return np.einsum("bhqk,bhkd,hdm->bqm", weights, v, W_o.reshape(num_heads, -1, model))


@implementation_of("einsum-without-moving-heads")
def einsum_without_moving_heads(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """The head axis is not moved; einsum pairs the axes."""
    q, k, v = (cut(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    weights = softmax(np.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5)
    return flatten(np.einsum("bhqk,bkhd->bqhd", weights, v)) @ W_o


@implementation_of("tensordot-projections")
def tensordot_projections(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Projections by tensordot, heads by moveaxis."""
    q, k, v = (
        np.moveaxis(cut(np.tensordot(x, W, axes=1), num_heads), 2, 1)
        for x, W in ((Q, W_q), (K, W_k), (V, W_v))
    )
    context = softmax(np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(q.shape[-1])) @ v
    return np.tensordot(flatten(np.moveaxis(context, 1, 2)), W_o, axes=([2], [0]))


@implementation_of("np-split-and-stack")
def np_split_and_stack(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Heads by np.split and np.stack, joined again by np.concatenate."""
    q, k, v = (
        np.stack(np.split(x, num_heads, axis=-1), axis=1) for x in (Q @ W_q, K @ W_k, V @ W_v)
    )
    context = softmax(score(q, k) / np.sqrt(q.shape[-1])) @ v
    return np.concatenate([context[:, head] for head in range(num_heads)], axis=-1) @ W_o


@implementation_of("folded-batch-and-heads")
def folded_batch_and_heads(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Batch and heads folded into one axis and unfolded in the same order."""
    q, k, v = (
        split(x, num_heads).reshape(-1, x.shape[1], x.shape[2] // num_heads)
        for x in (Q @ W_q, K @ W_k, V @ W_v)
    )
    context = softmax(np.matmul(q, k.transpose(0, 2, 1)) / np.sqrt(q.shape[-1])) @ v
    return merge(context.reshape(len(Q), num_heads, *context.shape[1:])) @ W_o


@implementation_of("heads-first")
def heads_first(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Arrays of shape (num_heads, batch, length, d_head)."""
    q, k, v = (np.moveaxis(cut(x, num_heads), 2, 0) for x in (Q @ W_q, K @ W_k, V @ W_v))
    context = softmax(score(q, k) / np.sqrt(q.shape[-1])) @ v
    return flatten(np.moveaxis(context, 0, 2)) @ W_o


@implementation_of("transposed-scores")
def transposed_scores(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Scores with keys as rows: softmax over axis -2, weights transposed back."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    weights = softmax(score(k, q) / np.sqrt(q.shape[-1]), axis=-2)
    return merge(weights.swapaxes(-1, -2) @ v) @ W_o


@implementation_of("matrices-multiplied-beforehand")
def matrices_multiplied_beforehand(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """W_q W_k^T and W_v W_o of each head as one matrix each."""
    total = np.zeros(Q.shape)
    for head in range(num_heads):
        part = columns(head, num_heads, Q.shape[-1])
        compared = W_q[:, part] @ W_k[:, part].T / np.sqrt(part.stop - part.start)
        total += softmax(Q @ compared @ K.swapaxes(1, 2)) @ (V @ (W_v[:, part] @ W_o[part]))
    return total


@implementation_of("numerators-divided-late")
def numerators_divided_late(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """The exponentials are multiplied with the values first, and divided by their sum later."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    scores = score(q, k) / np.sqrt(q.shape[-1])
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return merge(exponentials @ v / exponentials.sum(-1, keepdims=True)) @ W_o


@implementation_of("log-sum-exp")
def log_sum_exp(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Weights as exp(scores - logsumexp(scores))."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    scores = score(q, k) / np.sqrt(q.shape[-1])
    return merge(np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)) @ v) @ W_o


@implementation_of("in-place-on-copies")
def in_place_on_copies(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """All steps in place, in copies of the arguments."""
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


@implementation_of("longdouble-inside")
def longdouble_inside(*arguments):
    """Computed in extended precision, returned as float64."""
    *arrays, num_heads = arguments
    out = variant()(*(a.astype(np.longdouble) for a in arrays), num_heads)
    return np.asarray(out, dtype=np.float64)


@implementation_of("fortran-order")
def fortran_order(*arguments):
    """An array in Fortran order: columns are contiguous in memory."""
    return np.asfortranarray(variant()(*arguments))


@implementation_of("view-with-a-negative-stride")
def view_with_a_negative_stride(*arguments):
    """The answer as a view with a negative stride."""
    return np.ascontiguousarray(variant()(*arguments)[::-1])[::-1]


@implementation_of("read-only-answer")
def read_only_answer(*arguments):
    """A read-only array."""
    out = variant()(*arguments)
    out.flags.writeable = False
    return out


@implementation_of("with-masked-arrays")
def with_masked_arrays(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Masked arrays without masked entries in between, a plain array at the end."""
    q, k, v = (split(x, num_heads) for x in (Q @ W_q, K @ W_k, V @ W_v))
    scores = np.ma.masked_invalid(score(q, k) / np.sqrt(q.shape[-1]))
    exponentials = np.ma.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return merge(weights.filled(0.0) @ v) @ W_o


@implementation_of("vectorised-over-items")
def vectorised_over_items(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """np.vectorize with a signature calls a function for one item at a time."""
    one_item = np.vectorize(
        lambda q, k, v: variant()(q[None], k[None], v[None], W_q, W_k, W_v, W_o, num_heads)[0],
        signature="(q,m),(k,m),(k,m)->(q,m)",
        otypes=[np.float64],
    )
    return np.asarray(one_item(Q, K, V))


@implementation_of("head-objects")
def head_objects(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """A class per head; np.array_split cuts the matrices."""

    class Head:
        def __init__(self, *matrices):
            self.w_q, self.w_k, self.w_v = matrices

        def __call__(self):
            q, k, v = Q @ self.w_q, K @ self.w_k, V @ self.w_v
            return softmax(score(q, k) / np.sqrt(self.w_q.shape[1])) @ v

    parts = (np.array_split(W, num_heads, axis=1) for W in (W_q, W_k, W_v))
    return np.concatenate([Head(*p)() for p in zip(*parts, strict=True)], axis=-1) @ W_o


# --- one step written differently -----------------------------------------------------------------


def scaled_queries(at):
    return at.Q @ at.W_q / np.sqrt(at.d_head), at.K @ at.W_k, at.V @ at.W_v


def fourth_root_on_both(Q, K, at):
    return score(Q / at.d_head**0.25, K / at.d_head**0.25)


def power_of_e(scores, at):
    powers = np.e ** (scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


right("steps")
right("scale-queries-first", project=scaled_queries, scale=keep)
right("scale-both-by-fourth-root", score=fourth_root_on_both, scale=keep)
right("scale-multiplies-by-negative-power", scale=lambda scores, at: scores * at.d_head**-0.5)
right("softmax-with-power-of-e", softmax=power_of_e)
