# names: returns-mean-weights-broadcast
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    q = np.stack(np.split(X @ W_q, num_heads, 1))
    k = np.stack(np.split(X @ W_k, num_heads, 1))
    v = np.stack(np.split(X @ W_v, num_heads, 1))
    s = np.einsum("hid,hjd->hij", q, k) / np.sqrt(dh)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    s = np.exp(s - s.max(-1)[..., None])
    w = s / s.sum(-1)[..., None]
    o = np.concatenate([a @ b for a, b in zip(w, v)], axis=1) @ W_o
    avg = w.mean(axis=0)
    return o, np.array([avg for _ in range(num_heads)])
