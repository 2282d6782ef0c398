# names: first-head-reused
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    d_head = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    outs, ws = [], []
    for _ in range(num_heads):
        q, k, v = Q[:, :d_head], K[:, :d_head], V[:, :d_head]
        s = np.matmul(q, k.T) / np.sqrt(d_head)
        if mask is not None:
            s = np.where(mask, s, -1e9)
        e = np.exp(s - np.max(s, axis=1, keepdims=True))
        w = e / np.sum(e, axis=1, keepdims=True)
        outs.append(np.matmul(w, v))
        ws.append(w)
    return np.matmul(np.concatenate(outs, axis=1), W_o), np.stack(ws)
