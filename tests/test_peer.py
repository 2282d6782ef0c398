"""The references against independent implementations: `make test-peer`.

ONNX: the reference evaluator's `Attention` of opset 23
(https://onnx.ai/onnx/operators/onnx__Attention.html) between matrix products. PyTorch, where it
is installed: `torch.nn.functional.multi_head_attention_forward`, whose masks are True where a key
is blocked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from conftest import REPOSITORY

from grader.catalog import Course

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

CONFIGURATIONS = 1000
WITHIN = 1e-10
AFTER_SOFTMAX = 3
"""ONNX's `qk_matmul_output_mode` that gives the weights"""


class Drawn(NamedTuple):
    """One random valid configuration of both exercises; K and V are X in the first."""

    Q: Any
    K: Any
    V: Any
    W_q: Any
    W_k: Any
    W_v: Any
    W_o: Any
    num_heads: int
    mask: Any


def configurations(batched: bool) -> Iterator[Drawn]:
    """Yield random configurations: sizes from 1 on, logits of order one, masks of every shape."""
    draw = np.random.RandomState(2024 + batched)
    for _ in range(CONFIGURATIONS):
        num_heads, d_head = draw.randint(1, 7), draw.randint(1, 9)
        d_model = num_heads * d_head
        batch = draw.randint(1, 4) if batched else 1
        queries = draw.randint(1, 10)
        keys = draw.randint(1, 10) if batched else queries
        Q = draw.normal(size=(batch, queries, d_model))
        K, V = draw.normal(size=(2, batch, keys, d_model)) if batched else (Q, Q)
        weights = draw.normal(size=(4, d_model, d_model)) / np.sqrt(d_model) * draw.uniform(0.5, 3)
        mask = None if batched else _mask(draw, queries)
        yield Drawn._make([Q, K, V, *weights, num_heads, mask])


def _mask(draw: np.random.RandomState, n: int) -> Any:
    """Return None or a mask that broadcasts to (n, n) and leaves a key to every query."""
    shape = ((n, n), (1, n), (n, 1), (n,), (), None)[draw.randint(6)]
    if shape is None:
        return None
    mask = draw.uniform(size=shape) < 0.6
    whole = np.broadcast_to(mask, (n, n))
    if not whole.any(axis=1).all():
        mask = mask | np.eye(n, dtype=bool) if shape == (n, n) else np.ones(shape, bool)
    return mask


@cache
def onnx_model(num_heads: int, masked: bool) -> Any:
    """Return an evaluator of projections, attention and output projection."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    node, double = onnx.helper.make_node, onnx.TensorProto.DOUBLE
    names = ["Q", "K", "V", "W_q", "W_k", "W_v", "W_o"]
    inputs = [onnx.helper.make_tensor_value_info(name, double, None) for name in names]
    if masked:
        inputs.append(onnx.helper.make_tensor_value_info("mask", onnx.TensorProto.BOOL, None))
    nodes = [
        node("MatMul", ["Q", "W_q"], ["q"]),
        node("MatMul", ["K", "W_k"], ["k"]),
        node("MatMul", ["V", "W_v"], ["v"]),
        node(
            "Attention",
            ["q", "k", "v", *(["mask"] if masked else [])],
            ["joined", "", "", "weights"],
            q_num_heads=num_heads,
            kv_num_heads=num_heads,
            qk_matmul_output_mode=AFTER_SOFTMAX,
        ),
        node("MatMul", ["joined", "W_o"], ["output"]),
    ]
    outputs = [onnx.helper.make_tensor_value_info(n, double, None) for n in ("output", "weights")]
    graph = onnx.helper.make_graph(nodes, "attention", inputs, outputs)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 23)])
    return ReferenceEvaluator(model)


def onnx_attention(drawn: Drawn) -> tuple[Any, Any]:
    """Return output (batch, query, d_model) and weights (batch, head, query, key)."""
    given = drawn._asdict()
    num_heads, mask = given.pop("num_heads"), given.pop("mask")
    if mask is not None:
        given["mask"] = np.broadcast_to(mask, (drawn.Q.shape[1], drawn.K.shape[1]))
    output, weights = onnx_model(num_heads, mask is not None).run(None, given)
    return output, weights


def torch_attention(drawn: Drawn) -> tuple[Any, Any]:
    """Return the same from PyTorch; its projections are `x @ W.T`, its sequences come first."""
    import torch
    from torch.nn.functional import multi_head_attention_forward

    tensors = [torch.from_numpy(np.ascontiguousarray(array)) for array in drawn[:7]]
    Q, K, V = (tensor.transpose(0, 1) for tensor in tensors[:3])
    W_q, W_k, W_v, W_o = (tensor.T for tensor in tensors[3:])
    blocked = None
    if drawn.mask is not None:
        n = drawn.Q.shape[1]
        blocked = torch.from_numpy(~np.broadcast_to(drawn.mask, (n, n)))
    output, weights = multi_head_attention_forward(
        Q, K, V, Q.shape[-1], drawn.num_heads,
        None, None, None, None, False, 0.0, W_o, None,
        training=False, need_weights=True, attn_mask=blocked,
        use_separate_proj_weight=True, q_proj_weight=W_q, k_proj_weight=W_k, v_proj_weight=W_v,
        average_attn_weights=False,
    )  # fmt: skip
    return output.transpose(0, 1).numpy(), weights.numpy()


PEERS = {"onnx": onnx_attention, "torch": torch_attention}


@pytest.fixture(params=PEERS)
def peer(request: pytest.FixtureRequest) -> Any:
    """Each independent implementation that is installed."""
    pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    return PEERS[request.param]


def reference(slug: str) -> Any:
    """Return the reference of an exercise."""
    course = Course(REPOSITORY)
    return course.reference(course.load(slug))


def test_the_reference_of_one_sequence_equals_the_peer_in_output_and_weights(peer: Any) -> None:
    ours = reference("multi_head_attention")
    greatest = 0.0
    for drawn in configurations(batched=False):
        weights = drawn[3:7]
        output, attention = ours(drawn.Q[0], *weights, drawn.num_heads, drawn.mask)
        (right,), (right_attention,) = peer(drawn)
        assert output.shape == right.shape
        assert attention.shape == right_attention.shape
        greatest = max(
            greatest, np.abs(output - right).max(), np.abs(attention - right_attention).max()
        )
    assert greatest < WITHIN


def test_the_reference_of_a_batch_equals_the_peer(peer: Any) -> None:
    ours = reference("batched_multi_head_attention")
    greatest = 0.0
    for drawn in configurations(batched=True):
        output = ours(*drawn[:8])
        right, _ = peer(drawn)
        assert output.shape == right.shape
        greatest = max(greatest, np.abs(output - right).max())
    assert greatest < WITHIN


def test_the_configurations_include_masks_of_every_shape() -> None:
    shapes = {np.ndim(d.mask) if d.mask is not None else None for d in configurations(False)}
    assert shapes == {None, 0, 1, 2}
