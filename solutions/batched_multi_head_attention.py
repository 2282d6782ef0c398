import numpy as np  # noqa: F401


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Multi-head attention with projections, for a batch.

    Q: (batch, query_length, d_model), float64
    K, V: (batch, key_length, d_model), float64
    W_q, W_k, W_v, W_o: (d_model, d_model), float64
    num_heads: a positive integer that divides d_model

    Returns a float64 array of shape (batch, query_length, d_model).

    The task:  python -m grader show batched_multi_head_attention
    A hint:    python -m grader hint batched_multi_head_attention
    """
    raise NotImplementedError
