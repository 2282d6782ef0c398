# verdict: pass
# kind: prints to stdout: debug prints inside the function and at import
import numpy as np

print("loading my solution...")


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    print("X", X.shape, "heads", num_heads)
    Q = (X @ W_q).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    K = (X @ W_k).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    V = (X @ W_v).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    print("scores\n", scores)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    print("rows sum to", weights.sum(axis=-1))
    return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights
