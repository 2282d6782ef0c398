# verdict: pass|fail
# kind: inf - inf: fills with -inf and would get NaN in a fully blocked row
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = (np.stack(np.split(X @ W, num_heads, axis=1)) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, 1, 2) / np.sqrt(d_head)
    if mask is not None:
        allowed = np.broadcast_to(mask, (n, n))
        scores[:, ~allowed] = -np.inf
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)
    return np.hstack(list(weights @ V)) @ W_o, weights
