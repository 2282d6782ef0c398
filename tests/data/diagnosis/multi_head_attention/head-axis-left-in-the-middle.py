# names: attention-across-heads
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q = (X @ W_q).reshape(n, num_heads, d_head)
    K = (X @ W_k).reshape(n, num_heads, d_head)
    V = (X @ W_v).reshape(n, num_heads, d_head)
    scores = np.matmul(Q, K.swapaxes(-1, -2)) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    out = np.matmul(weights, V).reshape(n, d_model)
    return np.matmul(out, W_o), weights
