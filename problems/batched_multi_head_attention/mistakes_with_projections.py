"""Mistakes in making queries, keys and values."""

from __future__ import annotations

import numpy as np

from grader.model import Misconception

from .steps import given, variant


def project_with(query="W_q", key="W_k", value="W_v"):
    """Q, K and V made with other matrices; None leaves an input unprojected."""

    def step(at):
        inputs = ((at.Q, query), (at.K, key), (at.V, value))
        return tuple(A @ getattr(at, W) if W else A for A, W in inputs)

    return step


def project_each(one, at):
    """Q, K and V, each made by `one` with its own input and matrix."""
    return one(at.Q, at.W_q), one(at.K, at.W_k), one(at.V, at.W_v)


def project_own_columns(at):
    def one(A, W):
        heads = [at.columns(h) for h in range(at.num_heads)]
        return np.concatenate([A[..., own] @ W[own, own] for own in heads], axis=-1)

    return project_each(one, at)


def project_again_for_each_head(at):
    def one(projected, W):
        joined = []
        for h in range(at.num_heads):
            projected = projected @ W
            joined.append(projected[..., at.columns(h)])
        return np.concatenate(joined, axis=-1)

    return project_each(one, at)


def project_transposed(at):
    return at.Q @ at.W_q.T, at.K @ at.W_k.T, at.V @ at.W_v.T


def project_one_transposed(which):
    """Return a step that transposes one of the three matrices."""

    def step(at):
        inputs = ((at.Q, "W_q"), (at.K, "W_k"), (at.V, "W_v"))
        return tuple(A @ (getattr(at, W).T if which == W else getattr(at, W)) for A, W in inputs)

    return step


def project_with_rows(at):
    def one(A, W):
        return np.concatenate([A @ W[at.columns(h)].T for h in range(at.num_heads)], axis=-1)

    return project_each(one, at)


def project_in_place(at):
    Q, K, V = at.Q, at.K, at.V
    Q @= at.W_q
    K @= at.W_k
    V @= at.W_v
    return Q, K, V


PROJECTIONS = [
    Misconception(
        "qkv-not-projected",
        violates="projections",
        hint="You attended over Q, K and V as they came in (perhaps you computed the projections"
        " and then went on with the old names). Use the projected arrays in every later step.",
        implementation=variant(project=project_with(None, None, None)),
        exposed_by="projections that are not the identity",
    ),
    Misconception(
        "q-k-only-projected",
        violates="projections",
        hint="You projected Q and K, but mixed V as it came in. V has a projection of its own.",
        implementation=variant(project=project_with(value=None)),
        exposed_by="a W_v that is not the identity",
    ),
    Misconception(
        "key-uses-wq",
        violates="projections",
        hint="K was projected with the matrix of the queries (copy and paste?). K has its own"
        " matrix.",
        implementation=variant(project=project_with(key="W_q")),
        exposed_by="W_k other than W_q",
    ),
    Misconception(
        "query-uses-wk",
        violates="projections",
        hint="Q was projected with the matrix of the keys (copy and paste?). Q has its own matrix.",
        implementation=variant(project=project_with(query="W_k")),
        exposed_by="W_k other than W_q",
    ),
    Misconception(
        "value-uses-wk",
        violates="projections",
        hint="V was projected with the matrix of the keys (copy and paste?). V has its own matrix.",
        implementation=variant(project=project_with(value="W_k")),
        exposed_by="W_v other than W_k",
    ),
    Misconception(
        "query-uses-wv",
        violates="projections",
        hint="Q was projected with the matrix of the values (copy and paste?). Q has its own"
        " matrix.",
        implementation=variant(project=project_with(query="W_v")),
        exposed_by="W_q other than W_v",
    ),
    Misconception(
        "key-uses-wv",
        violates="projections",
        hint="K was projected with the matrix of the values (copy and paste?). K has its own"
        " matrix.",
        implementation=variant(project=project_with(key="W_v")),
        exposed_by="W_k other than W_v",
    ),
    Misconception(
        "value-uses-wq",
        violates="projections",
        hint="V was projected with the matrix of the queries (copy and paste?). V has its own"
        " matrix.",
        implementation=variant(project=project_with(value="W_q")),
        exposed_by="W_v other than W_q",
    ),
    Misconception(
        "all-use-wq",
        violates="projections",
        hint="All three inputs were projected with the matrix of the queries. There are three"
        " matrices because queries, keys and values play three roles.",
        implementation=variant(project=project_with(key="W_q", value="W_q")),
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
        implementation=variant(project=lambda at: (at.Q @ at.W_q, at.Q @ at.W_k, at.V @ at.W_v)),
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
        implementation=variant(project=project_transposed),
        exposed_by="projections that are not symmetric",
    ),
    Misconception(
        "wq-transposed",
        violates="projections",
        hint="You multiplied Q by the transpose of W_q. Rows of the input meet columns of the"
        " matrix as it is: Q @ W_q.",
        implementation=variant(project=project_one_transposed("W_q")),
        exposed_by="a W_q that is not symmetric",
    ),
    Misconception(
        "wk-transposed",
        violates="projections",
        hint="You multiplied K by the transpose of W_k. Rows of the input meet columns of the"
        " matrix as it is: K @ W_k.",
        implementation=variant(project=project_one_transposed("W_k")),
        exposed_by="a W_k that is not symmetric",
    ),
    Misconception(
        "wv-transposed",
        violates="projections",
        hint="You multiplied V by the transpose of W_v. Rows of the input meet columns of the"
        " matrix as it is: V @ W_v.",
        implementation=variant(project=project_one_transposed("W_v")),
        exposed_by="a W_v that is not symmetric",
    ),
    Misconception(
        "weights-transposed-all",
        violates="projections",
        hint="You multiplied by transposed matrices throughout, as linear layers of some libraries"
        " do. Here all four matrices are used as they are.",
        implementation=variant(
            project=project_transposed,
            output=lambda concat, at: concat @ at.W_o.T,
        ),
        exposed_by="matrices that are not symmetric",
    ),
    Misconception(
        "head-takes-rows-of-w",
        violates="projections",
        hint="You gave each head some rows of the matrix, which projects with the transposed"
        " matrix. The columns of the projected array belong to a head, so cut the columns.",
        implementation=variant(project=project_with_rows),
        same_as="weights-transposed-qkv",
        exposed_by="projections that are not symmetric",
    ),
    Misconception(
        "split-before-projection",
        violates="projections",
        hint="You cut the inputs into heads and projected the pieces, so a head sees only its own"
        " columns of the input. Project the full width first, then split.",
        implementation=variant(project=project_own_columns),
        exposed_by="two heads and projections with entries off the diagonal blocks",
    ),
    Misconception(
        "rebinds-projection-in-loop",
        violates="projections",
        hint="The loop over heads assigns the projected array to the old name, so the second head"
        " projects what is already projected. Every head starts from the original inputs.",
        implementation=variant(project=project_again_for_each_head),
        exposed_by="two heads and projections that change what they projected",
    ),
    Misconception(
        "mutates-qkv-inplace-matmul",
        violates="projections",
        hint="The projection is written into the argument itself, so when one array is passed as"
        " Q, K and V it is projected three times. Store the result under a new name.",
        implementation=variant(project=project_in_place),
        exposed_by="the same array object as Q, K and V",
    ),
]
