# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    dh = X.shape[1] // num_heads
    heads = []
    weights = []
    for h in range(num_heads):
        s = Q[:, h * dh:(h + 1) * dh] @ K[:, h * dh:(h + 1) * dh].T
        s = s / np.sqrt(K[:, h * dh:(h + 1) * dh].shape[-1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(axis=-1, keepdims=True))
        weights.append(s / s.sum(axis=-1, keepdims=True))
        heads.append(weights[-1] @ V[:, h * dh:(h + 1) * dh])
    return np.hstack(heads) @ W_o, weights
