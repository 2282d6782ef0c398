import numpy as np


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    return np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    size = d_model // num_heads
    outs, all_weights = [], []
    for h in range(num_heads):
        q = (X @ W_q)[:, h * size : (h + 1) * size]
        k = (X @ W_k)[:, h * size : (h + 1) * size]
        v = (X @ W_v)[:, h * size : (h + 1) * size]
        s = q @ k.T
        if mask is not None:
            s = np.where(mask, s, -1e9)
        w = softmax(s)
        all_weights.append(w)
        outs.append(w @ v)
    return np.concatenate(outs, axis=-1) @ W_o, np.array(all_weights)
