# names: softmax-over-queries
import numpy as np

def softmax(s):
    e = np.exp(s - s.max(axis=0))
    return e / e.sum(axis=0)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    dh = X.shape[1] // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        q = X @ W_q[:, h * dh:(h + 1) * dh]
        k = X @ W_k[:, h * dh:(h + 1) * dh]
        v = X @ W_v[:, h * dh:(h + 1) * dh]
        s = q @ k.T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        w = softmax(s)
        outs.append(w @ v)
        ws.append(w)
    return np.concatenate(outs, axis=1) @ W_o, np.array(ws)
