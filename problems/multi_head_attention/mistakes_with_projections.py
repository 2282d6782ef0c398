"""Mistakes in making queries, keys and values."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import At, block, scale, softmax, variant


def project_with(query="W_q", key="W_k", value="W_v"):
    """Q, K and V made with other matrices; None leaves X unprojected."""

    def step(at):
        return tuple(at.X @ getattr(at, W) if W else at.X for W in (query, key, value))

    return step


def project_each(one, at):
    """Q, K and V, each made by `one` with its own matrix."""
    return one(at.W_q), one(at.W_k), one(at.W_v)


def project_own_columns(at):
    def one(W):
        heads = [at.columns(h) for h in range(at.num_heads)]
        return np.hstack([at.X[:, own] @ W[own, own] for own in heads])

    return project_each(one, at)


def project_again_for_each_head(at):
    def one(W):
        projected, joined = at.X, []
        for head in range(at.num_heads):
            projected = projected @ W
            joined.append(projected[:, at.columns(head)])
        return np.hstack(joined)

    return project_each(one, at)


def project_transposed(at):
    return at.X @ at.W_q.T, at.X @ at.W_k.T, at.X @ at.W_v.T


def project_one_transposed(which):
    """Return a step that transposes one of the three matrices."""

    def step(at):
        matrices = {W: getattr(at, W) for W in ("W_q", "W_k", "W_v")}
        return tuple(at.X @ (M.T if which == W else M) for W, M in matrices.items())

    return step


def project_with_rows(at):
    def one(W):
        return np.hstack([at.X @ W[at.columns(h), :].T for h in range(at.num_heads)])

    return project_each(one, at)


def one_row_of_w_for_each_head(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    at = At(X, W_q, W_k, W_v, W_o, num_heads, mask)
    heads, weights = [], []
    for h in range(num_heads):
        Q, K, V = X @ W_q[h], X @ W_k[h], X @ W_v[h]
        weights.append(softmax(block(scale(Q @ K.T, at), at)))
        heads.append(weights[-1] @ V)
    return np.hstack(heads) @ W_o, np.array(weights)


PROJECTIONS = [
    Misconception(
        "qkv-not-projected",
        violates="projections",
        hint="You attended over X itself, perhaps after computing X @ W_q and not using it."
        " Queries, keys and values are X times W_q, W_k and W_v: go on with those three.",
        implementation=variant(project=project_with(None, None, None)),
        exposed_by="W_q, W_k and W_v that are not the identity",
    ),
    Misconception(
        "key-uses-wq",
        violates="projections",
        hint="Your keys are the queries: X @ W_q stands on both sides of the scores and W_k is not"
        " used. Make K with W_k and compare Q with K.",
        implementation=variant(project=project_with(key="W_q")),
        exposed_by="W_k unlike W_q and at least two tokens",
    ),
    Misconception(
        "value-uses-wk",
        violates="projections",
        hint="Your weights mix the keys, X @ W_k, where they should mix the values, and W_v is not"
        " used. Make V with W_v and multiply the weights with V.",
        implementation=variant(project=project_with(value="W_k")),
        exposed_by="W_v unlike W_k",
    ),
    Misconception(
        "w-indexed-by-head",
        violates="projections",
        hint="W_q[h] is one row of the matrix, but W_q, W_k and W_v have no axis for heads."
        " Multiply X with the whole matrix, then give each head its columns of the result.",
        implementation=one_row_of_w_for_each_head,
    ),
    Misconception(
        "weights-transposed-all",
        violates="projections",
        hint="You multiplied with the transposed matrices, as a layer that stores its weights as"
        " (out, in) does. Here nothing is transposed: X @ W_q, X @ W_k, X @ W_v, and W_o"
        " likewise.",
        implementation=variant(
            project=project_transposed, output=lambda concat, at: concat @ at.W_o.T
        ),
        exposed_by="weights that are not symmetric",
    ),
    Misconception(
        "split-before-projection",
        violates="projections",
        hint="You cut X into heads before projecting, so each head knows only its own columns of"
        " X. Project the whole X first: every head may use every feature of a token.",
        implementation=variant(project=project_own_columns),
        exposed_by="two heads and weights that reach from one head's columns to the other's",
    ),
    Misconception(
        "rebinds-projection-in-loop",
        violates="projections",
        hint="Inside the loop over heads you overwrote the array that you project, so the second"
        " head projects what the first one already projected. Project X once, before the loop.",
        implementation=variant(project=project_again_for_each_head),
        exposed_by="two heads",
    ),
    Misconception(
        "weights-times-keys",
        violates="projections",
        hint="Your weights mix the keys, X @ W_k, where they should mix the values, and W_v is not"
        " used. Make V with W_v and multiply the weights with V.",
        implementation=variant(project=project_with(value="W_k")),
        same_as="value-uses-wk",
    ),
    Misconception(
        "scores-q-q",
        violates="projections",
        hint="Your keys are the queries: X @ W_q stands on both sides of the scores and W_k is not"
        " used. Make K with W_k and compare Q with K.",
        implementation=variant(project=project_with(key="W_q")),
        same_as="key-uses-wq",
    ),
    Misconception(
        "wq-transposed",
        violates="projections",
        hint="Your queries were made with the transpose of W_q. Multiply X with W_q as it is:"
        " X @ W_q.",
        implementation=variant(project=project_one_transposed("W_q")),
        exposed_by="a W_q that is not symmetric",
    ),
    Misconception(
        "wk-transposed",
        violates="projections",
        hint="Your keys were made with the transpose of W_k. Multiply X with W_k as it is:"
        " X @ W_k.",
        implementation=variant(project=project_one_transposed("W_k")),
        exposed_by="a W_k that is not symmetric",
    ),
    Misconception(
        "wv-transposed",
        violates="projections",
        hint="Your values were made with the transpose of W_v. Multiply X with W_v as it is:"
        " X @ W_v.",
        implementation=variant(project=project_one_transposed("W_v")),
        exposed_by="a W_v that is not symmetric",
    ),
    Misconception(
        "weights-transposed-qkv",
        violates="projections",
        hint="Queries, keys and values were made with the transposed matrices, so head h got rows"
        " of W_q where it should get columns. Multiply X with W_q, W_k and W_v as they are.",
        implementation=variant(project=project_transposed),
        exposed_by="W_q, W_k and W_v that are not symmetric",
    ),
    Misconception(
        "head-takes-rows-of-w",
        violates="projections",
        hint="Head h was made with rows of W_q, W_k and W_v, which is what transposed matrices"
        " give. A head takes columns: multiply X with the matrices as they are.",
        implementation=variant(project=project_with_rows),
        same_as="weights-transposed-qkv",
    ),
    Misconception(
        "query-uses-wk",
        violates="projections",
        hint="Your queries were made with W_k, and W_q is not used. Q is X @ W_q.",
        implementation=variant(project=project_with(query="W_k")),
        exposed_by="W_q unlike W_k and at least two tokens",
    ),
    Misconception(
        "all-use-wq",
        violates="projections",
        hint="W_q made the queries, the keys and the values. Each has a matrix of its own: W_k"
        " makes the keys and W_v the values.",
        implementation=variant(project=project_with("W_q", "W_q", "W_q")),
        exposed_by="three different projections",
    ),
    Misconception(
        "v-not-projected",
        violates="projections",
        hint="Your weights mix the tokens of X themselves. They mix the values, which are X @ W_v.",
        implementation=variant(project=project_with(value=None)),
        exposed_by="W_v that is not the identity",
    ),
    Misconception(
        "projections-elementwise",
        violates="projections",
        hint="* multiplies number by number. A projection is a matrix product, which is written @.",
        implementation=variant(project=lambda at: (at.X * at.W_q, at.X * at.W_k, at.X * at.W_v)),
        exposed_by="weights that are not the identity",
    ),
]
