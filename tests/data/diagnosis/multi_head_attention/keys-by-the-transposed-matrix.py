# names: wk-transposed
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    outs, ws = [], []
    for q, k, v in zip(*(np.hsplit(M, num_heads) for M in (X @ W_q, X @ W_k.T, X @ W_v))):
        s = q @ k.T / np.sqrt(q.shape[1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        outs.append(ws[-1] @ v)
    return np.hstack(outs) @ W_o, np.array(ws)
