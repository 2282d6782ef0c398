# verdict: pass
# kind: self tests at import: asserts and small tests at module level
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q = (X @ W_q).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    K = (X @ W_k).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    V = (X @ W_v).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights


def check_rows_sum_to_one():
    X = np.random.rand(3, 4)
    _, weights = multi_head_attention(X, np.eye(4), np.eye(4), np.eye(4), np.eye(4), 2)
    assert np.allclose(weights.sum(axis=-1), 1.0)
    assert weights.shape == (2, 3, 3)


check_rows_sum_to_one()
assert multi_head_attention(np.eye(2), *[np.eye(2)] * 4, 1)[0].shape == (2, 2)
