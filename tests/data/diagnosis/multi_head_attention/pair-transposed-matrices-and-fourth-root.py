# names: weights-transposed-all, scale-double-sqrt
import numpy as np

def linear(x, w):
    return np.inner(x, w)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    outs, ws = [], []
    for q, k, v in zip(*(np.hsplit(linear(X, W), num_heads) for W in (W_q, W_k, W_v))):
        s = q @ k.T / q.shape[1] ** 0.25
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        outs.append(ws[-1] @ v)
    return linear(np.hstack(outs), W_o), np.stack(ws)
