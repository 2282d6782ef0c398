# names: weights-transposed-qkv
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    # W x for every token
    Q = np.array([W_q @ x for x in X])
    K = np.array([W_k @ x for x in X])
    V = np.array([W_v @ x for x in X])
    q, k, v = (np.array(np.hsplit(M, num_heads)) for M in (Q, K, V))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(d / num_heads)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    s = np.exp(s - s.max(axis=2, keepdims=True))
    w = s / s.sum(axis=2, keepdims=True)
    return np.hstack(list(w @ v)) @ W_o, w
