# names: mask-fill-1e-9-typo
import numpy as np

def masked_softmax(s, mask):
    if mask is not None:
        s = np.where(mask, s, -1e-9)
    s = s - s.max(axis=-1, keepdims=True)
    return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    h, dh = num_heads, d // num_heads
    q = np.transpose(np.reshape(X @ W_q, (n, h, dh)), (1, 0, 2))
    kT = np.transpose(np.reshape(X @ W_k, (n, h, dh)), (1, 2, 0))
    v = np.transpose(np.reshape(X @ W_v, (n, h, dh)), (1, 0, 2))
    w = masked_softmax(q @ kT / np.sqrt(dh), mask)
    return np.transpose(w @ v, (1, 0, 2)).reshape(n, d) @ W_o, w
