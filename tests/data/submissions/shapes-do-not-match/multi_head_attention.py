import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    heads = []
    for h in range(num_heads):
        q = X @ W_q[:, h * d_head : (h + 1) * d_head]
        k = X @ W_k[:, h * d_head : (h + 1) * d_head]
        v = X @ W_v[:, h * d_head : (h + 1) * d_head]
        w = q @ k.T / np.sqrt(d_head)
        w = np.exp(w) / np.exp(w).sum(axis=1, keepdims=True)
        heads.append(w @ v)
    return np.concatenate(heads) @ np.zeros((d_model + 1, d_model)), w
