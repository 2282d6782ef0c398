# names: softmax-no-max-shift
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    weights = []
    blocks = []
    for h in range(num_heads):
        i, j = h * dh, h * dh + dh
        e = np.exp(Q[:, i:j] @ K[:, i:j].T / np.sqrt(dh))
        if mask is not None:
            e = np.where(mask, e, 0)
        w = e / e.sum(axis=1, keepdims=True)
        weights.append(w)
        blocks.append(w @ V[:, i:j])
    return np.hstack(blocks) @ W_o, np.stack(weights)
