# names: mask-inverted
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    ws, outs = [], []
    for q, k, v in zip(*(np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))):
        s = np.inner(q, k) / np.sqrt(q.shape[1])
        if mask is not None:
            s[np.broadcast_to(mask, s.shape)] = -np.inf
        e = np.exp(s - s.max(axis=1, keepdims=True))
        ws.append(e / e.sum(axis=1, keepdims=True))
        outs.append(ws[-1] @ v)
    return np.hstack(outs) @ W_o, np.stack(ws)
