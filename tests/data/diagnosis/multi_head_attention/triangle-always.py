# names: causal-always
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    if mask is None:
        mask = np.tril(np.ones((n, n), dtype=bool))
    outs, ws = [], []
    for q, k, v in zip(*(np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))):
        s = np.where(mask, q @ k.T / np.sqrt(dh), -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        w = e / e.sum(1, keepdims=True)
        ws.append(w)
        outs.append(w @ v)
    return np.hstack(outs) @ W_o, np.array(ws)
