# names: mask-inverted
import numpy as np

NEG = -1e9

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    dh = X.shape[1] // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    res = []
    ws = []
    for h in range(num_heads):
        q, k, v = [M[:, h * dh:h * dh + dh] for M in (Q, K, V)]
        s = q @ k.T / np.sqrt(dh)
        if mask is not None:
            s[np.broadcast_to(mask, s.shape)] = NEG    # masked_fill(mask, -1e9)
        s = np.exp(s - s.max(axis=1, keepdims=True))
        w = s / s.sum(axis=1, keepdims=True)
        res.append(w @ v)
        ws.append(w)
    return np.hstack(res) @ W_o, np.array(ws)
