# names: last-head-kept
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    ws = []
    for q, k, v in zip(*(np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))):
        s = q @ k.T / np.sqrt(q.shape[1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        out = ws[-1] @ v        # forgot to collect the heads
    return out @ W_o, np.array(ws)
