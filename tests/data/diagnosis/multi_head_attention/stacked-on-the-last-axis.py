# names: merge-interleaved
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for wq, wk, wv in zip(*[np.hsplit(W, num_heads) for W in (W_q, W_k, W_v)]):
        q, k, v = X @ wq, X @ wk, X @ wv
        s = q @ k.T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(1, keepdims=True))
        w = s / s.sum(1, keepdims=True)
        outs.append(w @ v)
        ws.append(w)
    out = np.stack(outs, axis=-1).reshape(n, d)
    return out @ W_o, np.stack(ws)
